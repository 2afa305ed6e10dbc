"""The tools of foreign servers as a port: connections of each session's own, and keys that only the engine fills in."""

import asyncio
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from callsheet.core.tools.contracts import LocalContract
from callsheet.edges.mcp.pins import write_pins
from callsheet.edges.project.mcp_settings import McpSettings, ServerSettings
from callsheet.host.tools.served import ServedTools
from callsheet.host.tools.servers import Servers, launch
from callsheet.model.gateway import Pinned
from callsheet.model.request import RequestContext
from callsheet.model.tool import ToolCall

SERVER = """
import sys
import time
from pathlib import Path

from mcp.server import MCPServer

server = MCPServer("waiting", version="1")


@server.tool(description="Waits for a file.")
def wait(begun: str, until: str) -> str:
    Path(begun).touch()
    while not Path(until).exists():
        time.sleep(0.01)
    return "it came"


@server.tool(description="Charges.")
def charge(key: str, amount: int) -> str:
    return key


server.run("stdio")
"""
ME = RequestContext("acme", "customer:u1", "u1")


@pytest.fixture
def settings(tmp_path: Path) -> McpSettings:
    """One server, with its tools as it lists them approved."""
    file = tmp_path / "server.py"
    file.write_text(SERVER)
    charge = LocalContract(effects="external", idempotency_key="key")
    server = ServerSettings(command=sys.executable, args=(str(file),), tools={"charge": charge}, timeout=60)
    settings = McpSettings(servers={"waiting": server})
    unpinned = Pinned(launch(server), {"name": "waiting", "version": "1"}, {})
    write_pins(tmp_path, {"waiting": unpinned})

    async def listed() -> dict[str, dict[str, object]]:
        async def declined(_: str, __: dict[str, object]) -> dict[str, object]:
            return {"action": "decline"}

        servers = Servers(settings, tmp_path, {}, ME, declined)
        try:
            return {str(each["name"]): each for each in await servers.connections["waiting"].listed("tools")}
        finally:
            await servers.close()

    write_pins(tmp_path, {"waiting": replace(unpinned, tools=asyncio.run(listed()))})
    return settings


def test_connections_that_a_call_is_under_way_on_are_not_ended_for_those_of_others(
    tmp_path: Path, settings: McpSettings
) -> None:
    tools = ServedTools(settings, tmp_path, {}, sessions=1)
    begun, until = tmp_path / "begun", tmp_path / "until"
    waiting = ToolCall("waiting__wait", {"begun": str(begun), "until": str(until)})
    said: list[object] = []
    thread = threading.Thread(target=lambda: said.append(tools.execute(waiting, ME).value))
    thread.start()
    unknown = ToolCall("waiting__nothing", {})
    while not begun.exists():
        tools.execute(unknown, ME)
    for number in range(2):
        assert tools.execute(unknown, replace(ME, subject_id=f"u{number + 2}")).failure == "not-listed"
    until.touch()
    thread.join()
    tools.close()
    assert said == [{"result": "it came"}]


def test_a_key_is_filled_in_by_a_run_and_makes_no_call_of_a_client_repeatable(
    tmp_path: Path, settings: McpSettings
) -> None:
    tools = ServedTools(settings, tmp_path, {})
    (contract,) = (each for each in tools.contracts() if each.source == "charge")
    assert contract.repeatable and set(contract.input_schema["properties"]) == {"amount"}
    assert tools.execute(ToolCall("waiting__charge", {"amount": 1}, key="one"), ME).value == {"result": "one"}
    tools.close()

    async def listed() -> bool:
        async def declined(_: str, __: dict[str, object]) -> dict[str, object]:
            return {"action": "decline"}

        servers = Servers(settings, tmp_path, {}, ME, declined)
        try:
            return (await servers.listing()).contracts["waiting__charge"].repeatable
        finally:
            await servers.close()

    assert asyncio.run(listed()) is False
