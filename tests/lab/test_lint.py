"""Lint of task sets: what a case names and the project does not have is found where it stands."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from callsheet.edges.project.templates import TEMPLATES, write_template
from callsheet.lab.lint import lint_tasks

CASE = "- name: a\n  input: Why?\n"


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_templates_task_sets_have_no_finding(tmp_path: Path, name: str) -> None:
    write_template(name, tmp_path)
    assert lint_tasks(tmp_path) == ()


@pytest.mark.parametrize(
    ("text", "line", "rule", "fix"),
    [
        ("- [", 1, "malformed-file", "mend"),
        (f"{CASE}  forbiden_tools: []\n", 1, "unknown-key", "forbidden_tools"),
        (f"{CASE}- name: b\n  input: x\n  required_tools: [search_incident]\n", 3, "unknown-tool", "search_incidents"),
        (f"{CASE}  forbidden_tools: rotate_api_keys\n", 1, "unknown-tool", "rotate_api_key"),
        (f"{CASE}  required_evidence: [runbook/api-keys@v7#revoked]\n", 1, "unknown-evidence", "#revoked-keys"),
        (f"{CASE}  inject: {{into: runbook/api-keys@v9#revoked-keys, text: x}}\n", 1, "unknown-evidence", "@v7#"),
        (f"{CASE}  decision: diagnos\n", 1, "unknown-decision", "diagnose"),
        (f"{CASE}  fixture: none.json\n", 1, "missing-file", "evals/fixtures"),
        (f"{CASE}{CASE}", 3, "duplicate-id", "rename"),
    ],
)
def test_each_mistake_of_a_task_set_is_found_where_it_stands(
    tmp_path: Path, text: str, line: int, rule: str, fix: str
) -> None:
    write_template("support", tmp_path)
    (tmp_path / "evals" / "z.yaml").write_text(text, encoding="utf-8")
    (found,) = lint_tasks(tmp_path)
    assert (found.file, found.line, found.rule, found.severity) == ("evals/z.yaml", line, rule, "error")
    assert fix in found.fix


def test_a_mistake_in_the_injections_is_found_once(tmp_path: Path) -> None:
    write_template("support", tmp_path)
    (tmp_path / "evals" / "injections.yaml").write_text("- id: x\n", encoding="utf-8")
    (found,) = lint_tasks(tmp_path)
    assert (found.file, found.line, found.rule) == ("evals/injections.yaml", 1, "invalid-value")


def test_what_cannot_be_read_is_judged_by_its_own_lint_alone(tmp_path: Path) -> None:
    write_template("support", tmp_path)
    for broken in ("tools.py", "callsheet.toml", "knowledge/runbook/api-keys.md"):
        (tmp_path / broken).write_text("---\n[[[ not: readable\n---\n", encoding="utf-8")
    assert lint_tasks(tmp_path) == ()


def test_a_project_without_evals_has_no_finding(tmp_path: Path) -> None:
    assert lint_tasks(tmp_path) == ()


def test_a_case_that_requires_a_superseded_section_is_found(tmp_path: Path) -> None:
    write_template("support", tmp_path)
    (tmp_path / "evals" / "z.yaml").write_text(f"{CASE}  required_evidence: [note@v1#note]\n", encoding="utf-8")
    for version, effective in (("v1", "2025-01-01"), ("v2", "2026-01-01")):
        text = f"---\nid: note\nversion: {version}\neffective: {effective}\n---\n# Note\n\nText.\n"
        (tmp_path / "knowledge" / f"note-{version}.md").write_text(text, encoding="utf-8")
    (found,) = lint_tasks(tmp_path, datetime(2026, 6, 1, tzinfo=UTC))
    assert (found.rule, found.severity) == ("superseded-evidence", "error")
    found = lint_tasks(tmp_path, datetime(2025, 6, 1, tzinfo=UTC))
    assert "z.yaml" not in "".join(each.file for each in found)
