"""The JSON document of `inspect` as types: what is validated before it is printed, and published as a JSON Schema."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, ClassVar

from ...model.diagnosis import Artifact, CacheBreak, Catalogue, Finding, Fix
from ...model.transcript import Skip

CLOSED = {"extra": "forbid"}


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens as a provider reports them: `input` is uncached input, `output` everything the model wrote."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = CLOSED
    input: int
    cached_read: int
    cache_write: int
    output: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that was not read, and why. Where very many were skipped, the last entry stands for `count` of them."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = CLOSED
    record: int | None
    reason: Skip | None
    detail: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class RecordsRead:
    """What became of a file's records: `read` is the sum of kept, unknown and skipped ones."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = CLOSED
    read: int
    kept: int
    unknown: int
    skipped: tuple[Skipped, ...]
    unknown_types: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ModelRow:
    """What one model was used for; `cost` is null where no price is known."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = CLOSED
    model: str
    calls: int
    usage: Tokens
    cost: float | None
    currency: str


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One turn of one conversation: tokens by bucket of its last prompt and of all its prompts (`billed`).

    Numbers of turns start anew in each `thread`. `at` is in seconds since 1970. `new` are the tokens that the turn
    added to the window, `paid` the same over all the calls they were sent with.
    """

    __pydantic_config__: ClassVar[Mapping[str, str]] = CLOSED
    turn: int
    record: int
    calls: int
    prompt: Mapping[str, int]
    billed: Mapping[str, int]
    usage: Tokens
    thread: str
    at: float | None
    title: str
    new: int
    paid: int


@dataclass(frozen=True, slots=True)
class RoundRow:
    """One model call, from 1, and its cache; `share` is cached reads over the whole input, null where none is known."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = CLOSED
    round: int
    record: int
    usage: Tokens
    turn: int
    thread: str
    model: str
    share: float | None
    warm: bool | None
    relation: str
    first_changed_part: str | None
    expected: int | None


@dataclass(frozen=True, slots=True)
class CacheSeen:
    """The cache over all model calls, and where its prefix broke."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = CLOSED
    rounds: tuple[RoundRow, ...]
    breaks: tuple[CacheBreak, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """The diagnosis of one transcript, as `callsheet inspect --json` prints it.

    `basis` says what the token counts by bucket rest on; `usage` is what the providers reported. `fixes` are those of
    the findings, the one to make first in front.
    """

    __pydantic_config__: ClassVar[Mapping[str, str]] = CLOSED
    source: str
    format: str
    records: RecordsRead
    turns: int
    model_calls: int
    tool_calls: int
    tool_results: int
    usage: Tokens
    cost: float | None
    basis: str
    models: tuple[ModelRow, ...]
    buckets: tuple[TurnRow, ...]
    billed: Mapping[str, int]
    catalogue: Catalogue
    cache: CacheSeen
    artifacts: tuple[Artifact, ...]
    refetches: int
    findings: tuple[Finding, ...]
    fixes: tuple[Fix, ...]
    facts: Mapping[str, Any]
    notes: tuple[str, ...]


@cache
def _adapter() -> Any:
    return import_module("pydantic").TypeAdapter(Report)


def validated(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same document, held against its schema; a pydantic ValidationError is a defect of ours, not of the file."""
    _adapter().validate_python(document)
    return document


def schema() -> dict[str, Any]:
    """The JSON Schema of what `inspect --json` prints for one transcript."""
    made: dict[str, Any] = _adapter().json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made}
