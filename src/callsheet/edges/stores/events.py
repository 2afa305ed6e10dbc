"""The one queue of harness events, with its log: who reported what and when, and which request it went into (B3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ...core.text import is_text
from ...errors import UnknownName, UsageError
from ...model.task import Event
from .blobs import Reader, Writer
from .codec import encode
from .database import Connection, Database
from .keys import Keys
from .names import TENANT, owner_name

_PREFIX = "event-"
_PENDING = "delivered_in IS NULL AND expired_at IS NULL"


@dataclass(frozen=True, slots=True)
class _Notice:
    text: str
    subject_id: str | None


class SqliteEvents:
    """The `Events` port for one tenant."""

    def __init__(self, database: Database, keys: Keys) -> None:
        self._database = database
        self._keys = keys

    def push(
        self, text: str, producer: str, subject_id: str | None, now: datetime, expires_at: datetime | None = None
    ) -> Event:
        """The queued notice. The same notice of the same producer that still waits is not queued twice: it is given
        back, and the log counts the repetition. UsageError for one that says nothing or is no text.
        """
        if not text.strip():
            raise UsageError("the notice is empty; say in one sentence what happened")
        if not (is_text(text) and is_text(producer)):
            raise UsageError("the notice or its producer is not valid text; give both in UTF-8")
        owner = owner_name(subject_id)
        with self._database.writing() as connection:
            _expire(connection, now)
            notice = Writer(connection, self._keys, owner).put(encode(_Notice(text, subject_id)))
            waiting = connection.execute(
                f"SELECT number FROM events WHERE notice = ? AND producer = ? AND {_PENDING}", (notice, producer)
            ).fetchone()
            if waiting:
                connection.execute(
                    "UPDATE events SET repeats = repeats + 1, repeated_at = ? WHERE number = ?",
                    (now.isoformat(), *waiting),
                )
                return _events(connection, "number = ?", waiting)[0]
            number = connection.execute(
                "INSERT INTO events (owner, producer, notice, queued_at, expires_at) VALUES (?, ?, ?, ?, ?)",
                (owner, producer, notice, now.isoformat(), expires_at.isoformat() if expires_at else None),
            ).lastrowid
            return _events(connection, "number = ?", (number,))[0]

    def pending(self, subject_id: str | None, now: datetime) -> tuple[Event, ...]:
        """Undelivered, unexpired events of this subject and of the tenant as a whole, in queue order."""
        with self._database.reading() as connection:
            found = _events(connection, f"owner IN (?, ?) AND {_PENDING}", (owner_name(subject_id), TENANT))
        live = tuple(event for event in found if event.expires_at is None or event.expires_at > now)
        if len(live) < len(found):
            with self._database.writing() as connection:
                _expire(connection, now)
        return live

    def delivered(self, event_ids: Sequence[str], request_id: str, now: datetime) -> None:
        """Takes events off the queue and logs in which request they were delivered; the first delivery counts."""
        with self._database.writing() as connection:
            for event_id in event_ids:
                known = connection.execute("SELECT 1 FROM events WHERE number = ?", (_number(event_id),)).fetchone()
                if known is None:
                    raise UnknownName(f"no event {event_id!r} was ever queued; `callsheet events list` names them")
                connection.execute(
                    "UPDATE events SET delivered_in = ?, delivered_at = ? WHERE number = ? AND delivered_in IS NULL",
                    (request_id, now.isoformat(), _number(event_id)),
                )

    def log(self) -> tuple[Mapping[str, Any], ...]:
        """Every event ever queued, in queue order: its text, who reported it and when, how often it was repeated, and
        when it was delivered in which request or expired.
        """
        columns = "producer, queued_at, expires_at, repeats, repeated_at, delivered_in, delivered_at, expired_at"
        names = columns.split(", ")
        with self._database.reading() as connection:
            reader = Reader(connection)
            rows = connection.execute(f"SELECT number, notice, {columns} FROM events ORDER BY number").fetchall()
            return tuple(
                {"event_id": _event_id(number), **_told(reader, notice), **dict(zip(names, row, strict=True))}
                for number, notice, *row in rows
            )


def _told(reader: Reader, notice: bytes) -> dict[str, Any]:
    said: _Notice = reader.value(_Notice, notice)
    return {"text": said.text, "subject_id": said.subject_id}


def _events(connection: Connection, where: str, values: Sequence[Any]) -> tuple[Event, ...]:
    rows = connection.execute(
        f"SELECT number, notice, producer, queued_at, expires_at FROM events WHERE {where} ORDER BY number", values
    ).fetchall()
    reader = Reader(connection)
    return tuple(_event(number, reader.value(_Notice, notice), *row) for number, notice, *row in rows)


def _event(number: int, said: _Notice, producer: str, queued_at: str, expires_at: str | None) -> Event:
    expires = datetime.fromisoformat(expires_at) if expires_at else None
    return Event(_event_id(number), said.text, producer, datetime.fromisoformat(queued_at), said.subject_id, expires)


def _expire(connection: Connection, now: datetime) -> None:
    for event in _events(connection, f"{_PENDING} AND expires_at IS NOT NULL", ()):
        if event.expires_at is not None and event.expires_at <= now:
            connection.execute(
                "UPDATE events SET expired_at = ? WHERE number = ?", (now.isoformat(), _number(event.event_id))
            )


def _event_id(number: int) -> str:
    return f"{_PREFIX}{number:06d}"


def _number(event_id: str) -> int:
    digits = event_id.removeprefix(_PREFIX)
    return int(digits) if digits.isascii() and digits.isdigit() and digits != event_id else -1
