"""What an actor may not see, or is not in force, changes nothing: no result, no score, no count (A3, invariant 2)."""

from collections.abc import Sequence
from datetime import UTC, datetime
from random import Random

from hypothesis import example, given, settings
from hypothesis import strategies as st

from callsheet.edges.indexes.index import TenantIndex
from callsheet.model.evidence import Document, Query, Search
from callsheet.model.knowledge_policy import Ranking
from callsheet.testing import FakeEmbedder

from .kinds import Kind

NOW = datetime(2026, 11, 30, tzinfo=UTC)
DATES = (None, datetime(2025, 1, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC))
GRANTS = ("internal", "a: b", "publish")
WORDS = (
    "key",
    "keys",
    "revoked",
    "limit",
    "webhook",
    "the",
    "rate",
    "user_id",
    "Schlüssel",
    "der",
    "klucz",
    "się",
    "if",
)

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(" ".join)
document = st.builds(
    lambda name, version, text, scope, effective, language, context: Document(
        f"d{name}", text, f"t{name}", f"v{version}", effective, scope=scope, language=language, context=context
    ),
    st.integers(0, 5),
    st.integers(1, 3),
    texts,
    st.sampled_from((None, "internal", "a: b", "legal", "a", "")),
    st.sampled_from(DATES),
    st.sampled_from(("", "en", "de", "pl")),
    st.sampled_from(("", "webhook limit")),
)
corpora = st.lists(document, max_size=14, unique_by=lambda each: (each.document_id, each.version))
rankings = st.sampled_from(
    (Ranking(), Ranking(feedback_documents=0), Ranking(diversity=0.5, pool=4), Ranking(context=0))
)


def filled(kind: Kind, documents: Sequence[Document], ranking: Ranking, batches: int = 1) -> TenantIndex:
    """An index of documents that came in so many batches, every section with its vector."""
    index = kind.new(ranking=ranking, embedder=FakeEmbedder())
    for start in range(batches):
        index.ingest(documents[start::batches])
        while index.embed(3):
            pass
    return index


def ask(index: TenantIndex, text: str, limit: int, history: bool = False) -> Search:
    return index.search(Query("knowledge", "t1", grants=GRANTS, text=text, limit=limit, now=NOW, history=history))


def seen(each: Document) -> bool:
    return each.scope is None or each.scope in GRANTS


def in_force(documents: Sequence[Document]) -> list[Document]:
    """Of each document the version that took effect last; of those without a date, or with one date, the higher."""
    newest: dict[str, Document] = {}
    for each in documents:
        if each.effective is not None and each.effective > NOW:
            continue
        other = newest.get(each.document_id)
        if other is None or age(each) > age(other):
            newest[each.document_id] = each
    return list(newest.values())


def age(document: Document) -> tuple[datetime, str]:
    return document.effective or datetime.min.replace(tzinfo=UTC), document.version


@settings(max_examples=150, deadline=None)
@given(corpora, texts, st.integers(1, 6), rankings, st.booleans())
def test_results_and_scores_are_equal_with_and_without_what_the_actor_may_not_see(
    kind: Kind, documents: list[Document], question: str, limit: int, ranking: Ranking, history: bool
) -> None:
    whole, visible = filled(kind, documents, ranking), filled(kind, [each for each in documents if seen(each)], ranking)
    assert ask(whole, question, limit, history) == ask(visible, question, limit, history)


@settings(max_examples=150, deadline=None)
@given(corpora, texts, st.integers(1, 6), rankings)
@example(
    [Document("a", "key key", "t", "v1"), Document("a", "limit", "t", "v2"), Document("b", "key rate", "t")],
    "key",
    3,
    Ranking(),
)
@example(
    [
        Document("a", "der keys", "t", "v1", language="de"),
        Document("a", "limit", "t", "v2"),
        Document("b", "keys limit webhook", "t"),
        Document("c", "keys rate rate", "t"),
    ],
    "keys limit",
    3,
    Ranking(),
)
def test_versions_not_in_force_have_no_part_in_the_ranking_of_those_that_are(
    kind: Kind, documents: list[Document], question: str, limit: int, ranking: Ranking
) -> None:
    visible = [each for each in documents if seen(each)]
    whole, current = (
        ask(filled(kind, visible, ranking), question, limit),
        ask(filled(kind, in_force(visible), ranking), question, limit),
    )
    assert tuple(each for each in whole.evidence if not each.superseded) == current.evidence
    assert whole.sections == current.sections


