"""The scripted model and the clock that stands still."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from ..core.render.sse import is_stream
from ..model.message import Reply
from ..model.policy import ModelProfile
from ..ports import Sink

NOON = datetime(2026, 7, 15, 12, tzinfo=UTC)
SCRIPTED = ModelProfile("scripted", "openai_chat", window=8_192, max_output=400, counter="estimate")
"""A profile for `ScriptedModel`, counted by estimate, so that no tokenizer is needed."""

Said = str | Mapping[str, Any] | Reply


class ScriptedModel:
    """A model that says what the test wrote: a proposal as text or as a dict, or a whole `Reply` for an outage.

    `replies` is a list, used up in order, or a function of the body. Proposals are wrapped as chat completions with
    usage. AssertionError when the list is used up: the run went on longer than the test expects.
    """

    def __init__(
        self, profile: ModelProfile = SCRIPTED, replies: Sequence[Said] | Callable[[bytes], Said] = ()
    ) -> None:
        self.profile = profile
        self.bodies: list[bytes] = []
        self._replies = replies

    def call(self, body: bytes, sink: Sink | None = None) -> Reply:
        """The scripted reply to this body; the sink is told a `Reply` that is an event stream line by line."""
        self.bodies.append(body)
        reply = _reply(self._said(body), body)
        if sink is not None and is_stream(reply.body):
            for line in reply.body.splitlines(keepends=True):
                sink(line)
        return reply

    def cancel(self) -> None:
        """Nothing is ever under way."""

    def close(self) -> None:
        """Nothing is held."""

    def _said(self, body: bytes) -> Said:
        if callable(self._replies):
            return self._replies(body)
        assert len(self.bodies) <= len(self._replies), f"the script has {len(self._replies)} replies, no more"
        return self._replies[len(self.bodies) - 1]


def _reply(said: Said, body: bytes) -> Reply:
    if isinstance(said, Reply):
        return said
    return Reply(completion(said if isinstance(said, str) else json.dumps(said, ensure_ascii=False), body))


def completion(text: str, body: bytes = b"") -> bytes:
    """A chat completion with this text; its usage is a token for every four bytes."""
    usage = {"prompt_tokens": len(body) // 4, "completion_tokens": len(text.encode()) // 4}
    message = {"role": "assistant", "content": text}
    whole = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage}
    return json.dumps(whole, ensure_ascii=False).encode()


@dataclass
class FixedClock:
    """A clock that stands still until it is moved."""

    now: datetime = NOON

    def __call__(self) -> datetime:
        """The moment it stands at."""
        return self.now

    def advance(self, seconds: float) -> None:
        """Moves it on."""
        self.now += timedelta(seconds=seconds)
