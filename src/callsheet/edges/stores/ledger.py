"""The ledger: every decision written down before it is acted on, each write one transaction."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ...errors import StoreError, UnknownName
from ...model.effect import Effect, Execute, Intend, Intent, Settle, Step
from ...model.policy import Policy
from ...model.request import RequestContext
from ...model.task import Task
from ...model.tool import RawResult
from .blobs import Memo, Reader, Writer
from .codec import encode
from .database import Connection, Database
from .journal import file
from .keys import Keys
from .names import TENANT, owner_name


@dataclass(frozen=True, slots=True)
class Start:
    """What one decision started from."""

    ctx: RequestContext
    task: Task


MOST_DIGITS = 9


def run_of(request_id: str) -> tuple[str, int]:
    """The run and the number in it of a request id; UnknownName where it is not `run_id.number`."""
    run_id, _, number = request_id.rpartition(".")
    if not run_id or not number.isascii() or not number.isdigit() or len(number) > MOST_DIGITS:
        raise UnknownName(
            f"no request {request_id!r}: a request id is a run's id and a number, as {f'{request_id}.1'!r}; "
            "`callsheet show` lists them"
        )
    return run_id, int(number)


def owner_of(connection: Connection, request_id: str) -> str | None:
    """Whose a request is; None where none of that id was begun. StoreError where its subject was deleted: what a run
    that was under way would still write of it would be left behind.
    """
    query = "SELECT owner FROM requests WHERE run_id = ? AND number = ?"
    row = connection.execute(query, run_of(request_id)).fetchone()
    if row is not None and row[0] is None:
        raise StoreError(f"{request_id}: its subject was deleted, so nothing more is written; start a new run")
    return str(row[0]) if row else None


class SqlLedger:
    """The `Ledger` port for one tenant."""

    def __init__(self, database: Database, keys: Keys, tenant_id: str) -> None:
        self._database = database
        self._keys = keys
        self._tenant_id = tenant_id
        self._memo = Memo()

    def forget(self) -> None:
        """Lets go of the items that were filed last, which are kept in memory so as not to be encoded again."""
        self._memo.clear()

    def begin(self, ctx: RequestContext, task: Task, policy: Policy, fingerprint: str) -> None:
        """Files what one decision starts from; the policy is stored the first time its fingerprint is seen.

        Begun again, a decision that was never recorded, so never sent, starts anew; any other keeps its own start.
        """
        if ctx.tenant_id != self._tenant_id:
            raise UnknownName(f"this store belongs to another tenant than {ctx.tenant_id!r}; open that tenant's own")
        owner = owner_name(ctx.subject_id)
        with self._database.writing() as connection:
            if connection.execute("SELECT 1 FROM policies WHERE fingerprint = ?", (fingerprint,)).fetchone() is None:
                shared = Writer(connection, self._keys, TENANT, self._memo)
                address = shared.put(encode(policy, shared.references))
                connection.execute("INSERT INTO policies VALUES (?, ?)", (fingerprint, address))
            writer = Writer(connection, self._keys, owner)
            start = writer.put(encode(Start(ctx, task), writer.references))
            created = (ctx.now or datetime.now(UTC)).isoformat()
            # What an earlier process gathered and never recorded was seen by nobody; kept, it would be replayed.
            connection.execute(
                "DELETE FROM entries WHERE run_id = ?1 AND number = ?2 AND NOT EXISTS "
                "(SELECT 1 FROM entries WHERE run_id = ?1 AND number = ?2 AND effect = 'Record')",
                run_of(task.request_id),
            )
            connection.execute(
                "DELETE FROM requests WHERE run_id = ?1 AND number = ?2 AND NOT EXISTS "
                "(SELECT 1 FROM entries WHERE run_id = ?1 AND number = ?2)",
                run_of(task.request_id),
            )
            connection.execute(
                "INSERT INTO requests (run_id, number, owner, start, policy, created_at) "
                "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (*run_of(task.request_id), owner, start, fingerprint, created),
            )

    def write(self, request_id: str, effect: Effect[Any], answer: Any) -> None:
        """Journals one effect with its answer; an Intend is written by `intend`."""
        with self._database.writing() as connection:
            writer = Writer(connection, self._keys, self._owner(connection, request_id), self._memo)
            _append(connection, writer, request_id, effect, answer)
            if isinstance(effect, Settle):
                self._settle(connection, *run_of(request_id), effect.step)

    def sending(self, request_id: str) -> None:
        """Marks that the recorded bytes are about to leave."""
        with self._database.writing() as connection:
            self._owner(connection, request_id)
            connection.execute(
                "UPDATE requests SET sending_at = ? WHERE run_id = ? AND number = ?",
                (datetime.now(UTC).isoformat(), *run_of(request_id)),
            )

    def intend(self, request_id: str, effect: Intend) -> Intent:
        """What an earlier try of this call in this run left: nothing, its result, or that it may have run.

        The look and the journalled intention are one transaction: of two processes, one is told that it may run. It
        survives a power cut.
        """
        with self._database.writing(full=True) as connection:
            writer = Writer(connection, self._keys, self._owner(connection, request_id), self._memo)
            answer = _earlier(connection, run_of(request_id)[0], effect.call_hash, writer)
            _append(connection, writer, request_id, effect, answer)
        return answer

    def _owner(self, connection: Connection, request_id: str) -> str:
        owner = owner_of(connection, request_id)
        if owner is None:
            raise UnknownName(f"no request {request_id!r} was begun; call begin() first")
        return owner

    def _settle(self, connection: Connection, run_id: str, number: int, step: Step) -> None:
        usage = step.usage
        figures = (usage.input, usage.cached_read, usage.cache_write, usage.output) if usage else (None,) * 4
        connection.execute(
            "UPDATE requests SET outcome = ?, input = ?, cached_read = ?, cache_write = ?, output = ? "
            "WHERE run_id = ? AND number = ?",
            (step.outcome, *figures, run_id, number),
        )


def _append(connection: Connection, writer: Writer, request_id: str, effect: Effect[Any], answer: Any) -> None:
    filed = file(writer, effect, answer)
    connection.execute(
        "INSERT INTO entries SELECT ?1, coalesce(max(sequence), 0) + 1, ?2, ?3, ?4, ?5, ?6 "
        "FROM entries WHERE run_id = ?1",
        (*run_of(request_id), type(effect).__name__, filed.call, filed.answer, filed.question),
    )


def _earlier(connection: Connection, run_id: str, call_hash: str, writer: Writer) -> Intent:
    reader, call = Reader(connection), writer.keyed(call_hash.encode())
    if not _same_key(connection, reader, run_id, writer):
        return Intent(unknown=True)
    intend = connection.execute(
        "SELECT sequence, number, answer, question FROM entries WHERE run_id = ? AND effect = 'Intend' AND call = ? "
        "ORDER BY sequence DESC LIMIT 1",
        (run_id, call),
    ).fetchone()
    if intend is None:
        return Intent()
    sequence, number, answer, question = intend
    closed = connection.execute(
        "SELECT 1 FROM entries WHERE run_id = ? AND effect = 'Observed' AND call = ? AND sequence > ?",
        (run_id, call, sequence),
    ).fetchone()
    if closed is None:
        return Intent(unknown=True)
    asked: Intend | None = reader.value(Intend, question)
    if asked is None:
        return Intent(unknown=True)
    told: Intent | None = reader.value(Intent, answer)
    known = _result(connection, reader, run_id, (number, sequence), asked) or (told.known if told else None)
    return Intent(known=known) if known is not None else Intent(unknown=True)


def _result(
    connection: Connection, reader: Reader, run_id: str, since: tuple[int, int], asked: Intend
) -> RawResult | None:
    rows = connection.execute(
        "SELECT answer, question FROM entries WHERE run_id = ? AND effect = 'Execute' AND number = ? AND sequence > ? "
        "ORDER BY sequence DESC",
        (run_id, *since),
    )
    for answer, question in rows.fetchall():
        executed: Execute | None = reader.value(Execute, question)
        results: tuple[RawResult, ...] | None = reader.value(tuple[RawResult, ...], answer)
        if executed is None or results is None:
            return None
        if asked.call in executed.calls:
            return results[executed.calls.index(asked.call)]
    return None


def _same_key(connection: Connection, reader: Reader, run_id: str, writer: Writer) -> bool:
    """Whether the run was written under the key of today: under another, no call of it would be found again."""
    for (start,) in connection.execute("SELECT start FROM requests WHERE run_id = ?", (run_id,)).fetchall():
        data = reader.get(start)
        if data is None or writer.keyed(data) != start:
            return False
    return True
