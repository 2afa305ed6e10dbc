"""What providers document of their prompt caches, as far as a transcript can be held against it.

Anthropic writes where a request marks a place, and reads up to such a place. OpenAI and those who follow it keep every
prompt of at least 1,024 tokens, and read it in steps of 128.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ....model.message import Block, CacheMark, Usage
from ....model.prompt import Prompt
from ...text.blocks import text_of

STEPS: Mapping[str, int] = {"openai": 128, "deepseek": 64}
LEAST = 1_024
MARK = "prompt_cache_breakpoint"
LEASTS: Mapping[str, int] = {"deepseek": 64, "anthropic": 0}
"""The shortest prefix that is read, in tokens, where it is another; what Anthropic wrote was long enough."""
ANSWERS_TOO = frozenset(("deepseek",))
"""Providers that keep what they answered as well as what they were asked."""
FIVE_MINUTES, HOUR = 300.0, 3_600.0
TTLS: Mapping[str, float] = {"5m": FIVE_MINUTES, "30m": 1_800.0, "1h": HOUR, "12h": 12 * HOUR, "24h": 24 * HOUR}
REASONS: Mapping[str, str] = {
    "first-call": "no earlier call of this file can have written it",
    "below-minimum": "the shared prefix is shorter than what the provider keeps",
    "no-cache-mark": "the request marks no place for the cache",
    "nothing-written": "the call before wrote nothing into the cache",
    "expired": "more time went by than the provider keeps an entry",
    "warm-before": "an entry was read that an earlier run or another conversation had written",
    "provider": "nothing that was sent changed, and the provider read less: its caches are kept at best effort",
    "estimated": "the length of the shared prefix is an estimate from its texts",
    "not-comparable": "the two requests cannot be compared",
}
"""The closed list of reasons for which cache reads differ from what was expected."""


def provider_of(model: str) -> str:
    """Whose cache a model's prompts lie in, by the model's name; "" where the name does not say."""
    name = model.rsplit("/", 1)[-1].lower()
    if "claude" in name:
        return "anthropic"
    if name.startswith(("gpt", "o1", "o3", "o4", "chatgpt", "codex")):
        return "openai"
    return next((each for each in ("gemini", "deepseek", "nova") if each in name), "")


def reports_cache(usage: Usage) -> bool:
    """True where a report says how much was read from a cache, be it nothing."""
    return bool(usage.cached_read or usage.cache_write) or _names_cache(usage.raw)


def _names_cache(figures: Mapping[str, Any]) -> bool:
    """Whether one of a provider's figures is of its cache, whatever it calls it: each of them says so in the name."""
    return any(
        "cach" in name.lower() or (isinstance(value, Mapping) and _names_cache(value))
        for name, value in figures.items()
    )


def lifetime(prompt: Prompt | None, usage: Usage) -> float:
    """How many seconds an entry that this call wrote is kept at least, as far as request and report say."""
    said = {mark.ttl for mark in _marks(prompt)} if prompt is not None else set()
    options = prompt.parameters.get("prompt_cache_options") if prompt is not None else None
    retention = prompt.parameters.get("prompt_cache_retention") if prompt is not None else None
    if isinstance(options, Mapping):
        said.add(str(options.get("ttl")))
    said.add(str(retention))
    written = usage.raw.get("cache_creation")
    if isinstance(written, Mapping) and written.get("ephemeral_1h_input_tokens"):
        said.add("1h")
    return max((TTLS[each] for each in said if each in TTLS), default=FIVE_MINUTES)


def is_marked(prompt: Prompt) -> bool:
    """True where a request marks a place up to which its prefix is kept."""
    if "cache_control" in prompt.parameters:
        return True
    return any(mark for _, _, mark in _lengths(prompt))


def stepped(tokens: int, provider: str, least: int) -> int:
    """What a provider reads of so many shared tokens: nothing below its minimum, else whole steps."""
    if tokens < least:
        return 0
    step = STEPS.get(provider, 1)
    return tokens // step * step


def shared_part(prompt: Prompt, first_changed_part: str, marked: bool) -> float:
    """The share of a request's text, between 0 and 1, that stands before this part of it: an estimate of its tokens.

    With `marked` it is what stands before its last cache mark there.
    """
    total = before = shared = 0
    passed = False
    for part, length, mark in _lengths(prompt):
        passed = passed or part == first_changed_part or first_changed_part == "model"
        total += length
        before += 0 if passed else length
        if not passed and (mark or not marked):
            shared = before
    return shared / total if total else 0.0


def _lengths(prompt: Prompt) -> Iterator[tuple[str, int, bool]]:
    """The parts of a request in the order they are hashed: each item's part, the length of its text, its mark."""
    for tool in prompt.tools or ():
        text = f"{tool.name}{tool.description}{tool.schema}"
        yield "tools", len(text), tool.cache is not None
    for block in prompt.system:
        yield "system", len(text_of(block)), block.cache is not None
    for at, message in enumerate(prompt.messages):
        for block in message.blocks:
            yield f"msg{at}", len(text_of(block)), _is_marked(block)


def _is_marked(block: Block) -> bool:
    inner: tuple[Block, ...] = getattr(block, "blocks", None) or ()
    return any(each.cache is not None or MARK in each.native for each in (block, *inner))


def _marks(prompt: Prompt) -> Iterator[CacheMark]:
    held = [*(each.cache for each in prompt.tools or ()), *(each.cache for each in _blocks(prompt))]
    yield from (each for each in held if each is not None)


def _blocks(prompt: Prompt) -> Iterator[Block]:
    yield from prompt.system
    for message in prompt.messages:
        for block in message.blocks:
            yield block
            yield from getattr(block, "blocks", None) or ()
