"""What the index knows of a file over time: re-fetches, hashes, functions, what the window still shows."""

from dataclasses import replace
from hashlib import sha256
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.history.artifacts.index import ArtifactIndex
from callsheet.model.diagnosis import Part
from callsheet.model.message import CallBlock, Message, ResultBlock, TextBlock
from callsheet.model.transcript import Replaced, Said

from ..talk import Talk, files, read_files, written_files

READ, EDIT, WRITE, LINE = "read", "edit", "write", "line"


def digest(text: str) -> str:
    """The SHA-256 of a text."""
    return sha256(text.encode()).hexdigest()


def test_a_read_is_a_refetch_when_tools_read_the_file_and_did_not_write_it_since() -> None:
    talk = Talk()
    for step in (READ, READ, EDIT, READ, LINE, READ, READ):
        if step == READ:
            talk.did("Read", {"file_path": "/repo/a.py"}, "     1→x")
        elif step == EDIT:
            talk.did("Edit", {"file_path": "/repo/a.py", "old_string": "x", "new_string": "x"})
        else:
            talk.did("Bash", {"command": "sed -i s/x/y/ a.py"})
    assert talk.index().refetches == 3


def test_a_shells_reads_are_refetches_where_a_shell_is_all_there_is() -> None:
    talk = Talk()
    for _ in range(3):
        talk.did("shell_command", {"command": "cat a.py"}, "x")
    assert talk.index().refetches == 2
    talk.did("shell_command", {"command": "sed -i s/x/y/ a.py; cat a.py"}, "y")
    assert talk.index().refetches == 2
    talk.did("Read", {"file_path": "/repo/b.py"}, "x")
    assert talk.index().refetches == 0


def test_the_hash_is_that_of_the_content_after_all_edits() -> None:
    talk = Talk()
    talk.did("Write", {"file_path": "/repo/a.py", "content": "one\ntwo\n"})
    talk.did("Edit", {"file_path": "/repo/a.py", "old_string": "two", "new_string": "three"})
    talk.did("Edit", {"file_path": "/repo/a.py", "old_string": "e", "new_string": "E", "replace_all": True})
    talk.did("Bash", {"command": "echo end >> a.py"})
    (found,) = talk.index().artifacts
    assert found.hash == digest("onE\nthrEE\nend\n") and found.created and found.written


def test_a_whole_read_gives_the_hash_and_a_part_does_not() -> None:
    talk = Talk()
    talk.did("Read", {"file_path": "/repo/a.py"}, "     1→one\n     2→two\n     3→")
    talk.did("Read", {"file_path": "/repo/b.py", "offset": 5, "limit": 1}, "     5→one")
    talk.did(
        "Read", {"file_path": "/repo/c.py"}, "     1→one\n     2→two\n\n<system-reminder>\nbe good\n</system-reminder>"
    )
    found = files(talk.index())
    assert found["/repo/a.py"].hash == digest("one\ntwo\n")
    assert found["/repo/b.py"].hash is None
    assert found["/repo/c.py"].hash == digest("one\ntwo")


def test_the_harness_own_result_is_believed() -> None:
    talk = Talk()
    call = talk.call("Read", {"file_path": "/repo/a.py"})
    file = {"content": "x\n", "startLine": 1, "numLines": 2, "totalLines": 2}
    talk.answer(call, "     1→x", results={call: {"type": "text", "file": file}})
    edit = talk.call("Edit", {"file_path": "/repo/a.py", "old_string": "y", "new_string": "z"})
    talk.answer(edit, "ok", results={edit: {"originalFile": "y\n"}})
    assert talk.index(before=2).artifacts[0].hash == digest("x\n")
    assert talk.index().artifacts[0].hash == digest("z\n")


def test_an_edit_of_unknown_or_doubtful_text_leaves_no_hash() -> None:
    talk = Talk()
    talk.did("Write", {"file_path": "/repo/a.py", "content": "x x"})
    talk.did("Edit", {"file_path": "/repo/a.py", "old_string": "x", "new_string": "y"})
    talk.did("Edit", {"file_path": "/repo/b.py", "old_string": "x", "new_string": "y"})
    talk.did("str_replace_editor", {"command": "view", "path": "/repo/c.py"}, "     1\tlast line?")
    assert [each.hash for each in talk.index().artifacts] == [None, None, None]


def test_the_functions_an_edit_touches_are_named() -> None:
    talk = Talk()
    methods = "".join(f"    def {name}(self):\n        return {name!r}\n\n" for name in ("one", "two"))
    before = f"class A:\n{methods}def three():\n    pass\n"
    talk.did("Write", {"file_path": "/repo/a.py", "content": before})
    assert talk.index().artifacts[0].functions == ("A", "A.one", "A.two", "three")
    other = Talk()
    call = other.call("Edit", {"file_path": "/repo/a.py", "old_string": "return 'two'", "new_string": "return 2"})
    other.answer(call, "ok", results={call: {"originalFile": before}})
    assert other.index().artifacts[0].functions == ("A.two",)


