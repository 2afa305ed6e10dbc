"""Runs of tests: which commands are some, and how many passed and failed, by what the runners print."""

import re
from collections.abc import Callable, Sequence

from ....model.diagnosis import TestRun

Counts = tuple[int | None, int | None]
COMMAND = re.compile(
    r"(?:^|/|\s)(?:pytest|py\.test|unittest|nosetests|tox|nox|jest|vitest|mocha|ava|karma|rspec|phpunit|pest|ctest|"
    r"nextest|gotestsum|playwright test|cypress run|"
    r"go test|cargo (?:\+\S+ )?test|mix test|dotnet (?:vs)?test|swift test|deno test|bun test|rails test|rake test|"
    r"rake spec|manage\.py test|gradlew? (?:\S+ )*?\S*[tT]est|mvnw? (?:\S+ )*?(?:test|verify)|sbt test|lein test|"
    r"zig build test|make (?:\S+ )*?(?:test|check)|just test|hatch test|elm-test|busted|prove|bats|"
    r"(?:npm|pnpm|yarn|bun)(?: -\S+)*(?: run)? test\S*|runtests\.py|bin/test)(?=$|[\s:])"
)
CLOSED = 200_000
ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
PYTEST = re.compile(
    r"^(?:=+ )?((?:\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|warnings?|deselected|rerun)(?:, )?)+)"
    r" in [\d.]+",
    re.MULTILINE,
)
UNITTEST = re.compile(r"^Ran (\d+) tests? in [\d.]+s\s+(OK|FAILED)(?: \(([^)]*)\))?", re.MULTILINE)
JEST = re.compile(r"^\s*Tests:?\s+(.*\d+ (?:passed|failed|total).*)$", re.MULTILINE)
MOCHA_PASS, MOCHA_FAIL = (
    re.compile(r"^\s*(\d+) passing\b", re.MULTILINE),
    re.compile(r"^\s*(\d+) failing\b", re.MULTILINE),
)
CARGO = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed", re.MULTILINE)
NEXTEST = re.compile(r"Summary \[[^\]]*\]\s+\d+ tests? run: (\d+) passed(?:.*?, (\d+) failed)?")
EXUNIT = re.compile(r"^(?:(\d+) doctests?, )?(?:(\d+) propert(?:y|ies), )?(\d+) tests?, (\d+) failures?", re.MULTILINE)
RSPEC = re.compile(r"^(\d+) examples?, (\d+) failures?", re.MULTILINE)
PHPUNIT_OK = re.compile(r"^OK \((\d+) tests?,", re.MULTILINE)
PHPUNIT = re.compile(r"^Tests: (\d+), Assertions: \d+(?:, (.*?))?\.?$", re.MULTILINE)
DOTNET = re.compile(r"Failed:\s+(\d+), Passed:\s+(\d+)")
DOTNET_LINES = re.compile(r"Total tests: (\d+)(?:\s+Passed: (\d+))?(?:\s+Failed: (\d+))?")
JUNIT = re.compile(
    r"^(?:\[\w+\]\s*)?Tests run: (\d+), Failures: (\d+), Errors: (\d+)(?:, Skipped: (\d+))?\s*$", re.MULTILINE
)
XML = re.compile(r"<testsuites?\b[^>]*>")
GRADLE = re.compile(r"^(\d+) tests? completed, (\d+) failed", re.MULTILINE)
CTEST = re.compile(r"(\d+)% tests passed, (\d+) tests? failed out of (\d+)")
MINITEST = re.compile(r"^(\d+) (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors", re.MULTILINE)
TAP_PASS, TAP_FAIL = re.compile(r"^# pass\s+(\d+)", re.MULTILINE), re.compile(r"^# fail\s+(\d+)", re.MULTILINE)
GO_PASS, GO_FAIL = re.compile(r"^\s*--- PASS:", re.MULTILINE), re.compile(r"^\s*--- FAIL:", re.MULTILINE)
DENO = re.compile(r"^\s*(?:ok|FAILED) \| (\d+) passed(?: \(\d+ steps?\))? \| (\d+) failed", re.MULTILINE)
WORD = re.compile(r"(\d+) (passed|failed|errors?|total)")


def test_command(commands: Sequence[str]) -> str:
    """The command among these that runs tests; "" where none does."""
    return next(
        (each for each in commands if not each.startswith(("echo ", "grep ", "cat ")) and COMMAND.search(each)), ""
    )


