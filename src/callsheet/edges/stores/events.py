"""The one queue of harness events, with its log: who reported what and when, and which request it went into (B3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
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
_WAITS = """
    expired_at IS NULL AND NOT EXISTS (SELECT 1 FROM deliveries WHERE number = events.number{whose})
    AND NOT EXISTS (SELECT 1 FROM claims WHERE number = events.number{whose} AND claimed_at > {since}{other})
"""
_LAPSE = timedelta(minutes=15)
"""How long a request keeps what it took and neither told nor gave back: then its process is taken to have died."""


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
            untold = _WAITS.format(whose="", since="?3", other="")
            waiting = connection.execute(
                f"SELECT number FROM events WHERE notice = ?1 AND producer = ?2 AND {untold}",
                (notice, producer, _lapsed(now)),
            ).fetchone()
            if waiting:
                connection.execute(
                    "UPDATE events SET repeats = repeats + 1, repeated_at = ? WHERE number = ?",
                    (now.isoformat(), *waiting),
                )
                return _events(connection, "number = ?", waiting)[waiting[0]]
            number = connection.execute(
                "INSERT INTO events (owner, place, producer, notice, queued_at, expires_at) "
                "SELECT ?1, coalesce(max(place), 0) + 1, ?2, ?3, ?4, ?5 FROM events WHERE owner = ?1 RETURNING number",
                (owner, producer, notice, now.isoformat(), expires_at.isoformat() if expires_at else None),
            ).fetchone()
            return _events(connection, "number = ?", number)[number[0]]

    def pending(
        self, subject_id: str | None, now: datetime, most: int | None = None, taker: str | None = None
    ) -> tuple[Event, ...]:
        """Unexpired events of this subject and of the tenant as a whole that wait for it, oldest first, `most` of them.

        With `taker`, a request, they are taken for it: of two that ask at once one is given an event, and the other is
        not, until `delivered` says what became of it or 15 minutes are over.
        """
        owner = owner_name(subject_id)
        with self._database.reading() as connection:
            found = _pending(connection, owner, now, taker)
        live = {number: event for number, event in found.items() if not _expired(event, now)}
        if len(live) < len(found) or (live and taker is not None):
            with self._database.writing() as connection:
                _expire(connection, now)
                if taker is not None:
                    live = _pending(connection, owner, now, taker)
                    _claim(connection, list(live)[:most], owner, taker, now)
        return tuple(live.values())[:most]

    def delivered(self, event_ids: Sequence[str], subject_id: str | None, request_id: str, now: datetime) -> None:
        """Takes events off this subject's queue and logs in which request it was told; the first delivery counts.

        Whatever else that request had taken waits again.
        """
        owner = owner_name(subject_id)
        with self._database.writing() as connection:
            for event_id in event_ids:
                number = _number(connection, owner, event_id)
                connection.execute(
                    "INSERT INTO deliveries VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                    (number, owner, request_id, now.isoformat()),
                )
            connection.execute("DELETE FROM claims WHERE owner = ? AND request_id = ?", (owner, request_id))

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


def _events(connection: Connection, where: str, values: Sequence[Any]) -> dict[int, Event]:
    """Events by their number in the database, in queue order."""
    rows = connection.execute(
        f"SELECT number, owner, place, notice, producer, queued_at, expires_at FROM events WHERE {where} "
        "ORDER BY number",
        values,
    ).fetchall()
    reader = Reader(connection)
    return {
        number: _event(_event_id(owner, place), reader.needed(_Notice, notice), *row)
        for number, owner, place, notice, *row in rows
    }


def _pending(connection: Connection, owner: str, now: datetime, taker: str | None) -> dict[int, Event]:
    waits = _WAITS.format(whose=" AND owner = ?1", since="?2", other=" AND request_id <> ?3")
    return _events(connection, f"{_SEEN} AND {waits}", (owner, _lapsed(now), taker or ""))


def _claim(connection: Connection, numbers: Sequence[int], owner: str, taker: str, now: datetime) -> None:
    for number in numbers:
        connection.execute("DELETE FROM claims WHERE number = ? AND owner = ?", (number, owner))  # one that lapsed
        connection.execute("INSERT INTO claims VALUES (?, ?, ?, ?)", (number, owner, taker, _sortable(now)))


def _lapsed(now: datetime) -> str:
    """What was claimed then or earlier is free again."""
    return _sortable(now - _LAPSE)


def _sortable(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def _expired(event: Event, now: datetime) -> bool:
    return event.expires_at is not None and event.expires_at <= now


def _event(event_id: str, said: _Notice, producer: str, queued_at: str, expires_at: str | None) -> Event:
    expires = moment(expires_at) if expires_at else None
    return Event(event_id, said.text, producer, moment(queued_at), said.subject_id, expires)


def _expire(connection: Connection, now: datetime) -> None:
    waits = _WAITS.format(whose=" AND owner = events.owner", since="?1", other="")
    waiting = connection.execute(
        f"SELECT number, expires_at FROM events WHERE expires_at IS NOT NULL AND {waits}", (_lapsed(now),)
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
