"""Code as a tool: it finds tools and calls them through the gate, and only what it prints comes back (D8)."""

import json
from pathlib import Path
from typing import Any

import pytest

from callsheet import Host
from callsheet.edges.sandbox.sandbox import Sandbox
from callsheet.testing.scripted import Said

from .stage import changes, customer, open_stage, project, references, scripted

pytestmark = pytest.mark.skipif(bool(Sandbox().missing), reason=f"no walls here: {Sandbox().missing}")
ADMIN = customer("keys:rotate")


def staged(tmp_path: Path, code: str, in_code: str = '["*"]') -> Host:
    """A host whose diagnosis may call tools by code alone, with a model that writes this code and hands over then."""
    folder = project(tmp_path)
    file = folder / "callsheet.toml"
    file.write_text(
        file.read_text().replace(
            'allowlist = ["check_api_key_status", "search_incidents"]', f'allowlist = ["run_code"]\nin_code = {in_code}'
        )
    )
    proposal = {"kind": "calls", "calls": [{"tool": "run_code", "arguments": {"code": code}}]}

    def replies(body: bytes) -> Said:
        if not references(body) or b"propose it again" in body:
            return proposal
        return {"kind": "escalate", "reason": "That is all."}

    return open_stage(tmp_path, replies)


def calls_of(host: Host, question: str = "Why is my API key not working?") -> tuple[Any, list[Any]]:
    result = host.run(question, ADMIN)
    return result, [each for step in result.steps for each in step.calls]


FIND = """
found = tools.search("is the api key of an account active")
print([each["name"] for each in found][:1], sorted(found[0]))
status = tools.call("check_api_key_status", {"account_id": "A-123"})
print("the key is", status["status"])
"""


def test_code_finds_a_tool_calls_it_through_the_gate_and_prints_what_is_needed(tmp_path: Path) -> None:
    with staged(tmp_path, FIND) as host:
        result, calls = calls_of(host)
        assert [(each.call.tool, each.call.index, each.within, each.verdict.rule) for each in calls] == [
            ("run_code", 1, None, "ok"),
            ("check_api_key_status", 2, 1, "ok"),
        ]
        printed = calls[0].observation.result["printed"]
        assert printed == "['check_api_key_status'] ['description', 'input_schema', 'name']\nthe key is revoked\n"
        first, second = scripted(host).bodies
        assert b"Says whether the API key of an account" not in first and b"Runs Python" in first
        assert b"the key is revoked" in second and b"revoked_at" not in second
        assert host.show(result.request_ids[0], ADMIN).status == "complete"
        stored = host.stores(ADMIN).artifacts.get(calls[1].observation.artifact_ref)
        assert b"revoked" in stored


def test_a_run_of_code_replays_to_the_same_bytes_and_verdicts(tmp_path: Path) -> None:
    with staged(tmp_path, FIND) as host:
        result, _ = calls_of(host)
        assert all(host.replay(each, ADMIN)["identical"] for each in result.request_ids)


def test_what_code_may_not_call_is_refused_and_it_may_go_on(tmp_path: Path) -> None:
    code = """
for name, arguments in (("rotate_api_key", {"account_id": "A-123"}), ("check_api_key_status", {"account_id": "A-777"}),
                        ("check_api_key_status", {}), ("run_code", {"code": "1"})):
    try:
        tools.call(name, arguments)
    except ToolError as error:
        print(error.rule)
print([each["name"] for each in tools.search("rotate the key")])
"""
    with staged(tmp_path, code, in_code='["check_*"]') as host:
        _, calls = calls_of(host)
        assert calls[0].observation.result["printed"].splitlines() == [
            "tool-not-offered",
            "resource-not-owned",
            "invalid-arguments",
            "tool-not-offered",
            "['check_api_key_status']",
        ]
        assert changes(tmp_path) == []


