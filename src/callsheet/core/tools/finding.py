"""Tools that stand in no request until the model asks for one: which may be searched for, which were found (D6, F5).

What is searched is put together from the decision kind's list and the actor's grants before any search, so that a tool
that may not be called changes no result, no score and no count. What was found comes whole into the requests after it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ...model.effect import Flow, Seek, ask
from ...model.item import ContextItem
from ...model.policy import DecisionKind
from ...model.tool import Observation, RawResult, ToolCall, ToolContract

FIND_TOOLS = "find_tools"
MOST = 5
"""Definitions that one search brings in."""
OF_WINDOWS = frozenset(
    (FIND_TOOLS, "run_code", "load_skill", "read_skill_file", "run_skill_script", "page_in", "page_out")
)
"""Tools that move what stands in a window, or begin a program: no search brings them in, and no code calls them."""
SHARE = 0.25
"""Of what a request has room for, the part that found definitions may take."""
CONTRACT = ToolContract(
    FIND_TOOLS,
    "Finds further tools by what is to be done, said in a few words. Those that it names can be called from the next "
    "request on.",
    {
        "type": "object",
        "properties": {"query": {"type": "string", "minLength": 1, "maxLength": 400}},
        "required": ["query"],
        "additionalProperties": False,
    },
    {"properties": {"tools": {"type": "array", "items": {"type": "string"}}}},
    effects="none",
)


def findable(kind: DecisionKind, permitted: Sequence[ToolContract]) -> tuple[ToolContract, ...]:
    """The tools that a search of this decision is put to, of those that the actor may use; none that it offers."""
    if FIND_TOOLS not in kind.allowlist:
        return ()
    return tuple(each for each in fitting(kind.findable, permitted) if each.name not in kind.allowlist)


def fitting(patterns: Iterable[str], permitted: Sequence[ToolContract]) -> tuple[ToolContract, ...]:
    """The tools that one of these names fits, in which `*` stands for anything; none of those that move a window."""
    named = "|".join(re.escape(each).replace(r"\*", ".*") for each in patterns)
    return tuple(each for each in permitted if each.name not in OF_WINDOWS and re.fullmatch(named, each.name))


def found(observations: Sequence[Observation]) -> tuple[str, ...]:
    """The names that searches of this run found, the newest search first, the best of each first.

    Names alone: whether one may be called is decided anew, by list and grants.
    """
    made = [each for each in reversed(observations) if each.tool == FIND_TOOLS and each.status == "ok"]
    return tuple(dict.fromkeys(str(name) for each in made for name in _listed(each)))


def _listed(observation: Observation) -> Sequence[Any]:
    names = observation.result.get("tools")
    return names if isinstance(names, list | tuple) else ()


def brought_in(
    names: Sequence[str], searched: Sequence[ToolContract], items: Iterable[ContextItem], room: int
) -> tuple[ToolContract, ...]:
    """Found tools whose definitions fit whole into their share of `room` tokens, in the order in which they were found.

    Where not all fit, those of the newest search are kept. The oldest stand first, so that a later search leaves the
    bytes before its own as they were.
    """
    tokens, by_name = {item.item_id: item.token_count for item in items}, {each.name: each for each in searched}
    kept, left = [], int(room * SHARE)
    for name in names:
        if name in by_name and (size := tokens[f"tool/{name}"]) <= left:
            kept.append(by_name[name])
            left -= size
    return tuple(reversed(kept))


def seek(request_id: str, call: ToolCall, searched: Sequence[ToolContract]) -> Flow[RawResult]:
    """What a search among these tools comes to: the names of those that fit."""
    return (yield from ask(Seek(request_id, call, tuple(each.name for each in searched))))


def in_order(items: Iterable[ContextItem], brought: Sequence[ToolContract]) -> Iterator[ContextItem]:
    """Tools' items, those that were found last and in the order of their finding: what stands before them stays."""
    places = {f"tool/{each.name}": place for place, each in enumerate(brought, 1)}
    yield from sorted(items, key=lambda item: places.get(item.item_id, 0))