@settings(max_examples=100, deadline=None)
@given(corpora, st.randoms(use_true_random=False), texts, st.integers(1, 4))
def test_numbers_do_not_depend_on_the_order_in_which_documents_came(
    kind: Kind, documents: list[Document], random: Random, question: str, batches: int
) -> None:
    shuffled = random.sample(documents, len(documents))
    one, other = filled(kind, documents, Ranking()), filled(kind, shuffled, Ranking(), batches)
    assert ask(one, question, 5) == ask(other, question, 5)


@settings(max_examples=50, deadline=None)
@given(corpora, texts)
def test_history_ranks_every_version_that_was_in_force(kind: Kind, documents: list[Document], question: str) -> None:
    past = [each for each in documents if each.effective is None or each.effective <= NOW]
    found = ask(filled(kind, documents, Ranking()), question, 100, history=True)
    current = {(each.document_id, each.version) for each in in_force([each for each in documents if seen(each)])}
    assert all(each.superseded != ((each.document_id, each.version) in current) for each in found.evidence)
    assert found.sections == sum(1 for each in past if seen(each))


def test_a_grant_named_twice_shows_its_scope_once(kind: Kind) -> None:
    index = kind.new()
    index.ingest([Document("d", "a key", scope="internal"), Document("e", "a key")])
    query = Query("knowledge", "t1", grants=("internal", "internal"), text="key")
    assert [each.document_id for each in index.search(query).evidence] == ["d", "e"]


def test_thousands_of_scopes_stay_apart(kind: Kind) -> None:
    index = kind.new()
    index.ingest(Document(f"d{n}", f"a key of room {n}", scope=f"room {n}") for n in range(3_000))
    one = index.search(Query("knowledge", "t1", grants=("room 7",), text="key room"))
    assert [each.document_id for each in one.evidence] == ["d7"] and one.sections == 1
    many = index.search(Query("knowledge", "t1", grants=tuple(f"room {n}" for n in range(2_000)), text="key 1999"))
    assert many.sections == 2_000 and many.evidence[0].document_id == "d1999"


def test_two_documents_that_say_the_same_are_ordered_by_their_ids(kind: Kind) -> None:
    index = kind.new()
    index.ingest(Document(name, "a key") for name in ("c", "a", "b"))
    found = index.search(Query("knowledge", "t1", text="key")).evidence
    assert [each.document_id for each in found] == ["a", "b", "c"] and len({each.relevance for each in found}) == 1


def test_who_writes_learns_nothing_of_another_scope_and_touches_nothing_there(kind: Kind) -> None:
    hidden = [Document("pay", "A raise of nine percent.", scope="legal"), Document("key", "A key.", scope="legal")]
    newer = Document("plan", "The plan ends.", version="v9", scope="legal", supersedes=("rate",))
    given = [Document("pay", "Nothing yet."), Document("key", "A key.", scope="legal"), Document("rate", "A rate.")]
    told = []
    for before in ([], [*hidden, newer]):
        index = kind.new()
        index.ingest(before)
        written = index.origins.give(given, ("internal",))
        index.publish("mine", given[2:])
        counted = index.origins.superseded("mine", NOW, ("internal",)), index.origins.near_duplicates("mine", ())
        told.append((written, counted, ask(index, "raise key rate nothing plan", 9)))
    assert told[0] == told[1] and told[1][0].unchanged == 0
    found = index.search(Query("knowledge", "t1", grants=("legal",), text="raise nothing", limit=9, now=NOW)).evidence
    assert [each.text for each in found if not each.superseded] == ["A raise of nine percent."]


def test_what_one_session_may_see_moves_to_the_scope_it_is_given_anew(kind: Kind) -> None:
    index = kind.new()
    index.origins.give([Document("pay", "A raise.")], ())
    index.origins.give([Document("pay", "A raise.", scope="internal")], ())
    assert index.search(Query("knowledge", "t1", text="raise", now=NOW)).evidence == ()
    assert len(ask(index, "raise", 9).evidence) == 1
