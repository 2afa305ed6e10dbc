"""Linting the task sets of a project folder: what a case names must be there, or it proves nothing (J1)."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from ..edges.counters.estimate import EstimateCounter
from ..edges.project.folder import read_project
from ..edges.project.lint import Finding, finding
from ..edges.project.problem import Problem
from ..edges.project.settings import FILE as SETTINGS
from ..edges.project.settings import read_settings
from ..edges.project.text import Source, read_list, read_source
from ..edges.project.tools_file import read_tools
from ..edges.project.validate import nearest
from ..errors import UsageError
from ..host.wiring import build_policy
from .injections import FILE as INJECTIONS
from .injections import read_injections
from .tasks import Case, known_evidence, read_case, superseded_evidence, task_files

T = TypeVar("T")
MISTAKE = re.compile(r"(?:(\S+\.toml): )?(.*); (.*?)(?: \[([\w-]+)\])?")
"""How our errors read: the file where it is known, what is wrong, the way out, the rule where it has a name."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What a project has, by name; None where that part of it cannot be read, which is a finding of its own."""

    decisions: tuple[str, ...] | None
    tools: tuple[str, ...] | None
    evidence: tuple[str, ...] | None
    superseded: frozenset[str]


def lint_tasks(folder: Path, now: datetime | None = None) -> tuple[Finding, ...]:
    """Every finding in the task sets and injections under `evals/`; none where there is no such folder.

    What is in force is only judged where `now` is given.
    """
    known = _Known(
        _read(lambda: tuple(read_settings(folder).decisions)),
        _read(lambda: tuple(sorted(read_tools(folder).contracts))),
        _read(lambda: known_evidence(folder)),
        (_read(lambda: superseded_evidence(folder, now)) if now is not None else None) or frozenset(),
    )
    return tuple(finding(problem) for problem in _problems(folder, known))


def lint_model(folder: Path) -> tuple[Finding, ...]:
    """What keeps the project from being opened with its model: settings and models.toml that do not hold together.

    Nothing where the folder has other mistakes, which are found first.
    """
    try:
        build_policy(read_project(folder), counter=EstimateCounter())
    except Problem:
        return ()
    except UsageError as error:
        said = MISTAKE.fullmatch(" ".join(str(error).split()))
        assert said is not None, f"no way out is named: {error}"
        file, message, fix, rule = said.groups()
        return (Finding(file or SETTINGS, 1, rule or "invalid-value", message, fix, "error"),)
    return ()


def _read(look: Callable[[], T]) -> T | None:
    try:
        return look()
    except Problem:
        return None


def _problems(folder: Path, known: _Known) -> Iterator[Problem]:
    evals = folder / "evals"
    owners: dict[str, str] = {}
    for file in task_files(evals) if evals.is_dir() else ():
        try:
            source = read_source(folder, file)
            entries = read_list(source)
        except Problem as problem:
            yield problem
            continue
        for line, data in entries:
            try:
                case = read_case(data, source, line, file)
            except Problem as problem:
                # A mistake in injections.yaml is found once, below, and not again by each case that names it.
                if problem.file == source.file:
                    yield problem
                continue
            if case.name in owners:
                why = f"a case named {case.name!r} is in {owners[case.name]} already"
                yield source.problem(line, "duplicate-id", why, "rename one")
            owners[case.name] = source.file
            yield from _of_case(case, source, line, known)
            yield from _fixture(case, source, line, folder)
    if (evals / INJECTIONS).is_file():
        yield from _injections(evals)


def _of_case(case: Case, source: Source, line: int, known: _Known) -> Iterator[Problem]:
    into = (case.inject.into,) if case.inject is not None else ()
    decision = (case.decision,) if case.decision is not None else ()
    wanted: tuple[tuple[Iterable[str], tuple[str, ...] | None, str, str], ...] = (
        (decision, known.decisions, "unknown-decision", "decision kinds"),
        ((*case.required_tools, *case.forbidden_tools), known.tools, "unknown-tool", "tools"),
        ((*case.required_evidence, *into), known.evidence, "unknown-evidence", "sections"),
    )
    for names, there, rule, noun in wanted:
        for name in names if there is not None else ():
            if name not in (there or ()):
                why = f"case {case.name!r} names {name!r}, which the project does not have"
                yield source.problem(line, rule, why, nearest(name, there or (), noun))
    for name in case.required_evidence:
        if name in known.superseded:
            why = f"case {case.name!r} requires {name!r}, a version that is not in force, which no run can have"
            yield source.problem(line, "superseded-evidence", why, "name the version in force")


def _fixture(case: Case, source: Source, line: int, folder: Path) -> Iterator[Problem]:
    places = [] if case.fixture is None else [folder / "evals" / "fixtures", folder / "fixtures"]
    if case.fixture is not None and not any((place / case.fixture).is_file() for place in places):
        why = f"case {case.name!r} names the fixture {case.fixture!r}, which is not there"
        yield source.problem(line, "missing-file", why, "put it into evals/fixtures or fixtures")


def _injections(evals: Path) -> Iterator[Problem]:
    try:
        read_injections(evals / INJECTIONS)
    except Problem as problem:
        yield Problem(f"evals/{problem.file}", problem.line, problem.rule, problem.message, problem.fix)
