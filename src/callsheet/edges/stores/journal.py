"""What an effect leaves in the journal, and how its answer is read back equal to what it was.

Most answers are one piece of content of the request's subject. A Record is two: the manifest's shape (ids, kinds,
counts, reasons) belongs to the tenant and outlives the subject; the wire and every free text belong to the subject.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...core.render.fragment import digest
from ...core.render.wire import join
from ...errors import StoreError
from ...model.effect import (
    Consulted,
    Effect,
    Execute,
    Found,
    Intend,
    Intent,
    Observed,
    Outage,
    Proceeded,
    Received,
    Reconciled,
    Record,
    Settle,
)
from ...model.item import LeftOut
from ...model.manifest import ContextManifest
from ...model.message import Reply
from ...model.retrieval import Retrieval
from ...model.tool import RawResult
from ...model.verdict import Verdict
from ...model.wire import FRAME, Segment, Wire
from .blobs import Reader, Writer
from .codec import described, encode
from .names import TENANT

ANSWERS: Mapping[str, Any] = {
    "Gather": tuple[Found | Outage, ...],
    "Record": ContextManifest,
    "Call": Reply,
    "Consult": Consulted,
    "Remembered": RawResult,
    "Admit": Verdict,
    "Intend": Intent,
    "Reconcile": Reconciled,
    "Execute": tuple[RawResult, ...],
    "Proceed": Proceeded,
    "Seek": RawResult,
}
"""The type of each effect's answer; an effect that is not here is answered with None."""


_TEXTS = frozenset(("source", "detail"))
"""What is free text in an item that was left out."""


@dataclass(frozen=True, slots=True)
class Filed:
    """The addresses of an effect's answer and question, and the keyed hash of the call it is about."""

    answer: bytes | None = None
    question: bytes | None = None
    call: bytes | None = None


@dataclass(frozen=True, slots=True)
class _Private:
    """The part of a Record that belongs to the subject.

    A segment is a string (frame), a number (the fragment of that item of the manifest) or an item's id with the address
    of its bytes. `check` is the body's digest.
    """

    notes: tuple[str, ...]
    retrieval: Retrieval | None
    left_out: tuple[tuple[str, str], ...]
    dialect: str
    prefix: int
    segments: tuple[Any, ...]
    check: str


def file(writer: Writer, effect: Effect[Any], answer: Any) -> Filed:
    """Stores an effect's answer, and of its question what cannot be derived again."""
    if isinstance(effect, Record):
        return _file_record(writer, answer if isinstance(answer, ContextManifest) else effect.manifest, effect.wire)
    kept = None if answer is None else writer.put(encode(answer, writer.references))
    if isinstance(effect, Received):
        return Filed(kept, writer.put(encode(effect.reply)))
    if isinstance(effect, Intend | Observed):
        return Filed(kept, writer.put(encode(effect)), writer.keyed(effect.call_hash.encode()))
    if isinstance(effect, Execute | Settle):
        return Filed(kept, writer.put(encode(effect)))
    return Filed(kept)


def _file_record(writer: Writer, manifest: ContextManifest, wire: Wire) -> Filed:
    shape = encode(replace(manifest, notes=(), retrieval=None), {**writer.references, LeftOut: _without_texts})
    private = _Private(
        manifest.notes,
        manifest.retrieval,
        tuple((each.source, each.detail) for each in manifest.left_out),
        wire.dialect,
        wire.prefix,
        _shortened(writer, manifest, wire.segments),
        digest(wire.body),
    )
    return Filed(writer.put(shape, TENANT), writer.put(encode(private)))


def _without_texts(left_out: LeftOut) -> Mapping[str, Any]:
    return {**described(left_out, _TEXTS), "source": ""}


def said_and_sent(private: bytes) -> bytes:
    """Of the part of a Record that belongs to the subject all but what is said of items that were left out."""
    return encode({**json.loads(private), "left_out": ()})


def less_left_out(shape: bytes, private: bytes, item_ids: Collection[str]) -> bytes:
    """That part of a Record with no word of these items among those that were left out.

    The other part, the manifest's shape, says which they are.
    """
    names = [each["item_id"] for each in json.loads(shape).get("left_out", ())]
    held = json.loads(private)
    left_out = [("", "") if name in item_ids else texts for name, texts in zip(names, held["left_out"], strict=True)]
    return encode({**held, "left_out": left_out})


def _shortened(writer: Writer, manifest: ContextManifest, segments: Sequence[Segment]) -> tuple[Any, ...]:
    places = {item.item_id: place for place, item in enumerate(manifest.items)}

    def short(segment: Segment) -> Any:
        if segment.item_id == FRAME:
            return segment.data.decode("utf-8", "surrogateescape")
        place = places.get(segment.item_id)
        if place is None:
            return segment.item_id, writer.put(segment.data).hex()
        item = manifest.items[place]
        if item.fragment is not None and item.fragment.digest == segment.digest:
            return place
        return segment.item_id, writer.put(segment.data, writer.owner_of(item)).hex()

    return tuple(short(segment) for segment in segments)


def answer_of(reader: Reader, effect: str, answer: bytes | None, question: bytes | None) -> Any:
    """What the generator was told; None also where that content was deleted.

    Of what was gathered, items whose content was deleted are missing.
    """
    if effect == "Record":
        return _manifest(reader, answer, reader.value(_Private, question))
    if effect == "Gather":
        gathered = reader.value(ANSWERS[effect], answer)
        return gathered and tuple(_still_there(reader, each) for each in gathered)
    return reader.value(ANSWERS[effect], answer) if effect in ANSWERS else None


def _still_there(reader: Reader, found: Found | Outage) -> Found | Outage:
    if isinstance(found, Outage) or not reader.deleted:
        return found
    return replace(found, items=tuple(each for each in found.items if each.text or each.item_id not in reader.deleted))


def read_record(reader: Reader, answer: bytes | None, question: bytes | None) -> tuple[ContextManifest, Wire]:
    """The manifest and the wire of a Record: of deleted content only the shape, and a wire without bytes."""
    private: _Private | None = reader.value(_Private, question)
    manifest = _manifest(reader, answer, private)
    if private is None:
        return manifest, join(manifest.dialect, (), 0)
    segments = tuple(_lengthened(reader, manifest, short) for short in private.segments)
    wire = join(private.dialect, segments, private.prefix)
    if digest(wire.body) != private.check and not reader.deleted:
        raise StoreError(f"{manifest.request_id}: the stored body is not the one that was recorded; restore a backup")
    return manifest, wire


def _manifest(reader: Reader, answer: bytes | None, private: _Private | None) -> ContextManifest:
    manifest: ContextManifest = reader.needed(ContextManifest, answer)
    if private is None:
        return manifest
    left_out = tuple(_with_texts(each, *texts) for each, texts in zip(manifest.left_out, private.left_out, strict=True))
    return replace(manifest, notes=private.notes, retrieval=private.retrieval, left_out=left_out)


def _with_texts(left_out: LeftOut, source: str, detail: str) -> LeftOut:
    return replace(left_out, source=source, detail=detail)


def _lengthened(reader: Reader, manifest: ContextManifest, short: Any) -> Segment:
    if isinstance(short, str):
        data = short.encode("utf-8", "surrogateescape")
        return Segment(FRAME, data, digest(data))
    if isinstance(short, int):
        item = manifest.items[short]
        if item.fragment is None:
            return Segment(item.item_id, b"", digest(b""))
        return Segment(item.item_id, item.fragment.data, item.fragment.digest)
    item_id, address = short
    data = reader.get(bytes.fromhex(address)) or b""
    return Segment(item_id, data, digest(data))
