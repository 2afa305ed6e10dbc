"""Ingesting folders: what did not change costs nothing, what is gone is removed, and a killed ingest goes on."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callsheet.edges.corpus import files
from callsheet.edges.indexes.index import TenantIndex, open_index
from callsheet.errors import UsageError
from callsheet.host.knowledge import ingesting
from callsheet.host.knowledge.ingesting import Ingesting
from callsheet.model.evidence import Document, Evidence, Query
from callsheet.model.ingest import Ingested, IngestPolicy, Rule

from ...source import PACKAGE

NOW = datetime(2026, 11, 30, tzinfo=UTC)
PLAIN = IngestPolicy()


@pytest.fixture
def index(tmp_path: Path) -> Iterator[TenantIndex]:
    made = open_index(tmp_path / "k.db", "t1")
    yield made
    made.close()


def write(folder: Path, **texts: str) -> Path:
    """A folder with these files, written so long ago that their times can be trusted."""
    for name, text in texts.items():
        path = folder / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def ingest(index: TenantIndex, *paths: Path, policy: IngestPolicy = PLAIN, history: bool = False) -> Ingested:
    return Ingesting(index, policy, NOW, history).run(paths)


def found(index: TenantIndex, text: str, *grants: str, now: datetime = NOW, history: bool = False) -> list[Evidence]:
    return list(index.search(Query("knowledge", "t1", grants=grants, text=text, now=now, history=history)).evidence)


def in_force(index: TenantIndex, text: str) -> list[str]:
    return sorted({f"{each.document_id}@{each.version}" for each in found(index, text) if not each.superseded})


def counts(told: Ingested) -> tuple[int, int, int]:
    return told.documents, told.unchanged, told.removed


@contextmanager
def no_reading(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr(ingesting, "read", lambda *_: pytest.fail("a file was parsed that had not changed"))
        yield


def test_a_file_that_did_not_change_is_not_parsed_and_what_changed_is_written(
    index: TenantIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = write(tmp_path / "docs", a="# A\nA heron.", b="# B\nA stork.")
    assert counts(ingest(index, docs)) == (2, 0, 0)
    with no_reading(monkeypatch):
        assert counts(ingest(index, docs)) == (0, 2, 0)
    write(docs, b="# B\nA crane.")
    assert counts(ingest(index, docs)) == (1, 1, 0)
    assert in_force(index, "crane") == ["b@v1"] and in_force(index, "stork") == []


def test_a_file_whose_size_and_times_are_what_they_were_is_not_even_opened(
    index: TenantIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "RACY", -1)  # these files were written a moment ago
    docs = write(tmp_path / "docs", a="# A\nA heron.")
    ingest(index, docs)
    monkeypatch.setattr(files, "digest", lambda path: pytest.fail(f"{path} was opened"))
    assert counts(ingest(index, docs)) == (0, 1, 0)


def test_a_file_whose_times_alone_changed_is_not_parsed(
    index: TenantIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = write(tmp_path / "docs", a="# A\nA heron.")
    ingest(index, docs)
    os.utime(docs / "a.md", (1, 1))
    with no_reading(monkeypatch):
        assert counts(ingest(index, docs)) == (0, 1, 0)


def test_a_file_of_the_same_size_and_times_written_a_moment_ago_is_read_again(
    index: TenantIndex, tmp_path: Path
) -> None:
    docs = write(tmp_path / "docs", a="# A\nA heron.")
    ingest(index, docs)
    before = (docs / "a.md").stat()
    write(docs, a="# A\nA stork.")
    os.utime(docs / "a.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert counts(ingest(index, docs)) == (1, 0, 0)


def test_what_a_folder_has_no_more_is_removed_and_nothing_that_came_from_elsewhere(
    index: TenantIndex, tmp_path: Path
) -> None:
    one, two = write(tmp_path / "one", a="A heron.", b="A stork."), write(tmp_path / "two", c="A heron.", b="A stork.")
    ingest(index, one, two)
    (one / "a.md").unlink()
    (one / "b.md").unlink()
    told = ingest(index, one)
    assert told.removed == 1  # two/b.md is a document of that id as well
    assert in_force(index, "heron") == ["c@v1"] and in_force(index, "stork") == ["b@v1"]


def test_a_document_that_moves_to_another_file_stays(index: TenantIndex, tmp_path: Path) -> None:
    text = "---\nid: birds/heron\nversion: v1\n---\nA heron."
    docs = write(tmp_path / "docs", a=text)
    ingest(index, docs)
    (docs / "a.md").rename(docs / "z.md")
    assert counts(ingest(index, docs)) == (0, 1, 0) and in_force(index, "heron") == ["birds/heron@v1"]


def test_two_files_with_one_id_and_version_are_told_and_the_second_is_taken_once_the_first_is_gone(
    index: TenantIndex, tmp_path: Path
) -> None:
    head = "---\nid: bird\nversion: v1\n---\n"
    docs = write(tmp_path / "docs", a=head + "A heron.", b=head + "A stork.")
    for _ in range(2):
        (skipped,) = ingest(index, docs).skipped
        assert skipped.path == "b.md" and "bird@v1 is also in a.md; give one of them another id" in skipped.why
    (docs / "a.md").unlink()
    assert ingest(index, docs).skipped == () and in_force(index, "stork") == ["bird@v1"]


def test_an_edited_version_replaces_the_last_one_and_the_older_stays_as_history(
    index: TenantIndex, tmp_path: Path
) -> None:
    def version(name: str, day: str, bird: str) -> str:
        return f"---\nid: bird\nversion: {name}\neffective: {day}\n---\nA {bird} nests."

    docs = write(tmp_path / "docs", a=version("v1", "2026-01-01", "heron"))
    ingest(index, docs)
    write(docs, a=version("v2", "2026-02-01", "stork"))
    told = ingest(index, docs)
    assert (told.documents, told.removed, told.superseded) == (1, 0, 1)
    assert in_force(index, "nests") == ["bird@v2"]
    assert {each.version for each in found(index, "nests", history=True)} == {"v1", "v2"}
    write(docs, a=version("v1", "2026-01-01", "heron"))  # taken back: what the file says holds
    assert ingest(index, docs).removed == 1 and in_force(index, "nests") == ["bird@v1"]
    (docs / "a.md").unlink()
    assert ingest(index, docs).removed == 1 and found(index, "nests", history=True) == []


def test_an_older_version_that_moved_to_a_file_of_its_own_is_that_files_from_then_on(
    index: TenantIndex, tmp_path: Path
) -> None:
    old = "---\nid: bird\nversion: v1\neffective: 2026-01-01\n---\nA {} nests."
    docs = write(tmp_path / "docs", bird=old.format("heron"))
    ingest(index, docs)
    write(docs, bird="---\nversion: v2\neffective: 2026-02-01\n---\nA stork nests.", old=old.format("heron"))
    assert ingest(index, docs).skipped == () and in_force(index, "nests") == ["bird@v2"]
    write(docs, old=old.format("gull"))
    assert counts(ingest(index, docs)) == (1, 1, 0)
    assert {each.version for each in found(index, "gull", history=True)} == {"v1"}
    (docs / "old.md").unlink()
    assert ingest(index, docs).removed == 1 and found(index, "gull", history=True) == []


def test_a_file_that_names_another_document_now_leaves_no_older_version_in_force(
    index: TenantIndex, tmp_path: Path
) -> None:
    docs = tmp_path / "docs"
    for text in ("id: bird\nversion: v1", "id: bird\nversion: v2", "id: fish\nversion: v1"):
        ingest(index, write(docs, a=f"---\n{text}\n---\nA heron nests."))
    assert in_force(index, "nests") == ["fish@v1"]
    assert {each.document_id for each in found(index, "nests", history=True)} == {"fish"}


def test_two_folders_with_one_id_and_version_are_told_of_and_the_last_one_is_served(
    index: TenantIndex, tmp_path: Path
) -> None:
    one = write(tmp_path / "one", bird="---\nversion: v1\n---\nA heron.")
    two = write(tmp_path / "two", bird="---\nversion: v1\n---\nA stork.")
    assert ingest(index, one).notes == ()
    (note,) = ingest(index, two).notes
    assert f"bird@v1 was written anew, and {one} has it as well" in note and in_force(index, "stork") == ["bird@v1"]
    closed = "---\nversion: v1\nscope: board\n---\nA {}."
    ingest(index, write(one, bird=closed.format("heron")))
    write(two, bird=closed.format("stork"))
    assert Ingesting(index, PLAIN, NOW, grants=()).run([two]).notes == (), "whoever may not see it is told nothing"


def test_what_the_project_gives_up_is_as_a_folder_has_it_once_that_is_ingested_again(
    index: TenantIndex, tmp_path: Path
) -> None:
    docs = write(tmp_path / "docs", bird="---\nversion: v1\n---\nA heron.")
    ingest(index, docs)
    index.publish("project", [Document("bird", "A stork.", version="v1")])
    assert in_force(index, "stork") == ["bird@v1"]
    index.publish("project", [])
    assert ingest(index, docs).documents == 1 and in_force(index, "heron") == ["bird@v1"]


@pytest.mark.parametrize(("changed", "alike"), [(1, 1), (4, 0)])
def test_sections_of_which_a_fifth_differs_are_no_near_duplicates(
    index: TenantIndex, tmp_path: Path, changed: int, alike: int
) -> None:
    words = [f"word{chr(97 + number // 26)}{chr(97 + number % 26)}" for number in range(60)]
    other = [f"other{word}" if place % 15 == 7 and place < 15 * changed else word for place, word in enumerate(words)]
    docs = tmp_path / "docs"
    for name, text in (("a", words), ("b", other)):
        write(docs, **{name: "---\nversion: v1\n---\n" + " ".join(text)})
    assert ingest(index, docs).near_duplicates == alike


def test_near_duplicates_that_a_session_may_not_see_are_not_counted_for_it(index: TenantIndex, tmp_path: Path) -> None:
    advice = "Restart the worker of the queue, then look at its log and wait for the next run to be over."
    docs = write(tmp_path / "docs", **dict.fromkeys("ab", f"---\nversion: v1\nscope: board\n---\n{advice}"))
    assert Ingesting(index, PLAIN, NOW, grants=("board",)).run([docs]).near_duplicates == 1
    assert Ingesting(index, PLAIN, NOW, grants=()).run([docs]).near_duplicates == 0


def test_a_document_that_is_withdrawn_before_it_takes_effect_is_told_of(index: TenantIndex, tmp_path: Path) -> None:
    dates = "effective: 2026-02-01\nwithdrawn: 2026-01-01"
    docs = write(tmp_path / "docs", a=f"---\nversion: v1\n{dates}\n---\nA heron.")
    (note,) = ingest(index, docs).notes
    assert "a@v1 is withdrawn on 2026-01-01, before it takes effect" in note and in_force(index, "heron") == []


def test_a_document_that_is_closed_to_most_leaves_no_older_version_open(index: TenantIndex, tmp_path: Path) -> None:
    docs = write(tmp_path / "docs", pay="---\nversion: v1\n---\nA heron.")
    ingest(index, docs)
    write(docs, pay="---\nversion: v2\nscope: board\n---\nA stork.")
    assert counts(ingest(index, docs)) == (1, 0, 1)
    assert found(index, "heron", history=True) == [] and len(found(index, "stork", "board")) == 1


def test_what_cannot_be_read_is_skipped_and_what_was_known_of_it_stays(index: TenantIndex, tmp_path: Path) -> None:
    docs = write(tmp_path / "docs", a="A heron.", b="A stork.")
    ingest(index, docs)
    write(docs, a="---\n[[[\n---\nA crane.")
    (docs / "picture.png").write_bytes(b"\x89PNG\0")
    told = ingest(index, docs)
    assert sorted(each.path for each in told.skipped) == ["*.png", "a.md"] and in_force(index, "heron") == ["a@v1"]
    with pytest.raises(UsageError, match="png"):
        ingest(index, docs / "picture.png")


def test_hidden_files_and_links_in_a_circle_stay_out(index: TenantIndex, tmp_path: Path) -> None:
    docs = write(tmp_path / "docs", a="A heron.")
    write(docs / ".git", b="A heron.")
    (docs / "again").symlink_to(docs, target_is_directory=True)
    ingest(index, docs)
    assert in_force(index, "heron") == ["a@v1"]


def test_links_out_of_the_folder_and_names_that_are_no_text_are_told_and_not_followed(
    index: TenantIndex, tmp_path: Path
) -> None:
    docs, outside = write(tmp_path / "docs", a="A heron."), write(tmp_path / "outside", key="A heron of theirs.")
    (docs / "out.md").symlink_to(outside / "key.md")
    (docs / "away").symlink_to(outside, target_is_directory=True)
    (docs / "in.md").symlink_to(docs / "a.md")
    (docs / "nowhere.md").symlink_to(docs / "gone.md")
    try:
        Path(os.fsdecode(os.fsencode(docs) + b"/na\xffme.md")).write_text("A heron.", encoding="utf-8")
    except OSError:
        pytest.skip("this file system takes names in UTF-8 alone")
    told = ingest(index, docs)
    assert {each.path: each.why.split(";")[0] for each in told.skipped} == {
        "away": "it is a link that leads out of the folder, and is not followed",
        "na\\xffme.md": "its name is not UTF-8",
        "out.md": "it is a link that leads out of the folder, and is not followed",
    }
    assert in_force(index, "heron") == ["a@v1", "in@v1"]
    ingest(index, docs / "in.md")  # a link that somebody names is what they mean


def test_rules_give_what_a_document_does_not_say_itself(index: TenantIndex, tmp_path: Path) -> None:
    docs = write(
        tmp_path / "docs",
        open="---\nversion: v1\neffective: 2026-01-01\n---\nA heron.",
        **{"internal/a": "---\neffective: 2026-01-01\n---\nA heron.", "internal/b": "---\nscope: legal\n---\nA heron."},
    )
    rules = (Rule("internal/**", scope="internal", authority=0.5, version="v9"), Rule("**", review_after=30, scope="x"))
    ingest(index, docs, policy=IngestPolicy(rules))
    assert in_force(index, "heron") == []
    seen = {each.evidence_id: each for each in found(index, "heron", "x", "internal", "legal")}
    assert {key: (each.scope, each.authority) for key, each in seen.items()} == {
        "open@v1#open": ("x", 1.0),
        "internal/a@v9#internal-a": ("internal", 0.5),
        "internal/b@v9#internal-b": ("legal", 0.5),
    }
    assert seen["open@v1#open"].review_by == datetime(2026, 1, 31, tzinfo=UTC)
    assert counts(ingest(index, docs, policy=IngestPolicy(rules))) == (0, 3, 0)
    ingest(index, docs)  # other rules: read again
    assert in_force(index, "heron") == ["internal/a@v1", "open@v1"]


def test_dates_that_are_odd_are_told_and_a_future_version_waits(index: TenantIndex, tmp_path: Path) -> None:
    docs = write(tmp_path / "docs", a="---\nversion: v1\neffective: 2027-01-01\nreview_by: 2026-01-01\n---\nA heron.")
    notes = "\n".join(ingest(index, docs).notes)
    assert "a@v1 takes effect only on 2027-01-01" in notes and "due for review on 2026-01-01, before" in notes
    assert in_force(index, "heron") == []
    assert found(index, "heron", now=NOW + timedelta(days=60))[0].document_id == "a"


LONG = "When the {bird} is seen on the north pier after the storm, close gate {gate}, call the warden and wait for him."


def test_sections_that_say_nearly_the_same_are_marked_within_their_scope_alone(
    index: TenantIndex, tmp_path: Path
) -> None:
    head = "---\nversion: v1\nscope: {scope}\nauthority: {authority}\n---\n"
    text = LONG.format(bird="heron", gate=4) + " Then write down what you saw, and when, in the book by the door."
    docs = write(
        tmp_path / "docs",
        a=head.format(scope="x", authority=0.5) + text,
        b=head.format(scope="x", authority=0.9) + text + " Thank you.",
        c=head.format(scope="x", authority=1.0) + text.replace("gate 4", "gate 5"),
        d=head.format(scope="y", authority=1.0) + text,
        e=head.format(scope="x", authority=1.0) + text.replace("call the warden", "do not call the warden"),
    )
    assert ingest(index, docs).near_duplicates == 1
    marked = {each.document_id: each.duplicate_of for each in found(index, "heron on the pier", "x", "y")}
    assert marked == {"a": "b@v1#b", "b": "", "c": "", "d": "", "e": ""}
    (docs / "b.md").unlink()
    assert ingest(index, docs).near_duplicates == 0


birds = st.sampled_from(["heron", "stork", "crane"])
folders = st.dictionaries(st.sampled_from("abcd"), st.tuples(birds, st.sampled_from([1, 2])), max_size=4)


@settings(max_examples=25, deadline=None)
@given(st.lists(folders, min_size=1, max_size=3))
def test_ingesting_step_by_step_comes_to_what_ingesting_the_last_state_alone_comes_to(
    tmp_path_factory: pytest.TempPathFactory, states: list[dict[str, tuple[str, int]]]
) -> None:
    base = tmp_path_factory.mktemp("steps")
    docs = write(base / "docs")
    docs.mkdir(exist_ok=True)
    stepwise, fresh = open_index(base / "s.db", "t1"), open_index(base / "f.db", "t1")
    for state in states:
        for old in docs.glob("*.md"):
            old.unlink()
        write(docs, **{name: f"---\nversion: v1\n---\n{LONG.format(bird=b, gate=g)}" for name, (b, g) in state.items()})
        ingest(stepwise, docs)
    ingest(fresh, docs)
    assert found(stepwise, "heron stork crane pier") == found(fresh, "heron stork crane pier")
    stepwise.close()
    fresh.close()


SLOWLY = """
import sys
from datetime import datetime, UTC
from pathlib import Path
from callsheet.edges.corpus import files
from callsheet.edges.indexes.index import open_index
from callsheet.host.knowledge import ingesting
from callsheet.model.ingest import IngestPolicy
ingesting.DOCUMENTS = 2
index = open_index(Path(sys.argv[1]), "t1")
def told(done, of):
    print(done, flush=True)
    if sys.argv[3:] and done == int(sys.argv[3]):
        sys.stdin.read()
