"""Long conversations whose questions name the turns that answer them: LoCoMo."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from callsheet.model.evidence import Document

from .labels import Labelled, Question, whole

KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""What the set calls its categories; of the fifth, the evidence is the turn that shows that a question errs."""
NEXT, FURTHER = 1, 3
"""How far off a turn's neighbours are, and how far those that stand in the wider column."""
_SESSION = re.compile(r"session_\d+")


def locomo(folder: Path) -> Labelled:
    """Turns of conversations, each a scope of its own; a turn's context are its date and its neighbours."""
    documents: list[Document] = []
    questions: list[Question] = []
    for path in sorted(folder.glob("*.json")):
        told = whole(path)
        for number, each in enumerate(told if isinstance(told, list) else [told]):
            scope = f"{path.stem}-{number}"
            turns = _turns(each["conversation"], scope)
            documents += turns
            questions += _questions(each["qa"], scope, {turn.document_id for turn in turns})
    return Labelled(tuple(documents), tuple(questions))


def _turns(conversation: dict[str, Any], scope: str) -> list[Document]:
    found = []
    for name, session in conversation.items():
        if not _SESSION.fullmatch(name):
            continue
        said = [_said(turn) for turn in session]
        date = conversation.get(f"{name}_date_time", "")
        for at, turn in enumerate(session):
            beside = " ".join([date, *_between(said, at, 0, NEXT)])
            further = " ".join(_between(said, at, NEXT, FURTHER))
            found.append(
                Document(
                    f"{scope}/{turn['dia_id']}", said[at], scope=scope, language="en", context=beside, wider=further
                )
            )
    return found


def _between(said: Sequence[str], at: int, near: int, far: int) -> list[str]:
    """The turns that are more than `near` and at most `far` away from one, on either side."""
    return [*said[max(0, at - far) : max(0, at - near)], *said[at + near + 1 : at + far + 1]]


def _said(turn: dict[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['speaker']}: {turn['text']}" + (f" [{caption}]" if caption else "")


def _questions(asked: list[dict[str, Any]], scope: str, turns: set[str]) -> list[Question]:
    found = []
    for each in asked:
        names = [f"{scope}/{name}" for told in each["evidence"] for name in re.split(r"[\s;,]+", told) if name]
        gains = {name: 1.0 for name in names if name in turns}
        if gains and each["category"] in KINDS:
            found.append(Question(each["question"], gains, KINDS[each["category"]], (scope,)))
    return found
