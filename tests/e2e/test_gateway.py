"""Real servers behind `callsheet gateway`: a client of either era lists and calls each tool as without it (D5)."""

import asyncio
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.types import ElicitResult

from ..processes import surroundings
from .servers import Foreign, foreign, install

pytestmark = pytest.mark.e2e
PROJECT = """
[project]
name = "gateway"
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

[gate]
confirm_effects = []
"""
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.-]+Z")
NAMES = ("git", "time", "fetch", "files", "memory", "everything", "playwright")


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    install()
    folder = tmp_path_factory.mktemp("work")
    (folder / "hello.txt").write_text("The pelican is grey.\n")
    git = ["git", "-c", "user.name=ann", "-c", "user.email=ann@example.com"]
    for command in (["init", "-q"], ["add", "hello.txt"], ["commit", "-q", "-m", "pelican"]):
        subprocess.run([*git, *command], cwd=folder, check=True, stdin=subprocess.DEVNULL)
    return folder


@pytest.fixture(scope="module")
def page(work: Path) -> Iterator[str]:
    """The address of a page on this machine."""
    (work / "page.html").write_text("<h1>The pelican</h1><p>It nests by the lake.</p>")
    handler = partial(SimpleHTTPRequestHandler, directory=str(work))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/page.html"
        server.shutdown()
        thread.join()


def project(folder: Path, name: str, server: Foreign) -> Path:
    """A project with one server, approved as it lists itself now; the tool that is called changes nothing."""
    said = f"[mcp.servers.{name}]\ncommand = {json.dumps(server.command)}\nargs = {json.dumps(list(server.args))}\n"
    said += f'env = ["PATH", "HOME"]\n[mcp.servers.{name}.tools.{server.tool}]\neffects = "read"\n'
    folder.joinpath("callsheet.toml").write_text(PROJECT + said)
    callsheet(folder, "approve", name)
    # What was reported or held by its words is approved by its name, as a person would who has read it.
    held = [each for each in listed(folder) if each["outcome"] == "hold" and "/" in each["subject"]]
    if held:
        callsheet(folder, "approve", name, *(each["subject"].partition("/")[2] for each in held))
    return folder


def callsheet(folder: Path, *words: str) -> str:
    command = [sys.executable, "-m", "callsheet", "-C", str(folder), "gateway", *words, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=surroundings())
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def listed(folder: Path) -> list[dict[str, Any]]:
    reviews: list[dict[str, Any]] = json.loads(callsheet(folder, "list"))["reviews"]
    return reviews


async def asked(
    command: str, args: Sequence[str], cwd: Path, mode: str, tool: str, arguments: dict[str, object]
) -> tuple[dict[str, Any], Any]:
    """What is said of every listed tool, by its name, and what a call gives: its contents, and whether it failed."""
    parameters = StdioServerParameters(command=command, args=list(args), env=surroundings(), cwd=cwd)
    async with Client(stdio_client(parameters), mode=mode, elicitation_callback=declined) as client:
        tools = {each.name: (each.description, each.input_schema) for each in (await client.list_tools()).tools}
        result = await client.call_tool(tool, arguments)
    contents = [each.model_dump(exclude_none=True) for each in result.content]
    return tools, (json.loads(MOMENT.sub("then", json.dumps(contents))), result.is_error)


async def declined(*_: object) -> ElicitResult:
    """The answer of a client that knows how to ask a person: some servers list more tools to one."""
    return ElicitResult(action="decline")


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
@pytest.mark.parametrize("name", NAMES)
def test_every_tool_of_a_real_server_is_listed_and_called_as_without_the_gateway(
    name: str, mode: str, work: Path, page: str, tmp_path: Path
) -> None:
    server = foreign(work, page)[name]
    folder, arguments = project(tmp_path, name, server), dict(server.arguments)
    tools, direct = asyncio.run(asked(server.command, server.args, work, "auto", server.tool, arguments))
    ours = ("-m", "callsheet", "-C", str(folder), "gateway")
    seen, through = asyncio.run(asked(sys.executable, ours, work, mode, f"{name}__{server.tool}", arguments))
    assert seen.pop("read_artifact")
    assert seen == {f"{name}__{each}".replace(".", "_"): said for each, said in tools.items()}
    assert through == direct and direct[1] is not True, direct
