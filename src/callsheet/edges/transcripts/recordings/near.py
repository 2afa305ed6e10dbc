"""Requests and responses that are close to Chat Completions, written as those: Cohere, Ollama, text completion."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ....core.render.sse import is_stream, read_events
from ....core.text.parse_json import parse_json

Raw = Mapping[str, Any]
COHERE_ROLES = {"CHATBOT": "assistant", "SYSTEM": "system", "USER": "user", "TOOL": "tool"}
PROMPTS = ("prompt", "inputText")
COMPLETIONS = ("completion", "generation", "outputText", "text", "generated_text")


def prompt_text(raw: Raw) -> str | None:
    """The text of a completion's prompt, None where there is none."""
    return next((raw[key] for key in PROMPTS if isinstance(raw.get(key), str)), None)


def completion(raw: Raw) -> Raw:
    """A text completion as a conversation of one message."""
    text = prompt_text(raw)
    messages = raw.get("messages") or ([{"role": "user", "content": text}] if text is not None else [])
    return {**{key: each for key, each in raw.items() if key not in PROMPTS}, "messages": messages}


def completion_reply(raw: Any) -> Raw:
    """The text a completion gave, from one of the names it goes by."""
    pieces = _objects(raw)
    whole: Raw = next(iter(pieces), {})
    text = "".join(_completed(each) for each in pieces)
    return _reply(whole, {"role": "assistant", "content": text}, whole.get("usage"))


def _completed(raw: Raw) -> str:
    for inner in (raw, *(each for key in ("choices", "results", "outputs") for each in _list(raw, key))):
        found = next((inner[key] for key in COMPLETIONS if isinstance(inner.get(key), str)), None)
        if found is not None:
            return str(found)
    return ""


def ollama(raw: Raw) -> Raw:
    """Ollama's messages: the arguments of its calls are objects, not text."""
    return {**raw, "messages": [_ollama_message(each) for each in _list(raw, "messages")]}


def ollama_reply(raw: Any) -> Raw:
    """Ollama's response, the pieces of a streamed one together."""
    pieces = _objects(raw)
    whole = pieces[-1] if pieces else {}
    messages = [_ollama_message(each["message"]) for each in pieces if isinstance(each.get("message"), Mapping)]
    message: dict[str, Any] = {"role": "assistant", "content": "".join(each.get("content") or "" for each in messages)}
    calls = [call for each in messages for call in each.get("tool_calls", ())]
    thought = "".join(each.get("reasoning_content", "") for each in messages)
    figures = {"prompt_tokens": whole.get("prompt_eval_count"), "completion_tokens": whole.get("eval_count")}
    more = {**({"tool_calls": calls} if calls else {}), **({"reasoning_content": thought} if thought else {})}
    return _reply(whole, {**message, **more}, figures)


def _ollama_message(raw: Raw) -> dict[str, Any]:
    calls = [
        {"id": each.get("id"), "type": "function", "function": _function(each.get("function"))}
        for each in _list(raw, "tool_calls")
    ]
    known = {key: each for key, each in raw.items() if key not in ("tool_calls", "thinking", "tool_name", "images")}
    thought = {"reasoning_content": raw["thinking"]} if raw.get("thinking") else {}
    return {**known, **({"tool_calls": [_named(each) for each in calls]} if calls else {}), **thought}


def _named(call: dict[str, Any]) -> dict[str, Any]:
    return {key: each for key, each in call.items() if each is not None}


def _function(raw: Any) -> dict[str, Any]:
    said = raw if isinstance(raw, Mapping) else {}
    arguments = said.get("arguments")
    written = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
    return {"name": str(said.get("name") or ""), "arguments": written}


def cohere_1(raw: Raw) -> Raw:
    """Cohere's first chat API: a message and the history before it."""
    history = [
        {"role": COHERE_ROLES.get(str(each.get("role")).upper(), "user"), "content": str(each.get("message") or "")}
        for each in _list(raw, "chat_history")
    ]
    asked = [{"role": "user", "content": str(raw.get("message") or "")}]
    return {"model": raw.get("model"), "messages": [*history, *asked]}


def cohere_1_reply(raw: Any) -> Raw:
    """The text it gave; a streamed one ends with the whole of it."""
    pieces = _objects(raw)
    whole: Raw = pieces[-1] if pieces else {}
    whole = whole["response"] if isinstance(whole.get("response"), Mapping) else whole
    if not isinstance(whole.get("text"), str):
        raise ValueError(f"text is missing: {whole.get('message') or 'this is no reply of Cohere'}")
    calls = [
        {"type": "function", "function": _function({"name": each.get("name"), "arguments": each.get("parameters")})}
        for each in _list(whole, "tool_calls")
    ]
    message = {"role": "assistant", "content": whole["text"], **({"tool_calls": calls} if calls else {})}
    identity = {"id": whole.get("response_id") or whole.get("generation_id")}
    return _reply(identity, message, _cohere_figures(whole.get("meta")))


