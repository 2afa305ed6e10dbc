"""Content by address: each piece of content once, under a hash that is keyed by its owner (invariant 8).

An item is two parts. Its *content* is the same in every decision and is stored once; what changes from one decision to
the next (scores, the time it was fetched) stands beside the reference. Its fragment is derived from the text.
"""

import zlib
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import datetime
from operator import attrgetter
from typing import Any

from ...core.render.fragment import fragment
from ...model.evidence import Evidence
from ...model.item import ContextItem
from ...model.memory import MemoryRecord
from ...model.request import SHARED
from .codec import DAMAGE, REFERENCE, Damaged, Shortened, damaged, decode, described, differing, encode
from .database import Connection
from .keys import Keys, keyed_hash
from .names import TENANT, owner_name

_VOLATILE = ("retrieved_at", "relevance", "freshness", "injection_risk", "redundant")
_NOT_CONTENT = frozenset({*_VOLATILE, "fragment"})
_VOLATILE_EVIDENCE = ("relevance", "rank")
_NOT_EVIDENCE = frozenset(_VOLATILE_EVIDENCE)
_SHAPE = ("item_id", "kind", "trust", "version", "token_count", "tenant_id", "scope", "required")
SHARED_KINDS = ("instruction", "example", "tool", "evidence")
"""What is from the project or from documents, so nobody's own."""
_content_of = attrgetter(*(f.name for f in fields(ContextItem) if f.name not in {*_VOLATILE, "fragment", "record"}))
_evidence_of = attrgetter(*(f.name for f in fields(Evidence) if f.name not in _NOT_EVIDENCE))
_SCORES = tuple(f"record.{name}" for name in _VOLATILE_EVIDENCE)
_scores_of = attrgetter(*_VOLATILE_EVIDENCE)
_COMPRESSED = 256
"""Bytes from which on content is compressed: below, it costs more than it saves."""
_REMEMBERED = 20_000
"""Addresses kept, as many as rendered items: what is not rendered again is not encoded again either."""

_LACKING = "it lacks content that its rows refer to; restore the store from a backup"


class Memo(dict[Any, tuple[bytes, Any]]):
    """Addresses of the items filed last, by content and key, so that an item is encoded and hashed once (invariant 6).

    The second part of a value keeps the record alive whose identity is part of the key.
    """

    def keep(self, key: Any, address: bytes, record: Any) -> None:
        """Remembers an address; the memo starts anew when it is full, which bounds the memory of a tenant."""
        if len(self) >= _REMEMBERED:
            self.clear()
        self[key] = address, record


class Writer:
    """Files content inside one write transaction, on behalf of one owner."""

    def __init__(self, connection: Connection, keys: Keys, owner: str, memo: Memo | None = None) -> None:
        self._connection = connection
        self._keys = keys
        self._owner = owner
        self._memo = Memo() if memo is None else memo
        self._known: dict[str, bytes] = {}

    @property
    def references(self) -> Shortened:
        """What stands for each item in what is encoded: a reference to its content."""
        return {ContextItem: self.item}

    def put(self, data: bytes, owner: str | None = None, stub: bytes | None = None) -> bytes:
        """The address of this content, stored where it is new."""
        owner = owner or self._owner
        address = self.keyed(data, owner)
        held = self._held(address)
        if held is None:
            self._connection.execute("INSERT INTO blobs VALUES (?, ?, ?, ?)", (address, owner, stub, _packed(data)))
        elif not held:  # a deletion left it without content, and the same was said again
            again = "UPDATE blobs SET owner = ?, data = ? WHERE hash = ?"
            self._connection.execute(again, (owner, _packed(data), address))
        return address

    def keyed(self, data: bytes, owner: str | None = None) -> bytes:
        """The hash of some bytes under the owner's key, 16 bytes."""
        return keyed_hash(data, self._key(owner or self._owner))

    def item(self, item: ContextItem) -> dict[str, Any]:
        """The reference to an item, with all that may differ from one decision to the next."""
        reference = {REFERENCE: self._content(item).hex(), **differing(item, _VOLATILE)}
        if isinstance(item.record, Evidence):
            reference.update(zip(_SCORES, _scores_of(item.record), strict=True))
        if item.fragment is not None:
            reference["tokens"] = item.fragment.tokens
        return reference

    def owner_of(self, item: ContextItem) -> str:
        """Whose content an item is. What is not from the project or from documents belongs to the request's subject,
        even where the item does not say so: deleting a subject must leave nothing. A memory is its subject's, whoever
        of the tenant may see it.
        """
        record = item.record
        if isinstance(record, MemoryRecord) and record.tenant_id != SHARED:
            return owner_name(record.subject_id)
        if item.subject_id is not None:
            return owner_name(item.subject_id)
        return TENANT if item.kind in SHARED_KINDS else self._owner

    def _content(self, item: ContextItem) -> bytes:
        owner = self.owner_of(item)
        evidence = isinstance(item.record, Evidence)
        record = _evidence_of(item.record) if evidence else id(item.record)
        same = (self._key(owner), _content_of(item), record)
        known = self._memo.get(same)
        if known is not None and self._held(known[0]):
            return known[0]
        content = described(item, _NOT_CONTENT)
        if evidence:
            content["record"] = described(item.record, _NOT_EVIDENCE)
        stub = None if owner == TENANT else encode(_shape(content))
        address = self.put(encode(content), owner, stub)
        self._memo.keep(same, address, item.record)
        return address

    def _key(self, owner: str) -> bytes:
        key = self._known.get(owner)
        if key is None:
            key = self._known[owner] = self._keys.of(self._connection, owner)
        return key

    def _held(self, address: bytes) -> bool | None:
        """Whether an address has its content; None where it is new."""
        row = self._connection.execute("SELECT data IS NOT NULL FROM blobs WHERE hash = ?", (address,)).fetchone()
        return None if row is None else bool(row[0])


