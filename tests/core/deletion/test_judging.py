"""What is residue and what is somebody else's, by where it was found."""

from callsheet.core.deletion.judging import judged
from callsheet.model.deletion import FileHits, TableHits, Trace


def file(path: str, *found: int) -> FileHits:
    return FileHits(path, 10, "ab", frozenset(found))


def table(found: dict[str | None, tuple[int, ...]], place: str = "blobs") -> TableHits:
    return TableHits(place, 3, 30, {owner: frozenset(hits) for owner, hits in found.items()})


def places(files: list[FileHits], tables: list[TableHits], owner: str | None = "u1") -> tuple[list[str], list[str]]:
    residue, others = judged(files, tables, owner, lambda path: owner is not None and owner in path.split("/"))
    return [f"{each.place}: {each.what}" for each in residue], [each.place for each in others]


HOLDS = "words that were looked for"


def test_nothing_found_is_no_residue() -> None:
    assert places([file("callsheet.db"), file("keys/u2")], [table({"u2": (), "": (), None: ()})]) == ([], [])


def test_a_row_or_a_file_under_the_subjects_name_is_residue_whatever_it_says() -> None:
    assert places([], [table({"u1": ()})]) == (["blobs: rows of the subject"], [])
    assert places([file("keys/u1")], []) == (["keys/u1: a file of the subject"], [])


def test_words_in_a_row_of_nobody_are_residue_and_in_anothers_are_its_own() -> None:
    assert places([], [table({"": (1,)})]) == ([f"blobs: {HOLDS}"], [])
    assert places([], [table({"u2": (1,)})]) == ([], ["blobs"])
    assert places([], [table({None: (1,)}, "knowledge.db/knowledge_section")]) == (
        [],
        ["knowledge.db/knowledge_section"],
    )


def test_words_in_the_bytes_of_a_file_are_residue_unless_a_row_of_anothers_says_them() -> None:
    assert places([file("callsheet.db", 1)], []) == ([f"callsheet.db: {HOLDS}"], [])
    assert places([file("callsheet.db", 1)], [table({"u2": (1,)})]) == ([], ["blobs"])
    assert places([file("callsheet.db", 1, 2)], [table({"u2": (1,)})])[0] == [f"callsheet.db: {HOLDS}"]
    assert places([file("callsheet.db", 1)], [table({"": (1,)})])[0] == [f"blobs: {HOLDS}", f"callsheet.db: {HOLDS}"]


def test_the_index_of_memories_holds_nothing_of_its_own() -> None:
    copy = table({None: (1,)}, "memory.db/knowledge_section")
    assert places([file("memory.db", 1)], [copy])[0] == [f"{copy.place}: {HOLDS}", f"memory.db: {HOLDS}"]
    assert places([file("memory.db", 1)], [copy, table({"u2": (1,)}, "memories")]) == ([], ["memories"])


def test_words_in_anothers_own_file_are_named_and_are_no_residue() -> None:
    assert places([file("memories/u2/notes.md", 1), file("artifacts/u2/0a", 2)], []) == (
        [],
        ["memories/u2/notes.md", "artifacts/u2/0a"],
    )
    assert places([file("leases/run.lock", 1)], []) == ([f"leases/run.lock: {HOLDS}"], [])


def test_where_one_record_was_deleted_the_subjects_other_rows_are_its_own() -> None:
    assert places([file("callsheet.db", 1)], [table({"u1": (1,)})], owner=None) == ([], ["blobs"])


def test_a_trace_counts_the_pieces() -> None:
    assert judged([file("x", 1, 2, 3)], [], "u1", lambda _: False)[0] == (Trace("x", HOLDS, 3),)
