"""How good a list of evidence is, given what answers the question."""

from collections.abc import Callable, Mapping, Sequence
from math import log2
from typing import Literal

from ...model.evidence import Evidence
from .labels import Label

MeasureName = Literal["ndcg@10", "recall@5", "recall@10", "recall@20"]
Measure = Callable[[Label, Sequence[Evidence]], float]


def units(label: Label, found: Sequence[Evidence]) -> list[str]:
    """What was found, best first, each once: by the section where a label names one of the document's, else whole."""
    named = label.relevant | label.irrelevant
    sectioned = {each.partition("#")[0] for each in named if "#" in each}
    names = (
        f"{each.document_id}#{each.section}" if each.document_id in sectioned else each.document_id for each in found
    )
    return list(dict.fromkeys(names))


def ndcg(label: Label, found: Sequence[Evidence], depth: int = 10) -> float:
    """Discounted cumulative gain over that of the best order, in [0, 1] (Järvelin and Kekäläinen 2002).

    What is relevant gains 1. What is irrelevant takes one of the places and gains nothing.
    """
    gained = sum(
        1 / log2(place + 2) for place, name in enumerate(units(label, found)[:depth]) if name in label.relevant
    )
    return gained / sum(1 / log2(place + 2) for place in range(min(depth, len(label.relevant))))


def recall(label: Label, found: Sequence[Evidence], depth: int) -> float:
    """The share of what is relevant among the first `depth`."""
    return len(label.relevant.intersection(units(label, found)[:depth])) / len(label.relevant)


MEASURES: Mapping[MeasureName, Measure] = {
    "ndcg@10": ndcg,
    "recall@5": lambda label, found: recall(label, found, 5),
    "recall@10": lambda label, found: recall(label, found, 10),
    "recall@20": lambda label, found: recall(label, found, 20),
}
