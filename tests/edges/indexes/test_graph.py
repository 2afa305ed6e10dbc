"""The step along relations: what shares names, codes and links, what opens a series, and what may not relate."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callsheet.core.documents.relations import among, leads, relations
from callsheet.edges.indexes.index import TenantIndex, open_index
from callsheet.model.evidence import Document, Evidence, Query
from callsheet.model.knowledge_policy import Ranking

ON = Ranking(graph=0.5, dense=0.0)


def found(index: TenantIndex, text: str, *grants: str) -> list[Evidence]:
    return list(index.search(Query("knowledge", "acme", text=text, grants=grants)).evidence)


def ids(index: TenantIndex, text: str, *grants: str) -> list[str]:
    return [each.document_id for each in found(index, text, *grants)]


def test_what_the_best_section_names_by_a_code_comes_up_with_it(tmp_path: Path) -> None:
    closing = Document("closing", "To close an account, first call list_accounts_77.")
    listing = Document("listing", "Use list_accounts_77: it gives balance and state.")
    off, on = (open_index(tmp_path / f"{r.graph}.db", "acme", ranking=r) for r in (Ranking(dense=0.0), ON))
    for index in (off, on):
        index.ingest([closing, listing])
    assert ids(off, "close") == ["closing"]
    assert ids(on, "close") == ["closing", "listing"]


def test_a_link_brings_what_it_points_to(tmp_path: Path) -> None:
    index = open_index(tmp_path / "k.db", "acme", ranking=ON)
    index.ingest(
        [Document("a", "Refunds are slow.", links=("b",)), Document("b", "Ledger days."), Document("c", "Else.")]
    )
    assert ids(index, "refunds") == ["a", "b"]


def test_a_title_that_is_mentioned_brings_its_document(tmp_path: Path) -> None:
    index = open_index(tmp_path / "k.db", "acme", ranking=ON)
    index.ingest(
        [
            Document("a", "The film was directed by Scott Derrickson in a hurry.", "Doctor Strange"),
            Document("b", "He was born in Denver.", "Scott Derrickson"),
        ]
    )
    assert ids(index, "film") == ["a", "b"]


def test_the_document_that_opens_a_series_comes_up_with_any_of_it(tmp_path: Path) -> None:
    index = open_index(tmp_path / "k.db", "acme", ranking=ON)
    index.ingest(
        [Document(f"gold_{n:03d}", text) for n, text in enumerate(("Overview.", "Fees abroad.", "Limits."), 1)]
    )
    assert ids(index, "abroad") == ["gold_002", "gold_001"]


def test_several_hits_in_a_series_raise_its_other_hits_above_those_of_no_series(tmp_path: Path) -> None:
    texts = {
        "gold_001": "Overview.",
        "gold_002": "Fees abroad.",
        "gold_003": "Fees at home.",
        "gold_004": "Paid fees too.",
    }
    documents = [Document(name, text) for name, text in (*texts.items(), ("alone", "Paid fees."))]
    off, on = (open_index(tmp_path / f"{r.graph}.db", "acme", ranking=r) for r in (Ranking(dense=0.0), ON))
    for index in (off, on):
        index.ingest(documents)
    before, after = ids(off, "fees"), ids(on, "fees")
    assert before.index("alone") < before.index("gold_004")
    assert after.index("gold_004") < after.index("alone")
    assert ids(on, "fees abroad")[:2] == ["gold_002", "gold_001"]


def test_a_series_brings_up_none_but_the_one_that_opens_it(tmp_path: Path) -> None:
    index = open_index(tmp_path / "k.db", "acme", ranking=ON)
    index.ingest([Document(f"gold_{n:03d}", text) for n, text in enumerate(("Overview.", "Fees.", "Limits."), 1)])
    assert set(ids(index, "fees")) == {"gold_002", "gold_001"}


def test_a_key_that_many_documents_have_relates_none_of_them(tmp_path: Path) -> None:
    index = open_index(tmp_path / "k.db", "acme", ranking=ON)
    index.ingest(
        [Document("a", "Refunds need user_id here."), *(Document(f"d{n}x", "It has user_id.") for n in range(20))]
    )
    assert ids(index, "refunds") == ["a"]


def test_what_a_document_no_longer_says_relates_it_no_more(tmp_path: Path) -> None:
    index = open_index(tmp_path / "k.db", "acme", ranking=ON)
    index.ingest([Document("a", "Refunds use call_7."), Document("b", "What call_7 does.")])
    assert ids(index, "refunds") == ["a", "b"]
    index.ingest([Document("a", "Refunds use nothing.")])
    assert ids(index, "refunds") == ["a"]


TEXTS = st.sampled_from(
    ["Refunds use call_7.", "What call_7 does.", "See Gold Card of Rho Bank.", "The Gold Card limits."]
)


@settings(max_examples=30, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=5), st.lists(TEXTS, max_size=5))
def test_results_and_scores_are_equal_with_and_without_what_the_actor_may_not_see(
    tmp_path_factory: pytest.TempPathFactory, open_texts: list[str], hidden: list[str]
) -> None:
    place = tmp_path_factory.mktemp("graph")
    shown = [Document(f"s_{n + 1}", text) for n, text in enumerate(open_texts)]
    alone, beside = (open_index(place / f"{name}.db", "acme", ranking=ON) for name in ("alone", "beside"))
    alone.ingest(shown)
    # Hidden ones of the same series, one of them before all that is shown.
    beside.ingest([Document(f"s_{0 if n == 0 else n + 50}", text, scope="board") for n, text in enumerate(hidden)])
    beside.ingest(shown)
    for question in ("refunds", "gold card", "limits"):
        assert found(alone, question) == found(beside, question)


def test_ids_tell_what_stands_together_and_what_opens_it() -> None:
    assert among("doc_cards_gold_001") == among("doc_cards_gold_012") == "doc_cards_gold"
    assert among("guides/setup/linux.md") == "guides/setup"
    assert among("alone") == ""
    assert min(("guide/setup.md", "guide/README.md", "guide/a.md"), key=leads) == "guide/README.md"


def test_the_keys_of_a_document_are_its_place_its_names_and_what_it_says() -> None:
    document = Document("fees-2", "Rotate it by rotate_key_9 or ask Rho Bank.", "Key fees", links=("limits",))
    assert relations(document) == (
        "among:fees", "name:key fees", "name:fees 2", "says:limits", "says:rotate_key_9", "says:rho bank",
    )  # fmt: skip
