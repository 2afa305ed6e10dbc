"""The operations of an HTTP API as tools of a run: allowed like any other, judged like any other, called once."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from callsheet import Host
from callsheet.errors import ProjectError, UsageError
from callsheet.host.host import Overrides, open_host
from callsheet.testing import SCRIPTED, FixedClock, ScriptedModel

PROJECT = """
[project]
name = "shop"
policy_version = "v1"

[session]
tenant = "acme"
actor = "customer:u1"
subject = "u1"

[decision.ask]
purpose = "sales"
entry = true
allowlist = ["shop__getOrder", "shop__createOrder"]
proposals = ["calls", "answer"]
then = "ask"

[openapi.shop]
document = "shop.json"
base_url = "BASE"

[openapi.shop.tools.getOrder]
rate = "1/minute"
"""
ANSWER = {"responses": {"200": {"description": "ok"}}}
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "paths": {
        "/orders/{id}": {
            "get": {
                "operationId": "getOrder",
                "summary": "Gets an order.",
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
                **ANSWER,
            }
        },
        "/orders": {"post": {"operationId": "createOrder", "summary": "Orders something.", **ANSWER}},
    },
}
ASKED: list[str] = []


class Shop(BaseHTTPRequestHandler):
    """Knows every order."""

    def do_GET(self) -> None:
        ASKED.append(self.path)
        data = json.dumps({"id": self.path.rsplit("/", 1)[-1], "state": "sent"}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        return


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    ASKED.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    (tmp_path / "callsheet.toml").write_text(PROJECT.replace("BASE", f"http://127.0.0.1:{server.server_port}"))
    (tmp_path / "shop.json").write_text(json.dumps(DOCUMENT))
    yield tmp_path
    server.shutdown()
    server.server_close()
    thread.join()


def opened(folder: Path, *replies: Any) -> Host:
    overrides = Overrides(model=ScriptedModel(SCRIPTED, replies), clock=FixedClock(), token=lambda: f"{len(replies)}")
    return open_host(folder, folder / "data", overrides)


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"kind": "calls", "calls": [{"tool": tool, "arguments": arguments}]}


def test_a_read_of_an_api_runs_and_its_answer_is_an_observation(folder: Path) -> None:
    with opened(folder, call("shop__getOrder", id="o1"), {"kind": "answer", "answer": "It was sent."}) as host:
        result = host.run("Where is order o1?")
        made = result.steps[0].calls[0].observation
        assert (result.outcome, made.status, made.result) == ("answer", "ok", {"id": "o1", "state": "sent"})
        assert ASKED == ["/orders/o1"] and all(host.replay(each)["identical"] for each in result.request_ids)


def test_what_acts_outside_asks_first_and_a_rate_holds_over_hosts(folder: Path) -> None:
    with opened(folder, call("shop__createOrder")) as host:
        assert host.run("Order one more.").outcome == "asked"
    done = {"kind": "answer", "answer": "It was sent."}
    with opened(folder, call("shop__getOrder", id="o1"), done) as host:
        host.run("Where is order o1?")
    with opened(folder, call("shop__getOrder", id="o2"), done, done) as host:
        result = host.run("Where is order o2?")
    assert result.steps[0].calls[0].verdict.rule == "rate-limit" and ASKED == ["/orders/o1"]


MISTAKES = [
    ("shop__createOrder", "shop__makeOrder", "no API offers"),
    ("tools.getOrder]", "tools.gettOrder]", "did you mean 'getOrder'"),
    ('"1/minute"', '"often"', "is no rate"),
    ('document = "shop.json"', 'document = "none.json"', "cannot be read"),
    ('base_url = "http://', 'base_url = "http://shop.test/', "neither https nor of this machine"),
    ("[openapi.shop.tools", 'token_env = "NO_SUCH_TOKEN_HERE"\n[openapi.shop.tools', "is not set"),
]


@pytest.mark.parametrize(("right", "wrong", "why"), MISTAKES)
def test_a_mistake_about_an_api_is_said_when_the_project_is_opened(
    folder: Path, right: str, wrong: str, why: str
) -> None:
    file = folder / "callsheet.toml"
    file.write_text(file.read_text().replace(right, wrong, 1))
    with pytest.raises((UsageError, ProjectError), match=why):
        opened(folder).close()
