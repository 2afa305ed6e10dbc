"""A diagnosis as the JSON document that `inspect` prints, and that its page and its text are made from."""

from collections.abc import Iterable
from typing import Any

from ...core.diagnose.fixes import first_fixes
from ...model.diagnosis import CacheRound, Diagnosis, ModelUse, TurnBuckets
from ...model.transcript import Records
from ..output import plain
from ..usage import usage_json

Shape = dict[str, Any]


def document(diagnosis: Diagnosis) -> Shape:
    """The document of one transcript, in the shape of `shape.Report`; texts are such as any reader of JSON takes."""
    said = diagnosis
    return {
        "source": plain(said.source),
        "format": plain(said.format),
        "records": records_json(said.records),
        "turns": said.turns,
        "model_calls": said.model_calls,
        "failed_calls": said.failed_calls,
        "tool_calls": said.tool_calls,
        "tool_results": said.tool_results,
        "usage": usage_json(said.usage),
        "cost": plain(said.cost),
        "basis": plain(said.basis),
        "models": _with_usage(said.models),
        "buckets": _with_usage(said.buckets),
        "billed": plain(said.billed),
        "catalogue": plain(said.catalogue),
        "cache": {
            "reported": said.cache_reported,
            "rounds": _with_usage(said.rounds),
            "breaks": plain(said.breaks),
        },
        "artifacts": plain(said.artifacts),
        "refetches": said.refetches,
        "findings": plain(said.findings),
        "fixes": plain(first_fixes(said.findings)),
        "facts": plain(said.facts),
        "notes": plain(said.notes),
    }


def records_json(records: Records) -> Shape:
    """What became of the records, an entry for each skipped one; one with a `count` stands for those not listed."""
    skipped = [{"record": each.record, "reason": each.reason, "detail": plain(each.detail)} for each in records.skipped]
    if records.unlisted:
        rest = {"record": None, "reason": None, "detail": "further records, not listed one by one"}
        skipped.append({**rest, "count": records.unlisted})
    return {
        "read": records.read,
        "kept": records.kept,
        "unknown": records.unknown,
        "skipped": skipped,
        "unknown_types": plain(records.unknown_types),
    }


def _with_usage(rows: Iterable[ModelUse | TurnBuckets | CacheRound]) -> list[Shape]:
    return [{**plain(row), "usage": usage_json(row.usage)} for row in rows]
