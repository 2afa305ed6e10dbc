"""Where a fresh request is marked for the provider's prompt cache: behind its stable prefix, and only there."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...model.item import ContextItem
from ...model.message import CacheMark, TextBlock
from ...model.policy import ModelProfile
from ...model.prompt import Prompt
from .anthropic.cache import mark
from .fragment import digest

OWN = frozenset(("cache_control", "prompt_cache_options", "prompt_cache_retention"))
"""Settings of a project's own `native` that say how to cache; where one stands, nothing is added to it."""


def cached(prompt: Prompt, profile: ModelProfile, stable: Sequence[ContextItem], continues: bool) -> Prompt:
    """The prompt with its cache marks, where the model takes any: its first system block ends the stable prefix.

    A mark makes the provider write what stands before it into its cache, and a write costs more than plain input. So a
    decision, which is a fresh request, marks what the next one begins with as well and no more; one that is appended to
    (`continues`) marks its tail, too. A prefix too short to be kept costs nothing and is marked all the same: our count
    of it is an estimate.

    OpenAI's models match a cached prefix only at a mark, and mark the end of each request unless told not to, which a
    fresh request pays for in vain. They are given the key that their routing asks for, the same for all requests that
    share a prefix: a hash of that prefix, which tells nobody more than the prefix itself.
    """
    if profile.traits.cache_marks <= 0 or not prompt.system or OWN & prompt.parameters.keys():
        return prompt
    if profile.dialect == "anthropic":
        return mark(prompt, profile.traits, stable=1, continues=continues)
    if profile.dialect not in ("openai_chat", "openai_responses"):
        return prompt
    first, *rest = prompt.system
    assert isinstance(first, TextBlock), "a layout begins with text"
    responses = profile.dialect == "openai_responses"
    marked = replace(
        first,
        cache=CacheMark() if responses else None,
        native={} if responses else {"prompt_cache_breakpoint": {"mode": "explicit"}},
    )
    options: Mapping[str, Any] = {} if continues else {"prompt_cache_options": {"mode": "explicit"}}
    return replace(
        prompt,
        system=(marked, *rest),
        system_form="blocks",
        parameters={"prompt_cache_key": _key(stable), **options, **prompt.parameters},
    )


def diagnosed(prompt: Prompt, profile: ModelProfile, previous: str) -> Prompt:
    """The prompt that asks, where the profile does, what kept it from being read from the cache.

    It is compared with the request whose response the provider named `previous`; the first of a run compares with none,
    and Anthropic must be told so for the next to be compared with it.
    """
    if not profile.cache_diagnostics:
        return prompt
    if profile.dialect == "anthropic":
        asks: Mapping[str, Any] = {"diagnostics": {"previous_message_id": previous or None}}
    elif profile.dialect == "openai_responses" and previous:
        options = prompt.parameters.get("prompt_cache_options", {})
        asks = {"prompt_cache_options": {**options, "comparison_response_id": previous}}
    else:
        return prompt
    return replace(prompt, parameters={**prompt.parameters, **asks})


def _key(stable: Sequence[ContextItem]) -> str:
    return digest("\n".join(item.text for item in stable).encode("utf-8", "surrogatepass"))
