"""What a labelled set is: documents, and questions with the documents that answer them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from callsheet.model.evidence import Document


@dataclass(frozen=True, slots=True)
class Question:
    """One question: the gain of each document that answers it, by the name that labels call it.

    `kind` tells questions of a set apart; `grants` are the scopes of the documents that it is asked of.
    """

    text: str
    gains: Mapping[str, float]
    kind: str = ""
    grants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Labelled:
    """Documents and questions. `names` says what labels call a document, where that is not its id."""

    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    names: Mapping[str, str] = field(default_factory=dict)


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    with path.open(encoding="utf-8") as file:
        yield from (json.loads(line) for line in file if line.strip())


def whole(path: Path) -> Any:
    """The value of a JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))
