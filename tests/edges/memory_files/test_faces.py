"""The memory tool as others see it: the SDK's tool beside its own, and an MCP server as a real process (C7)."""

import asyncio
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from anthropic.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool
from anthropic.types.beta import BetaMemoryTool20250818CreateCommand
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from callsheet.edges.memory_tool.faces import OUTAGE, anthropic_tools, told
from callsheet.errors import StoreError
from callsheet.host.host import open_host
from callsheet.model.request import RequestContext

from ...processes import serving, surroundings
from .room import KINDS, areas, tool

SEQUENCE: tuple[dict[str, Any], ...] = (
    {"command": "view", "path": "/memories"},
    {"command": "view", "path": "/memories/a.md"},
    {"command": "create", "path": "/memories/a.md", "file_text": "one\ntwo\nthree\n"},
    {"command": "create", "path": "/memories/a.md", "file_text": "again"},
    {"command": "create", "path": "/memories/proj/deep/b.md", "file_text": "x"},
    {"command": "create", "path": "/memories/empty.md", "file_text": ""},
    {"command": "view", "path": "/memories/a.md"},
    {"command": "view", "path": "/memories/a.md", "view_range": [2, -1]},
    {"command": "view", "path": "/memories/proj"},
    {"command": "str_replace", "path": "/memories/a.md", "old_str": "two", "new_str": "2"},
    {"command": "str_replace", "path": "/memories/a.md", "old_str": "two", "new_str": "2"},
    {"command": "str_replace", "path": "/memories/a.md", "old_str": "e", "new_str": "E"},
    {"command": "str_replace", "path": "/memories/no.md", "old_str": "e", "new_str": "E"},
    {"command": "str_replace", "path": "/memories/proj", "old_str": "e", "new_str": "E"},
    {"command": "insert", "path": "/memories/a.md", "insert_line": 0, "insert_text": "zero"},
    {"command": "insert", "path": "/memories/a.md", "insert_line": 4, "insert_text": "four\n"},
    {"command": "insert", "path": "/memories/a.md", "insert_line": 6, "insert_text": "far"},
    {"command": "insert", "path": "/memories/empty.md", "insert_line": 0, "insert_text": "first"},
    {"command": "insert", "path": "/memories/no.md", "insert_line": 0, "insert_text": "x"},
    {"command": "view", "path": "/memories/a.md"},
    {"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/proj/a.md"},
    {"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/c.md"},
    {"command": "rename", "old_path": "/memories/empty.md", "new_path": "/memories/proj/a.md"},
    {"command": "rename", "old_path": "/memories", "new_path": "/memories/x"},
    {"command": "view", "path": "/memories/proj/a.md"},
    {"command": "view", "path": "/memories/../a.md"},
    {"command": "view", "path": "/etc/passwd"},
    {"command": "delete", "path": "/memories/proj"},
    {"command": "delete", "path": "/memories/proj"},
    {"command": "delete", "path": "/memories"},
    {"command": "view", "path": "/memories/proj/a.md"},
)
SAME_WORDS = ("create", "delete", "rename")
NUMBERED = ("view", "str_replace")


def outcome(run: Callable[[dict[str, Any]], Any], command: dict[str, Any]) -> tuple[bool, str]:
    """Whether a call was refused, and the words."""
    try:
        return False, run(dict(command))
    except ToolError as error:
        return True, str(error)


def lines(text: str) -> list[str]:
    """The numbered lines of an answer, without the empty one that the SDK shows for a line feed at the end."""
    shown = [line for line in text.split("\n") if line[:6].strip().isdigit()]
    return shown[:-1] if shown and shown[-1].endswith("\t") else shown


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_calls_have_the_same_outcome_as_with_the_sdks_own_tool(kind: str, tmp_path: Path) -> None:
    ours = anthropic_tools().tool(tool(areas(kind, tmp_path / "ours")).perform)
    theirs = BetaLocalFilesystemMemoryTool(str(tmp_path / "theirs"))
    for command in SEQUENCE:
        (refused, words), (their_refused, their_words) = outcome(ours.call, command), outcome(theirs.call, command)
        assert refused == their_refused, (command, words, their_words)
        if not refused and command["command"] in SAME_WORDS:
            assert words == their_words
        if not refused and command["command"] in NUMBERED:
            assert lines(words) == lines(their_words)


def test_both_sdk_tools_are_subclasses_of_the_sdks_and_declare_its_tool(tmp_path: Path) -> None:
    perform = tool(areas("store", tmp_path)).perform
    ours, waited = anthropic_tools().tool(perform), anthropic_tools().async_tool(perform, {"type": "ephemeral"})
    assert isinstance(ours, BetaAbstractMemoryTool) and isinstance(waited, BetaAsyncAbstractMemoryTool)
    assert ours.to_dict() == {"type": "memory_20250818", "name": "memory"}
    assert waited.to_dict() == {**ours.to_dict(), "cache_control": {"type": "ephemeral"}}
    typed = BetaMemoryTool20250818CreateCommand(command="create", path="/memories/a.md", file_text="x")
    assert ours.execute(typed) == "File created successfully at: /memories/a.md"
    assert asyncio.run(waited.call({"command": "str_replace", "path": "/memories/a.md", "old_str": "x"})).startswith(
        "The memory"
    )
    with pytest.raises(ToolError, match="does not exist"):
        asyncio.run(waited.call({"command": "delete", "path": "/memories/b.md"}))
    with pytest.raises(ToolError, match="no such command"):
        ours.call({"command": "format", "path": "/memories"})