def test_a_question_for_a_person_ends_the_code_and_the_approved_call_runs_once(tmp_path: Path) -> None:
    code = """
print("before")
print(tools.call("rotate_api_key", account_id="A-123")["status"])
print("after")
"""
    question = "Please look at the key of my account A-123."
    with staged(tmp_path, code) as host:
        result, calls = calls_of(host, question)
        assert result.outcome == "asked" and changes(tmp_path) == []
        assert [each.observation.status for each in calls] == ["failed", "asked"]
        assert "Run rotate_api_key(account_id='A-123')?" in calls[0].observation.note
        assert "before" in calls[0].observation.note and "after" not in calls[0].observation.note
        assert calls[1].approval_id is not None
        host.approve(calls[1].approval_id, ADMIN)
        done = host.run(resume=result.run_id, ctx=ADMIN)
        again = [each for step in done.steps[1:] for each in step.calls]
        assert [each.observation.status for each in again][:2] == ["ok", "ok"]
        assert again[0].observation.result["printed"] == "before\nactive\nafter\n"
        assert len(changes(tmp_path)) == 1


def test_code_that_fails_says_why_and_code_without_end_is_ended(tmp_path: Path) -> None:
    with staged(tmp_path, "print('so far')\n1 / 0") as host:
        _, calls = calls_of(host)
        assert calls[0].observation.status == "failed"
        assert "so far" in calls[0].observation.note and "ZeroDivisionError" in calls[0].observation.note


def test_code_makes_no_more_calls_than_it_may(tmp_path: Path) -> None:
    file = project(tmp_path) / "callsheet.toml"
    file.write_text(file.read_text() + "\n[sandbox]\ncalls = 3\n")
    code = "while True: tools.call('search_incidents', service='api')"
    with staged(tmp_path, code) as host:
        _, calls = calls_of(host)
        assert [each.verdict.rule for each in calls[1:]] == ["ok", "ok", "ok", "call-limit"]
        assert "code may make 3 calls" in calls[0].observation.note


def test_a_secret_that_code_prints_does_not_reach_the_model(tmp_path: Path) -> None:
    with staged(tmp_path, "print('sk_live_' + 'a1b2c3d4e5f6a7b8c9d0')") as host:
        result, _ = calls_of(host)
        assert all(b"a1b2c3d4e5f6" not in body for body in scripted(host).bodies[1:])
        assert "redacted" in json.dumps(dict(result.steps[0].calls[0].observation.result))


def test_a_secret_that_code_puts_into_an_argument_reaches_neither_tool_nor_record(tmp_path: Path) -> None:
    code = """
try: tools.call("search_incidents", service="sk_live_" + "a1b2c3d4e5f6a7b8c9d0")
except ToolError as error: print(error.rule)
"""
    with staged(tmp_path, code) as host:
        _, calls = calls_of(host)
        assert "redacted" in calls[1].call.arguments["service"]


@pytest.mark.parametrize(
    ("code", "status", "said"),
    [
        ("while True: tools.search('key')", "failed", "it ended"),
        ("print('\\x1b[2J\\x1b]0;gone\\x07\\u202eok')", "ok", "ok\n"),
        ("tools.call('\\ud800', {'\\udfff': '\\ud83d'})", "failed", "tool-not-offered"),
        ("a = {}\nfor _ in range(60): a = {'a': a}\ntools.call('check_api_key_status', a)", "failed", "it ended"),
        ("tools.call('check_api_key_status', {'account_id': float('nan')})", "failed", "invalid-arguments"),
    ],
)
def test_code_that_means_harm_comes_to_a_result_like_any_other(
    tmp_path: Path, code: str, status: str, said: str
) -> None:
    with staged(tmp_path, code) as host:
        result, calls = calls_of(host)
        observation = calls[0].observation
        assert observation.status == status
        assert said in (observation.result.get("printed") or observation.note)
        assert "\x1b" not in str(observation) and "\u202e" not in str(observation)
        assert all(host.replay(each, ADMIN)["identical"] for each in result.request_ids)
