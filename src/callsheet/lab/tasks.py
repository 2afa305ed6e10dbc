"""Task sets: YAML lists of cases, each an input and what a good run must have and must not do (J1)."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from ..core.documents.standing import in_force, version_of
from ..core.text.sections import sections
from ..edges.project.knowledge import WrittenDocument, read_knowledge
from ..edges.project.settings import FILE, read_settings
from ..edges.project.text import Source, read_list, read_source
from ..edges.project.validate import nearest, validated
from ..errors import ProjectError, UsageError
from ..model.request import RequestContext
from .injections import FILE as INJECTIONS
from .injections import read_injections

Outcome = Literal["answer", "asked", "escalated", "refused", "abstained", "partial", "unfinished", "unknown"]
NOT_COPIED = shutil.ignore_patterns(".callsheet", "__pycache__", ".git")


@dataclass(frozen=True, slots=True)
class Injection:
    """Text added to the end of one knowledge section, as an attacker would; `into` is `document@version#section`.

    The text stands in the case, or under an `id` in `injections.yaml` beside it; reading the case fills it in.
    """

    into: str
    text: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """One case. What is None or empty is not checked; `actor`, `subject` and `grants` replace the session's.

    `fixture` is a file of `evals/fixtures/` that takes the place of the one of that name in `fixtures/`, or the name of
    one that is in `fixtures/` already.
    """

    name: str
    input: str
    adversarial: bool = False
    actor: str | None = None
    subject: str | None = None
    grants: tuple[str, ...] | None = None
    decision: str | None = None
    fixture: str | None = None
    inject: Injection | None = None
    required_evidence: tuple[str, ...] = ()
    required_tools: tuple[str, ...] = ()
    forbidden_tools: tuple[str, ...] = ()
    must_not_contain: tuple[str, ...] = ()
    expected_outcome: Outcome | None = None

    def session(self, ctx: RequestContext) -> RequestContext:
        """The session with what this case replaces."""
        return replace(
            ctx,
            actor=ctx.actor if self.actor is None else self.actor,
            subject_id=ctx.subject_id if self.subject is None else self.subject,
            grants=ctx.grants if self.grants is None else self.grants,
        )


def task_files(path: Path) -> list[Path]:
    """The task sets of a folder, in name order; a file is its own."""
    files = sorted([*path.glob("*.yaml"), *path.glob("*.yml")]) if path.is_dir() else [path]
    return [file for file in files if file.name != INJECTIONS]


def read_tasks(path: Path) -> tuple[Case, ...]:
    """The cases of a file, or of a folder's YAML files in name order; a ProjectError names file, line and rule."""
    cases: dict[str, Case] = {}
    for file in task_files(path):
        source = read_source(file.parent, file)
        for line, data in read_list(source):
            case = read_case(data, source, line, file)
            if case.name in cases:
                raise source.problem(line, "duplicate-id", f"a case named {case.name!r} is there already", "rename one")
            cases[case.name] = case
    if not cases:
        raise ProjectError(f"{path} holds no case; write a YAML list of cases with `name` and `input`")
    return tuple(cases.values())


def read_case(data: Mapping[str, Any], source: Source, line: int, file: Path) -> Case:
    """One mapping of a task set as a case; a Problem names the line and the key."""
    return _complete(validated(Case, _lists(data), source, (), line), source, line, file)


def _lists(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """A single string where a list may stand is a list of one."""
    names = ("required_evidence", "required_tools", "forbidden_tools", "must_not_contain", "grants")
    return {key: [value] if key in names and isinstance(value, str) else value for key, value in data.items()}


def _complete(case: Case, source: Source, line: int, file: Path) -> Case:
    """The case with its injected text in place, whichever of the two ways it is given."""
    if case.inject is None:
        return case
    if bool(case.inject.text) == bool(case.inject.id):
        why = f"inject of {case.name!r} needs a text or an id, and not both"
        raise source.problem(line, "invalid-value", why, "keep one of them")
    if case.inject.text:
        return case
    texts = {injection.id: injection.text for injection in read_injections(file.with_name(INJECTIONS))}
    if case.inject.id not in texts:
        why = f"inject of {case.name!r} names {case.inject.id!r}, which {INJECTIONS} does not have"
        raise source.problem(line, "invalid-value", why, nearest(case.inject.id, list(texts), "ids"))
    return replace(case, inject=replace(case.inject, text=texts[case.inject.id]))


def _knowledge(project: Path) -> tuple[WrittenDocument, ...]:
    rules = read_settings(project).ingest.rules if (project / FILE).is_file() else ()
    return read_knowledge(project, rules)


def known_evidence(project: Path) -> tuple[str, ...]:
    """The id of every knowledge section of a project, in order."""
    return tuple(
        sorted(
            section.evidence_id for written in _knowledge(project) for section in sections(written.document, "staged")
        )
    )


def superseded_evidence(project: Path, now: datetime) -> frozenset[str]:
    """The ids of the sections that are not in force at a time, so that no run can have them."""
    documents = [written.document for written in _knowledge(project)]
    current, _ = in_force([version_of(each) for each in documents], now)
    out = (document for place, document in enumerate(documents) if place not in current)
    return frozenset(section.evidence_id for document in out for section in sections(document, "staged"))


def only_new(work: Path) -> None:
    """Nothing, where a folder is empty or not there; UsageError where an earlier evaluation left something in it."""
    if work.exists() and any(work.iterdir()):
        raise UsageError(f"{work} is not empty; name a new folder, or remove it where its records are not needed")


def stage(project: Path, case: Case, target: Path) -> Path:
    """A copy of the project folder with the case's fixture and injection in place."""
    shutil.copytree(project, target, ignore=NOT_COPIED)
    if case.fixture is not None:
        own, ready = project / "evals" / "fixtures" / case.fixture, target / "fixtures" / case.fixture
        if own.is_file():
            shutil.copyfile(own, ready)
        elif not ready.is_file():
            raise ProjectError(
                f"case {case.name!r}: there is no {case.fixture} in evals/fixtures or fixtures of {project}"
            )
    if case.inject is not None:
        inject(target, case.inject)
    return target


def inject(folder: Path, injection: Injection) -> None:
    """Adds the injection's text to the end of its section, in the file that holds it."""
    for written in _knowledge(folder):
        document = written.document
        for section in sections(document, "staged"):
            if section.evidence_id == injection.into:
                text = written.source.text
                at = len(text) - len(document.text) + section.end
                changed = f"{text[:at]} {injection.text}{text[at:]}"
                (folder / written.source.file).write_text(changed, encoding="utf-8")
                return
    raise ProjectError(f"there is no knowledge section {injection.into!r} to inject into; `callsheet search` lists ids")
