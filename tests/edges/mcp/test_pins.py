"""What was approved of servers: kept whole, and nothing counts where the file was damaged or changed by hand (D5)."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.edges.mcp.pins import FILE, PinFile, read_pins, write_pins
from callsheet.errors import UsageError
from callsheet.model.gateway import Pinned

TOOL: dict[str, Any] = {"name": "add", "description": "Adds\u202e a note.", "inputSchema": {"type": "object"}}
PINS = {"notes": Pinned('{"command":["notes"]}', {"name": "notes", "version": "1"}, {"add": TOOL})}


def test_what_was_approved_is_read_as_it_was_written_and_the_file_hides_nothing(tmp_path: Path) -> None:
    assert read_pins(tmp_path) == {}
    path = write_pins(tmp_path, PINS)
    assert read_pins(tmp_path) == PINS and path.read_bytes().isascii()
    assert os.listdir(tmp_path) == [FILE]


@given(st.data())
def test_a_file_that_was_cut_off_anywhere_lets_nothing_through(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    path = write_pins(folder, PINS)
    whole = path.read_bytes()
    # Up to the last brace: the line feed after it is no part of what was approved.
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 2))])
    with pytest.raises(UsageError, match="no tool counts as approved"):
        read_pins(folder)


CHANGES: dict[str, Any] = {
    "a description": lambda data: data["servers"]["notes"]["tools"]["add"]["definition"].update(description="Sends."),
    "a hash": lambda data: data["servers"]["notes"]["tools"]["add"].update(hash="0" * 64),
    "a name": lambda data: data["servers"]["notes"]["tools"].update(drop=data["servers"]["notes"]["tools"].pop("add")),
    "a launch": lambda data: data["servers"]["notes"].update(launch=None),
    "a version": lambda data: data.update(version=2),
    "no servers": lambda data: data.pop("servers"),
    "servers in a list": lambda data: data.update(servers=[]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_was_changed_by_hand_lets_nothing_through(change: str, tmp_path: Path) -> None:
    path = write_pins(tmp_path, PINS)
    data = json.loads(path.read_text())
    CHANGES[change](data)
    path.write_text(json.dumps(data))
    with pytest.raises(UsageError, match="damaged or was changed by hand"):
        read_pins(tmp_path)


def test_a_write_that_fails_leaves_what_was_approved_before(tmp_path: Path) -> None:
    write_pins(tmp_path, PINS)
    with pytest.raises(TypeError):
        write_pins(tmp_path, {"notes": Pinned("", {"name": object()}, {})})  # type: ignore[dict-item]
    assert read_pins(tmp_path) == PINS and os.listdir(tmp_path) == [FILE]


def test_a_file_that_is_damaged_while_it_is_used_lets_nothing_through_until_it_is_whole_again(tmp_path: Path) -> None:
    path, pins = write_pins(tmp_path, PINS), PinFile(tmp_path)
    assert pins.read() == PINS
    whole = path.read_text()
    path.write_text(whole[:-20])
    for _ in range(2):  # the second look must not fall back on what was read before
        with pytest.raises(UsageError):
            pins.read()
    path.write_text(whole)
    assert pins.read() == PINS
    path.unlink()
    assert pins.read() == {}
