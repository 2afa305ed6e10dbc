"""Catalogues of tools in the shapes they are written in."""

import json
from pathlib import Path
from typing import Any

import pytest

from callsheet.edges.catalogues import read_catalogue
from callsheet.errors import UsageError

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
ONE = {"name": "forecast", "description": "Weather."}


def read(folder: Path, data: Any) -> list[tuple[str, str, str, Any]]:
    (folder / "tools.json").write_text(json.dumps(data), encoding="utf-8")
    found = read_catalogue(folder / "tools.json")
    return [(tool.server, tool.name, tool.description, tool.input_schema) for tool in found]


@pytest.mark.parametrize(
    "data",
    [
        {"tools": [{**ONE, "inputSchema": SCHEMA}]},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{**ONE, "inputSchema": SCHEMA}]}},
        [{"type": "function", "function": {**ONE, "parameters": SCHEMA}}],
        [{"type": "function", **ONE, "parameters": SCHEMA}],
        [{**ONE, "input_schema": SCHEMA}],
        {"model": "any", "tools": [{"functionDeclarations": [{**ONE, "parameters": SCHEMA}]}]},
        {**ONE, "input_schema": SCHEMA},
    ],
)
def test_a_tool_reads_the_same_in_every_shape(tmp_path: Path, data: Any) -> None:
    assert read(tmp_path, data) == [("", "forecast", "Weather.", SCHEMA)]


def test_a_list_of_servers_names_each_tools_own(tmp_path: Path) -> None:
    servers = [{"name": "Sky", "description": "All skies.", "tools": {"sky": {"server_name": "sky-1", "tools": [ONE]}}}]
    (tmp_path / "tools.json").write_text(json.dumps(servers), encoding="utf-8")
    (tool,) = read_catalogue(tmp_path / "tools.json")
    assert (tool.server, tool.about) == ("sky-1", "All skies.")


def test_names_with_descriptions_are_a_catalogue(tmp_path: Path) -> None:
    assert read(tmp_path, {"forecast": "Weather.", "route": "Ways."}) == [
        ("", "forecast", "Weather.", {}),
        ("", "route", "Ways.", {}),
    ]


def test_a_folder_gives_the_tools_of_all_its_files_in_order(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"tools": [{"name": name}]}), encoding="utf-8")
    assert [tool.name for tool in read_catalogue(tmp_path)] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "it is not JSON at line 1"),
        ("[" * 900 + "]" * 900, "nested deeper than 200 levels"),
        ("[]", "lists no tool"),
        ('{"tools": [{"description": 1}]}', "a tool has no name"),
    ],
)
def test_what_is_no_catalogue_is_refused_with_the_shapes_it_may_have(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "tools.json").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=said) as raised:
        read_catalogue(tmp_path / "tools.json")
    assert "MCP's tools/list" in str(raised.value)
