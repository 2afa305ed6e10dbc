"""Every call with its result, where the Messages API wants it (Messages API, handling tool calls)."""

from collections.abc import Iterator, Sequence

from ....model.message import Block, CallBlock, ResultBlock, TextBlock
from ....model.prompt import Prompt
from ....model.verdict import Verdict
from ..legality import refuse
from .turns import Turn, turns

SERVER_ID = "srvtoolu_"
"""How ids of calls begin that the provider runs itself."""


def answered(prompt: Prompt) -> Verdict | None:
    """Each call is answered once, in the user turn right after it, before anything else is said there."""
    spoken = turns(prompt)
    for asked, answer in zip((None, *spoken), (*spoken, None), strict=True):
        if refusal := _turn_answered(asked, answer):
            return refusal
    return None


def _turn_answered(asked: Turn | None, answer: Turn | None) -> Verdict | None:
    calls = asked.calls if asked is not None and asked.speaker == "assistant" else ()
    results = tuple(_results(answer.blocks)) if answer is not None and answer.speaker == "user" else ()
    if calls and answer is not None and answer.speaker == "system":
        return refuse("system-misplaced", f"a system message stands between the call {calls[0].id!r} and its result")
    if refusal := _matched(calls, [each.call_id for each in results]):
        return refusal
    if answer is None or answer.speaker != "user":
        return None
    if any(not isinstance(block, ResultBlock) for block in answer.blocks[: len(results)]):
        return refuse(
            "result-misplaced", "tool results must come before anything else the user says", results[0].call_id
        )
    if asked is not None and asked.speaker == "assistant":
        return _results_alone(asked, answer, results) or _echoed(calls, results)
    return None


def _results(blocks: Sequence[Block]) -> Iterator[ResultBlock]:
    return (block for block in blocks if isinstance(block, ResultBlock))


def _matched(calls: Sequence[CallBlock], results: Sequence[str | None]) -> Verdict | None:
    asked = [call.id for call in calls]
    for at, call in enumerate(calls):
        if not call.id or call.id in asked[:at]:
            return refuse(
                "call-unanswered", f"the call of {call.name!r} has no id of its own to be answered by", call.id
            )
    for at, result in enumerate(results):
        if result in results[:at]:
            return refuse("result-without-call", f"the call {result!r} is answered twice", result)
        if result not in asked:
            own = "the provider answers it itself" if str(result).startswith(SERVER_ID) else "no call of that turn"
            return refuse("result-without-call", f"the result for {result!r} answers no call before it: {own}", result)
    for each in asked:
        if each not in results:
            return refuse("call-unanswered", f"the call {each!r} has no result in the user turn right after it", each)
    return None


def _results_alone(asked: Turn, answer: Turn, results: Sequence[ResultBlock]) -> Verdict | None:
    """While the provider's own call waits, or code of its own that called us, the user answers calls and no more."""
    programmatic = any(map(is_programmatic, asked.calls))
    if (asked.unfinished or programmatic) and len(results) < len(answer.blocks):
        return refuse("result-misplaced", "while a server tool waits, the user turn holds tool results alone", "user")
    texts = all(isinstance(block, TextBlock) for result in results for block in result.blocks)
    if programmatic and not texts:
        return refuse("block-misplaced", "the result of a call made by code is text alone", "ResultBlock")
    return None


def is_programmatic(call: CallBlock) -> bool:
    """True for a call that the provider's code execution made."""
    caller = call.native.get("caller")
    return isinstance(caller, dict) and caller.get("type", "direct") != "direct"


def _echoed(calls: Sequence[CallBlock], results: Sequence[ResultBlock]) -> Verdict | None:
    toolsets = {call.id: call.native.get("toolset_name") for call in calls}
    for result in results:
        toolset = toolsets[result.call_id]
        if result.native.get("toolset_name") != toolset:
            why = f"the result for {result.call_id!r} must name its call's toolset {toolset!r}"
            return refuse("result-without-call", why, result.call_id)
    return None


def server_results_follow(prompt: Prompt) -> Verdict | None:
    """The result of a provider's own call stands after that call, once; a summary may have taken the call's place."""
    waiting: set[str | None] = set()
    for turn in turns(prompt):
        for block in turn.blocks:
            if isinstance(block, CallBlock) and block.server:
                waiting.add(block.id)
            elif isinstance(block, ResultBlock) and block.server:
                if block.call_id not in waiting:
                    why = f"the {block.type} for {block.call_id!r} answers no call before it"
                    return refuse("result-without-call", why, block.call_id)
                waiting.discard(block.call_id)
    return None


PAIRING = (answered, server_results_follow)
