"""Definitions kept out of the prompt until the model looks for them."""

from collections.abc import Mapping, Set
from dataclasses import replace

from ...model.message import ToolDefinition
from ...model.policy import DialectName
from ...model.prompt import Prompt

SEARCH: Mapping[DialectName, ToolDefinition] = {
    "anthropic": ToolDefinition("tool_search_tool_bm25", type="tool_search_tool_bm25_20251119"),
    "openai_responses": ToolDefinition(type="tool_search"),
}
"""The provider's own search over deferred tools, in the dialects that have one."""


def defer(prompt: Prompt, keep: Set[str], dialect: DialectName) -> Prompt:
    """The prompt with every function but those to `keep` deferred, and the provider's search for them among its tools.

    They are sent all the same, outside the cached prefix, and carry no cache mark. The search is not deferred, so that
    one tool at least is not, as the providers demand. Where nothing is to be deferred, nothing is changed. ValueError
    for a dialect that has no such search.
    """
    if dialect not in SEARCH:
        raise ValueError(f"{dialect} has no search for deferred tools; those that have one: {', '.join(SEARCH)}")
    tools = prompt.tools or ()
    away = tuple(not each.type and str(each.name) not in keep for each in tools)
    if not any(away):
        return prompt
    kept = (replace(each, deferred=True, cache=None) if gone else each for each, gone in zip(tools, away, strict=True))
    search = SEARCH[dialect]
    found = any(each.type.startswith("tool_search") for each in tools)
    return replace(prompt, tools=(*(() if found else (search,)), *kept))
