"""Who may write where: a session's own files, what its tenant shares, and what every tenant reads (C5, C8)."""

import pytest

from callsheet.core.memory_files.areas import area_of, objection_to
from callsheet.model.memory_file import Create, Delete, MemoryCommand, Rename

OWN, SHARED, EVERYONE = ("a.md",), ("shared", "a.md"), ("everyone", "a.md")
NOT_WRITTEN, ROOT = "memory-read-only", "memory-path-root"


def rule(command: MemoryCommand, *grants: str, has_own: bool = True) -> str | None:
    verdict = objection_to(command, grants, has_own)
    return None if verdict is None else verdict.rule


def test_the_reserved_names_are_areas_at_the_root_alone() -> None:
    paths = ((), OWN, SHARED, EVERYONE, ("a", "shared", "b"))
    assert [area_of(path) for path in paths] == [(), (), ("shared",), ("everyone",), ()]


@pytest.mark.parametrize(("path", "grant"), [(SHARED, "memory"), (EVERYONE, "publish")])
def test_a_shared_area_is_written_with_its_own_grant_alone(path: tuple[str, ...], grant: str) -> None:
    other = {"memory": "publish", "publish": "memory"}[grant]
    assert rule(Create(path, "x"), grant) is None
    assert rule(Create(path, "x")) == rule(Delete(path), other, "audit") == NOT_WRITTEN
    assert rule(Delete(path[:1]), grant) == ROOT, "not even with its grant"


def test_a_subjects_own_files_need_no_grant_and_a_session_without_a_subject_has_none() -> None:
    assert rule(Create(OWN, "x")) is None
    assert rule(Create(OWN, "x"), "memory", "publish", has_own=False) == NOT_WRITTEN
    assert rule(Create(SHARED, "x"), "memory", has_own=False) is None


def test_nothing_is_moved_from_one_area_to_another() -> None:
    grants = ("memory", "publish")
    assert rule(Rename(SHARED, ("shared", "b.md")), *grants) is None
    moves = (Rename(OWN, SHARED), Rename(SHARED, OWN), Rename(SHARED, EVERYONE))
    assert [rule(move, *grants) for move in moves] == [NOT_WRITTEN] * 3
    assert rule(Rename(OWN, SHARED)) == NOT_WRITTEN
