"""People's decisions on tool calls: records of their own, which no text and no event can stand in for."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ...errors import UnknownName, UsageError
from ...model.task import Approval
from .codec import decode, encode
from .database import Connection, Database
from .ledger import owner_of, run_of
from .names import TENANT

_COLUMNS = "approval_id, request_id, call_hash, shown, requested_at, granted, decided_by, decided_at"


class SqlApprovals:
    """The `Approvals` port for one tenant."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def request(
        self, approval_id: str, call_hash: str, request_id: str, shown: Mapping[str, Any], now: datetime
    ) -> None:
        """Files a call that waits for a person. The same id again must be the same call, and changes nothing."""
        run_id, _ = run_of(request_id)
        with self._database.writing() as connection:
            filed = _row(connection, approval_id)
            if filed is not None and filed["call_hash"] != call_hash:
                raise UsageError(f"approval {approval_id!r} is of another call; file this one under an id of its own")
            owner = owner_of(connection, request_id) or TENANT
            connection.execute(
                "INSERT INTO approvals (approval_id, owner, run_id, request_id, call_hash, shown, requested_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (
                    *(approval_id, owner, run_id, request_id),
                    *(call_hash, encode(shown), now.isoformat()),
                ),
            )

    def decide(self, approval_id: str, granted: bool, by: str, now: datetime) -> Mapping[str, Any]:
        """What was decided. Deciding again the same way changes nothing; the other way round is refused."""
        with self._database.writing() as connection:
            filed = _row(connection, approval_id)
            if filed is None:
                raise UnknownName(
                    f"nothing waits under approval {approval_id!r}; `callsheet run` prints the ids that do"
                )
            if filed["granted"] is None:
                connection.execute(
                    "UPDATE approvals SET granted = ?, decided_by = ?, decided_at = ? WHERE approval_id = ?",
                    (int(granted), by, now.isoformat(), approval_id),
                )
            elif filed["granted"] != granted:
                said = "granted" if filed["granted"] else "refused"
                raise UsageError(
                    f"approval {approval_id!r} was {said} by {filed['by']} at {filed['at']}; a decision stands: run "
                    "the question again to have the call proposed anew"
                )
            return _row(connection, approval_id) or {}

    def granted(self, run_id: str) -> tuple[Approval, ...]:
        """The decisions, for and against, on calls of one run, in the order the calls were filed."""
        with self._database.reading() as connection:
            rows = _rows(connection, "run_id = ? AND granted IS NOT NULL", run_id)
            return tuple(
                Approval(
                    row["approval_id"], row["call_hash"], row["granted"], row["by"], datetime.fromisoformat(row["at"])
                )
                for row in rows
            )

    def filed(self) -> tuple[Mapping[str, Any], ...]:
        """Every call that was ever filed, oldest first; `granted` is None where it still waits for a person."""
        with self._database.reading() as connection:
            return _rows(connection, "1 = 1")


def _row(connection: Connection, approval_id: str) -> dict[str, Any] | None:
    return next(iter(_rows(connection, "approval_id = ?", approval_id)), None)


def _rows(connection: Connection, where: str, *values: str) -> tuple[dict[str, Any], ...]:
    rows = connection.execute(f"SELECT {_COLUMNS} FROM approvals WHERE {where} ORDER BY rowid", values).fetchall()
    return tuple(
        {
            "approval_id": approval_id,
            "request_id": request_id,
            "call_hash": call_hash,
            "shown": decode(Mapping[str, Any], shown),
            "requested_at": requested_at,
            "granted": None if granted is None else bool(granted),
            "by": by,
            "at": at,
        }
        for approval_id, request_id, call_hash, shown, requested_at, granted, by, at in rows
    )
