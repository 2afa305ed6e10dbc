"""Responses responses, whole or streamed: JSON to one message of all output items, finish, usage and reports."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ....model.message import Block, Finish, Message, Report, Response, TextBlock, Usage
from ....model.prompt import Delta
from ..fields import Drift, given, typed
from ..figures import counted, figures, uncached
from ..sse import Event
from .items import CALLS, read_item, run_by_server
from .parts import MESSAGE

INCOMPLETE: Mapping[str, Finish] = {"max_output_tokens": "length", "content_filter": "refusal"}
COMPACTED = "response.compaction"
TERMINAL: Mapping[str, str] = {"response.completed": "completed", "response.incomplete": "incomplete"}
TEXTS = frozenset(("response.output_text.delta", "response.refusal.delta"))
THOUGHTS = frozenset(("response.reasoning_text.delta", "response.reasoning_summary_text.delta"))
ARGUMENTS = frozenset(("response.function_call_arguments.delta", "response.custom_tool_call_input.delta"))


def response(raw: Mapping[str, Any]) -> Response:
    """The output items of a response as one message. ValueError with the server's error, or with what is missing.

    A part keeps the fields of its item in `native`, so that the message can be sent back as the items it came as.
    """
    if isinstance(given(raw, "error"), Mapping):
        raise ValueError(f"the server reports an error: {_error(raw['error'])}")
    status = raw.get("status") or "completed"
    if status not in ("completed", "incomplete"):
        raise ValueError(f"the response is not finished: its status is {status}")
    message = Message("assistant", _blocks(typed(raw, "output", list)), "absent")
    finish, said = _finish(raw, str(status), message)
    return Response(
        message,
        finish,
        said,
        usage(raw.get("usage")),
        str(raw.get("id") or ""),
        str(raw.get("model") or ""),
        tuple(_reports(raw)),
    )


def _error(raw: Any) -> str:
    said = raw if isinstance(raw, Mapping) else {}
    return ": ".join(str(said[key]) for key in ("code", "message") if said.get(key)) or "it does not say which"


def _blocks(output: list[Any]) -> tuple[Block, ...]:
    """The blocks of all items in order; a message's parts remember what the item said beside its content."""
    blocks: list[Block] = []
    for at, raw in enumerate(output):
        item = read_item(raw, f"output[{at}]", Drift())
        if item.form == "absent":
            blocks += item.blocks
        else:
            own = item.native if item.role == "assistant" else {"role": item.role, **item.native}
            blocks += [replace(block, native={**block.native, MESSAGE: dict(own)}) for block in item.blocks]
    return tuple(blocks)


def _finish(raw: Mapping[str, Any], status: str, message: Message) -> tuple[Finish, str]:
    """Why the reply ended, and the provider's word for it."""
    if raw.get("object") == COMPACTED:
        return "compaction", status
    if status == "incomplete":
        details = raw.get("incomplete_details")
        reason = str(details.get("reason") or "") if isinstance(details, Mapping) else ""
        return INCOMPLETE.get(reason, "other"), reason or status
    if message.calls:
        return "calls", status
    refused = any(isinstance(block, TextBlock) and block.type == "refusal" for block in message.blocks)
    return ("refusal" if refused else "stop"), status


def _reports(raw: Mapping[str, Any]) -> Iterator[Report]:
    """What the provider says it did: how the cache fared against an earlier response, and reasoning it took out."""
    said = raw.get("prompt_cache_diagnostics")
    if isinstance(said, Mapping):
        tokens = counted(said, "cache_missed_tokens") if "cache_missed_tokens" in said else None
        yield Report(str(said.get("type") or ""), reason=str(said.get("reason") or ""), tokens=tokens)
    changed = raw.get("input_transformations")
    for each in changed if isinstance(changed, list) else ():
        if isinstance(each, Mapping):
            kind = f"{each.get('type') or 'input'}_{each.get('action') or 'changed'}"
            yield Report(kind, str(each.get("id") or ""), str(each.get("reason") or ""))


def usage(raw: Any) -> Usage:
    """Normalised usage: `input_tokens` includes cached and written ones, `input` does not."""
    said = raw if isinstance(raw, Mapping) else {}
    details = said.get("input_tokens_details")
    details = details if isinstance(details, Mapping) else {}
    cached, written = counted(details, "cached_tokens"), counted(details, "cache_write_tokens")
    prompt = counted(said, "input_tokens")
    return Usage(uncached(prompt, cached, written), cached, written, counted(said, "output_tokens"), figures(raw))


def accumulate(events: Iterable[Event]) -> Mapping[str, Any]:
    """The response that a stream ends with; ValueError where it broke off or reports an error.

    The last event carries the whole of it; where a server leaves `output` out, it is made of the items that were done.
    """
    done: dict[int, Any] = {}
    begun: dict[str, Any] = {}
    for event in events:
        kind, data = _kind(event)
        if kind == "error" or isinstance(data.get("error"), Mapping):
            raise ValueError(f"the stream reports an error: {_error(data.get('error') or data)}")
        whole = data.get("response")
        whole = whole if isinstance(whole, Mapping) else {}
        if kind == "response.failed":
            raise ValueError(f"the stream reports an error: {_error(whole.get('error'))}")
        if kind == "response.output_item.done":
            index = data.get("output_index")
            done[index if isinstance(index, int) else len(done)] = data.get("item")
        begun |= {key: value for key, value in whole.items() if value is not None}
        if kind in TERMINAL:
            output = whole.get("output") or [done[index] for index in sorted(done)]
            return {**begun, **whole, "status": whole.get("status") or TERMINAL[kind], "output": output}
    raise ValueError("the stream ended before its reply was finished")


def _kind(event: Event) -> tuple[str, Mapping[str, Any]]:
    """An event's type, which a server may give in its data or as its name, and its data."""
    data = event.data if isinstance(event.data, Mapping) else {}
    return str(data.get("type") or event.name), data


def deltas(event: Event) -> Iterator[Delta]:
    """What one event adds to the reply; `index` counts its items."""
    kind, data = _kind(event)
    index = data.get("output_index")
    index = index if isinstance(index, int) else 0
    if kind in TEXTS | THOUGHTS | ARGUMENTS:
        said = "text" if kind in TEXTS else "thinking" if kind in THOUGHTS else "call"
        if isinstance(data.get("delta"), str):
            yield Delta(said, data["delta"], index)  # type: ignore[arg-type]
    elif kind == "response.output_item.added":
        item = data.get("item")
        item = item if isinstance(item, Mapping) else {}
        call = CALLS.get(str(item.get("type")))
        if call is not None and not run_by_server(item):
            yield Delta("call", "", index, call.name or str(item.get("name") or ""))
    elif kind in TERMINAL and isinstance(data.get("response"), Mapping):
        whole = data["response"]
        if isinstance(whole.get("usage"), Mapping):
            yield Delta("usage", usage=usage(whole["usage"]))
        yield Delta("finish", finish=_ended(whole, TERMINAL[kind]))


def _ended(whole: Mapping[str, Any], status: str) -> Finish:
    output = whole.get("output")
    message = Message("assistant", _blocks(output if isinstance(output, list) else []), "absent")
    return _finish(whole, status, message)[0]
