"""Media in another dialect's form: bytes in base64, an address, or text. A provider's file ids do not travel."""

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from ....model.message import Block, MediaBlock, TextBlock
from .notes import Notes

DATA_URL = re.compile(r"data:([^;,]*)(?:;[^,]*)?;base64,(.*)", re.DOTALL)
SOUNDS = {"audio/wav": "wav", "audio/x-wav": "wav", "audio/mp3": "mp3", "audio/mpeg": "mp3"}
"""The sounds that the OpenAI dialects take, and what they call them."""
WEB = ("https://", "http://")
PRIVATE = "https://generativelanguage.googleapis.com/"
"""Where Gemini keeps files; nobody else may read them."""


def carried(block: MediaBlock, dialect: str, path: str, notes: Notes) -> tuple[Block, ...]:
    """The media block as the dialect says it, or the text and the parts of a document that is made of such."""
    plain = _plain(block)
    if plain.text is not None:
        return _titled(plain, TextBlock(plain.text))
    if plain.detail is not None and dialect not in ("openai_chat", "openai_responses"):
        notes.leave("native", path, "detail")
        plain = replace(plain, detail=None)
    if plain.title is not None and plain.media != "document" and dialect != "gemini":
        notes.leave("native", path, "title")
        plain = replace(plain, title=None)
    if plain.data is None and (plain.url is None or not _is_open(plain.url)):
        notes.refuse(f"only the provider that keeps it can read the {plain.media} at {path}", "MediaBlock")
        return (block,)
    return WRITERS[dialect](plain, path, notes)


def _plain(block: MediaBlock) -> MediaBlock:
    """Without dialect: no fields of its own, the bytes of a data address as data, the media type in full."""
    plain = replace(block, type="", signature=None, cache=None, native={})
    for written in (plain.url, plain.data):
        if written is not None and (found := DATA_URL.fullmatch(written)):
            plain = replace(plain, media_type=found[1] or plain.media_type, data=found[2], url=None)
    if plain.media == "audio" and plain.media_type and "/" not in plain.media_type:
        return replace(plain, media_type=f"audio/{plain.media_type}")
    if plain.media == "document" and plain.data is not None and plain.media_type is None:
        return replace(plain, media_type="application/pdf")
    return plain


def _is_open(url: str) -> bool:
    return url.startswith(WEB) and not url.startswith(PRIVATE)


def _titled(block: MediaBlock, *blocks: Block) -> tuple[Block, ...]:
    return (*((TextBlock(block.title),) if block.title else ()), *blocks)


def _gemini(block: MediaBlock, path: str, notes: Notes) -> tuple[Block, ...]:
    return (block,)


def _anthropic(block: MediaBlock, path: str, notes: Notes) -> tuple[Block, ...]:
    """Documents of text are given as text; of those in base64 the dialect takes PDF alone."""
    if block.media == "document" and block.data is not None and (block.media_type or "").startswith("text/"):
        try:
            return _titled(block, TextBlock(base64.b64decode(block.data).decode()))
        except ValueError:
            notes.refuse(f"the document at {path} is not the text it says it is", "MediaBlock")
    if block.media == "document" and block.data is not None and block.media_type != "application/pdf":
        notes.refuse(f"Anthropic Messages takes no document of the type {block.media_type}", "MediaBlock")
    return (block,)


def _openai(block: MediaBlock, path: str, notes: Notes) -> tuple[Block, ...]:
    if block.media == "audio":
        sound = SOUNDS.get(block.media_type or "")
        if sound is None or block.data is None:
            notes.refuse(f"the OpenAI dialects take sounds as wav or mp3 data, not as at {path}", "MediaBlock")
            return (block,)
        return (replace(block, media_type=sound),)
    if block.media == "document" and block.data is not None:
        return (replace(block, data=f"data:{block.media_type};base64,{block.data}", media_type=None),)
    return (block,)


WRITERS: Mapping[str, Callable[[MediaBlock, str, Notes], tuple[Block, ...]]] = {
    "gemini": _gemini,
    "anthropic": _anthropic,
    "openai_chat": _openai,
    "openai_responses": _openai,
}
