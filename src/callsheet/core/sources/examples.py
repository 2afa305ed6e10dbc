"""Right/wrong pairs: at most a few, of this decision kind and of the policy version in force (B4)."""

from collections.abc import Sequence
from dataclasses import replace

from ...model.item import ContextItem, LeftOut
from ...model.policy import DecisionKind, Example, Project
from ...model.request import SHARED
from ..text.foreign import neutral


def example_item(example: Example) -> ContextItem:
    """A question with the right output and the typical wrong one beside it, and why."""
    return ContextItem(
        item_id=f"example/{example.example_id}",
        kind="example",
        source=f"examples/{example.example_id}@{example.policy_version}",
        trust="trusted",
        version=example.policy_version,
        tenant_id=SHARED,
        text=neutral(
            f"question: {example.question.strip()}\nright: {example.right.strip()}\n"
            f"wrong: {example.wrong.strip()}\nwhy: {example.why.strip()}"
        ),
    )


def choose(project: Project, kind: DecisionKind, question: str) -> tuple[tuple[ContextItem, ...], tuple[LeftOut, ...]]:
    """The pairs that fit this decision, nearest question first, and the ones left out.

    A pair of another policy version is against policy until someone has looked at it again: it is `superseded`. Pairs
    of other decision kinds, or beyond `kind.examples`, are not of this purpose.
    """
    fitting: list[tuple[float, ContextItem]] = []
    left: list[LeftOut] = []
    for example, item in project.examples:
        if example.decision != kind.name:
            left.append(_left_out(item, "purpose", f"fits decision {example.decision}"))
        elif kind.examples == 0:
            left.append(_left_out(item, "purpose", f"decision {kind.name} takes no examples"))
        elif example.policy_version != project.policy_version:
            left.append(_left_out(item, "superseded", f"written for policy {example.policy_version}"))
        else:
            fitting.append((_nearness(example.question, question), item))
    ranked = sorted(fitting, key=lambda pair: (-pair[0], pair[1].item_id))
    for _, item in ranked[kind.examples :]:
        left.append(_left_out(item, "budget", f"this decision takes {kind.examples}"))
    # A pair is wanted for its contrast even where its words differ from the question: relevance never falls to 0.
    chosen = tuple(replace(item, relevance=0.5 + near / 2) for near, item in ranked[: kind.examples])
    return chosen, tuple(left)


def _left_out(item: ContextItem, reason: str, detail: str) -> LeftOut:
    return LeftOut(item.item_id, item.kind, item.source, reason, None, item.token_count, detail)  # type: ignore[arg-type]


def _nearness(one: str, other: str) -> float:
    words, asked = _words(one), _words(other)
    return len(set(words) & set(asked)) / max(1, len(set(words) | set(asked)))


def _words(text: str) -> Sequence[str]:
    return [word.strip(".,;:!?\"'()") for word in text.casefold().split()]
