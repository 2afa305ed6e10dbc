"""The gateway of one session: what a client asks passes one check, and what servers answer the other (D5)."""

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ...core.artifacts import CONTRACT, READ_ARTIFACT, artifact_text, read_part
from ...core.gate.contract import schema_errors
from ...core.gateway.asked import judge_elicitation
from ...core.gateway.results import clean_value, failed, passed
from ...core.text.redact import redact_value
from ...edges.mcp.faces import BrokenResult, Elicit, ProtocolError, UnknownOutcome, Wire
from ...errors import OutageError, UnknownName
from ...model.gateway import Passed
from ...model.tool import ObservationStatus
from .judging import GatewayGate, Judged
from .servers import ForeignTool, Listing, Servers
from .texts import GatewayTexts, namespaced

Ask = Callable[[Wire], Awaitable[Wire]]
"""Puts a server's question to the person who made the call under way; answers the protocol's result."""
DECLINED: Wire = {"action": "decline"}
META, SERVER_INFO = "callsheet/", "io.modelcontextprotocol/serverInfo"
"""What our own keys in `_meta` begin with, and under which key a server says who it is."""
READ_BACK: Wire = {
    "name": READ_ARTIFACT,
    "title": "Read what was kept",
    "description": (
        "Reads a tool result that was too long to be told, or of which something was taken out, by the reference "
        "that the result names: some lines, some bytes, or with search the lines that hold a text."
    ),
    "inputSchema": CONTRACT.input_schema,
    "annotations": {"readOnlyHint": True, "openWorldHint": False},
}


class Gateway:
    """Foreign servers as one person may use them. `connect` gives the servers, once it knows whom they may ask."""

    def __init__(self, connect: Callable[[Elicit], Servers], gate: GatewayGate, largest: int) -> None:
        self._gate = gate
        self._largest = largest
        self._asks: list[Ask] = []
        self._servers = connect(self._elicited)
        self.texts = GatewayTexts(self._servers, self._checked)

    async def close(self) -> None:
        """Ends every connection."""
        await self._servers.close()

    async def reviews(self) -> Listing:
        """What every server lists now, and what is said of it."""
        return await self._servers.listing(fresh=True)

    async def tools(self) -> list[Wire]:
        """The definitions of the tools that this person may use, in the order of their names. UsageError as `pins`."""
        found = await self._servers.listing(fresh=True)
        return [*(each.listed() for each in found.tools.values()), READ_BACK]

    async def call(self, name: str, arguments: Mapping[str, Any], ask: Ask | None = None) -> Wire:
        """The result of a call as it may be told: what was refused, asked, held or failed is one as well."""
        if name == READ_ARTIFACT:
            return self._read_back(arguments)
        found = await self._servers.listing()
        if name in found.held:
            return _said(f"Not called: {found.held[name].why} [{found.held[name].rule}]")
        # In this thread: a hop to another one and back costs more than the judgement and the record together.
        judged = self._gate.before(name, arguments, found.contracts)
        if judged.verdict.outcome != "allow":
            return _turned_away(judged)
        with self._hearing(ask):
            return await self._made(judged, found.tools[name], arguments)

    async def _made(self, judged: Judged, tool: ForeignTool, arguments: Mapping[str, Any]) -> Wire:
        """The result of a call that was let through."""
        connection = self._servers.connections[tool.server]
        status: ObservationStatus = "ok"
        try:
            answer = await connection.asked("tools/call", tool.contract.source, arguments)
            result = passed(namespaced(tool.server, answer), tool.definition, self._largest, judged.reference)
            status = "failed" if result.failed else "ok"
        except UnknownOutcome as error:
            repeatable = tool.contract.repeatable
            status, rule = ("failed", "server-outage") if repeatable else ("unknown", "outcome-unknown")
            note = "" if repeatable else " Nobody can say whether the call has run: do not repeat it, look first."
            result = failed(f"{error}.{note}", rule)
        except OutageError as error:
            status, result = "failed", failed(f"{error}; nothing was called.", "server-outage")
        except BrokenResult as error:
            status, result = "failed", failed(str(clean_value(redact_value(str(error)))[0]), "output-schema")
        except ProtocolError as error:
            told = failed(error.message, "tool-failed")
            self._gate.after(judged, tool.contract, "failed", told.value, told.rules)
            raise checked_error(error) from None
        if result.whole is not None:
            self._gate.keep(judged.reference, judged.call.tool, result.whole)
        self._gate.after(judged, tool.contract, status, result.value, result.rules)
        return marked(result, judged.reference)

    async def _checked(self, server: str, answer: Wire) -> Wire:
        """What a server answered otherwise than to a call, as it may be told; the whole is kept where it differs."""
        reference = self._gate.next_reference()
        result = passed(namespaced(server, answer), {}, self._largest, reference)
        if result.whole is not None:
            self._gate.keep(reference, server, result.whole)
        return marked(result, reference)

    def _read_back(self, arguments: Mapping[str, Any]) -> Wire:
        if errors := schema_errors(CONTRACT.input_schema, dict(arguments)):
            return _said(f"Not read: {'; '.join(errors)} [invalid-arguments]")
        reference = str(arguments["reference"])
        try:
            data = self._gate.kept(reference)
        except UnknownName as error:
            return _said(f"Not read: {error}")
        part = read_part(reference, *artifact_text(data), arguments)
        return {"content": [{"type": "text", "text": json.dumps(part, ensure_ascii=False)}], "isError": False}

    @contextmanager
    def _hearing(self, ask: Ask | None) -> Iterator[None]:
        """While a call is under way, what its server wants to know is asked of whoever made it."""
        if ask is None:
            yield
            return
        self._asks.append(ask)
        try:
            yield
        finally:
            self._asks.remove(ask)

    async def _elicited(self, server: str, wanted: Wire) -> Wire:
        """The person's answer to a server's question. A secret is neither asked for nor passed on."""
        told, _ = clean_value(redact_value(wanted))
        if judge_elicitation(told).outcome == "refuse" or not self._asks:
            return DECLINED
        # Nobody but us says who asks: a server could call itself anything.
        answer = await self._asks[-1]({**told, "message": f"[{server}] {told.get('message', '')}"})
        return answer if redact_value(answer.get("content")) == answer.get("content") else DECLINED


def marked(result: Passed, reference: str) -> Wire:
    """The result, with what was done to it where a program reads it and a model does not."""
    foreign = result.value.get("_meta") or {}
    # Who a server says it is reaches nobody, and our own words are ours.
    meta = {key: each for key, each in foreign.items() if key != SERVER_INFO and not key.startswith(META)}
    if result.rules:
        meta |= {f"{META}rules": list(result.rules)}
    if result.whole is not None:
        meta |= {f"{META}artifact": reference}
    value = {key: each for key, each in result.value.items() if key != "_meta"}
    return {**value, "_meta": meta} if meta else value


def checked_error(error: ProtocolError) -> ProtocolError:
    """An error of a server, as it may be told."""
    message, data = clean_value(redact_value([error.message, error.data]))[0]
    return ProtocolError(error.code, message, data)


def _said(text: str) -> Wire:
    return dict(failed(text, "tool-not-offered").value)


def _turned_away(judged: Judged) -> Wire:
    verdict = judged.verdict
    if verdict.outcome == "ask":
        told = (
            f"Waits for a person: {verdict.why} [{verdict.rule}]. Approval {judged.approval_id}; once "
            f"`callsheet approve {judged.approval_id}` was run, make the same call again."
        )
    else:
        told = f"Not called: {verdict.why} [{verdict.rule}]"
    return _said(told)
