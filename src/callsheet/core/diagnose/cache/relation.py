"""How a request continues the one before: what of it is new, what changed, at which item and byte, and why (G2).

A provider hashes a request in the order tools, system, messages; what stands before the first difference can come from
its cache. The rules, in the order they are asked:

- `other-endpoint`: it was sent elsewhere. `server-state`: the server holds what came before, and adds it itself.
- `none`: one of the two cannot be read as messages. `model`: it is for another model.
- `new-conversation`: its first message is another one. `changed`: tools, system or a later message are.
- `truncated`: it ends inside the one before; its last message is then where the two part.
- `marker-only`: only cache marks moved, or a string became a block. `same`, or `append`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ....model.message import Message
from ....model.prompt import Prompt
from .causes import cause_of
from .difference import Difference, in_blocks, in_message, in_tools
from .sameness import same, same_blocks, same_tools

Kind = Literal[
    "append",
    "same",
    "marker-only",
    "truncated",
    "changed",
    "new-conversation",
    "model",
    "other-endpoint",
    "server-state",
    "none",
]
UNBROKEN: frozenset[str] = frozenset(("append", "same", "marker-only"))
"""Relations that leave the whole of the earlier request as a prefix of the later one."""
STATE = ("previous_response_id", "conversation", "thread")
"""Parameters by which a request goes on from what the server keeps."""
ROUTES_CACHE = (
    "thinking",
    "reasoning",
    "reasoning_effort",
    "speed",
    "service_tier",
    "prompt_cache_key",
    "text",
    "mcp_servers",
    "cachedContent",
    "toolConfig",
)
"""Settings that are part of the cached prefix, or decide which cache is asked."""


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request as it was sent: to which address (`endpoint`), and what it says, where that can be read."""

    prompt: Prompt | None
    endpoint: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    """How a request continues another: the first part that differs (model, tools, system, msgN), and where in it.

    `item` is a tool's name or a block (`msg3[1]`), `byte` the first byte of the part's own text that differs, all its
    blocks one after another. `cause` is one of `causes.CAUSES`, "" where nothing broke.
    """

    kind: Kind
    first_changed_part: str | None = None
    item: str | None = None
    byte: int | None = None
    cause: str = ""

    @property
    def breaks(self) -> bool:
        """True where the prefix they share ends before the earlier request does."""
        return self.kind not in UNBROKEN


def relate(before: SentRequest, after: SentRequest) -> Relation:
    """How `after` continues `before`, two consecutive requests."""
    if before.endpoint and after.endpoint and before.endpoint != after.endpoint:
        return Relation("other-endpoint", cause="other-endpoint")
    one, other = before.prompt, after.prompt
    if other is not None and any(other.parameters.get(key) for key in STATE):
        return Relation("server-state")
    if one is None or other is None:
        return Relation("none")
    if one.model != other.model:
        return Relation("model", "model", cause="model-changed")
    kind, part = _compared(one, other)
    if part is None or kind == "marker-only":
        return Relation(kind, part, cause="" if _settings(one) == _settings(other) else "parameters-changed")
    spot = _spot(part, one, other)
    return Relation(kind, part, spot.item, spot.byte, cause_of(kind, part, one, other))


def _compared(one: Prompt, other: Prompt) -> tuple[Kind, str | None]:
    begins_anew = bool(one.messages and other.messages) and not same(one.messages[0], other.messages[0])
    first = _before_messages(one, other) or ("msg0" if begins_anew else None)
    if first is not None:
        return ("new-conversation" if begins_anew else "changed"), first
    differs = next(_differing(one, other), None)
    if differs is not None:
        return "changed", f"msg{differs}"
    if len(other.messages) < len(one.messages):
        return "truncated", f"msg{max(0, len(other.messages) - 1)}"
    marked = _only_marked(one, other)
    if marked is not None:
        return "marker-only", marked
    return ("same" if len(one.messages) == len(other.messages) else "append"), None


def _before_messages(one: Prompt, other: Prompt) -> str | None:
    if not same_tools(one.tools, other.tools):
        return "tools"
    return None if same_blocks(one.system, other.system) else "system"


def _differing(one: Prompt, other: Prompt) -> Iterator[int]:
    pairs = zip(one.messages, other.messages, strict=False)
    return (at for at, (mine, theirs) in enumerate(pairs) if not same(mine, theirs))


def _only_marked(one: Prompt, other: Prompt) -> str | None:
    """The first part that is written otherwise though it says the same."""
    if (one.tools or ()) != (other.tools or ()):
        return "tools"
    if one.system != other.system:
        return "system"
    pairs: Iterator[tuple[Message, Message]] = zip(one.messages, other.messages, strict=False)
    return next((f"msg{at}" for at, (mine, theirs) in enumerate(pairs) if mine != theirs), None)


def _spot(part: str, one: Prompt, other: Prompt) -> Difference:
    if part == "tools":
        return in_tools(one.tools or (), other.tools or ())
    if part == "system":
        return in_blocks("system", one.system, other.system)
    at = int(part.removeprefix("msg"))
    return in_message(part, one.messages[at : at + 1], other.messages[at : at + 1])


def _settings(prompt: Prompt) -> tuple[object, ...]:
    return (prompt.choice, *(prompt.parameters.get(key) for key in ROUTES_CACHE))
