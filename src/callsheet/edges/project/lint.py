"""Linting a project folder: every mistake at once, as findings, where reading it stops at the first."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeVar

from ...errors import UsageError
from .examples import WrittenExample, examples_of
from .folder import allowlist_problems, decision_problem
from .frozen import frozen_in
from .instructions import WrittenSection, read_instructions, read_section
from .knowledge import knowledge_files, read_document
from .knowledge_lint import knowledge_problems, unused_rules
from .labelled import read_labelled
from .problem import LINT_RULES, Problem
from .seed import read_seed
from .settings import FILE, Settings, read_settings
from .text import read_source
from .tools_file import ToolsFile, read_tools
from .validate import nearest
from .values import DatedValue, read_values, values_of

Severity = Literal["error", "warning"]
T = TypeVar("T")
_WARNINGS = frozenset(
    """frozen-pattern knowledge-without-version knowledge-past-review knowledge-in-future unused-rule
    unused-resource""".split()
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a project folder, where it stands, and how to mend it."""

    file: str
    line: int
    rule: str
    message: str
    fix: str
    severity: Severity


def lint_project(folder: Path, now: datetime | None = None, ingested: Collection[str] = ()) -> tuple[Finding, ...]:
    """Every finding in a project folder, by file and line; dates of documents are only judged where `now` is given.

    `ingested` are the paths of documents that were ingested from elsewhere, which rules may be for.
    """
    problems: list[Problem] = []
    settings = _one(problems, lambda: read_settings(folder))
    tools = _one(problems, lambda: read_tools(folder))
    instructions = _each(problems, sorted((folder / "instructions").glob("*.md")), lambda p: [read_section(folder, p)])
    values = _each(problems, sorted((folder / "values").glob("*.toml")), lambda p: values_of(read_source(folder, p)))
    yaml = sorted(path for path in (folder / "examples").glob("*") if path.suffix in (".yaml", ".yml"))
    examples = _each(problems, yaml, lambda p: examples_of(read_source(folder, p)))
    root, rules = folder / "knowledge", settings.ingest.rules if settings is not None else ()
    documents = _each(problems, knowledge_files(folder), lambda p: [read_document(p, root, folder, rules)])
    if not problems:
        _one(problems, lambda: read_instructions(folder))
        _one(problems, lambda: read_values(folder))
    problems += _duplicate_examples(examples)
    problems += _frozen(folder, instructions, settings, values)
    problems += knowledge_problems(documents, now)
    if settings is not None:
        problems += _examples(examples, settings)
        problems += _labels(folder, settings.knowledge.labels)
        problems += unused_rules(rules, documents, ingested, read_source(folder, folder / FILE))
    if settings is not None and tools is not None:
        problems += allowlist_problems(folder, settings, tools)
    problems += _seed(folder, tools)
    return in_order(map(finding, problems))


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings by file and line, and on one line by how much they are worth mending first."""
    return tuple(sorted(findings, key=lambda each: (each.file, each.line, list(LINT_RULES).index(each.rule))))


def finding(problem: Problem) -> Finding:
    """A problem as a finding, with its severity."""
    severity: Severity = "warning" if problem.rule in _WARNINGS else "error"
    return Finding(problem.file, problem.line, problem.rule, problem.message, problem.fix, severity)


def _one(problems: list[Problem], read: Callable[[], T]) -> T | None:
    try:
        return read()
    except Problem as problem:
        problems.append(problem)
        return None


def _each(problems: list[Problem], paths: list[Path], read: Callable[[Path], list[T]]) -> list[T]:
    found: list[T] = []
    for path in paths:
        found += _one(problems, lambda path=path: read(path)) or []  # type: ignore[misc]
    return found


def _labels(folder: Path, name: str) -> Iterator[Problem]:
    try:
        read_labelled(folder, name) if name else ()
    except Problem as problem:
        yield problem
    except UsageError as error:
        yield Problem(name, 0, "malformed-file", str(error), "mend the line")


def _seed(folder: Path, tools: ToolsFile | None) -> Iterator[Problem]:
    try:
        seed = read_seed(folder, "tenant", "subject", datetime(2026, 1, 1, tzinfo=UTC))
    except Problem as problem:
        yield problem
        return
    if seed.state is None or tools is None:
        return
    conditions = (each for contract in tools.contracts.values() for each in contract.preconditions)
    asked = sorted({condition.values[0] for condition in conditions if condition.check == "owned"})
    source = read_source(folder, folder / "seed" / "state.toml")
    for kind in seed.state.resources:
        if kind not in asked:
            why = f"no tool asks for a resource of kind {kind!r}, so that listing it permits nothing"
            yield source.problem(("resources", kind), "unused-resource", why, nearest(kind, asked, "kinds"))


def _duplicate_examples(examples: list[WrittenExample]) -> Iterator[Problem]:
    owners: dict[str, str] = {}
    for written in examples:
        key = written.example.example_id
        if key in owners:
            why = f"the example {key!r} is also in {owners[key]}"
            yield written.source.problem(written.line, "duplicate-id", why, "give one of them another id")
        owners.setdefault(key, written.source.file)


def _frozen(
    folder: Path, instructions: list[WrittenSection], settings: Settings | None, values: list[DatedValue]
) -> Iterator[Problem]:
    for written in instructions:
        for number, line in enumerate(written.section.text.splitlines(), written.first_line):
            for rule, message, fix in frozen_in(line, values):
                yield Problem(written.file, number, rule, message, fix)
    if settings is None:
        return
    source = read_source(folder, folder / FILE)
    for name, kind in settings.decisions.items():
        for rule, message, fix in frozen_in(kind.instruction, values):
            yield source.problem(("decision", name, "instruction"), rule, message, fix)


def _examples(examples: list[WrittenExample], settings: Settings) -> Iterator[Problem]:
    version = settings.project.policy_version
    for written in examples:
        example = written.example
        name = f"example {example.example_id!r}"
        if example.policy_version != version:
            why = f"{name} was written for policy {example.policy_version}, and the project's is {version}"
            fix = "check that it still holds, then raise its policy_version; or delete it"
            yield written.source.problem(written.line, "example-policy-version", why, fix)
        unknown = decision_problem(settings, written)
        if unknown is not None:
            yield unknown
            continue
        kind = settings.decisions[example.decision]
        proposal = written.proposal
        if proposal and proposal.get("kind") not in kind.proposals:
            why = f"{name} is right to {proposal.get('kind')}, which decision {kind.name!r} does not take"
            yield written.source.problem(written.line, "example-forbidden-proposal", why, "mend the right side")
        for tool in written.tools:
            if tool not in kind.allowlist:
                why = f"{name} is right to call {tool!r}, which decision {kind.name!r} does not allow"
                yield written.source.problem(written.line, "example-forbidden-tool", why, "mend the right side")
