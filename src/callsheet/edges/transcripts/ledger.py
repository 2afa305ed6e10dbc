"""Our own ledger: what `callsheet show --json` prints, one document or a line for each decision.

The items of a decision own spans of its body; a text is cut where items begin and end, so that each block is of one
kind: evidence and memory are told as such.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from ...core.render.dialects import DIALECTS, UNREADABLE, read_response
from ...core.render.figures import counted
from ...core.text.parse_json import parse_json
from ...model.message import Block, Response, TextBlock, Usage
from ...model.prompt import Prompt
from ...model.transcript import Accounted, Event
from .format import Format, Record, Sample
from .shared.chat import listed
from .shared.requests import Call, Conversations
from .shared.rows import mapping, seconds, text

KEYS = frozenset(("request_id", "items", "body", "dialect"))
KINDS = frozenset(("evidence", "memory"))
Owned = tuple[str, str]
"""An item's text as the model reads it, and its kind."""


def refuses(sample: Sample) -> str:
    """Why a sample is no record of the ledger, "" where it is."""
    rows: Sequence[Any] = [sample.members] if sample.shape == "object" else sample.records
    return "" if any(_is_record(row) for row in rows) else "no record has request_id, items, body and dialect"


def _is_record(row: Any) -> bool:
    return isinstance(row, Mapping) and row.keys() >= KEYS and "tenant_id" in row


def read(records: Iterable[Record]) -> Iterator[Event]:
    """The events of recorded decisions: each is one model call, and a fresh request."""
    conversations = Conversations()
    for record in records:
        if record.index < 0:
            continue
        known = _is_record(record.value)
        if known:
            yield from conversations.take(_call(record.value, record.index))
        kind = text(mapping(record.value).get("decision"))
        yield Accounted(record=record.index, fate="kept" if known else "unknown", type=kind)
    yield from conversations.end()


def _call(row: Mapping[str, Any], record: int) -> Call:
    prompt, facts = _prompt(row)
    name = text(row.get("request_id"))
    response, trouble = _response(row, name)
    return Call(
        record=record,
        prompt=prompt,
        response=response,
        name=name,
        model=text(row.get("model")),
        at=seconds(row.get("created_at")),
        error=text(row.get("error")) or trouble,
        facts=facts,
    )


def _response(row: Mapping[str, Any], name: str) -> tuple[Response | None, str]:
    reply = row.get("reply")
    if not isinstance(reply, str) or not reply or text(row.get("dialect")) not in DIALECTS:
        return None, ""
    try:
        read = read_response(reply.encode("utf-8", "surrogatepass"), row["dialect"])
    except ValueError as error:
        return None, str(error)
    used = mapping(row.get("usage"))
    counts = {key: counted(used, key) for key in ("input", "cached_read", "cache_write", "output") if key in used}
    return replace(read, id=name, usage=Usage(**counts, raw=read.usage.raw) if counts else read.usage), ""


def _prompt(row: Mapping[str, Any]) -> tuple[Prompt | None, dict[int, Mapping[str, Any]]]:
    """The request with its texts cut into items, and the kinds of the blocks of each message."""
    body = text(row.get("body"))
    try:
        prompt = DIALECTS[row["dialect"]].decode(parse_json(body))
    except (*UNREADABLE, KeyError):
        return None, {}
    owned = list(_owned(row.get("items"), body.encode("utf-8", "surrogatepass")))
    messages, facts = [], dict[int, Mapping[str, Any]]()
    for at, message in enumerate(prompt.messages):
        blocks, kinds = _cut(message.blocks, owned)
        messages.append(replace(message, blocks=blocks) if kinds else message)
        if kinds:
            facts[at] = {"kinds": kinds}
    return replace(prompt, messages=tuple(messages)), facts


def _owned(items: Any, body: bytes) -> Iterator[Owned]:
    """The texts of evidence and memory in the body, in its order."""
    spans = [
        (span.get("start"), span.get("end"), item["kind"])
        for item in map(mapping, listed(items))
        if text(item.get("kind")) in KINDS
        for span in map(mapping, listed(item.get("spans")))
    ]
    for start, end, kind in sorted(each for each in spans if isinstance(each[0], int) and isinstance(each[1], int)):
        with suppress(ValueError):  # a span that is no text of the body
            if told := parse_json(b'"' + body[start:end] + b'"'):
                yield told, kind


def _cut(blocks: Iterable[Block], owned: Sequence[Owned]) -> tuple[tuple[Block, ...], dict[int, str]]:
    """The blocks, their texts cut at the items that stand in them, and the kind of each block that is an item."""
    made: list[Block] = []
    kinds: dict[int, str] = {}
    for block in blocks:
        if not isinstance(block, TextBlock):
            made.append(block)
            continue
        rest = str(block.text)
        for told, kind in owned:
            before, found, after = rest.partition(told)
            if found:
                made += [replace(block, text=before)] if before else []
                kinds[len(made)] = kind
                made.append(replace(block, text=told))
                rest = after
        made += [replace(block, text=rest)] if rest else []
    return tuple(made), kinds


FORMAT = Format("ledger", "callsheet's own record", refuses, read)
