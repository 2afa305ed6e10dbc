"""What indexes keep between searches is bounded, and whoever lost it to another's use makes it anew."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from callsheet.edges.indexes import index as indexes
from callsheet.edges.indexes.file import IndexFile
from callsheet.edges.indexes.index import TenantIndex, open_index
from callsheet.edges.indexes.kept import Kept, Key
from callsheet.edges.indexes.schema import connect
from callsheet.edges.indexes.view import load, visible
from callsheet.model.evidence import Document, Query
from callsheet.model.knowledge_policy import Ranking


def opened(indexes: Sequence[TenantIndex]) -> list[bool]:
    """Which have their file open."""
    return [isinstance(each.database, IndexFile) and each.database.is_open for each in indexes]


def made(folder: Path, number: int, kept: Kept) -> Iterator[TenantIndex]:
    for n in range(number):
        index = open_index(folder / f"{n}.db", f"t{n}", kept=kept)
        index.ingest([Document("d", f"a key of {n}"), Document("e", "a key")])
        yield index


def ask(index: TenantIndex) -> list[str]:
    return [each.text for each in index.search(Query("knowledge", index.tenant_id, text="key")).evidence]


def test_at_most_so_many_files_are_open_and_a_closed_one_opens_itself(tmp_path: Path) -> None:
    indexes = list(made(tmp_path, 5, Kept(files=2)))
    assert opened(indexes) == [False, False, False, True, True]
    assert len(ask(indexes[0])) == 2
    assert opened(indexes) == [True, False, False, False, True]
    indexes[0].close()
    assert len(ask(indexes[3])) == 2 and opened(indexes) == [False, False, False, True, True]


@pytest.mark.parametrize("memory", [1, 500, 10**9])
def test_views_that_did_not_fit_are_read_again_and_answers_are_the_same(tmp_path: Path, memory: int) -> None:
    kept = Kept(memory=memory)
    indexes = list(made(tmp_path, 4, kept))
    for _ in range(2):
        assert [ask(each) for each in indexes] == [[f"a key of {n}", "a key"][::-1] for n in range(4)]
    assert kept._size <= max(memory, max(each.size for each in kept._views.values()))


def test_a_file_that_was_replaced_by_another_is_read_anew(tmp_path: Path) -> None:
    kept = Kept()
    first = open_index(tmp_path / "k.db", "t1", kept=kept)
    first.ingest([Document("d", "a key")])
    assert ask(first) == ["a key"]
    first.close()
    for each in tmp_path.iterdir():
        each.unlink()
    second = open_index(tmp_path / "k.db", "t1", kept=kept)
    second.ingest([Document("d", "another key")])
    assert ask(second) == ["another key"]


def test_answers_are_the_same_whether_terms_are_read_as_they_are_asked_for_or_all_at_once(tmp_path: Path) -> None:
    words = ["key", "limit", "queue", "token", "region", "worker", "invoice", "retry"]
    scopes = [None, "a", "b"]

    def text(n: int) -> str:
        return " ".join(words[n * each % len(words)] for each in range(1, 4)) + f" number{n}"

    path = tmp_path / "k.db"
    asked_often = open_index(path, "t")
    asked_often.ingest(Document(f"d{n}", text(n), scope=scopes[n % 3], context="wider") for n in range(60))
    for n in range(60):
        query = Query("knowledge", "t", text=f"{text(n)} nowhere{n}", grants=("a",))
        assert asked_often.search(query) == open_index(path, "t").search(query)
    assert not open_index(path, "t").search(Query("knowledge", "t", text="nowhere")).evidence
    assert not asked_often.search(Query("knowledge", "t", text="nowhere", grants=("a",))).evidence


def test_of_views_that_do_not_fit_the_one_that_was_not_used_for_longest_goes(tmp_path: Path) -> None:
    (index,) = made(tmp_path, 1, Kept())
    with closing(connect(tmp_path / "0.db", read_only=True)) as connection:
        view = load(connection, Ranking(), visible(connection, ()), None, False)
    kept = Kept(memory=2 * view.size)
    keys: list[Key] = [(name, (1,), Ranking(), False, False) for name in ("a", "b", "c")]
    kept.keep(keys[0], view)
    kept.keep(keys[1], view)
    assert kept.get(keys[0]) is view
    kept.keep(keys[2], view)
    assert [kept.get(key) is not None for key in keys] == [True, False, True]
    index.close()


def test_a_file_in_use_when_the_index_is_closed_is_closed_when_that_is_done(tmp_path: Path) -> None:
    (index,) = made(tmp_path, 1, Kept())
    with index.database.reading():
        index.close()
    assert opened([index]) == [False] and len(ask(index)) == 2 and opened([index]) == [True]


def test_the_grants_of_any_number_of_sessions_take_bounded_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexes, "_GRANTS", 3)
    (index,) = made(tmp_path, 1, Kept())
    for number in range(9):
        index.search(Query("knowledge", index.tenant_id, grants=(f"g{number}",), text="key"))
    assert len(index._seen) <= 4
