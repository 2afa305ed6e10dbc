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
"""How far from the end of a query the answer before it stands: answer, result, and what was asked for again."""


@dataclass(frozen=True, slots=True)
class Found:
    """What is recorded of a step: what was sent, the entries that hold its answer and its result; None where not."""

    sent: Sequence[Raw] | None = None
    keys: Sequence[Key] = ()
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
        self._place = 0

    def find(self, step: Raw) -> Found:
        """A step of a run that holds no queries. One that is not in the history was asked for again."""
        key = _answer_key(step)
        places = range(self._place, len(self.entries))
        at = next((each for each in places if self._answers(each, key, step)), None)
        if at is None:
            return Found()
        result = _heard(self.entries, at)
        self._place = at + 1 + (result is not None)
        return Found(self.entries[:at], self._keys[:at], self.entries[at], result)

    def _answers(self, at: int, key: Key, step: Raw) -> bool:
        entry = self.entries[at]
        if entry.get("role") != "assistant" or entry.get("is_demo"):
            return False
        return self._keys[at] == key or (bool(step.get("action")) and entry.get("action") == step.get("action"))


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
    return Found(sent, [key_of(each) for each in sent], answer, result)


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
