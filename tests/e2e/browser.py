"""Chromium for the tests of pages: the one that is there, else installed; run as a program by `make e2e`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WAYS = (
    [[sys.executable, "-m", "playwright", "install", "chromium"]],
    [["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"]],
)
"""How it is installed: Playwright's own build, and where that cannot be had, Debian's."""


def chromium() -> Path | None:
    """The browser's program: the one named by CALLSHEET_CHROMIUM, Playwright's own build, or one on the PATH."""
    named = os.environ.get("CALLSHEET_CHROMIUM")
    if named:
        return Path(named)
    with sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
    if own.is_file():
        return own
    return next((Path(path) for path in map(shutil.which, NAMES) if path), None)


def install() -> Path:
    """The browser's program, installed where there was none; SystemExit where no way leads to one."""
    for way in ([], *WAYS):
        print(*(" ".join(map(str, command)) for command in way), sep="\n", file=sys.stderr)
        if all(_done(command) for command in way) and (found := chromium()):
            return found
    sys.exit("no Chromium: install one, or name its program in CALLSHEET_CHROMIUM")


def _done(command: list[str]) -> bool:
    if not shutil.which(command[0]):
        return False
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run(command, stdin=subprocess.DEVNULL, env=quiet).returncode == 0


if __name__ == "__main__":
    print(install())
