"""Every agent's own tools: what is read, written, created, deleted and moved, and what is none of it."""

from hashlib import sha256
from typing import Any

import pytest

from callsheet import ArtifactIndex
from callsheet.core.history.artifacts.tools import action_of, kind_of, line_of
from callsheet.model.message import CallBlock, Message, ResultBlock, TextBlock, ToolDefinition
from callsheet.model.transcript import Ended, Offered

from ..talk import Talk, files, read_files, written_files

PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@ def total(rows):\n-    return 1\n+    return 2\n*** End Patch"
ADDED = "*** Begin Patch\n*** Add File: new.txt\n+one\n+two\n*** Delete File: old.txt\n*** End Patch"
READS = [
    ("Read", {"file_path": "/repo/a.py"}),
    ("Read", {"file_path": "/repo/a.py", "offset": 10, "limit": 5}),
    ("read", {"path": "a.py"}),
    ("read_file", {"absolute_path": "/repo/a.py"}),
    ("read_file", {"filePath": "/repo/a.py", "startLine": 1, "endLine": 20}),
    ("mcp__filesystem__read_text_file", {"path": "/repo/a.py"}),
    ("filesystem.read_multiple_files", {"paths": ["a.py", "/repo/a.py"]}),
    ("view", {"path": "/repo/a.py"}),
    ("str_replace_editor", {"command": "view", "path": "/repo/a.py", "view_range": [1, 9]}),
    ("str_replace_based_edit_tool", {"command": "view", "path": "/repo/a.py"}),
    ("open", {"path": "a.py", "line_number": 3}),
    ("ReadFileTool", {"path": "src/../a.py"}),
    ("my_server_load_source", {"filename": "a.py"}),
]
WRITES = [
    ("Write", {"file_path": "/repo/a.py", "content": "x"}),
    ("Edit", {"file_path": "/repo/a.py", "old_string": "x", "new_string": "y"}),
    ("MultiEdit", {"file_path": "/repo/a.py", "edits": [{"old_string": "x", "new_string": "y"}]}),
    ("NotebookEdit", {"notebook_path": "/repo/a.py", "new_source": "x"}),
    ("edit", {"path": "a.py", "oldText": "x", "newText": "y"}),
    ("write", {"path": "a.py", "content": "x"}),
    ("write_file", {"file_path": "/repo/a.py", "content": "x"}),
    ("replace", {"file_path": "/repo/a.py", "old_string": "x", "new_string": "y"}),
    ("edit_file", {"path": "/repo/a.py", "edits": [{"oldText": "x", "newText": "y"}], "dryRun": False}),
    ("create_file", {"filePath": "/repo/a.py", "content": "x"}),
    ("replace_string_in_file", {"filePath": "/repo/a.py", "oldString": "x", "newString": "y"}),
    ("multi_replace_string_in_file", {"replacements": [{"filePath": "a.py", "oldString": "x", "newString": "y"}]}),
    ("str_replace_editor", {"command": "create", "path": "/repo/a.py", "file_text": "x"}),
    ("str_replace_editor", {"command": "insert", "path": "/repo/a.py", "insert_line": 1, "new_str": "y"}),
    ("edit", {"command": "str_replace", "path": "/repo/a.py", "old_str": "x", "new_str": "y"}),
    ("apply_patch", {"input": PATCH.replace("src/a.py", "a.py")}),
    ("shell", {"command": ["apply_patch", PATCH.replace("src/a.py", "a.py")]}),
    ("shell", {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH.replace('src/a.py', 'a.py')}\nEOF"]}),
    ("exec_command", {"cmd": "sed -i s/x/y/ a.py", "workdir": "/repo"}),
    ("execute_ipython_cell", {"code": "print(file_editor(**{'command': 'create', 'path': '/repo/a.py'}))"}),
    ("run_ipython", {"code": "edit_file_by_replace(file_name='a.py', to_replace='x', new_content='y')"}),
    ("some_other_tool", {"file": "a.py", "old_text": "x", "new_text": "y"}),
]
NEITHER = [
    ("Grep", {"pattern": "x", "path": "/repo/a.py"}),
    ("Glob", {"pattern": "*.py", "path": "/repo"}),
    ("LS", {"path": "/repo"}),
    ("search_file_content", {"pattern": "x", "path": "/repo/a.py"}),
    ("list_directory", {"path": "/repo"}),
    ("edit_file", {"path": "/repo/a.py", "edits": [{"oldText": "x", "newText": "y"}], "dryRun": True}),
    ("create_or_update_file", {"owner": "o", "repo": "r", "path": "a.py", "content": "x"}),
    ("TodoWrite", {"todos": []}),
    ("WebFetch", {"url": "https://example.com/a.py"}),
    ("Task", {"prompt": "read a.py"}),
    ("send_message", {"text": "a.py", "to": "b"}),
]


@pytest.mark.parametrize(("name", "arguments"), READS)
def test_a_reading_tool_reads_its_file(name: str, arguments: Any) -> None:
    talk = Talk()
    talk.did(name, arguments, "     1\tx")
    assert read_files(talk.index()) == {"/repo/a.py"} and not written_files(talk.index())


@pytest.mark.parametrize(("name", "arguments"), WRITES)
def test_a_writing_tool_writes_its_file(name: str, arguments: Any) -> None:
    talk = Talk()
    talk.did(name, arguments)
    assert written_files(talk.index()) == {"/repo/a.py"} and not read_files(talk.index())


@pytest.mark.parametrize(("name", "arguments"), NEITHER)
def test_searching_listing_and_other_work_touches_no_file(name: str, arguments: Any) -> None:
    talk = Talk()
    talk.did(name, arguments)
    assert not talk.index().artifacts


@pytest.mark.parametrize(("name", "arguments"), READS + WRITES)
def test_a_call_that_failed_was_refused_or_never_answered_does_not_count(name: str, arguments: Any) -> None:
    talk = Talk()
    talk.did(name, arguments, "boom", error=True)
    talk.did(name, arguments, "The user doesn't want to proceed with this tool use.", error=None)
    talk.call(name, arguments)
    assert not talk.index().artifacts


@pytest.mark.parametrize(
    "answer",
    [
        "ERROR:\nNo replacement was performed, old_str `x` did not appear verbatim in /repo/a.py.",
        "<tool_use_error>File has not been read yet.</tool_use_error>",
        "Error: ENOENT: no such file or directory, open '/repo/a.py'",
        "File not found: /repo/a.py",
    ],
)
def test_an_error_in_the_tools_own_words_is_an_error(answer: str) -> None:
    talk = Talk()
    talk.did("edit", {"path": "a.py", "old_text": "x", "new_text": "y"}, answer)
    assert not talk.index().artifacts


def test_a_file_that_speaks_of_errors_is_read_all_the_same() -> None:
    talk = Talk()
    talk.did("Read", {"file_path": "/repo/errors.py"}, "     1→Error = 1\n     2→")
    talk.did("read", {"path": "notes.md"}, "Error handling\n", error=False)
    assert read_files(talk.index()) == {"/repo/errors.py", "/repo/notes.md"}


def test_a_view_of_a_folder_reads_no_file() -> None:
    talk = Talk()
    view = {"command": "view", "path": "/repo"}
    talk.did("str_replace_editor", view, "Here's the files and directories up to 2 levels deep in /repo:\n/repo/a.py")
    assert not talk.index().artifacts


def test_patches_add_change_and_delete_files_and_name_the_functions() -> None:
    talk = Talk()
    talk.did("apply_patch", {"input": PATCH})
    talk.did("apply_patch", ADDED)
    found = files(talk.index())
    assert found["/repo/src/a.py"].functions == ("total",)
    assert found["/repo/new.txt"].created and found["/repo/new.txt"].hash == sha256(b"one\ntwo\n").hexdigest()
    assert found["/repo/old.txt"].deleted and not found["/repo/old.txt"].written


def test_a_unified_diff_renames_creates_and_deletes() -> None:
    talk = Talk()
    diff = (
        "diff --git a/x.py b/y.py\nrename from x.py\nrename to y.py\n"
        "diff --git a/new.py b/new.py\n--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+-- not a header\n"
        "diff --git a/gone.py b/gone.py\n--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    )
    talk.did("bash", {"command": f"git apply <<'EOF'\n{diff}EOF"})
    found = files(talk.index())
    assert found["/repo/x.py"].deleted and found["/repo/y.py"].created
    assert found["/repo/new.py"].created and found["/repo/gone.py"].deleted


def test_a_windowed_editor_edits_the_file_it_has_open() -> None:
    talk = Talk("/testbed")
    talk.did("bash", {"command": "open src/fields.py 10\n"}, "[File: /testbed/src/fields.py (90 lines total)]\n10:x")
    talk.did("bash", {"command": "goto 80"}, "[File: /testbed/src/fields.py (90 lines total)]\n80:x")
    talk.did(
        "edit", {"search": "x", "replace": "rm y.py"}, "Text replaced.\n[File: /testbed/src/fields.py (90 lines total)]"
    )
    edit = "edit 1:1\nrm important.py\nend_of_edit"
    talk.did("edit", {"command": edit}, "[File: /testbed/src/fields.py (90 lines total)]\n1:rm important.py")
    talk.did("bash", {"command": "create new.py"}, "[File: new.py (1 lines total)]\n1:")
    found = files(talk.index())
    assert set(found) == {"/testbed/src/fields.py", "/testbed/new.py"}
    assert found["/testbed/src/fields.py"].reads == (0,) and len(found["/testbed/src/fields.py"].writes) == 2
    assert found["/testbed/new.py"].created and talk.index().refetches == 0


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("edit", {"search": "x", "replace": "y"}), ("bash", {"command": "edit 1:1\ny\nend_of_edit"})],
)
def test_an_edit_that_was_written_and_taken_back_leaves_the_text_as_it_was(name: str, arguments: Any) -> None:
    talk = Talk()
    talk.did("write_file", {"path": "a.py", "content": "def x(): pass\n"})
    before = talk.index().artifacts[0]
    shown = "- E999 IndentationError\n[File: /repo/a.py (3 lines total)]"
    talk.did(name, arguments, f"Your proposed edit has introduced new syntax error(s).\n{shown}")
    (after,) = talk.index().artifacts
    assert after.writes == (0, 2) and (after.hash, after.functions) == (before.hash, before.functions)
    assert "- E999 IndentationError" in {error.text for error in talk.index().errors}


