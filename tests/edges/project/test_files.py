"""Instructions, values, examples, knowledge and seeds as nouns."""

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from callsheet.edges.documents.reading import read
from callsheet.edges.project.examples import read_examples
from callsheet.edges.project.instructions import read_instructions
from callsheet.edges.project.knowledge import read_knowledge
from callsheet.edges.project.problem import Problem
from callsheet.edges.project.seed import read_seed
from callsheet.edges.project.tools_file import read_tools
from callsheet.edges.project.values import FileValues, read_values
from callsheet.model.ingest import Rule

NOW = datetime(2026, 11, 29, tzinfo=UTC)


def write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_sections_come_in_label_order_with_their_versions(tmp_path: Path) -> None:
    for label in ("output", "escalation", "role", "policy"):
        write(tmp_path, f"instructions/{label}.md", f"---\nversion: v2\nsection: {label}\n---\n\nText of {label}.\n\n")
    written = read_instructions(tmp_path)
    assert [each.section.label for each in written] == ["role", "policy", "output", "escalation"]
    first = written[0]
    assert (first.section.section_id, first.section.version, first.section.text) == (
        "instruction/role",
        "v2",
        "Text of role.",
    )
    assert (first.file, first.first_line) == ("instructions/role.md", 5)


def test_an_instruction_without_version_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "instructions/role.md", "You help.\n")
    with pytest.raises(Problem, match=r"instructions/role.md:1: .*no version.*add `version: v1`"):
        read_instructions(tmp_path)


def test_a_version_that_would_close_its_own_tag_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "instructions/role.md", "---\nversion: 'v1\"><x'\n---\nYou help.\n")
    with pytest.raises(Problem, match="cannot stand in a tag"):
        read_instructions(tmp_path)


def test_a_broken_front_matter_names_its_line(tmp_path: Path) -> None:
    write(tmp_path, "instructions/role.md", "---\nversion: v1\nid: [a\n---\nYou help.\n")
    with pytest.raises(Problem, match=r"instructions/role.md:[34]: not YAML"):
        read_instructions(tmp_path)


def test_of_several_versions_of_a_value_the_one_in_force_is_current(tmp_path: Path) -> None:
    text = """version = "v1"
[[limit]]
value = 300
effective = 2026-01-01
[[limit]]
value = 500
version = "v2"
effective = 2026-06-01
text = "Refund up to {value} EUR."
[gone]
value = true
until = 2026-11-29
"""
    write(tmp_path, "values/refunds.toml", text)
    values = FileValues(read_values(tmp_path))
    (value,) = values.current(NOW)
    assert (value.name, value.value, value.version, value.source, value.text) == (
        "limit",
        "500",
        "v2",
        "values/refunds.toml#limit",
        "Refund up to 500 EUR.",
    )
    assert [v.value for v in values.current(datetime(2026, 3, 1, tzinfo=UTC))] == ["true", "300"]


def test_a_value_without_version_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "values/refunds.toml", "\n[limit]\nvalue = 3\n")
    with pytest.raises(Problem, match=r"values/refunds.toml:2: .*'limit' has no version"):
        read_values(tmp_path)


def test_a_misspelt_place_in_a_values_text_is_refused_and_other_braces_beside_the_value_stay(tmp_path: Path) -> None:
    for text in ("Up to {val} EUR.", "{name}: {} EUR."):
        write(tmp_path, "values/refunds.toml", f'[limit]\nversion = "v1"\nvalue = 3\ntext = "{text}"\n')
        with pytest.raises(Problem, match=r"values/refunds.toml:4: .*'limit' has no \{value\}.*write \{value\} for"):
            read_values(tmp_path)
    write(tmp_path, "values/refunds.toml", '[limit]\nversion = "v1"\nvalue = 3\ntext = "/v1/{id}: {value}"\n')
    assert read_values(tmp_path)[0].value.text == "/v1/{id}: 3"


def test_one_value_in_two_files_is_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path, f"values/{name}.toml", 'version = "v1"\n[limit]\nvalue = 3\n')
    with pytest.raises(Problem, match=r"values/b.toml:2: .*also in values/a.toml"):
        read_values(tmp_path)


