"""Taking memory records out of the ledger: what carried one loses its content, what only weighed one loses its text.

What was said after a record entered a request may repeat it in words of its own, which no comparison of bytes would
find. So of each decision that carried it, and of those that followed in the same run, all content goes but the items of
others. What was said before stays, unless it holds the very words. A decision that had the record only to choose from,
and left it out, sent and was answered nothing of it: it keeps all but what it knew of the record itself.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...core.deletion.probes import named
from .blobs import SHARED_KINDS, Writer, unpacked
from .database import Connection
from .journal import less_left_out, said_and_sent
from .keys import Keys

_ADDRESS = re.compile(rb'"([0-9a-f]{32})"')
_ITEM = b'{"$":"ContextItem"'

Decision = tuple[str, int]


class Entry(NamedTuple):
    """A row of the journal: the decision, the effect, and the addresses of its answer and its question."""

    run_id: str
    number: int
    sequence: int
    effect: str
    answer: bytes | None
    question: bytes | None


class Unsaid(NamedTuple):
    """How many pieces of content were destroyed, and how many decisions had carried a record, or only weighed one."""

    blobs: int
    carried: int
    weighed: int


def says(data: bytes, words: Iterable[bytes]) -> bool:
    """True where the bytes hold one of these forms of a text."""
    return any(each in data for each in words)


class Unsaying:
    """What has to go of the ledger for some records of one owner, inside the transaction of `connection`."""

    def __init__(
        self, connection: Connection, keys: Keys, owner: str, record_ids: frozenset[str], words: tuple[bytes, ...]
    ) -> None:
        self._connection, self._keys, self._owner, self._words = connection, keys, owner, words
        self._item_ids = {f"memory/{each}": json.dumps(f"memory/{each}").encode() for each in record_ids}
        names = (form for each in (*record_ids, *self._item_ids) for form in named(each))
        self._telling = (*words, *names)

    def run(self) -> Unsaid:
        """Destroys the content, and says how much that was."""
        gone = self._items()
        at_hand = self._at_hand(gone)
        carried = self._carrying(at_hand, gone)
        since: dict[str, int] = {}
        for run_id, number in carried:
            since[run_id] = min(number, since.get(run_id, number))
        weighed = {each for each in at_hand if each[1] < since.get(each[0], each[1] + 1)}
        rewritten = self._rewritten(weighed)
        later, needed = self._parted(since)
        gone |= ((later | rewritten) - needed) | self._saying()
        gone |= self._referred_to(gone) - self._needed_by_others(gone, needed)
        for address in gone:
            self._connection.execute("DELETE FROM blobs WHERE hash = ? AND stub IS NULL", (address,))
            self._connection.execute("UPDATE blobs SET owner = NULL, data = NULL WHERE hash = ?", (address,))
        self._delete_approvals(since)
        return Unsaid(len(gone), len(carried), len(weighed))

    def _blobs(self) -> Iterator[tuple[bytes, str, bytes]]:
        query = "SELECT hash, owner, data FROM blobs WHERE data IS NOT NULL"
        for address, owner, data in self._connection.execute(query).fetchall():
            yield address, owner, unpacked(data)

    def _blob(self, address: bytes | None) -> tuple[str, bytes] | None:
        query = "SELECT owner, data FROM blobs WHERE hash = ? AND data IS NOT NULL"
        row = self._connection.execute(query, (address,)).fetchone()
        return (row[0], unpacked(row[1])) if row else None

    def _entries(self) -> Iterator[Entry]:
        query = "SELECT run_id, number, sequence, effect, answer, question FROM entries"
        yield from map(Entry._make, self._connection.execute(query).fetchall())

    def _items(self) -> set[bytes]:
        """The content of the records as items."""
        candidates = ((address, data) for address, _, data in self._blobs() if says(data, self._item_ids.values()))
        items = ((address, json.loads(data)) for address, data in candidates if data.startswith(_ITEM))
        return {address for address, item in items if item["item_id"] in self._item_ids}

    def _at_hand(self, items: set[bytes]) -> set[Decision]:
        """The decisions that had one of the records to choose from, or more."""
        known = self._mentioning(items)
        return {(each.run_id, each.number) for each in self._entries() if known & {each.answer, each.question}}

    def _carrying(self, at_hand: set[Decision], items: set[bytes]) -> set[Decision]:
        """Those of the decisions that hold the record, its words or its name anywhere but among what was left out.

        A document that has the same words tells nothing of the record.
        """
        telling = items | {
            address for address, _, data in self._blobs() if says(data, self._telling) and not _is_shared(data)
        }
        passing_on = self._mentioning(telling)
        found = {
            (each.run_id, each.number)
            for each in self._entries()
            if (each.run_id, each.number) in at_hand and self._tells(each, telling, passing_on)
        }
        starts = self._connection.execute("SELECT run_id, number, start FROM requests").fetchall()
        return found | {(run_id, number) for run_id, number, start in starts
                        if (run_id, number) in at_hand and start in telling | passing_on}  # fmt: skip

    def _tells(self, entry: Entry, telling: set[bytes], passing_on: set[bytes]) -> bool:
        if entry.effect == "Gather":
            return False
        if entry.effect != "Record":
            return not (telling | passing_on).isdisjoint((entry.answer, entry.question))
        private = self._blob(entry.question)
        sent = said_and_sent(private[1]) if private else b""
        return entry.answer in passing_on or says(sent, self._telling) or not telling.isdisjoint(_mentioned(sent))

    def _rewritten(self, weighed: set[Decision]) -> set[bytes]:
        """What decisions noted of items that they left out is written anew, under its own hash, without the records;
        gives the addresses of what stands there no more.
        """
        replaced = set()
        for entry in self._entries():
            shape, private = self._blob(entry.answer), self._blob(entry.question)
            if entry.effect != "Record" or (entry.run_id, entry.number) not in weighed or not shape or not private:
                continue
            less = less_left_out(shape[1], private[1], self._item_ids.keys())
            address = Writer(self._connection, self._keys, private[0]).put(less)
            if address != entry.question and entry.question is not None:
                replaced.add(entry.question)
                self._connection.execute(
                    "UPDATE entries SET question = ? WHERE run_id = ? AND sequence = ?",
                    (address, entry.run_id, entry.sequence),
                )
        return replaced

    def _saying(self) -> set[bytes]:
        """What of the owner's content holds the very words of a record."""
        return {address for address, owner, data in self._blobs() if owner == self._owner and says(data, self._words)}

    def _mentioning(self, addresses: set[bytes]) -> set[bytes]:
        return {address for address, _, data in self._blobs() if not addresses.isdisjoint(_mentioned(data))}

    def _parted(self, since: dict[str, int]) -> tuple[set[bytes], set[bytes]]:
        """The content of decisions that carried a record or came after, and what else rows refer to."""
        later: set[bytes] = set()
        needed: set[bytes] = set()
        for run_id, number, _, effect, answer, question in self._entries():
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


def _is_shared(data: bytes) -> bool:
    return data.startswith(_ITEM) and json.loads(data)["kind"] in SHARED_KINDS


def _mentioned(data: bytes) -> set[bytes]:
    """Whatever may be an address in some content."""
    return {bytes.fromhex(each.decode()) for each in _ADDRESS.findall(data)}
