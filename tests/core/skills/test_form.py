"""The form of a SKILL.md, by the specification and beside the reference validator."""

import importlib
import importlib.util
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callsheet.core.skills.form import objections, parsed, skill_of
from callsheet.edges.skills.strict_yaml import load

GOOD = "---\nname: pdf\ndescription: Reads PDF files.\n---\n\nRead the file.\n"


def test_a_skill_of_the_specification_has_nothing_against_it() -> None:
    whole = (
        "---\nname: pdf\ndescription: Reads.\nlicense: MIT\ncompatibility: Linux\nallowed-tools: Bash(git:*) Read\n"
        "metadata:\n  author: me\n  version: 1.0\n---\nText."
    )
    assert objections(whole, "pdf", load) == ()
    written = parsed(whole, load)
    assert not isinstance(written, str)
    skill = skill_of(written, ())
    assert skill is not None
    assert (skill.name, skill.body, skill.license, skill.allowed_tools) == ("pdf", "Text.", "MIT", "Bash(git:*) Read")
    assert skill.metadata == {"author": "me", "version": "1.0"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: pdf", "must start with YAML frontmatter"),
        ("---\nname: pdf\n", "not properly closed"),
        ("---\n- a\n---\n", "must be a YAML mapping"),
        ("---\nname: [a]\n---\n", "Invalid YAML"),
        ("---\nname: a\nname: b\n---\n", "Invalid YAML"),
        ("---\ndescription: x\n---\n", "Missing required field in frontmatter: name"),
        ("---\nname: pdf\n---\n", "Missing required field in frontmatter: description"),
        ("---\nname: pdf\ndescription:\n---\n", "Field 'description' must be a non-empty string"),
        (GOOD.replace("pdf", "PDF"), "must be lowercase"),
        (GOOD.replace("pdf", "-pdf"), "cannot start or end"),
        (GOOD.replace("pdf", "p--df"), "consecutive hyphens"),
        (GOOD.replace("pdf", "p_df"), "invalid characters"),
        (GOOD.replace("pdf", "p" * 65), "exceeds 64"),
        (GOOD.replace("Reads", "R" * 1025), "exceeds 1024"),
        (GOOD.replace("---\n\n", "model: opus\n---\n\n"), "Unexpected fields in frontmatter: model"),
        (GOOD.replace("---\n\n", f"compatibility: {'x' * 501}\n---\n\n"), "exceeds 500"),
        (GOOD, "must match skill name 'pdf'"),
    ],
)
def test_what_breaks_the_specification_is_said(text: str, said: str) -> None:
    assert any(said in each for each in objections(text, "other", load))


def test_a_composed_name_is_that_of_a_folder_with_a_decomposed_one() -> None:
    assert objections(GOOD.replace("pdf", "u\u0308ber"), "\u00fcber", load) == ()


LINES = (
    *("name: a", "name: A-b", "name:", "name: é", "name: -a-", "name: a--b", "name: true", "name: 12", "name : a"),
    *("description: x", "description: |", "description: a # c", "description: a: b", "license: MIT", "x: a\x85b"),
    *("metadata:\n  a: b", "metadata: {a: b}", "x: [a]", "x: &a b", "x: *a", "x: !t b", "<<: x", "x: 'a", "? k\n: v"),
    *("---", "# c", "- a", "  a: b", "...", "\ta", "%YAML 1.1", "a:\n  - b\n - c", "description: ~"),
)


@pytest.mark.skipif(importlib.util.find_spec("skills_ref") is None, reason="the reference validator is not installed")
@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=5).map("\n".join), st.booleans())
def test_any_front_matter_is_judged_as_the_reference_judges_it(
    tmp_path_factory: pytest.TempPathFactory, lines: str, closed: bool
) -> None:
    folder = tmp_path_factory.mktemp("skills") / "a"
    folder.mkdir()
    text = f"---\n{lines}\n---\nbody" if closed else lines
    (folder / "SKILL.md").write_text(text, encoding="utf-8", newline="")
    reference = importlib.import_module("skills_ref.validator")
    read = (folder / "SKILL.md").read_text(encoding="utf-8")
    assert _kinds(objections(read, "a", load)) == _kinds(reference.validate(folder))


def _kinds(said: Sequence[str]) -> list[str]:
    """The objections, but for what a reader of YAML says of broken YAML."""
    return [each.partition(":")[0] if each.startswith("Invalid YAML") else each for each in said]
