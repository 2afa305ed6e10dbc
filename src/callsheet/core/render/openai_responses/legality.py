"""What Responses refuses, found before it is sent (Responses API reference).

Items stand in one order, whichever messages they come in: the rules look at the blocks of all messages as one list.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from ....model.message import (
    Block,
    CallBlock,
    CompactionBlock,
    Media,
    MediaBlock,
    Message,
    NativeBlock,
    ResultBlock,
    Role,
    SourceBlock,
    TextBlock,
    ThinkingBlock,
    ToolChangeBlock,
    ToolDefinition,
)
from ....model.policy import ModelTraits
from ....model.prompt import Prompt, ToolChoice
from ....model.verdict import Verdict
from ..legality import only_blocks, refuse, tools_defined
from ..native import compaction_problem
from .items import CALLS, RESULTS
from .parts import MESSAGE
from .schema import not_strict
from .tools import chosen, inner_tools

ITEMS = (ThinkingBlock, CallBlock, ResultBlock, ToolChangeBlock, CompactionBlock, NativeBlock)
GIVEN = (TextBlock, MediaBlock, SourceBlock)
TAKES: Mapping[Role, tuple[type[Block], ...]] = {
    "system": (TextBlock, ToolChangeBlock, NativeBlock),
    "developer": (*GIVEN, ToolChangeBlock, NativeBlock),
    "user": (*GIVEN, ResultBlock, CompactionBlock, NativeBlock),
    "assistant": (TextBlock, *ITEMS),
    "tool": (ResultBlock, NativeBlock),
}
RESULT = (*GIVEN, NativeBlock, ToolChangeBlock)
GIVEN_AS: Mapping[Media, tuple[str, ...]] = {
    "image": ("url", "data", "file_id"),
    "audio": ("data",),
    "document": ("url", "data", "file_id"),
    "video": (),
}
"""How each kind of media may be given: by one of these fields."""
SPOKEN = frozenset(("", "output_text", "refusal"))
ASKED = frozenset(("", "input_text", "text"))
TTLS = frozenset(("", "30m", "12h"))
ANSWERS: Mapping[str, str] = {"": "", "tool_search_call": "tool_search_output"}
STATEFUL = ("previous_response_id", "conversation")
"""Settings by which the server puts items of its own before the request's."""


def illegal(prompt: Prompt, traits: ModelTraits) -> Verdict | None:
    """The refusal that names the documented rule this prompt breaks, or None."""
    if not prompt.messages and not any(_set(prompt, key) for key in (*STATEFUL, "prompt")):
        return refuse("prompt-empty", "the request has no input, and continues no response or conversation")
    if all(_set(prompt, key) for key in STATEFUL):
        return refuse("option-conflict", "a request names a conversation or a previous response, not both")
    if problem := compaction_problem(prompt.parameters.get("context_management")):
        return refuse("option-conflict", problem, "context_management")
    items = tuple(_items(prompt.messages))
    rules = (_in_place, _marks, _pairs, _thoughts, _ids, _last, _tools, _chosen, _schemas)
    refusals = (refusal for rule in rules if (refusal := rule(prompt, items)) is not None)
    return next(refusals, None) or _together(items, traits) or _prefill(items, traits)


def _set(prompt: Prompt, key: str) -> bool:
    return prompt.parameters.get(key) is not None


Item = tuple[Message, Block]


def _items(messages: Sequence[Message]) -> Iterator[Item]:
    for message in messages:
        for block in message.blocks:
            yield message, block


def _role(message: Message, block: Block) -> Role:
    """The role of a part: its own item's where a response's items were joined into one message."""
    own = block.native.get(MESSAGE)
    role = own.get("role", message.role) if isinstance(own, Mapping) else message.role
    return role if role in TAKES else message.role


def _in_place(prompt: Prompt, items: Sequence[Item]) -> Verdict | None:
    """Every block stands where its kind may: input parts with users and developers, output parts with the model."""
    for message, block in items:
        role = _role(message, block)
        if refusal := only_blocks((block,), TAKES[role], f"a {role} message"):
            return refusal
        for each in (block, *(block.blocks if isinstance(block, ResultBlock) else ())):
            if why := _unsayable(each):
                return refuse("block-misplaced", why, type(each).__name__)
        if isinstance(block, TextBlock) and block.type not in (SPOKEN if role == "assistant" else ASKED):
            return refuse("block-misplaced", f"a {role} message takes no {block.type}", block.type)
        if isinstance(block, ResultBlock) and (refusal := _held(block)):
            return refusal
    why = next((why for block in prompt.system if (why := _unsayable(block))), None)
    return refuse("block-misplaced", why) if why else only_blocks(prompt.system, GIVEN, "the instructions")


