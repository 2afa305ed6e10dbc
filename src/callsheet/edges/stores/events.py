"""The one queue of harness events, with its log: who reported what and when, and which request it went into (B3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ...core.text.foreign import is_text
from ...errors import UnknownName, UsageError
from ...model.task import Event
from .blobs import Reader, Writer
from .codec import encode, moment
from .database import Connection, Database
from .keys import Keys
from .names import TENANT, owner_name

MOST_DIGITS = 9
_OWN, _WIDE = "event-", "event-all-"
_SEEN = "owner IN (?1, '=tenant')"
"""What a session may see: the notices of its subject, and those of the tenant as a whole."""
_PENDING = """
    expired_at IS NULL AND NOT EXISTS (SELECT 1 FROM deliveries WHERE number = events.number AND owner = {})
"""


@dataclass(frozen=True, slots=True)
class _Notice:
    text: str
    subject_id: str | None


class SqlEvents:
    """The `Events` port for one tenant.

    Each subject's events are counted by themselves, so that an id says nothing of other subjects; a notice to the
    tenant as a whole is delivered to each subject once.
    """

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
            untold = _PENDING.format("deliveries.owner")  # to nobody: any delivery has the owner of that delivery
            waiting = connection.execute(
                f"SELECT number FROM events WHERE notice = ? AND producer = ? AND {untold}",
                (notice, producer),
            ).fetchone()
            if waiting:
                connection.execute(
                    "UPDATE events SET repeats = repeats + 1, repeated_at = ? WHERE number = ?",
                    (now.isoformat(), *waiting),
                )
                return _events(connection, "number = ?", waiting)[0]
            number = connection.execute(
                "INSERT INTO events (owner, place, producer, notice, queued_at, expires_at) "
                "SELECT ?1, coalesce(max(place), 0) + 1, ?2, ?3, ?4, ?5 FROM events WHERE owner = ?1 RETURNING number",
                (owner, producer, notice, now.isoformat(), expires_at.isoformat() if expires_at else None),
            ).fetchone()
            return _events(connection, "number = ?", number)[0]

    def pending(self, subject_id: str | None, now: datetime) -> tuple[Event, ...]:
        """Unexpired events of this subject and of the tenant as a whole that it was not told yet, in queue order."""
        with self._database.reading() as connection:
            found = _events(connection, f"{_SEEN} AND {_PENDING.format('?1')}", (owner_name(subject_id),))
        live = tuple(event for event in found if event.expires_at is None or event.expires_at > now)
        if len(live) < len(found):
            with self._database.writing() as connection:
                _expire(connection, now)
        return live

    def delivered(self, event_ids: Sequence[str], subject_id: str | None, request_id: str, now: datetime) -> None:
        """Takes events off this subject's queue and logs in which request it was told; the first delivery counts."""
        owner = owner_name(subject_id)
        with self._database.writing() as connection:
            for event_id in event_ids:
                number = _number(connection, owner, event_id)
                connection.execute(
                    "INSERT INTO deliveries VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                    (number, owner, request_id, now.isoformat()),
                )

    def log(self, *subjects: str | None) -> tuple[Mapping[str, Any], ...]:
        """Every event ever queued, in queue order: its text, who reported it and when, how often it was repeated, and
        when it was delivered in which request or expired. With a subject: what that one may see, as it was told it.
        """
        told = "SELECT {} FROM deliveries WHERE number = events.number AND owner = coalesce(?1, owner)"
        columns = {
            **{name: name for name in ("producer", "queued_at", "expires_at", "repeats", "repeated_at")},
            **{
                name: f"({told.format(name)} ORDER BY delivered_at LIMIT 1)"
                for name in ("delivered_in", "delivered_at")
            },
            "expired_at": "expired_at",
        }
        owner = owner_name(subjects[0]) if subjects else None
        with self._database.reading() as connection:
            reader = Reader(connection)
            rows = connection.execute(
                f"SELECT owner, place, notice, {', '.join(columns.values())} FROM events "
                f"WHERE {_SEEN} OR ?1 IS NULL ORDER BY number",
                (owner,),
            ).fetchall()
            return tuple(
                {"event_id": _event_id(owner, place), **_told(reader, notice), **dict(zip(columns, row, strict=True))}
                for owner, place, notice, *row in rows
            )


def _told(reader: Reader, notice: bytes) -> dict[str, Any]:
    said: _Notice = reader.needed(_Notice, notice)
    return {"text": said.text, "subject_id": said.subject_id}


def _events(connection: Connection, where: str, values: Sequence[Any]) -> tuple[Event, ...]:
    rows = connection.execute(
        f"SELECT owner, place, notice, producer, queued_at, expires_at FROM events WHERE {where} ORDER BY number",
        values,
    ).fetchall()
    reader = Reader(connection)
    return tuple(
        _event(_event_id(owner, place), reader.needed(_Notice, notice), *row) for owner, place, notice, *row in rows
    )


def _event(event_id: str, said: _Notice, producer: str, queued_at: str, expires_at: str | None) -> Event:
    expires = moment(expires_at) if expires_at else None
    return Event(event_id, said.text, producer, moment(queued_at), said.subject_id, expires)


def _expire(connection: Connection, now: datetime) -> None:
    waiting = connection.execute(
        f"SELECT number, expires_at FROM events WHERE expires_at IS NOT NULL AND {_PENDING.format('events.owner')}"
    )
    for number, expires_at in waiting.fetchall():
        if moment(expires_at) <= now:
            connection.execute("UPDATE events SET expired_at = ? WHERE number = ?", (now.isoformat(), number))


def _event_id(owner: str, place: int) -> str:
    return f"{_WIDE if owner == TENANT else _OWN}{place:06d}"


def _number(connection: Connection, owner: str, event_id: str) -> int:
    """The number of an event that this owner may see; UnknownName, in the same words, for any other."""
    prefix, whose = (_WIDE, TENANT) if event_id.startswith(_WIDE) else (_OWN, owner)
    digits = event_id.removeprefix(prefix)
    place = int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= MOST_DIGITS else -1
    row = connection.execute("SELECT number FROM events WHERE owner = ? AND place = ?", (whose, place)).fetchone()
    if row is None or digits == event_id:
        raise UnknownName(f"no event {event_id!r} was ever queued; `callsheet events list` names them")
    return int(row[0])
