"""A recorded session as events, whatever tool wrote it: what was offered, said, called, reported and taken away again.

Events come in the order of the file. An importer turns records into them, and whoever wants to know something of a
session folds over them; neither keeps the whole session.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from .message import Message, ToolDefinition, Usage
from .prompt import Prompt

Speaker = Literal["person", "harness", "model", "tool", "summary"]
"""Who wrote a message, whatever its role: harnesses put reminders, file contents and summaries into user messages."""
Fate = Literal["kept", "unknown", "skipped"]
Skip = Literal["unreadable", "truncated", "too-long", "duplicate"]
"""The closed list of reasons for which a record is not read."""
Change = Literal["compaction", "rewind", "eviction", "edit", "new-conversation"]
"""Why a conversation is no continuation of what stood before: summarised, taken back by a person, old results cleared,
changed in place, or begun anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What every event says: the `record` it was read from, the conversation (`thread`), and when, if that is known.

    `record` is the 0-based raw line of a file of lines, else the entry of the document's list. `thread` tells the
    conversations of one file apart: "" is the main one, a sub-agent or a further sample has a name. `at` is in seconds
    since 1970.
    """

    record: int
    thread: str = ""
    at: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Began(Event):
    """A conversation begins, as part of `parent` where a sub-agent holds it. `facts` are what the file says of it.

    `inherits` among them names the session in another file whose messages stand in the window before those of this one.
    """

    parent: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered(Event):
    """What stands before the messages from here on: system messages, tool definitions; None leaves them as they are."""

    system: tuple[Message, ...] | None = None
    tools: tuple[ToolDefinition, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Said(Event):
    """A message joins the conversation.

    `response` names the model's response that it is a part of: a response may come in several messages. `again` marks a
    message that was said before and stands here once more, after a `Replaced`. `shown` is False for context the harness
    sends along without showing it. `facts` are what the harness notes beside it; an importer gives these where it can:

    - `cwd`: the working directory; `open_file`: the file that the agent's editor has open
    - `exit_code`: of the command whose result this is
    - `results`: by call id, the harness's own structured result, as it wrote it
    - `kinds`: by block index, "evidence" or "memory" where the file says that a text is one
    """

    message: Message
    speaker: Speaker
    response: str = ""
    again: bool = False
    shown: bool = True
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Called(Event):
    """The model is called with the conversation as it stands; its response follows as `Said` with this `response`.

    `prompt` is the request itself where the file holds it, `endpoint` where it was sent: the host and the operation.
    `error` is what came instead of a response.
    """

    response: str
    model: str = ""
    prompt: Prompt | None = None
    error: str = ""
    endpoint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported(Event):
    """What the provider reported for one response; of several for the same response the last one counts.

    With an empty `response` it is the usage of the whole conversation, for files that keep no other, and counts only
    where no response of it has one of its own. `cost` is what the file says was paid, in US dollars.
    """

    usage: Usage
    response: str = ""
    model: str = ""
    cost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced(Event):
    """The conversation is cut back to its first `kept` messages; what stands there from here on follows as `Said`."""

    change: Change
    kept: int = 0
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended(Event):
    """No more of this conversation follows; `facts` are its outcome: a final patch, an exit status, a reward."""

    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounted(Event):
    """What became of one record: each record of a file has exactly one.

    `type` is the record's own name of its type. `reason` is why it was skipped, `detail` what a person needs to know.
    """

    fate: Fate
    type: str = ""
    reason: Skip | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Records:
    """How many records a file had, and what became of them: read = kept + unknown + skipped.

    `unknown_types` counts the unknown ones by their type; they are kept, but not understood. `skipped` lists the first
    of the skipped ones, `unlisted` counts those beyond.
    """

    read: int = 0
    kept: int = 0
    unknown: int = 0
    skipped: tuple[Accounted, ...] = ()
    unknown_types: Mapping[str, int] = field(default_factory=dict)
    unlisted: int = 0


@dataclass(frozen=True, slots=True)
class Turn:
    """A message of a session, with the record it comes from, who wrote it, and the usage of the response it ends."""

    message: Message
    record: int
    speaker: Speaker
    thread: str = ""
    response: str = ""
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """A whole transcript in memory: its messages in order with their usage, what was offered, and what was read.

    `messages` are those of the main conversation as it went on, without what a person took back; what a compaction
    summarised is still in it. A response recorded in pieces is one message there. `turns` are the messages of every
    conversation as they were recorded, with where they come from.
    """

    format: str
    messages: tuple[Message, ...]
    turns: tuple[Turn, ...]
    usage: Usage
    system: tuple[Message, ...] = ()
    tools: tuple[ToolDefinition, ...] = ()
    records: Records = Records()
