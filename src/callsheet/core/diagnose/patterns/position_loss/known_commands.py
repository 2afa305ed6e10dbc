"""Known commands: how to test or build was said or seen, and the model asks again, or guesses and fails (E2, H2)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .....model.diagnosis import Finding, Quote
from .....model.transcript import Said
from ..blocks import ReadBlock
from ..contract import Moment, finding, quote
from ..stall.stall import refusal
from ..texts.reading import signs

_RUNNERS = {
    "test": r"pytest|unittest|nosetests|tox|nox|jest|vitest|mocha|rspec|phpunit|ctest|(?:npm|yarn|pnpm|bun|cargo|go"
    r"|mix|make"
    r"|just|mvn|gradle|\./gradlew|dotnet|swift|deno|rake|hatch|poe|task|bazel|composer|rails|flutter|zig(?: build)?)"
    r"(?: run)?(?: -\S+)* (?:unit)?tests?\b|(?:node|npx|tsx|bun)\b[^\n;&|]*--test\b|make check|\S*run[_-]?tests?\S*",
    "build": r"(?:npm|yarn|pnpm|bun|cargo|go|make|just|mvn|gradle|\./gradlew|dotnet|swift|bazel|zig|docker)(?: run)? "
    r"(?:build|package|assemble)\b|tsc\b|cmake --build|ninja\b",
    "lint": r"(?:npm|yarn|pnpm|bun|make|just|hatch|poe)(?: run)? lint\b|ruff\b|flake8\b|eslint\b|pylint\b"
    r"|golangci-lint\b|mypy\b"
    r"|cargo clippy",
    "check": r"(?:npm|yarn|pnpm|bun|make|just|hatch|poe|nox)(?: run)? check\S*|\./check\S*|pre-commit run",
}
_TOPICS = {
    "test": r"(?:unit |integration )?(?:tests?\b|test suite\b|testing\b)",
    "build": r"(?:build(?:ing)?|compil(?:e|ing))\b",
    "lint": r"lint(?:er|ing)?\b",
    "check": r"checks\b",
}
_SIGNS = {
    "test": signs("test tests testing"),
    "build": signs("build building compile compiling"),
    "lint": signs("lint linter linting"),
    "check": signs("checks"),
}
_RUNNING = {
    "test": ("test", "tox", "nox", "jest", "mocha", "rspec", "make check"),
    "build": ("build", "package", "assemble", "tsc", "ninja"),
    "lint": ("lint", "ruff", "flake8", "mypy", "clippy"),
    "check": ("check", "pre-commit"),
}
"""What a command line of each topic has one of."""
_SAID = {
    topic: re.compile(
        rf"\b{what}[^.\n`]{{0,60}}`([^`\n]{{3,80}})`"
        rf"|`([^`\n]{{3,80}})`[^.\n`]{{0,30}}?\b(?:to|for|runs?)\b[^.\n`]{{0,25}}?\b{what}"
        rf"|\b{what}[^.\n`]{{0,40}}?(?:\bwith|\bby|\bvia|\busing|\bcommand(?: is)?"
        rf"|:)\s+((?:\S+ )?(?:{_RUNNERS[topic]})[^\n`.;,]{{0,40}})",
        re.IGNORECASE,
    )
    for topic, what in _TOPICS.items()
}
_RUN = {topic: re.compile(rf"(?:^|[;&|(]\s*|\s)({runners})", re.MULTILINE) for topic, runners in _RUNNERS.items()}
_ASK = {
    topic: re.compile(
        rf"\bhow (?:do|should|can|would|does|to)\b[^.?!\n]{{0,40}}?\b(?:run|execute|start|invoke|launch|call)\b"
        rf"[^.?!\n]{{0,30}}?\b{what}|\bhow (?:are|is) the {what}(?: suite)? (?:run|executed|started|invoked|built)"
        rf"|\b(?:what(?:['’]s| is| are)|which|what|need|is there an?|do you have an?|(?:tell|let) me(?: know)?"
        rf"|(?:don['’]t|do not) (?:know|remember|recall|see))\b[^.?!\n]{{0,40}}?(?:\b{what} (?:command|runner"
        rf"|script)s?\b"
        rf"|\b(?:command|runner|script)s?\b[^.?!\n]{{0,40}}?\b{what})",
        re.IGNORECASE,
    )
    for topic, what in _TOPICS.items()
}
_UNSURE = re.compile(r"\b(?:don['’]t|do not|need)\b", re.IGNORECASE)
_NOTES = re.compile(r"\.(?:md|rst|txt)\b|README|CONTRIBUTING", re.IGNORECASE)
_COMMAND = re.compile(r"[a-z.][\w./-]* \S")
_MUST = re.compile(r"\b(?:always|only|must|use|run|should|please)\b", re.IGNORECASE)
_NOT = re.compile(r"\b(?:never|instead|fail\w*|why|what (?:do|does|did)|cover)\b", re.IGNORECASE)
_ON = r"(?:[^.?!\n]|\.(?=\w))"
_SEEK = {
    topic: re.compile(
        rf"\b(?:let me|let['’]s|i(?:['’]ll| will| need to| have to| should|['’]m going to)|first)\b{_ON}{{0,40}}?"
        rf"\b(?:find|figure|check|see|look|determine|discover|learn|search|work out)\b{_ON}{{0,60}}?"
        rf"(?:\bhow (?:to|the|we|do|does|are|is)\b{_ON}{{0,30}}?\b{what}|\b(?:which|what) (?:command|script|runner)\b"
        rf"{_ON}{{0,40}}?\b{what}|\b{what} (?:command|script|runner)s?\b)",
        re.IGNORECASE,
    )
    for topic, what in _TOPICS.items()
}
ROUNDS_BETWEEN = 1
GUESSES = 2
_FIX = "Keep the commands of the project in a block of their own near the end of the window, word for word."


@dataclass(frozen=True, slots=True)
class _Known:
    """A command: where it stands, word for word, and since which model call."""

    block: ReadBlock
    line: str
    command: str
    round: int
    given: bool


class KnownCommandsDetector:
    """Finds a command that was given or had worked, and that the model asks for, or replaces by guesses that fail."""

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}
        self._guesses: dict[str, list[ReadBlock]] = {}
        self._told: set[str] = set()
        self._found: list[Finding] = []

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""
        if not isinstance(moment.event, Said) and not moment.blocks:
            return
        for block in moment.blocks:
            if block.kind == "text" and block.source in ("person", "system", "harness", "summary"):
                self._given(moment, block)
            elif block.kind == "text" and block.source == "model":
                self._asked(moment, block)
            elif block.kind == "result" and block.call is not None:
                if _NOTES.search(block.call.written) and not block.error:
                    self._given(moment, block)
                self._ran(moment, block)

    def result(self) -> Iterable[Finding]:
        """The commands that were forgotten, each topic once."""
        return self._found

    def _given(self, moment: Moment, block: ReadBlock) -> None:
        for topic, said in _SAID.items():
            near = block.reading.around(_SIGNS[topic])
            for found in (each for start, end in near for each in said.finditer(block.head, start, end)):
                told = next(filter(None, found.groups())).strip()
                line = _line(block.head, found.start(), found.end())
                if (_COMMAND.match(told) or _RUN[topic].search(told)) and _NOT.search(line) is None:
                    self._known[topic] = _Known(block, line, told, moment.round, True)
                    self._guesses.pop(topic, None)
                    break

    def _asked(self, moment: Moment, block: ReadBlock) -> None:
        for topic, ask in _ASK.items():
            known = self._known.get(topic)
            if known is None or topic in self._told or moment.round - known.round < ROUNDS_BETWEEN:
                continue
            found = ask.search(block.head)
            if (
                found is not None
                and not _UNSURE.search(found[0])
                and "?" not in block.head[found.end() : found.end() + 120]
            ):
                found = None
            found = found or _SEEK[topic].search(block.head)
            if found is None or _NOT.search(found[0]):
                continue
            self._told.add(topic)
            title = f"The model asks how to {topic}, which it was given: {known.command[:80]}"
            quotes = (
                Quote(known.block.record, known.line[:300], "as given"),
                quote(block, "asked for again", found[0]),
            )
            disproof = "It asks for another part of the project, or the command given had turned out wrong."
            self._found.append(
                finding("position-loss", moment.turn, "asked-again", title, quotes, _FIX, disproof, "state")
            )

    def _ran(self, moment: Moment, block: ReadBlock) -> None:
        assert block.call is not None
        ran = block.call.shell
        written = ran.head
        for topic, run in _RUN.items():
            found = run.search(written) if any(sign in ran.small for sign in _RUNNING[topic]) else None
            if found is None:
                continue
            known = self._known.get(topic)
            failed = block.error or refusal(block.text)
            if known is None or known.command == found[1] or _same(known.command, written):
                if known is None and not failed:
                    self._known[topic] = _Known(block, written[:300], found[1], moment.round, False)
                self._guesses.pop(topic, None)
            elif known.given and (_missing(block.text) or _other(known, found[1])):
                self._guess(moment, topic, known, block)

    def _guess(self, moment: Moment, topic: str, known: _Known, block: ReadBlock) -> None:
        guesses = self._guesses.setdefault(topic, [])
        guesses.append(block)
        if topic in self._told or (len(guesses) < GUESSES and _missing(block.text)):
            return
        self._told.add(topic)
        title = f"How to {topic} was given ({known.command[:60]}), and the model runs another command"
        quotes = [Quote(known.block.record, known.line[:300], "as given")]
        quotes += [quote(each, "what came of another") for each in guesses]
        disproof = "The command given does not work here, which had been seen."
        calls = [each.call for each in guesses]
        self._found.append(
            finding("position-loss", moment.turn, "command-forgotten", title, quotes, _FIX, disproof, "state", calls)
        )


def _other(known: _Known, runner: str) -> bool:
    """True where a text tells to use a command, and this is another program."""
    return _MUST.search(known.line) is not None and known.command.split()[0] != runner.split()[0]


def _missing(text: str) -> bool:
    return (
        re.search(
            r"not found|No module named|Missing script|No rule to make|no such|not recognized|unknown", text, re.I
        )
        is not None
    )


def _same(known: str, written: str) -> bool:
    """True where a command runs the one that was given: with what stands first in it."""
    return " ".join(known.split()[:2]).casefold() in written.casefold()


def _line(text: str, start: int, end: int) -> str:
    return text[text.rfind("\n", 0, start) + 1 : (text.find("\n", end) + 1 or len(text) + 1) - 1].strip()
