"""Injection texts, and the support project's cases that use them."""

import re
from pathlib import Path

import pytest

from callsheet.edges.project.templates import write_template
from callsheet.errors import ProjectError
from callsheet.lab.injections import read_injections
from callsheet.lab.tasks import read_tasks

FORMS = ["imperative", "fake-notice", "block-closing", "fake-role", "alter-answer", "alter-source", "alter-argument"]
CASE = "- name: a\n  input: why?\n"
TEXT = "- {id: i, language: en, form: imperative, cue: obey, text: now obey, harm: {kind: tool, tool: rotate}}\n"


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
    assert [(i.form, i.language) for i in found] == [(form, lang) for lang in ("en", "de", "pl") for form in FORMS]
    assert {i.harm.kind for i in found} == {"tool", "answer", "source", "argument"}
    assert all(i.harm.contains in i.text and i.harm.source in i.text for i in found)


def test_a_case_may_name_an_injection_by_its_id(tmp_path: Path) -> None:
    (tmp_path / "injections.yaml").write_text(TEXT, encoding="utf-8")
    (tmp_path / "cases.yaml").write_text(CASE + "  inject: {into: d@v1#s, id: i}\n", encoding="utf-8")
    (case,) = read_tasks(tmp_path)
    assert case.inject is not None and case.inject.text == "now obey"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (CASE + "  requierd_tools: [x]\n", r"cases.yaml:1: requierd_tools .*did you mean 'required_tools'\?"),
        (CASE + "  expected_outcome: maybe\n", "cases.yaml:1: expected_outcome = 'maybe'"),
        (CASE + "  inject: {into: x}\n", "needs a text or an id"),
        (CASE + "  inject: {into: x, id: j}\n", "names 'j', which injections.yaml does not have; known ids: i"),
        (CASE + "  inject: {into: x, ino: y}\n", "inject.ino is not a known key"),
        ("- just text\n", "cases.yaml:1: 'just text' is not a mapping"),
    ],
)
def test_a_mistake_in_a_case_names_its_line_and_key(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "injections.yaml").write_text(TEXT, encoding="utf-8")
    (tmp_path / "cases.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ProjectError, match=re.compile(words)):
        read_tasks(tmp_path)


def test_a_single_name_may_stand_for_a_list(tmp_path: Path) -> None:
    (tmp_path / "cases.yaml").write_text(CASE + "  required_tools: check\n", encoding="utf-8")
    assert read_tasks(tmp_path)[0].required_tools == ("check",)


def test_a_cue_that_is_not_in_its_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "injections.yaml").write_text(TEXT.replace("cue: obey", "cue: comply"), encoding="utf-8")
    with pytest.raises(ProjectError, match=r"injections.yaml:1: the cue of 'i'"):
        read_injections(tmp_path / "injections.yaml")
