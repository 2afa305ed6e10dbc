"""The provider's own compaction: one sealed block that it alone can read, sent back byte for byte (opaque, F3)."""

from collections.abc import Mapping
from typing import Any

from ...model.history import Drafted, Summarise
from ...model.message import Block, CompactionBlock, Message, NativeBlock, TextBlock
from ...model.policy import DialectName, ModelProfile
from ...model.prompt import Prompt
from ...ports import Model
from .answer import answer

OPENING = "The earlier part of a conversation follows."
TRIGGER = NativeBlock(type="compaction_trigger", fields={"type": "compaction_trigger"})
"""The last item of a Responses request that asks for a compaction of all before it."""
ASKING: Mapping[DialectName, Mapping[str, Any]] = {
    "anthropic": {"compaction": {"type": "summarize"}},
    "openai_responses": {},
}
"""What a request needs beside its messages, by dialect; the other dialects have no compaction of their own."""


class ProviderSummariser:
    """Lets the provider sum up; only for Anthropic's Messages and OpenAI's Responses, and only the method `opaque`.

    A sealed summary cannot be checked, so nothing that must survive may rest on it alone: a step takes it where the
    session's trail does not matter, and what a person said stands beside it word for word.
    """

    def __init__(self, model: Model) -> None:
        self._model = model

    def summarise(self, request: Summarise) -> Drafted:
        """The sealed draft for exactly these messages; a failure is a `Drafted` with `error`, never an exception."""
        profile = self._model.profile
        if profile.dialect not in ASKING:
            return Drafted(error=f"{profile.name}: {profile.dialect} has no compaction of its own")
        if request.method != "opaque":
            return Drafted(error=f"{profile.name}: a provider's compaction is opaque, not {request.method}")
        response = answer(self._model, _prompt(request, profile))
        if isinstance(response, str):
            return Drafted(error=f"{profile.name}: {response}")
        sealed = _sealed(response.message.blocks)
        if sealed is None:
            why = f"the provider gave no compaction ({response.said or response.finish})"
            return Drafted(usage=response.usage, error=f"{profile.name}: {why}")
        numbers = tuple(entry.number for entry in request.entries)
        return Drafted(
            text=sealed.text or "sealed", usage=response.usage, read=numbers, by=profile.name, compaction=sealed
        )


def _prompt(request: Summarise, profile: ModelProfile) -> Prompt:
    messages = [entry.message for entry in request.entries]
    if request.before and request.before.compaction:
        messages.insert(0, Message("assistant", (request.before.compaction,)))
    elif not messages or messages[0].role != "user":
        messages.insert(0, Message("user", (TextBlock(text=OPENING),)))
    if profile.dialect == "openai_responses":
        messages.append(Message("user", (TRIGGER,), "absent"))
    return Prompt(
        model=profile.name,
        messages=tuple(messages),
        max_output=profile.max_output,
        parameters={**profile.native, **ASKING[profile.dialect]},
    )


def _sealed(blocks: tuple[Block, ...]) -> CompactionBlock | None:
    """The compaction in an answer that holds something: a block without content is a failed one."""
    found = [block for block in blocks if isinstance(block, CompactionBlock)]
    return next((block for block in found if block.text or block.encrypted), None)
