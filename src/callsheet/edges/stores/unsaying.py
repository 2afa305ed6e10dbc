"""Taking memory records out of the ledger: of the decisions that carried one, content goes and the shape stays.

What was said after a record entered a decision may repeat it in words of its own, which no comparison of bytes would
find. So of each decision that carried it, and of those that followed in the same run, all content goes but the items of
others. What was said before stays, unless it holds the very words.
"""

import json
import re
from collections.abc import Iterable, Iterator

from .blobs import unpacked
from .database import Connection

_ADDRESS = re.compile(rb'"([0-9a-f]{32})"')
_ITEM = b'{"$":"ContextItem"'


def says(data: bytes, words: Iterable[bytes]) -> bool:
    """True where the bytes hold one of these forms of a text."""
    return any(each in data for each in words)


class Unsaying:
    """What has to go of the ledger for some records of one owner, inside the transaction of `connection`."""

    def __init__(
        self, connection: Connection, owner: str, record_ids: frozenset[str], words: tuple[bytes, ...]
    ) -> None:
        self._connection, self._owner, self._words = connection, owner, words
        self._item_ids = {f"memory/{each}": json.dumps(f"memory/{each}").encode() for each in record_ids}

    def run(self) -> tuple[int, int]:
        """How many pieces of content were destroyed, and how many decisions had carried one of the records."""
        gone = self._items()
        carrying = self._mentioning(gone)
        since: dict[str, int] = {}
        decisions: set[tuple[str, int]] = set()
        for run_id, number, _, answer, question in self._entries():
            if answer in carrying or question in carrying:
                since[run_id] = min(number, since.get(run_id, number))
                decisions.add((run_id, number))
        later, needed = self._parted(since)
        gone |= (later - needed) | self._saying()
        gone |= self._referred_to(gone) - self._needed_by_others(gone, needed)
        for address in gone:
            self._connection.execute("DELETE FROM blobs WHERE hash = ? AND stub IS NULL", (address,))
            self._connection.execute("UPDATE blobs SET owner = NULL, data = NULL WHERE hash = ?", (address,))
        self._delete_approvals(since)
        return len(gone), len(decisions)

    def _blobs(self) -> Iterator[tuple[bytes, str, bytes]]:
        query = "SELECT hash, owner, data FROM blobs WHERE data IS NOT NULL"
        for address, owner, data in self._connection.execute(query).fetchall():
            yield address, owner, unpacked(data)

    def _entries(self) -> Iterator[tuple[str, int, str, bytes | None, bytes | None]]:
        query = "SELECT run_id, number, effect, answer, question FROM entries"
        yield from self._connection.execute(query).fetchall()

    def _items(self) -> set[bytes]:
        """The content of the records as items."""
        candidates = ((address, data) for address, _, data in self._blobs() if says(data, self._item_ids.values()))
        items = ((address, json.loads(data)) for address, data in candidates if data.startswith(_ITEM))
        return {address for address, item in items if item["item_id"] in self._item_ids}

    def _saying(self) -> set[bytes]:
        """What of the owner's content holds the very words of a record."""
        return {address for address, owner, data in self._blobs() if owner == self._owner and says(data, self._words)}

    def _mentioning(self, addresses: set[bytes]) -> set[bytes]:
        return {address for address, _, data in self._blobs() if not addresses.isdisjoint(_mentioned(data))}

    def _parted(self, since: dict[str, int]) -> tuple[set[bytes], set[bytes]]:
        """The content of decisions that carried a record or came after, and what else rows refer to."""
        later: set[bytes] = set()
        needed: set[bytes] = set()
        for run_id, number, effect, answer, question in self._entries():
            late = number >= since.get(run_id, number + 1)
            (later if late and effect != "Record" else needed).update(each for each in (answer,) if each)
            (later if late else needed).update(each for each in (question,) if each)
        for run_id, number, start in self._connection.execute("SELECT run_id, number, start FROM requests").fetchall():
            (later if number > since.get(run_id, number) else needed).add(start)
        for query in ("SELECT answer FROM policies", "SELECT notice FROM events"):
            needed.update(address for (address,) in self._connection.execute(query).fetchall())
        return later, needed

    def _referred_to(self, gone: set[bytes]) -> set[bytes]:
        """What the content that goes refers to, as pieces of a request's body."""
        return {each for address, _, data in self._blobs() if address in gone for each in _mentioned(data)} - gone

    def _needed_by_others(self, gone: set[bytes], needed: set[bytes]) -> set[bytes]:
        staying = (data for address, _, data in self._blobs() if address not in gone)
        return needed.union(*map(_mentioned, staying))

    def _delete_approvals(self, since: dict[str, int]) -> None:
        """What a person was shown of a call came out of the decision that proposed it."""
        rows = self._connection.execute("SELECT approval_id, run_id, request_id FROM approvals").fetchall()
        for approval_id, run_id, request_id in rows:
            if run_id in since and int(request_id.rpartition(".")[2]) >= since[run_id]:
                self._connection.execute("DELETE FROM approvals WHERE approval_id = ?", (approval_id,))


def _mentioned(data: bytes) -> set[bytes]:
    """Whatever may be an address in some content."""
    return {bytes.fromhex(each.decode()) for each in _ADDRESS.findall(data)}
