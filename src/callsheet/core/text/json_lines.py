"""JSON lines: an object a line, each with its place."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...errors import UsageError
from .parse_json import parse_json


def json_lines(lines: Iterable[bytes], name: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The objects of lines, each with its `file:line` in a file of this name; UsageError for a line that is none."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            where = f"{name}:{number}"
            yield where, _parsed(line, where)


def _parsed(line: bytes, where: str) -> Mapping[str, Any]:
    try:
        data = parse_json(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UsageError(f"{where}: byte {error.start} is not UTF-8; save the file as UTF-8") from error
    except ValueError as error:
        raise UsageError(f"{where}: {error}; write one flat object of JSON per line") from error
    if not isinstance(data, Mapping):
        raise UsageError(f"{where} is no object; write one object per line")
    return data
