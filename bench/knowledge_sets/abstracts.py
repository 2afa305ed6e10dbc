"""Abstracts of papers with judgements: Cranfield and CISI, in the layout of BEIR."""

import csv
from collections import defaultdict
from pathlib import Path

from callsheet.model.evidence import Document

from .labels import Labelled, Question, lines


def cranfield(folder: Path) -> Labelled:
    """Aerodynamics; what was graded, from a complete answer to one of the least interest, counts alike."""
    return _read(folder)


def cisi(folder: Path) -> Labelled:
    """Library science: a document answers a question or does not."""
    return _read(folder)


def _read(folder: Path) -> Labelled:
    gains: dict[str, dict[str, float]] = defaultdict(dict)
    with (folder / "qrels.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if int(row["score"]) > 0:
                gains[row["query-id"]][row["corpus-id"]] = 1.0
    documents = tuple(
        Document(row["_id"], row["text"], row["title"], context=row.get("author", ""))
        for row in lines(folder / "corpus.jsonl")
        if row["text"].strip()
    )
    questions = tuple(
        Question(row["text"], gains[row["_id"]]) for row in lines(folder / "queries.jsonl") if gains[row["_id"]]
    )
    return Labelled(documents, questions)
