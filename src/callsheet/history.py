"""Long conversations kept by a policy: what of the whole is sent next, without losing anything (F1-F12)."""

from collections.abc import Mapping, Sequence
from typing import Any

from .core.diagnose.window import text_of
from .core.history.conversation import Conversation
from .core.history.terms import Terms
from .counters import choose
from .drive import drive
from .errors import UsageError
from .model.effect import Effect
from .model.history import Entry, View
from .model.history_policy import HistoryPolicy, Slide
from .model.message import Message
from .model.transcript import Speaker

POLICIES: Mapping[str, HistoryPolicy] = {
    "full": HistoryPolicy("full"),
    "sliding-window": HistoryPolicy("sliding-window", (Slide(),)),
}
SPEAKERS: Mapping[str, Speaker] = {"assistant": "model", "tool": "tool", "user": "person"}


def apply(
    policy: str | HistoryPolicy, messages: Sequence[Message], *, window: int, **terms: Any
) -> tuple[Message, ...]:
    """The messages a policy sends of a conversation, to a model with a window of so many tokens."""
    return view(policy, messages, window=window, **terms).messages


def view(policy: str | HistoryPolicy, messages: Sequence[Message], *, window: int, **terms: Any) -> View:
    """The same with what each message stands for, and its tokens."""
    if isinstance(policy, str):
        if policy not in POLICIES:
            raise UsageError(f"no policy is called {policy!r}; name one of {', '.join(POLICIES)}")
        policy = POLICIES[policy]
    count = choose().count
    conversation = Conversation(policy)
    for number, message in enumerate(messages):
        tokens = tuple(count(text_of(block)) for block in message.blocks)
        conversation.add(Entry(number, message, tokens, _speaker(message)))
    return drive(conversation.prepare(Terms(window, count, **terms)), _perform)


def _speaker(message: Message) -> Speaker:
    results = any(type(block).__name__ == "ResultBlock" for block in message.blocks)
    return "tool" if results else SPEAKERS.get(message.role, "harness")


def _perform(effect: Effect[Any]) -> Any:
    raise UsageError(f"{type(effect).__name__} needs a summariser")
