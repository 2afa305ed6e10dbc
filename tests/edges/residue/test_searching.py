"""Pieces are found in files and rows wherever they lie, and in nothing else."""

import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.edges.residue import files
from callsheet.edges.residue.matching import Matcher
from callsheet.edges.residue.searching import search
from callsheet.errors import StoreError

PIECES = [(b"purple pelican",), (b"short",), ("giraffe at noon".encode("utf-16-le"), b"giraffe at noon")]


@given(st.lists(st.binary(min_size=1, max_size=20), max_size=8), st.binary(max_size=200), st.data())
def test_what_is_found_is_what_a_search_for_each_piece_finds(
    pieces: list[bytes], data: bytes, draw: st.DataObject
) -> None:
    if pieces and draw.draw(st.booleans()):
        at = draw.draw(st.integers(0, len(data)))
        data = data[:at] + draw.draw(st.sampled_from(pieces)) + data[at:]
    pieces = list(dict.fromkeys(pieces))
    assert Matcher([(each,) for each in pieces]).found(data) == {n for n, each in enumerate(pieces) if each in data}


def test_a_piece_is_found_in_a_compressed_stretch_also_where_that_breaks_off() -> None:
    packed = zlib.compress(b"words before the purple pelican and many words of other kinds behind " * 20, 1)
    matcher = Matcher(PIECES)
    for data in (packed, b"\0" * 100 + packed, b"ab" + packed[:-20] + b"\xff" * 50):
        assert matcher.found(data) == set() and matcher.found_unpacked(data) == {0}


def test_a_piece_on_the_border_of_two_chunks_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_CHUNK", 64)
    for before in range(40, 70):
        (tmp_path / "log").write_bytes(b"." * before + b"purple pelican" + b"." * 90)
        (found,) = files.searched(tmp_path, Matcher(PIECES))
        assert found.found == {0} and found.size == before + 104, before


def test_every_file_and_every_table_is_named_and_empty_folders_too(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / ".hidden").write_bytes(b"short")
    (tmp_path / "empty" / "inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "keys" / ".hidden")
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        connection.execute("CREATE TABLE said (owner TEXT, text TEXT)")
        connection.execute("CREATE TABLE blank (x)")
        connection.execute("INSERT INTO said VALUES ('u2', 'a purple pelican'), (NULL, 'a giraffe at noon')")
        connection.commit()
    rows = [("memories", "u1", b"short and purple pelican")]
    in_files, in_tables = search(tmp_path, ["memories", "states"], rows, PIECES)
    assert {each.path: each.found for each in in_files} == {
        "keys/.hidden": {1}, "empty/inner/": set(), "link": set(), "other.db": {0, 2},
    }  # fmt: skip
    assert {each.place: dict(each.found) for each in in_tables} == {
        "memories": {"u1": {0, 1}}, "states": {}, "other.db/said": {"u2": {0}, "": {2}}, "other.db/blank": {},
    }  # fmt: skip


def test_what_cannot_be_read_is_an_error_that_names_it_and_never_passed_over(tmp_path: Path) -> None:
    (tmp_path / "spoiled.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 2000)
    with pytest.raises(StoreError, match=r"spoiled\.db.*could not be searched"):
        search(tmp_path, [], [], PIECES)