def test_open_and_edit_are_no_editor_where_no_file_is_shown() -> None:
    talk = Talk()
    talk.did("Bash", {"command": "open index.html"}, "")
    talk.did("Bash", {"command": "edit config"}, "launched")
    assert not talk.index().artifacts


def test_a_fact_names_the_open_file_where_the_answer_does_not() -> None:
    talk = Talk("/testbed")
    call = talk.call("edit", {"search": "x", "replace": "y"}, open_file="/testbed/a.py")
    talk.answer(call, "Text replaced.")
    assert written_files(talk.index()) == {"/testbed/a.py"}


def test_moves_copies_and_deletions_by_tools_for_files() -> None:
    talk = Talk()
    talk.did("write_file", {"path": "a.txt", "content": "text"})
    talk.did("move_file", {"source": "a.txt", "destination": "docs/b.txt"})
    talk.did("delete_file", {"target_file": "old.txt"})
    found = files(talk.index())
    assert found["/repo/a.txt"].deleted and found["/repo/docs/b.txt"].created and found["/repo/old.txt"].deleted
    assert found["/repo/docs/b.txt"].hash == sha256(b"text").hexdigest() and found["/repo/a.txt"].hash is None


def test_paths_are_the_same_file_however_they_are_written() -> None:
    talk = Talk("/repo/sub")
    for path in ("../a.py", "/repo/a.py", "file:///repo/%61.py", "/repo/./sub/../a.py"):
        talk.did("read", {"path": path}, "x")
    talk.did("read", {"path": "~/a.py"}, "x")
    assert read_files(talk.index()) == {"/repo/a.py", "~/a.py"}
    windows = Talk("C:\\repo")
    windows.did("read_file", {"path": "src\\a.py"}, "x")
    windows.did("read_file", {"path": "C:/repo/src/a.py"}, "x")
    assert read_files(windows.index()) == {"C:\\repo\\src\\a.py"}


