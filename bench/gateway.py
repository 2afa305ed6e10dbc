"""What the gateway adds to a call: the same tool of the same server, asked directly and through `callsheet gateway`.

A small server written with the protocol's own SDK answers at once, so that what is measured is the way and nothing
else. The official client stands on the outer end both times, over standard input and output, in either era of the
protocol. Calls alternate in blocks, direct and through the gateway, and medians are compared; the machine is shared.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

SOURCE = Path(__file__).resolve().parents[1] / "src"
LIMIT = 2.0
ERAS = {"legacy": "legacy", "modern": "2026-07-28"}
SERVER = """
from mcp.server import MCPServer
server = MCPServer("echo", version="1")


@server.tool(description="Says a text again.")
def echo(text: str) -> str:
    return text


server.run("stdio")
"""
PROJECT = """
[project]
name = "bench"
policy_version = "v1"

[session]
tenant = "acme"
actor = "person:ann"
subject = "ann"

[decision.ask]
purpose = "work"
entry = true
allowlist = []
proposals = ["answer"]

[mcp.servers.echo]
command = {command}
args = [{server}]

[mcp.servers.echo.tools.echo]
effects = "{effects}"
authority = []

[gate]
confirm_effects = []
"""


def environment() -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(SOURCE)}


def project(folder: Path, effects: str) -> Path:
    """A project with the server in it, approved."""
    server = folder / "echo.py"
    server.write_text(SERVER)
    where = {"command": json.dumps(sys.executable), "server": json.dumps(str(server)), "effects": effects}
    (folder / "callsheet.toml").write_text(PROJECT.format(**where))
    approve = [sys.executable, "-m", "callsheet", "-C", str(folder), "gateway", "approve", "echo", "--json"]
    subprocess.run(approve, env=environment(), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return server


async def block(client: Client, tool: str, calls: int) -> list[float]:
    """Milliseconds of each call."""
    took = []
    for number in range(calls):
        begun = time.perf_counter()
        result = await client.call_tool(tool, {"text": f"pelican {number}"})
        took.append(1_000 * (time.perf_counter() - begun))
        assert not result.is_error, result
    return took


async def measured(folder: Path, server: Path, mode: str, calls: int, blocks: int) -> tuple[list[float], list[float]]:
    """Milliseconds of the calls that were made directly, and of those through the gateway."""
    direct = StdioServerParameters(command=sys.executable, args=[str(server)], env=environment())
    gateway = ["-m", "callsheet", "-C", str(folder), "gateway"]
    through = StdioServerParameters(command=sys.executable, args=gateway, env=environment())
    alone: list[float] = []
    behind: list[float] = []
    async with Client(stdio_client(direct), mode=mode) as one, Client(stdio_client(through), mode=mode) as other:
        await block(one, "echo", calls), await block(other, "echo__echo", calls)
        for _ in range(blocks):
            alone += await block(one, "echo", calls)
            behind += await block(other, "echo__echo", calls)
    return alone, behind


def figures(calls: int, blocks: int) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for effects, kind in (("read", "a read"), ("write", "a write")):
        for era, mode in ERAS.items():
            with tempfile.TemporaryDirectory() as folder:
                server = project(Path(folder), effects)
                alone, behind = asyncio.run(measured(Path(folder), server, mode, calls, blocks))
            one, other = statistics.median(alone), statistics.median(behind)
            tail = statistics.quantiles(behind, n=20)[-1] - statistics.quantiles(alone, n=20)[-1]
            n = len(behind)
            found[f"{kind}, {era}: added p50"] = {
                "value": other - one,
                "unit": "ms",
                "limit": LIMIT,
                "within": other - one <= LIMIT,
                "n": n,
            }
            found[f"{kind}, {era}: added p95"] = {"value": tail, "unit": "ms", "n": n}
            found[f"{kind}, {era}: whole p50"] = {
                "value": other,
                "unit": "ms",
                "peer": one,
                "ratio": other / one,
                "n": n,
            }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=50, help="calls of a block")
    parser.add_argument("--blocks", type=int, default=8, help="blocks of each way")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    found = figures(chosen.calls, chosen.blocks)
    if chosen.json:
        print(json.dumps({"bench": "gateway", "figures": found}))
        return
    for name, each in found.items():
        print(f"{name:32} {each['value']:8.3f} {each['unit']}")


if __name__ == "__main__":
    main()
