"""The index of memories follows the store, and one subject's memories change nothing for another (C3, invariant 2)."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callsheet.edges.indexes.index import TenantIndex, open_index
from callsheet.edges.indexes.memories import MemoryIndex
from callsheet.edges.indexes.rows import IndexRows
from callsheet.edges.stores import TenantStore, open_tenant
from callsheet.model.evidence import Query
from callsheet.model.memory import MemoryRecord
from callsheet.ports import MemoryLog
from callsheet.testing import FakeEmbedder

from .kinds import Tables

QUERY = Query("memory", "t1", "u1", ("staff",), "which tea and which plan", "support", limit=5)
WORDS = ("tea", "milk", "plan", "plans", "pro", "the", "office", "Tee", "herbata", "not")


def record(text: str, subject: str = "u1", **fields: object) -> MemoryRecord:
    return replace(MemoryRecord(subject, "t1", "support", text, "user_stated"), **fields)  # type: ignore[arg-type]


class Place(ABC):
    """A tenant's store and the index of its memories, which may be opened again as another process would."""

    store: TenantStore
    index: MemoryIndex

    @abstractmethod
    def opened(self, seen: Callable[[MemoryLog], MemoryLog] = lambda log: log) -> MemoryIndex:
        """The index; where it looks at the store's log by itself, it does so through `seen`."""

    @abstractmethod
    def left(self) -> bytes:
        """All that is kept of the index."""

    @abstractmethod
    def close(self) -> None:
        """Closes what is open."""

    def add(self, *records: MemoryRecord) -> list[str]:
        return [self.store.memories.add(replace(each, tenant_id=self.store.tenant_id)).record_id for each in records]

    def ask(self, query: Query = QUERY) -> dict[str, float]:
        return dict(self.index.search(replace(query, tenant_id=self.store.tenant_id), self.store.memory_log))


class FilePlace(Place):
    """Both in SQLite, in files beside one another."""

    def __init__(self, folder: Path) -> None:
        self.store = open_tenant(folder, "t1")
        self.file = self.store.database.path.parent / "memory.db"  # type: ignore[attr-defined]
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.index = self.opened()

    def opened(self, seen: Callable[[MemoryLog], MemoryLog] = lambda log: log) -> MemoryIndex:
        return MemoryIndex(open_index(self.file, "t1"))

    def left(self) -> bytes:
        return b"".join(each.read_bytes() for each in sorted(self.file.parent.glob("memory.db*")))

    def close(self) -> None:
        self.index.index.close()
        self.store.close()


class RowsPlace(Place):
    """Both in PostgreSQL, as a tenant of its own."""

    def __init__(self, tables: Tables, tenant_id: str) -> None:
        self.tables = tables
        self.store = tables.stores.open(tenant_id)
        self.index = self.opened()

    def opened(self, seen: Callable[[MemoryLog], MemoryLog] = lambda log: log) -> MemoryIndex:
        rows, log_in = IndexRows(self.tables.stores.index(self.store.tenant_id, "memories")), self.store.memory_log_in
        index = TenantIndex(rows, self.store.tenant_id)
        return MemoryIndex(index, None, lambda connection: seen(log_in(connection)))  # type: ignore[arg-type]

    def left(self) -> bytes:
        with self.store.database.reading() as connection:
            names = [each for each in self.store.database.tables(connection) if each.startswith("memory_index_")]
            assert len(names) == 11
            values = [row for name in names for row in connection.execute(f"SELECT * FROM {name}").fetchall()]
        return b" ".join(each if isinstance(each, bytes) else str(each).encode() for row in values for each in row)

    def close(self) -> None:
        self.store.close()


@pytest.fixture(params=["files", "tables"])
def new(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Place]:
    """Makes places where nothing is, of one kind."""
    if request.param == "files":
        return lambda: FilePlace(tmp_path_factory.mktemp("place"))
    tables: Tables = request.getfixturevalue("tables")
    return lambda: RowsPlace(tables, tables.place())


@pytest.fixture
def place(new: Callable[[], Place]) -> Iterator[Place]:
    """A place where nothing is."""
    with closing(new()) as place:
        yield place