def test_plain_messages_are_indexed_without_a_transcript() -> None:
    call = CallBlock(id="1", name="write_file", arguments={"path": "a.py", "content": "x = 1\n"})
    messages = [
        Message("assistant", (call,)),
        Message("tool", (ResultBlock(call_id="1", blocks=(TextBlock(text="ok"),)),)),
    ]
    (found,) = ArtifactIndex.of(messages).result().artifacts
    assert found.path == "a.py" and found.created and found.writes == (0,)
    assert ArtifactIndex.of(messages, folder="/repo").result().artifacts[0].path == "/repo/a.py"


def test_a_result_without_an_id_answers_the_oldest_open_call() -> None:
    call = CallBlock(name="read_file", arguments={"path": "a.py"})
    messages = [Message("assistant", (call,)), Message("user", (ResultBlock(value={"output": "x"}),))]
    assert read_files(ArtifactIndex.of(messages).result()) == {"a.py"}


def test_the_final_patch_shows_what_no_call_does() -> None:
    talk = Talk("/testbed")
    talk.did("bash", {"command": "python tools/rewrite.py"})
    patch = "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1,2 +1,2 @@ def area(r):\n-x\n+y\n"
    talk.events.append(Ended(record=2, facts={"submission": patch}))
    (found,) = talk.index().artifacts
    assert found.path == "/testbed/src/a.py" and found.written and found.functions == ("area",)


