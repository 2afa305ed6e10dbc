"""SWE-agent's `.traj` files: a step per model call, and the history that the steps were taken in.

Of a step the file says what was sent (`query`, once `messages`, in newer versions), the answer, and what came of it.
How the result was put to the model stands in the next step's query or in the history; so each step waits for the next,
and those of a file without queries wait for its history. Rules from SWE-agent's `agents.py`: a malformed answer is
asked for again, and is then in the trajectory only; a step that ends a run by force is no answer of a model.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ....core.render.figures import counted, figures
from ....model.message import Message, Usage
from ....model.prompt import Prompt
from ....model.transcript import Accounted, Began, Called, Ended, Event, Offered, Reported, Said
from ..format import Format, Record, Sample
from ..shared.rows import mapping, number, text
from ..shared.standing import Line, Standing
from .history import Found, History, query_of, recorded, system_of
from .words import call_ids, demonstrated, key_of, listened, outcome, spoken, state_of

Raw = Mapping[str, Any]
WAITING = 20_000
"""Steps without a query that wait for the history; of a longer file the beginning is read without it."""
SPOKEN = ("thought", "action", "tool_calls", "thinking_blocks")


class Run:
    """One run: turns steps and history entries into events."""

    def __init__(self) -> None:
        self._standing = Standing()
        self._system: tuple[Message, ...] | None = None
        self._begun = False
        self._asked = False
        self._state: dict[str, str] = {}
        self._calls: tuple[str, ...] = ()
        self.last = 0

    def step(self, index: int, step: Raw, found: Found, system: tuple[Message, ...]) -> Iterator[Event]:
        """The events of one step."""
        self.last = index
        yield from self._begin(index)
        if found.end is not None:
            yield from self._offer(index, system)
            yield from self._standing.follow(
                index, found.keys, lambda at: self._line(found.sent[at], at, index), start=found.start, end=found.end
            )
        facts, before = state_of(step.get("state"))
        if _is_notice(step):
            yield self._say(index, {"role": "user", "content": step.get("observation") or step.get("response")})
        else:
            at = facts if before else self._state or {key: value for key, value in facts.items() if key == "cwd"}
            raw = {key: each.get(key) for each in (step, found.answer) for key in SPOKEN if each.get(key)}
            prompt = self._prompt() if query_of(step) else None
            raw["content"] = found.answer.get("content", step.get("response"))
            yield from self.answer(index, raw, f"{index}", at, prompt)
            yield from self._result(index, step, found.result, {} if before else facts)
        self._state = {} if before else facts

    def answer(
        self, index: int, raw: Raw, name: str, facts: Mapping[str, Any], prompt: Prompt | None = None
    ) -> Iterator[Event]:
        """The model is called, and says something."""
        message = spoken(raw, f"action-{name}")
        self._calls = call_ids(message)
        yield Called(record=index, response=f"step-{name}", prompt=prompt)
        key = key_of({"role": "assistant", "content": raw.get("content")})
        yield self._standing.say(index, key, Line(message, "model"), response=f"step-{name}", facts=facts)

    def entry(self, index: int, raw: Raw) -> Iterator[Event]:
        """The events of one entry of a history that stands alone."""
        self.last = index
        yield from self._begin(index)
        if raw.get("role") == "system":
            yield from self._offer(index, (*(self._system or ()), *system_of((raw,))))
        elif raw.get("role") == "assistant" and not raw.get("is_demo"):
            yield from self.answer(index, raw, f"{index}", {})
        else:
            yield self._say(index, raw)

    def _begin(self, index: int) -> Iterator[Event]:
        if not self._begun:
            self._begun = True
            yield Began(record=index)

    def _offer(self, index: int, system: tuple[Message, ...]) -> Iterator[Event]:
        if system != self._system:
            self._system = system
            yield Offered(record=index, system=system)

    def _prompt(self) -> Prompt:
        return Prompt(messages=(*(self._system or ()), *self._standing.messages))

    def _result(self, index: int, step: Raw, recorded: Raw | None, facts: Mapping[str, Any]) -> Iterator[Event]:
        """The result as it was put to the model, or the bare observation where that is not recorded.

        What followed an answer without a call is no result: it is said when it is sent.
        """
        if self._calls:
            yield self._say(index, recorded or {"role": "user", "content": text(step.get("observation"))}, facts)

    def _say(self, index: int, raw: Raw, facts: Mapping[str, Any] | None = None) -> Said:
        return self._standing.say(index, key_of(raw), self._heard(raw), facts=facts or {})

    def _heard(self, raw: Raw) -> Line:
        """A message to the model: a demonstration, the result of the calls before it, the task, or the harness's."""
        if raw.get("is_demo"):
            return Line(demonstrated(raw), "harness")
        calls, self._calls = self._calls, ()
        if calls:
            return Line(listened(raw, calls), "tool")
        asked, self._asked = self._asked, True
        return Line(listened(raw, ()), "harness" if asked else "person")

    def _line(self, raw: Raw, at: int, index: int) -> Line:
        """A message of a query that is not in the window yet, or no longer stands there as it was."""
        if raw.get("role") == "assistant" and not raw.get("is_demo"):
            message = spoken(raw, f"action-{index}-{at}")
            self._calls = call_ids(message)
            return Line(message, "model")
        lines = self._standing.lines
        self._calls = call_ids(lines[-1].message) if lines and lines[-1].speaker == "model" else ()
        return self._heard(raw)


