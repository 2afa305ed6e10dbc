"""What Gemini refuses, found before it is sent (Gemini API reference).

Documented are: function declarations and media of a message, `cachedContent`, signatures (the API's pages on thought
signatures). The rules on turns are the errors the API names: as many function responses as calls, at once after them.
It reads contents of one role that follow each other as one turn, and so does this file.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from ....model.message import (
    Block,
    CallBlock,
    MediaBlock,
    Message,
    NativeBlock,
    ResultBlock,
    SourceBlock,
    TextBlock,
    ThinkingBlock,
)
from ....model.policy import ModelTraits
from ....model.prompt import Prompt
from ....model.verdict import Verdict
from ..legality import only_blocks, refuse, tools_defined
from .parts import WRITTEN
from .spelling import either

NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}")
USER = (TextBlock, MediaBlock, SourceBlock, ResultBlock, NativeBlock)
MODEL = (TextBlock, MediaBlock, ThinkingBlock, CallBlock, ResultBlock, NativeBlock)
SERVER: Mapping[type[Block], tuple[str, str]] = {
    CallBlock: ("toolCall", "executableCode"),
    ResultBlock: ("toolResponse", "codeExecutionResult"),
}
"""The parts that say what the provider ran itself."""
CACHED = ("systemInstruction", "tools", "toolConfig")
Turn = tuple[Message, ...]


def illegal(prompt: Prompt, traits: ModelTraits) -> Verdict | None:
    """The refusal that names the documented rule this prompt breaks, or None."""
    return (
        _places(prompt)
        or _ends(prompt.messages, traits)
        or _answered(turns(prompt.messages))
        or tools_defined(prompt, NAME)
        or _settings(prompt, traits)
        or (_signed(turns(prompt.messages)) if traits.signed_calls else None)
    )


def turns(messages: Sequence[Message]) -> list[Turn]:
    """The messages, those of one side that follow each other as one turn."""
    return [tuple(group) for _, group in groupby(messages, key=lambda message: message.role == "assistant")]


def _places(prompt: Prompt) -> Verdict | None:
    """Every block stands where the API takes it, whole enough to be written."""
    if refusal := only_blocks(prompt.system, (TextBlock, NativeBlock), "the system instruction"):
        return refusal
    for message in prompt.messages:
        if message.role not in WRITTEN:
            return refuse("system-misplaced", f"Gemini takes no {message.role} message between the turns", message.role)
        if not message.blocks:
            return refuse("prompt-empty", f"a {message.role} message has no parts", message.role)
        takes = MODEL if message.role == "assistant" else USER
        if refusal := only_blocks(message.blocks, takes, f"a {message.role} message"):
            return refusal
    return _whole([*prompt.system, *(block for message in prompt.messages for block in message.blocks)])


def _whole(blocks: Iterable[Block]) -> Verdict | None:
    for block in blocks:
        kind = type(block).__name__
        if block.cache is not None:
            return refuse("cache-marks", "Gemini takes no cache marks; it caches by itself or by name", kind)
        if type(block) is TextBlock and not str(block.text) and block.signature is None:
            return refuse("prompt-empty", "a part has no text: Gemini takes an empty one under a signature alone", kind)
        if isinstance(block, ThinkingBlock) and (block.encrypted or block.summary or block.blocks):
            return refuse("block-misplaced", "Gemini has no place for reasoning that another provider sealed", kind)
        if isinstance(block, MediaBlock) and block.data is None and block.url is None:
            return refuse(
                "block-misplaced", f"Gemini takes media as data or by address, not as this {block.media}", kind
            )
        if isinstance(block, CallBlock | ResultBlock) and block.server and block.type not in SERVER[type(block)]:
            return refuse("block-misplaced", f"another provider ran {block.name!r}; Gemini has no place for it", kind)
        if isinstance(block, CallBlock) and not isinstance(block.arguments, dict):
            return refuse("block-misplaced", f"the arguments of {block.name!r} are no JSON object", block.id or kind)
        if isinstance(block, ResultBlock) and (refusal := _whole_result(block)):
            return refusal
    return None


def _whole_result(result: ResultBlock) -> Verdict | None:
    if result.form == "object" and not isinstance(result.value, dict):
        return refuse("block-misplaced", "a result is no JSON object", result.call_id)
    parts = [block for block in result.blocks if not isinstance(block, TextBlock)]
    return only_blocks(parts, (MediaBlock, NativeBlock), "a function response") or _whole(parts)


def _ends(messages: Sequence[Message], traits: ModelTraits) -> Verdict | None:
    """The user has the first word, and the last one unless the model continues its own."""
    if not messages:
        return refuse("prompt-empty", "contents is empty")
    if messages[0].role == "assistant":
        return refuse("turn-order", "the contents begin with the model's turn; the user's comes first", "assistant")
    last = turns(messages)[-1]
    if last[0].role == "assistant" and not _calls(last) and not traits.prefill:
        return refuse("prefill-refused", "the contents end with the model's own turn", "assistant")
    return None


def _calls(turn: Turn) -> list[CallBlock]:
    return [call for message in turn if message.role == "assistant" for call in message.calls]


def _answered(all_turns: Sequence[Turn]) -> Verdict | None:
    """Each turn with calls is followed by one that answers just those, and first."""
    waiting: list[CallBlock] = []
    for turn in all_turns:
        if turn[0].role == "assistant":
            if refusal := _no_results(turn):
                return refusal
            waiting = _calls(turn)
        else:
            if refusal := _answers(turn, waiting):
                return refusal
            waiting = []
    return _unanswered(waiting[0]) if waiting else None


def _no_results(turn: Turn) -> Verdict | None:
    for message in turn:
        for block in message.blocks:
            if isinstance(block, ResultBlock) and not block.server:
                return refuse("result-misplaced", "a function response stands in the model's turn", block.call_id)
    return None


def _unanswered(call: CallBlock) -> Verdict:
    return refuse("call-unanswered", f"the call of {call.name!r} is not answered in the next turn", call.id)


def _answers(turn: Turn, waiting: list[CallBlock]) -> Verdict | None:
    waiting, spoken = list(waiting), False
    for message in turn:
        results = [each for each in message.blocks if isinstance(each, ResultBlock) and not each.server]
        if results and spoken and waiting:
            return refuse("result-misplaced", "something is said before all results are given", results[0].call_id)
        for result in results:
            call = next((each for each in waiting if _fits(result, each)), None)
            if call is None:
                why = f"the result of {result.name or result.call_id!r} answers no call of the turn before it"
                return refuse("result-without-call", why, result.call_id)
            waiting.remove(call)
        spoken = spoken or not results
    return _unanswered(waiting[0]) if waiting else None


def _fits(result: ResultBlock, call: CallBlock) -> bool:
    """A result belongs to the call of its id, where both have one, and of its name in every case."""
    same = result.call_id is None or call.id is None or result.call_id == call.id
    return same and result.name == call.name


def _signed(all_turns: Sequence[Turn]) -> Verdict | None:
    """Since the user last said something, the first call of each step has its signature."""
    for turn in reversed(all_turns):
        if turn[0].role != "assistant":
            if any(not isinstance(block, ResultBlock) for message in turn for block in message.blocks):
                return None
        elif (calls := _calls(turn)) and not calls[0].signature:
            why = f"the call of {calls[0].name!r} came back without its signature"
            return refuse("thinking-broken", why, calls[0].id)
    return None


def _settings(prompt: Prompt, traits: ModelTraits) -> Verdict | None:
    said = [name for name in CACHED if either(prompt.parameters, name)]
    said += ["systemInstruction"] if prompt.system else []
    said += ["tools"] if prompt.tools else []
    said += ["toolConfig"] if prompt.choice and prompt.choice.mode else []
    if either(prompt.parameters, "cachedContent") and said:
        return refuse("option-conflict", f"{said[0]} must stand in the cached content, not beside it", said[0])
    functions = any(not tool.type for tool in prompt.tools or ())
    calls = functions and not (prompt.choice and prompt.choice.mode == "none")
    if calls and not traits.schema_with_tools and _json(prompt):
        return refuse("option-conflict", "this model takes no function tools beside a JSON reply", "responseMimeType")
    return _held(prompt)


def _held(prompt: Prompt) -> Verdict | None:
    """A tool is a function with one schema, or one of the provider's own."""
    for tool in prompt.tools or ():
        if tool.type and not {tool.type, ""} & set(tool.native):
            return refuse("block-misplaced", f"the tool {tool.type} is another provider's", tool.type)
        if tool.cache is not None:
            return refuse("cache-marks", "Gemini takes no cache marks on tools", str(tool.name))
        if not tool.type and len({"parameters", "parametersJsonSchema"} & set(tool.native)):
            return refuse("option-conflict", f"{tool.name} has two schemas of its parameters", str(tool.name))
    return None


def _json(prompt: Prompt) -> bool:
    key = either(prompt.parameters, "generationConfig")
    config = prompt.parameters[key] if key else {}
    mime = either(config, "responseMimeType")
    return prompt.output is not None or bool(mime and config[mime] == "application/json")
