"""A skill's folder as it is read: links are named and never followed, and nothing is opened that is no plain file."""

import os
from hashlib import sha256
from pathlib import Path

import pytest

from callsheet.core.skills.rules import LARGEST_FILE
from callsheet.edges.skills.installing import install
from callsheet.edges.skills.reading import find_skills, read_skill
from callsheet.edges.skills.strict_yaml import load
from callsheet.errors import UsageError

TEXT = "---\nname: a\ndescription: A.\n---\nA.\n"


def skill(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(TEXT)
    return folder


def test_every_file_is_hashed_and_text_is_read(tmp_path: Path) -> None:
    folder = skill(tmp_path / "a")
    (folder / "data").mkdir()
    (folder / "data" / "x.bin").write_bytes(b"\xff\0")
    read = read_skill(folder)
    assert [(each.path, each.sha256, each.text) for each in read.files] == [
        ("SKILL.md", sha256(TEXT.encode()).hexdigest(), TEXT),
        ("data/x.bin", sha256(b"\xff\0").hexdigest(), None),
    ]


def test_a_link_is_named_and_not_followed(tmp_path: Path) -> None:
    folder = skill(tmp_path / "a")
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "b.txt").write_text("secret")
    (folder / "file.txt").symlink_to("../secret.txt")
    (folder / "folder").symlink_to("../others")
    (folder / "dangling").symlink_to("nowhere")
    read = {each.path: each for each in read_skill(folder).files}
    assert {path: each.link for path, each in read.items()} == {
        "SKILL.md": None, "file.txt": "../secret.txt", "folder": "../others", "dangling": "nowhere",
    }  # fmt: skip
    assert "secret" not in repr(read_skill(folder)).replace("secret.txt", "")
    assert read_skill(folder).hashes["file.txt"] == "link:../secret.txt"


def test_what_is_too_large_or_no_file_is_not_opened(tmp_path: Path) -> None:
    folder = skill(tmp_path / "a")
    os.mkfifo(folder / "pipe")
    with open(folder / "big.pdf", "wb") as file:
        file.truncate(LARGEST_FILE + 1)
    read = {each.path: (each.size, each.sha256) for each in read_skill(folder).files}
    assert read["pipe"] == (0, "") and read["big.pdf"] == (LARGEST_FILE + 1, "")


def test_skills_are_found_below_a_root_and_not_inside_another_one(tmp_path: Path) -> None:
    one, other = skill(tmp_path / "deep" / "a"), skill(tmp_path / "b")
    skill(one / "inner")
    skill(tmp_path / ".git" / "c")
    (tmp_path / "linked").symlink_to(other)
    assert find_skills(tmp_path) == (other, one)


def test_an_installed_skill_is_what_was_read_and_replaces_nothing(tmp_path: Path) -> None:
    source, root = skill(tmp_path / "from" / "a"), tmp_path / "skills"
    (source / "link").symlink_to("SKILL.md")
    root.mkdir()
    target = install(read_skill(source), source, root)
    assert sorted(each.name for each in target.iterdir()) == ["SKILL.md"]
    with pytest.raises(UsageError, match="there already"):
        install(read_skill(source), source, root)
    assert [each.name for each in root.iterdir()] == ["a"]


@pytest.mark.parametrize(
    "text", ["a: [b]", "a: {b: c}", "a: &x b", "a: *x", "a: !t b", "a: b\na: c", "<<: b", "? [a]\n: b"]
)
def test_strict_yaml_has_one_spelling_for_a_thing(text: str) -> None:
    with pytest.raises(ValueError, match=r"line \d|alias"):
        load(text)


def test_a_scalar_is_the_text_it_was_written_as() -> None:
    assert load("a: 1.10\nb: yes\nc: 2026-01-01\nd:\ne: x\x85y") == {
        "a": "1.10", "b": "yes", "c": "2026-01-01", "d": "", "e": "x\x85y",
    }  # fmt: skip
