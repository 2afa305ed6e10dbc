"""A model's files as rows, in either kind of stores: moved, shared, deleted with their subject, never lost (C7, C8)."""

from concurrent.futures import ThreadPoolExecutor

from callsheet.core.memory_files.operations import operate
from callsheet.edges.stores import TenantStore
from callsheet.model.memory_file import (
    FileOrigin,
    Insert,
    MemoryEdit,
    MemoryEntry,
    MemoryLimits,
    MemoryReply,
    Move,
    Remove,
    Write,
)
from callsheet.model.verdict import Verdict

FILE = ("proj", "ü%_.md")


def change(store: TenantStore, made: Write | Move | Remove, subject: str | None = "u1") -> None:
    """One change as it is, whatever stands there."""
    reply = MemoryReply("done", Verdict("allow", "ok", "it is made up"))
    store.memory_files(subject).change(made.path, lambda _: MemoryEdit(reply, made))


def test_files_and_folders_are_written_moved_and_removed_with_what_is_below_them(kind):
    with kind.tenant() as store:
        origin = FileOrigin("knowledge_import", "agent")
        for path in (FILE, ("proj", "deep", "b.md"), ("projects.md",), ("pro_",)):
            change(store, Write(path, "old", origin))
        change(store, Write(FILE, "new\x00é", origin))
        change(store, Move(("proj",), ("a", "b")))
    with kind.tenant() as store:
        tree = store.memory_files("u1").look(("a", "b", "ü%_.md"))
        assert (tree.text, tree.origin) == ("new\x00é", origin)
        folder, old = MemoryEntry("folder"), MemoryEntry("file", 3)
        assert dict(tree.entries) == {
            ("a",): folder,
            ("a", "b"): folder,
            ("a", "b", "deep"): folder,
            ("a", "b", "deep", "b.md"): old,
            ("a", "b", "ü%_.md"): MemoryEntry("file", 6),
            ("pro_",): old,
            ("projects.md",): old,
        }
        change(store, Remove(("a", "b")))
        assert list(store.memory_files("u1").look(()).entries) == [("a",), ("pro_",), ("projects.md",)]


def test_an_area_is_its_owners_alone_and_goes_with_its_subject(kind):
    with kind.tenant() as store:
        for subject in ("u1", "u2", None):
            change(store, Write(FILE, f"of {subject}"), subject)
        assert not kind.tenant("t2").memory_files("u1").look(FILE).entries
        assert store.forget("u1")["memory_files"] == 2, "the file and its folder"
        assert [store.memory_files(subject).look(FILE).text for subject in ("u1", "u2", None)] == [
            None,
            "of u2",
            "of None",
        ]


def test_many_writers_of_one_file_lose_no_update(kind):
    with kind.tenant() as store:
        change(store, Write(FILE, ""))

    def write(writer: int) -> list[str]:
        with kind.tenant() as own:
            files, rules = own.memory_files("u1"), []
            for count in range(10):
                command = Insert(FILE, 0, f"{writer}/{count}")
                edit = files.change(FILE, lambda tree, command=command: operate(command, tree, MemoryLimits()))
                rules.append(edit.reply.verdict.rule)
            return rules

    with ThreadPoolExecutor(4) as pool:
        said = [rule for rules in pool.map(write, range(4)) for rule in rules]
    assert said == ["ok"] * 40
    with kind.tenant() as store:
        text = store.memory_files("u1").look(FILE).text or ""
    assert sorted(text.split()) == sorted(f"{writer}/{count}" for writer in range(4) for count in range(10))
