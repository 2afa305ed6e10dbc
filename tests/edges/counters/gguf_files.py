"""Writes the header of a GGUF file."""

import struct
from collections.abc import Mapping
from typing import Any

STRING, ARRAY, BOOL, UINT32, FLOAT32 = 8, 9, 7, 4, 6
KINDS: Mapping[type, tuple[int, str]] = {int: (UINT32, "<I"), float: (FLOAT32, "<f")}


def gguf(pairs: Mapping[str, Any]) -> bytes:
    """A file of these pairs and no tensors."""
    body = b"".join(text(key) + typed(value) for key, value in pairs.items())
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(pairs)) + body


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def typed(value: Any) -> bytes:
    if isinstance(value, list):
        kind, form = KINDS.get(type(value[0]) if value else str, (STRING, ""))
        each = b"".join(struct.pack(form, one) if form else text(one) for one in value)
        return struct.pack("<IIQ", ARRAY, kind, len(value)) + each
    if isinstance(value, bool):
        return struct.pack("<I?", BOOL, value)
    return struct.pack("<II", UINT32, value) if isinstance(value, int) else struct.pack("<I", STRING) + text(value)