def cohere_2_reply(raw: Any) -> Raw:
    """Cohere's second chat API: content in blocks, and a plan where others have reasoning."""
    pieces = _objects(raw)
    whole = pieces[0] if len(pieces) == 1 else _cohere_streamed(pieces)
    said = whole.get("message")
    if not isinstance(said, Mapping):
        raise ValueError(f"message is missing: {said or 'this is no reply of Cohere'}")
    text = "".join(str(each.get("text") or "") for each in _list(said, "content"))
    calls = [
        {"id": each.get("id"), "type": "function", "function": _function(each.get("function"))}
        for each in _list(said, "tool_calls")
    ]
    message: dict[str, Any] = {"role": "assistant", "content": text or None, "tool_plan": said.get("tool_plan")}
    return _reply(whole, {**message, **({"tool_calls": calls} if calls else {})}, _cohere_figures(whole.get("usage")))


def _cohere_streamed(pieces: list[Raw]) -> dict[str, Any]:
    whole: dict[str, Any] = {"id": next((each["id"] for each in pieces if each.get("id")), "")}
    texts, plan, calls = list[str](), list[str](), list[dict[str, Any]]()
    for piece in pieces:
        delta = piece.get("delta")
        match piece.get("type"), delta:
            case "content-delta", {"message": {"content": {"text": str(text)}}}:
                texts.append(text)
            case "tool-plan-delta", {"message": {"tool_plan": str(text)}}:
                plan.append(text)
            case "tool-call-start", {"message": {"tool_calls": {"id": str(name), "function": dict(function)}}}:
                calls.append({"id": name, "function": {"arguments": "", **function}})
            case "tool-call-delta", {"message": {"tool_calls": {"function": {"arguments": str(text)}}}} if calls:
                calls[-1]["function"]["arguments"] += text
            case "message-end", {"usage": used}:
                whole["usage"] = used
    said = {"content": [{"text": "".join(texts)}], "tool_plan": "".join(plan), "tool_calls": calls}
    return {**whole, "message": said}


def _cohere_figures(raw: Any) -> dict[str, Any]:
    """Tokens read and written; what is billed leaves the provider's own preamble out."""
    said = raw if isinstance(raw, Mapping) else {}
    tokens = said.get("tokens") or said.get("billed_units")
    tokens = tokens if isinstance(tokens, Mapping) else {}
    whole = {key: int(each) for key, each in tokens.items() if isinstance(each, int | float)}
    return {"prompt_tokens": whole.get("input_tokens"), "completion_tokens": whole.get("output_tokens")}


def interaction(raw: Raw) -> Raw:
    """An interaction of Gemini's as a conversation: its text, whatever else it holds."""
    given = raw.get("input")
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    made = {"model": raw.get("model") or raw.get("agent"), "tools": raw.get("tools")}
    said = [{"role": "user", "content": text}]
    return {**{key: each for key, each in made.items() if each is not None}, "messages": said}


def interaction_reply(raw: Any) -> Raw:
    """What an interaction's steps say, whole or streamed."""
    pieces = _objects(raw)
    whole: Raw = next(
        (each["interaction"] for each in reversed(pieces) if isinstance(each.get("interaction"), Mapping)), {}
    )
    whole = whole or (pieces[0] if pieces else {})
    steps = [step for step in _list(whole, "steps") if step.get("type") == "model_output"]
    texts = [str(part.get("text") or "") for step in steps for part in _list(step, "content")]
    streamed = [str(each["delta"].get("text") or "") for each in pieces if isinstance(each.get("delta"), Mapping)]
    calls = [
        {"id": step.get("id"), "type": "function", "function": _function(step)}
        for step in _list(whole, "steps")
        if step.get("type") == "function_call"
    ]
    message = {"role": "assistant", "content": "".join(texts or streamed), **({"tool_calls": calls} if calls else {})}
    used = whole.get("usage")
    used = used if isinstance(used, Mapping) else {}
    thought = used.get("total_thought_tokens") or 0
    figures = {
        "prompt_tokens": used.get("total_input_tokens"),
        "completion_tokens": (used.get("total_output_tokens") or 0) + thought,
        "prompt_tokens_details": {"cached_tokens": used.get("total_cached_tokens")},
    }
    return _reply(whole, message, figures)


def _reply(whole: Raw, message: Raw, figures: Any) -> Raw:
    identity = {key: whole[key] for key in ("id", "model") if whole.get(key)}
    return {**identity, "choices": [{"index": 0, "message": message}], "usage": figures}


def _objects(raw: Any) -> list[Raw]:
    """The objects of a response: itself, the elements of a list, a stream's events, or lines of JSON."""
    if isinstance(raw, Mapping):
        return [raw]
    if isinstance(raw, list):
        return [each for each in raw if isinstance(each, Mapping)]
    body = str(raw).encode("utf-8", "surrogatepass")
    values = [each.data for each in read_events(body)] if is_stream(body) else list(_lines(str(raw)))
    return [each for each in values if isinstance(each, Mapping)]


def _lines(text: str) -> Iterator[Any]:
    for line in text.splitlines():
        if line.strip():
            yield parse_json(line)


def _list(raw: Raw, key: str) -> list[Raw]:
    value = raw.get(key)
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []
