"""mini-swe-agent's trajectories: the messages of one linear conversation, as a list or in a document with `info`.

An answer holds one fenced command, or tool calls; what the harness parsed and got stands in `extra`. Without calls of
its own an answer's command is a call of the shell, and the next message its result. Rules from mini-swe-agent's agent
and models, versions 1 and 2: an answer with another number of commands is a mistake, and nothing is run.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ...core.render.dialects import DIALECTS, UNREADABLE
from ...model.message import Block, CallBlock, Message, ResultBlock, TextBlock
from ...model.transcript import Accounted, Began, Ended, Event
from .format import Format, Record, Sample
from .shared.chat import is_message, message_of, usage_of
from .shared.dialogue import Dialogue
from .shared.rows import mapping, number, text

Raw = Mapping[str, Any]
SHELL = "bash"
COMMAND = re.compile(r"```(?:mswea_bash_command|bash)[ \t]*\r?\n(.*?)\r?\n```", re.DOTALL)
RETURNED = re.compile(r"\s*<returncode>(-?\d+)</returncode>")
BESIDE = frozenset(("extra",))
EXIT = "exit"


class Run:
    """One run under way: its conversation, and the calls that wait for their results."""

    def __init__(self) -> None:
        self._talk = Dialogue()
        self._calls: list[str] = []
        self._tasked = False
        self.last = 0
        self.facts: dict[str, Any] = {}

    def take(self, index: int, raw: Raw) -> Iterator[Event]:
        """The events of one message."""
        if not index:
            yield Began(record=index)
        self.last, extra = index, mapping(raw.get("extra"))
        at = number(extra.get("timestamp"))
        for key, name in (("exit_status", "status"), ("submission", "patch")):
            if extra.get(key) is not None:
                self.facts[name] = extra[key]
        message = _read(raw)
        if message.role == "assistant":
            yield from self._answer(index, message, raw, at)
        elif self._calls and message.role != "system":
            yield from self._result(index, message, extra, at)
        elif raw.get("role") != EXIT:
            tasked, self._tasked = self._tasked, self._tasked or message.role == "user"
            yield from self._talk.take(index, message, at=at, speaker="harness" if tasked else None)

    def _answer(self, index: int, message: Message, raw: Raw, at: float | None) -> Iterator[Event]:
        extra = mapping(raw.get("extra"))
        if not message.calls:
            message = replace(message, blocks=_with_commands(message, extra.get("actions"), index))
        self._calls = [each.id for each in message.calls if each.id]
        response = mapping(extra.get("response")) or (raw if raw.get("object") == "response" else {})
        yield from self._talk.take(
            index,
            message,
            text(response.get("id")) or f"message-{index}",
            at=at,
            model=text(response.get("model")),
            usage=usage_of(response.get("usage")),
            cost=number(extra.get("cost")),
        )

    def _result(self, index: int, message: Message, extra: Raw, at: float | None) -> Iterator[Event]:
        result = next((each for each in message.blocks if isinstance(each, ResultBlock)), None)
        if result is None or result.call_id not in self._calls:
            result = ResultBlock(self._calls[0], message.blocks if result is None else result.blocks, message.form)
            message = replace(message, blocks=(result,))
        if result.call_id:
            self._calls.remove(result.call_id)
        code = extra.get("returncode")
        if not isinstance(code, int) and (found := RETURNED.match(result.text[:64])):
            code = int(found[1])
        facts = {"exit_code": code} if isinstance(code, int) else {}
        yield from self._talk.take(index, message, at=at, speaker="tool", facts=facts)


def _read(raw: Raw) -> Message:
    """A message, whether it is one of Chat Completions or an item of the Responses API."""
    try:
        if raw.get("object") == "response":
            return DIALECTS["openai_responses"].response(raw).message
        if "role" not in raw and "type" in raw:
            given = {key: value for key, value in raw.items() if key not in BESIDE}
            return DIALECTS["openai_responses"].decode({"input": [given]}).messages[0]
    except UNREADABLE:
        return Message("user", message_of({**raw, "role": ""}).blocks)
    role = "user" if raw.get("role") == EXIT else raw.get("role")
    return message_of({**raw, "role": role}, BESIDE)


def _with_commands(message: Message, actions: Any, index: int) -> tuple[Block, ...]:
    """The blocks of an answer, its command as a call and the text around it as text.

    `actions` is what the harness parsed, in version 2; in version 1 there is just the text.
    """
    answer = message.text
    found = list(COMMAND.finditer(answer))
    parsed = [mapping(each).get("command") for each in actions] if isinstance(actions, list) else None
    commands = [each[1].strip() for each in found] if parsed is None else [each for each in parsed if each]
    if not commands or (parsed is None and len(commands) != 1):
        return message.blocks
    calls = [CallBlock(f"action-{index}-{at}", SHELL, {"command": each}) for at, each in enumerate(commands)]
    if len(found) != len(commands):
        return (*message.blocks, *calls)
    texts = (answer[: found[0].start()].rstrip(), answer[found[-1].end() :].strip())
    others = (each for each in message.blocks if not isinstance(each, TextBlock))
    return (*others, *(TextBlock(each) for each in texts if each), *calls)


def refuses(sample: Sample) -> str:
    """Why this is no trajectory of mini-swe-agent, "" where it is one."""
    if sample.shape == "object":
        if text(sample.members.get("trajectory_format")).startswith("mini-swe-agent"):
            return ""
        info, messages = mapping(sample.members.get("info")), sample.members.get("messages")
        if "mini_version" in info and isinstance(messages, list):
            return ""
        return "it names no mini-swe-agent as its trajectory_format"
    if sample.shape != "list" or not all(map(is_message, sample.records)):
        return "it is no list of messages"
    return "" if any(map(_has_command, sample.records)) else "no answer holds a fenced shell command"


def _has_command(raw: Raw) -> bool:
    return raw["role"] == "assistant" and bool(COMMAND.search(text(raw.get("content"))))


def read(records: Iterable[Record]) -> Iterator[Event]:
    """The events of a trajectory, message by message."""
    run, info = Run(), mapping(None)
    for record in records:
        raw = mapping(record.value)
        if record.part == "info":
            info = raw
        elif record.index >= 0 and raw:
            yield from run.take(record.index, raw)
            yield Accounted(record=record.index, fate="kept", type=text(raw.get("role")) or text(raw.get("type")))
        elif record.index >= 0:
            yield Accounted(record=record.index, fate="unknown", type="message", detail="a message is an object")
    known = {"status": info.get("exit_status"), "patch": info.get("submission")}
    facts = {**run.facts, **{key: value for key, value in known.items() if value is not None}}
    yield Ended(record=run.last, facts=facts)


FORMAT = Format("mini-swe-agent", "mini-swe-agent trajectory", refuses, read, ("messages",))
