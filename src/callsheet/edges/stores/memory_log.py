"""Memory records of one tenant as an index follows them, and as a search gets them back."""

from collections.abc import Mapping, Sequence

from ...model.evidence import Query
from ...model.memory import MemoryMark, MemoryRecord
from ...model.request import SHARED
from .codec import decode
from .database import Readable
from .deleting import DELETIONS
from .names import encode_name

_AT_ONCE = 500
"""Values of one statement: fewer than any build of SQLite allows."""


class SqlMemoryLog:
    """The `MemoryLog` port for one tenant."""

    def __init__(self, database: Readable, tenant_id: str) -> None:
        self._database = database
        self._tenant_id = tenant_id

    def mark(self, number: int) -> MemoryMark:
        """How far the records have come from a number on, in one look."""
        with self._database.reading() as connection:
            # From the number on: behind the view of PostgreSQL the last of all is found by looking at every one.
            row = connection.execute(
                "SELECT (SELECT max(number) FROM memories WHERE number >= ?), (SELECT mark FROM marks WHERE name = ?),"
                " (SELECT record_id FROM memories WHERE number = ?)",
                (number, DELETIONS, number),
            ).fetchone()
        return MemoryMark(row[0] or 0, row[1] or "", row[2] or "")

    def added(self, after: int, most: int) -> tuple[tuple[int, MemoryRecord], ...]:
        """The first records behind a number."""
        query = "SELECT number, data FROM memories WHERE number > ? ORDER BY number LIMIT ?"
        with self._database.reading() as connection:
            rows = connection.execute(query, (after, most)).fetchall()
            return tuple((number, decode(MemoryRecord, data)) for number, data in rows)

    def ids(self) -> Mapping[str, int]:
        """The number of every record by its id."""
        with self._database.reading() as connection:
            return dict(connection.execute("SELECT record_id, number FROM memories").fetchall())

    def candidates(self, query: Query, record_ids: Sequence[str]) -> tuple[MemoryRecord, ...]:
        """Those that bear on every question, the newest, and those of these ids: each once, oldest first."""
        if self._tenant_id not in (query.tenant_id, SHARED):
            return ()
        found: dict[int, bytes] = {}
        with self._database.reading() as connection:
            for where, values in self._seen(query):
                for kind, most in (("standing = 1 AND ", query.limit), ("", query.limit - len(record_ids))):
                    newest = f"SELECT number, data FROM memories WHERE {kind}{where} ORDER BY number DESC LIMIT ?"
                    found.update(connection.execute(newest, (*values, most)).fetchall() if most > 0 else ())
                for start in range(0, len(record_ids), _AT_ONCE):
                    some = record_ids[start : start + _AT_ONCE]
                    named = f"SELECT number, data FROM memories WHERE record_id IN ({_marks(some)}) AND {where}"
                    found.update(connection.execute(named, (*some, *values)).fetchall())
            return tuple(decode(MemoryRecord, found[number]) for number in sorted(found))

    def _seen(self, query: Query) -> list[tuple[str, tuple[str, ...]]]:
        """What the session may see, as conditions of their own: one for each index."""
        grants = tuple(dict.fromkeys(query.grants))
        permitted = f"(scope IS NULL OR scope IN ({_marks(grants)}))" if grants else "scope IS NULL"
        # The first condition says again what the second does: a partial index is used where its own words stand.
        all_may = f"visibility <> 'subject' AND visibility = ? AND {permitted}"
        wide = "everyone" if self._tenant_id == SHARED else "tenant"
        seen: list[tuple[str, tuple[str, ...]]] = [(all_may, (wide, *grants))]
        if query.subject_id is not None:
            own = f"owner = ? AND visibility = 'subject' AND {permitted}"
            seen.append((own, (encode_name(query.subject_id), *grants)))
        return seen


def _marks(values: Sequence[str]) -> str:
    return ",".join("?" * len(values))
