"""Chat Completions responses, whole or streamed: JSON to message, finish and usage."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ....model.message import Finish, Response, Usage
from ....model.prompt import Delta
from ..fields import Drift, given, typed
from ..figures import counted, figures, uncached
from ..sse import Event
from .message import read_message

FINISH: Mapping[str, Finish] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "calls",
    "function_call": "calls",
    "content_filter": "refusal",
}


def response(raw: Mapping[str, Any]) -> Response:
    """The first choice of a response. ValueError names what is missing from it."""
    if isinstance(given(raw, "error"), Mapping):
        raise ValueError(f"the server reports an error: {raw['error'].get('message')}")
    choices = typed(raw, "choices", list)
    if not choices:
        raise ValueError("choices is empty")
    message = read_message({"role": "assistant", **typed(choices[0], "message", dict)}, "message", Drift())
    said = choices[0].get("finish_reason") or ""
    if not isinstance(said, str):
        raise ValueError("finish_reason is no text")
    finish: Finish = FINISH.get(said, "other") if said else ""
    return Response(message, finish, said, usage(raw.get("usage")), str(raw.get("id", "")), str(raw.get("model", "")))


def usage(raw: Any) -> Usage:
    """Normalised usage: `prompt_tokens` includes cached and written ones, `input` does not.

    Servers that count their cache beside the usual fields are read, too.
    """
    given_figures = raw if isinstance(raw, Mapping) else {}
    details = given_figures.get("prompt_tokens_details")
    details = details if isinstance(details, Mapping) else {}
    cached = counted(details, "cached_tokens") or counted(given_figures, "cached_tokens", "prompt_cache_hit_tokens")
    written = counted(details, "cache_write_tokens")
    prompt = counted(given_figures, "prompt_tokens")
    output = counted(given_figures, "completion_tokens")
    return Usage(uncached(prompt, cached, written), cached, written, output, figures(raw))


def accumulate(events: Iterable[Event]) -> Mapping[str, Any]:
    """The response that a stream's chunks add up to. ValueError where no choice was finished."""
    whole: dict[str, Any] = {}
    message: dict[str, Any] = {}
    calls: dict[int, dict[str, Any]] = {}
    finish = None
    for event in events:
        chunk = event.data
        if isinstance(given(chunk, "error"), Mapping):
            raise ValueError(f"the stream reports an error: {chunk['error'].get('message')}")
        whole |= {key: chunk[key] for key in ("id", "model", "created", "usage") if chunk.get(key) is not None}
        # Groq reports the usage of a stream in a place of its own.
        if "usage" not in whole and isinstance(chunk.get("x_groq"), Mapping):
            whole |= {"usage": chunk["x_groq"].get("usage")} if chunk["x_groq"].get("usage") else {}
        for choice in chunk.get("choices") or ():
            if choice.get("index", 0) != 0:
                continue
            finish = choice.get("finish_reason") or finish
            _add(choice.get("delta") or {}, message, calls)
    if finish is None:
        raise ValueError("the stream ended before its reply was finished")
    if calls:
        message["tool_calls"] = [calls[index] for index in sorted(calls)]
    return {**whole, "choices": [{"index": 0, "message": message, "finish_reason": finish}]}


def _add(delta: Mapping[str, Any], message: dict[str, Any], calls: dict[int, dict[str, Any]]) -> None:
    for key, value in delta.items():
        if key == "tool_calls":
            for at, piece in enumerate(value or ()):
                _add_call(piece, calls.setdefault(piece.get("index", at), {"function": {"name": "", "arguments": ""}}))
        elif key in ("content", "reasoning_content", "reasoning", "refusal") and isinstance(value, str):
            message[key] = (message.get(key) or "") + value
        else:
            message.setdefault(key, value)


def _add_call(piece: Mapping[str, Any], call: dict[str, Any]) -> None:
    for key in ("id", "type"):
        if piece.get(key):
            call[key] = piece[key]
    function = piece.get("function") or {}
    for key in ("name", "arguments"):
        call["function"][key] += function.get(key) or ""


def deltas(event: Event) -> Iterator[Delta]:
    """What one chunk adds to the reply."""
    chunk = event.data if isinstance(event.data, Mapping) else {}
    for choice in chunk.get("choices") or ():
        delta = choice.get("delta") or {}
        if text := _text(delta.get("reasoning_content")):
            yield Delta("thinking", text)
        if text := _text(delta.get("content")):
            yield Delta("text", text)
        for piece in delta.get("tool_calls") or ():
            function = piece.get("function") or {}
            at = piece.get("index")
            arguments, name = _text(function.get("arguments")), _text(function.get("name"))
            yield Delta("call", arguments, at if isinstance(at, int) else 0, name)
        if choice.get("finish_reason"):
            yield Delta("finish", finish=FINISH.get(choice["finish_reason"], "other"))
    if chunk.get("usage"):
        yield Delta("usage", usage=usage(chunk["usage"]))


def _text(value: Any) -> str:
    """A piece that is text; of any other type there is nothing to tell."""
    return value if isinstance(value, str) else ""
