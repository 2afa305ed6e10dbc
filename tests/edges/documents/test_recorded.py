"""The readers over whole collections that others wrote; CALLSHEET_DATA names their folder (bench/DATA.md)."""

import ast
import json
import os
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from callsheet.edges.documents.document import Read
from callsheet.edges.documents.reading import GRAMMARS, read
from callsheet.errors import UsageError

from .made import covers, one_of

ROOT = Path(__file__).resolve().parents[3]
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
DATA = os.environ.get("CALLSHEET_DATA")
recorded = pytest.mark.skipif(not DATA, reason="CALLSHEET_DATA is not set")


def below(folder: Path, *suffixes: str) -> list[tuple[Path, Read]]:
    """Every file of these suffixes with its only document, but for those that hold no text."""
    files = [path for path in sorted(folder.rglob("*")) if path.suffix in suffixes and path.read_bytes().strip()]
    return [(path, found) for path in files for found in read(path, folder)]


@recorded
@pytest.mark.parametrize("name", ["runbooks-moj", "runbooks-prometheus"])
def test_every_runbook_is_read_with_nothing_lost_and_nothing_to_note(name: str) -> None:
    found = below(Path(DATA or "", name, "docs"), ".md")
    assert len(found) > 100
    for path, each in found:
        assert covers(each.document) and each.notes == (), path
        assert path.read_text(encoding="utf-8").endswith(each.document.text)


@recorded
def test_every_runbook_that_states_its_review_has_the_date_when_it_is_due() -> None:
    for path, each in below(Path(DATA or "", "runbooks-moj", "docs"), ".md"):
        stated = "last_reviewed_on:" in (source := path.read_text(encoding="utf-8")) and "review_in:" in source
        assert (each.document.review_by is not None) is stated, path


@recorded
def test_every_earlier_version_of_a_runbook_is_read_with_nothing_lost() -> None:
    """But for one that says it was reviewed in a fifteenth month, which is refused by that key."""
    rows = Path(DATA or "", "runbooks-moj", "versions.jsonl").read_text(encoding="utf-8").splitlines()
    refused = 0
    with TemporaryDirectory() as folder:
        for row in map(json.loads, rows):
            try:
                assert covers(one_of(Path(folder), "a.md", row["text"])), row["doc"]
            except UsageError as error:
                refused += 1
                assert "is no date that can be read" in str(error) or "holds no text" in str(error)
    assert refused < 0.02 * len(rows)


def test_our_own_source_is_read_with_nothing_lost_and_a_section_per_definition() -> None:
    assert all(covers(each.document) for _, each in below(ROOT / "src", *GRAMMARS))
    found = below(ROOT / "src", ".py")
    assert len(found) > 400
    for path, each in found:
        names = {block.path[1] for block in each.document.outline or () if len(block.path) > 1}
        body = ast.parse(each.document.text).body
        assert names == {node.name for node in body if isinstance(node, DEFINITIONS)}, path


def test_our_own_pages_are_read_with_nothing_lost() -> None:
    assert all(covers(each.document) for _, each in below(ROOT / "docs", ".md"))


def test_other_peoples_pages_and_texts_are_read_with_nothing_lost() -> None:
    """Whatever lies in site-packages: licences, pages, data sheets."""
    found = below(Path(sysconfig.get_path("purelib"), "docutils"), ".rst", ".html", ".txt", ".css")
    assert all(covers(each.document) for _, each in found)
