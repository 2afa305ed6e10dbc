"""What indexes keep between searches is bounded, and whoever lost it to another's use makes it anew."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from callsheet.edges.indexes.file import IndexFile
from callsheet.edges.indexes.index import TenantIndex, open_index
from callsheet.edges.indexes.kept import Kept
from callsheet.model.evidence import Document, Query


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
