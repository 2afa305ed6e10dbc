"""Requests to remember something, as tests of the write policy make them."""

from datetime import UTC, datetime, timedelta
from typing import Any

from callsheet.core.memory.writing import admit
from callsheet.model.memory import Admission, MemoryRecord, MemoryWrite
from callsheet.model.memory_policy import MemoryPolicy
from callsheet.model.request import RequestContext

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=30)
SESSION = RequestContext("acme", "anna", "s1")


def write(text: str, origin: Any = "user", **fields: Any) -> MemoryWrite:
    """A request of the session's own subject, for support, with an end."""
    given = {"subject_id": "s1", "tenant_id": "acme", "purpose": "support", "expires_at": LATER, **fields}
    return MemoryWrite(text, origin, **given)


def record(text: str, source: str = "user_stated", record_id: str = "m-1", **fields: Any) -> MemoryRecord:
    """What is remembered of that subject for support."""
    return MemoryRecord("s1", "acme", "support", text, source, record_id=record_id, **fields)


def judged(
    text: str,
    origin: Any = "user",
    *existing: MemoryRecord,
    recalled: tuple[str, ...] = (),
    policy: MemoryPolicy = MemoryPolicy(),
    ctx: RequestContext = SESSION,
    at_hand: tuple[str, ...] = (),
    **fields: Any,
) -> Admission:
    """What the write policy says of a text."""
    return admit(write(text, origin, **fields), ctx, NOW, existing, recalled, policy, at_hand)
