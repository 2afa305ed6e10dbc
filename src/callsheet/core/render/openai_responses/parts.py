"""Parts of Responses messages and outputs: JSON to blocks and back.

A part of `input_text` is the usual one of a user's, system or developer message and of a tool's output, `output_text`
of an assistant's; both are a `TextBlock` without a type, and any other text names its type.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ....model.content import Text
from ....model.message import Block, CacheMark, Form, MediaBlock, NativeBlock, SourceBlock, TextBlock
from ..fields import Drift, present, typed

TEXTS: Mapping[str, str] = {
    "input_text": "text",
    "output_text": "text",
    "summary_text": "text",
    "reasoning_text": "text",
    "refusal": "refusal",
}
"""Parts that are text, and the key it stands under."""
MARK = "prompt_cache_breakpoint"
MESSAGE = "message"
"""The key under which a part of a response keeps its item's fields: id, status, phase. No part has one of this name."""
PART = frozenset((MARK, "logprobs", "detail", "file_id", "image_url", "file_url", "file_data", "filename"))


def read_parts(raw: Sequence[Any], usual: str, path: str, drift: Drift) -> tuple[Block, ...]:
    """The blocks of a list of parts; `usual` is the text type that need not be named."""
    return tuple(
        drift.block(each, f"{path}[{at}]", lambda one, where: _read_part(one, usual, where, drift))
        for at, each in enumerate(raw)
    )


def read_content(content: Any, usual: str, path: str, drift: Drift) -> tuple[Form, tuple[Block, ...]]:
    """The form and the blocks of a content or an output. ValueError where it is neither text nor parts."""
    if isinstance(content, str):
        return "text", (TextBlock(content),)
    if isinstance(content, Mapping):
        return "object", read_parts([content], usual, path, drift)
    if isinstance(content, list):
        return "blocks", read_parts(content, usual, path, drift)
    raise ValueError(f"{path} is {type(content).__name__}, neither text nor a list")


def taken(raw: Mapping[str, Any], *keys: str) -> dict[str, str]:
    """Those of the fields that are there and are text; null and any other value stay with the dialect's own fields."""
    return {key: raw[key] for key in keys if isinstance(raw.get(key), str)}


def _read_part(raw: Mapping[str, Any], usual: str, path: str, drift: Drift) -> Block:
    kind = typed(raw, "type", str)
    cache = _read_mark(raw.get(MARK))
    known = {"type"} | ({MARK} if cache else set())
    if kind in TEXTS:
        key, cited = TEXTS[kind], _citations(raw)
        known |= {key} | ({"annotations"} if cited is not None else set())
        rest = drift.rest(raw, known, PART, path)
        return TextBlock(typed(raw, key, str), cited, type="" if kind == usual else kind, cache=cache, native=rest)
    if kind in ("input_image", "computer_screenshot"):
        said = taken(raw, "image_url", "file_id", "detail")
        rest = drift.rest(raw, known | set(said), PART, path)
        image = "" if kind == "input_image" else kind
        return MediaBlock(
            "image",
            url=said.get("image_url"),
            file_id=said.get("file_id"),
            detail=said.get("detail"),
            type=image,
            cache=cache,
            native=rest,
        )
    if kind == "input_file":
        said = taken(raw, "file_data", "file_url", "file_id", "filename", "detail")
        return MediaBlock(
            "document",
            data=said.get("file_data"),
            url=said.get("file_url"),
            file_id=said.get("file_id"),
            title=said.get("filename"),
            detail=said.get("detail"),
            cache=cache,
            native=drift.rest(raw, known | set(said), PART, path),
        )
    if kind == "input_audio":
        sound = typed(raw, "input_audio", dict)
        if set(sound) != {"data", "format"}:
            raise ValueError(f"{path}.input_audio has fields that are none of a sound's")
        rest = drift.rest(raw, known | {"input_audio"}, PART, path)
        return MediaBlock("audio", typed(sound, "format", str), typed(sound, "data", str), cache=cache, native=rest)
    raise ValueError(f"{path} is of an unknown type")


def _citations(raw: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...] | None:
    cited = raw.get("annotations")
    return tuple(cited) if isinstance(cited, list) else None


def _read_mark(raw: Any) -> CacheMark | None:
    if not isinstance(raw, Mapping) or raw.get("mode") != "explicit" or not isinstance(raw.get("ttl", ""), str):
        return None
    return CacheMark(raw.get("ttl", ""), {key: value for key, value in raw.items() if key not in ("mode", "ttl")})


def write_content(blocks: Sequence[Block], form: Form, usual: str) -> Any:
    """Blocks as a content or an output: one string where it was one and still can be."""
    texts = [each for each in blocks if isinstance(each, TextBlock)]
    if form == "text" and len(texts) == len(blocks) <= 1 and not any(each.cache or each.type for each in texts):
        return texts[0].text if texts else ""
    parts = [part for each in blocks for part in write_part(each, usual)]
    return parts[0] if form == "object" and len(parts) == 1 else parts


def is_part(block: Block) -> bool:
    """True for a block that stands inside a message; any other is an item of its own."""
    return isinstance(block, TextBlock | MediaBlock | SourceBlock) or MESSAGE in block.native


def write_part(block: Block, usual: str) -> list[dict[str, Any]]:
    """The parts that say this block; ValueError where no part can."""
    extra = {key: each for key, each in block.native.items() if key != MESSAGE}
    if block.cache:
        extra[MARK] = {"mode": "explicit", **present(ttl=block.cache.ttl or None), **block.cache.native}
    if isinstance(block, TextBlock):
        kind = block.type if block.type in TEXTS else usual
        cited = list(block.citations) if block.citations is not None else None
        return [{"type": kind, TEXTS[kind]: block.text, **present(annotations=cited), **extra}]
    if isinstance(block, SourceBlock):
        return [part for each in block.blocks for part in write_part(each, usual)]
    if isinstance(block, MediaBlock):
        return [{**_media(block), **extra}]
    if isinstance(block, NativeBlock):
        return [dict(block.fields)]
    raise ValueError(f"Responses has no place for a {type(block).__name__} in a message's content")


def _media(block: MediaBlock) -> dict[str, Any]:
    if block.media == "image":
        shown: Text | None = block.url
        if shown is None and block.data is not None:
            shown = f"data:{block.media_type or 'image/png'};base64,{block.data}"
        kind = block.type if block.type == "computer_screenshot" else "input_image"
        return {"type": kind, **present(image_url=shown, file_id=block.file_id, detail=block.detail)}
    if block.media == "audio":
        return {"type": "input_audio", "input_audio": {"data": block.data, "format": block.media_type}}
    if block.media == "document":
        named = present(file_id=block.file_id, filename=block.title, detail=block.detail)
        return {"type": "input_file", **present(file_data=block.data, file_url=block.url), **named}
    raise ValueError(f"Responses takes no {block.media}")
