"""What Chat Completions refuses, found before it is sent (wire facts 2.2)."""

from ....model.message import (
    Block,
    CallBlock,
    MediaBlock,
    NativeBlock,
    ResultBlock,
    Role,
    SourceBlock,
    TextBlock,
    ThinkingBlock,
)
from ....model.policy import ModelTraits
from ....model.prompt import Prompt
from ....model.verdict import Verdict
from ..legality import answered_at_once, only, only_blocks, refuse, tools_defined

TAKES: dict[Role, tuple[type[Block], ...]] = {
    "system": (TextBlock, NativeBlock),
    "developer": (TextBlock, NativeBlock),
    "user": (TextBlock, MediaBlock, SourceBlock, NativeBlock),
    "assistant": (TextBlock, MediaBlock, ThinkingBlock, CallBlock, NativeBlock),
    "tool": (ResultBlock, NativeBlock),
}
RESULT = (TextBlock, NativeBlock)


def illegal(prompt: Prompt, traits: ModelTraits) -> Verdict | None:
    """The refusal that names the documented rule this prompt breaks, or None."""
    if not prompt.messages and not prompt.system:
        return refuse("prompt-empty", "messages is empty")
    for message in prompt.messages:
        if refusal := only(message, TAKES[message.role], f"a {message.role} message"):
            return refusal
        for block in message.blocks:
            if isinstance(block, ResultBlock) and (refusal := only_blocks(block.blocks, RESULT, "a tool message")):
                return refusal
            if isinstance(block, ThinkingBlock) and not block.type:
                return refuse("block-misplaced", "Chat Completions has no place for sealed reasoning", "ThinkingBlock")
    last = prompt.messages[-1] if prompt.messages else None
    if last is not None and last.role == "assistant" and not last.calls and not traits.prefill:
        return refuse("prefill-refused", "the last message is the assistant's own", "assistant")
    return answered_at_once(prompt) or tools_defined(prompt)
