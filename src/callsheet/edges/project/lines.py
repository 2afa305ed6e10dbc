"""JSON lines that a command is given: an object a line, each with its place."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ...errors import UsageError


def json_lines(lines: Iterable[bytes], name: Path | str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The objects of a JSONL file, each with its `file:line`; UsageError names the first line that is none."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            where = f"{name}:{number}"
            yield where, _parsed(line, where)


def _parsed(line: bytes, where: str) -> Mapping[str, Any]:
    try:
        data = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UsageError(f"{where}: byte {error.start} is not UTF-8; save the file as UTF-8") from error
    except ValueError as error:
        raise UsageError(f"{where} is not JSON: {error}") from error
    except RecursionError as error:
        raise UsageError(f"{where} is nested too deep; write one flat object per line") from error
    if not isinstance(data, Mapping):
        raise UsageError(f"{where} is no object; write one object per line")
    return data
