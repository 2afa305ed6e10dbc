"""A search through everything that lies in a tenant's folder and tables, for pieces of what was deleted."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from ...model.deletion import FileHits, TableHits
from . import files, tables
from .matching import Matcher

OWN = "callsheet.db"
"""The database whose rows are handed over: its values are packed in a way that its own stores know."""


def search(
    folder: Path,
    named: Sequence[str],
    rows: Iterable[tuple[str, str | None, bytes]],
    pieces: Sequence[Iterable[bytes]],
) -> tuple[list[FileHits], list[TableHits]]:
    """Which of the pieces, by number, are in which file and which table; `rows` are those of the `named` tables, each
    with its table and its owner. StoreError for what cannot be read.
    """
    matcher = Matcher(pieces)
    found = tables.searched(named, rows, matcher)
    for path in sorted(folder.rglob("*.db")) if folder.is_dir() else ():
        if path != folder / OWN and path.is_file():
            found += tables.of_file(path, path.relative_to(folder).as_posix(), matcher)
    # Files last, so that what is found in their bytes alone was in no row before.
    in_files = [FileHits(each.path, each.size, each.sha256, each.found) for each in files.searched(folder, matcher)]
    in_tables = [
        TableHits(each.place, each.rows, each.size, {owner: frozenset(hits) for owner, hits in each.found.items()})
        for each in found
    ]
    return in_files, in_tables
