"""Long conversations kept by a policy: what of the whole is sent next, without losing anything (F1-F12).

`apply` does it once, for a list of messages. `OpenConversation` does it round after round, for whoever owns the loop.
What outlives a window: `hand_over` (a note for the next session), `restart` (scope and log on disk), `phases`
(research, plan, implementation as documents), and of sub-agents `scoped` windows and `receipt`s.
"""

import asyncio
import difflib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypedDict, Unpack

from .core.history.conversation import Conversation
from .core.history.handoff import phases, receipt, restart
from .core.history.handoff.handover import hand_over as note_of
from .core.history.handoff.handover import laid_out
from .core.history.policies import DEFAULT, OFFERED, POLICIES
from .core.history.recorded.entries import entry
from .core.history.summary.by_rule import draft
from .core.history.terms import Terms
from .core.text.blocks import text_of
from .drive import adrive, drive
from .edges.models.table import read_table
from .errors import UsageError
from .host.counters import choose
from .model.effect import Effect
from .model.history import Edit, HandOver, Summarise, View
from .model.history_policy import HistoryPolicy, Scope
from .model.message import Message, TextBlock, ToolDefinition, Usage
from .model.policy import Policy, Prices
from .model.transcript import Speaker
from .ports import Summariser

__all__ = [
    "DEFAULT",
    "OFFERED",
    "POLICIES",
    "RECALL",
    "OpenConversation",
    "Options",
    "apply",
    "hand_over",
    "phases",
    "receipt",
    "restart",
    "scoped",
    "starting",
    "view",
]

RECALL = ToolDefinition(
    name="recall_message",
    description=(
        "Reads an earlier message of this conversation whole, by its number. "
        "Use it where a placeholder names a message."
    ),
    schema={
        "type": "object",
        "properties": {"number": {"type": "integer", "minimum": 0}},
        "required": ["number"],
        "additionalProperties": False,
    },
)
"""The tool that a framework may offer beside its own, so that what was left out can be read again.

`OpenConversation.recalled` answers its calls.
"""


class Options(TypedDict, total=False):
    """What may be said of the requests to come; what is not said is not guessed.

    `model` is a model's name: window, reply limit, prices and whether it seals its thinking are taken from the table of
    models. `max_output` is the reply's limit, `overhead` the tokens of system text and tools. `tools` are the names of
    the tools offered (left out: those that the conversation has called), and `recall` that of the one which reads an
    original by its number. `state` is the canonical state as text, `remaining` how many rounds are still to come.
    `summariser` writes summaries and notes; without one they are made by rule, and no model is called. `tokenizer` is
    that of `counters.choose`.
    """

    model: str
    max_output: int
    overhead: int
    tools: Iterable[str]
    recall: str
    state: str
    remaining: float
    prices: Prices
    binds_thinking: bool
    summariser: Summariser
    tokenizer: str


def apply(
    policy: str | HistoryPolicy | Policy,
    messages: Sequence[Message],
    *,
    window: int | None = None,
    **options: Unpack[Options],
) -> tuple[Message, ...]:
    """The messages a policy sends of a conversation, to a model with a window of so many tokens.

    `policy` is a name of `POLICIES`, a policy of your own, or a project's whole policy. The messages are those of
    `transcripts.read(path).messages`, or of your own. UsageError where the window is known neither by `window`, nor by
    `model`, nor by the project's policy: it is never guessed.
    """
    return view(policy, messages, window=window, **options).messages


def view(
    policy: str | HistoryPolicy | Policy,
    messages: Sequence[Message],
    *,
    window: int | None = None,
    **options: Unpack[Options],
) -> View:
    """The same with what each message stands for, how it came to be, and its tokens."""
    conversation = OpenConversation(policy, window=window, **options)
    conversation.add(*_messages(messages))
    return conversation.prepare()


def scoped(
    task: str,
    messages: Sequence[Message],
    *,
    window: int | None = None,
    share: float = 0.25,
    **options: Unpack[Options],
) -> tuple[Message, ...]:
    """The messages that a sub-agent starts with: its task last, before it what of the conversation bears on it (F11).

    `share` of the usable window is the most that this may take. `receipt` judges what the sub-agent answers.
    """
    policy = HistoryPolicy("scoped-sub-agent", (Scope(share),), user_words=False)
    asked = Message("user", (TextBlock(text=task),), "text")
    return apply(policy, [*_messages(messages), asked], window=window, **options)


def hand_over(messages: Sequence[Message]) -> HandOver:
    """The note that a new session starts from: task, rules, decisions with their reasons, files, tests, next step.

    It is made by rule and holds nothing that nobody said or did; what is empty was not found.
    """
    return note_of([entry(number, message, len) for number, message in enumerate(_messages(messages))])


def starting(note: HandOver) -> Message:
    """The message that a new session starts with: the note, as a record and no task."""
    return Message("user", (TextBlock(text=laid_out(note)),), "text")


