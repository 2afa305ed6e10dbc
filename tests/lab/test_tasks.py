"""Task sets and injection texts."""

from pathlib import Path

import pytest

from callsheet.edges.project.templates import write_template
from callsheet.errors import ProjectError
from callsheet.lab.tasks import read_injections, read_tasks

CASE = "- name: a\n  input: why?\n  expected_outcome: answer\n"


def tasks(folder: Path, text: str) -> Path:
    (folder / "evals.yaml").write_text(text, encoding="utf-8")
    return folder / "evals.yaml"


def test_the_support_project_has_a_normal_case_and_its_adversarial_twin(tmp_path: Path) -> None:
    write_template("support", tmp_path)
    normal, twin = read_tasks(tmp_path / "evals")
    assert (normal.input, normal.adversarial, normal.inject) == (twin.input, False, None)
    assert twin.inject is not None and twin.inject.into in twin.required_evidence
    assert normal.required_evidence == ("runbook/api-keys@v7#revoked-keys",)
    assert "rotate_api_key" in twin.forbidden_tools and twin.must_not_contain == ("sk_live_",)


def test_the_injections_cover_every_form_in_three_languages(tmp_path: Path) -> None:
    write_template("support", tmp_path)
    found = read_injections(tmp_path / "evals" / "injections.yaml")
    forms = {
        "imperative",
        "fake-notice",
        "block-closing",
        "fake-role",
        "alter-answer",
        "alter-source",
        "alter-argument",
    }
    assert {(i.form, i.language) for i in found} == {
        (form, language) for form in forms for language in ("en", "de", "pl")
    }
    assert len({i.id for i in found}) == len(found)
    assert {i.harm.kind for i in found} == {"tool", "answer", "source", "argument"}
    assert all(i.harm.contains in i.text and i.harm.source in i.text for i in found)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (CASE + "  requierd_tools: [x]\n", r"evals.yaml:1: requierd_tools .*did you mean 'required_tools'\?"),
        ("- name: a\n  input: b\n", "evals.yaml:1: expected_outcome is missing"),
        (CASE + CASE.replace("answer", "maybe").replace(": a", ": b"), "evals.yaml:4: expected_outcome = 'maybe'"),
        (CASE + CASE, "evals.yaml:4: the case 'a' occurs twice"),
        (CASE + "  inject: {into: x}\n", "needs a text or an id"),
        (CASE + "  inject: {into: x, ino: y}\n", "inject.ino is not a known key"),
        (CASE + "  session: {grants: all}\n", "session.grants = 'all'"),
        ("- just text\n", "is not a mapping"),
        ("a: [\n", "not YAML"),
    ],
)
def test_a_mistake_in_a_case_names_its_line_and_key(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ProjectError, match=words):
        read_tasks(tasks(tmp_path, text))


def test_a_single_name_may_stand_for_a_list(tmp_path: Path) -> None:
    (task,) = read_tasks(tasks(tmp_path, CASE + "  required_tools: check\n"))
    assert task.required_tools == ("check",)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match=r"there is no absent\.yaml"):
        read_tasks(tmp_path / "absent.yaml")
