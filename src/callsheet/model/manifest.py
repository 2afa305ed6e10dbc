"""The manifest: what one model call received, from where, and what stayed out and why (A1, A2)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from .evidence import Searched
from .item import ContextItem, LeftOut, Reason
from .policy import Budget, Weights
from .retrieval import Retrieval

Origin = Literal["engine", "framework", "proxy", "import"]
Binding = Literal["wire", "messages", "none"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """What packing needs to know of an item: tokens, three scores in [0, 1], and two reasons against it (E1).

    `tokens` are those of its rendered text. ValueError for negative tokens and for a score outside of [0, 1].
    """

    item_id: str
    tenant_id: str
    tokens: int
    relevance: float
    authority: float
    freshness: float
    redundant: bool = False
    injection_risk: float = 0.0

    def __post_init__(self) -> None:
        if not self.tokens >= 0:
            raise ValueError(f"{self.item_id}: tokens must be a number, 0 or more, not {self.tokens}")
        named = {"relevance": self.relevance, "authority": self.authority, "freshness": self.freshness}
        for name, score in {**named, "injection_risk": self.injection_risk}.items():
            if not 0.0 <= score <= 1.0:
                raise ValueError(f"{self.item_id}: {name} must lie in [0, 1], not {score}")


@dataclass(frozen=True, slots=True)
class Packing:
    """What fitted: ids in pick order, ids dropped with the reason, tokens used of the budget, utility by id."""

    selected: tuple[str, ...]
    dropped: Mapping[str, Reason]
    used: int
    budget: int
    utility: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class WorkingSet:
    """The items one decision gets, in the order they are laid out, and all that is needed to write them down.

    `prefix` items are stable, preloaded evidence among them, `context` items are trusted and dynamic, `material` items
    go with the question in the user's channel. `notes` tell of outages and of searches that lacked a stage; `searched`
    are the searches.
    """

    request_id: str
    decision: str
    prefix: tuple[ContextItem, ...]
    context: tuple[ContextItem, ...]
    material: tuple[ContextItem, ...]
    left_out: tuple[LeftOut, ...]
    packing: Packing
    offered: tuple[str, ...]
    notes: tuple[str, ...] = ()
    searched: tuple[Searched, ...] = ()

    @property
    def items(self) -> tuple[ContextItem, ...]:
        """Every item, in body order."""
        return (*self.prefix, *self.context, *self.material)

    @property
    def citable(self) -> tuple[str, ...]:
        """Sources an answer may cite: evidence and observations that the model received."""
        return tuple(item.source for item in self.items if item.kind in ("evidence", "observation"))


@dataclass(frozen=True, slots=True)
class ContextManifest:
    """The record of one model call. Items carry their text; spans and hashes are read off the wire that goes with it.

    `total_input_tokens` counts the whole prompt after the chat template; `token_basis` says by which counter and
    whether that is exact or an estimate. `policy` is the policy's fingerprint. `offered` names the tools that this step
    may call, `narrowing` how it is kept from the others, and by which figures that was chosen. `retrieval` is the route
    to its evidence, with every search.
    """

    request_id: str
    tenant_id: str
    items: tuple[ContextItem, ...] = ()
    total_input_tokens: int = 0
    left_out: tuple[LeftOut, ...] = ()
    packing: Packing | None = None
    decision: str = ""
    weights: Weights | None = None
    budget: Budget | None = None
    policy: str = ""
    model: str = ""
    dialect: str = ""
    token_basis: str = ""
    origin: Origin = "engine"
    binding: Binding = "wire"
    proposal_channel: str = "json-schema"
    position: str = ""
    notes: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()
    narrowing: str = ""
    retrieval: Retrieval | None = None
