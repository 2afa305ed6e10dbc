"""The `fuzz` fixture: one case after the other, each from a seed of its own, and a table of what was run at the end."""

import secrets
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random

import pytest

FEW = 15
"""Cases of each fuzzer in a run that was given no seconds: always the same ones."""
RUN = pytest.StashKey[list["Fuzz"]]()


@dataclass
class Fuzz:
    """Runs cases until its CPU seconds are used up, goes on after a finding, and names each kind of finding once."""

    name: str
    seconds: float
    seeds: Iterator[int]
    tell: Callable[[str], None]
    cases: int = 0
    used: float = 0.0
    slowest: tuple[float, int] = (0.0, 0)
    kinds: dict[str, tuple[int, str]] = field(default_factory=dict)

    def __call__(self, case: Callable[[Random], None]) -> None:
        start = time.process_time()
        for seed in self.seeds:
            before = time.process_time()
            try:
                case(Random(seed))
            except Exception as error:
                self._keep(seed, error)
            self.cases += 1
            now = time.process_time()
            self.slowest = max(self.slowest, (now - before, seed))
            self.used = now - start
            if self.seconds and self.used > self.seconds:
                break
        assert not self.kinds, self.told()

    def _keep(self, seed: int, error: Exception) -> None:
        kind = _kind(error)
        if kind not in self.kinds and self.seconds:
            self.tell(f"\n{self.name} --fuzz-seed {seed}: {kind}")
        self.kinds.setdefault(kind, (seed, "".join(traceback.format_exception(error, limit=-8))))

    def told(self) -> str:
        """Every kind of finding, and how to see it again."""
        return "\n\n".join(f"--fuzz-seed {seed}: {kind}\n{trace}" for kind, (seed, trace) in self.kinds.items())


def _kind(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [each for each in frames if "callsheet" in Path(each.filename).parts] or frames
    said = str(error).partition("\n")[0][:120] if isinstance(error, AssertionError) else ""
    return f"{type(error).__name__} at {ours[-1].filename.rpartition('callsheet/')[2]}:{ours[-1].lineno} {said}"


@pytest.fixture
def fuzz(request: pytest.FixtureRequest) -> Fuzz:
    """Runs a case with one `Random` after the other: a few fixed ones, or new ones for --fuzz-seconds."""
    seed, seconds = request.config.getoption("--fuzz-seed"), request.config.getoption("--fuzz-seconds")
    seeds: Iterator[int] = iter((seed,)) if seed is not None else iter(range(FEW))
    if seconds and seed is None:
        seeds = count(secrets.randbelow(2**40))
    capture = request.config.pluginmanager.getplugin("capturemanager")

    def tell(words: str) -> None:
        with capture.global_and_fixture_disabled():
            print(words, flush=True)

    made = Fuzz(request.node.name, seconds, seeds, tell)
    request.config.stash.setdefault(RUN, []).append(made)
    return made


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """What each fuzzer did, where it was given time."""
    run = config.stash.get(RUN, [])
    if not config.getoption("--fuzz-seconds") or not run:
        return
    terminalreporter.section("fuzzed")
    for each in run:
        slowest = f"slowest {each.slowest[0]:.2f} s (--fuzz-seed {each.slowest[1]})"
        terminalreporter.line(
            f"{each.cases:8} cases {each.used:7.1f} s  {len(each.kinds)} kinds  {each.name}, {slowest}"
        )
    cases, used = sum(each.cases for each in run), sum(each.used for each in run)
    terminalreporter.line(f"{cases:8} cases {used:7.1f} s of this process")