@pytest.fixture
def file(tmp_path: Path) -> Iterator[FilePlace]:
    """A place in files."""
    with closing(FilePlace(tmp_path)) as place:
        yield place


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
        lambda store, record_id: store.remove(record_id),
        lambda store, record_id: store.forget("secretive"),
    ],
)
def test_of_what_the_store_deleted_no_word_is_found_and_no_byte_is_left(place: Place, delete: Deleting) -> None:
    kept, gone = place.add(record("Likes tea."), record("Drinks xyzzyfluid with tea.", "secretive"))
    asking = replace(QUERY, subject_id="secretive")
    assert list(place.ask(asking)) == [gone]
    assert b"xyzzyfluid" in place.left() and b"secretive" in place.left()
    before = place.ask()
    delete(place.store, gone)
    assert place.index.catch_up(place.store.memory_log) == 1
    for left in (b"xyzzyfluid", b"xyzzi", b"secretive", gone.encode()):
        assert left not in place.left()
    assert place.ask(asking) == {} and place.ask() == before and list(before) == [kept]


def test_a_subject_that_comes_again_after_it_was_deleted_is_not_answered_from_the_view_of_before(place: Place) -> None:
    place.add(record("Likes tea.", "u2"))
    assert len(place.ask(replace(QUERY, subject_id="u2"))) == 1
    place.store.forget("u2")
    place.add(record("Owns boats.", "u2"))
    assert place.ask(replace(QUERY, subject_id="u2")) == {}


def test_bytes_that_another_reader_kept_in_the_log_are_taken_out_by_the_next_search(file: FilePlace) -> None:
    place = file
    (gone,) = place.add(record("Drinks xyzzyfluid.", "u2"))
    place.ask()
    with open_index(place.file, "t1").database.reading() as reader:
        reader.execute("SELECT count(*) FROM knowledge_section").fetchone()
        place.store.remove(gone)
        assert place.index.catch_up(place.store.memory_log) == 1
        assert b"xyzzyfluid" in place.left()
    place.ask()
    assert b"xyzzyfluid" not in place.left()


def test_a_store_that_was_put_back_to_an_earlier_day_is_followed_from_there(file: FilePlace, tmp_path: Path) -> None:
    place = file
    place.add(record("Likes tea."))
    place.ask()
    earlier = FilePlace(tmp_path / "earlier")
    other = [*earlier.add(record("Has the plan Pro.")), *earlier.add(record("Likes milk tea."))]
    place.store = earlier.store
    assert set(place.ask()) == set(other)


def test_an_index_that_is_gone_is_made_anew(file: FilePlace) -> None:
    place = file
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

        def __init__(self, log: MemoryLog) -> None:
            self.log = log

        def __getattr__(self, name: str) -> object:
            Stopping.looks += 1
            if Stopping.looks > 6:
                raise KeyboardInterrupt
            return getattr(self.log, name)

    stopping: Callable[[MemoryLog], MemoryLog] = Stopping  # type: ignore[assignment]
    with pytest.raises(KeyboardInterrupt):
        place.opened(stopping).catch_up(stopping(place.store.memory_log))
    place.index = place.opened()
    left = place.index.catch_up(place.store.memory_log)
    assert 0 < left < len(ids)
    assert set(place.ask(replace(QUERY, limit=9))) == set(ids)


def test_a_vector_that_was_made_meanwhile_is_not_kept_for_whatever_has_the_numbers_of_what_was_deleted(
    place: Place,
) -> None:
    class Slow(FakeEmbedder):
        """While it works its text is deleted, and another comes in under the same numbers."""

        def passages(self, texts: Sequence[str]) -> Sequence[bytes]:
            if "Likes tea." in texts:
                place.store.forget("u1")
                place.add(record("Owns boats."))
                place.index.catch_up(place.store.memory_log)
            return super().passages(texts)

    place.add(record("Likes tea."))
    place.index.catch_up(place.store.memory_log)
    place.index.index._embedder = Slow()
    place.index.index.embed()
    assert place.index.index.pending() == 1
    assert place.index.index.embed() == 1 and place.index.index.pending() == 0


rows = st.lists(
    st.tuples(
        st.sampled_from(["u1", "u2", "u3"]),
        st.sampled_from([None, "staff", "boss"]),
        st.sampled_from(["subject", "tenant"]),
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join),
    ),
    max_size=12,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows, st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), st.integers(1, 5))
def test_results_and_scores_are_equal_with_and_without_what_the_session_may_not_see(
    new: Callable[[], Place], given: Sequence[tuple[str, str | None, str, str]], text: str, limit: int
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
    whole, alone = new(), new()
    whole.add(*made)
    alone.add(*seen)
    asked = replace(QUERY, text=text, limit=limit)
    assert list(whole.ask(asked).items()) == list(alone.ask(asked).items())
    for each in (whole, alone):
        each.close()
