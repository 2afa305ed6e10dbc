"""Short ways to write requests for the tests of the Messages dialect."""

from typing import Any

from callsheet.core.render.anthropic import ANTHROPIC
from callsheet.model.policy import ModelTraits
from callsheet.model.prompt import Prompt

TRAITS = ModelTraits(system_turns=True, prefill=False, binds_thinking=True, cache_marks=4)


def user(*blocks: Any, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": written(blocks), **more}


def said(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": written(blocks)}


def told(*blocks: Any, **more: Any) -> dict[str, Any]:
    return {"role": "system", "content": written(blocks), **more}


def written(blocks: tuple[Any, ...]) -> list[Any]:
    return [{"type": "text", "text": each} if isinstance(each, str) else each for each in blocks]


def text(said: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": said, **more}


def call(name: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "check", "input": {}, **more}


def result(name: str, content: Any = "done", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": name, "content": content, **more}


def searched(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A search the provider ran, and its result."""
    done = {"type": "web_search_tool_result", "tool_use_id": name, "content": []}
    return {"type": "server_tool_use", "id": name, "name": "web_search", "input": {"query": "keys"}}, done


def thought(seal: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": f"about {seal}", "signature": seal}


MARK = {"type": "ephemeral"}


def tool(name: str = "check", **more: Any) -> dict[str, Any]:
    return {"name": name, "input_schema": {"type": "object"}, **more}


def prompt(*messages: dict[str, Any], **more: Any) -> Prompt:
    return ANTHROPIC.decode({"model": "claude", "max_tokens": 4096, "messages": list(messages), **more})


def rule(*messages: dict[str, Any], traits: ModelTraits = TRAITS, **more: Any) -> str:
    """The rule by which this request is refused, or nothing."""
    refusal = ANTHROPIC.illegal(prompt(*messages, **more), traits)
    return refusal.rule if refusal else ""