def _is_notice(step: Raw) -> bool:
    """True for a step that no model was asked for: the run was ended by its limits or by an error."""
    unasked = any(key in step and not query_of(step) for key in ("query", "messages"))
    action = text(step.get("action")).strip()
    return (unasked and not action) or (not text(step.get("response")).strip() and action.startswith("exit_"))


class Reader:
    """Reads a file with a trajectory."""

    def __init__(self) -> None:
        self._run = Run()
        self._waiting: list[tuple[int, Raw]] = []
        self._history: History | None = None
        self._info: Raw = {}

    def take(self, record: Record) -> Iterator[Event]:
        """The events that a step, or a member of the file, makes possible."""
        if record.part == "history":
            self._history = History(record.value if isinstance(record.value, list) else ())
        elif record.part == "info":
            self._info = mapping(record.value)
        if record.index >= 0:
            step = mapping(record.value)
            if "action" not in step and "response" not in step:
                yield Accounted(record=record.index, fate="unknown", type="step", detail="it has no action")
                return
            self._waiting.append((record.index, step))
        while len(self._waiting) > 1 and (self._history or query_of(self._waiting[1][1]) or self._full):
            yield from self._next()

    def end(self) -> Iterator[Event]:
        """The steps that still wait, the usage of the whole, and the outcome."""
        while self._waiting:
            yield from self._next()
        yield from ended(self._run.last, self._info)

    @property
    def _full(self) -> bool:
        return len(self._waiting) > WAITING

    def _next(self) -> Iterator[Event]:
        index, step = self._waiting.pop(0)
        history = self._history or History()
        if query := query_of(step):
            following = self._waiting[0][1] if self._waiting else None
            found, system = recorded(step, following, history), system_of(query)
        else:
            found, system = history.find(step), history.system
        yield from self._run.step(index, step, found, system)
        yield Accounted(record=index, fate="kept", type="step")


def ended(last: int, info: Raw) -> Iterator[Event]:
    """The usage of the whole run, which is all that SWE-agent counts, and the outcome."""
    stats = mapping(info.get("model_stats"))
    if isinstance(stats.get("tokens_sent"), int) and isinstance(stats.get("tokens_received"), int):
        usage = Usage(counted(stats, "tokens_sent"), output=counted(stats, "tokens_received"), raw=figures(stats))
        yield Reported(record=last, usage=usage, cost=number(stats.get("instance_cost")))
    yield Ended(record=last, facts=outcome(info))


def refuses(sample: Sample) -> str:
    """Why this is no trajectory of SWE-agent, "" where it is one."""
    if sample.shape != "object":
        return "it is no JSON object with a trajectory"
    steps = sample.members.get("trajectory")
    if not isinstance(steps, list) or not steps:
        return "it has no trajectory"
    known = ("action", "observation", "response")
    return "" if all(key in mapping(steps[0]) for key in known) else "its steps have no action, observation, response"


def read(records: Iterable[Record]) -> Iterator[Event]:
    """The events of a trajectory, step by step."""
    reader = Reader()
    for record in records:
        yield from reader.take(record)
    yield from reader.end()


def refuses_history(sample: Sample) -> str:
    """Why this is no history of SWE-agent, "" where it is one."""
    if sample.shape != "object":
        return "it is no JSON object with a history"
    entries = sample.members.get("history")
    if not isinstance(entries, list) or not entries:
        return "it has no history"
    known = all("role" in mapping(each) and "content" in mapping(each) for each in entries)
    return "" if known and "agent" in mapping(entries[0]) else "its entries have no role, content and agent"


def read_history(records: Iterable[Record]) -> Iterator[Event]:
    """The events of a history without a trajectory, entry by entry."""
    run, info = Run(), mapping(None)
    for record in records:
        raw = mapping(record.value)
        if record.part == "info":
            info = raw
        elif record.index >= 0 and "role" in raw:
            yield from run.entry(record.index, raw)
            yield Accounted(record=record.index, fate="kept", type=text(raw.get("role")))
        elif record.index >= 0:
            yield Accounted(record=record.index, fate="unknown", type="entry", detail="it has no role")
    yield from ended(run.last, info)


FORMAT = Format("swe-agent", "SWE-agent trajectory", refuses, read, ("trajectory",))
HISTORY = Format("swe-agent", "SWE-agent history", refuses_history, read_history, ("history",))