def test_run(record: int, command: str, text: str, failed: bool | None) -> TestRun:
    """A run of tests from what it printed; `failed` is what its exit code says, None where there is none."""
    text = ANSI.sub("", text[-CLOSED:] if len(text) > CLOSED else text).replace("\r\n", "\n")
    passed, broken = counted(text)
    ok = None if failed is None and broken is None else not failed and not broken
    return TestRun(record, command, passed, broken, ok)


def counted(text: str) -> Counts:
    """How many tests passed and failed, as any of the runners says it; errors count as failures."""
    return next((found for read in READERS if (found := read(text)) is not None), (None, None))


def _words(text: str) -> Counts:
    counts = {"passed": 0, "failed": 0, "error": 0}
    for number, word in WORD.findall(text):
        kind = "error" if word.startswith("error") else word
        counts[kind] = counts.get(kind, 0) + int(number)
    return counts["passed"], counts["failed"] + counts["error"]


def _pytest(text: str) -> Counts | None:
    found = PYTEST.findall(text)
    return _words(found[-1]) if found else None


def _unittest(text: str) -> Counts | None:
    found = UNITTEST.findall(text)
    if not found:
        return None
    total, _, told = found[-1]
    counts = {
        name.strip(): int(number)
        for name, _, number in (each.partition("=") for each in told.split(","))
        if number.isdigit()
    }
    broken = counts.get("failures", 0) + counts.get("errors", 0) + counts.get("unexpected successes", 0)
    skipped = counts.get("skipped", 0) + counts.get("expected failures", 0)
    return int(total) - broken - skipped, broken


def _jest(text: str) -> Counts | None:
    found = JEST.findall(text)
    return _words(found[-1]) if found else None


def _pair(passed: re.Pattern[str], broken: re.Pattern[str]) -> Callable[[str], Counts | None]:
    def read(text: str) -> Counts | None:
        good, bad = passed.search(text), broken.search(text)
        return (int(good[1]) if good else 0, int(bad[1]) if bad else 0) if good or bad else None

    return read


def _summed(
    pattern: re.Pattern[str], passed: Callable[[list[int]], int], broken: Callable[[list[int]], int]
) -> Callable[[str], Counts | None]:
    def read(text: str) -> Counts | None:
        rows = [[int(each or 0) for each in found.groups()] for found in pattern.finditer(text)]
        return (sum(map(passed, rows)), sum(map(broken, rows))) if rows else None

    return read


def _phpunit(text: str) -> Counts | None:
    if good := PHPUNIT_OK.search(text):
        return int(good[1]), 0
    found = PHPUNIT.search(text)
    if not found:
        return None
    counts = dict(re.findall(r"(\w+): (\d+)", found[2] or ""))
    broken = int(counts.get("Failures", 0)) + int(counts.get("Errors", 0))
    return int(found[1]) - broken - int(counts.get("Skipped", 0)) - int(counts.get("Incomplete", 0)), broken


def _xml(text: str) -> Counts | None:
    found = XML.search(text)
    if not found or 'tests="' not in found[0]:
        return None
    counts = {name: int(number) for name, number in re.findall(r'(\w+)="(\d+)"', found[0])}
    broken = counts.get("failures", 0) + counts.get("errors", 0)
    return counts.get("tests", 0) - broken - counts.get("skipped", 0), broken


def _go(text: str) -> Counts | None:
    passed, broken = len(GO_PASS.findall(text)), len(GO_FAIL.findall(text))
    return (passed or None, broken) if passed or broken else None


READERS: tuple[Callable[[str], Counts | None], ...] = (
    _pytest, _unittest, _jest,
    _summed(CARGO, lambda row: row[0], lambda row: row[1]),
    _summed(NEXTEST, lambda row: row[0], lambda row: row[1]),
    _summed(EXUNIT, lambda row: sum(row[:3]) - row[3], lambda row: row[3]),
    _summed(RSPEC, lambda row: row[0] - row[1], lambda row: row[1]),
    _phpunit,
    _summed(DOTNET, lambda row: row[1], lambda row: row[0]),
    _summed(DOTNET_LINES, lambda row: row[1], lambda row: row[2]),
    _summed(JUNIT, lambda row: row[0] - row[1] - row[2] - row[3], lambda row: row[1] + row[2]),
    _summed(GRADLE, lambda row: row[0] - row[1], lambda row: row[1]),
    _summed(CTEST, lambda row: row[2] - row[1], lambda row: row[1]),
    _summed(MINITEST, lambda row: row[0] - row[1] - row[2], lambda row: row[1] + row[2]),
    _summed(DENO, lambda row: row[0], lambda row: row[1]),
    _pair(MOCHA_PASS, MOCHA_FAIL), _pair(TAP_PASS, TAP_FAIL), _go, _xml,
)  # fmt: skip
