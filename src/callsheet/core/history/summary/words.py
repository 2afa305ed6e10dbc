"""Lines of what was said: by a person word for word, by the model sentence by sentence."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from ....model.history import Line
from ....model.message import CallBlock
from ..recorded.standing_rules import rules_in, standing_rules
from .material import Material, Rule
from .speech import DECISION, DONE, NEXT, OPEN, with_reason

STATE, NEXT_STEPS, SPEECH = 6, 3, 60
"""The most lines of these kinds that one draft has; the newest count."""
TODOS = ("todos", "plan", "tasks", "task_list", "items", "todo_list")
STEP = ("content", "step", "title", "task", "description", "text", "name")
FINISHED = frozenset(("completed", "done", "complete", "finished", "cancelled"))


def request(material: Material) -> Iterator[Line]:
    """What a person asked for last, as far as it is no document."""
    number = next((each.number for each in reversed(material.entries) if each.speaker == "person"), None)
    for at, sentence in [each for each in material.spoken if each[0] == number][:STATE]:
        yield material.line("request", sentence, (at,), quote=True)


def rules(material: Material) -> Iterator[Line]:
    """The standing rules that a person stated."""
    for line in standing_rules(material.entries):
        yield material.line("rules", line.text, line.numbers, quote=True)


def saying(section: str, pattern: re.Pattern[str], reason: bool = False) -> Rule:
    """A rule that keeps the sentences of the model, and of nobody else, in which a pattern is found."""

    def lines(material: Material) -> Iterator[Line]:
        found: dict[str, Line] = {}
        for number, said in material.told:
            for at, sentence in enumerate(said):
                if pattern.search(sentence):
                    line = material.line(section, with_reason(said, at) if reason else sentence, (number,))
                    found.pop(line.key, None)
                    found[line.key] = line
        yield from list(found.values())[-SPEECH:]

    return lines


def decisions(material: Material) -> Iterator[Line]:
    """Decisions of the model with their reasons, and those a person stated, word for word."""
    for number, sentence in material.spoken:
        if DECISION.search(sentence) and not sentence.endswith("?") and not rules_in(sentence):
            yield material.line("decisions", sentence, (number,), quote=True)
    yield from saying("decisions", DECISION, reason=True)(material)


def open_lines(material: Material) -> Iterator[Line]:
    """What the model left open, and what it asked last."""
    yield from saying("open", OPEN)(material)
    number, said = material.told[-1] if material.told else (0, [])
    for sentence in said:
        if sentence.endswith("?"):
            yield material.line("open", sentence, (number,))


def state(material: Material) -> Iterator[Line]:
    """What the model said last of how far it is."""
    said = [(number, each) for number, lot in material.told[-SPEECH:] for each in lot if DONE.search(each)]
    for number, sentence in said[-STATE:]:
        yield material.line("state", sentence, (number,))


def next_lines(material: Material) -> Iterator[Line]:
    """What the model said last that it would do."""
    said = [(number, each) for number, lot in material.told[-SPEECH:] for each in lot if NEXT.search(each)]
    last = said[-1][0] if said else 0
    for number, sentence in [each for each in said if each[0] == last][-NEXT_STEPS:]:
        yield material.line("next", sentence, (number,))


def announced(material: Material) -> Iterator[Line]:
    """What the model said right before its newest call: in any language that tells what it was about to do."""
    said = ((number, lot[-1]) for number, lot in reversed(material.told) if material.by_number[number].message.calls)
    for number, sentence in islice(said, 1):
        yield material.line("next", sentence, (number,))


def todo(material: Material) -> Iterator[Line]:
    """The steps of the last plan that the model noted with a tool and has not finished."""
    for number, call in reversed(material.calls):
        steps = _steps(call)
        if steps:
            left = [f"{text} ({status})" if status else text for text, status in steps if status not in FINISHED]
            for text in left or [f"nothing: all {len(steps)} steps of the plan are done"]:
                yield material.line("todo", text, (number,))
            return


def _steps(call: CallBlock) -> list[tuple[str, str]]:
    arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
    listed: Sequence[Any] = next((arguments[name] for name in TODOS if isinstance(arguments.get(name), list)), [])
    return [step for each in listed if (step := _step(each)) is not None]


def _step(given: Any) -> tuple[str, str] | None:
    if not isinstance(given, Mapping):
        return None
    text = next((given[name] for name in STEP if isinstance(given.get(name), str)), "")
    status = given.get("status")
    return (text, status) if text and isinstance(status, str) else None
