"""An HTTP API as tools: contracts of its document, and calls of it, over a server on this machine."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from callsheet.core.tools.contracts import LocalContract
from callsheet.core.tools.openapi import Offered, operations_of
from callsheet.edges.openapi.calling import ApiTools
from callsheet.edges.openapi.document import read_document, resolver
from callsheet.errors import UsageError
from callsheet.model.request import RequestContext
from callsheet.model.tool import RawResult, ToolCall, ToolContract

CTX = RequestContext("acme", "ada")
DOCUMENT = """
openapi: 3.0.3
info: {title: Shop, version: "1"}
paths:
  /orders/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string}}
    get:
      operationId: getOrder
      summary: Gets an order.
      parameters:
        - {$ref: "#/components/parameters/Fields"}
        - {name: tag, in: query, schema: {type: array, items: {type: string}}}
      responses:
        200: {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}
        404: {description: none}
    delete:
      responses: {204: {description: gone}}
  /orders:
    post:
      operationId: createOrder
      description: Orders something.
      parameters:
        - {name: Idempotency-Key, in: header, schema: {type: string}}
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}
      responses: {201: {description: made}}
  /upload:
    post:
      operationId: upload
      requestBody: {required: true, content: {multipart/form-data: {schema: {type: object}}}}
      responses: {200: {description: ok}}
components:
  parameters:
    Fields: {name: fields, in: query, explode: false, schema: {type: array, items: {type: string}}}
  schemas:
    Order:
      type: object
      properties:
        id: {type: string, nullable: true, example: 2026-01-01}
        count: {type: integer, minimum: 0, exclusiveMinimum: true}
        parent: {$ref: "#/components/schemas/Order"}
