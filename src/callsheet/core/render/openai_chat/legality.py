"""What Chat Completions refuses, found before it is sent (Chat Completions API reference)."""

from collections.abc import Mapping

from ....model.message import (
    Block,
    CallBlock,
    Media,
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
from .message import THOUGHT

TAKES: dict[Role, tuple[type[Block], ...]] = {
    "system": (TextBlock, NativeBlock),
    "developer": (TextBlock, NativeBlock),
    "user": (TextBlock, MediaBlock, SourceBlock, NativeBlock),
    "assistant": (TextBlock, MediaBlock, ThinkingBlock, CallBlock, NativeBlock),
    "tool": (ResultBlock, NativeBlock),
}
MEDIA: Mapping[Media, tuple[str, ...]] = {
    "image": ("url", "data"),
    "audio": ("data",),
    "document": ("data", "file_id"),
    "video": (),
}
"""How each kind of media may be given: by one of these fields."""
RESULT = (TextBlock, NativeBlock)
INSTEAD = frozenset(("role", "refusal", "audio", "function_call"))
"""Fields that stand for the content of a message; one of another role is kept as it was."""


def illegal(prompt: Prompt, traits: ModelTraits) -> Verdict | None:
    """The refusal that names the documented rule this prompt breaks, or None."""
    if not prompt.messages and not prompt.system:
        return refuse("prompt-empty", "messages is empty")
    if refusal := only_blocks(prompt.system, TAKES["system"], "a system message"):
        return refusal
    for message in prompt.messages:
        if refusal := only(message, TAKES[message.role], f"a {message.role} message"):
            return refusal
        if not message.blocks and message.form != "text" and not set(message.native) & INSTEAD:
            return refuse(
                "prompt-empty", f"a {message.role} message has no content, and nothing in its place", "content"
            )
        for block in message.blocks:
            if isinstance(block, ResultBlock) and (refusal := only_blocks(block.blocks, RESULT, "a tool message")):
                return refusal
            if why := _unsayable(block):
                return refuse("block-misplaced", why, type(block).__name__)
    last = prompt.messages[-1] if prompt.messages else None
    if last is not None and last.role == "assistant" and not last.calls and not traits.prefill:
        return refuse("prefill-refused", "the last message is the assistant's own", "assistant")
    return answered_at_once(prompt) or tools_defined(prompt)


def _unsayable(block: Block) -> str | None:
    """Why this block, which another dialect can say, has no form here."""
    if isinstance(block, ThinkingBlock) and block.type != THOUGHT:
        return "Chat Completions has no place for sealed reasoning"
    if isinstance(block, CallBlock | ResultBlock) and block.server:
        return f"Chat Completions has no place for a call that the provider ran: {block.name!r}"
    if isinstance(block, ResultBlock) and block.value is not None:
        return f"the result for {block.call_id!r} is an object; Chat Completions takes text"
    if isinstance(block, MediaBlock) and not any(getattr(block, key) for key in MEDIA[block.media]):
        return f"Chat Completions takes no {block.media} in this form"
    return None
