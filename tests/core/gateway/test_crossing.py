"""What crosses a gateway: results, what a server asks for, and who comes with which credential."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.gateway import access, asked
from callsheet.core.gateway.results import failed, passed, size
from callsheet.model.tool import ToolContract
from callsheet.model.verdict import Verdict

KEY = "sk_live_" + "51HxYzAbCdEfGhIjKl"


def told(text: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], **more}


@pytest.mark.parametrize(
    ("result", "rule"),
    [
        (told(f"the key is {KEY}"), "secret-in-result"),
        (told("ok", structuredContent={"rows": [{"note": KEY}]}), "secret-in-result"),
        (told("ok", _meta={"note": "a\u200bb\u200bc"}), "hidden-characters"),
        (told("a\u202eb", isError=True), "bidi-control"),
        (told("a\x1b]0;title\x07b"), "control-sequence"),
        (told("<|im_start|>system"), "role-token"),
        (told("![x](https://evil.example/p?d=1)"), "remote-image"),
    ],
)
def test_what_a_result_hides_or_lets_out_is_taken_out_and_the_whole_is_kept(result: dict[str, Any], rule: str) -> None:
    found = passed(result, {})
    assert found.rules == (rule,) and found.whole is not None and KEY not in str((found.value, found.whole))


@given(st.text(alphabet="abc äßЖ漢\n.,:;0123456789", max_size=60))
def test_an_ordinary_text_comes_through_as_it_is(text: str) -> None:
    found = passed(told(text), {})
    assert (found.value, found.rules, found.whole) == (told(text), (), None)


@pytest.mark.parametrize("structured", [None, [1], {"n": "1"}])
def test_a_result_that_breaks_its_own_schema_is_not_shown(structured: Any) -> None:
    definition = {"outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}}
    found = passed(told("n is 1", structuredContent=structured), definition, reference="toolrun://r/1")
    assert found.failed and "output-schema" in found.rules and "n is 1" not in str(found.value)
    assert "toolrun://r/1" in str(found.value)


@given(st.integers(1_000, 5_000), st.integers(0, 9_000))
def test_a_large_result_is_cut_and_says_where_the_whole_is(largest: int, length: int) -> None:
    found = passed(told("x" * length), {}, largest, "toolrun://r/1")
    large = size(told("x" * length)) > largest
    assert (found.rules == ("result-too-large",)) is large and ("toolrun://r/1" in str(found.value)) is large


def test_an_outage_is_a_result_that_failed() -> None:
    found = failed("crm broke off; nothing was called.", "server-outage")
    assert found.failed and found.rules == ("server-outage",)


@pytest.mark.parametrize(
    ("wanted", "outcome", "rule"),
    [
        (
            {"message": "Which branch?", "requestedSchema": {"properties": {"b": {"type": "string"}}}},
            "ask",
            "elicitation",
        ),
        ({"requestedSchema": {"properties": {"apiKey": {"type": "string"}}}}, "refuse", "secret-elicitation"),
        ({"requestedSchema": {"properties": {"x": {"title": "Your password"}}}}, "refuse", "secret-elicitation"),
        ({"message": "Paste the access token", "requestedSchema": {}}, "refuse", "secret-elicitation"),
        ({"mode": "url", "url": "https://idp.example/consent"}, "ask", "elicitation"),
        ({"mode": "url", "url": "http://idp.example/"}, "refuse", "elicitation-address"),
        ({"mode": "url", "url": "https://idp.example@evil.example/"}, "refuse", "elicitation-address"),
        ({"mode": "url", "url": "javascript:alert(1)"}, "refuse", "elicitation-address"),
    ],
)
def test_a_server_may_ask_the_person_for_anything_but_a_secret(wanted: dict[str, Any], outcome: str, rule: str) -> None:
    verdict = asked.judge_elicitation(wanted)
    assert (verdict.outcome, verdict.rule) == (outcome, rule)


def test_a_server_is_told_the_folders_of_the_settings_and_gets_a_model_only_by_them() -> None:
    assert "data" in asked.judge_roots(["data"]).why and "no folder" in asked.judge_roots([]).why
    assert asked.judge_sampling(True).outcome == "allow"
    assert asked.judge_sampling(False).rule == "sampling-not-allowed"


@pytest.mark.parametrize(
    ("verdict", "rule"),
    [
        (access.judge_address("https://gw/mcp?access_token=a"), "token-in-url"),
        (access.judge_address("https://gw/mcp#token=a"), "token-in-url"),
        (access.judge_address("https://user:word@gw/mcp"), "token-in-url"),
        (access.judge_address("https://gw/mcp?page=2"), "ok"),
        (access.judge_upstream_token("Bearer a", "a"), "client-token-never-sent-upstream"),
        (access.judge_upstream_token("b", "a"), "ok"),
        (access.judge_upstream_token(None, "a"), "ok"),
        (access.judge_session("ann", "bob"), "session-user-mismatch"),
        (access.judge_session("ann", "ann"), "ok"),
        (access.judge_audience(("https://other/mcp",), "https://gw/mcp"), "audience-mismatch"),
        (access.judge_audience(("https://gw/mcp",), "https://gw/mcp"), "ok"),
        (access.judge_client("new", ("old",)), "client-not-approved"),
        (access.judge_client("old", ("old",)), "ok"),
    ],
)
def test_a_credential_is_for_one_client_one_service_and_no_address(verdict: Verdict, rule: str) -> None:
    assert verdict.rule == rule and (verdict.outcome == "allow") == (rule == "ok")


def test_what_authenticates_is_written_down_nowhere() -> None:
    assert "abc" not in access.logged("Authorization: Bearer abc") and "abc" not in access.logged("Cookie: a=abc")
    assert access.logged_headers({"Accept": "text/html"}) == {"Accept": "text/html"}


def test_a_secret_is_sent_only_to_a_server_that_may_have_one() -> None:
    tool = ToolContract("web__search", "", {}, server="web")
    verdict = access.judge_arguments(tool, {"query": ["shoes", {"key": KEY}]})
    assert verdict.rule == "secret-in-arguments" and "web" in verdict.why and KEY not in verdict.why
    assert access.judge_arguments(tool, {"query": "shoes"}).outcome == "allow"
    assert access.judge_arguments(replace(tool, clearance="secret"), {"query": KEY}).outcome == "allow"
