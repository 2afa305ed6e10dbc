"""Reading a tool's full output back: a range of lines or bytes, or the lines that hold a text (D4).

What was observed of a call is its declared, decisive part; all of it stands under the observation's reference. It is
foreign text wherever it is read, and no more of it comes back at once than an observation shows.
"""

import json
from collections.abc import Mapping
from typing import Any

from ..model.tool import ToolContract
from .text.hidden import cleaned

READ_ARTIFACT = "read_artifact"
LONGEST = 3_000
"""Characters that come back at once."""
MOST_LINES = 50
"""Lines that a search gives."""
_NUMBER = {"type": "integer", "minimum": 1}
_PLACE = {"type": "integer", "minimum": 0}
CONTRACT = ToolContract(
    READ_ARTIFACT,
    "Reads the full output of an earlier tool call, by the toolrun:// source of its observation: some lines, some "
    "bytes, or with search the lines that hold a text, each with its number. What is longer comes in parts: next says "
    "where to go on.",
    {
        "type": "object",
        "properties": {
            "reference": {"type": "string", "description": "the observation's toolrun:// source"},
            "first_line": {**_NUMBER, "description": "the first line, from 1"},
            "last_line": {**_NUMBER, "description": "the last line; none: as far as it goes"},
            "first_byte": {**_PLACE, "description": "the first byte, from 0, in place of lines"},
            "last_byte": {**_PLACE, "description": "the byte behind the last"},
            "search": {"type": "string", "minLength": 1, "description": "words that a line must hold, in any case"},
        },
        "required": ["reference"],
        "additionalProperties": False,
    },
    {"properties": {key: {} for key in ("reference", "tool", "lines", "bytes", "text", "found", "next")}},
    failures=("page-unknown",),
)


def artifact_text(data: bytes) -> tuple[str, str]:
    """The tool of a stored output and its value as text: as it is where it is one text, else as JSON by lines."""
    document = json.loads(data)
    value = document.get("value")
    texts = list(value.values()) if isinstance(value, Mapping) else []
    alone = len(texts) == 1 and isinstance(texts[0], str)
    text = texts[0] if alone else json.dumps(value, ensure_ascii=False, indent=1)
    return str(document.get("tool", "")), cleaned(text).text


def read_part(reference: str, tool: str, text: str, asked: Mapping[str, Any]) -> Mapping[str, Any]:
    """The part that was asked for, with the size of the whole; `next` is the line or byte to go on with."""
    lines = text.splitlines()
    whole = {"reference": reference, "tool": tool, "lines": len(lines), "bytes": len(_bytes(text))}
    if "search" in asked:
        return {**whole, **_found(lines, str(asked["search"]), int(asked.get("first_line", 1)))}
    if "first_byte" in asked or "last_byte" in asked:
        return {**whole, **_by_bytes(text, int(asked.get("first_byte", 0)), asked.get("last_byte"))}
    return {**whole, **_by_lines(lines, int(asked.get("first_line", 1)), asked.get("last_line"))}


def _by_lines(lines: list[str], first: int, last: int | None) -> Mapping[str, Any]:
    wanted = lines[first - 1 : last]
    taken = _fitting(wanted)
    if taken == 0 and wanted:  # one line longer than all that may come back: its bytes are read instead
        start = len(_bytes("\n".join(lines[: first - 1]))) + (first > 1)
        return {"text": wanted[0][:LONGEST], "next": f"first_byte {start + len(_bytes(wanted[0][:LONGEST]))}"}
    part: dict[str, Any] = {"text": "\n".join(wanted[:taken])}
    return {**part, "next": f"first_line {first + taken}"} if taken < len(wanted) else part


def _by_bytes(text: str, first: int, last: int | None) -> Mapping[str, Any]:
    wanted = _bytes(text)[first:last]
    part = wanted.decode("utf-8", "ignore")[:LONGEST]
    end = first + len(_bytes(part))
    # Half a character at the beginning is left out, and counted.
    end += len(wanted) - len(_bytes(wanted.decode("utf-8", "ignore"))) if len(part) < LONGEST else 0
    return {"text": part, "next": f"first_byte {end}"} if end < first + len(wanted) else {"text": part}


def _found(lines: list[str], sought: str, first: int) -> Mapping[str, Any]:
    places = [n for n, line in enumerate(lines, 1) if n >= first and sought.casefold() in line.casefold()]
    told = [f"{number}: {lines[number - 1][: LONGEST // 4]}" for number in places[:MOST_LINES]]
    taken = _fitting(told)
    part: dict[str, Any] = {"found": len(places), "text": "\n".join(told[:taken])}
    return {**part, "next": f"first_line {places[taken]}"} if taken < len(places) else part


def _fitting(lines: list[str]) -> int:
    """How many of the lines fit, from the first."""
    size = 0
    for number, line in enumerate(lines):
        size += len(line) + 1
        if size > LONGEST + 1:
            return number
    return len(lines)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