ingesting.Ingesting(index, IngestPolicy(), datetime(2026, 11, 30, tzinfo=UTC), told=told).run([Path(sys.argv[2])])
"""


def test_a_killed_ingest_goes_on_and_comes_to_what_an_undisturbed_one_comes_to(tmp_path: Path) -> None:
    text = "---\nversion: v1\n---\n" + LONG
    names = {f"d{n}": text.format(bird=["heron", "stork"][n % 2], gate=n % 3) for n in range(9)}
    docs = write(tmp_path / "docs", **names)
    for killed_at in (1, 3, 6, 9):
        path = tmp_path / f"k{killed_at}.db"
        command = [sys.executable, "-c", SLOWLY, str(path), str(docs), str(killed_at)]
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
        with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            while int(process.stdout.readline()) < killed_at:
                pass
            process.kill()
        index = open_index(path, "t1")
        assert (len(index.origins.documents(str(docs.resolve()))) > 0) == (killed_at > 1)
        told = ingest(index, docs)
        assert told.unchanged + told.documents == 9
        undisturbed = open_index(tmp_path / f"u{killed_at}.db", "t1")
        ingest(undisturbed, docs)
        assert found(index, "heron pier") == found(undisturbed, "heron pier")
        assert ingest(index, docs).unchanged == 9
        index.close()
        undisturbed.close()


def test_two_ingests_side_by_side_come_to_the_same(tmp_path: Path) -> None:
    docs = write(tmp_path / "docs", **{f"d{n}": LONG.format(bird="heron", gate=n) for n in range(12)})
    command = [sys.executable, "-c", SLOWLY, str(tmp_path / "k.db"), str(docs)]
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    both = [subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [each.wait(60) for each in both] == [0, 0]
    index = open_index(tmp_path / "k.db", "t1")
    assert counts(ingest(index, docs)) == (0, 12, 0)
    index.close()
