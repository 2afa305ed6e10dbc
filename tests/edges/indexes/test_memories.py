"""The index of memories follows the store, and one subject's memories change nothing for another (C3, invariant 2)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callsheet.edges.indexes.file import IndexFile
from callsheet.edges.indexes.index import open_index
from callsheet.edges.indexes.memories import MemoryIndex
from callsheet.edges.stores import TenantStore, open_tenant
from callsheet.model.evidence import Query
from callsheet.model.memory import MemoryRecord

QUERY = Query("memory", "t1", "u1", ("staff",), "which tea and which plan", "support", limit=5)
WORDS = ("tea", "milk", "plan", "plans", "pro", "the", "office", "Tee", "herbata", "not")


def record(text: str, subject: str = "u1", **fields: object) -> MemoryRecord:
    return replace(MemoryRecord(subject, "t1", "support", text, "user_stated"), **fields)  # type: ignore[arg-type]


class Place:
    """A tenant's store and the index beside it, which may be opened again."""

    def __init__(self, folder: Path) -> None:
        self.store: TenantStore = open_tenant(folder, "t1")
        self.file = self.store.database.path.parent / "memory.db"  # type: ignore[attr-defined]
        self.index = self.opened()

    def opened(self) -> MemoryIndex:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        index = open_index(self.file, "t1")
        assert isinstance(index.database, IndexFile)
        return MemoryIndex(index, index.database)

    def add(self, *records: MemoryRecord) -> list[str]:
        return [self.store.memories.add(each).record_id for each in records]

    def ask(self, query: Query = QUERY) -> dict[str, float]:
        return dict(self.index.search(query, self.store.memory_log))

    def bytes(self) -> bytes:
        return b"".join(each.read_bytes() for each in sorted(self.file.parent.glob("memory.db*")))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_what_was_written_since_is_found_by_the_next_search(place: Place) -> None:
    assert place.ask() == {}
    (tea,) = place.add(record("Likes green tea."))
    assert list(place.ask()) == [tea]
    (plan,) = place.add(record("Is on the plan Pro."))
    assert set(place.ask()) == {tea, plan}


def test_a_memory_is_found_by_its_subject_or_by_all_of_the_tenant_and_under_its_scope(
    place: Place,
) -> None:
    own, wide, hidden = place.add(
        record("Likes tea."),
        record("The office has tea.", "u2", visibility="tenant"),
        record("Hates tea.", scope="staff"),
    )
    assert set(place.ask()) == {own, wide, hidden}
    assert set(place.ask(replace(QUERY, grants=()))) == {own, wide}
    assert set(place.ask(replace(QUERY, subject_id="u2"))) == {wide}
    assert place.ask(replace(QUERY, purpose="billing")) == {}
    assert set(place.ask(replace(QUERY, subject_id=None))) == {wide}


def test_an_index_that_another_process_brought_further_is_not_brought_there_again(place: Place) -> None:
    place.ask()
    (tea,) = place.add(record("Likes tea."))
    other = place.opened()
    assert other.catch_up(place.store.memory_log) == 1
    assert place.index.catch_up(place.store.memory_log) == 0
    assert list(place.ask()) == [tea]


Deleting = Callable[[TenantStore, str], object]


@pytest.mark.parametrize(
    "delete",
    [
        lambda store, record_id: store.memories.remove(record_id, "secretive"),
        lambda store, record_id: store.memories.delete("secretive"),
        lambda store, record_id: store.forget("secretive"),
    ],
)
def test_of_what_the_store_deleted_no_word_is_found_and_no_byte_is_left(place: Place, delete: Deleting) -> None:
    kept, gone = place.add(record("Likes tea."), record("Drinks xyzzyfluid with tea.", "secretive"))
    asking = replace(QUERY, subject_id="secretive")
    assert list(place.ask(asking)) == [gone]
    assert b"xyzzyfluid" in place.bytes() and b"secretive" in place.bytes()
    before = place.ask()
    delete(place.store, gone)
    assert place.index.catch_up(place.store.memory_log) == 1
    for left in (b"xyzzyfluid", b"xyzzi", b"secretive", gone.encode()):
        assert left not in place.bytes()
    assert place.ask(asking) == {} and place.ask() == before and list(before) == [kept]