def test_an_example_keeps_a_proposal_as_compact_json(tmp_path: Path) -> None:
    text = "- {id: e, decision: d, policy_version: 3, question: q, right: {kind: ask, reason: é}, wrong: w, why: y}\n"
    write(tmp_path, "examples/a.yaml", text)
    (written,) = read_examples(tmp_path)
    assert written.example.right == '{"kind":"ask","reason":"é"}' and written.example.policy_version == "3"


def test_an_example_without_its_policy_version_is_refused_at_its_line(tmp_path: Path) -> None:
    write(tmp_path, "examples/a.yaml", "# one\n- {id: e, decision: d, question: q, right: r, wrong: w, why: y}\n")
    with pytest.raises(Problem, match=r"examples/a.yaml:2: policy_version is missing"):
        read_examples(tmp_path)


def test_a_document_takes_its_dates_and_scope_from_the_front_matter(tmp_path: Path) -> None:
    front = "---\nid: runbook/keys\nversion: 7\neffective: 2026-06-01\nscope: internal\nauthority: 0.5\n---\n"
    write(tmp_path, "knowledge/runbook/k.md", front + "# Keys\n\nText.\n")
    write(tmp_path, "knowledge/plain.md", "Only text.\n")
    plain, keys = (written.document for written in read_knowledge(tmp_path))
    assert (keys.document_id, keys.version, keys.title, keys.scope, keys.authority) == (
        "runbook/keys",
        "7",
        "Keys",
        "internal",
        0.5,
    )
    assert keys.effective == datetime(2026, 6, 1, tzinfo=UTC) and keys.text == "# Keys\n\nText.\n"
    assert (plain.document_id, plain.title) == ("plain", "plain")


def test_a_front_matter_reads_as_in_every_file_that_is_ingested(tmp_path: Path) -> None:
    front = """---
id: 007
version: 1.10
scope: on
review_in: 6 months
last_reviewed_on: 2026-01-31
supersedes: [old@1.0]
title: ~
---
Text.
"""
    write(tmp_path, "knowledge/a.md", front)
    (written,) = read_knowledge(tmp_path)
    (ingested,) = read(tmp_path / "knowledge" / "a.md", tmp_path / "knowledge")
    assert replace(written.document, outline=None) == replace(ingested.document, outline=None)
    assert (written.document.version, written.document.scope) == ("1.10", "on") and written.keys == ingested.keys


def test_an_instruction_keeps_its_version_as_it_is_written(tmp_path: Path) -> None:
    write(tmp_path, "instructions/role.md", "---\nversion: 1.10\norder: 3\n---\nBe brief.\n")
    (written,) = read_instructions(tmp_path)
    assert (written.section.version, written.section.order) == ("1.10", 3)


def test_rules_give_a_document_what_its_front_matter_does_not_say(tmp_path: Path) -> None:
    write(tmp_path, "knowledge/internal/a.md", "---\neffective: 2026-01-01\nscope: legal\n---\nText.\n")
    rules = (Rule("internal/*", scope="internal", version="v3", review_after=10, language="de"),)
    (written,) = read_knowledge(tmp_path, rules)
    made = written.document
    assert (made.scope, made.version, made.language) == ("legal", "v3", "de")
    assert made.review_by == datetime(2026, 1, 11, tzinfo=UTC) and {"version", "scope"} <= written.keys


def test_a_version_is_the_text_that_was_written(tmp_path: Path) -> None:
    write(tmp_path, "knowledge/a.md", "---\nversion: 1.10\n---\nText.\n")
    write(tmp_path, "knowledge/b.md", "---\nversion: 0017\n---\nText.\n")
    write(tmp_path, "knowledge/c.md", "---\nversion: 2026-03-01\n---\nText.\n")
    write(tmp_path, "instructions/role.md", "---\nversion: 2.0\nsection: role\n---\nYou help.\n")
    assert [each.document.version for each in read_knowledge(tmp_path)] == ["1.10", "0017", "2026-03-01"]
    assert [each.section.version for each in read_instructions(tmp_path)] == ["2.0"]


