"""One conversation as each dialect's JSON, and each dialect's JSON as what it says: written from the APIs' pages.

Nothing here reads the code under test. What a request says is a list of events in order: who said which text, which
image was shown, which tool was called with what, and which of the calls so far a result answers.
"""

import json
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

Json = dict[str, Any]
Event = tuple[Any, ...]
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).map(lambda text: text + ".")
NAMES = st.sampled_from(["search", "read_file", "send"])
ARGUMENTS = st.dictionaries(
    st.sampled_from(["q", "ü", "n"]),
    st.none() | st.integers() | TEXTS | st.lists(st.booleans(), max_size=2),
    max_size=2,
)
CALLS = st.lists(st.tuples(NAMES, ARGUMENTS, TEXTS), max_size=3)


@st.composite
def conversations(draw: st.DrawFn) -> tuple[str, list[Any]]:
    """The operator's text, and turns: ("user", text, image or None), ("assistant", text, calls with their results)."""
    turns: list[Any] = []
    for _ in range(draw(st.integers(0, 3))):
        turns.append(("user", draw(TEXTS), draw(st.sampled_from([None, None, "aGk=", "eW8="]))))
        for _ in range(draw(st.integers(0, 2))):
            calls = draw(CALLS)
            if calls or turns[-1][0] == "user":
                turns.append(("assistant", draw(TEXTS if not calls else TEXTS | st.just("")), calls))
    if not turns or turns[-1][0] == "user" or not turns[-1][2]:
        turns.append(("user", draw(TEXTS), None))
    return draw(TEXTS | st.just("")), turns


def meant(system: str, turns: list[Any]) -> list[Event]:
    """What the conversation says."""
    events: list[Event] = [("system", system)] if system else []
    called = 0
    for who, text, more in turns:
        events += [(who, text)] if text else []
        if who == "user":
            events += [("image", "image/png", more)] if more else []
            continue
        events += [("call", name, arguments) for name, arguments, _ in more]
        events += [("result", called + at, answer) for at, (_, _, answer) in enumerate(more)]
        called += len(more)
    return events


def _numbered(turns: list[Any]) -> list[Any]:
    """The turns, each call with an id of its own."""
    number = iter(range(1000))
    return [
        (who, text, [(f"id{next(number)}", *call) for call in more] if who == "assistant" else more)
        for who, text, more in turns
    ]


def chat(system: str, turns: list[Any]) -> Json:
    messages: list[Json] = [{"role": "system", "content": system}] if system else []
    for who, text, more in _numbered(turns):
        if who == "user":
            image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{more}"}}
            messages.append({"role": who, "content": [{"type": "text", "text": text}, image] if more else text})
            continue
        asked = [
            {"id": key, "type": "function", "function": {"name": name, "arguments": json.dumps(given, indent=1)}}
            for key, name, given, _ in more
        ]
        messages.append({"role": who, "content": text or None, **({"tool_calls": asked} if asked else {})})
        messages += [{"role": "tool", "tool_call_id": key, "content": answer} for key, _, _, answer in more]
    return {"model": "m", "messages": messages}


def messages_api(system: str, turns: list[Any]) -> Json:
    messages: list[Json] = []
    for who, text, more in _numbered(turns):
        said = [{"type": "text", "text": text}] if text else []
        if who == "user":
            image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": more}}
            messages.append({"role": who, "content": [*said, image] if more else text})
            continue
        asked = [{"type": "tool_use", "id": key, "name": name, "input": given} for key, name, given, _ in more]
        messages.append({"role": who, "content": [*said, *asked]})
        answers = [{"type": "tool_result", "tool_use_id": key, "content": answer} for key, _, _, answer in more]
        messages += [{"role": "user", "content": answers}] if answers else []
    return {"model": "m", "max_tokens": 9, **({"system": system} if system else {}), "messages": messages}


def responses(system: str, turns: list[Any]) -> Json:
    items: list[Json] = []
    for who, text, more in _numbered(turns):
        if who == "user":
            image = {"type": "input_image", "image_url": f"data:image/png;base64,{more}"}
            items.append({"role": who, "content": [{"type": "input_text", "text": text}, image] if more else text})
            continue
        items += [{"role": who, "content": text}] if text else []
        items += [
            {"type": "function_call", "call_id": key, "name": name, "arguments": json.dumps(given)}
            for key, name, given, _ in more
        ]
        items += [{"type": "function_call_output", "call_id": key, "output": answer} for key, _, _, answer in more]
    return {"model": "m", **({"instructions": system} if system else {}), "input": items}


