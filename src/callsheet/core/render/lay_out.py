"""A working set as a prompt: which item goes into which channel, by the authority each provider documents (B1).

| dialect | stable instructions and tools | values, state, examples, notices | the rest, with the question |
|---|---|---|---|
| Chat Completions | first `system` message | second `system` message | `user` message |
| Responses | `instructions`, marked: a `developer` message | `developer` message | `user` message |
| Anthropic Messages | first block of `system`, cache mark | second block of `system` | `user` message |
| Gemini | first part of `systemInstruction` | second part | `user` content |

Untrusted text stands in the user's channel, between tags, or as a source block where the model takes those. Documents
that the project preloads alone stand between their tags in the first part, where the provider's cache can keep them: in
any channel delimited text has no authority.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ...model.content import Content, Owned
from ...model.evidence import Evidence
from ...model.item import ContextItem
from ...model.manifest import WorkingSet
from ...model.message import Block, Form, Message, SourceBlock, TextBlock, ToolChangeBlock
from ...model.policy import Budget, DialectName, ModelProfile
from ...model.prompt import Prompt
from ..proposal.channel import PURPOSE, ReplyFormat
from .caching import cached
from .deferral import defer

DELIMITED = {
    "evidence": "evidence",
    "memory": "memory",
    "observation": "observation",
    "example": "example",
    "conversation": "question",
}
"""Item kinds that stand between tags; nothing inside them can write such a tag (see core/text/foreign.py)."""

SYSTEM_BLOCKS: frozenset[DialectName] = frozenset(("anthropic", "gemini"))
"""Dialects whose system channel is a list of blocks before all messages."""


def lay_out(
    working_set: WorkingSet, profile: ModelProfile, budget: Budget, reply: ReplyFormat, continues: bool = False
) -> Prompt:
    """The prompt of a working set: stable prefix first, dynamic suffix last, what is asked for behind the messages.

    `continues` says that later requests will begin with this one: then its end is worth a place in the cache.
    """
    blocks = profile.dialect in SYSTEM_BLOCKS
    system: list[Block] = [TextBlock(Content(_stable(working_set.prefix, with_tools=reply.tools is None)))]
    messages = [_user(working_set.material, profile)]
    if working_set.context:
        context = TextBlock(Content(_paragraphs(working_set.context)))
        if blocks:
            system.append(context)
        else:
            role: Any = "developer" if profile.dialect == "openai_responses" else "system"
            messages.insert(0, Message(role, (context,), "text"))
    if reply.removed:
        messages.append(Message("system", (ToolChangeBlock(added=False, names=reply.removed),)))
    prompt = Prompt(
        model=profile.name,
        messages=tuple(messages),
        system=tuple(system),
        system_form="blocks" if blocks else "text",
        tools=reply.tools,
        choice=reply.choice,
        output=reply.output,
        max_output=budget.max_output,
        max_output_key=profile.traits.max_output_key if profile.dialect == "openai_chat" else "",
        stream=True if profile.stream else None,
        parameters=parameters(profile),
    )
    if reply.search:
        prompt = defer(prompt, PURPOSE.keys(), profile.dialect)
    return cached(prompt, profile, working_set.prefix, continues)


def parameters(profile: ModelProfile) -> Mapping[str, Any]:
    """Sampling, where the model takes it, and the project's own parameters of the dialect, which win."""
    sampling: dict[str, Any] = {}
    if profile.traits.sampling:
        sampling["temperature"] = profile.temperature
        if profile.dialect in ("openai_chat", "gemini"):
            sampling["seed"] = profile.seed
    if profile.dialect == "gemini":
        own = profile.native.get("generationConfig", {})
        return {**profile.native, "generationConfig": {**sampling, **own}}
    # Without this a streamed reply reports no usage.
    usage = {"stream_options": {"include_usage": True}} if profile.stream and profile.dialect == "openai_chat" else {}
    return {**sampling, **usage, **profile.native}


def _user(material: Sequence[ContextItem], profile: ModelProfile) -> Message:
    if not profile.traits.source_blocks:
        return Message("user", (TextBlock(Content(_paragraphs(material))),), "text")
    blocks: list[Block] = []
    between: list[ContextItem] = []
    for item in material:
        if isinstance(item.record, Evidence):
            blocks += _text(between)
            between = []
            blocks.append(_source(item, item.record))
        else:
            between.append(item)
    form: Form = "blocks"
    return Message("user", (*blocks, *_text(between)), form)


def _text(items: Sequence[ContextItem]) -> list[Block]:
    return [TextBlock(Content(_paragraphs(items)))] if items else []


def _source(item: ContextItem, evidence: Evidence) -> SourceBlock:
    """Evidence as the provider's own block, bound by its source and not by its place."""
    title = Owned(item.item_id, evidence.section or evidence.document_id)
    return SourceBlock(Owned(item.item_id, item.source), title, (TextBlock(Content((item,))),))


def _stable(items: Sequence[ContextItem], with_tools: bool) -> tuple[ContextItem | str, ...]:
    tools = [item for item in items if item.kind == "tool"] if with_tools else []
    pieces = _paragraphs([item for item in items if item.kind != "tool"])
    if not tools:
        return pieces
    return (*pieces, *(("\n",) if pieces else ()), "<tools>\n", *_paragraphs(tools), "\n</tools>")


def _paragraphs(items: Sequence[ContextItem]) -> tuple[ContextItem | str, ...]:
    pieces: list[ContextItem | str] = []
    for number, item in enumerate(items):
        tag = DELIMITED.get(item.kind)
        opening = f"<{tag}>\n" if tag else ""
        pieces += [("\n" if number else "") + opening, item, f"\n</{tag}>" if tag else ""]
    return tuple(piece for piece in pieces if piece != "")
