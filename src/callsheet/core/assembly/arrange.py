"""Where each item stands: stable prefix, trusted dynamic part, then the material with the question (E2, G1)."""

from collections.abc import Sequence

from ...model.item import ContextItem
from ...model.policy import AssemblyPolicy
from ...model.task import Value
from ..sources.skills import is_body

Layout = tuple[tuple[ContextItem, ...], tuple[ContextItem, ...], tuple[ContextItem, ...]]


def arrange(
    required: Sequence[ContextItem], chosen: Sequence[ContextItem], settings: AssemblyPolicy, decision: ContextItem
) -> Layout:
    """(prefix, context, material). Untrusted text stands in the material, and between its tags what is preloaded.

    `chosen` comes best first. The decision's instruction stands last, beside the question, whatever the position.
    """
    values = [item for item in required if isinstance(item.record, Value)]
    # Evidence that no decision goes without was preloaded: the same in every request, it is read from the cache.
    stable = ("instruction", "evidence", "tool")
    prefix = [item for item in required if item.kind in stable and not isinstance(item.record, Value)]
    prefix = [item for item in prefix if not is_body(item)]
    context = [
        *values,
        *filter(is_body, required),
        *_of(required, "task_state"),
        *_of(chosen, "example"),
        *_of(required, "event"),
    ]
    evidence = _of(chosen, "evidence")
    if settings.order == "best-last":
        evidence.reverse()
    question = _of(required, "conversation")
    material = [*_of(required, "memory"), *_of(chosen, "memory"), *evidence, *_of(required, "observation")]
    if settings.position == "question-last":
        material += question
    elif settings.position == "question-first":
        material = question + material
    else:
        material = question + material + question
    return tuple(prefix), tuple(context), (*material, decision)


def _of(items: Sequence[ContextItem], kind: str) -> list[ContextItem]:
    return [item for item in items if item.kind == kind]
