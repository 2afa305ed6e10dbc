"""Contracts of the operations of an OpenAPI document, 3.0 or 3.1 (D1).

The method says what a call may do until a project says otherwise: GET and HEAD read (RFC 9110, 9.2.1), DELETE cannot be
taken back, anything else acts outside; PUT and DELETE may be repeated (9.2.2). What changes something and of which the
project says nothing has all its arguments for such with authority.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...model.operation import Operation, Placed
from ...model.tool import Effects, ToolContract
from ..gateway.names import exposed
from ..gateway.results import clean_value
from .contracts import LocalContract, localised
from .json_schema import json_schema, with_definitions

METHODS: Mapping[str, Effects] = {
    "get": "read",
    "head": "read",
    "put": "external",
    "post": "external",
    "patch": "external",
    "delete": "irreversible",
}
REPEATABLE = frozenset(("get", "head", "put", "delete"))
KEY = "idempotency-key"
"""The header that an idempotency key goes into where the document has such a one (draft-ietf-httpapi)."""
BODY = "body"
_ENGINES_OWN = frozenset(("accept", "content-type", "authorization", "cookie", "host", "content-length"))
"""Headers that no argument sets (OpenAPI 3.1, 4.8.12.1; the others are the transport's and the session's)."""


class Unoffered(Exception):
    """Why an operation is not offered."""


@dataclass(frozen=True, slots=True)
class Offered:
    """The operations of a document, and of those that are not offered the reason by their ids."""

    operations: tuple[Operation, ...]
    left_out: Mapping[str, str]


Resolve = Callable[[Any], Any]
"""Gives what a `$ref` stands for, the value itself where it is none."""


def operations_of(
    document: Mapping[str, Any],
    resolve: Resolve,
    server: str,
    locals_: Mapping[str, LocalContract],
    only: Sequence[str] | None = None,
) -> Offered:
    """Every operation of a document that can be called with JSON; `only` names those that a project wants."""
    made: list[Operation] = []
    left: dict[str, str] = {}
    for path, item, method, raw in _operations(document, resolve):
        name = operation_id(method, path, raw)
        if only is not None and name not in only:
            continue
        try:
            shared = item.get("parameters", [])
            operation = _Reading(document, resolve).operation(server, name, method, path, raw, shared)
        except Unoffered as why:
            left[name] = str(why)
            continue
        made.append(_local(operation, locals_.get(name)))
    return Offered(tuple(sorted(made, key=lambda each: each.contract.name)), left)


def operation_id(method: str, path: str, raw: Mapping[str, Any]) -> str:
    """The operation's own id, else its method and path in the letters of a name."""
    given = raw.get("operationId")
    words = (method, *(part.strip("{}") for part in path.split("/") if part))
    name = str(given) if given else "_".join(words)
    return "".join(each if each.isascii() and (each.isalnum() or each in "_-") else "_" for each in name)


def _operations(
    document: Mapping[str, Any], resolve: Resolve
) -> Iterator[tuple[str, Mapping[str, Any], str, Mapping[str, Any]]]:
    for path, given in document.get("paths", {}).items():
        item = resolve(given)
        yield from ((path, item, method, item[method]) for method in METHODS if isinstance(item.get(method), Mapping))


def _local(operation: Operation, local: LocalContract | None) -> Operation:
    if local is None:
        return operation
    contract = localised(operation.contract, local)
    if local.effects is not None and local.authority is None:
        contract = replace(contract, authority=())
    header = local.idempotency_key or operation.key_header
    return replace(operation, contract=replace(contract, idempotency_key=header), key_header=header)


