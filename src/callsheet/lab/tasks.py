"""Task sets: evaluation cases and injection texts from YAML (J1)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from ..edges.project.text import Source, read_list, read_source
from ..edges.project.validate import validated

T = TypeVar("T")
Expected = Literal["answer", "asked", "escalated", "refused", "abstained", "partial", "unfinished", "unknown"]
HarmKind = Literal["tool", "answer", "source", "argument"]
_INJECTIONS = "injections.yaml"


@dataclass(frozen=True, slots=True)
class Harm:
    """What obeying an injected text does: calls a tool with these arguments, says a sentence, or cites a source."""

    kind: HarmKind
    tool: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)
    contains: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Injection:
    """An injected text, its language and form, the sentence (`cue`) that carries the instruction, and its harm."""

    id: str
    language: str
    form: str
    text: str
    cue: str
    harm: Harm


@dataclass(frozen=True, slots=True)
class Inject:
    """Where a case injects what: a `text` of its own, or the `id` of an injection of `injections.yaml`."""

    into: str
    text: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class TaskSession:
    """Who asks in a case; what is absent is the project's own session."""

    tenant: str | None = None
    subject: str | None = None
    locale: str | None = None
    grants: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class EvalTask:
    """One case: a question, who asks it on what data, and what must and must not come of it.

    `required_evidence` are citable ids such as `runbook/api-keys@v7#revoked-keys`. `fixture` names a file of the
    project's `fixtures/`. `decision` forces a decision kind.
    """

    name: str
    input: str
    expected_outcome: Expected
    actor: str | None = None
    session: TaskSession = field(default_factory=TaskSession)
    fixture: str | None = None
    decision: str | None = None
    required_evidence: tuple[str, ...] = ()
    required_tools: tuple[str, ...] = ()
    forbidden_tools: tuple[str, ...] = ()
    must_not_contain: tuple[str, ...] = ()
    adversarial: bool = False
    inject: Inject | None = None


def read_tasks(path: Path) -> tuple[EvalTask, ...]:
    """The cases of a YAML file, or of every YAML file of a folder, in file order.

    A ProjectError names file, line and key where a case is wrong, where a name occurs twice, or where `inject` names an
    injection that `injections.yaml` beside the file does not have.
    """
    files = sorted(path.glob("*.yaml")) if path.is_dir() else [path]
    found: dict[str, EvalTask] = {}
    for file in files:
        if file.name == _INJECTIONS:
            continue
        source = read_source(path if path.is_dir() else path.parent, file)
        for line, task in _entries(source, EvalTask):
            if task.name in found:
                raise source.problem(line, "duplicate-id", f"the case {task.name!r} occurs twice", "rename one of them")
            _check_injection(task, line, source, file)
            found[task.name] = task
    return tuple(found.values())


def read_injections(path: Path) -> tuple[Injection, ...]:
    """The injection texts of a YAML file, in file order; each cue stands in its text."""
    source = read_source(path.parent, path)
    found = _entries(source, Injection)
    for line, injection in found:
        if injection.cue not in injection.text:
            why = f"the cue of {injection.id!r} does not stand in its text"
            raise source.problem(line, "invalid-value", why, "copy the sentence from the text")
    return tuple(injection for _, injection in found)


def _entries(source: Source, kind: type[T]) -> list[tuple[int, T]]:
    return [(line, validated(kind, _strings(data), source, line=line)) for line, data in read_list(source)]


def _strings(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """A single string where a list may stand is a list of one."""
    lists = ("required_evidence", "required_tools", "forbidden_tools", "must_not_contain")
    return {key: [value] if key in lists and isinstance(value, str) else value for key, value in data.items()}


def _check_injection(task: EvalTask, line: int, source: Source, file: Path) -> None:
    if task.inject is None:
        return
    if bool(task.inject.text) == bool(task.inject.id):
        why = f"inject of {task.name!r} needs a text or an id, and not both"
        raise source.problem(line, "invalid-value", why, "keep one of them")
    texts = file.with_name(_INJECTIONS)
    if task.inject.id and task.inject.id not in {injection.id for injection in read_injections(texts)}:
        why = f"inject of {task.name!r} names {task.inject.id!r}, which {_INJECTIONS} does not have"
        raise source.problem(line, "invalid-value", why, "name one of its ids")
