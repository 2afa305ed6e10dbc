"""What the search for deleted content found, parted into residue and what belongs to somebody else."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from ...model.deletion import FileHits, Looked, TableHits, Trace

NOBODY = ""
_OWNED_FOLDERS = ("artifacts", "memories")
"""Folders of the tenant that have one for each owner in them."""
_COPIES = ("memory.db/", "memory_index_")
"""Tables that hold nothing of their own: an index of memories, which follows the store and must forget with it.

They lie in a file of the tenant's, or beside its records.
"""
_HOLDS = "words that were looked for"


def looked_in(files: Iterable[FileHits], tables: Iterable[TableHits]) -> tuple[Looked, ...]:
    """The places that were searched."""
    return (
        *(Looked(each.path, "file", each.size, sha256=each.sha256) for each in files),
        *(Looked(each.place, "table", each.size, each.rows) for each in tables),
    )


def looked_in_by_the_subject(
    files: Iterable[FileHits], tables: Iterable[TableHits], of_owner: Callable[[str], bool]
) -> tuple[Looked, ...]:
    """The places that were searched, as their own subject may know them: no name, size or number of anybody else's."""
    files = tuple(files)
    return (
        *(Looked(each.path, "file", each.size, sha256=each.sha256) for each in files if of_owner(each.path)),
        *(Looked(each.path, "file", 0) for each in files if "/" not in each.path),
        *(Looked(each.place, "table", 0) for each in tables),
    )


def judged(
    files: Sequence[FileHits], tables: Sequence[TableHits], owner: str | None, of_owner: Callable[[str], bool]
) -> tuple[tuple[Trace, ...], tuple[Trace, ...]]:
    """The residue, and what others hold.

    Residue is a row or file under the owner's name, words in a row of nobody, and words in the bytes of a file that
    stand in no row and no file of anybody. `owner` is None where the owner is still there: a single record was deleted.
    `of_owner` says of a file's path whether its name gives the owner away.
    """
    explained = frozenset().union(
        *(hits for table in tables for whose, hits in table.found.items() if _is_others(table, whose, owner))
    )
    residue = [
        *_rows_left(tables, owner, explained),
        *(Trace(each.path, "a file of the subject") for each in files if of_owner(each.path)),
    ]
    others = list(_held(tables, owner))
    for file in files:
        if not file.found or of_owner(file.path):
            continue
        if _owned_by_another(file.path):
            others.append(Trace(file.path, _HOLDS, len(file.found)))
        elif left := file.found - explained:
            residue.append(Trace(file.path, _HOLDS, len(left)))
    return tuple(residue), tuple(others)


def _rows_left(tables: Iterable[TableHits], owner: str | None, explained: frozenset[int]) -> Iterator[Trace]:
    for table in tables:
        for whose, hits in table.found.items():
            if owner is not None and whose == owner:
                yield Trace(table.place, "rows of the subject")
            elif not _is_others(table, whose, owner):
                left = hits - explained if _is_copy(table) else hits
                yield from [Trace(table.place, _HOLDS, len(left))] if left else []


def _held(tables: Iterable[TableHits], owner: str | None) -> Iterator[Trace]:
    for table in tables:
        found = [hits for whose, hits in table.found.items() if _is_others(table, whose, owner)]
        if hits := frozenset().union(*found):
            yield Trace(table.place, _HOLDS, len(hits))


def _is_others(table: TableHits, whose: str | None, owner: str | None) -> bool:
    """Whether a row is somebody's who is still there; one that names no owner is the tenant's own."""
    return not _is_copy(table) and whose != NOBODY and (whose is None or whose != owner)


def _is_copy(table: TableHits) -> bool:
    return table.place.startswith(_COPIES)


def _owned_by_another(path: str) -> bool:
    parts = path.split("/")
    return len(parts) > 2 and parts[0] in _OWNED_FOLDERS
