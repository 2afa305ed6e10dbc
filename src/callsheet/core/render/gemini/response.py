"""Gemini responses, whole or streamed: JSON to message, finish and usage."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ....model.message import CallBlock, Finish, Message, Response, TextBlock, ThinkingBlock, Usage
from ....model.prompt import Delta
from ..fields import Drift, given, typed
from ..figures import counted, figures
from ..sse import Event
from ..writer import compact
from .parts import read_message, read_parts
from .spelling import unsnaked

FINISH: Mapping[Any, Finish] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    **dict.fromkeys(
        """SAFETY RECITATION LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT
        IMAGE_RECITATION MODEL_ARMOR""".split(),
        "refusal",
    ),
    "CONTINUATION": "pause",
}
NUMBERS = ("", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER")
"""Vertex AI answers with numbers when asked to; beyond these the two APIs count differently."""
WHOLE = frozenset("candidates usageMetadata promptFeedback modelVersion responseId createTime modelStatus".split())
CANDIDATE = frozenset(("content", "finishReason", "finishMessage", "index", "groundingMetadata", "citationMetadata"))
PARTIAL = frozenset(("partialArgs", "partial_args", "willContinue", "will_continue"))


def response(raw: Any) -> Response:
    """The first candidate of a response, or of the list of chunks a stream without `alt=sse` is.

    A prompt that was blocked has no candidate: that is a refusal. ValueError names what is missing.
    """
    if isinstance(raw, list):
        raw = accumulate(Event("", each) for each in raw)
    whole, _ = unsnaked(_sound(raw), WHOLE)
    about = (usage(whole.get("usageMetadata")), _text(whole.get("responseId")), _text(whole.get("modelVersion")))
    candidate = _candidate(whole)
    if candidate is None:
        return Response(Message("assistant"), "refusal", _blocked(whole), *about)
    message = read_message({"role": "model", **_object(candidate.get("content"))}, "content", Drift())
    said = _reason(candidate.get("finishReason"))
    return Response(message, _finish(said, bool(message.calls)), said, *about)


def _sound(raw: Any) -> Mapping[str, Any]:
    error = given(raw, "error")
    if isinstance(error, Mapping):
        raise ValueError(f"the server reports an error: {error.get('message')}")
    return raw  # type: ignore[no-any-return]


def _candidate(whole: Mapping[str, Any]) -> dict[str, Any] | None:
    """The first candidate, or None where there is none."""
    candidates = typed(whole, "candidates", list) if "candidates" in whole else []
    return unsnaked(_object(candidates[0]), CANDIDATE)[0] if candidates else None


def _blocked(whole: Mapping[str, Any]) -> str:
    feedback, _ = unsnaked(_object(whole.get("promptFeedback")), frozenset(("blockReason",)))
    if not feedback.get("blockReason"):
        raise ValueError("there is no candidate, and no reason why the prompt was blocked")
    return str(feedback["blockReason"])


def _reason(said: Any) -> str:
    if type(said) is int:
        return NUMBERS[said] if 0 <= said < len(NUMBERS) else str(said)
    if said is not None and not isinstance(said, str):
        raise ValueError("finishReason is no text")
    return "" if said == "FINISH_REASON_UNSPECIFIED" else said or ""


def _finish(said: str, calls: bool) -> Finish:
    finish: Finish = FINISH.get(said, "other") if said else ""
    return "calls" if finish == "stop" and calls else finish


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


COUNTS = frozenset(
    """promptTokenCount cachedContentTokenCount candidatesTokenCount thoughtsTokenCount
    toolUsePromptTokenCount""".split()
)


def usage(raw: Any) -> Usage:
    """Normalised usage: the prompt's figure includes what was cached; what the provider's tools gave is counted apart.

    Input is the prompt without its cached part, and that; output is the reply and the thoughts.
    """
    counts, _ = unsnaked(_object(raw), COUNTS)
    cached = counted(counts, "cachedContentTokenCount")
    fresh = max(0, counted(counts, "promptTokenCount") - cached)
    output = counted(counts, "candidatesTokenCount") + counted(counts, "thoughtsTokenCount")
    return Usage(fresh + counted(counts, "toolUsePromptTokenCount"), cached, 0, output, figures(raw))


def accumulate(events: Iterable[Event]) -> Mapping[str, Any]:
    """The response that a stream's chunks add up to. ValueError where no candidate was finished.

    Neighbouring pieces of one text join; a part with a signature stays a part of its own, for a seal must come back on
    the part it came on.
    """
    whole: dict[str, Any] = {}
    candidate: dict[str, Any] = {}
    parts: list[dict[str, Any]] = []
    role = "model"
    for event in events:
        chunk, _ = unsnaked(_sound(event.data), WHOLE)
        whole |= {key: value for key, value in chunk.items() if key != "candidates"}
        for each in chunk.get("candidates") or ():
            piece, _ = unsnaked(_object(each), CANDIDATE)
            if piece.get("index", 0) != 0:
                continue
            content = _object(piece.pop("content", None))
            candidate |= piece
            role = content.get("role", role)
            for part in content.get("parts") or ():
                _append(parts, part)
    if candidate.get("finishReason") is None:
        _unfinished(whole)
        return whole
    return {**whole, "candidates": [{"content": {"role": role, "parts": parts}, **candidate}]}


def _unfinished(whole: Mapping[str, Any]) -> None:
    try:
        _blocked(whole)
    except ValueError:
        raise ValueError("the stream ended before its reply was finished") from None


def _append(parts: list[dict[str, Any]], part: Any) -> None:
    if not isinstance(part, dict):
        raise ValueError("a part is no object")
    call = part.get("functionCall") or part.get("function_call")
    if isinstance(call, dict) and PARTIAL & set(call):
        raise ValueError("the stream gives arguments piece by piece; ask without streamFunctionCallArguments")
    last = parts[-1] if parts else {}
    kind = {"text", "thought"}
    if "text" in part and "text" in last and set(part) | set(last) <= kind and _thought(part) == _thought(last):
        last["text"] += part["text"]
    else:
        parts.append(dict(part))


def _thought(part: Mapping[str, Any]) -> bool:
    return part.get("thought") is True


def deltas(event: Event) -> Iterator[Delta]:
    """What one chunk adds to the reply; a call comes whole. `index` counts the parts of this chunk alone."""
    chunk, _ = unsnaked(_object(event.data), WHOLE)
    candidate = _candidate(chunk) or {}
    content = _object(candidate.get("content"))
    blocks = read_parts(content.get("parts") or (), "parts", Drift())
    for at, block in enumerate(blocks):
        if isinstance(block, ThinkingBlock) and block.text:
            yield Delta("thinking", block.text, at)
        elif isinstance(block, TextBlock) and block.text:
            yield Delta("text", str(block.text), at)
        elif isinstance(block, CallBlock) and not block.server:
            yield Delta("call", compact(block.arguments).decode(), at, block.name)
    if candidate.get("finishReason"):
        said = _reason(candidate["finishReason"])
        yield Delta("finish", finish=_finish(said, bool(Message("assistant", blocks).calls)))
    if chunk.get("usageMetadata"):
        yield Delta("usage", usage=usage(chunk["usageMetadata"]))
