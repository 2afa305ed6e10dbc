"""Tools, and settings of a request that exclude each other (Messages API reference)."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ....model.message import CompactionBlock, Message, ResultBlock, ToolChangeBlock, ToolDefinition
from ....model.prompt import Prompt
from ....model.verdict import Verdict
from ..legality import refuse, tools_defined
from ..native import edits_problem
from .marks import marks

NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
LEAST_THINKING = 1024
THREAD_EXCLUDES = ("cache_control", "context_management", "fallbacks", "thinking")


def tools_named(prompt: Prompt) -> Verdict | None:
    """Tools have names of their own, the provider's too, and one of them at least is not deferred."""
    tools = prompt.tools or ()
    names = [str(tool.name) for tool in tools if tool.name]
    twice = next((each for each in names if names.count(each) > 1), None)
    if twice is not None:
        return refuse("tool-undefined", f"the tool {twice!r} is defined twice", twice)
    if tools and all(tool.deferred for tool in tools):
        return refuse("tool-undefined", "all tools are deferred; at least one must not be", str(tools[0].name))
    return tools_defined(prompt, NAME)


def tools_referenced(prompt: Prompt) -> Verdict | None:
    """What comes, goes or is found in the conversation is defined in `tools`, or by an earlier message; only once."""
    known = {str(tool.name) for tool in prompt.tools or () if tool.name}
    declared = prompt.parameters.get("mcp_servers")
    servers = [each.get("name") for each in declared if isinstance(each, Mapping)] if isinstance(declared, list) else []
    for change in _changes(prompt):
        if change.server is not None and change.server not in servers:
            return refuse("tool-undefined", f"the MCP server {change.server!r} is not declared", change.server)
        for name in map(str, change.names) if change.server is None else ():
            if name not in known:
                return refuse("tool-undefined", f"the tool {name!r} is referenced and not defined", name)
        for definition in change.definitions or ():
            if definition.name and str(definition.name) in known:
                return refuse("tool-undefined", f"the tool {definition.name!s} is defined twice", str(definition.name))
            known.add(str(definition.name))
    return None


def _changes(prompt: Prompt) -> Iterator[ToolChangeBlock]:
    for message in prompt.messages:
        for block in message.blocks:
            inner = block.blocks if isinstance(block, ResultBlock) else (block,)
            yield from (each for each in inner if isinstance(each, ToolChangeBlock))


def programmatic_tools(prompt: Prompt) -> Verdict | None:
    """A tool that code calls is neither strict nor recursive, and does not go with one call at a time.

    The choice cannot name a tool that only code may call.
    """
    for tool in prompt.tools or ():
        allowed = tool.native.get("allowed_callers")
        callers = allowed if isinstance(allowed, list) and allowed else ["direct"]
        name = str(tool.name)
        if prompt.choice and name in map(str, prompt.choice.names) and "direct" not in callers:
            return refuse("option-conflict", f"tool_choice names {name!r}, which only code may call", name)
        if all(each == "direct" for each in callers):
            continue
        if tool.strict:
            return refuse("option-conflict", f"{name!r} is strict, and code may call it", name)
        if prompt.choice and prompt.choice.parallel is False:
            return refuse("option-conflict", f"code may call {name!r}, so parallel calls cannot be disabled", name)
        if _recursive(tool):
            return refuse("option-conflict", f"code may call {name!r}, so its schema cannot refer to itself", name)
    return None


def _recursive(tool: ToolDefinition) -> bool:
    """True where a `$ref` of the schema leads into something that holds it."""

    def walk(value: Any, open_refs: tuple[str, ...]) -> bool:
        if isinstance(value, list):
            return any(walk(each, open_refs) for each in value)
        if not isinstance(value, Mapping):
            return False
        target = value.get("$ref")
        if isinstance(target, str) and (target in open_refs or walk(_at(tool.schema, target), (*open_refs, target))):
            return True
        return any(walk(each, open_refs) for key, each in value.items() if key not in ("$defs", "definitions"))

    return walk(tool.schema, ("#",))


def _at(schema: Any, target: str) -> Any:
    """What a reference inside a schema points to, or None."""
    found = schema if target.startswith("#") else None
    for key in target.removeprefix("#").strip("/").split("/"):
        found = found.get(key) if key and isinstance(found, Mapping) else found if not key else None
    return found


def choice_is_one_tool(prompt: Prompt) -> Verdict | None:
    """The dialect has no choice among some of the tools."""
    if prompt.choice and prompt.choice.mode == "allowed":
        return refuse(
            "option-conflict", "Messages has no choice among some of the tools; offer only those", "tool_choice"
        )
    return None


def thinking_budget(prompt: Prompt) -> Verdict | None:
    """A budget of thinking is at least 1,024 tokens and less than the output's limit."""
    thinking = prompt.parameters.get("thinking")
    if not isinstance(thinking, Mapping) or thinking.get("type") != "enabled":
        return None
    budget = thinking.get("budget_tokens")
    if type(budget) is not int or budget < LEAST_THINKING:
        return refuse("option-conflict", f"budget_tokens must be at least {LEAST_THINKING}, not {budget}", "thinking")
    if prompt.max_output is not None and budget >= prompt.max_output:
        why = f"budget_tokens {budget} must be less than max_tokens {prompt.max_output}"
        return refuse("option-conflict", why, "thinking")
    return None


def thread_alone(prompt: Prompt) -> Verdict | None:
    """A thread, whose state the server keeps, takes neither marks nor editing, fallbacks or thinking."""
    if prompt.parameters.get("thread") is None:
        return None
    also = next((key for key in THREAD_EXCLUDES if prompt.parameters.get(key) is not None), None)
    also = also or ("cache_control" if marks(prompt) else None)
    return refuse("option-conflict", f"thread does not go with {also}", also) if also else None


def editing_in_order(prompt: Prompt) -> Verdict | None:
    """Edits are as documented, that of thinking first, and a summary on demand goes with none of them."""
    managed = prompt.parameters.get("context_management")
    edits = managed.get("edits") if isinstance(managed, Mapping) else None
    if isinstance(edits, list | tuple) and (problem := edits_problem(edits)):
        return refuse("option-conflict", problem, "context_management")
    signed = any(_is_signed(message) for message in prompt.messages)
    asked = prompt.parameters.get("compaction") is not None
    if managed is not None and (asked or signed):
        return refuse("option-conflict", "compaction on demand does not go with context_management", "compaction")
    config = prompt.parameters.get("output_config")
    budget = config.get("task_budget") if isinstance(config, Mapping) else None
    if asked and isinstance(budget, Mapping) and budget.get("remaining") is not None:
        return refuse("option-conflict", "compaction on demand does not go with task_budget.remaining", "compaction")
    return None


def _is_signed(message: Message) -> bool:
    return any(isinstance(each, CompactionBlock) and each.signature is not None for each in message.blocks)


def cleared_messages_are_text(prompt: Prompt) -> Verdict | None:
    """A system message that is cleared again changes no tools and no settings."""
    for message in prompt.messages:
        if message.native.get("clear_at") != "next_user_message":
            continue
        if message.native.get("output_config") or any(isinstance(each, ToolChangeBlock) for each in message.blocks):
            return refuse(
                "option-conflict", "clear_at goes with text alone, not with output_config or tools", "clear_at"
            )
    return None


OPTIONS = (
    tools_named,
    tools_referenced,
    choice_is_one_tool,
    programmatic_tools,
    thinking_budget,
    thread_alone,
    editing_in_order,
    cleared_messages_are_text,
)
