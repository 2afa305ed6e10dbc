"""The JSON document of `inspect` as types: what is validated before it is printed, and published as a JSON Schema.

Its parts are the nouns of a diagnosis, so that a field of theirs is in both; closed, so that nothing else is.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...model.diagnosis import Artifact, CacheBreak, CacheRound, Catalogue, Finding, Fix, ModelUse, TurnBuckets
from ...model.message import Usage
from ...model.transcript import Skip
from ..published import Published


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that was not read, and why. Where very many were skipped, the last entry stands for `count` of them."""

    record: int | None
    reason: Skip | None
    detail: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class RecordsRead:
    """What became of a file's records: `read` is the sum of kept, unknown and skipped ones."""

    read: int
    kept: int
    unknown: int
    skipped: tuple[Skipped, ...]
    unknown_types: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class CacheSeen:
    """The cache over all model calls, and where its prefix broke.

    Where nothing is `reported` of it, the usage's 0 tokens read and written are not known to be 0.
    """

    reported: bool
    rounds: tuple[CacheRound, ...]
    breaks: tuple[CacheBreak, ...]


@dataclass(frozen=True, slots=True)
class Report(Published):
    """The diagnosis of one transcript, as `callsheet inspect --json` prints it.

    `basis` says what the token counts by bucket rest on; `usage` is what the providers reported. `fixes` are those of
    the findings, the one to make first in front.
    """

    source: str
    format: str
    records: RecordsRead
    turns: int
    model_calls: int
    failed_calls: int
    tool_calls: int
    tool_results: int
    usage: Usage
    cost: float | None
    basis: str
    models: tuple[ModelUse, ...]
    buckets: tuple[TurnBuckets, ...]
    billed: Mapping[str, int]
    catalogue: Catalogue
    cache: CacheSeen
    artifacts: tuple[Artifact, ...]
    refetches: int
    findings: tuple[Finding, ...]
    fixes: tuple[Fix, ...]
    facts: Mapping[str, Any]
    notes: tuple[str, ...]

    @classmethod
    def schema(cls) -> dict[str, Any]:
        """The JSON Schema of what `inspect --json` prints for one transcript: every field is always there.

        But for a skipped record's `count`, which is 1 where it is not said. A provider's raw figures are never printed.
        """
        made = super(Report, cls).schema()
        kinds = made["$defs"]
        del kinds["Usage"]["properties"]["raw"]
        kinds["Usage"]["description"] = "Tokens as a provider reports them: `input` is uncached input."
        for kind in (each for name, each in kinds.items() if name != "Skipped"):
            kind["required"] = list(kind["properties"])
            for field in kind["properties"].values():
                field.pop("default", None)
        return made