def test_a_subject_that_comes_again_after_it_was_deleted_is_not_answered_from_the_view_of_before(place: Place) -> None:
    place.add(record("Likes tea.", "u2"))
    assert len(place.ask(replace(QUERY, subject_id="u2"))) == 1
    place.store.memories.delete("u2")
    place.add(record("Owns boats.", "u2"))
    assert place.ask(replace(QUERY, subject_id="u2")) == {}


def test_bytes_that_another_reader_kept_in_the_log_are_taken_out_by_the_next_search(place: Place) -> None:
    (gone,) = place.add(record("Drinks xyzzyfluid.", "u2"))
    place.ask()
    with open_index(place.file, "t1").database.reading() as reader:
        reader.execute("SELECT count(*) FROM knowledge_section").fetchone()
        place.store.memories.remove(gone, "u2")
        assert place.index.catch_up(place.store.memory_log) == 1
        assert b"xyzzyfluid" in place.bytes()
    place.ask()
    assert b"xyzzyfluid" not in place.bytes()


def test_a_store_that_was_put_back_to_an_earlier_day_is_followed_from_there(place: Place, tmp_path: Path) -> None:
    place.add(record("Likes tea."))
    place.ask()
    earlier = Place(tmp_path / "earlier")
    other = [*earlier.add(record("Has the plan Pro.")), *earlier.add(record("Likes milk tea."))]
    place.store = earlier.store
    assert set(place.ask()) == set(other)


def test_an_index_that_is_gone_is_made_anew(place: Place) -> None:
    (tea,) = place.add(record("Likes tea."))
    before = place.ask()
    place.index.index.close()
    for each in place.file.parent.glob("memory.db*"):
        each.unlink()
    place.index = place.opened()
    assert place.ask() == before and list(before) == [tea]


def test_whoever_is_stopped_while_catching_up_goes_on_from_there(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("callsheet.edges.indexes.memories._AT_ONCE", 2)
    ids = place.add(*(record(f"Likes tea number {number}.") for number in range(7)))

    class Stopping:
        """The store's log, which ends after a few looks."""

        looks = 0

        def __getattr__(self, name: str) -> object:
            Stopping.looks += 1
            if Stopping.looks > 6:
                raise KeyboardInterrupt
            return getattr(place.store.memory_log, name)

    with pytest.raises(KeyboardInterrupt):
        place.index.catch_up(Stopping())  # type: ignore[arg-type]
    place.index = place.opened()
    left = place.index.catch_up(place.store.memory_log)
    assert 0 < left < len(ids)
    assert set(place.ask(replace(QUERY, limit=9))) == set(ids)


rows = st.lists(
    st.tuples(
        st.sampled_from(["u1", "u2", "u3"]),
        st.sampled_from([None, "staff", "boss"]),
        st.sampled_from(["subject", "tenant"]),
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join),
    ),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(rows, st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), st.integers(1, 5))
def test_results_and_scores_are_equal_with_and_without_what_the_session_may_not_see(
    tmp_path_factory: pytest.TempPathFactory, given: Sequence[tuple[str, str | None, str, str]], text: str, limit: int
) -> None:
    made = [
        record(words, subject, scope=scope, visibility=visibility, record_id=f"m-{at:02}")
        for at, (subject, scope, visibility, words) in enumerate(given)
    ]
    seen = [
        each
        for each in made
        if (each.subject_id == "u1" or each.visibility == "tenant") and each.scope in (None, "staff")
    ]
    whole, alone = Place(tmp_path_factory.mktemp("whole")), Place(tmp_path_factory.mktemp("alone"))
    whole.add(*made)
    alone.add(*seen)
    asked = replace(QUERY, text=text, limit=limit)
    assert list(whole.ask(asked).items()) == list(alone.ask(asked).items())
    for each in (whole, alone):
        each.index.index.close()
        each.store.close()
