"""The summariser that needs no model: every line is drawn by a rule, word for word where it quotes (F2, F3)."""

import hashlib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

from ....model.diagnosis import Artifact, TestRun
from ....model.history import Drafted, Line, Summarise
from ....model.message import CallBlock, TextBlock
from ..artifacts.tools import action_of
from .file_lines import FileLine, name_of
from .material import NUMBERS, Material, argument_texts
from .speech import (
    CAUSE,
    DECISION,
    DONE,
    FINDING,
    NEXT,
    OPEN,
    PROMISE,
    RULE,
    sentences,
    with_reason,
)

COMMANDS, STATE, NEXT_STEPS, SPEECH = 30, 6, 3, 60
"""The most lines of these kinds that one draft has; the newest count."""
BY = "rule"
LINE = 240
MENDED = ", went well later)"
"""How the line of an error ends whose command went well afterwards: it may give way."""
DDL = re.compile(
    r"\b(?:create (?:unique )?(?:table|index|view|type)|alter table|drop (?:table|column|index)|add column"
    r"|rename (?:column|table)|(?:create|alter|drop|rename)_(?:table|index|column)|add_column)\b[^\n;]{0,200}",
    re.IGNORECASE,
)
TODOS = ("todos", "plan", "tasks", "task_list", "items", "todo_list")
STEP = ("content", "step", "title", "task", "description", "text", "name")
FINISHED = frozenset(("completed", "done", "complete", "finished", "cancelled"))
Rule = Callable[[Material], Iterable[Line]]


def draft(request: Summarise) -> Drafted:
    """The draft of all sections that were asked for; it never fails, and reads every message whole.

    `request.context` may name the `folder` where the agent works, and `visible`, the exact names
    that can be read in what stays in the window: they are not written once more.
    """
    material = Material(request.entries, str(request.context.get("folder", "")))
    lines = [line for section in request.sections for line in _lines(section, material, request)]
    if request.method == "opaque":
        lines = [line for line in lines if line.section in ("rules", "request", "next", "state", "errors")]
    return Drafted(tuple(lines), read=tuple(entry.number for entry in request.entries), by=BY)


def _lines(section: str, material: Material, request: Summarise) -> Iterable[Line]:
    if section in ("identifiers", "found"):
        return _names(section, material, request)
    return RULES[section](material)


def _line(
    material: Material, section: str, text: str, numbers: Sequence[int], key: str = "", quote: bool = False
) -> Line:
    kept = tuple(numbers)[-NUMBERS:]
    return Line(section, " ".join(text.split()), key or _digest(text), 1, kept, quote, material.trust(kept))


def _digest(text: str) -> str:
    """A short name of a sentence that stays the same however it is spaced or capitalised."""
    return hashlib.blake2b(" ".join(re.findall(r"\w+", text.casefold())).encode(), digest_size=6).hexdigest()


# What a person said


def _request(material: Material) -> Iterator[Line]:
    """What a person asked for last, as far as it is no document."""
    number = next((each.number for each in reversed(material.entries) if each.speaker == "person"), None)
    for at, sentence in [each for each in material.spoken if each[0] == number][:STATE]:
        yield _line(material, "request", sentence, (at,), quote=True)


def _rules(material: Material) -> Iterator[Line]:
    for number, sentence in material.spoken:
        if RULE.search(sentence) and not sentence.endswith("?"):
            yield _line(material, "rules", sentence, (number,), quote=True)


# What the model said


def _saying(section: str, pattern: re.Pattern[str], reason: bool = False) -> Rule:
    """A rule that keeps the sentences of the model, and of nobody else, in which a pattern is found."""

    def lines(material: Material) -> Iterator[Line]:
        found: dict[str, Line] = {}
        for number, said in material.told:
            for at, sentence in enumerate(said):
                if pattern.search(sentence):
                    line = _line(material, section, with_reason(said, at) if reason else sentence, (number,))
                    found.pop(line.key, None)
                    found[line.key] = line
        yield from list(found.values())[-SPEECH:]

    return lines


def _decisions(material: Material) -> Iterator[Line]:
    """Decisions of the model with their reasons, and those a person stated, word for word."""
    for number, sentence in material.spoken:
        if DECISION.search(sentence) and not sentence.endswith("?") and not RULE.search(sentence):
            yield _line(material, "decisions", sentence, (number,), quote=True)
    yield from _saying("decisions", DECISION, reason=True)(material)


def _open(material: Material) -> Iterator[Line]:
    yield from _saying("open", OPEN)(material)
    number, said = material.told[-1] if material.told else (0, [])
    for sentence in said:
        if sentence.endswith("?"):
            yield _line(material, "open", sentence, (number,))


def _state(material: Material) -> Iterator[Line]:
    """What the model said last of how far it is."""
    said = [(number, each) for number, lot in material.told[-SPEECH:] for each in lot if DONE.search(each)]
    for number, sentence in said[-STATE:]:
        yield _line(material, "state", sentence, (number,))


def _next(material: Material) -> Iterator[Line]:
    """What the model said last that it would do."""
    said = [(number, each) for number, lot in material.told[-SPEECH:] for each in lot if NEXT.search(each)]
    last = said[-1][0] if said else 0
    for number, sentence in [each for each in said if each[0] == last][-NEXT_STEPS:]:
        yield _line(material, "next", sentence, (number,))


def _todo(material: Material) -> Iterator[Line]:
    """The steps of the last plan that the model noted with a tool and has not finished."""
    for number, call in reversed(material.calls):
        steps = _steps(call)
        if steps:
            for text, status in steps:
                if status not in FINISHED:
                    yield _line(material, "todo", f"{text} ({status})" if status else text, (number,))
            return


