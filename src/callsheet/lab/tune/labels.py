"""Labels: questions of whom it is known which documents answer them, in halves that share no question."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.text.json_lines import json_lines
from ...core.text.words import words
from ...edges.project.validate import nearest
from ...errors import UsageError

FEWEST = 20
"""Labels below which halves of them say nothing: an interval over ten questions spans everything."""
KEYS = ("question", "relevant", "irrelevant", "grants", "id")
Ids = Callable[[tuple[str, ...]], frozenset[str]]
"""The ids of documents, and of sections as `document#section`, that these grants may see."""


@dataclass(frozen=True, slots=True)
class Label:
    """A question and the ids of what answers it: documents, or sections as `document#section`.

    `irrelevant` looks as if it did, and does not. `grants` are those of who asks; None takes the session's.
    """

    question: str
    relevant: frozenset[str]
    irrelevant: frozenset[str] = frozenset()
    grants: tuple[str, ...] | None = None
    where: str = ""

    @property
    def documents(self) -> frozenset[str]:
        """The documents that answer it, whole."""
        return frozenset(each.partition("#")[0] for each in self.relevant)


def read_labels(path: Path) -> tuple[Label, ...]:
    """The labels of a JSONL file; UsageError names the first line that is none, and questions that stand twice."""
    with path.open("rb") as lines:
        labels = tuple(_label(data, where) for where, data in json_lines(lines, path))
    seen: dict[tuple[str, ...], str] = {}
    for label in labels:
        key = tuple(words(label.question))
        if key in seen:
            raise UsageError(
                f"{label.where} asks what {seen[key]} asks, so one half would know the other's answer; "
                "make one line of the two"
            )
        seen[key] = label.where
    if len(labels) < FEWEST:
        raise UsageError(f"{path} has {len(labels)} labels; tuning needs {FEWEST}, of which half are held out")
    return labels


def _label(data: Mapping[str, Any], where: str) -> Label:
    for key in data:
        if key not in KEYS:
            raise UsageError(f"{where}: {key!r} is not a known key; {nearest(key, KEYS)}")
    question = data.get("question")
    if not isinstance(question, str) or not question.strip():
        raise UsageError(f"{where} needs a text under 'question'")
    relevant, irrelevant = _ids(data, "relevant", where), _ids(data, "irrelevant", where)
    if not relevant:
        raise UsageError(
            f"{where} needs the ids of what answers it under 'relevant'; leave the line out if nothing does"
        )
    if both := sorted(relevant & irrelevant):
        raise UsageError(f"{where} calls {both[0]!r} relevant and irrelevant; take it out of one of the two")
    grants = tuple(sorted(_ids(data, "grants", where))) if "grants" in data else None
    return Label(question, relevant, irrelevant, grants, where)


def _ids(data: Mapping[str, Any], key: str, where: str) -> frozenset[str]:
    value = data.get(key, [])
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise UsageError(f"{where} needs a list of texts under {key!r}, not {value!r}")
    return frozenset(value)


def check_known(labels: Iterable[Label], ids: Ids, own: tuple[str, ...]) -> None:
    """Passes where each label's ids are of documents that its grants may see; UsageError names the first other one."""
    for label in labels:
        held = own if label.grants is None else label.grants
        known = ids(held)
        for each in sorted(label.relevant | label.irrelevant):
            if each not in known:
                way_out = nearest(each, sorted(known), "ids")
                who = f"who asks with {'the grants ' + ', '.join(held) if held else 'no grant'}"
                why = f"there is no {each!r} that {who} may see; other grants stand under `grants` of the label"
                raise UsageError(f"{label.where}: {why}; {way_out}")


def halves(labels: Sequence[Label], seed: int) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
    """The labels to develop on and those held out, by a hash of seed and question: their order changes nothing."""
    ordered = sorted(labels, key=lambda label: hashlib.sha256(f"{seed}:{label.question}".encode()).digest())
    return tuple(ordered[::2]), tuple(ordered[1::2])