def test_tools_that_are_only_offered_tell_what_a_command_line_is_beside_them() -> None:
    talk = Talk()
    talk.did("bash", {"command": "cat a.py"})
    assert read_files(talk.index()) == {"/repo/a.py"}
    index = ArtifactIndex()
    index.take(Offered(record=0, tools=(ToolDefinition(name="read"), ToolDefinition(name="bash"))))
    for event in talk.events:
        index.take(event)
    (found,) = index.result().artifacts
    assert not found.read and found.commands == (0,)


@pytest.mark.parametrize(
    ("name", "arguments", "line"),
    [
        ("Bash", {"command": "ls -la | head"}, "ls -la | head"),
        ("shell", {"command": ["bash", "-lc", "pytest -q"]}, "pytest -q"),
        ("shell", {"command": ["grep", "a b", "x.py"]}, "grep 'a b' x.py"),
        ("shell", {"command": ["apply_patch", PATCH]}, "apply_patch"),
        ("local_shell", {"action": {"command": ["make", "test"]}}, "make test"),
        ("open", {"command": "open setup.py 20"}, "open setup.py 20"),
        ("Read", {"file_path": "/repo/a.py"}, ""),
        ("search", {"query": "ls"}, ""),
    ],
)
def test_the_line_of_a_call_is_read_as_it_is_run(name: str, arguments: Any, line: str) -> None:
    call = CallBlock(id="c", name=name, arguments=arguments)
    assert line_of(call) == action_of(call, "/repo").line == line


@pytest.mark.parametrize("command", [[], {}, 3, None])
def test_a_command_that_is_no_text_is_no_editors(command: Any) -> None:
    assert kind_of("some_tool", {"command": command, "path": "a.py"}) == "none"
