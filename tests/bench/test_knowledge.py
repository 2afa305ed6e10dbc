"""The bench of knowledge measures what it says: measures by hand, sets read as they are laid out, vectors made once."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ..source import ROOT

sys.path.append(str(ROOT / "bench"))

from callsheet.model.evidence import Document
from embedding_cache import CachedEmbedder
from knowledge_sets import abstracts, conversations, passages, tools
from knowledge_sets.labels import Labelled, Question
from knowledge_sets.measures import complete, difference, ndcg, recall
from knowledge_sets.tokens import within

NAMES = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)
GAINS = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from([1.0, 2.0]), min_size=1)


def write(path: Path, *rows: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")


def test_gain_at_the_second_place_counts_by_the_logarithm_of_its_place() -> None:
    assert ndcg(["x", "a"], {"a": 1.0}, 10) == pytest.approx(1 / 1.5849625)
    assert ndcg(["x", "a"], {"a": 1.0}, 1) == 0.0


def test_recall_is_the_share_found_and_complete_is_all_or_nothing() -> None:
    gains = {"a": 1.0, "b": 1.0}
    assert recall(["a", "x", "b"], gains, 2) == 0.5
    assert complete(["a", "x", "b"], gains, 2) == 0.0
    assert complete(["a", "x", "b"], gains, 3) == 1.0


@given(NAMES, GAINS)
def test_measures_lie_between_0_and_1_and_the_best_ranking_has_1(ranked: list[str], gains: dict[str, float]) -> None:
    best = sorted(gains, key=lambda name: -gains[name])
    assert ndcg(best, gains, 10) == pytest.approx(1.0)
    for measure in (ndcg, recall, complete):
        assert 0.0 <= measure(ranked, gains, 10) <= 1.0 + 1e-9


def test_difference_of_equal_results_is_none_and_of_a_steady_lead_is_certain() -> None:
    assert difference([0.5, 1.0], [0.5, 1.0]) == (0.0, 0.0, 0.0)
    mean, low, high = difference([1.0] * 8, [0.5] * 8)
    assert (mean, low, high) == (0.5, 0.5, 0.5)


def test_document_that_does_not_fit_into_the_tokens_left_is_passed_over() -> None:
    pytest.importorskip("quicktok")
    each = Labelled((Document("a", "one two"), Document("b", "word " * 50), Document("c", "three")), ())
    assert within(each, ["a", "b", "c"], 10) == ["a", "c"]


def test_abstracts_are_judged_by_any_grade_above_none(tmp_path: Path) -> None:
    write(tmp_path / "corpus.jsonl", {"_id": "1", "title": "T", "text": "Wings.", "author": "A"})
    write(tmp_path / "queries.jsonl", {"_id": "7", "text": "wings?"}, {"_id": "8", "text": "unjudged"})
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n7\t1\t4\n7\t2\t-1\n", encoding="utf-8")
    read = abstracts.cranfield(tmp_path)
    assert [document.document_id for document in read.documents] == ["1"]
    assert read.questions == (Question("wings?", {"1": 1.0}),)


def test_turns_of_a_conversation_are_a_scope_of_their_own_with_neighbours_as_context(tmp_path: Path) -> None:
    turns = [{"speaker": "Ann", "dia_id": f"D1:{number}", "text": f"said {number}"} for number in (1, 2, 3, 4, 5)]
    asked = [
        {"question": "what?", "evidence": ["D1:1; D1:3"], "category": 1},
        {"question": "lost", "evidence": ["D9:9"], "category": 4},
    ]
    write(tmp_path / "c.json", {"conversation": {"session_1_date_time": "May", "session_1": turns}, "qa": asked})
    read = conversations.locomo(tmp_path)
    assert read.documents[2] == Document(
        "c-0/D1:3",
        "Ann: said 3",
        scope="c-0",
        language="en",
        context="May Ann: said 2 Ann: said 4",
        wider="Ann: said 1 Ann: said 5",
    )
    assert read.questions == (Question("what?", {"c-0/D1:1": 1.0, "c-0/D1:3": 1.0}, "multi-hop", ("c-0",)),)


def test_tools_keep_requests_of_one_half_and_are_asked_those_of_the_other(tmp_path: Path) -> None:
    (tmp_path / "plugin_des.json").write_text(json.dumps({"maps": "Finds the way."}), encoding="utf-8")
    write(tmp_path / "single_tool_queries.jsonl", *({"Query": f"q{n}", "Tool": "maps"} for n in range(10)))
    read = tools.metatool_asked(tmp_path)
    assert read.documents[0].asked == ("q0", "q2", "q4")
    assert [question.text for question in read.questions] == ["q1", "q3", "q5", "q7", "q9"]


def test_tools_of_two_servers_that_share_a_name_answer_to_it(tmp_path: Path) -> None:
    listed = {"tools": [{"name": "fetch", "description": "Gets a page.", "inputSchema": {"properties": {"url": {}}}}]}
    servers = [{"name": name, "tools": {"s": listed}} for name in ("one", "two")]
    (tmp_path / "tools.json").write_text(json.dumps(servers), encoding="utf-8")
    told = {"Tools": "1. fetch\n2. unknown", "Steps": "1. Get it"}
    (tmp_path / "annotations.json").write_text(
        json.dumps([{"Question": "page?", "Annotator Metadata": told}]), encoding="utf-8"
    )
    read = tools.livemcpbench(tmp_path)
    assert read.names == {"one/s/fetch": "fetch", "two/s/fetch": "fetch"}
    assert read.questions == (Question("page?", {"fetch": 1.0}),)
    assert tools.livemcpbench_plan(tmp_path).questions[0].text == "1. Get it"


def test_articles_of_all_questions_are_one_pool(tmp_path: Path) -> None:
    row = {"question": "who?", "context": [["A", ["x. ", "y."]], ["B", ["z."]]], "supporting_facts": [["B", 0]]}
    write(tmp_path / "hotpotqa.jsonl", row | {"type": "bridge"})
    read = passages.hotpotqa(tmp_path)
    assert [document.text for document in read.documents] == ["x. y.", "z."]
    assert read.questions == (Question("who?", {"B": 1.0}, "bridge"),)


class Counting:
    """An embedder that keeps what it was asked."""

    name, dimension, means = "counting", 1, None

    def __init__(self) -> None:
        self.read: list[str] = []

    def query(self, text: str) -> bytes:
        self.read.append(f"query {text}")
        return b"\0\0\x80?"

    def passages(self, texts: Sequence[str]) -> list[bytes]:
        self.read += texts
        return [b"\0\0\0\0" for _ in texts]


def test_vector_is_made_once_for_a_text_and_a_purpose_even_over_two_runs(tmp_path: Path) -> None:
    model = Counting()
    for _ in range(2):
        cached = CachedEmbedder("counting", 1, lambda: model, file=tmp_path / "folder" / "vectors.db")
        assert cached.passages(["a", "b", "a"]) == [b"\0\0\0\0"] * 3
        assert cached.query("a") == b"\0\0\x80?"
    assert model.read == ["a", "b", "query a"]


def test_model_is_not_opened_where_every_vector_is_known(tmp_path: Path) -> None:
    file = tmp_path / "vectors.db"
    CachedEmbedder("counting", 1, Counting, file=file).passages(["a"])

    def never() -> Counting:
        raise AssertionError("opened")

    assert CachedEmbedder("counting", 1, never, file=file).passages(["a"]) == [b"\0\0\0\0"]
