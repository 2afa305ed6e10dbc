"""Definitions stand in no request until a search finds them, among those alone that may be called (D6, F5)."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from callsheet import Host
from callsheet.errors import ProjectError
from callsheet.testing.scripted import Said

from .stage import customer, open_stage, project, scripted

ASKED = "Why is my API key not working?"
ESCALATE: Said = {"kind": "escalate", "reason": "That is all."}


def call(tool: str, **arguments: Any) -> Said:
    return {"kind": "calls", "calls": [{"tool": tool, "arguments": arguments}]}


def staged(tmp_path: Path, replies: Sequence[Said], findable: str = '["*"]', allowed: str = '["find_tools"]') -> Host:
    """A host whose diagnosis has nothing but a search, again and again, with a model that replies so."""
    folder = project(tmp_path)
    file = folder / "callsheet.toml"
    text = file.read_text().replace(
        'allowlist = ["check_api_key_status", "search_incidents"]', f"allowlist = {allowed}\nfindable = {findable}"
    )
    file.write_text(text.replace('then = "answer"\nexamples = 0', 'then = "diagnose"\nexamples = 0'))
    return open_stage(tmp_path, replies)


STATUS = "look up the status of the api key of an account"
FIND = call("find_tools", query=STATUS)
CHECK = call("check_api_key_status", account_id="A-123")


def test_a_definition_comes_whole_once_it_was_found_and_the_call_runs(tmp_path: Path) -> None:
    with staged(tmp_path, [FIND, CHECK, ESCALATE], findable='["check_*"]') as host:
        result = host.run(ASKED, customer())
        calls = [each for step in result.steps for each in step.calls]
        assert [(each.call.tool, each.verdict.rule, each.observation.status) for each in calls] == [
            ("find_tools", "ok", "ok"),
            ("check_api_key_status", "ok", "ok"),
        ]
        assert list(calls[0].observation.result["tools"]) == ["check_api_key_status"]
        first, second, third = scripted(host).bodies
        assert b"check_api_key_status(" not in first
        assert b"check_api_key_status(account_id: string)" in second
        assert b"check_api_key_status(account_id: string)" in third
        stable = [json.loads(body)["messages"][0]["content"] for body in (second, third)]
        assert stable[0] == stable[1], "the prefix is as it was after the search"
        manifest = host.show(result.request_ids[0], customer()).manifest
        left = {each.item_id: each.detail for each in manifest.left_out}
        assert left["tool/check_api_key_status"] == "kept out until a search finds it"
        assert all(host.replay(each, customer())["identical"] for each in result.request_ids)


def test_a_tool_that_was_not_found_yet_is_refused_with_the_way_to_it(tmp_path: Path) -> None:
    with staged(tmp_path, [CHECK, ESCALATE]) as host:
        verdict = host.run(ASKED, customer()).steps[0].calls[0].verdict
        assert (verdict.rule, "find it with find_tools first" in verdict.why) == ("tool-not-offered", True)


def test_a_tool_that_the_actor_may_not_use_changes_no_search(tmp_path: Path) -> None:
    rotate = call("find_tools", query="rotate the api key of an account")
    found = []
    for number, grants in enumerate(((), ("keys:rotate",))):
        with staged(tmp_path / str(number), [rotate, call("rotate_api_key", account_id="A-123"), ESCALATE]) as host:
            result = host.run(ASKED, customer(*grants))
            found.append(list(result.steps[0].calls[0].observation.result["tools"]))
            if not grants:
                assert all(b"rotate_api_key" not in body for body in scripted(host).bodies[:2])
                assert "find it" not in result.steps[1].calls[0].verdict.why
    assert "rotate_api_key" not in found[0] and found[1][0] == "rotate_api_key"


def test_what_a_kind_does_not_name_is_not_found(tmp_path: Path) -> None:
    with staged(tmp_path, [FIND, ESCALATE], findable='["search_*"]') as host:
        found = host.run(ASKED, customer()).steps[0].calls[0].observation
        assert set(found.result["tools"]) <= {"search_incidents"}


def test_a_list_of_what_may_be_found_without_a_search_is_a_mistake_with_its_way_out(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="put find_tools on its allowlist"):
        staged(tmp_path, [], allowed='["search_incidents"]')
    with pytest.raises(ProjectError, match="check_api_key_status"):
        staged(tmp_path / "two", [], findable='["check_api_key_statis"]')
