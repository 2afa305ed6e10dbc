"""Remedies that do not help: one package after another, one edit after another, and the failure stays (B7)."""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .....model.diagnosis import Finding, Quote
from .....model.transcript import Said
from ..blocks import Call, ReadBlock
from ..contract import Moment, finding, quote, quote_call
from ..texts.reading import Reading, lines_with, signs

INSTALLS = 3
SAME_FAILURES = 4
TAIL = 6_000
_INSTALL = re.compile(
    r"(?:^|[;&|(]\s*|\bsudo\s+(?:-\S+\s+)*|\b-m\s+)(?:pip[\d.]*|uv(?: pip)?|poetry|conda|mamba|npm|yarn|pnpm"
    r"|bun|apt(?:-get)?"
    r"|apk|brew|dnf|yum|pacman|gem|cargo|go|composer|cpanm?|luarocks|opam|nuget|dotnet)\s+(?:-\S+\s+)*"
    r"(?:install|add|i|get|-S|require)\s+(?P<what>(?:-\S+\s+)*[^\s;&|<>]+)",
    re.IGNORECASE | re.MULTILINE,
)
_LACKS = re.compile(
    r"No module named|ModuleNotFoundError|ImportError|Cannot find (?:module|package)|Could not resolve"
    r"|command not found"
    r"|cannot open shared object|No matching distribution|Unable to locate package|has no installation candidate"
    r"|No such file or directory|not installed|is missing|undefined symbol|fatal error: \S+\.h|can't find crate"
    r"|unresolved import|no required module|cannot load such file|package \S+ (?:does not exist|is not in)"
    r"|required (?:dependency|package)|requires? \S+ to be installed|404 Not Found",
    re.IGNORECASE,
)
_LACKING = signs(
    "module modulenotfounderror importerror resolve command shared matching locate candidate such installed missing"
    " undefined fatal crate unresolved required load exist package requires 404 package"
)
_SIGNS = (
    *("no module", "notfounderror", "importerror", "cannot ", "can't find", "could not ", "not found", "no matching"),
    *("unable to locate", "no installation", "no such file", "not installed", "is missing", "undefined symbol"),
    *("fatal error", "unresolved", "no required", "does not exist", "is not in", "required dep", "required package"),
    *("to be installed",),
)
_FAILING = ("fail", "error", "exception", "not ok", "✕", "✗", "×")
_INSTALLING = signs("install add i get require s")
_FAILS = re.compile(
    r"(?:FAILED|ERROR) (\S+)|\s*--- FAIL: (\S+)|not ok \d+ -? ?(.{1,100})|\s*[✕✗×] (.{1,100}?)(?: \(\d+ ?ms\))?$"
    r"|test (\S+) \.\.\. FAILED|(?:FAIL|ERROR): (.{1,100})|E\s{2,}(\w*(?:Error|Exception)\b.{0,100})"
    r"|(\w[\w.]*(?:Error|Exception)\b.{0,100})"
)
"""How a line begins that names what fails."""
_CODED = re.compile(r"(error (?:TS|CS|E)?\d{3,5}: .{0,100})")
_CHANGING = re.compile(r"edit|write|patch|replace|insert|create|update", re.IGNORECASE)


@dataclass(slots=True)
class _Failure:
    """A failure that stays: the results that show it, and whether something was changed since the last."""

    shown: list[ReadBlock] = field(default_factory=list)
    changed: bool = True


class RemediesDetector:
    """Finds packages that are installed one by one as each lacks the next, and changes after which the same fails."""

    def __init__(self) -> None:
        self._lacking: ReadBlock | None = None
        self._installs: list[tuple[ReadBlock, Call]] = []
        self._names: set[str] = set()
        self._since = 0
        self._failures: dict[int, _Failure] = {}
        self._latest: deque[int] = deque(maxlen=2)
        self._found: list[Finding] = []

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""
        if not isinstance(moment.event, Said):
            return
        for block in moment.blocks:
            if block.source == "person":
                self._forget()
            elif block.kind == "call" and block.call is not None:
                self._call(moment, block.call)
            elif block.kind == "result":
                if block.call is not None and not block.call.name:
                    self._call(moment, block.call)  # a command in the model's text
                self._result(moment, block)

    def result(self) -> Iterable[Finding]:
        """The remedies that did not help, each chain once."""
        return self._found

    def _forget(self) -> None:
        self._lacking = None
        self._installs.clear()
        self._names.clear()
        self._failures.clear()

    def _call(self, moment: Moment, call: Call) -> None:
        if _CHANGING.search(call.name) or "sed -i" in call.written or "apply_patch" in call.written:
            for failure in self._failures.values():
                failure.changed = True
        found = _INSTALL.search(call.shell.head) if call.shell.mentions(_INSTALLING) else None
        self._since += 1
        if self._since > 2 * INSTALLS:
            self._installs.clear()
            self._names.clear()
        if found is None or self._lacking is None:
            return
        # The same package under a corrected name or version is one remedy.
        name = re.sub(r"[\d.=<>~^@-]+", "-", found["what"].split()[-1].casefold())
        if name.startswith((".", "-")) or name.endswith(".txt") or name in self._names:
            return
        self._names.add(name)
        self._since = 0
        self._installs.append((self._lacking, call))
        self._lacking = None
        if len(self._installs) != INSTALLS:
            return
        title = f"{INSTALLS} packages were installed one after the other, each because the next was missing"
        quotes = [each for lack, install in self._installs for each in (_lack(lack), quote_call(install, "the remedy"))]
        fix = "Read what the project declares and install that at once; after the second missing part, ask why it is."
        disproof = "Nothing declares these packages, and each try brought the work further."
        calls = [install for _, install in self._installs]
        self._found.append(finding("stall", moment.turn, "one-by-one", title, quotes, fix, disproof, "evidence", calls))

    def _result(self, moment: Moment, block: ReadBlock) -> None:
        text = block.text[-TAIL:]
        if block.error or _lacks(block.reading, text):
            self._lacking = block
        failing = frozenset(_failures(text))
        if not failing:
            return
        failure = self._failures.setdefault(hash(failing), _Failure())
        if len(self._failures) > 50:
            self._failures.pop(next(iter(self._failures)))
        if not failure.changed:
            return
        failure.changed = False
        failure.shown.append(block)
        if len(failure.shown) != SAME_FAILURES:
            return
        title = f"After {SAME_FAILURES - 1} changes the same still fails: {min(failing)[:80]}"
        quotes = [quote(each, "the same failure", _around(each.text, min(failing))) for each in failure.shown]
        fix = "After the second change without effect look for the cause: read the failing line, print the values."
        disproof = "The changes were for something else, and this failure was known and left for later."
        calls = [each.call for each in failure.shown]
        self._found.append(
            finding("stall", moment.turn, "same-failure", title, quotes, fix, disproof, "evidence", calls)
        )


def _lacks(reading: Reading, text: str) -> bool:
    return reading.mentions(_LACKING) and any(map(_LACKS.search, lines_with(text, _SIGNS)))


def _failures(text: str) -> Iterator[str]:
    """What fails by name: tests, exceptions, errors of a compiler."""
    for line in lines_with(text, _FAILING):
        if found := _FAILS.match(line) or _CODED.search(line):
            yield next(filter(None, found.groups()))


def _lack(block: ReadBlock) -> Quote:
    found = _LACKS.search(block.text)
    return quote(block, "what was missing", block.text[max(found.start() - 100, 0) :] if found else None)


def _around(text: str, what: str) -> str:
    return text[max(text.rfind(what) - 100, 0) :]
