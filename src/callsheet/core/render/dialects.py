"""The dialects by name, and the two ways through one: a prompt to its wire, a reply's bytes to a response."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from itertools import takewhile

from ...model.message import Response
from ...model.policy import DialectName, ModelProfile
from ...model.prompt import Prompt
from ...model.verdict import Verdict
from ...model.wire import FRAME, Segment, Wire
from ..text.parse_json import parse_json
from ..text.redact import MARK, redact, redact_json
from .anthropic import ANTHROPIC
from .dialect import Dialect
from .gemini import GEMINI
from .openai_chat import OPENAI_CHAT
from .openai_responses import OPENAI_RESPONSES
from .sse import BrokenStream, EventReader, is_stream, read_events
from .wire import join
from .writer import segments

DIALECTS: Mapping[DialectName, Dialect] = {
    "anthropic": ANTHROPIC,
    "gemini": GEMINI,
    "openai_chat": OPENAI_CHAT,
    "openai_responses": OPENAI_RESPONSES,
}

UNREADABLE = (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError)


def render(prompt: Prompt, dialect: DialectName, stable: Set[str]) -> Wire:
    """The wire of a prompt; its prefix ends with the last of the `stable` items that stand before anything else."""
    written = segments(DIALECTS[dialect].encode(prompt))
    return join(dialect, written, _prefix(written, stable))


def _prefix(written: Sequence[Segment], stable: Set[str]) -> int:
    """Segments up to the last stable item before the dynamic part; what comes again behind that does not count."""
    leading = list(takewhile(lambda each: each.item_id == FRAME or each.item_id in stable, written))
    return max((number for number, each in enumerate(leading, 1) if each.item_id in stable), default=0)


def illegal(prompt: Prompt, profile: ModelProfile) -> Verdict | None:
    """The refusal that names the documented rule this prompt breaks with this model, or None."""
    return DIALECTS[profile.dialect].illegal(prompt, profile.traits)


def read_response(body: bytes, dialect: DialectName) -> Response:
    """The response in a reply's bytes, whole or streamed.

    ValueError names what is wrong with it; BrokenStream is one for a stream that ended too soon.
    """
    speaks = DIALECTS[dialect]
    broken = BrokenStream if is_stream(body) else ValueError
    try:
        raw = speaks.accumulate(read_events(body)) if broken is BrokenStream else parse_json(body)
    except UNREADABLE as error:
        raise broken(_none_of(dialect, error, body)) from None
    try:
        return speaks.response(raw)
    except UNREADABLE as error:
        raise ValueError(_none_of(dialect, error)) from None


def _none_of(dialect: DialectName, error: Exception, body: bytes = b"") -> str:
    """Why a reply cannot be read; a web page comes from an address at which no model is served."""
    if body.lstrip()[:1] == b"<":
        return f"the reply is none of {dialect} but a web page; check base_url: no model answers at that address"
    return f"the reply is none of {dialect} ({type(error).__name__}: {error})"


def without_secrets(body: bytes, dialect: DialectName) -> bytes:
    """A reply's bytes without secrets, unchanged where it held none.

    A stream may hold one in pieces, none of which looks like it; then the whole response takes the stream's place. Of a
    stream that is no response, as one that broke off, nothing is kept: it stays a stream that cannot be read.
    """
    clean = redact_json(body.decode("utf-8", "replace"))
    if is_stream(body):
        stream = clean.encode("utf-8", "replace")
        told, whole = _told(stream, DIALECTS[dialect]), _accumulated(stream, DIALECTS[dialect])
        if redact(told) != told or redact_json(whole) != whole:
            clean = redact_json(whole) or f'data: "{MARK}stream]"\n\n'
    return clean.encode("utf-8", "replace")


def _accumulated(stream: bytes, speaks: Dialect) -> str:
    """The response that a stream adds up to, or nothing."""
    try:
        return json.dumps(speaks.accumulate(read_events(stream)))
    except UNREADABLE:
        return ""


def _told(stream: bytes, speaks: Dialect) -> str:
    """The text of a stream's pieces, as far as they can be read: as they came, and then each block's together."""
    came, blocks = list[str](), defaultdict[tuple[str, int], list[str]](list)
    reader = EventReader()
    for line in (*stream.splitlines(keepends=True), b"\n\n"):
        try:
            for event in reader.feed(line):
                for piece in speaks.deltas(event):
                    came.append(piece.text)
                    blocks[piece.kind, piece.index].append(piece.text)
        except UNREADABLE:
            continue  # what one piece hides must not hide the next
    return "\n".join(map("".join, (came, *blocks.values()) if len(blocks) > 1 else (came,)))