"""


class Shop(BaseHTTPRequestHandler):
    """Answers what the test said, and keeps what it was asked."""

    asked: list[tuple[str, str, dict[str, str], bytes]]
    answer: tuple[int, str, bytes]

    def _serve(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        type(self).asked.append((self.command, self.path, dict(self.headers), body))
        status, kind, data = type(self).answer
        if status == 0:
            self.connection.close()
            return
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Location", "http://127.0.0.1:1/elsewhere")
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_DELETE = _serve

    def log_message(self, *_: Any) -> None:
        return


@pytest.fixture
def shop() -> Iterator[tuple[str, type[Shop]]]:
    handler = type("Handler", (Shop,), {"asked": [], "answer": (200, "application/json", b'{"id": "o1", "count": 2}')})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1", handler
    server.shutdown()
    server.server_close()
    thread.join()


def offered(tmp_path: Path, text: str = DOCUMENT, **local: LocalContract) -> Offered:
    file = tmp_path / "shop.yaml"
    file.write_text(text)
    document = read_document(file)
    return operations_of(document, resolver(document, file), "shop", local)


def contracts(found: Offered) -> dict[str, ToolContract]:
    return {each.contract.name: each.contract for each in found.operations}


def call(shop: Any, found: Offered, name: str, **arguments: Any) -> RawResult:
    tools = ApiTools(found.operations, shop[0], 5, "secret-token", "Authorization")
    return tools.execute(ToolCall(name, arguments, key="key-1"), CTX)


def test_the_method_says_what_a_call_may_do_and_what_cannot_be_sent_is_left_out_with_its_reason(tmp_path: Path) -> None:
    found = offered(tmp_path)
    made = contracts(found)
    assert sorted(made) == ["shop__createOrder", "shop__delete_orders_id", "shop__getOrder"]
    get, create, delete = made["shop__getOrder"], made["shop__createOrder"], made["shop__delete_orders_id"]
    assert (get.effects, create.effects, delete.effects) == ("read", "external", "irreversible")
    assert (get.authority, create.authority, delete.authority) == ((), ("body",), ("id",))
    assert get.idempotent and delete.idempotent and create.repeatable and create.idempotency_key == "Idempotency-Key"
    assert get.failures == ("http-404",) and (get.server, get.source) == ("shop", "getOrder")
    assert found.left_out == {"upload": "its body is no JSON (multipart/form-data)"}


def test_schemas_are_those_of_the_document_in_the_words_of_json_schema_with_all_they_refer_to(tmp_path: Path) -> None:
    made = contracts(offered(tmp_path))
    asked = made["shop__createOrder"].input_schema
    assert asked["properties"] == {"body": {"$ref": "#/$defs/Order"}} and asked["required"] == ["body"]
    order = asked["$defs"]["Order"]["properties"]
    assert order["id"] == {"type": ["string", "null"]} and order["count"] == {"type": "integer", "exclusiveMinimum": 0}
    assert order["parent"] == {"$ref": "#/$defs/Order"}
    assert set(made["shop__getOrder"].output_schema["properties"]) == {"id", "count", "parent"}
    assert made["shop__getOrder"].input_schema["required"] == ["id"]


def test_what_the_project_says_of_an_operation_is_what_counts(tmp_path: Path) -> None:
    local = LocalContract(effects="write", scope="orders", cost=2.0, rate="3/minute", integrity="trusted")
    made = contracts(offered(tmp_path, createOrder=local))["shop__createOrder"]
    assert (made.effects, made.scope, made.cost, made.authority) == ("write", "orders", 2.0, ())
    assert made.rate is not None and made.rate.calls == 3 and made.returns.integrity == "trusted"


def test_arguments_go_where_the_document_says_and_a_path_leads_nowhere_else(shop: Any, tmp_path: Path) -> None:
    found = offered(tmp_path)
    raw = call(shop, found, "shop__getOrder", id="a/../b c", fields=["x", "y"], tag=["p", "q"])
    assert raw.value == {"id": "o1", "count": 2}
    method, path, headers, _ = shop[1].asked[0]
    assert (method, path) == ("GET", "/v1/orders/a%2F..%2Fb%20c?fields=x%2Cy&tag=p&tag=q")
    assert headers["Authorization"] == "Bearer secret-token"
    assert call(shop, found, "shop__getOrder", id="..").failure == "invalid-argument" and len(shop[1].asked) == 1


def test_a_body_and_the_key_of_the_call_are_sent(shop: Any, tmp_path: Path) -> None:
    shop[1].answer = (201, "text/plain", b"made\x1b[8m hidden")
    raw = call(shop, offered(tmp_path), "shop__createOrder", body={"id": "ü"})
    _, _, headers, body = shop[1].asked[0]
    assert json.loads(body) == {"id": "ü"} and headers["Idempotency-Key"] == "key-1"
    assert raw.value is not None and "\x1b" not in raw.value["result"]


@pytest.mark.parametrize(
    ("status", "failure", "unknown"),
    [(404, "http-404", False), (302, "http-302", False), (503, "http-503", True), (0, "no-answer", True)],
)
def test_a_refusal_is_a_failure_and_after_a_break_nobody_can_say_whether_it_ran(
    shop: Any, tmp_path: Path, status: int, failure: str, unknown: bool
) -> None:
    shop[1].answer = (status, "application/json", b'{"error": "no"}')
    raw = call(shop, offered(tmp_path), "shop__delete_orders_id", id="o1")
    assert (raw.failure, raw.unknown) == (failure, unknown) and len(shop[1].asked) == 1


def test_what_cannot_be_reached_has_not_run(tmp_path: Path) -> None:
    raw = call(("http://127.0.0.1:1",), offered(tmp_path), "shop__delete_orders_id", id="o1")
    assert (raw.failure, raw.unknown) == ("unreachable", False)


BROKEN = [
    ("openapi: 2.0\n", "no OpenAPI 3.0 or 3.1"),
    ("openapi: 3.1.0\npaths: {}\n", "info"),
    ("{", "cannot be read"),
    (DOCUMENT.replace("#/components/parameters/Fields", "#/components/parameters/None"), "leads nowhere"),
    (DOCUMENT.replace("#/components/parameters/Fields", "other.yaml#/Fields"), "leads out of the document"),
]


@pytest.mark.parametrize(("text", "why"), BROKEN)
def test_a_document_that_does_not_hold_is_refused_with_the_place_and_the_way_out(
    tmp_path: Path, text: str, why: str
) -> None:
    with pytest.raises(UsageError, match=why):
        offered(tmp_path, text)
