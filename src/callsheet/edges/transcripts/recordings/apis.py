"""Which API an exchange speaks, by its address or by the shape of its bodies, and how request and response are read.

Four dialects are the engine's own; of others, whose requests are close to one of them, what matters is brought into it.
"""

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from ....core.render.dialects import DIALECTS, UNREADABLE, read_response
from ....core.text.parse_json import parse_json
from ....model.message import Response
from ....model.policy import DialectName
from ....model.prompt import Prompt
from . import converse, near

Raw = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Api:
    """One API: how its request and its response are read.

    `comparable` is False where the request is no list of messages. ValueError where a body is none of it.
    """

    name: str
    decode: Callable[[Raw], Prompt]
    response: Callable[[Any, str], Response]
    comparable: bool = True


def _own(dialect: DialectName) -> Api:
    def response(raw: Any, name: str) -> Response:
        return read_response(_body(raw), dialect)

    return Api(dialect, DIALECTS[dialect].decode, response)


def _as_chat(name: str, request: Callable[[Raw], Raw], response: Callable[[Any], Raw], comparable: bool = True) -> Api:
    """An API whose bodies become those of Chat Completions."""
    return Api(
        name,
        lambda raw: DIALECTS["openai_chat"].decode(request(raw)),
        lambda raw, _: DIALECTS["openai_chat"].response(response(raw)),
        comparable,
    )


ANTHROPIC, CHAT = _own("anthropic"), _own("openai_chat")
RESPONSES, GEMINI = _own("openai_responses"), _own("gemini")
CONVERSE = Api("converse", converse.decode, converse.response)
COHERE_1 = _as_chat("cohere", near.cohere_1, near.cohere_1_reply, comparable=False)
COHERE_2 = _as_chat("cohere", lambda raw: raw, near.cohere_2_reply)
OLLAMA = _as_chat("ollama", near.ollama, near.ollama_reply)
COMPLETION = _as_chat("completion", near.completion, near.completion_reply)
INTERACTIONS = _as_chat("interactions", near.interaction, near.interaction_reply, comparable=False)

ENDS: tuple[tuple[str, Api], ...] = (
    ("/chat/completions", CHAT),
    ("/prompts/completions", CHAT),
    ("/responses", RESPONSES),
    ("/messages", ANTHROPIC),
    (":generateContent", GEMINI),
    (":rawPredict", ANTHROPIC),
    ("/converse", CONVERSE),
    ("/api/chat", OLLAMA),
    ("/v2/chat", COHERE_2),
    ("/v1/chat", COHERE_1),
    ("/interactions", INTERACTIONS),
    ("/completions", COMPLETION),
    ("/complete", COMPLETION),
)
"""The end of a path and what is spoken there; what streams stands under the same name."""
KNOWN = (
    "/count_tokens /count-tokens /input_tokens :countTokens /compact /embeddings :batchEmbedContents :embedContent"
    " /rerank /moderations /files /cachedContents /models /batches /mcp /telemetry/runs /traces/ingest /batch /info"
).split()
"""Ends of paths of requests that are no model calls."""
SPOKEN = ("messages", "input", "contents")
"""Members of a request that hold what was said, and without which no other can be read."""
MODEL = re.compile(r"(?<=/)models?/(?P<model>[^/]+?)(?=:[A-Za-z]|/|$)")
STREAMED = ((":stream", ":"), ("-with-response-stream", ""), ("-stream", ""))


def _split(uri: str) -> SplitResult:
    """An address in its parts; one that cannot be read has none."""
    try:
        return urlsplit(uri)
    except ValueError:
        return urlsplit("")


def path_of(uri: str) -> str:
    """The path of an address as one name of the operation, whether it streams or not."""
    path = unquote(_split(uri).path).rstrip("/")
    path = re.sub(r"/prompts/[^/]+/completions$", "/prompts/completions", path)
    for end, usual in STREAMED:
        at = path.rfind(end)
        if at >= 0 and "/" not in path[at:]:
            operation = path[at + len(end) :]
            return path[:at] + usual + operation[:1].lower() + operation[1:]
    return path


def endpoint_of(uri: str) -> str:
    """Where a request was sent: the host and the operation, without the model's name."""
    return f"{_split(uri).netloc}{MODEL.sub('model', path_of(uri))}" if uri else ""


def model_of(uri: str) -> str:
    """The model that an address names, as Gemini's and Bedrock's do."""
    found = MODEL.search(path_of(uri))
    return found.group("model") if found else ""


def is_known(uri: str) -> bool:
    """True for the address of a service beside the model calls."""
    path = path_of(uri)
    return any(path.endswith(each) for each in KNOWN) or any(
        f"{each}/" in path for each in ("/files", "/cachedContents")
    )


