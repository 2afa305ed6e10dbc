"""Retrieval: the route a question takes to its evidence and every query made on it, as the manifest keeps it (B7)."""

from dataclasses import dataclass
from typing import Literal

from .knowledge_policy import Route


@dataclass(frozen=True, slots=True)
class Routing:
    """The route of one decision, why, and who chose it: a rule, the settings, the decision kind's own, or the model."""

    name: Route
    why: str
    by: Literal["rule", "settings", "decision", "model"]


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """What the model wants to be searched for, as the request `request_id` brought it.

    `asks` is false where nothing is to be looked up; without `queries` the question itself is asked, once. `failed`
    says why there is no plan, so that the rule decides.
    """

    request_id: str = ""
    queries: tuple[str, ...] = ()
    asks: bool = False
    failed: str = ""


@dataclass(frozen=True, slots=True)
class QueryMade:
    """One query: what was asked in which round and why, how many sections it found, and which were not found before."""

    round: int
    query: str
    why: str
    found: int
    new: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The route of one decision, all queries made on it in order, and why there were no more."""

    route: Routing
    searches: tuple[QueryMade, ...] = ()
    stopped: str = ""
