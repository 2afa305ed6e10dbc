"""Claims: the model, or a summary, says that tests or a build are fine, and the last run says otherwise (I4)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .....model.diagnosis import Finding, Quote
from .....model.transcript import Said
from ..blocks import ReadBlock
from ..contract import Moment, finding, quote
from ..texts.reading import Reading, lines_with, signs

TAIL = 4_000
_RUNS = re.compile(
    r"\b(?:pytest|unittest|nosetests|tox|nox|jest|vitest|mocha|rspec|phpunit|ctest|tests?|check|build|compile|tsc"
    r"|mypy|ruff|eslint|lint"
    r"|verify|package|assemble)\b|run_?tests?|_test\b|test_",
    re.IGNORECASE,
)
_RUNNERS = signs(
    "nox jest vitest mocha rspec tox check build compile tsc mypy ruff eslint lint verify package assemble phpunit"
)
_BAD = re.compile(
    r"\b[1-9]\d* (?:tests? )?(?:failed|failing|failures?)\b|\bFAILED\b(?! ?[:=]? ?0)|\bfailures?[=:] ?[1-9]"
    r"|\berrors?[=:] ?[1-9]"
    r"|\bBUILD FAIL|\bbuild failed|\berror TS\d+|^error(?:\[\w+\])?: |\bTests?:.{0,40}\b[1-9]\d* failed|\bnot ok \d+"
    r"|^FAIL\b"
    r"|\bcompilation (?:failed|error)|\bFound [1-9]\d* errors?\b|^E  +\w|\b[1-9]\d* problems? \([1-9]|^--- FAIL",
    re.MULTILINE,
)
_FAILED = ("fail", "error", "not ok", "problem", "e  ")
_PASSED = ("pass", "ok", "success", "succeeded", "0 errors", "0 failed")
_MISSING = (
    *("collected 0", "no tests", "ran 0", "0 test", "0 pass", "skipped", "deselected", "no module", "not found"),
    *("missing script", "notfounderror", "importerror", "syntaxerror", "timed out"),
)
_NOT_RUN = re.compile(
    r"\bcollected 0 items|\bno tests (?:ran|found|to run|were)|\bRan 0 tests"
    r"|\b0 (?:tests?|passing|passed)\b(?!.{0,40}[1-9]\d* pass)"
    r"|^=* ?[1-9]\d* (?:skipped|deselected)(?!.{0,60}passed)"
    r"|No module named|command not found|Missing script|ModuleNotFoundError|ImportError|SyntaxError|timed out",
    re.IGNORECASE,
)
_GOOD = re.compile(
    r"\b(?:[1-9]\d*|all) (?:tests? )?(?:pass(?:ed|ing)?)\b|\bOK\b|\bPASS(?:ED)?\b|\bsuccess|\bsucceeded|^ok\b"
    r"|\b0 (?:errors|failed)",
    re.MULTILINE,
)
_CLAIM = re.compile(
    r"\b(?:all|every)(?: (?:the|of the|our|\d+|unit|existing|new))* (?:tests?|checks?|specs?|suites?)(?: (?:are|is"
    r"|now|have|also|still))*"
    r" (?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|ok)\b"
    r"|\b(?:the )?(?:tests?|test suite|suite|build|type.?check|linter|ci)(?: (?:are|is|now|all|has|have|still|run"
    r"|runs|was|were))+"
    r" (?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|successful(?:ly)?|clean)\b"
    r"|\b(?:tests?|the (?:test )?suite|the build) (?:now )?(?:pass(?:es|ed)?|succeed(?:s|ed)?)\b"
    r"|\b\d+/\d+ (?:tests? )?pass(?:ed|ing)?\b|\bno (?:test )?(?:failures|type errors|lint errors)\b"
    r"|\beverything (?:is )?(?:pass(?:es|ing)|green)"
    r"|\bgreen (?:test|build)\b|\bpassing tests\b|\b(?:suite|build|pipeline) is (?:fully )?green\b",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:should|would|could|will|once|until|when|if|whether|ensure|make sure|verify|confirm|check|see|so that|to"
    r"|expect|before|after"
    r"|not|n't|need|want|hope|let me|let's|previously|originally|except|most|but|however|other|unrelated"
    r"|pre-existing|fail\w*|only|some)\b",
    re.IGNORECASE,
)

_ENDS = re.compile(r"[.!?:]\s|\n|\\n")


@dataclass(slots=True)
class _Run:
    """The last run of tests or of a build: its result, and how it says that it was not fine."""

    block: ReadBlock
    bad: str


class ClaimsDetector:
    """Finds a claim of success that the last run contradicts, once the session goes on with it."""

    def __init__(self) -> None:
        self._last: _Run | None = None
        self._claim: tuple[Quote, _Run] | None = None
        self._found: list[Finding] = []

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""
        if not isinstance(moment.event, Said):
            return
        for block in moment.blocks:
            if block.kind == "result" and block.call is not None:
                self._result(block)
            elif block.kind != "thinking" and block.source in ("model", "summary"):
                self._says(moment, block)

    def result(self) -> Iterable[Finding]:
        """The claims, each run once."""
        return self._found

    def _result(self, block: ReadBlock) -> None:
        assert block.call is not None
        ran = block.call.shell if block.call.shell.text else Reading(block.call.name)
        if not (ran.mentions(_RUNNERS) or "test" in ran.small) or not _RUNS.search(ran.text[:2_000]):
            return
        tail = block.text[-TAIL:]
        found = next(filter(None, map(_BAD.search, lines_with(tail, _FAILED))), None)
        if found is None and not any(map(_GOOD.search, lines_with(tail, _PASSED))):
            found = next(filter(None, map(_NOT_RUN.search, lines_with(tail, _MISSING))), None)
        self._last = _Run(block.brief, found.string[max(found.start() - 120, 0) : found.end() + 120]) if found else None

    def _says(self, moment: Moment, block: ReadBlock) -> None:
        last = self._last
        if last is None:
            return
        text = block.head if block.call is None else block.call.written
        for found in _CLAIM.finditer(text):
            sentence = _sentence(text, found.start(), found.end())
            if _HEDGED.search(sentence):
                continue
            self._last = None
            title = "Success is claimed that the last run in the window contradicts"
            quotes = (quote(last.block, "the last run", last.bad), quote(block, "the claim", sentence))
            fix = (
                "Let the claim be made by code: attach the run's own last line to every statement on tests or a build."
            )
            disproof = "Another run, not shown here, was fine; or the failure was known and set aside."
            calls = [last.block.call, block.call]
            self._found.append(
                finding("poisoning", moment.turn, "false-success", title, quotes, fix, disproof, "evidence", calls)
            )
            return


def _sentence(text: str, start: int, end: int) -> str:
    """The sentence around a place, as far as 200 characters before it and 100 after."""
    before = _ENDS.split(text[max(start - 200, 0) : start])[-1]
    return before + text[start:end] + _ENDS.split(text[end : end + 100])[0]
