"""Lines about what was done, drawn from the artifact index and the calls themselves (F2)."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from ....model.diagnosis import Artifact, TestRun
from ....model.history import Line
from ....model.message import CallBlock, ResultBlock, TextBlock
from ..artifacts.result_text import result_text as answer_text
from .file_lines import FileLine, name_of
from .material import Material, Rule, argument_texts, digest
from .result_index import Returned, labelled, returned
from .speech import sentences

COMMANDS = 30
"""The most commands that one draft has; the newest count."""
LINE = 240
RESULTS, VALUES, EACH = 60, 40, 8
"""The most results that one draft leads to, the most labelled values it has, and of those the most of one result."""
MENDED = ", went well later)"
"""How the line of an error ends whose command went well afterwards: it may give way."""
DDL = re.compile(
    r"\b((?:create (?:unique )?|alter |drop )(?:table|index|view|type)(?: if (?:not )?exists)?[ (]+[:\"`\w.]+"
    r"|(?:add|drop|rename|modify) column [:\"`\w.]+(?: \w+)?"
    r"|(?:create|alter|drop|rename)_(?:table|index|column)\W+[\w.]+|add_column\W+\w+\W+\w+)",
    re.IGNORECASE,
)


def changed(material: Material) -> Iterator[Line]:
    """The files that were changed, made or removed: what was done, in which functions, what was said of it."""
    for file in material.index.artifacts:
        if file.written or file.created or file.deleted:
            numbers = file.writes or file.commands or file.reads
            text = str(FileLine.of(file, _said_of(material, file)))
            yield material.line("changed", text, numbers, file.path)


def read(material: Material) -> Iterator[Line]:
    """The files that were read and not changed."""
    for file in material.index.artifacts:
        if file.read and not (file.written or file.created or file.deleted):
            yield material.line("read", str(FileLine.of(file)), file.reads or file.commands, file.path)


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


def tests(material: Material) -> Iterator[Line]:
    """The runs of tests with what came out; of the same command the last one counts."""
    for run in material.index.tests:
        yield material.line("tests", f"{run.command[:LINE]}: {_outcome(run)}", (run.record,), run.command)


def _outcome(run: TestRun) -> str:
    counts = [
        f"{count} {word}" for count, word in ((run.passed, "passed"), (run.failed, "failed")) if count is not None
    ]
    said = {True: "passed", False: "failed", None: "outcome not shown"}[run.ok]
    return ", ".join(counts) or said


def errors(material: Material) -> Iterator[Line]:
    """The exact words of what failed, with what failed, and whether that went well later."""
    failed = {quote.record for quote in material.index.errors}
    succeeded: dict[str, int] = {}
    for number, call, line in material.lines:
        if material.answered.get(call.id or "") not in failed:
            succeeded[line[:200]] = number
    for quote in material.index.errors:
        mended = succeeded.get(quote.what, -1) > quote.record
        text = f"{quote.text} (of {quote.what[:80]}{MENDED if mended else ')'}"
        yield material.line("errors", text, (quote.record,), digest(quote.text))


def commands(material: Material) -> Iterator[Line]:
    """The newest command lines, each once."""
    found: dict[str, int] = {}
    for number, _, line in material.lines:
        first = line.strip().split("\n", 1)[0][:LINE]
        if first:
            found.pop(first, None)
            found[first] = number
    for line, number in list(found.items())[-COMMANDS:]:
        yield material.line("commands", line, (number,), line)


def schema(section: str, made: bool) -> Rule:
    """Definitions of tables: those that results showed were there before, those in calls are what was made."""

    def lines(material: Material) -> Iterator[Line]:
        for entry in material.entries:
            if (entry.speaker == "model") != made:
                continue
            for text in _told_to_tools(entry.message.calls) if made else _shown(material, entry.number):
                for found in DDL.findall(text):
                    yield material.line(section, found, (entry.number,))

    return lines


def _told_to_tools(calls: Sequence[CallBlock]) -> Iterator[str]:
    for call in calls:
        yield from argument_texts(call)


def _shown(material: Material, number: int) -> Iterator[str]:
    blocks = material.by_number[number].message.blocks
    yield from (block.text for block in blocks if isinstance(block, ResultBlock))


def results(material: Material) -> Iterator[Line]:
    """Where results stand that nothing else leads back to, each call once; the newest ones."""
    found: dict[str, Returned] = {}
    for each, _ in _returned(material):
        found.pop(each.key, None)
        found[each.key] = each
    for each in list(found.values())[-RESULTS:]:
        yield material.line("results", str(each), (each.number,), each.key)


def values(material: Material) -> Iterator[Line]:
    """The numbers that those results showed with their labels, as far as they stand nowhere else; the newest ones."""
    found: dict[str, int] = {}
    for each, text in _returned(material):
        for shown in islice(labelled(text), EACH):
            found.pop(shown, None)
            found[shown] = each.number
    for shown, number in list(found.items())[-VALUES:]:
        yield material.line("values", shown, (number,), shown)


def _returned(material: Material) -> Iterator[tuple[Returned, str]]:
    """The calls that were answered, in order, each with the text of its newest result."""
    for _, call in material.calls:
        number = material.answered.get(call.id or "")
        each = None if number is None else returned(call, number)
        if each is not None:
            blocks = material.by_number[each.number].message.blocks
            answers = (block for block in blocks if isinstance(block, ResultBlock) and block.call_id == call.id)
            yield each, "\n".join(answer_text(block) for block in answers)


def sources(material: Material) -> Iterator[Line]:
    """Addresses that the model fetched or named."""
    for name, mention in material.mentions.items():
        if mention.used and name.startswith(("http://", "https://")):
            yield material.line("sources", name, mention.numbers, name)
