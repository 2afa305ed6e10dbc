"""The scripted model and the clock that stands still."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from ..core.render.sse import is_stream
from ..lab.replies import reply
from ..model.message import Reply
from ..model.policy import ModelProfile
from ..ports import Sink

NOON = datetime(2026, 7, 15, 12, tzinfo=UTC)
SCRIPTED = ModelProfile("scripted", "openai_chat", window=8_192, max_output=400, counter="estimate")
"""A profile for `ScriptedModel`, counted by estimate, so that no tokenizer is needed."""

Said = str | Mapping[str, Any] | Reply


class ScriptedModel:
    """A model that says what the test wrote: a proposal as text or as a dict, or a whole `Reply` for an outage.

    `replies` is a list, used up in order, or a function of the body. Proposals are wrapped as a response of the
    profile's dialect and channel, streamed where it streams, with usage. AssertionError when the list is used up: the
    run went on longer than the test expects.
    """

    def __init__(
        self, profile: ModelProfile = SCRIPTED, replies: Sequence[Said] | Callable[[bytes], Said] = ()
    ) -> None:
        self.profile = profile
        self.bodies: list[bytes] = []
        self._replies = replies

    def call(self, body: bytes, sink: Sink | None = None) -> Reply:
        """The scripted reply to this body; the sink is told an event stream line by line."""
        self.bodies.append(body)
        said = self._said(body)
        answer = said if isinstance(said, Reply) else Reply(reply(said, self.profile, body))
        if sink is not None and is_stream(answer.body):
            for line in answer.body.splitlines(keepends=True):
                sink(line)
        return answer

    def cancel(self, sink: Sink | None = None) -> None:
        """Nothing is ever under way."""

    def close(self) -> None:
        """Nothing is held."""

    def _said(self, body: bytes) -> Said:
        if callable(self._replies):
            return self._replies(body)
        assert len(self.bodies) <= len(self._replies), f"the script has {len(self._replies)} replies, no more"
        return self._replies[len(self.bodies) - 1]


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
