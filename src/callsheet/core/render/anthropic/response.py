"""Messages responses, whole or streamed: JSON to message, finish, usage and what the API did to the request."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ....model.message import Finish, Report, Response, Usage
from ....model.prompt import Delta
from ...text.parse_json import parse_json
from ..fields import Drift, given, typed
from ..figures import counted, figures
from ..sse import Event
from .reading import CALLS, read_message
from .tools import said

FINISH: Mapping[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "tool_use": "calls",
    "pause_turn": "pause",
    "refusal": "refusal",
    "model_context_window_exceeded": "context",
    "compaction": "compaction",
}
KEPT = (
    "input_tokens cache_creation_input_tokens cache_read_input_tokens server_tool_use output_tokens_details iterations"
    " fallback_credit".split()
)
"""Figures that a stream's last event may leave out; those of its first event then stay."""


def response(raw: Mapping[str, Any]) -> Response:
    """A message. ValueError names what is missing, and says so where this is an error or a count of tokens."""
    if given(raw, "type") == "error" or "error" in raw:
        raise ValueError(f"the server reports an error: {_reported(raw)}")
    if "content" not in raw and "input_tokens" in raw:
        raise ValueError("this is a count of tokens, not a message; content is missing")
    message = read_message({"role": "assistant", "content": typed(raw, "content", list)}, "message", Drift())
    reason = said(raw, "stop_reason", str) or ""
    return Response(
        message,
        FINISH.get(reason, "other") if reason else "",
        reason,
        usage(raw.get("usage")),
        str(raw.get("id", "")),
        str(raw.get("model", "")),
        tuple(_reports(raw)),
    )


def _reported(raw: Mapping[str, Any]) -> Any:
    error = raw.get("error")
    return error.get("message") if isinstance(error, Mapping) else error


def _reports(raw: Mapping[str, Any]) -> Iterator[Report]:
    """What happened to the request: thinking dropped or let pass, context edited, the cache missed.

    A cache diagnosis that is still pending, or found no difference, is no report.
    """
    for each in _objects(raw.get("input_transformations")):
        yield Report(str(each.get("type", "")), str(each.get("path", "")), str(each.get("reason", "")))
    managed = raw.get("context_management")
    for each in _objects(managed.get("applied_edits") if isinstance(managed, Mapping) else None):
        cleared = [
            f"{key} {counted(each, key)}" for key in ("cleared_tool_uses", "cleared_thinking_turns") if key in each
        ]
        yield Report(
            "context_edited", "", ", ".join([str(each.get("type", "")), *cleared]), _tokens(each, "cleared_input")
        )
    diagnosed = raw.get("diagnostics")
    missed = diagnosed.get("cache_miss_reason") if isinstance(diagnosed, Mapping) else None
    if isinstance(missed, Mapping):
        yield Report("cache_missed", "", str(missed.get("type", "")), _tokens(missed, "cache_missed_input"))


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _tokens(raw: Mapping[str, Any], of: str) -> int | None:
    return counted(raw, f"{of}_tokens") if f"{of}_tokens" in raw else None


def usage(raw: Any) -> Usage:
    """Normalised usage: `input_tokens` is the uncached remainder alone (Messages API, prompt caching).

    The top-level totals are taken as they are: what compactions used stands in `raw` only, as `compactions`.
    """
    given_figures = raw if isinstance(raw, Mapping) else {}
    compactions = [each for each in _objects(given_figures.get("iterations")) if each.get("type") == "compaction"]
    return Usage(
        counted(given_figures, "input_tokens"),
        counted(given_figures, "cache_read_input_tokens"),
        counted(given_figures, "cache_creation_input_tokens"),
        counted(given_figures, "output_tokens"),
        figures({**given_figures, "compactions": compactions}),
    )


