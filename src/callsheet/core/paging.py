"""Paging: the model moves observations between its window and the store by tool calls (C11; Packer et al. 2023).

All that was observed is on record anyway. So nothing is copied: which observations stand in a window follows from the
calls that the run has observed, and a resumed run sees the same window. One that is paged out leaves a line with its
id; one that is paged in stands at the end again, as the data that it was, under the id of where it is from.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from ..model.item import ContextItem
from ..model.manifest import WorkingSet
from ..model.policy import Budget, Policy
from ..model.request import RequestContext
from ..model.task import Task
from ..model.tool import Observation, ToolContract
from .sources.conversation import LONGEST, label_of, observation_item

PAGE_OUT, PAGE_IN = "page_out", "page_in"
_REFERENCE = {
    "type": "object",
    "properties": {"reference": {"type": "string", "description": "the observation's toolrun:// source"}},
    "required": ["reference"],
    "additionalProperties": False,
}
CONTRACTS: Mapping[str, ToolContract] = {
    PAGE_IN: ToolContract(
        PAGE_IN,
        "Brings an observation back into the window, whole, by its toolrun:// source: one that was paged out, cut "
        "short, or made in an earlier session. Refused with its size where it does not fit.",
        _REFERENCE,
        {"properties": {key: {} for key in ("reference", "tool", "status", "result", "note", "checked_at", "tokens")}},
        failures=("page-unknown",),
    ),
    PAGE_OUT: ToolContract(
        PAGE_OUT,
        "Takes an observation that is not needed now out of the window. It stays on record; one line with its "
        "toolrun:// source stays here, and page_in brings it back.",
        _REFERENCE,
        {"properties": {"reference": {}}},
        effects="write",
        idempotent=True,
        internal=True,
    ),
}
"""The contracts by name."""


def window_items(
    task: Task, ctx: RequestContext, can_page_in: bool, contracts: Mapping[str, ToolContract]
) -> Iterator[ContextItem]:
    """The run's observations as this window has them: whole, or as one line each where they are paged out."""
    for reference, (observation, where) in _window(task).items():
        if where == "out":
            yield _stub(reference, observation, ctx, can_page_in)
        else:
            longest = None if where == "in" else LONGEST
            yield observation_item(observation, ctx, longest, label_of(observation, contracts))


def in_window(task: Task) -> frozenset[str]:
    """The references of the observations that stand in this window."""
    return frozenset(reference for reference, (_, where) in _window(task).items() if where != "out")


def paged(task: Task) -> tuple[str, ...]:
    """What the manifest says of each observation that was moved."""
    return tuple(f"{reference} is paged {where}" for reference, (_, where) in _moved(task))


def paged_in(observation: Observation, tokens: int) -> Mapping[str, Any]:
    """An observation as the result of paging it in; `tokens` are those of its whole text."""
    return {
        "reference": observation.artifact_ref,
        "tool": observation.tool,
        "status": observation.status,
        "result": dict(observation.result),
        "note": observation.note,
        "checked_at": observation.checked_at.isoformat() if observation.checked_at else "",
        "tokens": tokens,
    }


def room_for_pages(working_set: WorkingSet, budget: Budget, policy: Policy) -> int:
    """Tokens that the next request has for what is paged in: all that is not required, by the smaller of both kinds."""
    then = policy.project.decisions[working_set.decision].then
    following = policy.project.decisions[then].budget if then is not None else None
    narrower = 0 if following is None or not following.window else max(0, budget.available - following.available)
    return working_set.packing.budget - narrower


def fitted(observation: Observation, room: int | None) -> Observation:
    """The observation, refused with its size where it is of something paged in that does not fit."""
    if room is None or taken(observation) <= room:
        return observation
    why = f"page-too-large: it takes {taken(observation)} tokens, and {max(0, room)} are left; page something out first"
    return replace(observation, status="failed", rule="page-too-large", note=why, result={})


def taken(observation: Observation) -> int:
    """The tokens that what an observation pages in takes."""
    return int(observation.result["tokens"]) if observation.tool == PAGE_IN and observation.status == "ok" else 0


def _window(task: Task) -> dict[str, tuple[Observation, str]]:
    """Each observation by its reference, in the order of the window, and where it is: here, paged out, paged in."""
    placed: dict[str, tuple[Observation, str]] = {}
    for number, each in enumerate(task.observations):
        moved = str(each.result.get("reference", "")) if each.status == "ok" else ""
        if moved and each.tool == PAGE_OUT:
            if moved in placed:
                placed[moved] = placed[moved][0], "out"
        elif moved and each.tool == PAGE_IN:
            placed.pop(moved, None)
            placed[moved] = _restored(each), "out" if number < task.reset else "in"
        else:
            placed[each.artifact_ref] = each, "out" if number < task.reset else "here"
    return placed


def _moved(task: Task) -> Iterator[tuple[str, tuple[Observation, str]]]:
    return ((reference, held) for reference, held in _window(task).items() if held[1] != "here")


def _restored(moved: Observation) -> Observation:
    held = moved.result
    return Observation(
        tool=held["tool"],
        status=held["status"],
        arguments={},
        result=held["result"],
        artifact_ref=held["reference"],
        checked_at=datetime.fromisoformat(held["checked_at"]) if held["checked_at"] else None,
        note=held["note"],
        origins=moved.origins,
    )


def _stub(reference: str, observation: Observation, ctx: RequestContext, can_page_in: bool) -> ContextItem:
    """One line for what is paged out. Its record stays with it: what is decisive is not lost by looking away."""
    whole = observation_item(observation, ctx)
    text = f"{reference} ({observation.tool}, {observation.status}) is paged out; "
    text += f"{PAGE_IN} brings it back" if can_page_in else "it is on record"
    return replace(whole, text=text)
