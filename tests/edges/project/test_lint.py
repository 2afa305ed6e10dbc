"""Lint: all mistakes at once, each with file, line, rule and fix."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from callsheet.edges.project.lint import Finding, lint_project
from callsheet.edges.project.problem import LINT_RULES, Problem
from callsheet.edges.project.settings import read_settings
from callsheet.edges.project.templates import write_template

NOW = datetime(2026, 11, 29, tzinfo=UTC)


def lint_with(folder: Path, name: str, text: str) -> list[tuple[str, int, str]]:
    write_template("support", folder)
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return [(finding.file, finding.line, finding.rule) for finding in lint_project(folder, NOW)]


def instruction(text: str) -> str:
    return f"---\nid: extra\nversion: v1\n---\n{text}\n"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Refund up to 500 EUR.", "frozen-value"),
        ("Refund up to 500 euros.", "frozen-value"),
        ("A key lives for 90 days.", "frozen-value"),
        ("Refund up to €250.", "frozen-pattern"),
        ("A discount of 15 % is fine.", "frozen-pattern"),
        ("Since 2026-03-01 this holds.", "frozen-pattern"),
        ("Wait 3 hours.", "frozen-pattern"),
    ],
)
def test_a_value_frozen_into_an_instruction_is_found(tmp_path: Path, text: str, rule: str) -> None:
    assert lint_with(tmp_path, "instructions/extra.md", instruction("First.\n" + text)) == [
        ("instructions/extra.md", 6, rule)
    ]


@pytest.mark.parametrize(
    "text", ["Answer in 2 sentences.", "Error 401 means a key fails.", "See HTTP/2 and v500x.", ""]
)
def test_a_number_that_is_no_run_time_value_is_left_alone(tmp_path: Path, text: str) -> None:
    assert lint_with(tmp_path, "instructions/extra.md", instruction(text)) == []


@pytest.mark.parametrize(
    ("name", "text", "line", "rule"),
    [
        ("instructions/extra.md", "No front matter.\n", 1, "instruction-without-version"),
        ("instructions/z.md", "---\nid: role\nversion: v1\nsection: x\n---\nText\n", 2, "duplicate-id"),
        ("values/support.toml", "[a]\nvalue = 1\n", 1, "value-without-version"),
        ("knowledge/a.md", "Text\n", 1, "knowledge-without-version"),
        (
            "knowledge/a.md",
            "---\nversion: v1\neffective: 2025-01-01\nreview_by: 2026-01-01\n---\nText\n",
            4,
            "knowledge-past-review",
        ),
        (
            "knowledge/b.md",
            "---\nversion: v1\neffective: 2025-01-01\n---\n# A\ntext\n\n# B\ntext\n\n# A\ntext\n",
            11,
            "duplicate-section",
        ),
        (
            "knowledge/c.md",
            "---\nversion: v1\neffective: 2025-01-01\n---\n# Alpha\ntext\n\n# ALPHA\ntext\n",
            8,
            "duplicate-section",
        ),
        (
            "knowledge/runbook/z.md",
            "---\nid: runbook/webhooks\nversion: v2\neffective: 2025-01-01\n---\nx\n",
            2,
            "duplicate-section",
        ),
        (
            "examples/e.yaml",
            "- {id: e, decision: diagnose, policy_version: v2, question: q, right: r, wrong: w, why: y}\n",
            1,
            "example-policy-version",
        ),
        (
            "examples/e.yaml",
            "- {id: e, decision: diagnos, policy_version: v3, question: q, right: r, wrong: w, why: y}\n",
            1,
            "unknown-decision",
        ),
        (
            "examples/e.yaml",
            "\n- {id: e, decision: diagnose, policy_version: v3, question: q, wrong: w, why: y,\n"
            "   right: {kind: calls, calls: [{tool: rotate_api_key, arguments: {}}]}}\n",
            2,
            "example-forbidden-tool",
        ),
        (
            "examples/e.yaml",
            "- {id: e, decision: diagnose, policy_version: v3, question: q, wrong: w, why: y, right: {kind: answer}}\n",
            1,
            "example-forbidden-proposal",
        ),
        ("seed/state.toml", "goal = 'x'\ngaol = 'y'\n", 2, "unknown-key"),
        ("seed/state.toml", "[[[", 1, "malformed-file"),
        ("seed/memory.toml", "[[memory]]\ntext = 'x'\npurpose = 'support'\n", 1, "invalid-value"),
    ],
)
def test_each_mistake_is_found_where_it_stands(tmp_path: Path, name: str, text: str, line: int, rule: str) -> None:
    assert lint_with(tmp_path, name, text) == [(name, line, rule)]


def test_every_unknown_tool_of_an_allowlist_is_found(tmp_path: Path) -> None:
    write_template("support", tmp_path)
    path = tmp_path / "callsheet.toml"
    path.write_text(path.read_text().replace('"search_incidents"]', '"serch_incidents", "x"]'))
    found = lint_project(tmp_path, NOW)
    assert [finding.rule for finding in found] == ["unknown-tool", "unknown-tool"]
    assert found[0].fix == "did you mean 'search_incidents'?"


def test_an_id_that_is_given_three_times_is_told_with_the_file_that_had_it_first(tmp_path: Path) -> None:
    example = "- {id: e, decision: diagnose, policy_version: v3, question: q, right: r, wrong: w, why: y}\n"
    write_template("support", tmp_path)
    for name in ("e1", "e2", "e3"):
        (tmp_path / "examples" / f"{name}.yaml").write_text(example, encoding="utf-8")
    found = [(each.file, each.message) for each in lint_project(tmp_path, NOW) if each.rule == "duplicate-id"]
    assert [file for file, _ in found] == ["examples/e2.yaml", "examples/e3.yaml"]
    assert all("examples/e1.yaml" in message for _, message in found)


def test_a_review_is_due_from_the_moment_it_names(tmp_path: Path) -> None:
    write_template("support", tmp_path)
    text = "---\nversion: v1\neffective: 2025-01-01\nreview_by: 2026-11-29\n---\nText\n"
    (tmp_path / "knowledge" / "note.md").write_text(text, encoding="utf-8")
    for now, due in ((NOW, True), (NOW - timedelta(seconds=1), False)):
        assert ("knowledge-past-review" in [each.rule for each in lint_project(tmp_path, now)]) is due


def test_a_text_file_is_linted_as_it_is_read(tmp_path: Path) -> None:
    assert lint_with(tmp_path, "knowledge/a.txt", "Text\n") == [("knowledge/a.txt", 1, "knowledge-without-version")]


@pytest.mark.parametrize(("labels", "rule"), [(None, "missing-file"), ('{"question": 3}\n', "malformed-file")])
def test_labels_that_cannot_be_read_are_found(tmp_path: Path, labels: str | None, rule: str) -> None:
    write_template("support", tmp_path)
    settings = (tmp_path / "callsheet.toml").read_text(encoding="utf-8")
    (tmp_path / "callsheet.toml").write_text(settings + '\n[knowledge]\nlabels = "l.jsonl"\n', encoding="utf-8")
    if labels is not None:
        (tmp_path / "l.jsonl").write_text(labels, encoding="utf-8")
    assert [(each.file, each.rule) for each in lint_project(tmp_path, NOW)] == [("l.jsonl", rule)]


def test_several_broken_files_are_all_reported(tmp_path: Path) -> None:
    found = lint_with(tmp_path, "instructions/extra.md", "none")
    for broken in ("values/support.toml", "examples/keys.yaml", "tools.py", "callsheet.toml"):
        (tmp_path / broken).write_text("[[[ not readable")
    assert {finding.file for finding in lint_project(tmp_path, NOW)} == {
        "instructions/extra.md",
        "values/support.toml",
        "examples/keys.yaml",
        "tools.py",
        "callsheet.toml",
    }
    assert found == [("instructions/extra.md", 1, "instruction-without-version")]


def test_an_empty_folder_is_a_finding_and_no_crash(tmp_path: Path) -> None:
    (finding,) = lint_project(tmp_path, NOW)
    assert isinstance(finding, Finding) and finding.rule == "missing-file" and finding.rule in LINT_RULES
    assert finding.line == 0


def test_a_project_that_is_not_there_has_no_line_and_two_ways_out(tmp_path: Path) -> None:
    with pytest.raises(Problem) as caught:
        read_settings(tmp_path)
    said = str(caught.value)
    assert said.startswith(f"callsheet.toml: there is no such file in {tmp_path};")
    assert "callsheet init" in said and "-C DIR" in said


def test_a_resource_that_no_tool_asks_for_is_a_warning_with_the_nearest_kind(tmp_path: Path) -> None:
    write_template("support", tmp_path)
    (tmp_path / "seed" / "state.toml").write_text("[resources]\nacount = ['A-123']\n", encoding="utf-8")
    (found,) = lint_project(tmp_path, NOW)
    assert (found.file, found.line, found.rule, found.severity) == ("seed/state.toml", 2, "unused-resource", "warning")
    assert found.fix == "did you mean 'account'?"


def document(name: str, *lines: str) -> str:
    return "\n".join(["---", f"id: {name}", "version: v1", *lines, "---", "# A", "Text.", ""])


@pytest.mark.parametrize(
    ("lines", "line", "rule"),
    [
        (("effective: 2026-06-01", "review_by: 2026-01-01"), 5, "knowledge-dates"),
        (("effective: 2026-06-01", "withdrawn: 2026-01-01"), 5, "knowledge-dates"),
        (("effective: 2027-06-01",), 4, "knowledge-in-future"),
        (("effective: 2026-06-01", "supersedes: [runbook/api-kyes]"), 5, "knowledge-supersedes"),
        (("effective: 2026-06-01", "supersedes: note"), 5, "knowledge-supersedes"),
    ],
)
def test_odd_dates_and_supersession_are_found_where_they_stand(
    tmp_path: Path, lines: tuple[str, ...], line: int, rule: str
) -> None:
    found = lint_with(tmp_path, "knowledge/note.md", document("note", *lines))
    assert ("knowledge/note.md", line, rule) in found


def test_a_document_that_supersedes_itself_is_told_by_itself(tmp_path: Path) -> None:
    write_template("support", tmp_path)
    text = document("x", "effective: 2026-01-01", "supersedes: x")
    (tmp_path / "knowledge" / "x.md").write_text(text, encoding="utf-8")
    (found,) = lint_project(tmp_path, NOW)
    assert found.rule == "knowledge-supersedes" and found.message.startswith("x supersedes itself")


def test_a_link_that_leads_out_of_the_knowledge_is_not_followed(tmp_path: Path) -> None:
    write_template("support", tmp_path / "p")
    (tmp_path / "secret.md").write_text("# Secret\n\nA pelican.", encoding="utf-8")
    (tmp_path / "p" / "knowledge" / "out.md").symlink_to(tmp_path / "secret.md")
    (found,) = lint_project(tmp_path / "p", NOW)
    assert (found.file, found.rule) == ("knowledge/out.md", "link-outside") and "pelican" not in str(found)


def test_documents_that_supersede_each_other_are_found_once(tmp_path: Path) -> None:
    write_template("support", tmp_path)
    for one, other in (("x", "y"), ("y", "x")):
        text = document(one, "effective: 2026-01-01", f"supersedes: {other}")
        (tmp_path / "knowledge" / f"{one}.md").write_text(text, encoding="utf-8")
    (found,) = lint_project(tmp_path, NOW)
    assert (found.rule, found.severity) == ("knowledge-supersedes", "error") and "x, y supersede" in found.message


def test_a_rule_that_matches_nothing_is_found_unless_it_is_for_what_was_ingested(tmp_path: Path) -> None:
    write_template("support", tmp_path)
    rules = '\n[[knowledge.rule]]\nmatch = "runbook/**"\nlanguage = "en"\n\n[[knowledge.rule]]\nmatch = "wiki/*.rst"\n'
    settings = tmp_path / "callsheet.toml"
    before = settings.read_text(encoding="utf-8")
    settings.write_text(before + rules, encoding="utf-8")
    (found,) = lint_project(tmp_path, NOW)
    assert (found.rule, found.severity) == ("unused-rule", "warning") and "'wiki/*.rst'" in found.message
    assert found.line == (before + rules).splitlines().index('match = "wiki/*.rst"')
    assert lint_project(tmp_path, NOW, {"wiki/a.rst"}) == ()