def _held(result: ResultBlock) -> Verdict | None:
    """A tool's output holds text, images and files (`ResponseFunctionCallOutputItemParam`)."""
    if any(isinstance(each, MediaBlock) and each.media == "audio" for each in result.blocks):
        return refuse("block-misplaced", "a tool's output takes no audio", "MediaBlock")
    return only_blocks(result.blocks, RESULT, "a tool's output")


def _unsayable(block: Block) -> str | None:
    """Why no item can say this block, which another dialect can."""
    if isinstance(block, ThinkingBlock) and block.id is None and block.encrypted is None:
        return "reasoning without an id or a seal is another provider's, and has no item here"
    if isinstance(block, CallBlock | ResultBlock) and block.server:
        known = CALLS if isinstance(block, CallBlock) else RESULTS
        return None if block.type in known else "a call that another provider ran has no item here"
    if isinstance(block, CompactionBlock) and block.encrypted is None:
        return "a compaction that is not sealed by this provider has no item here"
    if isinstance(block, ToolChangeBlock) and (not block.added or block.definitions is None):
        return "tools can be added with their definitions, and in no other way"
    if isinstance(block, MediaBlock) and not any(getattr(block, key) for key in GIVEN_AS[block.media]):
        return f"Responses takes no {block.media} in this form"
    return None


def _marks(prompt: Prompt, items: Sequence[Item]) -> Verdict | None:
    """A cache mark stands on a part that is input, for one of the documented times."""
    for message, block in items:
        inner = block.blocks if isinstance(block, ResultBlock) else ()
        for each in (block, *inner):
            if each.cache is None:
                continue
            if not isinstance(each, TextBlock | MediaBlock) or message.role == "assistant":
                return refuse("cache-marks", f"a {type(each).__name__} of this kind carries no cache mark")
            if each.cache.ttl not in TTLS:
                return refuse("cache-marks", f"a cache mark holds for 30m or 12h, not for {each.cache.ttl!r}")
    if any(tool.cache for tool in prompt.tools or ()):
        return refuse("cache-marks", "a tool's definition carries no cache mark")
    return None


def _answers(result: ResultBlock, call: CallBlock) -> bool:
    """A call is answered by an output of its own kind; one that another dialect made has no kind yet."""
    if call.type not in ("", *CALLS) or result.type not in ("", *RESULTS):
        return True
    return result.type == ANSWERS.get(call.type, f"{call.type}_output")


def _pairs(prompt: Prompt, items: Sequence[Item]) -> Verdict | None:
    """Each call has one result of its kind somewhere after it; a result may answer a call the server holds."""
    waiting: dict[str | None, CallBlock] = {}
    seen: set[str | None] = set()
    stored = any(_set(prompt, key) for key in STATEFUL) or any(_is(block, "item_reference") for _, block in items)
    for _, block in items:
        if isinstance(block, CallBlock) and not block.server:
            if block.id is None or block.id in seen:
                why = "has no id" if block.id is None else f"carries the id {block.id!r} of another call"
                return refuse("duplicate-id", f"the call of {block.name!r} {why}", block.id)
            seen.add(block.id)
            waiting[block.id] = block
        elif isinstance(block, ResultBlock) and not block.server:
            call = waiting.pop(block.call_id, None)
            if call is None and (block.call_id in seen or not stored):
                why = f"the result for {block.call_id!r} answers no call before it that still waits"
                return refuse("result-without-call", why, block.call_id)
            if call is not None and not _answers(block, call):
                why = f"the call {block.call_id!r} is no call that a {block.type or 'function_call_output'} answers"
                return refuse("result-without-call", why, block.call_id)
            seen.add(block.call_id)
    call_id = next(iter(waiting), None)
    return refuse("call-unanswered", f"the call {call_id!r} has no result in the request", call_id) if waiting else None


def _is(block: Block, kind: str) -> bool:
    return isinstance(block, NativeBlock) and block.type == kind


def _thoughts(prompt: Prompt, items: Sequence[Item]) -> Verdict | None:
    """Reasoning is followed by what it produced: a message of the model's, a call, or more reasoning."""
    for (_, block), after in zip_longest(items, items[1:]):
        if isinstance(block, ThinkingBlock) and (after is None or not _produced(*after)):
            why = f"the reasoning {block.id!r} is separated from the message or the call it produced"
            return refuse("thinking-broken", why, block.id)
    return None


def _produced(message: Message, block: Block) -> bool:
    if isinstance(block, NativeBlock):
        return not _is(block, "compaction_trigger") and not _is(block, "configuration_update")
    return message.role == "assistant" and not isinstance(block, ResultBlock)