def gemini(system: str, turns: list[Any]) -> Json:
    """Without ids, as the API long had none: results are told apart by name and order."""
    contents: list[Json] = []
    for who, text, more in turns:
        said = [{"text": text}] if text else []
        if who == "user":
            image = [{"inlineData": {"mimeType": "image/png", "data": more}}] if more else []
            contents.append({"role": "user", "parts": [*said, *image]})
            continue
        asked = [{"functionCall": {"name": name, "args": given}} for name, given, _ in more]
        contents.append({"role": "model", "parts": [*said, *asked]})
        answers = [{"functionResponse": {"name": name, "response": {"output": answer}}} for name, _, answer in more]
        contents += [{"role": "user", "parts": answers}] if answers else []
    return {**({"systemInstruction": {"parts": [{"text": system}]}} if system else {}), "contents": contents}


WRITE: dict[str, Callable[[str, list[Any]], Json]] = {
    "openai_chat": chat,
    "anthropic": messages_api,
    "openai_responses": responses,
    "gemini": gemini,
}


def heard(dialect: str, request: Json) -> list[Event]:
    """What a request of the dialect says."""
    calls: list[str | None] = []
    return [_numbered_result(event, calls) for event in READ[dialect](request) if event[1] != ""]


def _numbered_result(event: Event, calls: list[Any]) -> Event:
    """A result with the number of the call it answers; a call that has no id is known by its name."""
    if event[0] == "call":
        calls.append(event[3])
        return event[:3]
    if event[0] == "result":
        at = next(at for at, key in enumerate(calls) if key == event[1])
        calls[at] = ("answered", at)
        return ("result", at, event[2])
    return event


def _data(url: str) -> Event:
    kind, _, data = url.removeprefix("data:").partition(";base64,")
    return ("image", kind, data)


def _hear_chat(request: Json) -> list[Event]:
    events: list[Event] = []
    for message in request["messages"]:
        content = message.get("content")
        if message["role"] == "tool":
            events.append(("result", message["tool_call_id"], content))
            continue
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else content or ():
            events.append(
                (message["role"], part["text"]) if part["type"] == "text" else _data(part["image_url"]["url"])
            )
        for call in message.get("tool_calls", ()):
            function = call["function"]
            events.append(("call", function["name"], json.loads(function["arguments"]), call["id"]))
    return events


def _hear_messages(request: Json) -> list[Event]:
    events: list[Event] = [("system", request["system"])] if "system" in request else []
    for message in request["messages"]:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            match block["type"]:
                case "text":
                    events.append((message["role"], block["text"]))
                case "image":
                    events.append(("image", block["source"]["media_type"], block["source"]["data"]))
                case "tool_use":
                    events.append(("call", block["name"], block["input"], block["id"]))
                case "tool_result":
                    events.append(("result", block["tool_use_id"], block["content"]))
    return events


def _hear_responses(request: Json) -> list[Event]:
    events: list[Event] = [("system", request["instructions"])] if "instructions" in request else []
    for item in request["input"]:
        match item.get("type", "message"):
            case "function_call":
                events.append(("call", item["name"], json.loads(item["arguments"]), item["call_id"]))
            case "function_call_output":
                events.append(("result", item["call_id"], item["output"]))
            case "message":
                content = item["content"]
                for part in [{"text": content}] if isinstance(content, str) else content:
                    events.append((item["role"], part["text"]) if "text" in part else _data(part["image_url"]))
    return events


def _hear_gemini(request: Json) -> list[Event]:
    events: list[Event] = [
        ("system", part["text"]) for part in request.get("systemInstruction", {"parts": ()})["parts"]
    ]
    for content in request["contents"]:
        for part in content["parts"]:
            match part:
                case {"text": text}:
                    events.append(({"user": "user", "model": "assistant"}[content["role"]], text))
                case {"inlineData": data}:
                    events.append(("image", data["mimeType"], data["data"]))
                case {"functionCall": call}:
                    events.append(("call", call["name"], call["args"], call.get("id", call["name"])))
                case {"functionResponse": answer}:
                    events.append(("result", answer.get("id", answer["name"]), answer["response"]["output"]))
    return events


READ: dict[str, Callable[[Json], list[Event]]] = {
    "openai_chat": _hear_chat,
    "anthropic": _hear_messages,
    "openai_responses": _hear_responses,
    "gemini": _hear_gemini,
}
