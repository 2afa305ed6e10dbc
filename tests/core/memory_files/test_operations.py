"""The six operations on a tree that stands as given: their words, their one change, their refusals (C7)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.memory_files.commands import SCHEMA, read_command
from callsheet.core.memory_files.operations import operate
from callsheet.core.memory_files.wording import FOREIGN
from callsheet.model.memory_file import (
    Create,
    Delete,
    FileOrigin,
    Insert,
    MemoryCommand,
    MemoryEdit,
    MemoryEntry,
    MemoryLimits,
    MemoryTree,
    Move,
    Remove,
    Rename,
    Replace,
    View,
    Write,
)
from callsheet.model.verdict import Verdict

A, B, FOLDER, LINK = ("a.md",), ("proj", "b.md"), MemoryEntry("folder"), MemoryEntry("other")
TEXT = "one\ntwo\nthree\n"


def done(command: MemoryCommand, text: str | None = TEXT, limits: MemoryLimits = MemoryLimits()) -> MemoryEdit:
    entries = {A: MemoryEntry("file", len(TEXT)), ("proj",): FOLDER, B: MemoryEntry("file", 2000), ("link",): LINK}
    return operate(command, MemoryTree(entries, text), limits)


def rule(command: MemoryCommand, text: str | None = TEXT, limits: MemoryLimits = MemoryLimits()) -> str:
    edit = done(command, text, limits)
    assert edit.reply.refused and edit.change is None and edit.reply.text == edit.reply.verdict.why
    return edit.reply.verdict.rule


def test_a_folder_is_listed_two_levels_deep_with_sizes_and_without_what_is_no_file() -> None:
    deep = {("n", "o"): FOLDER, ("n", "o", "deep.md"): MemoryEntry("file", 512), ("node_modules",): FOLDER}
    entries = {("n",): FOLDER, A: MemoryEntry("file", 1536), ("link",): LINK, **deep}
    edit = operate(View(()), MemoryTree(entries), MemoryLimits())
    assert edit.change is None
    assert edit.reply.text == (
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n"
        "2K\t/memories\n1.5K\t/memories/a.md\n512B\t/memories/n/\n512B\t/memories/n/o/"
    )


def test_a_file_is_shown_with_its_lines_numbered() -> None:
    head = "Here's the content of /memories/a.md with line numbers:"
    assert done(View(A)).reply.text == f"{head}\n     1\tone\n     2\ttwo\n     3\tthree"
    assert done(View(A, 2, -1)).reply.text == f"{head}\n     2\ttwo\n     3\tthree"
    assert done(View(A, 2, 2)).reply.text == f"{head}\n     2\ttwo"
    assert done(View(A), "").reply.text == head
    assert rule(View(A, 4, 5)) == "memory-edit"


def test_foreign_words_are_shown_as_quoted_and_a_models_own_as_they_are() -> None:
    tree = {A: MemoryEntry("file", 3)}
    told = [
        operate(View(A), MemoryTree(tree, "do", FileOrigin(origin)), MemoryLimits()).reply
        for origin in ("model", "knowledge_import")
    ]
    assert FOREIGN not in told[0].text and FOREIGN in told[1].text
    assert [reply.origin and reply.origin.origin for reply in told] == ["model", "knowledge_import"]


def test_an_edit_leaves_the_words_of_the_least_trusted_writer_in_the_file() -> None:
    user, model, foreign = (FileOrigin(each) for each in ("user", "model", "knowledge_import"))
    assert [model.after(foreign).origin, user.after(model).origin] == ["knowledge_import", "model"]
    assert [model.after(user).origin, model.after(None).origin] == ["model", "model"]


def test_a_new_file_is_created_and_an_old_one_never_overwritten() -> None:
    edit = done(Create(("proj", "c.md"), "x"))
    assert edit.reply.text == "File created successfully at: /memories/proj/c.md"
    assert edit.change == Write(("proj", "c.md"), "x")
    assert done(Create(A, "x")).reply.text == "Error: File /memories/a.md already exists"
    assert rule(Create(A, "x")) == "memory-exists"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ((), "memory-path-root"),
        (("proj",), "memory-exists"),
        (("link",), "memory-exists"),
        (("link", "x.md"), "memory-not-a-file"),
        (("a.md", "x.md"), "memory-not-a-file"),
        (("A.md",), "memory-path-collision"),
        (("Proj", "x.md"), "memory-path-collision"),
    ],
)
def test_a_file_is_not_created_where_it_would_hide_or_be_hidden(path: tuple[str, ...], said: str) -> None:
    assert rule(Create(path, "x")) == said


def test_a_text_is_replaced_where_it_stands_exactly_once() -> None:
    edit = done(Replace(A, "two", "2"))
    assert edit.change == Write(A, "one\n2\nthree\n")
    assert edit.reply.text == "The memory file has been edited.\n     1\tone\n     2\t2\n     3\tthree"
    assert done(Replace(A, "two\n")).change == Write(A, "one\nthree\n")
    assert done(Replace(A, "four", "4")).reply.text == (
        "No replacement was performed, old_str `four` did not appear verbatim in /memories/a.md."
    )
    assert done(Replace(A, "e", "E")).reply.text == (
        "No replacement was performed. Multiple occurrences of old_str `e` in lines: 1, 3, 3. "
        "Please ensure it is unique"
    )
    assert rule(Replace(A, "aa", ""), "aaa") == "memory-edit", "overlapping places are two"


def test_lines_are_inserted_behind_the_line_that_is_named() -> None:
    assert done(Insert(A, 0, "zero")).change == Write(A, f"zero\n{TEXT}")
    assert done(Insert(A, 3, "four\nfive\n")).change == Write(A, f"{TEXT}four\nfive\n")
    assert done(Insert(A, 1, "x"), "no line feed").change == Write(A, "no line feed\nx\n")
    assert done(Insert(A, 0, "x"), "").change == Write(A, "x\n")
    assert done(Insert(A, 1, "x")).reply.text == "The file /memories/a.md has been edited."
    assert done(Insert(A, 4, "x")).reply.text == (
        "Error: Invalid `insert_line` parameter: 4. It should be within the range of lines of the file: [0, 3]"
    )
    assert rule(Insert(A, -1, "x")) == "memory-edit"


def test_a_file_or_folder_is_deleted_and_the_root_is_not() -> None:
    assert done(Delete(A)).change == Remove(A) and done(Delete(("proj",))).change == Remove(("proj",))
    assert done(Delete(A)).reply.text == "Successfully deleted /memories/a.md"
    assert [rule(Delete(path)) for path in ((), ("x",), ("link",))] == [
        "memory-path-root",
        "memory-not-there",
        "memory-not-a-file",
    ]


def test_a_file_or_folder_is_renamed_to_a_name_that_is_free() -> None:
    edit = done(Rename(A, ("new", "a.md")))
    assert edit.change == Move(A, ("new", "a.md"))
    assert edit.reply.text == "Successfully renamed /memories/a.md to /memories/new/a.md"
    assert done(Rename(A, ("A.md",))).change == Move(A, ("A.md",)), "its own name in another case is free"
    assert [rule(Rename(path, to)) for path, to in (((), A), (A, ()), (("x",), ("y",)), (A, B), (A, ("PROJ",)))] == [
        "memory-path-root",
        "memory-path-root",
        "memory-not-there",
        "memory-exists",
        "memory-path-collision",
    ]
    assert rule(Rename(("proj",), ("proj", "inner"))) == "memory-exists", "a folder does not go into itself"
    assert rule(Rename(("proj",), tuple("abcdefghijklmnop"))) == "memory-path-long"


def test_what_is_not_there_reads_the_same_whatever_stands_in_its_way() -> None:
    said = [done(View(path), None).reply.text for path in (("x",), ("link", "x"), ("a.md", "x"), ("x", "y"))]
    names = ("x", "link/x", "a.md/x", "x/y")
    assert said == [f"The path /memories/{each} does not exist. Please provide a valid path." for each in names]
    assert [rule(each, None) for each in (Replace(("x",), "a"), Insert(("x",), 0, "a"))] == ["memory-not-there"] * 2
    assert [rule(each) for each in (View(("link",)), Replace(("proj",), "a"), Insert((), 0, "a"))] == [
        "memory-not-a-file"
    ] * 3


def test_limits_hold_for_a_file_for_the_number_of_names_and_for_all_bytes() -> None:
    limits = MemoryLimits(file_bytes=20, entries=5, total_bytes=2040)
    assert done(Create(("new.md",), "ü" * 10), limits=limits).change
    assert rule(Create(("new.md",), "ü" * 11), limits=limits) == "memory-limit"
    assert rule(Create(("x", "new.md"), "a"), limits=limits) == "memory-limit", "the folder counts as well"
    assert rule(Create(("new.md",), "a" * 20), limits=MemoryLimits(total_bytes=2033)) == "memory-limit"
    assert rule(Insert(A, 0, "seven"), limits=MemoryLimits(total_bytes=2019)) == "memory-limit"
    assert rule(Rename(A, ("x", "y", "z")), limits=limits) == "memory-limit"


def test_secrets_are_taken_out_before_a_text_is_kept_also_where_two_pieces_make_one() -> None:
    key = "sk-live-4f9a8b7c6d5e4f3a2b1c"
    edit = done(Create(("k.md",), f"the key is {key}"))
    assert edit.change == Write(("k.md",), "the key is [redacted:api-key]")
    joined = done(Replace(A, "X", "live-4f9a8b7c6d5e"), "sk-X4f3a2b1c")
    assert joined.change == Write(A, "[redacted:api-key]") and "4f9a" not in joined.reply.text
    again = done(Replace(A, f"is {key}", "is gone"), "the key is [redacted:api-key]")
    assert again.change == Write(A, "the key is gone"), "what was taken out can be named by what it was"
    assert key not in done(Replace(A, f"no {key}", ""), "x").reply.text


CALLS = {
    "view": ({"path": "/memories/a.md", "view_range": [1, 2]}, View(A, 1, 2)),
    "create": ({"path": "/memories/a.md", "file_text": "x"}, Create(A, "x")),
    "str_replace": ({"path": "/memories/a.md", "old_str": "x"}, Replace(A, "x", "")),
    "insert": ({"path": "/memories/a.md", "insert_line": 0, "insert_text": ""}, Insert(A, 0, "")),
    "delete": ({"path": "/memories/a.md"}, Delete(A)),
    "rename": ({"old_path": "/memories/a.md", "new_path": "/memories/proj/b.md"}, Rename(A, B)),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_command_is_read_from_its_arguments_and_a_null_counts_as_left_out(name: str) -> None:
    fields, command = CALLS[name]
    assert read_command({"command": name, **fields}) == command
    assert read_command({**dict.fromkeys(SCHEMA["properties"]), "command": name, **fields}) == command


def test_every_command_of_the_schema_is_one_and_none_besides() -> None:
    assert list(CALLS) == SCHEMA["properties"]["command"]["enum"]


@pytest.mark.parametrize(
    "arguments",
    [
        None,
        "view",
        {},
        {"command": "format"},
        {"command": ["view"]},
        {"command": "view"},
        {"command": "view", "path": "/memories", "tenant": "other"},
        {"command": "view", "path": "/memories", "view_range": [0, 1]},
        {"command": "view", "path": "/memories", "view_range": [3, 2]},
        {"command": "view", "path": "/memories", "view_range": [True, 2]},
        {"command": "view", "path": "/memories", "view_range": "12"},
        {"command": "create", "path": "/memories/a"},
        {"command": "create", "path": "/memories/a", "file_text": 7},
        {"command": "create", "path": "/memories/a", "file_text": "\ud800"},
        {"command": "str_replace", "path": "/memories/a", "old_str": ""},
        {"command": "insert", "path": "/memories/a", "insert_line": "0", "insert_text": "x"},
        {"command": "insert", "path": "/memories/a", "insert_line": True, "insert_text": "x"},
        {"command": "rename", "old_path": "/memories/a"},
    ],
)
def test_what_spells_no_command_is_refused_and_never_guessed(arguments: object) -> None:
    found = read_command(arguments)
    assert isinstance(found, Verdict) and found.rule == "memory-command"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda of: st.lists(of) | st.dictionaries(st.text(), of)
    )
)
def test_whatever_the_arguments_are_they_are_a_command_or_a_refusal(value: object) -> None:
    for name in CALLS:
        for key in SCHEMA["properties"]:
            found = read_command({"command": name, "path": "/memories/a", key: value})
            assert isinstance(found, Verdict | MemoryCommand)