def accumulate(events: Iterable[Event]) -> Mapping[str, Any]:
    """The message that a stream's events add up to. ValueError where it broke off or reports an error.

    Arguments that were cut inside their JSON stay the text they are, so that no call is made of half of them.
    """
    whole: dict[str, Any] | None = None
    blocks: dict[int, dict[str, Any]] = {}
    inputs: dict[int, str] = {}
    stopped = False
    for event in events:
        kind = given(event.data, "type")
        if kind == "error":
            raise ValueError(f"the stream reports an error: {_reported(event.data)}")
        if kind == "message_start":
            whole = {**typed(event.data, "message", dict)}
        elif kind == "content_block_start":
            blocks[typed(event.data, "index", int)] = dict(typed(event.data, "content_block", dict))
        elif kind == "content_block_delta":
            _add(event.data, blocks, inputs)
        elif kind == "message_delta" and whole is not None:
            whole |= _closed(event.data, whole)
        stopped = stopped or kind == "message_stop"
    if whole is None or not (stopped or whole.get("stop_reason")):
        raise ValueError("the stream ended before its message was finished")
    for index, written in inputs.items():
        blocks[index]["input"] = _parsed(written)
    return {**whole, "content": [*(said(whole, "content", list) or ()), *(blocks[index] for index in sorted(blocks))]}


def _add(data: Mapping[str, Any], blocks: Mapping[int, dict[str, Any]], inputs: dict[int, str]) -> None:
    index, delta = typed(data, "index", int), typed(data, "delta", dict)
    if index not in blocks:
        raise ValueError(f"the stream adds to block {index}, which never began")
    block = blocks[index]
    match delta.get("type"):
        case "text_delta":
            block["text"] = (said(block, "text", str) or "") + typed(delta, "text", str)
        case "thinking_delta":
            block["thinking"] = (said(block, "thinking", str) or "") + typed(delta, "thinking", str)
        case "signature_delta":
            block["signature"] = typed(delta, "signature", str)
        case "input_json_delta":
            inputs[index] = inputs.get(index, "") + typed(delta, "partial_json", str)
        case "citations_delta":
            block["citations"] = [*(said(block, "citations", list) or ()), delta.get("citation")]
        case "compaction_delta":
            block |= {key: value for key, value in delta.items() if key != "type"}


def _parsed(written: str) -> Any:
    try:
        return parse_json(written) if written else {}
    except ValueError:
        return written


def _closed(data: Mapping[str, Any], whole: Mapping[str, Any]) -> dict[str, Any]:
    """What a stream's last events say of the whole message; figures are totals and take the place of earlier ones."""
    delta, used = said(data, "delta", dict) or {}, said(data, "usage", dict) or {}
    more = {key: data[key] for key in ("context_management", "input_transformations") if data.get(key) is not None}
    totals = {key: value for key, value in used.items() if value is not None or key not in KEPT}
    last = {key: value for key, value in delta.items() if key != "container" or value is not None}
    return {**last, **more, "usage": {**(said(whole, "usage", dict) or {}), **totals}}


def deltas(event: Event) -> Iterator[Delta]:
    """What one event adds to the reply."""
    data = event.data if isinstance(event.data, Mapping) else {}
    index = data["index"] if isinstance(data.get("index"), int) else 0
    match data:
        case {"type": "content_block_start", "content_block": {"type": str(kind), "name": str(name)}} if kind in CALLS:
            yield Delta("call", "", index, name)
        case {"type": "content_block_start", "content_block": {"type": "text", "text": str(text)}} if text:
            yield Delta("text", text, index)
        case {"type": "content_block_delta", "delta": {"type": "text_delta", "text": str(text)}}:
            yield Delta("text", text, index)
        case {"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": str(text)}}:
            yield Delta("thinking", text, index)
        case {"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": str(text)}}:
            yield Delta("call", text, index)
        case {"type": "message_start", "message": {"usage": dict(used)}}:
            yield Delta("usage", usage=usage(used))
        case {"type": "message_delta"}:
            yield from _finished(data)


def _finished(data: Mapping[str, Any]) -> Iterator[Delta]:
    if data.get("usage"):
        yield Delta("usage", usage=usage(data["usage"]))
    match data.get("delta"):
        case {"stop_reason": str(reason)}:
            yield Delta("finish", finish=FINISH.get(reason, "other"))