@pytest.mark.parametrize("path", ["a.py", "a.ex", "a.js"])
def test_a_change_deep_in_a_long_file_names_the_function_it_lies_in_and_those_it_adds(path: str) -> None:
    word = {"a.py": "def {}():", "a.ex": "def {} do", "a.js": "function {}() {{"}[path]
    body = "".join(f"{word.format(name)}\n" + "    x = 1\n" * 9 for name in ("one", "two", "three"))
    talk = Talk()
    call = talk.call(
        "Edit", {"file_path": path, "old_string": "mark", "new_string": f"1\n{word.format('four')}\n    y"}
    )
    before = body.replace("    x = 1\n" * 9 + word.format("three"), "    x = 1\n    mark\n" + word.format("three"))
    talk.answer(call, "ok", results={call: {"originalFile": before}})
    assert talk.index().artifacts[0].functions == ("two", "four")


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("a.ts", "export async function load(x) {\n}", "load"),
        ("a.js", "const go = async (x) => {\n}", "go"),
        ("a.go", "func (s *Server) Serve(x int) error {\n}", "Serve"),
        ("a.rs", "pub fn run() -> u8 {\n}", "run"),
        ("a.ex", "  defp helper(x) do\n  end", "helper"),
        ("a.rb", "  def ready?\n  end", "ready?"),
        ("a.java", "  public static int sum(int a) {\n  }", "sum"),
        ("a.c", "static int make_type(ast_t* a) {\n}", "make_type"),
    ],
)
def test_functions_of_other_languages_are_found_by_their_first_line(path: str, text: str, name: str) -> None:
    talk = Talk()
    talk.did("Edit", {"file_path": path, "old_string": "x", "new_string": text})
    assert talk.index().artifacts[0].functions == (name,)


def test_a_read_of_what_the_window_shows_unchanged_gets_a_digest() -> None:
    talk = Talk()
    for _ in range(2):
        talk.did("Read", {"file_path": "/repo/a.py"}, "     1→x")
    index = talk.index()
    (again,) = index.unchanged
    assert (again.path, again.record, again.first) == ("/repo/a.py", 2, 1)
    assert again.digest.startswith("/repo/a.py: already read, unchanged (record 1")
    assert index.artifacts[0].unchanged_reads == 1 and index.refetches == 1


@pytest.mark.parametrize(("kept", "unchanged"), [(2, 1), (1, 0), (0, 0)])
def test_what_the_window_lost_is_not_unchanged_but_fetched_again(kept: int, unchanged: int) -> None:
    talk = Talk()
    talk.did("Read", {"file_path": "/repo/a.py"}, "     1→x")
    talk.events.append(Replaced(record=2, change="compaction", kept=kept))
    talk.did("Read", {"file_path": "/repo/a.py"}, "     1→x")
    assert (len(talk.index().unchanged), talk.index().refetches) == (unchanged, 1)


def test_what_is_kept_over_a_compaction_still_stands_in_the_window() -> None:
    talk = Talk()
    talk.did("Read", {"file_path": "/repo/a.py"}, "     1→x")
    answered = talk.events[-1]
    assert isinstance(answered, Said)
    talk.events.append(Replaced(record=2, change="compaction", kept=0))
    talk.events.append(replace(answered, record=3, again=True))
    talk.did("Read", {"file_path": "/repo/a.py"}, "     1→x")
    index = talk.index()
    assert len(index.unchanged) == 1 and index.artifacts[0].reads == (0, 4)


def test_a_repeated_reads_tokens_are_those_the_window_counted() -> None:
    talk, index = Talk(), ArtifactIndex()
    for _ in range(2):
        talk.did("Read", {"file_path": "/repo/a.py"}, "     1→x")
    for event in talk.events:
        index.take(event, None, [Part(event.record, event.record, 0, "tool_results", 7)])
    assert index.result().unchanged[0].tokens == 7


def test_conversations_of_one_file_have_their_own_folders_and_windows() -> None:
    talk = Talk()
    talk.did("Read", {"file_path": "a.py"}, "     1→x")
    inner = Talk("/other")
    inner.did("Read", {"file_path": "a.py"}, "     1→x")
    inner.did("Read", {"file_path": "/repo/a.py"}, "     1→x")
    talk.events.extend(replace(event, thread="agent", record=event.record + 2) for event in inner.events)
    index = talk.index()
    assert read_files(index) == {"/repo/a.py", "/other/a.py"}
    assert not index.unchanged and index.refetches == 1


STEPS = st.lists(
    st.tuples(st.sampled_from([READ, EDIT, WRITE, LINE]), st.sampled_from("abc"), st.sampled_from([None, True])),
    max_size=12,
)


def spoken(steps: list[tuple[str, str, bool | None]]) -> Talk:
    """A session of these steps."""
    talk = Talk()
    for step, name, error in steps:
        path = f"/repo/{name}.py"
        if step == READ:
            talk.did("Read", {"file_path": path}, "     1→x", error)
        elif step == EDIT:
            talk.did("Edit", {"file_path": path, "old_string": "x", "new_string": "y"}, "ok", error)
        elif step == WRITE:
            talk.did("Write", {"file_path": path, "content": name}, "ok", error)
        else:
            talk.did("Bash", {"command": f"sed -i s/x/y/ {name}.py; cat {name}.py"}, "ok", error)
    return talk


