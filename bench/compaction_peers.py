"""What other packages make of the same history at the same cut: their defaults, with a model that only copies.

"Fitted" ones are told to keep turns of half the budget in place of the 20 messages that they keep by default.

The model that is asked for a summary returns what it was shown, as much of its end as the budget leaves: no model of
flesh could keep more of that, word for word, in so many tokens.
"""

import asyncio
import importlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from callsheet.core.text.blocks import text_of
from callsheet.model.history import Entry
from callsheet.model.message import CallBlock, ResultBlock, ThinkingBlock

Count = Callable[[str], int]
KEEP = 20
"""Messages that both packages keep by default."""


def peers() -> dict[str, Callable[[Sequence[Entry], int, Count], str]]:
    """The peers that are installed, by name: entries, budget and counter give the text of the window they leave."""
    found = {}
    for name, module, make in (
        ("langchain", "langchain.agents.middleware.summarization", langchain),
        ("pydantic-ai-harness", "pydantic_ai_harness.compaction", harness),
    ):
        try:
            importlib.import_module(module)
        except ImportError:
            continue
        found[name] = make
        found[f"{name} fitted"] = partial(make, fitted=True)
    return found


def pieces(entry: Entry) -> tuple[str, list[CallBlock], list[ResultBlock]]:
    """A message's text, its calls and its results; thinking is left out, as both packages leave it."""
    text, calls, results = [], [], []
    for block in entry.message.blocks:
        if isinstance(block, CallBlock):
            calls.append(block)
        elif isinstance(block, ResultBlock):
            results.append(block)
        elif not isinstance(block, ThinkingBlock):
            text.append(text_of(block))
    return "\n".join(text), calls, results


def arguments(call: CallBlock) -> dict[str, Any]:
    return call.arguments if isinstance(call.arguments, dict) else {"input": text_of(call)}


def copied(text: str, tokens: int, count: Count) -> str:
    """The end of a text that has at most so many tokens."""
    if tokens <= 0:
        return ""
    while (over := count(text)) > tokens:
        text = text[len(text) - int(len(text) * tokens / over * 0.98) :]
    return text


def langchain(entries: Sequence[Entry], budget: int, count: Count, fitted: bool = False) -> str:
    module = importlib.import_module("langchain.agents.middleware.summarization")
    said = importlib.import_module("langchain_core.messages")
    models = importlib.import_module("langchain_core.language_models.fake_chat_models")
    messages: list[Any] = []
    for entry in entries:
        text, calls, results = pieces(entry)
        if entry.message.role == "assistant":
            made = [{"name": call.name, "args": arguments(call), "id": call.id or ""} for call in calls]
            messages.append(said.AIMessage(text, tool_calls=made))
        elif results:
            messages += [said.ToolMessage(text_of(each), tool_call_id=each.call_id or "") for each in results]
        else:
            messages.append(said.HumanMessage(text))

    def summarise(shown: list[Any]) -> str:
        kept = budget // 2 if fitted else sum(count(words(each)) for each in messages[-KEEP:])
        return copied("\n".join(words(each) for each in shown), budget - kept, count)

    model = models.FakeListChatModel(responses=["unused"])
    keep: dict[str, Any] = {}
    if fitted:  # its summariser sees all that leaves, too, and not only the last 4,000 tokens of it
        keep = {"keep": ("tokens", max(1, budget // 2)), "trim_tokens_to_summarize": None}
    middleware = module.SummarizationMiddleware(model, trigger=("tokens", 1), summarizer=summarise, **keep)
    changed = middleware.before_model({"messages": messages}, None)
    left = messages if changed is None else changed["messages"][1:]
    return "\n".join(map(words, left))


def words(message: Any) -> str:
    """A LangChain message as text, its calls included."""
    calls = "".join(f"\n{call['name']}{call['args']}" for call in getattr(message, "tool_calls", ()))
    return f"{message.text}{calls}"


def harness(entries: Sequence[Entry], budget: int, count: Count, fitted: bool = False) -> str:
    module = importlib.import_module("pydantic_ai_harness.compaction")
    said = importlib.import_module("pydantic_ai.messages")
    function = importlib.import_module("pydantic_ai.models.function")
    history: list[Any] = []
    names: dict[str, str] = {}
    for entry in entries:
        text, calls, results = pieces(entry)
        if entry.message.role == "assistant":
            names |= {call.id or "": call.name for call in calls}
            parts = [said.TextPart(text)] if text else []
            parts += [said.ToolCallPart(call.name, arguments(call), call.id or "") for call in calls]
            history.append(said.ModelResponse(parts))
        elif results:
            parts = [
                said.ToolReturnPart(names.get(each.call_id or "", "tool"), text_of(each), each.call_id or "")
                for each in results
            ]
            history.append(said.ModelRequest(parts))
        else:
            history.append(said.ModelRequest([said.UserPromptPart(text)]))

    def summarise(shown: list[Any], _: Any) -> Any:
        kept = budget // 2 if fitted else sum(count(spoken(each)) for each in history[-KEEP:])
        text = "\n".join(map(spoken, shown))
        return said.ModelResponse([said.TextPart(copied(text, max(1, budget - kept), count) or "-")])

    keep = {"keep_tokens": max(1, budget // 2)} if fitted else {}
    strategy = module.SummarizingCompaction(max_messages=KEEP + 1, **keep)
    left = asyncio.run(module.compact_now(strategy, history, model=function.FunctionModel(summarise)))
    return "\n".join(map(spoken, left))


def spoken(message: Any) -> str:
    """A pydantic-ai message as text, its calls included."""
    told = []
    for part in message.parts:
        content = getattr(part, "content", "")
        told.append(content if isinstance(content, str) else str(content))
        if hasattr(part, "args"):
            told.append(f"{part.tool_name}{part.args_as_json_str()}")
    return "\n".join(told)
