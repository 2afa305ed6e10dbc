"""What comes to a gateway, each with what has to become of it (`tests/cases`, or CALLSHEET_CASES)."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from callsheet.core.gate.check import Grounds, judge_call
from callsheet.core.gateway import access, asked
from callsheet.core.gateway.contracts import LocalContract, contract_of
from callsheet.core.gateway.definitions import (
    Others,
    canonical,
    references,
    review_launch,
    review_listing,
    review_server,
    review_texts,
    shadowing,
)
from callsheet.core.gateway.names import exposed, name_review
from callsheet.core.gateway.results import passed
from callsheet.edges.mcp.pins import FILE, read_pins
from callsheet.errors import UsageError
from callsheet.model.gateway import Pinned
from callsheet.model.policy import GatePolicy
from callsheet.model.task import TaskState
from callsheet.model.tool import ToolCall

CASES = Path(os.environ.get("CALLSHEET_CASES") or Path(__file__).parents[2] / "cases") / "mcp_gateway_cases.json"
OURS = {
    "unknown-tool": "tool-not-offered",
    "not-in-working-set": "tool-not-offered",
    "authority-argument-from-untrusted": "untrusted-argument",
    "per-client": "client-not-approved",
}
"""Rules that have another name here: a tool that is not there reads the same as one that may not be used."""
EITHER = {"ask-or-refuse": ("ask", "refuse"), "refuse-or-safe": ("refuse", "allow", "clean")}
Said = tuple[str, str | None]


def said(review: Any) -> Said:
    """Outcome and rule of whatever was said; nothing said is allowed."""
    return ("allow", None) if review is None else (review.outcome, review.rule)


def definition(given: Mapping[str, Any] | str) -> dict[str, Any]:
    """A definition of a row: without the server's name, which is none of it; a bare name is one as well."""
    told = {"name": given} if isinstance(given, str) else dict(given)
    told.pop("server", None)
    return told


def listed(given: Mapping[str, Any]) -> Said:
    if "servers" in given:
        others, found = Others(()), None
        for server, tools in given["servers"].items():
            for tool in map(definition, tools):
                found = found or shadowing(server, tool, others)
                others.add(server, tool)
        return said(found)
    if "pinned" in given:
        server, pinned, seen = given["pinned"]["server"], definition(given["pinned"]), definition(given["seen"])
        pins = {server: Pinned("", {}, {pinned["name"]: pinned})}
        return said(review_listing({given["seen"].get("server", server): [seen]}, pins)[0])
    server, tool = given.get("server", "new"), definition(given)
    refused = name_review(server, tool["name"]) if "name" in tool else None
    return said(refused or review_texts(server, tool) or references(server, tool, {server: ()}))


def initialized(given: Mapping[str, Any]) -> Said:
    return said(review_server("it", given["pinned_serverInfo"], given["seen"]))


def connected(given: Mapping[str, Any]) -> Said:
    pinned = next(given[key] for key in ("pinned_cmd", "pinned_url", "pinned") if key in given)
    return said(review_launch("it", canonical(pinned).decode(), canonical(given["seen"]).decode()))


def started(given: Mapping[str, Any], folder: Path) -> Said:
    (folder / FILE).write_text(str(next(iter(given.values()))))
    try:
        read_pins(folder)
    except UsageError:
        return "refuse", None
    return "allow", None


def resulted(given: Mapping[str, Any]) -> Said:
    text = str(given.get("text", given.get("error", ""))) or "x" * int(given.get("size", given.get("bytes", 0)))
    result = {"content": [{"type": "text", "text": text}], "isError": "error" in given}
    result |= {key: given[key] for key in ("structuredContent", "_meta", "content") if key in given}
    found = passed(result, {key: given[key] for key in ("outputSchema",) if key in given})
    if "output-schema" in found.rules:
        return "failure", "output-schema"
    if "result-too-large" in found.rules:
        return "artifact", "result-too-large"
    return ("clean", found.rules[0]) if found.rules else ("allow", None)


def called(given: Mapping[str, Any]) -> Said:
    server, _, name = given["tool"].rpartition("/")
    values: Mapping[str, Any] = given.get("args", {})
    known = given.keys() & {"args", "annotations", "contract", "provenance"} and given.get("loaded", True)
    tool = {"name": name, "annotations": given.get("annotations"), "inputSchema": {"type": "object"}}
    tool["inputSchema"] = {"type": "object", "properties": {each: {} for each in values}}
    local = LocalContract(**given["contract"]) if given.get("contract") else None
    lent = [str(values[key]) for key, origin in given.get("provenance", {}).items() if str(origin).startswith("user")]
    offered = (contract_of(server, tool, local),) if known else ()
    grounds = Grounds("r", " ".join(lent), offered, TaskState(), (), GatePolicy())
    return said(judge_call(ToolCall(exposed(server, name), values), grounds))


def admitted(given: Mapping[str, Any]) -> Said:
    if "incoming_bearer" in given:
        return said(access.judge_upstream_token(given["incoming_bearer"], given["incoming_bearer"]))
    if "url" in given:
        return said(access.judge_address(given["url"]))
    if "client_id" in given:
        return said(access.judge_client(given["client_id"], ("other client",)))
    if "audience" in given:
        return said(access.judge_audience((given["audience"],), str(given.get("own", "https://gateway.example/mcp"))))
    return said(access.judge_session("whoever began it", given["user"]))


def logged(given: Mapping[str, Any]) -> Said:
    line = str(next(iter(given.values())))
    return ("clean", None) if access.logged(line) != line else ("allow", None)


def requested(given: Mapping[str, Any]) -> Said:
    judge: Mapping[str, Callable[[], Any]] = {
        "elicitation/create": lambda: asked.judge_elicitation(given),
        "roots/list": lambda: asked.judge_roots(("data",)),
        "sampling/createMessage": lambda: asked.judge_sampling(bool(given.get("configured"))),
    }
    return said(judge[given["method"]]())


STAGES: Mapping[str, Callable[[Mapping[str, Any]], Said]] = {
    "list": listed,
    "list_changed": listed,
    "initialize": initialized,
    "connect": connected,
    "result": resulted,
    "output": resulted,
    "call": called,
    "auth": admitted,
    "http": admitted,
    "log": logged,
    "server_request": requested,
}


@pytest.mark.parametrize("case", json.loads(CASES.read_text()), ids=lambda case: case["id"])
def test_what_comes_to_a_gateway_ends_as_it_has_to(
    case: dict[str, Any], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if case.get("expect_fail"):
        request.applymarker(pytest.mark.xfail(reason=case["why"], strict=False))
    given, expected = case["input"], case["expected"]
    outcome, rule = started(given, tmp_path) if case["stage"] == "start" else STAGES[case["stage"]](given)
    assert outcome in EITHER.get(expected["outcome"], (expected["outcome"],)), rule
    if "rule" in expected:
        assert rule == OURS.get(expected["rule"], expected["rule"])
