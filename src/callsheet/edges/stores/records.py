"""Reading what the ledger wrote: a request, a run, its journal, a policy."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from itertools import islice
from typing import Any

from ...errors import UnknownName
from ...model.effect import Settle, Step
from ...model.message import Reply, Usage
from ...model.policy import Policy
from ...model.request import RequestContext
from ...model.task import Task
from ...ports import JournalEntry, StoredRequest
from .blobs import Reader
from .database import Connection, Database
from .journal import answer_of, read_record
from .ledger import Start, run_of
from .names import owner_name

_REQUEST = "owner, start, policy, created_at, sending_at, input, cached_read, cache_write, output"
_ENTRY = "sequence, number, effect, answer, question"
Row = tuple[Any, ...]

DELETED = "deleted"
"""The actor of a request whose subject was deleted."""


class SqlRecords:
    """The `Records` port for one tenant."""

    def __init__(self, database: Database, tenant_id: str) -> None:
        self._database = database
        self._tenant_id = tenant_id

    def request(self, request_id: str) -> StoredRequest:
        """One recorded request; UnknownName where this tenant has none of that id."""
        run_id, number = run_of(request_id)
        with self._database.reading() as connection:
            found = self._request(connection, run_id, number)
        if found is None:
            raise UnknownName(f"no request {request_id!r}; `callsheet run` prints the ids of its requests")
        return found

    def run(self, run_id: str) -> tuple[StoredRequest, ...]:
        """The recorded requests of a run, in order; none where the run is unknown."""
        with self._database.reading() as connection:
            numbers = connection.execute("SELECT number FROM requests WHERE run_id = ? ORDER BY number", (run_id,))
            found = [self._request(connection, run_id, number) for (number,) in numbers.fetchall()]
        return tuple(request for request in found if request is not None)

    def recent(self, limit: int, mine: Callable[[RequestContext], bool]) -> tuple[StoredRequest, ...]:
        """The newest recorded requests that are `mine`, newest first; one whose subject was deleted is nobody's own."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT run_id, number, start FROM requests ORDER BY created_at DESC, run_id DESC, number DESC"
            )
            found = (
                self._request(connection, run_id, number)
                for run_id, number, start in rows.fetchall()
                if mine(self._asker(connection, start))
            )
            return tuple(islice((request for request in found if request is not None), limit))

    def answered(self, subject_id: str | None, limit: int) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The newest questions of one subject that were answered from sources, newest first, each with those sources.

        What was deleted is not among them.
        """
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT r.start, e.answer, e.question FROM requests r JOIN entries e ON e.run_id = r.run_id AND"
                " e.number = r.number AND e.effect = 'Settle' WHERE r.owner = ? ORDER BY r.created_at DESC LIMIT ?",
                (owner_name(subject_id), limit),
            ).fetchall()
            reader = Reader(connection)
            found = []
            for start, answer, question in rows:
                begun: Start | None = reader.value(Start, start)
                step = _step(reader, (None, None, None, answer, question))
                if begun is not None and step is not None and step.outcome == "answer" and step.sources:
                    found.append((begun.task.question, step.sources))
        return tuple(found)

    def _asker(self, connection: Connection, start: bytes) -> RequestContext:
        begun: Start | None = Reader(connection).value(Start, start)
        return begun.ctx if begun else RequestContext(self._tenant_id, DELETED)

    def entries(self, run_id: str) -> tuple[JournalEntry, ...]:
        """The run's journal in order, each answer equal to the one written; None where its content was deleted."""
        with self._database.reading() as connection:
            rows = connection.execute(f"SELECT {_ENTRY} FROM entries WHERE run_id = ? ORDER BY sequence", (run_id,))
            return _entries(Reader(connection), run_id, rows.fetchall(), {})

    def policy(self, fingerprint: str) -> Policy:
        """The policy stored under a fingerprint, equal to the one that was filed."""
        with self._database.reading() as connection:
            row = connection.execute("SELECT answer FROM policies WHERE fingerprint = ?", (fingerprint,)).fetchone()
            if row is None:
                raise UnknownName(f"no policy {fingerprint!r} was used by this tenant; a manifest's `policy` names one")
            policy: Policy = Reader(connection).needed(Policy, row[0])
            return policy

    def _request(self, connection: Connection, run_id: str, number: int) -> StoredRequest | None:
        where = (run_id, number)
        head = connection.execute(f"SELECT {_REQUEST} FROM requests WHERE run_id = ? AND number = ?", where).fetchone()
        rows: list[Row] = connection.execute(
            f"SELECT {_ENTRY} FROM entries WHERE run_id = ? AND number = ? ORDER BY sequence", where
        ).fetchall()
        by_effect = {row[2]: row for row in rows}
        if head is None or "Record" not in by_effect:
            return None
        _, start, policy, created_at, sending_at, *figures = head
        reader = Reader(connection)
        manifest, wire = read_record(reader, *by_effect["Record"][3:])
        begun: Start | None = reader.value(Start, start)
        step = _step(reader, by_effect.get("Settle"))
        entries = _entries(reader, run_id, rows, {"Record": manifest})
        reply = _reply(reader, by_effect.get("Received"))
        return StoredRequest(
            ctx=begun.ctx if begun else RequestContext(self._tenant_id, DELETED),
            task=begun.task if begun else Task("", run_id, number),
            policy=policy,
            manifest=manifest,
            wire=wire,
            entries=entries,
            status=_status(by_effect, sending_at),
            created_at=datetime.fromisoformat(created_at),
            reply=reply,
            step=step,
            usage=step.usage if step else _usage(figures),
            deleted=(*reader.deleted, *(() if not reader.lost else ("journal",) if begun else ("task",))),
        )


def _entries(reader: Reader, run_id: str, rows: Iterable[Row], read: Mapping[str, Any]) -> tuple[JournalEntry, ...]:
    return tuple(
        JournalEntry(
            sequence, f"{run_id}.{number}", effect, read.get(effect) or answer_of(reader, effect, answer, question)
        )
        for sequence, number, effect, answer, question in rows
    )


def _status(effects: Iterable[str], sending_at: str | None) -> str:
    if "Settle" in effects:
        return "complete"
    if "Received" in effects:
        return "received"
    return "sent, outcome unknown" if sending_at else "recorded"


def _reply(reader: Reader, row: Row | None) -> Reply | None:
    reply: Reply | None = reader.value(Reply, row[4]) if row else None
    return reply


def _step(reader: Reader, row: Row | None) -> Step | None:
    settle: Settle | None = reader.value(Settle, row[4]) if row else None
    return settle.step if settle else None


def _usage(figures: list[Any]) -> Usage | None:
    if any(figure is None for figure in figures):
        return None
    names = ("input", "cached_read", "cache_write", "output")
    return Usage(**dict(zip(names, figures, strict=True)))