def test_a_review_is_due_so_long_after_the_last_one(tmp_path: Path) -> None:
    write(tmp_path, "knowledge/a.md", "---\nlast_reviewed_on: 2025-08-31\nreview_in: 6 months\n---\nText.\n")
    (written,) = read_knowledge(tmp_path)
    assert written.document.review_by == datetime(2026, 2, 28, tzinfo=UTC)
    write(tmp_path, "knowledge/a.md", "---\nlast_reviewed_on: 2025-08-31\nreview_in: soon\n---\nText.\n")
    with pytest.raises(Problem, match=r"knowledge/a.md:3: review_in = 'soon' is no span of time; write `6 months`"):
        read_knowledge(tmp_path)


def test_an_id_that_no_citation_could_carry_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "knowledge/a.md", "---\nid: a@b\n---\nText\n")
    with pytest.raises(Problem, match="cannot stand in a citation"):
        read_knowledge(tmp_path)


def test_a_file_whose_name_is_not_utf8_is_named(tmp_path: Path) -> None:
    (tmp_path / "knowledge").mkdir()
    try:
        Path(os.fsdecode(os.fsencode(tmp_path / "knowledge") + b"/b\xff.md")).write_text("Text.", encoding="utf-8")
    except OSError:
        pytest.skip("this file system takes names in UTF-8 alone")
    with pytest.raises(Problem, match="is not UTF-8; rename the file"):
        read_knowledge(tmp_path)


def test_a_file_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    (tmp_path / "knowledge").mkdir()
    (tmp_path / "knowledge" / "a.md").write_bytes(b"caf\xe9")
    with pytest.raises(Problem, match=r"knowledge/a.md:1: byte 3 is not UTF-8; save it as UTF-8"):
        read_knowledge(tmp_path)


def test_seeded_memories_belong_to_the_session_and_count_their_days_from_now(tmp_path: Path) -> None:
    memory = (
        "[[memory]]\ntext = 't'\npurpose = 'p'\nsource = 'system_record'\ncreated_days_ago = 3\nexpires_in_days = 1\n"
    )
    write(tmp_path, "seed/memory.toml", memory)
    write(tmp_path, "seed/state.toml", "goal = 'g'\n[facts]\naccount_id = 'A'\n[resources]\naccount = ['A']\n")
    seed = read_seed(tmp_path, "t1", "u1", NOW)
    (record,) = seed.memories
    assert (record.tenant_id, record.subject_id) == ("t1", "u1")
    assert record.created_at == NOW - timedelta(days=3) and record.expires_at == NOW + timedelta(days=1)
    assert seed.state is not None and seed.state.resources == {"account": ("A",)} and seed.state.version == 0


@pytest.mark.parametrize("right", ["{kind: answer, answer: 2026-11-29}", "{2026-11-29: x}", "[.nan]"])
def test_a_value_in_an_example_that_json_has_no_word_for_is_refused_at_its_line(right: str, tmp_path: Path) -> None:
    common = "decision: d, policy_version: v1, question: q, wrong: w, why: y"
    entries = f"- {{id: b, {common}, right: fine}}\n- {{id: a, {common}, right: {right}}}\n"
    write(tmp_path, "examples/one.yaml", entries)
    with pytest.raises(Problem, match=r"examples/one.yaml:2: right is no proposal in JSON.*in quotes"):
        read_examples(tmp_path)


@pytest.mark.parametrize("raised", ["BaseException('x')", "GeneratorExit()", "SystemExit(3)", "ValueError('x')"])
def test_whatever_a_tools_file_raises_while_it_loads_is_named(raised: str, tmp_path: Path) -> None:
    write(tmp_path, "tools.py", f"import os\n\nraise {raised}\n")
    with pytest.raises(Problem, match=rf"tools.py:3: {raised.partition('(')[0]}"):
        read_tools(tmp_path)


def test_a_keyboard_interrupt_while_a_tools_file_loads_stays_one(tmp_path: Path) -> None:
    write(tmp_path, "tools.py", "raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        read_tools(tmp_path)
