"""Requests to remember something, each with what has to become of it (`tests/cases`, or CALLSHEET_CASES)."""

import json
import os
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from callsheet.core.memory.writing import admit
from callsheet.model.memory import MemoryRecord, MemoryWrite
from callsheet.model.memory_policy import MemoryPolicy
from callsheet.model.request import RequestContext

OUR_NAMES = {
    "consent-required": "consent-missing",
    "no-provenance": "provenance-unknown",
    "not-deletable": "not-attributable",
    "personal-data": "personal-data-in-memory",
    "secret": "secret-in-memory",
}
"""Rules that a list may call otherwise."""
FIELDS = {each.name for each in fields(MemoryWrite)}
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
FOLDER = Path(os.environ.get("CALLSHEET_CASES") or Path(__file__).parents[2] / "cases")
ROWS: list[dict[str, Any]] = json.loads((FOLDER / "memory_write_cases.json").read_text(encoding="utf-8"))
POLICY = MemoryPolicy(require=("consent", "expiry"))
"""The rows bring a consent and an end: a list may ask what becomes of one that does not."""


def written(row: Mapping[str, Any]) -> MemoryWrite:
    """The request of a row; what a row does not say is as a request has it by itself."""
    said = dict(row["write"])
    days, subject, tenant = said.pop("expires_in_days", None), said.pop("subject", ""), said.pop("tenant", "")
    consent = "given" if said.pop("consent", None) else None
    expires = None if days is None else NOW + timedelta(days=days)
    known = {key: value for key, value in said.items() if key in FIELDS}
    return MemoryWrite(subject_id=subject or "", tenant_id=tenant, consent=consent, expires_at=expires, **known)


def remembered(row: Mapping[str, Any]) -> tuple[MemoryRecord, ...]:
    """The records there are; what a row does not say of them is as of the request."""
    write = written(row)
    first = MemoryRecord(write.subject_id, write.tenant_id, write.purpose, "", "user_stated")
    records = []
    for number, each in enumerate(row.get("existing", ()), 1):
        said = {{"subject": "subject_id", "tenant": "tenant_id"}.get(key, key): value for key, value in each.items()}
        days = said.pop("expires_in_days", None)
        expires = None if days is None else NOW + timedelta(days=days)
        records.append(replace(first, **{"record_id": f"m-{number}", "expires_at": expires, **said}))
    return tuple(records)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_request_to_remember_has_the_outcome_of_its_row(row: dict[str, Any]) -> None:
    session = row["session"]
    ctx = RequestContext(
        session["tenant"], session.get("actor") or "a", session["subject"], grants=tuple(session.get("grants", ()))
    )
    said = admit(written(row), ctx, NOW, remembered(row), row.get("recalled", ()), POLICY)
    expected = row["expected"]
    rule = expected.get("rule", said.rule)
    agrees = (said.outcome, said.rule) == (expected["outcome"], OUR_NAMES.get(rule, rule))
    if row.get("expect_fail") and not agrees:
        pytest.xfail("a known gap")
    assert agrees, said
