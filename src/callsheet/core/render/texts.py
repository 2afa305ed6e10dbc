"""The texts of a request in any dialect, for a count that knows no chat template: what is said, and how often."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

SPOKEN = ("system", "instructions", "systemInstruction", "system_instruction", "messages", "input", "contents")
"""The parameters that hold words, over all dialects; `tools` are counted as the JSON they are."""

FRAME = frozenset(
    "type role id call_id tool_call_id tool_use_id status phase signature thoughtSignature thought_signature ttl "
    "encrypted_content media_type mime_type mimeType detail file_id fileUri file_uri url image_url data".split()
)
"""Keys whose text is not read as words: names of things, seals, and the bytes of media."""

JSON = frozenset(("input", "args", "arguments", "response"))
"""Keys of a call's or a result's object, which a model reads as JSON."""

MEDIA = frozenset(("image", "image_url", "input_image", "input_audio", "audio", "video", "file", "input_file"))
SEALED = ("base64", "url", "file")
MEDIA_KEYS = frozenset(("inlineData", "inline_data", "fileData", "file_data"))


@dataclass(frozen=True, slots=True)
class Said:
    """What a request says: its texts in order, the number of its messages, and of its images, sounds and films."""

    texts: tuple[str, ...]
    messages: int
    media: int


def said(body: bytes) -> Said:
    """What the body of a request says. ValueError where it is no JSON object."""
    request = json.loads(body)
    if not isinstance(request, Mapping):
        raise ValueError("a request's body is a JSON object")
    parts = [request[key] for key in SPOKEN if request.get(key)]
    found = [text for part in parts for text in _texts(part, "")]
    tools = request.get("tools")
    texts = [_json(tool) for tool in tools] if isinstance(tools, list) else []
    messages = sum(len(part) if isinstance(part, list) else 1 for part in parts)
    return Said((*(text for text in found if text), *texts), messages, found.count(None))


def _texts(value: Any, key: str) -> Iterator[str | None]:
    """The texts in a value that stands under a key, in order; None for each medium."""
    if isinstance(value, str):
        if key not in FRAME:
            yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _texts(each, key)
    elif isinstance(value, Mapping):
        kind = value.get("type")
        if key in JSON:
            yield _json(value)
        elif (isinstance(kind, str) and kind in MEDIA) or MEDIA_KEYS & value.keys() or _sealed(value):
            yield None
        else:
            plain = kind == "text" and isinstance(value.get("data"), str)
            for name, each in value.items():
                yield from _texts(each, "" if plain and name == "data" else name)


def _sealed(value: Mapping[str, Any]) -> bool:
    """True for a document of Anthropic's that is no text: a PDF by its bytes, its address or its id."""
    source = value.get("source")
    return value.get("type") == "document" and isinstance(source, Mapping) and source.get("type") in SEALED


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
