"""A long conversation and how it stands: the whole of it, what a policy shows of it, and what took another's place."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from .effect import Effect
from .history_policy import Domain, Method
from .item import Trust
from .message import CompactionBlock, Message, Usage
from .transcript import Speaker

Manner = Literal["kept", "cleared", "summary", "pinned", "notes", "added"]
"""How a message of a view came to be: as it was said, with results cleared or told as digests, made by a step, or added
because no provider takes the request without it (a call's missing result, an opening line)."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One message of a conversation: its number from 0, by which the original stays addressable, and what it weighs.

    `tokens` are those of its blocks, one number each. `response` names the model's response that it is a piece of.
    `pinned` keeps it in every window. `trust` is the lowest label of what it holds. `running` are ids of calls whose
    results here are only intermediate ones: their obligation stays open (F, report 8).
    """

    number: int
    message: Message
    tokens: tuple[int, ...]
    speaker: Speaker
    response: str = ""
    pinned: bool = False
    trust: Trust = "trusted"
    running: frozenset[str] = frozenset()

    @property
    def weight(self) -> int:
        """Tokens of all its blocks."""
        return sum(self.tokens)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a summary: in which section, under which key (a path, a decision's id), from which cycle and where.

    `numbers` are the messages it was drawn from, `quote` marks words that a person said, `trust` is the lowest label
    of what it was drawn from.
    """

    section: str
    text: str
    key: str = ""
    cycle: int = 1
    numbers: tuple[int, ...] = ()
    quote: bool = False
    trust: Trust = "trusted"


@dataclass(frozen=True, slots=True)
class Summary:
    """What stands in the place of messages taken out: its lines, how it was made, how often, and of what.

    `absorbed` are the numbers of the messages that were the input of a summary which succeeded, as ranges
    [first, last + 1). `text` is the block as it stands in the prompt, `tokens` its count. `compaction` is the
    provider's own, which stands in the prompt instead.
    """

    lines: tuple[Line, ...] = ()
    method: Method = "anchored"
    domain: Domain = "general"
    cycle: int = 1
    absorbed: tuple[tuple[int, int], ...] = ()
    text: str = ""
    tokens: int = 0
    trust: Trust = "trusted"
    compaction: CompactionBlock | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """One thing a step did, or refused to do: before which request, to what, what it freed and cost, and why.

    `rounds` is after how many further rounds it pays for the cache write. `refused` names the rule.
    """

    step: str
    at: int
    numbers: tuple[int, ...] = ()
    freed: int = 0
    rewritten: int = 0
    rounds: float = 0.0
    refused: str = ""
    why: str = ""
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class Standing:
    """How a conversation stands under a policy; the conversation itself is never changed.

    - `covered`: of the messages before this number only `carried` ones are shown; the rest is in the summary, or
      addressable by its number.
    - `parted`: (message, block) of the results that left with their calls while the person's words beside them stay.
    - `cleared`: by (message, block), the text that stands in the place of a tool result, or of a person's giant paste.
      It only grows (sticky).
    - `emptied`: (message, block) of the calls whose arguments were left out.
    - `spared`: by (message, block), how many tokens it takes less for being cleared, emptied or parted.
    - `thinking_from`: thinking of messages before this number is left out, because what it is bound to was changed.
    - `noted`: the notes that stand as `notes`, and what they were made of.
    - `dropped`: ranges [first, last + 1) of what no summary absorbed and no window shows; addressable only.
    - `left_out`: the line that says so, and how to read them, where the request offers a tool for it.
    """

    covered: int = 0
    carried: frozenset[int] = frozenset()
    parted: frozenset[tuple[int, int]] = frozenset()
    summary: Summary | None = None
    cleared: Mapping[tuple[int, int], str] = field(default_factory=dict)
    emptied: frozenset[tuple[int, int]] = frozenset()
    spared: Mapping[tuple[int, int], int] = field(default_factory=dict)
    thinking_from: int = 0
    dropped: tuple[tuple[int, int], ...] = ()
    left_out: str = ""
    pinned_system: str = ""
    pinned_end: str = ""
    notes: str = ""
    noted: Summary | None = None
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """A message as a policy sends it: the messages of the conversation it stands for, how it came to be, its weight."""

    message: Message
    tokens: int
    numbers: tuple[int, ...] = ()
    manner: Manner = "kept"


@dataclass(frozen=True, slots=True)
class View:
    """What a policy sends: a block for the system text where a step pins one there, and the messages in order.

    `shown_tokens` are those of its messages, where they are known already.
    """

    shown: tuple[Shown, ...]
    system: str = ""
    system_tokens: int = 0
    shown_tokens: int | None = None

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages alone."""
        return tuple(each.message for each in self.shown)

    @property
    def tokens(self) -> int:
        """Tokens of all it adds to a request."""
        known = self.shown_tokens
        return self.system_tokens + (sum(each.tokens for each in self.shown) if known is None else known)


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided and why (F5), with the messages it was drawn from; `why` is empty where no reason was given."""

    text: str
    why: str = ""
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class HandOver:
    """What a new session starts from: a note of what stands, each line with the messages it was drawn from.

    `task` are the person's own words, word for word: the first task and the last. `rules` are the standing rules that a
    person stated. `changed` and `read` are files (`Line.key` is the path), `tests` the last state of each test run,
    `errors` those not seen mended. `next_step` is empty where nothing said it; nothing is invented.
    """

    task: tuple[Line, ...] = ()
    rules: tuple[Line, ...] = ()
    decisions: tuple[Decision, ...] = ()
    open_questions: tuple[Line, ...] = ()
    changed: tuple[Line, ...] = ()
    read: tuple[Line, ...] = ()
    tests: tuple[Line, ...] = ()
    errors: tuple[Line, ...] = ()
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class Drafted:
    """A summariser's answer: lines, or one text where the method has no sections; or why there is none.

    `error` is never taken for a summary. `usage` is what making it cost. `read` are the numbers of the messages that it
    read whole: no other one counts as absorbed. `by` names who made it. `compaction` is a provider's own.
    """

    lines: tuple[Line, ...] = ()
    text: str = ""
    usage: Usage = Usage()
    error: str = ""
    read: tuple[int, ...] = ()
    by: str = ""
    compaction: CompactionBlock | None = None


@dataclass(frozen=True, slots=True)
class Summarise(Effect[Drafted]):
    """Asks for the summary of newly cut messages, beside the one that stands; `limit` are the most tokens it may have.

    `entries` are given as they were said. `visible` are exact names that can be read in what stays in the window: they
    need not be written once more. `instructions` leave with the entries and are not summarised: their names are listed.
    """

    entries: tuple[Entry, ...]
    before: Summary | None
    sections: tuple[str, ...]
    method: Method
    domain: Domain
    limit: int
    visible: frozenset[str] = frozenset()
    instructions: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class Round:
    """One model call of a recorded conversation: how many messages stood before it, and what was reported of it.

    `span` are the numbers of the messages that are its reply, [first, last + 1).
    """

    number: int
    before: int
    record: int = -1
    model: str = ""
    usage: Usage | None = None
    at: float | None = None
    span: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Timeline:
    """A recorded conversation to be replayed: every message that was really said, and each call of the model.

    Messages that a person took back are left out; so are the summaries the recording agent made itself, whose places
    are `compactions` (numbers of the message before which each stood, and the tokens it had).
    """

    entries: tuple[Entry, ...]
    rounds: tuple[Round, ...]
    system: tuple[Message, ...] = ()
    system_tokens: int = 0
    tools_tokens: int = 0
    tools: tuple[str, ...] = ()
    compactions: tuple[tuple[int, int], ...] = ()