@given(STEPS, st.integers(0, 24))
def test_the_index_before_a_cut_is_a_beginning_of_the_whole(
    steps: list[tuple[str, str, bool | None]], cut: int
) -> None:
    talk = spoken(steps)
    before, whole = talk.index(before=cut), talk.index()
    known = files(whole)
    for each in before.artifacts:
        later = known[each.path]
        assert later.reads[: len(each.reads)] == each.reads and later.writes[: len(each.writes)] == each.writes
        assert (each.read, each.written, each.created) <= (later.read, later.written, each.created)
    assert before.refetches <= whole.refetches
    assert whole.errors[: len(before.errors)] == before.errors


@given(STEPS)
def test_the_index_agrees_with_a_count_by_hand(steps: list[tuple[str, str, bool | None]]) -> None:
    read, written, fresh, refetches = set(), set(), set(), 0
    for step, name, error in steps:
        path = f"/repo/{name}.py"
        if error:
            continue
        if step == READ:
            refetches += path in fresh
            read.add(path)
            fresh.add(path)
        else:
            written.add(path)
            if step != LINE:
                fresh.discard(path)
    index = spoken(steps).index()
    assert (read_files(index), written_files(index), index.refetches) == (read, written, refetches)


@given(STEPS.filter(lambda steps: 0 < len(steps) <= 4), st.data())
def test_the_order_of_parallel_answers_does_not_matter(
    steps: list[tuple[str, str, bool | None]], data: st.DataObject
) -> None:
    talk = spoken(steps)
    said = [
        replace(each, response="one", record=0)
        for each in talk.events
        if isinstance(each, Said) and each.speaker == "model"
    ]
    told = [replace(each, record=1) for each in talk.events if isinstance(each, Said) and each.speaker == "tool"]
    order = data.draw(st.sampled_from(list(permutations(range(len(told))))))

    def indexed(answers: list[Said]) -> object:
        index = ArtifactIndex()
        for event in [*said, *answers]:
            index.take(event)
        return index.result()

    assert indexed([told[at] for at in order]) == indexed(told)


def test_asking_in_between_changes_nothing() -> None:
    talk, index = spoken([(READ, "a", None), (WRITE, "a", None), (READ, "a", None), (EDIT, "b", True)]), ArtifactIndex()
    for event in talk.events:
        index.take(event)
        index.result()
    assert index.result() == talk.index()


def test_what_is_kept_in_memory_does_not_grow_with_the_texts_of_files() -> None:
    index, talk = ArtifactIndex(), Talk()
    text = "x" * 1_000_000
    for number in range(12):
        talk.did("Write", {"file_path": f"/repo/{number}.txt", "content": text})
    for event in talk.events:
        index.take(event)
    known = [each.hash is not None for each in index.result().artifacts]
    assert known.count(True) == 8


def test_a_persons_own_change_to_an_edit_leaves_the_content_unknown() -> None:
    talk = Talk()
    call = talk.call("Write", {"file_path": "/repo/a.py", "content": "x"})
    talk.answer(call, "ok", results={call: {"type": "create", "content": "y", "userModified": True}})
    assert talk.index().artifacts[0].hash is None


def test_a_read_that_begins_further_down_is_not_the_whole() -> None:
    talk = Talk()
    talk.did("Read", {"file_path": "/repo/a.py"}, "     7→one\n     8→")
    assert talk.index().artifacts[0].hash is None


def test_a_change_that_the_call_does_not_show_leaves_no_hash() -> None:
    talk = Talk()
    talk.did("str_replace_editor", {"command": "create", "path": "/repo/a.py", "file_text": "x"})
    assert talk.index().artifacts[0].hash == digest("x")
    talk.did("str_replace_editor", {"command": "undo_edit", "path": "/repo/a.py"})
    assert talk.index().artifacts[0].hash is None


def test_calls_that_nobody_answers_do_not_pile_up() -> None:
    talk = Talk()
    late = talk.call("Read", {"file_path": "/repo/late.py"})
    for number in range(1_100):
        talk.call("Read", {"file_path": f"/repo/{number}.py"})
    talk.answer(late, "x")
    assert not talk.index().artifacts


def test_a_call_that_is_told_again_counts_once() -> None:
    call = CallBlock(id="c1", name="Read", arguments={"file_path": "/a.py"})
    answer = ResultBlock(call_id="c1", blocks=(TextBlock(text="x = 1"),))
    index = ArtifactIndex()
    for record in (0, 2):
        again = record > 0
        said = Said(record=record, message=Message("assistant", (call,)), speaker="model", response="r", again=again)
        index.take(said)
        index.take(Said(record=record + 1, message=Message("tool", (answer,)), speaker="tool", again=again))
    (file,) = index.result().artifacts
    assert (list(file.reads), index.result().refetches) == ([0], 0)
