"""Which blocks and messages may stand where (Messages API reference)."""

from collections.abc import Sequence

from ....model.message import (
    Block,
    CallBlock,
    CompactionBlock,
    Form,
    MediaBlock,
    Message,
    NativeBlock,
    ResultBlock,
    SourceBlock,
    TextBlock,
    ThinkingBlock,
    ToolChangeBlock,
)
from ....model.policy import ModelTraits
from ....model.prompt import Prompt
from ....model.verdict import Verdict
from ..legality import blank, only_blocks, refuse
from .reading import CALLS, SERVER_RESULTS
from .turns import SPEAKERS, Speaker, Turn, turns

TAKES: dict[Speaker, tuple[type[Block], ...]] = {
    "system": (TextBlock, ToolChangeBlock, NativeBlock),
    "user": (TextBlock, MediaBlock, SourceBlock, ResultBlock, NativeBlock),
    "assistant": (TextBlock, ThinkingBlock, CallBlock, ResultBlock, CompactionBlock, MediaBlock, NativeBlock),
}
RESULT = (TextBlock, MediaBlock, SourceBlock, ToolChangeBlock, NativeBlock)


def something_said(prompt: Prompt) -> Verdict | None:
    """There are messages, each but a last one of the assistant says something, and no text is white space alone."""
    if not prompt.messages:
        return refuse("prompt-empty", "messages is empty")
    if _holds_blank(prompt.system, prompt.system_form):
        return refuse("prompt-empty", "a text of system is nothing but white space", "system")
    for at, message in enumerate(prompt.messages):
        if _holds_blank(message.blocks, message.form):
            return refuse("prompt-empty", f"a text of messages.{at} is nothing but white space", message.role)
        last = at == len(prompt.messages) - 1 and message.role == "assistant"
        if not last and _is_empty(message) and not (message.role == "system" and message.native.get("output_config")):
            return refuse("prompt-empty", f"messages.{at} says nothing", message.role)
    return None


def _holds_blank(blocks: Sequence[Block], form: Form) -> bool:
    """Whether a text is blank (400, text content blocks must be non-empty, and contain non-whitespace text).

    Content that is the empty string is no block; where it may stand is another rule's.
    """
    texts = [str(block.text) for block in blocks if type(block) is TextBlock]
    return any(blank(text) for text in texts) and (form != "text" or len(blocks) > 1 or texts != [""])


def _is_empty(message: Message) -> bool:
    return all(type(block) is TextBlock and not str(block.text) for block in message.blocks)


def blocks_placed(prompt: Prompt) -> Verdict | None:
    """Each block stands with a speaker that may say it, and is one this dialect can write."""
    if refusal := only_blocks(prompt.system, (TextBlock, NativeBlock), "system"):
        return refusal
    for message in prompt.messages:
        speaker = SPEAKERS[message.role]
        where = f"a message of the {speaker}"
        if refusal := only_blocks(message.blocks, TAKES[speaker], where):
            return refusal
        for block in message.blocks:
            if refusal := _misplaced(block, speaker, where):
                return refusal
    return None


def _misplaced(block: Block, speaker: Speaker, where: str) -> Verdict | None:
    kind = type(block).__name__
    if isinstance(block, MediaBlock):
        upload = block.type == "container_upload"
        if block.media not in ("image", "document") or (speaker == "assistant" and not upload):
            return refuse("block-misplaced", f"{where} takes no {block.media}", kind)
    elif isinstance(block, ToolChangeBlock) and block.type == "tool_reference":
        return refuse("block-misplaced", "a tool_reference stands in a tool's result", kind)
    elif isinstance(block, ResultBlock):
        if (speaker == "assistant") != block.server:
            own = "the provider's own tools" if block.server else "a tool"
            return refuse("block-misplaced", f"{where} takes no result of {own}", kind)
        return _foreign(block, SERVER_RESULTS if block.server else {""}) or _inside(block)
    elif isinstance(block, CallBlock):
        if block.arguments is None:
            return refuse("block-misplaced", f"the arguments of the call {block.id!r} are no JSON object", kind)
        return _foreign(block, CALLS) if block.server else None
    elif isinstance(block, ThinkingBlock):
        return _thinking(block)
    return None


def _foreign(block: Block, types: Sequence[str] | frozenset[str] | set[str]) -> Verdict | None:
    if block.type not in types:
        why = f"a {block.type} belongs to another provider; this one has no place for it"
        return refuse("block-misplaced", why, type(block).__name__)
    return None


def _inside(result: ResultBlock) -> Verdict | None:
    """A result of ours holds text, images, documents, evidence and references to tools."""
    if result.server:
        return None
    for block in result.blocks:
        if isinstance(block, ToolChangeBlock) and block.type != "tool_reference":
            return refuse(
                "block-misplaced", "a tool's result takes no change of the tools but a reference", "ToolChangeBlock"
            )
        if isinstance(block, MediaBlock) and block.media not in ("image", "document"):
            return refuse("block-misplaced", f"a tool's result takes no {block.media}", "MediaBlock")
    return only_blocks(result.blocks, RESULT, "a tool's result")


def _thinking(block: ThinkingBlock) -> Verdict | None:
    if refusal := _foreign(block, {"", "thinking", "redacted_thinking"}):
        return refusal
    if block.signature is None and block.encrypted is None:
        return refuse("thinking-broken", "a thinking block without its signature is not taken back", "ThinkingBlock")
    return None


def system_placed(prompt: Prompt) -> Verdict | None:
    """A group of system messages follows a user turn or a server tool's result, and an assistant turn follows it.

    A message that only sets the effort may stand anywhere (but between a call and its result, see pairing).
    """
    spoken = turns(prompt)
    for at, turn in enumerate(spoken):
        if turn.speaker != "system" or all(not each.blocks for each in turn.messages):
            continue
        before = spoken[at - 1] if at else None
        if before is None:
            return refuse("system-misplaced", "a system message must not be the first; use system", "system")
        if before.speaker == "assistant" and not (
            before.ends_with_server and isinstance(before.blocks[-1], ResultBlock)
        ):
            return refuse(
                "system-misplaced", "a system message must follow a user turn or a server tool's result", "system"
            )
        if at + 1 < len(spoken) and spoken[at + 1].speaker != "assistant":
            return refuse("system-misplaced", "after a system message the assistant must speak", "system")
    return None


def compaction_placed(prompt: Prompt) -> Verdict | None:
    """A signed summary is the only one of its request and stands first, in place of what it sums up."""
    places = [
        (message, block)
        for message, each in enumerate(prompt.messages)
        for block, one in enumerate(each.blocks)
        if isinstance(one, CompactionBlock) and one.signature is not None
    ]
    if places and places != [(0, 0)]:
        return refuse(
            "block-misplaced", "a signed compaction block must be the first block, and the only one", "compaction"
        )
    return None


def only_where_taken(prompt: Prompt, traits: ModelTraits) -> Verdict | None:
    """System messages between the turns, and last words of the assistant, where the model takes them."""
    spoken = turns(prompt)
    if not traits.system_turns and any(turn.speaker == "system" for turn in spoken):
        return refuse("system-misplaced", "the model takes no system messages between the turns", "system")
    if not traits.prefill and "compaction" not in prompt.parameters and _is_prefill(spoken[-1]):
        return refuse("prefill-refused", "the last message is the assistant's own", "assistant")
    return None


def _is_prefill(turn: Turn) -> bool:
    """The assistant's own words come last; a turn that was paused inside the provider's tools is no such thing."""
    return turn.speaker == "assistant" and not turn.ends_with_server


PLACEMENT = (something_said, blocks_placed, system_placed, compaction_placed)