def api_of(uri: str, request: Any, response: Any = None) -> Api | None:
    """The API of an exchange, by its address, else by its bodies; None where it is no model call that can be read."""
    if not isinstance(request, Mapping):
        return None
    path = path_of(uri)
    if path.endswith("/invoke"):
        return _invoked(request)
    if path.endswith(("/v1/chat", "/interactions")) and isinstance(request.get("messages"), list):
        return CHAT
    spoken = next((api for end, api in ENDS if path.endswith(end)), None)
    return spoken or (None if path.strip("/") else _shaped(request, response))


def _invoked(request: Raw) -> Api | None:
    """Bedrock sells many models at one address; the body says whose language it is."""
    if "anthropic_version" in request:
        return ANTHROPIC
    if isinstance(request.get("messages"), list):
        return CONVERSE
    return COMPLETION if near.prompt_text(request) is not None else None


def _shaped(request: Raw, response: Any) -> Api | None:
    """The API by the shape of the bodies alone."""
    if isinstance(request.get("contents"), list):
        return GEMINI
    replied = response if isinstance(response, Mapping) else {}
    if isinstance(request.get("messages"), list):
        return _of_messages(request, replied)
    if "input" in request and ("output" in replied or not replied) and request.get("model"):
        return RESPONSES
    return COMPLETION if near.prompt_text(request) is not None and request.get("model") else None


def _of_messages(request: Raw, replied: Raw) -> Api:
    if "inferenceConfig" in request or "toolConfig" in request or "stopReason" in replied:
        return CONVERSE
    if replied.get("type") in ("message", "error") or isinstance(replied.get("content"), list):
        return ANTHROPIC
    if "choices" in replied or "error" in replied:
        return CHAT
    tools = request.get("tools")
    tool = tools[0] if isinstance(tools, list) and tools and isinstance(tools[0], Mapping) else {}
    marked = "system" in request or "anthropic_version" in request or "input_schema" in tool
    return ANTHROPIC if marked or _speaks_anthropic(request["messages"]) else CHAT


def _speaks_anthropic(messages: list[Any]) -> bool:
    contents = (each.get("content") for each in messages if isinstance(each, Mapping))
    blocks = (block for content in contents if isinstance(content, list) for block in content)
    return any(isinstance(block, Mapping) and block.get("type") in ("tool_use", "tool_result") for block in blocks)


def read_request(api: Api, uri: str, request: Raw) -> tuple[Prompt | None, tuple[str, ...]]:
    """What can be read of a request, with the model that its address names, and which of its members cannot be."""
    prompt, lost = _decoded(api, request), tuple[str, ...]()
    if prompt is None:
        prompt, lost = _salvaged(api, request)
    named = model_of(uri)
    return (replace(prompt, model=named) if prompt and named and not prompt.model else prompt), lost


def _decoded(api: Api, request: Raw) -> Prompt | None:
    try:
        return api.decode(request)
    except UNREADABLE:
        return None


def _salvaged(api: Api, request: Raw) -> tuple[Prompt | None, tuple[str, ...]]:
    """A damaged request without what cannot be read: entries of its messages, then whole members."""
    read: Prompt | None = None
    kept: dict[str, Any] = {}
    lost: list[str] = []
    for name in sorted((each for each in request if request[each] is not None), key=lambda each: each not in SPOKEN):
        value = request[name]
        whole = _decoded(api, {**kept, name: value})
        if whole is None and name in SPOKEN and isinstance(value, list):
            value = [each for each in value if _decoded(api, {name: [each]})]
            whole = _decoded(api, {**kept, name: value}) if value else None
            lost.append(f"some {name}" if whole else name)
        elif whole is None:
            lost.append(name)
        if whole is not None:
            read, kept[name] = whole, value
    if read is not None and (read.messages or read.system):
        return read, tuple(lost)
    return None, ("messages",) if any(name in request for name in (*SPOKEN, "message", "prompt")) else ()


def read_reply(api: Api, response: Any, name: str) -> tuple[Response | None, str]:
    """The response, or None and why it is none; `name` stands in for an id where the response has none."""
    try:
        read = api.response(response, name)
    except UNREADABLE as error:
        return None, str(error)
    return (read if read.id else replace(read, id=name)), ""


def parsed(recorded: Any) -> Any:
    """What was recorded; an object that was recorded as its text is read."""
    if isinstance(recorded, str) and recorded.lstrip()[:1] in ("{", "["):
        with suppress(ValueError):
            return parse_json(recorded)
    return recorded


def _body(raw: Any) -> bytes:
    return raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else json.dumps(raw).encode()
