"""Seeds: the task state and the memories that a new, empty store of a project starts with."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Any

from ...model.memory import MemoryKind, MemoryRecord
from ...model.task import TaskState
from .text import Source, read_source, read_toml
from .validate import unknown_key, validated

MOST_DAYS = 100_000


@dataclass(frozen=True, slots=True)
class Seed:
    """What an empty store starts with; `state` is None where the project seeds none."""

    state: TaskState | None = None
    memories: tuple[MemoryRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class _Memory:
    text: str
    purpose: str
    source: str
    subject: str | None = None
    kind: MemoryKind = "semantic"
    provenance: str = ""
    consent: str | None = None
    scope: str | None = None
    created_days_ago: float = 0.0
    expires_in_days: float | None = None


def read_seed(folder: Path, tenant_id: str, subject_id: str, now: datetime) -> Seed:
    """The seed of `seed/state.toml` and `seed/memory.toml`, for one tenant and subject, dates counted from now.

    A `[[memory]]` may name another `subject`; the tenant is always the session's.
    """
    state_file, memory_file = folder / "seed" / "state.toml", folder / "seed" / "memory.toml"
    state = None
    if state_file.is_file():
        source = read_source(folder, state_file)
        state = validated(TaskState, read_toml(source), source)
    memories: tuple[MemoryRecord, ...] = ()
    if memory_file.is_file():
        source = read_source(folder, memory_file)
        memories = tuple(_record(table, source, tenant_id, subject_id, now) for table in _tables(source))
    return Seed(state, memories)


def _tables(source: Source) -> list[Mapping[str, Any]]:
    data = read_toml(source)
    for key in data:
        if key != "memory":
            raise unknown_key(key, ["memory"], source, ())
    tables = data.get("memory", [])
    if not isinstance(tables, list):
        raise source.problem(("memory",), "invalid-value", "[memory] is one table", "write [[memory]]")
    return tables


def _record(table: Mapping[str, Any], source: Source, tenant_id: str, subject_id: str, now: datetime) -> MemoryRecord:
    read = validated(_Memory, table, source, ("memory",))
    for key in ("created_days_ago", "expires_in_days"):
        days = getattr(read, key)
        if days is not None and abs(days) > MOST_DAYS:
            raise source.problem(("memory", key), "invalid-value", f"{key} = {days} is no number of days", "lower it")
    expires = None if read.expires_in_days is None else now + timedelta(days=read.expires_in_days)
    return MemoryRecord(
        subject_id=read.subject or subject_id,
        tenant_id=tenant_id,
        purpose=read.purpose,
        text=read.text,
        source=read.source,
        expires_at=expires,
        kind=read.kind,
        provenance=read.provenance or f"{source.file}",
        consent=read.consent,
        scope=read.scope,
        created_at=now - timedelta(days=read.created_days_ago),
        record_id=_seed_id(read, subject_id),
    )


def _seed_id(read: _Memory, subject_id: str) -> str:
    """The same for the same seed wherever it is read: ids decide ties, and ties decide bytes (invariant 1)."""
    said = "\0".join((read.subject or subject_id, read.purpose, read.source, read.text))
    return f"m-seed-{blake2b(said.encode(errors='replace'), digest_size=6).hexdigest()}"
