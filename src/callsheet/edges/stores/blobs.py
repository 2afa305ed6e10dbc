"""Content by address: each piece of content once, under a hash that is keyed by its owner (invariant 8).

An item is two parts. Its *content* is the same in every decision and is stored once; what changes from one decision to
the next (scores, the time it was fetched) stands beside the reference. Its fragment is derived from the text.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from ...core.fragment import fragment
from ...errors import StoreError
from ...model.evidence import Evidence
from ...model.item import ContextItem
from .codec import REFERENCE, TYPE, decode, described, encode
from .database import Connection
from .keys import Keys, keyed_hash
from .names import TENANT, owner_name

_VOLATILE = ("retrieved_at", "relevance", "freshness", "injection_risk", "redundant")
_DERIVED = frozenset({"fragment"})
_VOLATILE_EVIDENCE = ("relevance", "rank")
_NOT_EVIDENCE = frozenset(_VOLATILE_EVIDENCE)
_SHAPE = ("item_id", "kind", "trust", "version", "token_count", "tenant_id", "scope", "required")
_SHARED_KINDS = ("instruction", "example", "tool", "evidence")


class Writer:
    """Files content inside one write transaction, on behalf of one owner."""

    def __init__(self, connection: Connection, keys: Keys, owner: str) -> None:
        self._connection = connection
        self._keys = keys
        self._owner = owner
        self._known: dict[str, bytes] = {}

    def put(self, data: bytes, owner: str | None = None, stub: bytes | None = None) -> bytes:
        """The address of this content, stored where it is new."""
        owner = owner or self._owner
        address = self.keyed(data, owner)
        self._connection.execute("INSERT OR IGNORE INTO blobs VALUES (?, ?, ?, ?)", (address, owner, stub, data))
        return address

    def keyed(self, data: bytes, owner: str | None = None) -> bytes:
        """The hash of some bytes under the owner's key, 16 bytes."""
        owner = owner or self._owner
        key = self._known.get(owner)
        if key is None:
            key = self._known[owner] = self._keys.of(owner)
        return keyed_hash(data, key)

    def item(self, item: ContextItem) -> dict[str, Any]:
        """The reference to an item, with all that may differ from one decision to the next."""
        content = described(item, _DERIVED)
        reference = {name: content.pop(name) for name in _VOLATILE if name in content}
        if isinstance(item.record, Evidence):
            content["record"] = described(item.record, _NOT_EVIDENCE)
            reference.update({f"record.{name}": getattr(item.record, name) for name in _VOLATILE_EVIDENCE})
        if item.fragment is not None:
            reference["tokens"] = item.fragment.tokens
        owner = self.owner_of(item)
        stub = None if owner == TENANT else encode(_shape(content))
        reference[REFERENCE] = self.put(encode(content), owner, stub).hex()
        return {TYPE: "ContextItem", **reference}

    def owner_of(self, item: ContextItem) -> str:
        """Whose content an item is. What is not from the project or from documents belongs to the request's subject,
        even where the item does not say so: deleting a subject must leave nothing."""
        if item.subject_id is not None:
            return owner_name(item.subject_id)
        return TENANT if item.kind in _SHARED_KINDS else self._owner


def _shape(content: Mapping[str, Any]) -> dict[str, Any]:
    return {"source": "", **{name: content[name] for name in _SHAPE if name in content}}


class Reader:
    """Reads content inside one view; `deleted` collects the ids of the items whose content is gone."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._items: dict[tuple[str, int | None], ContextItem] = {}
        self.deleted: dict[str, None] = {}

    def get(self, address: bytes | None) -> bytes | None:
        """The content at an address; None where it was deleted."""
        row = self._connection.execute("SELECT data FROM blobs WHERE hash = ?", (address,)).fetchone()
        return row[0] if row else None

    def value(self, hint: Any, address: bytes | None) -> Any:
        """The value of this type at an address; None where there is none or its content was deleted."""
        data = self.get(address)
        return None if data is None else decode(hint, data, self.item)

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
            scores = {name: reference[f"record.{name}"] for name in _VOLATILE_EVIDENCE}
            changes["record"] = replace(item.record, **scores)
        return replace(item, **changes)

    def _content(self, address: str, tokens: int | None) -> ContextItem:
        row = self._connection.execute(
            "SELECT data, stub FROM blobs WHERE hash = ?", (bytes.fromhex(address),)
        ).fetchone()
        if row is None:
            raise StoreError("the database lacks content that a request refers to; restore it from a backup")
        data, stub = row
        if data is None:
            item: ContextItem = decode(ContextItem, stub)
            self.deleted[item.item_id] = None
            return item
        item = decode(ContextItem, data)
        return item if tokens is None else replace(item, fragment=fragment(item.text, tokens))
