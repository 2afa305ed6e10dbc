"""Where SWE-agent wrote down what was sent, said and answered: in a step's query, in the next one's, in the history."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...model.message import Message
from .chat import texts_of
from .standing import Key
from .swe_words import key_of, text_of

Raw = Mapping[str, Any]
NEAR = 6
"""How far from the end of a query its answer stands, and from the place in a history: some were asked for again."""


@dataclass(frozen=True, slots=True)
class Found:
    """What is recorded of a step: what was sent, the entries that hold its answer and its result.

    Sent were the first `end` of `sent`, None where that is not recorded. Of them `start` were sent before.
    """

    sent: Sequence[Raw] = ()
    keys: Sequence[Key] = ()
    start: int = 0
    end: int | None = None
    answer: Raw = field(default_factory=dict)
    result: Raw | None = None


class History:
    """The history of a run, gone through in the order of its steps."""

    def __init__(self, entries: Iterable[Any] = ()) -> None:
        given = [each for each in entries if isinstance(each, Mapping)]
        agent = given[0].get("agent") if given else None
        self.system = system_of(given)
        self.entries = [each for each in given if each.get("agent") == agent and each.get("role") != "system"]
        self._keys = [key_of(each) for each in self.entries]
        self._place = self._sent = 0

    def find(self, step: Raw) -> Found:
        """A step of a run that holds no queries. One that is not in the history was asked for again.

        The history has the steps in their order, so that a step's answer is the next one or stands near it.
        """
        key = _answer_key(step)
        while self._place < len(self.entries) and not self._is_answer(self._place):
            self._place += 1
        near = range(self._place, min(self._place + NEAR, len(self.entries)))
        at = next((each for each in near if self._is_answer(each) and self._answers(each, key, step)), None)
        if at is None:
            return Found()
        result = _heard(self.entries, at)
        start, self._sent = self._sent, at
        self._place = at + 1 + (result is not None)
        return Found(self.entries, self._keys, start, at, self.entries[at], result)

    def _answers(self, at: int, key: Key, step: Raw) -> bool:
        action = step.get("action")
        return self._keys[at] == key or (bool(action) and self.entries[at].get("action") == action)

    def _is_answer(self, at: int) -> bool:
        return self.entries[at].get("role") == "assistant" and not self.entries[at].get("is_demo")


def system_of(entries: Iterable[Raw]) -> tuple[Message, ...]:
    """The system messages among some entries."""
    return tuple(Message("system", texts_of(each.get("content"))) for each in entries if each.get("role") == "system")


def query_of(step: Raw) -> list[Raw]:
    """What was sent for a step, where the file says it; a step that no model was asked for has an empty one.

    The older `messages` were taken after the step: its answer and its result are their end.
    """
    if (query := _entries(step.get("query"))) or "messages" not in step:
        return query
    messages = _entries(step["messages"])
    return messages[: _place(step, messages)]


def recorded(step: Raw, following: Raw | None, history: History) -> Found:
    """What is recorded of a step that has its query; the end of the next one's holds its answer and its result."""
    sent = [each for each in query_of(step) if each["role"] != "system"]
    later = _entries(step.get("messages")) or (query_of(following) if following else history.entries)
    at = _place(step, later)
    answer: Raw = later[at] if at is not None else {}
    result = _heard(later, at) if at is not None else None
    return Found(sent, [key_of(each) for each in sent], 0, len(sent), answer, result)


def _entries(given: Any) -> list[Raw]:
    return [each for each in given if isinstance(each, Mapping) and "role" in each] if isinstance(given, list) else []


def _place(step: Raw, later: Sequence[Raw]) -> int | None:
    """Where a step's answer stands near the end of what was sent later."""
    key = _answer_key(step)
    near = range(len(later) - 1, max(len(later) - 1 - NEAR, -1), -1)
    return next((each for each in near if key_of(later[each]) == key), None)


def _answer_key(step: Raw) -> Key:
    return "assistant", hash(text_of(step.get("response")))


def _heard(entries: Sequence[Raw], at: int) -> Raw | None:
    """The message after an answer, where it is none of the model's."""
    after = entries[at + 1] if at + 1 < len(entries) else {}
    return after if after.get("role") in ("user", "tool") else None
