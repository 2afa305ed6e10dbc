"""The templates: complete, free of findings, and never written over anything."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import pytest

from callsheet.core.retrieval.planning import PLANNER
from callsheet.edges.project.folder import read_project
from callsheet.edges.project.lint import lint_project
from callsheet.edges.project.seed import read_seed
from callsheet.edges.project.templates import write_template
from callsheet.errors import ProjectError, UnknownName
from callsheet.model.policy import ProposalKind
from callsheet.model.request import RequestContext
from callsheet.model.tool import ToolCall

NOW = datetime(2026, 11, 29, tzinfo=UTC)
CTX = RequestContext("acme", "customer:u1", "u1", now=NOW)


@pytest.mark.parametrize("name", ["support", "empty"])
def test_a_template_reads_and_has_no_findings(tmp_path: Path, name: str) -> None:
    written = write_template(name, tmp_path / "p")
    assert tmp_path / "p" / "callsheet.toml" in written
    assert lint_project(tmp_path / "p", NOW) == ()
    assert read_project(tmp_path / "p").settings.entry in ("diagnose", "answer")


@pytest.mark.parametrize("name", ["support", "empty"])
def test_what_a_template_says_of_a_reply_holds_for_whatever_a_kind_may_propose(tmp_path: Path, name: str) -> None:
    write_template(name, tmp_path)
    said = (tmp_path / "instructions" / "output.md").read_text(encoding="utf-8")
    told = said + PLANNER.instruction  # what that kind takes no other one does, and it says so itself
    assert [kind for kind in get_args(ProposalKind) if f'"{kind}"' not in told] == []


def test_nothing_is_written_where_a_file_exists(tmp_path: Path) -> None:
    (tmp_path / "callsheet.toml").write_text("mine")
    with pytest.raises(ProjectError, match=r"already has callsheet.toml; nothing was written"):
        write_template("support", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["callsheet.toml"]


def test_an_unknown_template_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="support, empty"):
        write_template("suport", tmp_path)


def test_the_support_project_holds_what_the_worked_example_needs(tmp_path: Path) -> None:
    write_template("support", tmp_path)
    project = read_project(tmp_path)
    decisions = project.settings.decisions
    assert decisions["diagnose"].allowlist == ("check_api_key_status", "search_incidents")
    assert decisions["answer"].cite and decisions["answer"].allowlist == ()
    assert {document.scope for document in project.documents} == {None, "internal"}
    assert {e.decision for e in project.examples} == {"diagnose", "change_key"}
    assert [value.value for value in project.values().current(NOW)] == ["90", "500 EUR"]
    rotate = project.tools_file.contracts["rotate_api_key"]
    assert (rotate.effects, rotate.scope, rotate.confirm, rotate.repeatable) == (
        "irreversible",
        "keys:rotate",
        True,
        False,
    )
    seed = read_seed(tmp_path, "acme", "u1", NOW)
    assert seed.state is not None and seed.state.facts["account_id"] == "A-123" and len(seed.memories) == 5


def test_the_status_tool_hands_out_more_than_its_contract_declares(tmp_path: Path) -> None:
    write_template("support", tmp_path)
    tools = read_project(tmp_path).tools()
    value = tools.execute(ToolCall("check_api_key_status", {"account_id": "A-123"}), CTX).value or {}
    declared = next(c for c in tools.contracts() if c.name == "check_api_key_status").output_schema["properties"]
    assert value["status"] == "revoked" and "sk_live_" in json.dumps(value)
    assert set(declared) == {"account_id", "status", "reason", "revoked_at", "created_at"}
    missing = tools.execute(ToolCall("check_api_key_status", {"account_id": "A-999"}), CTX)
    assert missing.failure == "account_not_found"


def test_rotating_leaves_a_visible_trace_and_the_fixture_as_it_was(tmp_path: Path) -> None:
    write_template("support", tmp_path)
    fixture = (tmp_path / "fixtures" / "accounts.json").read_bytes()
    tools = read_project(tmp_path).tools()
    result = tools.execute(ToolCall("rotate_api_key", {"account_id": "A-123"}), CTX)
    assert result.value == {"account_id": "A-123", "status": "active", "changed_at": NOW.isoformat()}
    assert (tmp_path / "fixtures" / "accounts.json").read_bytes() == fixture
    changes = json.loads((tmp_path / ".callsheet" / "accounts.json").read_text())["changes"]
    assert [(change["event"], change["by"]) for change in changes] == [("rotated", "customer:u1")]