def test_of_an_outage_a_model_learns_no_place() -> None:
    def broken(_: object) -> Any:
        raise StoreError("/data/t1/callsheet.db: the disk is full")

    assert told(broken, {}) == (OUTAGE, None)
    with pytest.raises(ToolError, match="cannot be reached"):
        anthropic_tools().tool(broken).call({})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project folder whose session is of tenant t1 and subject u1."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "callsheet.toml").write_text(
        '[project]\nname = "p"\npolicy_version = "v1"\n[session]\ntenant = "t1"\nactor = "a"\nsubject = "u1"\n'
        '[decision.answer]\nentry = true\npurpose = "p"\n',
        encoding="utf-8",
    )
    return folder


def command(project: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "callsheet", "-C", str(project), "memory", "serve", *more]


@asynccontextmanager
async def over_stdio(project: Path, mode: Any) -> AsyncIterator[Client]:
    program, *arguments = command(project)
    server = StdioServerParameters(command=program, args=arguments, env=surroundings())
    async with Client(server, mode=mode) as client:
        yield client


@asynccontextmanager
async def over_http(project: Path, mode: Any) -> AsyncIterator[Client]:
    with serving(command(project, "--http", "0", "--json")) as address:
        async with Client(address, mode=mode) as client:
            yield client


CALLS: Sequence[tuple[dict[str, Any], bool, str]] = (
    ({"command": "create", "path": "/memories/a.md", "file_text": "the canary"}, False, "File created successfully"),
    ({"command": "view", "path": "/memories/a.md"}, False, "     1\tthe canary"),
    ({"command": "view", "path": "/memories/../../secrets.env"}, True, "'..'"),
    ({"command": "view", "path": "/memories", "tenant": "t2"}, True, "no field 'tenant'"),
    ({"command": "create", "path": "/memories/shared/a.md", "file_text": "x"}, True, "only be read"),
    ({"path": "/memories"}, True, "no such command"),
)


@pytest.mark.parametrize("way", [over_stdio, over_http])
@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_an_mcp_client_of_either_era_reaches_the_sessions_files_and_no_others(
    way: Any, mode: str, project: Path
) -> None:
    async def walk() -> None:
        async with way(project, mode) as client:
            listed = (await client.list_tools()).tools
            assert [(each.name, each.annotations.destructive_hint) for each in listed] == [("memory", True)]
            assert not {"tenant", "subject", "tenant_id", "subject_id"} & set(listed[0].input_schema["properties"])
            for arguments, refused, words in CALLS:
                result = await client.call_tool("memory", arguments)
                assert (result.is_error, words in result.content[0].text) == (refused, True), result.content[0].text
            viewed = await client.call_tool("memory", CALLS[1][0])
            assert viewed.meta["callsheet/written_by"] == "model"
            assert (await client.call_tool("forget", {})).is_error

    asyncio.run(walk())
    with open_host(project) as host:
        own, other = host.session(), RequestContext("t2", "b", "u1")
        assert "canary" in host.memory.files(own).perform(CALLS[1][0]).text
        assert host.memory.files(other).perform(CALLS[1][0]).refused


def test_a_web_page_from_elsewhere_is_refused_by_the_http_server(project: Path) -> None:
    with serving(command(project, "--http", "0", "--json")) as address:
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        accept = {"Accept": "application/json, text/event-stream"}
        evil = httpx2.post(address, json=asked, headers={**accept, "Origin": "https://evil.example"})
        rebound = httpx2.post(address, json=asked, headers={**accept, "Host": "evil.example"})
    assert evil.status_code == 403 and rebound.status_code == 421


def test_a_server_without_its_package_or_its_port_says_what_to_do(project: Path) -> None:
    absent = (
        "import sys; sys.modules['mcp'] = None\n"
        "from callsheet.cli import callsheet; from callsheet.cli.group import run\n"
        f"sys.exit(run(callsheet, ['-C', {str(project)!r}, 'memory', 'serve']))"
    )
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = [
            subprocess.run(each, env=surroundings(), capture_output=True, text=True, stdin=subprocess.DEVNULL)
            for each in ([sys.executable, "-c", absent], command(project, "--http", port))
        ]
    assert [each.returncode for each in said] == [2, 2]
    assert "pip install 'callsheet[mcp]'" in said[0].stderr and f"port {port} cannot be listened to" in said[1].stderr
    assert not any("Traceback" in each.stderr for each in said)