def _ids(prompt: Prompt, items: Sequence[Item]) -> Verdict | None:
    """No two items carry one id."""
    seen: set[str] = set()
    for found in _carried(prompt.messages):
        if isinstance(found, str):
            if found in seen:
                return refuse("duplicate-id", f"two items carry the id {found!r}", found)
            seen.add(found)
    return None


def _carried(messages: Sequence[Message]) -> Iterator[Any]:
    """The id of each item, or None; the parts of one message are one item."""
    for message in messages:
        yield message.native.get("id")
        last = None
        for block in message.blocks:
            own = block.native.get(MESSAGE)
            if not isinstance(own, Mapping):
                yield _own_id(block)
            elif own != last:
                yield own.get("id")
            last = own


def _own_id(block: Block) -> Any:
    if isinstance(block, ThinkingBlock | CompactionBlock) and block.id is not None:
        return block.id
    if isinstance(block, CallBlock) and block.type in CALLS and CALLS[block.type].id == "id":
        return block.id
    return block.native.get("id")


def _last(prompt: Prompt, items: Sequence[Item]) -> Verdict | None:
    """A compaction trigger is the last item."""
    for _, block in items[:-1]:
        if _is(block, "compaction_trigger"):
            return refuse("block-misplaced", "a compaction_trigger must be the last item", "compaction_trigger")
    return None


def _definitions(prompt: Prompt, items: Sequence[Item]) -> list[ToolDefinition]:
    """The tools the request defines: at its head, added on the way, and found by a search."""
    blocks = [block for _, block in items]
    inner = [each for block in blocks if isinstance(block, ResultBlock) for each in block.blocks]
    changes = [each for each in (*blocks, *inner) if isinstance(each, ToolChangeBlock)]
    return [*(prompt.tools or ()), *(tool for change in changes for tool in change.definitions or ())]


def _tools(prompt: Prompt, items: Sequence[Item]) -> Verdict | None:
    """Every function has a legal name, and one of its own in its namespace."""
    refusal = tools_defined(replace(prompt, choice=None))
    for space in prompt.tools or ():
        inner = tuple(ToolDefinition(str(each.get("name") or "")) for each in inner_tools(space))
        refusal = refusal or tools_defined(Prompt(tools=inner))
    return refusal


def _chosen(prompt: Prompt, items: Sequence[Item]) -> Verdict | None:
    """What the tool choice names is defined; those allowed are some of them; a forced call has a tool to take."""
    choice = prompt.choice or ToolChoice("")
    if choice.mode in ("", "auto", "none"):
        return None
    tools = _definitions(prompt, items)
    if not tools or (choice.mode == "allowed" and not choice.names):
        return refuse("tool-undefined", f"the tool choice is {choice.mode!r}, and there is no tool to choose")
    known = {str(tool.name) for tool in tools} | {tool.type for tool in tools}
    known |= {chosen(each) for tool in tools for each in (tool.native, *inner_tools(tool))}
    for name in map(str, choice.names):
        if name not in known:
            return refuse("tool-undefined", f"the tool choice names {name!r}, which the request does not define", name)
    return None


def _schemas(prompt: Prompt, items: Sequence[Item]) -> Verdict | None:
    """A schema that is to hold strictly keeps to what strict mode can hold."""
    output = prompt.output
    if output is not None and output.strict and (why := not_strict(output.schema)):
        return refuse("schema-not-strict", f"the output schema {why}", output.name)
    for tool in prompt.tools or ():
        if tool.strict and (why := not_strict(tool.schema)):
            return refuse("schema-not-strict", f"the schema of the tool {str(tool.name)!r} {why}", str(tool.name))
    return None


def _together(items: Sequence[Item], traits: ModelTraits) -> Verdict | None:
    """Where a server wants it so, nothing is said between a call and its result (DeepSeek, seen in a recording)."""
    waiting: list[str | None] = []
    for _, block in () if traits.interleaved_calls else items:
        if isinstance(block, CallBlock) and not block.server:
            waiting.append(block.id)
        elif isinstance(block, ResultBlock) and block.call_id in waiting:
            waiting.remove(block.call_id)
        elif isinstance(block, TextBlock | MediaBlock) and waiting:
            why = f"the call {waiting[0]!r} must be answered before anything else is said"
            return refuse("call-unanswered", why, waiting[0])
    return None


def _prefill(items: Sequence[Item], traits: ModelTraits) -> Verdict | None:
    message, block = items[-1] if items else (Message("user"), None)
    if message.role == "assistant" and isinstance(block, TextBlock) and not traits.prefill:
        return refuse("prefill-refused", "the last item is the assistant's own message", "assistant")
    return None