def _steps(call: CallBlock) -> list[tuple[str, str]]:
    arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
    listed = next((arguments[name] for name in TODOS if isinstance(arguments.get(name), list)), [])
    return [step for each in listed if (step := _step(each)) is not None]


def _step(given: Any) -> tuple[str, str] | None:
    if not isinstance(given, Mapping):
        return None
    text = next((given[name] for name in STEP if isinstance(given.get(name), str)), "")
    status = given.get("status")
    return (text, status) if text and isinstance(status, str) else None


# What was done


def _changed(material: Material) -> Iterator[Line]:
    for file in material.index.artifacts:
        if file.written or file.created or file.deleted:
            numbers = file.writes or file.commands or file.reads
            text = str(FileLine.of(file, _said_of(material, file)))
            yield _line(material, "changed", text, numbers, file.path)


def _read(material: Material) -> Iterator[Line]:
    for file in material.index.artifacts:
        if file.read and not (file.written or file.created or file.deleted):
            yield _line(material, "read", str(FileLine.of(file)), file.reads or file.commands, file.path)


def _said_of(material: Material, file: Artifact) -> str:
    """What the model said when it changed a file: the sentence that names it, or the last one before the call."""
    name = name_of(file.path)
    for number in reversed(file.writes):
        entry = material.by_number.get(number)
        blocks = () if entry is None else entry.message.blocks
        said = [each for block in blocks if isinstance(block, TextBlock) for each in sentences(str(block.text))]
        naming = [each for each in said if name in each]
        if said:
            return (naming or said)[-1][:LINE]
    for _, lot in reversed(material.told):
        for sentence in reversed(lot):
            if name in sentence:
                return sentence[:LINE]
    return ""


def _tests(material: Material) -> Iterator[Line]:
    for run in material.index.tests:
        yield _line(material, "tests", f"{run.command[:LINE]}: {_outcome(run)}", (run.record,), run.command)


def _outcome(run: TestRun) -> str:
    counts = [
        f"{count} {word}" for count, word in ((run.passed, "passed"), (run.failed, "failed")) if count is not None
    ]
    said = {True: "passed", False: "failed", None: "outcome not shown"}[run.ok]
    return ", ".join(counts) or said


def _errors(material: Material) -> Iterator[Line]:
    """The exact words of what failed, with what failed, and whether that went well later."""
    failed = {quote.record for quote in material.index.errors}
    succeeded: dict[str, int] = {}
    for number, call in material.calls:
        line = action_of(call, material.folder).line[:200]
        if line and not any(record in failed for record in (number, number + 1)):
            succeeded[line] = number
    for quote in material.index.errors:
        mended = succeeded.get(quote.what, -1) > quote.record
        text = f"{quote.text} (of {quote.what[:80]}{MENDED if mended else ')'}"
        yield _line(material, "errors", text, (quote.record,), _digest(quote.text))


def _commands(material: Material) -> Iterator[Line]:
    found: dict[str, int] = {}
    for number, call in material.calls:
        line = action_of(call, material.folder).line
        first = line.strip().split("\n", 1)[0][:LINE]
        if first:
            found.pop(first, None)
            found[first] = number
    for line, number in list(found.items())[-COMMANDS:]:
        yield _line(material, "commands", line, (number,), line)


def _schema(section: str, made: bool) -> Rule:
    """Definitions of tables: those that results showed were there before, those in calls are what was made."""

    def lines(material: Material) -> Iterator[Line]:
        for entry in material.entries:
            if (entry.speaker == "model") != made:
                continue
            for text in _told_to_tools(entry.message.calls) if made else _shown(material, entry.number):
                for found in DDL.findall(text):
                    yield _line(material, section, found, (entry.number,))

    return lines


def _told_to_tools(calls: Sequence[CallBlock]) -> Iterator[str]:
    for call in calls:
        yield from argument_texts(call)


def _shown(material: Material, number: int) -> Iterator[str]:
    from_tools = material.by_number[number]
    yield from (block.text for block in from_tools.message.blocks if hasattr(block, "call_id"))


def _sources(material: Material) -> Iterator[Line]:
    """Addresses that the model fetched or named."""
    for name, mention in material.mentions.items():
        if mention.used and name.startswith(("http://", "https://")):
            yield _line(material, "sources", name, mention.numbers, name)


def _names(section: str, material: Material, request: Summarise) -> Iterator[Line]:
    """Exact names, the most useful ones first; no more of them than could ever stand in the limit."""
    visible: Set[str] = request.context.get("visible", frozenset())
    newest = material.entries[-1].number if material.entries else 0
    chosen = [
        (usefulness(mention.numbers, mention.times, newest), name, mention)
        for name, mention in material.mentions.items()
        if mention.used == (section == "identifiers") and name not in visible
    ]
    chosen.sort(key=lambda each: -each[0])
    for _, name, mention in chosen[: max(request.limit, 100) // 2]:
        yield _line(material, section, name, mention.numbers, name, quote=mention.person)


def usefulness(numbers: Sequence[int], times: int, newest: int) -> float:
    """How likely a name comes up again: by how lately it did, and how often."""
    lately = math.exp((numbers[-1] - newest) / 60) if numbers else 0.0
    return 2 * lately + 0.6 * math.log1p(times)


RULES: Mapping[str, Rule] = {
    "request": _request,
    "rules": _rules,
    "cause": _saying("cause", CAUSE, reason=True),
    "state": _state,
    "tests": _tests,
    "errors": _errors,
    "changed": _changed,
    "read": _read,
    "source-schema": _schema("source-schema", made=False),
    "target-schema": _schema("target-schema", made=True),
    "findings": _saying("findings", FINDING),
    "sources": _sources,
    "commitments": _saying("commitments", PROMISE),
    "decisions": _decisions,
    "open": _open,
    "todo": _todo,
    "next": _next,
    "commands": _commands,
}
