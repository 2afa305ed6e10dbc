"""Versions and dates from Git: the last commit names a file's version, earlier ones are history when asked for."""

import os
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from callsheet.edges.corpus import git
from callsheet.edges.indexes.index import TenantIndex, open_index
from callsheet.errors import UsageError
from callsheet.model.ingest import IngestPolicy

from .test_ingesting import found, in_force, ingest, write

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
GIT = IngestPolicy(versions="git")


def commit(folder: Path, day: int, message: str = "change") -> str:
    """The short name of a commit of all that is in a folder."""
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
    date = f"2026-01-{day:02}T12:00:00+00:00"
    program = Path(shutil.which("git") or "")
    environment = {"GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date, "PATH": str(program.parent)}
    for command in (("init", "-q"), ("add", "-A"), (*who, "commit", "-q", "-m", message)):
        subprocess.run(("git", "-C", str(folder), *command), check=True, env=environment)
    told = subprocess.run(
        ("git", "-C", str(folder), "rev-parse", "--short=10", "HEAD"), check=True, capture_output=True, text=True
    )
    return told.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A folder whose `docs` hold a.md in two versions and b.md, named strangely, in one."""
    root = tmp_path / "repository"
    docs = write(root / "docs", a="# A\nA heron nests.", **{"sub/b ü": "# B\nA stork nests."})
    commit(root, 1)
    write(docs, a="# A\nA crane nests.")
    commit(root, 5)
    return root


def at(day: int) -> datetime:
    return datetime(2026, 1, day, 12, tzinfo=UTC)


def open_it(tmp_path: Path) -> TenantIndex:
    return open_index(tmp_path / "k.db", "t1")


def test_the_commits_of_each_file_are_told_newest_first_by_its_path_in_the_folder(repository: Path) -> None:
    told = git.history(repository / "docs")
    assert [each.date for each in told.revisions["a.md"]] == [at(5), at(1)]
    assert [each.date for each in told.revisions["sub/b ü.md"]] == [at(1)] and told.changed == frozenset()
    assert told.text("a.md", told.revisions["a.md"][1]) == b"# A\nA heron nests."


def test_a_file_has_the_version_and_the_date_of_its_last_commit(repository: Path, tmp_path: Path) -> None:
    index = open_it(tmp_path)
    told = ingest(index, repository / "docs", policy=GIT)
    newest = git.history(repository / "docs").revisions["a.md"][0].commit
    (first,) = found(index, "crane")
    assert (first.document_id, first.version, first.effective) == ("a", newest, at(5))
    assert (told.documents, told.notes) == (2, ())
    assert ingest(index, repository / "docs", policy=GIT).unchanged == 2
    index.close()


def test_earlier_revisions_are_history_and_are_never_served_otherwise(repository: Path, tmp_path: Path) -> None:
    index = open_it(tmp_path)
    told = ingest(index, repository / "docs", policy=GIT, history=True)
    assert (told.documents, told.superseded) == (3, 1)
    assert [each for each in found(index, "heron") if not each.superseded] == []
    assert [each.effective for each in found(index, "heron", history=True)] == [at(1)]
    assert found(index, "heron", now=at(3))[0].effective == at(1)  # as it was then
    assert ingest(index, repository / "docs", policy=GIT).removed == 0
    assert ingest(index, repository / "docs", policy=GIT, history=True).documents == 0
    (repository / "docs" / "a.md").unlink()
    assert ingest(index, repository / "docs", policy=GIT).removed == 2
    index.close()


def test_a_change_that_is_not_committed_has_a_version_of_its_own_until_it_is(repository: Path, tmp_path: Path) -> None:
    index, docs = open_it(tmp_path), repository / "docs"
    before = git.history(docs).revisions["a.md"][0].commit
    write(docs, a="# A\nA raven nests.", new="# New\nA raven nests.")
    ingest(index, docs, policy=GIT)
    now = datetime(2100, 1, 1, tzinfo=UTC)
    versions = {each.document_id: each.version for each in found(index, "raven", now=now)}
    assert versions == {"a": f"{before}-changed", "new": "v1"}
    index.close()


def test_what_a_change_that_is_not_committed_replaced_is_history_too_and_older_than_it(
    repository: Path, tmp_path: Path
) -> None:
    index, docs = open_it(tmp_path), repository / "docs"
    write(docs, a="# A\nA raven nests.")
    os.utime(docs / "a.md", (at(2).timestamp(), at(2).timestamp()))  # a clock that went wrong, or an unpacked archive
    ingest(index, docs, policy=GIT, history=True)
    assert [each.effective for each in found(index, "raven")] == [at(5)]
    assert [each.effective for each in found(index, "crane", history=True) if "crane" in each.text] == [at(5)]
    assert [each for each in found(index, "crane") if "crane" in each.text and not each.superseded] == []
    index.close()


def test_a_version_that_the_file_states_wins_over_git_and_the_newest_revision_keeps_it(tmp_path: Path) -> None:
    root, head = tmp_path / "repository", "---\nversion: v7\n---\n"
    write(root, a=head + "# A\nA heron nests.")
    commit(root, 1)
    write(root, a=head + "# A\nA crane nests.")
    commit(root, 5)
    index = open_it(tmp_path)
    assert ingest(index, root, policy=GIT, history=True).skipped == ()
    assert in_force(index, "crane") == ["a@v7"] and found(index, "heron", history=True) == []
    index.close()


def test_a_folder_without_history_is_an_error_with_the_way_out(tmp_path: Path) -> None:
    docs = write(tmp_path / "docs", a="A heron.")
    with pytest.raises(UsageError, match="name a folder in a repository"):
        git.history(docs)


def test_nothing_that_a_repository_sets_is_run(repository: Path, tmp_path: Path) -> None:
    touched = tmp_path / "touched"
    for key in ("core.fsmonitor", "core.pager", "diff.external", "core.sshCommand"):
        subprocess.run(("git", "-C", str(repository), "config", key, f"touch {touched}"), check=True)
    write(repository / "docs", a="# A\nA raven nests.")
    git.history(repository / "docs")
    assert not touched.exists()