def _packed(data: bytes) -> bytes:
    return b"z" + zlib.compress(data, 1) if len(data) >= _COMPRESSED else b"=" + data


def unpacked(stored: bytes) -> bytes:
    """The content as it was before it was stored."""
    try:
        return zlib.decompress(stored[1:]) if stored[:1] == b"z" else bytes(stored[1:])
    except DAMAGE as error:
        raise damaged(error) from error


def _shape(content: Mapping[str, Any]) -> dict[str, Any]:
    return {"source": "", **{name: content[name] for name in _SHAPE if name in content}}


class Reader:
    """Reads content inside one view.

    `deleted` collects the ids of the items whose content is gone; `lost` says that something else is.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._items: dict[tuple[str, int | None], ContextItem] = {}
        self.deleted: dict[str, None] = {}
        self.lost = False

    def get(self, address: bytes | None) -> bytes | None:
        """The content at an address; None where it was deleted."""
        row = self._connection.execute("SELECT data FROM blobs WHERE hash = ?", (address,)).fetchone()
        return unpacked(row[0]) if row and row[0] is not None else None

    def value(self, hint: Any, address: bytes | None) -> Any:
        """The value of this type at an address; None where there is none or its content was deleted."""
        data = self.get(address)
        self.lost = self.lost or (data is None and address is not None)
        return None if data is None else decode(hint, data, self.item)

    def needed(self, hint: Any, address: bytes | None) -> Any:
        """The value of this type at an address; StoreError where it is gone, since nobody can have deleted it alone."""
        value = self.value(hint, address)
        if value is None:
            raise Damaged(_LACKING)
        return value

    def item(self, reference: Mapping[str, Any]) -> ContextItem:
        """The item a reference stands for; only its shape where its content was deleted."""
        address, tokens = reference[REFERENCE], reference.get("tokens")
        item = self._items.get((address, tokens))
        if item is None:
            item = self._items[address, tokens] = self._content(address, tokens)
        changes: dict[str, Any] = {name: reference[name] for name in _VOLATILE if name in reference}
        if "retrieved_at" in changes:
            changes["retrieved_at"] = datetime.fromisoformat(changes["retrieved_at"])
        if isinstance(item.record, Evidence):
            scores = {name: reference[kept] for name, kept in zip(_VOLATILE_EVIDENCE, _SCORES, strict=True)}
            changes["record"] = replace(item.record, **scores)
        return replace(item, **changes)

    def _content(self, address: str, tokens: int | None) -> ContextItem:
        row = self._connection.execute(
            "SELECT data, stub FROM blobs WHERE hash = ?", (bytes.fromhex(address),)
        ).fetchone()
        if row is None:
            raise Damaged(_LACKING)
        data, stub = row
        if data is None:
            item: ContextItem = decode(ContextItem, stub)
            self.deleted[item.item_id] = None
            return item
        item = decode(ContextItem, unpacked(data))
        return item if tokens is None else replace(item, fragment=fragment(item.text, tokens))
