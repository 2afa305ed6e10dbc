"""Catalogues of tools: what MCP's tools/list, OpenAI's and Anthropic's requests and lists of servers say of each."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..core.text.parse_json import parse_json
from ..errors import UsageError
from ..model.tool import ListedTool

SCHEMAS = ("inputSchema", "input_schema", "parameters", "parametersJsonSchema")
SHAPES = "an answer to MCP's tools/list, a list of tools as OpenAI or Anthropic take them, or a list of servers"


def read_catalogue(path: Path) -> tuple[ListedTool, ...]:
    """The tools of a JSON file in any of these shapes, or of a folder of such files, in order.

    A mapping of names to descriptions is a catalogue too. UsageError for what holds no tool, and for a tool without a
    name.
    """
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    found = tuple(tool for file in files for tool in _read(file))
    if not found:
        raise UsageError(f"{path} lists no tool; give {SHAPES}")
    return found


def _read(file: Path) -> Iterator[ListedTool]:
    try:
        data = parse_json(file.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise UsageError(f"{file}: {error}; give {SHAPES}") from error
    yield from _tools(data, "", "", file)


def _tools(data: Any, server: str, about: str, file: Path) -> Iterator[ListedTool]:
    if isinstance(data, list):
        for each in data:
            yield from _tools(each, server, about, file)
    elif isinstance(data, Mapping):
        yield from _of_mapping(data, server, about, file)


def _of_mapping(data: Mapping[str, Any], server: str, about: str, file: Path) -> Iterator[ListedTool]:
    for key in ("result", "tools", "functionDeclarations", "function_declarations"):
        if isinstance(data.get(key), Mapping | list):
            named, told = _server(data, server), _text(data, "description", "instructions") or about
            inner = data[key]
            if key == "tools" and isinstance(inner, Mapping):
                inner = list(inner.values())
            yield from _tools(inner, named, told, file)
            return
    said = data["function"] if isinstance(data.get("function"), Mapping) else data
    if not said.get("name") and said and all(isinstance(value, str) for value in said.values()) and "type" not in said:
        yield from (ListedTool(str(name), text, server=server, about=about) for name, text in said.items())
        return
    name = said.get("name")
    if not isinstance(name, str) or not name.strip():
        raise UsageError(f"{file}: a tool has no name ({json.dumps(data)[:80]}); give {SHAPES}")
    schema: Mapping[str, Any] = next((said[key] for key in SCHEMAS if isinstance(said.get(key), Mapping)), {})
    yield ListedTool(name, _text(said, "description"), schema, server, about)


def _server(data: Mapping[str, Any], outer: str) -> str:
    info = data.get("serverInfo")
    named = info.get("name") if isinstance(info, Mapping) else None
    return _text(data, "server", "server_name", "name") or (named if isinstance(named, str) else "") or outer


def _text(data: Mapping[str, Any], *keys: str) -> str:
    return next((data[key] for key in keys if isinstance(data.get(key), str)), "")
