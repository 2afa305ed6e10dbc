"""`mcp-lock.json` of a project: what a person approved of each server, whole and with its hash; reviewed like code."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from secrets import token_hex
from typing import Any

from ...core.gateway.definitions import digest
from ...core.text.parse_json import parse_json
from ...errors import UsageError
from ...model.gateway import Pinned

FILE = "mcp-lock.json"
_VERSION = 1


def read_pins(folder: Path) -> dict[str, Pinned]:
    """What was approved, by server; nothing where no file is.

    UsageError for a file that is damaged, changed by hand or of another version: nothing counts as approved then.
    """
    path = folder / FILE
    try:
        return _read(parse_json(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"{path} is damaged or was changed by hand ({type(error).__name__}: {error}), so no tool counts as "
            "approved; restore it, or delete it and approve anew with `callsheet gateway approve`"
        ) from None


def _read(data: Any) -> dict[str, Pinned]:
    if data["version"] != _VERSION:
        raise ValueError(f"version {data['version']!r} is not {_VERSION}")
    return {server: _pinned(server, said) for server, said in data["servers"].items()}


def _pinned(server: str, said: Mapping[str, Any]) -> Pinned:
    tools = {}
    for name, entry in said["tools"].items():
        definition = entry["definition"]
        if definition["name"] != name or digest(definition) != entry["hash"]:
            raise ValueError(f"the hash of {server}/{name} is not that of its definition")
        tools[name] = definition
    if not isinstance(said["launch"], str):
        raise ValueError(f"{server} has no launch")
    return Pinned(said["launch"], {key: str(value) for key, value in said["server"].items()}, tools)


def write_pins(folder: Path, pins: Mapping[str, Pinned]) -> Path:
    """The file, with what was approved in its place at once and whole: a crash leaves the one before."""
    servers = {
        server: {
            "launch": pinned.launch,
            "server": dict(pinned.server_info),
            "tools": {name: {"hash": digest(tool), "definition": tool} for name, tool in sorted(pinned.tools.items())},
        }
        for server, pinned in sorted(pins.items())
    }
    path, fresh = folder / FILE, folder / f".{FILE}.{token_hex(8)}.new"
    try:
        # ASCII, so that nothing in a definition can hide from whoever reads the change in a review.
        with fresh.open("x", encoding="ascii") as file:
            file.write(json.dumps({"version": _VERSION, "servers": servers}, indent=2) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    return path


class PinFile:
    """The pins of a project, read again when the file changes: what is approved meanwhile counts at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = str(folder / FILE)
        self._seen: tuple[int, int, int] | None = None
        self._pins: dict[str, Pinned] = {}

    def read(self) -> Mapping[str, Pinned]:
        """What is approved now. UsageError as `read_pins`."""
        try:
            status = os.stat(self._path)
            now = (status.st_mtime_ns, status.st_size, status.st_ino)
        except FileNotFoundError:
            now = (0, 0, 0)
        if now != self._seen:
            self._seen = None
            self._pins = read_pins(self._folder)
            self._seen = now
        return self._pins
