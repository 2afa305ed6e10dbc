"""Foreign servers of the Model Context Protocol, installed beside the project; run as a program by `make e2e`."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..source import ROOT

FOLDER = ROOT / ".venv" / "servers"
PINS = ROOT / "requirements" / "mcp-servers.txt"
PACKAGES = ROOT / "requirements" / "mcp-servers.json"
NODE = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "nodejs", "npm"]


@dataclass(frozen=True)
class Foreign:
    """A server: how it is started, and one call that is safe to make twice."""

    command: str
    args: tuple[str, ...]
    tool: str
    arguments: Mapping[str, object]


def foreign(work: Path, page: str) -> dict[str, Foreign]:
    """The servers by the id that they have here; `work` is a folder with a Git repository in it, `page` an address."""
    python, node = FOLDER / "python" / "bin", FOLDER / "node_modules" / ".bin"
    hello = str(work / "hello.txt")
    chromium = shutil.which("chromium") or shutil.which("google-chrome") or ""
    browser = ("--headless", "--isolated", "--no-sandbox", "--executable-path", chromium)
    repository = {"repo_path": str(work)}
    return {
        "git": Foreign(str(python / "mcp-server-git"), (), "git_log", repository),
        "time": Foreign(str(python / "mcp-server-time"), (), "convert_time", CONVERSION),
        "fetch": Foreign(
            str(python / "mcp-server-fetch"), ("--ignore-robots-txt", "--allow-private-ips"), "fetch", {"url": page}
        ),
        "files": Foreign(str(node / "mcp-server-filesystem"), (str(work),), "read_text_file", {"path": hello}),
        "memory": Foreign(str(node / "mcp-server-memory"), (), "read_graph", {}),
        "everything": Foreign(str(node / "mcp-server-everything"), (), "echo", {"message": "pelican"}),
        "playwright": Foreign(
            str(node / "playwright-mcp"), browser, "browser_navigate", {"url": "data:text/html,<h1>pelican</h1>"}
        ),
    }


CONVERSION = {"source_timezone": "Europe/Warsaw", "time": "12:30", "target_timezone": "Asia/Tokyo"}


def install() -> None:
    """Installs the pinned servers where they are not there yet; CalledProcessError where one cannot be had."""
    stamp, pins = FOLDER / "pins", PINS.read_text() + PACKAGES.read_text()
    if stamp.is_file() and stamp.read_text() == pins:
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    _done([sys.executable, "-m", "venv", str(FOLDER / "python")])
    _done([str(FOLDER / "python" / "bin" / "pip"), "install", "-q", "--disable-pip-version-check", "-r", str(PINS)])
    if not shutil.which("npm"):
        _done(["apt-get", "update", "-qq"])
        _done(NODE)
    (FOLDER / "package.json").write_text(json.dumps(json.loads(PACKAGES.read_text())))
    quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--loglevel=error"]
    _done(["npm", "install", "--prefix", str(FOLDER), *quiet])
    stamp.write_text(pins)


def _done(command: list[str]) -> None:
    print(" ".join(command), file=sys.stderr)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(command, stdin=subprocess.DEVNULL, env=quiet, check=True)


if __name__ == "__main__":
    install()