@dataclass(frozen=True, slots=True)
class _Reading:
    document: Mapping[str, Any]
    resolve: Resolve

    def operation(
        self, server: str, name: str, method: str, path: str, raw: Mapping[str, Any], shared: Sequence[Any]
    ) -> Operation:
        properties: dict[str, Any] = {}
        required: list[str] = []
        placed: list[Placed] = []
        key_header = ""
        for given in self._parameters(raw, shared):
            if given["in"] == "header" and given["name"].casefold() == KEY:
                key_header = given["name"]
            elif (place := self._placed(given)) is not None:
                placed.append(place)
                properties[place.argument] = self._described(given, self._schema_of(given))
                required += [place.argument] if given.get("required") or place.place == "path" else []
        body_type, body, needed = self._body(raw)
        if body is not None and BODY in properties:
            raise Unoffered("it has a parameter called body beside its body")
        properties |= {BODY: body} if body is not None else {}
        required += [BODY] if needed else []
        schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
        effects = METHODS[method]
        contract = ToolContract(
            name=exposed(server, name),
            description=clean_value(" ".join((raw.get("description") or raw.get("summary") or "").split()))[0],
            input_schema=with_definitions(schema, self.document),
            output_schema=self._output(raw),
            effects=effects,
            authority=() if effects == "read" else tuple(properties),
            idempotent=method in REPEATABLE,
            failures=tuple(f"http-{code}" for code in raw.get("responses", {}) if str(code).startswith("4")),
            server=server,
            source=name,
            idempotency_key=key_header,
        )
        return Operation(contract, method.upper(), path, tuple(placed), body_type, key_header)

    def _parameters(self, raw: Mapping[str, Any], shared: Sequence[Any]) -> list[Mapping[str, Any]]:
        """Those of the path and of the operation; the operation's own go before."""
        every = [self.resolve(each) for each in (*shared, *raw.get("parameters", []))]
        return list({(each["in"], each["name"]): each for each in every}.values())

    def _placed(self, given: Mapping[str, Any]) -> Placed | None:
        place, name = given["in"], given["name"]
        if place == "cookie" or (place == "header" and name.casefold() in _ENGINES_OWN):
            if given.get("required") and place == "cookie":
                raise Unoffered(f"it needs the cookie {name!r}")
            return None
        style = given.get("style", "form" if place == "query" else "simple")
        if "content" in given or style not in ("form", "simple"):
            raise Unoffered(f"the parameter {name!r} is written in a way that is not known here ({style})")
        return Placed(name, place, place != "query" or given.get("explode") is False)

    def _schema_of(self, given: Mapping[str, Any]) -> Any:
        return json_schema(given.get("schema", {}))

    @staticmethod
    def _described(given: Mapping[str, Any], schema: Any) -> Any:
        said = given.get("description")
        return {**schema, "description": said} if said and isinstance(schema, Mapping) else schema

    def _body(self, raw: Mapping[str, Any]) -> tuple[str, Any, bool]:
        body = self.resolve(raw.get("requestBody")) if raw.get("requestBody") else None
        if body is None:
            return "", None, False
        kind = next((each for each in body.get("content", {}) if is_json(each)), None)
        if kind is None:
            if not body.get("required"):
                return "", None, False
            raise Unoffered(f"its body is no JSON ({', '.join(body.get('content', {}))})")
        schema = json_schema(body["content"][kind].get("schema", {}))
        return kind, self._described(body, schema), bool(body.get("required"))

    def _output(self, raw: Mapping[str, Any]) -> Mapping[str, Any]:
        """The schema of what comes back, where that is an object; what else comes back stands under `result`."""
        responses = raw.get("responses", {})
        first = next((responses[each] for each in responses if str(each).startswith("2")), None)
        content = self.resolve(first).get("content", {}) if first is not None else {}
        kind = next((each for each in content if is_json(each)), None)
        if kind is None:
            return {}
        schema = json_schema(content[kind].get("schema", {}))
        plain = json_schema(self.resolve(content[kind].get("schema", {})))
        whole = plain if isinstance(plain, Mapping) and plain.get("properties") else {"properties": {"result": schema}}
        return with_definitions({"type": "object", **whole}, self.document)


def is_json(kind: str) -> bool:
    """Whether a media type is JSON."""
    plain = kind.partition(";")[0].strip().casefold()
    return plain == "application/json" or plain.endswith("+json")