class OpenConversation:
    """A conversation under a policy that goes on: add what was said, ask for the next request's messages.

    Nothing that was added is ever changed or forgotten: `recall` gives each message as it was said, `edits` tells what
    was done to the window, what that freed and cost, and why, or why not.
    """

    def __init__(
        self,
        policy: str | HistoryPolicy | Policy = DEFAULT,
        *,
        window: int | None = None,
        **options: Unpack[Options],
    ) -> None:
        self.policy = named(policy)
        self._asked, self._window, self._options = policy, window, options
        self._count = choose(options.get("tokenizer")).count
        self._terms = _terms(policy, window, self._count, options)
        self._conversation = Conversation(self.policy)
        self._called: set[str] = set()

    def __len__(self) -> int:
        return len(self._conversation.history)

    def add(
        self, *messages: Message, speaker: Speaker | None = None, response: str = "", pinned: bool = False
    ) -> tuple[int, ...]:
        """The numbers of the messages, which were taken in in this order.

        Who wrote them is told by their form where `speaker` does not say it. `response` names the model's response that
        they are pieces of. A `pinned` message stands in every window.
        """
        numbers = []
        for message in _messages(messages):
            number = len(self)
            self._conversation.add(entry(number, message, self._count, speaker, response=response, pinned=pinned))
            self._called.update(call.name for call in message.calls)
            numbers.append(number)
        return tuple(numbers)

    def prepare(self) -> View:
        """The view for the next request: its messages, and the text that belongs into the system channel, if any."""
        return drive(self._conversation.prepare(self._now()), self._perform)

    async def aprepare(self) -> View:
        """The same, awaited: a summary is made in a thread of its own."""

        async def perform(effect: Effect[Any]) -> Any:
            return await asyncio.to_thread(self._perform, effect)

        return await adrive(self._conversation.prepare(self._now()), perform)

    def _now(self) -> Terms:
        """The terms of the next request: its tools are those that were named, else those called so far."""
        named_tools = self._options.get("tools")
        offered = frozenset(self._called if named_tools is None else named_tools)
        return replace(self._terms, tools=offered | ({self._terms.recall} - {""}))

    def expect(self, **changed: Unpack[Options]) -> None:
        """Says what holds from the next request on: other tools, another state, the rounds that are left."""
        self._options = {**self._options, **changed}
        self._terms = _terms(self._asked, self._window, self._count, self._options)

    @property
    def edits(self) -> tuple[Edit, ...]:
        """What was done so far, and what was refused, in order."""
        return self._conversation.standing.edits

    @property
    def own(self) -> Usage:
        """What the policy's own summaries and notes cost so far."""
        total = Usage()
        for edit in self.edits:
            total = total.plus(edit.usage)
        return total

    def recall(self, number: int) -> Message:
        """The message of a number as it was said, whatever became of it since. UsageError where there is none."""
        if not 0 <= number < len(self):
            raise UsageError(f"there is no message {number}; this conversation has {len(self)}, numbered from 0")
        return self._conversation.history.entries[number].message

    def recalled(self, arguments: Any) -> str:
        """The answer to a call of `RECALL`: the message's text, or what is wrong with the call, for the model."""
        number = arguments.get("number") if isinstance(arguments, dict) else None
        if type(number) is not int:
            return "recall_message takes one number, such as 12"
        try:
            return "\n".join(text_of(block) for block in self.recall(number).blocks)
        except UsageError as error:
            return str(error)

    def hand_over(self) -> HandOver:
        """The note that a new session starts from, of the whole conversation, whatever stands in the window."""
        return note_of(self._conversation.history.entries)

    def _perform(self, effect: Effect[Any]) -> Any:
        if not isinstance(effect, Summarise):
            raise TypeError(f"a policy asked for {type(effect).__name__}, which nobody answers")
        summariser = self._options.get("summariser")
        return draft(effect) if summariser is None else summariser.summarise(effect)


def named(policy: str | HistoryPolicy | Policy) -> HistoryPolicy:
    """The policy of a name, or of a project's whole policy. UsageError for a name that is not known."""
    if isinstance(policy, Policy):
        return policy.history
    if isinstance(policy, HistoryPolicy):
        return policy
    if policy not in POLICIES:
        near = difflib.get_close_matches(str(policy), POLICIES, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"name one of {', '.join(POLICIES)}"
        raise UsageError(f"no policy is called {policy!r}; {hint}")
    return POLICIES[policy]


def _terms(policy: str | HistoryPolicy | Policy, window: int | None, count: Any, options: Options) -> Terms:
    known: dict[str, Any] = {}
    if "model" in options:
        models, name = read_table(), options["model"]
        limits = models.limits(name)
        known = {"window": limits.window, "max_output": limits.max_output, "prices": models.prices(name)}
        known["binds_thinking"] = models.traits(name).binds_thinking
    elif isinstance(policy, Policy):
        profile = policy.model
        known = {"window": profile.window or None, "max_output": profile.max_output, "prices": profile.prices}
        known["binds_thinking"] = profile.traits.binds_thinking
    said = {key: value for key, value in options.items() if key not in ("model", "summariser", "tokenizer", "tools")}
    if window is not None:
        known["window"] = window
    if known.get("window") is None:
        told = f"the table of models has none for {options['model']!r}" if "model" in options else "nobody said it"
        raise UsageError(f"the model's window is not known: {told}; pass window= in tokens, it is never guessed")
    known["reserve"] = named(policy).reserve
    return Terms(count=count, **{**known, **said})


def _messages(messages: Any) -> Sequence[Message]:
    """The messages, checked: a session or texts in their place are a mistake that is easily made."""
    if not isinstance(messages, Sequence) or isinstance(messages, str | bytes):
        way = "pass its .messages" if hasattr(messages, "messages") else "pass a list of callsheet.Message"
        raise UsageError(f"messages is a {type(messages).__name__}; {way}")
    for at, message in enumerate(messages):
        if not isinstance(message, Message):
            raise UsageError(
                f"messages[{at}] is a {type(message).__name__}, and no callsheet.Message; "
                "callsheet.transcripts.read(path).messages gives those of a file"
            )
    return messages
