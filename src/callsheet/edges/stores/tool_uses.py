"""The uses of tools that limits count, as marks: what one process let through, another counts too.

A use stands in the name of its mark, the moment first, so that those since then lie together; a table of its own would
take an empty tenant over its 100 kB.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from ...model.tool import ToolUse
from ...model.verdict import Verdict
from .codec import decode, encode
from .database import Connection, Database
from .ledger import owner_of
from .names import TENANT

_USE, _END = "tool use ", "tool use!"
"""What the name of every use begins with, and what no such name comes after."""


class SqlToolUses:
    """The `ToolUses` port for one tenant."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def admit(
        self, use: ToolUse, since: datetime, judge: Callable[[Sequence[ToolUse]], Verdict | None]
    ) -> Verdict | None:
        """What `judge` says of earlier uses; the look and the new mark are one transaction. Older ones are dropped."""
        with self._database.writing() as connection:
            owner = owner_of(connection, use.request_id) or TENANT
            connection.execute("DELETE FROM marks WHERE name >= ? AND name < ?", (_USE, f"{_USE}{_moment(since)}"))
            found = list(_uses(connection))
            if any(_same(each, use.request_id, use.index) for _, each in found):
                return None
            verdict = judge([each for _, each in found if each.tool == use.tool or each.actor == use.actor])
            if verdict is None:
                name = f"{_USE}{_moment(use.at)} {owner} {use.request_id}/{use.index}"
                connection.execute("INSERT INTO marks (name, mark) VALUES (?, ?)", (name, encode(use).decode()))
            return verdict

    def ended(self, request_id: str, index: int, failed: bool) -> None:
        """Notes how a use ended."""
        with self._database.writing() as connection:
            for name, use in list(_uses(connection)):
                if _same(use, request_id, index):
                    said = encode(replace(use, failed=failed)).decode()
                    connection.execute("UPDATE marks SET mark = ? WHERE name = ?", (said, name))


def forget_uses(connection: Connection, owner: str) -> int:
    """How many uses of an owner were deleted."""
    names = [name for name, _ in _uses(connection) if name.split(" ")[3] == owner]
    for name in names:
        connection.execute("DELETE FROM marks WHERE name = ?", (name,))
    return len(names)


def _uses(connection: Connection) -> Iterator[tuple[str, ToolUse]]:
    """Every use with the name of its mark, oldest first."""
    query = "SELECT name, mark FROM marks WHERE name >= ? AND name < ? ORDER BY name"
    for name, mark in connection.execute(query, (_USE, _END)).fetchall():
        yield name, decode(ToolUse, mark.encode())


def _same(use: ToolUse, request_id: str, index: int) -> bool:
    return (use.request_id, use.index) == (request_id, index)


def _moment(when: datetime) -> str:
    """The moment so that earlier ones sort before it."""
    return when.astimezone(UTC).isoformat(timespec="microseconds")
