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


_NEWEST = "SELECT * FROM (SELECT number, data FROM memories WHERE {} ORDER BY number DESC LIMIT ?) AS newest"

Condition = tuple[str, tuple[object, ...]]
"""In SQL, and its values."""


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
        seen = self._seen(query)
        kinds = (("standing = 1 AND ", query.limit), ("", query.limit - len(record_ids)))
        newest = [(f"{kind}{where}", (*values, most)) for where, values in seen for kind, most in kinds if most > 0]
        any_of = " OR ".join(f"({where})" for where, _ in seen)
        found: dict[int, bytes] = {}
        with self._database.reading() as connection:
            if newest:
                parts = " UNION ALL ".join(_NEWEST.format(where) for where, _ in newest)
                found.update(connection.execute(parts, _joined(newest)).fetchall())
            for start in range(0, len(record_ids), _AT_ONCE):
                some = record_ids[start : start + _AT_ONCE]
                named = f"SELECT number, data FROM memories WHERE record_id IN ({_marks(some)}) AND ({any_of})"
                found.update(connection.execute(named, (*some, *_joined(seen))).fetchall())
            return tuple(decode(MemoryRecord, found[number]) for number in sorted(found))

    def _seen(self, query: Query) -> list[Condition]:
        """What the session may see, as conditions of their own: one for each index."""
        grants = tuple(dict.fromkeys(query.grants))
        permitted = f"(scope IS NULL OR scope IN ({_marks(grants)}))" if grants else "scope IS NULL"
        # The first condition says again what the second does: a partial index is used where its own words stand.
        all_may = f"visibility <> 'subject' AND visibility = ? AND {permitted}"
        wide = "everyone" if self._tenant_id == SHARED else "tenant"
        seen: list[Condition] = [(all_may, (wide, *grants))]
        if query.subject_id is not None:
            own = f"owner = ? AND visibility = 'subject' AND {permitted}"
            seen.append((own, (encode_name(query.subject_id), *grants)))
        return seen


def _joined(conditions: Sequence[Condition]) -> list[object]:
    return [value for _, values in conditions for value in values]


def _marks(values: Sequence[str]) -> str:
    return ",".join("?" * len(values))
