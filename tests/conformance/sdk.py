"""What the providers' own SDKs read of a response's usage, where they are installed."""

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from callsheet.model.policy import DialectName

from .reading import Tokens, chunks
from .recordings import Exchange


def sdk_tokens(exchange: Exchange) -> Tokens | None:
    """Uncached input, cached input, cache writes and output, or None where no SDK is there or it does not say."""
    package, read = READERS[exchange.dialect]
    if not installed(package):
        return None
    whole = [exchange.response] if isinstance(exchange.response, Mapping) else list(chunks(exchange.response))
    return read(whole)


@cache
def installed(package: str) -> bool:
    """True where the package can be imported."""
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:
        return False


def _anthropic(pieces: list[Any]) -> Tokens:
    types = importlib.import_module("anthropic.types.beta")
    figures: dict[str, int] = {}
    for piece in pieces:
        kind = {"message": types.BetaMessage, "message_delta": types.BetaRawMessageDeltaEvent}.get(piece["type"])
        kind = types.BetaRawMessageStartEvent if piece["type"] == "message_start" else kind
        if kind is not None:
            read = kind.construct(**piece)
            used = read.message.usage if piece["type"] == "message_start" else read.usage
            figures |= {key: each for key, each in used.to_dict().items() if isinstance(each, int)}
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")
    one, two, three, four = (figures.get(each, 0) for each in names)
    return one, two, three, four


def _chat(pieces: list[Any]) -> Tokens | None:
    types = importlib.import_module("openai.types.chat")
    kind = types.ChatCompletionChunk if len(pieces) > 1 else types.ChatCompletion
    used = next((each.usage for each in [kind.construct(**piece) for piece in reversed(pieces)] if each.usage), None)
    details = used.prompt_tokens_details if used else None
    if details is None:  # other servers report their cache in fields of their own
        return None
    cached, written = details.cached_tokens or 0, details.cache_write_tokens or 0
    if cached + written > used.prompt_tokens:  # counted as both; the SDK gives no one figure to compare
        return None
    return used.prompt_tokens - cached - written, cached, written, used.completion_tokens


def _responses(pieces: list[Any]) -> Tokens | None:
    types = importlib.import_module("openai.types.responses")
    last = pieces[-1].get("response", pieces[-1])
    used = types.Response.construct(**last).usage
    if used is None or used.input_tokens_details is None:
        return None
    cached = used.input_tokens_details.cached_tokens or 0
    written = getattr(used.input_tokens_details, "cache_write_tokens", None) or 0
    return used.input_tokens - cached - written, cached, written, used.output_tokens


def _gemini(pieces: list[Any]) -> Tokens | None:
    types = importlib.import_module("google.genai.types")
    last = next((each["usageMetadata"] for each in reversed(pieces) if each.get("usageMetadata")), None)
    if last is None:
        return None
    counts = {
        key: each for key, each in last.items() if key.endswith("TokenCount")
    }  # the rest may be newer than the SDK
    used = types.GenerateContentResponseUsageMetadata.model_validate(counts)
    cached = used.cached_content_token_count or 0
    fresh = (used.prompt_token_count or 0) - cached + (used.tool_use_prompt_token_count or 0)
    return fresh, cached, 0, (used.candidates_token_count or 0) + (used.thoughts_token_count or 0)


READERS: Mapping[DialectName, tuple[str, Callable[[list[Any]], Tokens | None]]] = {
    "anthropic": ("anthropic", _anthropic),
    "openai_chat": ("openai", _chat),
    "openai_responses": ("openai", _responses),
    "gemini": ("google.genai", _gemini),
}
