"""A GGUF file's metadata is read without trust in the file."""

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callsheet.edges.counters.gguf import metadata
from callsheet.errors import WeightsError

from .gguf_files import ARRAY, STRING, gguf, text

PAIRS = {
    "general.name": "Größe",
    "tokenizer.ggml.tokens": ["a", "", "日本"],
    "tokenizer.ggml.add_bos_token": True,
    "context_length": 32_768,
    "scores": [0.5, -1.0],
}


def written(folder: Path, data: bytes) -> Path:
    path = folder / "model.gguf"
    path.write_bytes(data)
    return path


def test_the_wanted_values_are_given_and_no_others(tmp_path: Path) -> None:
    path = written(tmp_path, gguf(PAIRS) + b"tensors")
    assert metadata(path, PAIRS) == PAIRS
    assert metadata(path, ("context_length", "absent")) == {"context_length": 32_768}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.text(), st.text() | st.lists(st.text()) | st.booleans() | st.integers(0, 2**32 - 1)))
def test_what_was_written_is_read(tmp_path: Path, pairs: Mapping[str, Any]) -> None:
    assert metadata(written(tmp_path, gguf(pairs)), pairs) == pairs


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_damaged_file_is_refused_by_name_or_read_and_nothing_else(tmp_path: Path, data: st.DataObject) -> None:
    sound = gguf(PAIRS)
    at = data.draw(st.integers(0, len(sound) - 1))
    damaged = bytearray(sound)
    damaged[at] = data.draw(st.integers(0, 255))
    path = written(tmp_path, bytes(damaged[: data.draw(st.integers(at, len(sound)))]))
    try:
        metadata(path, PAIRS)
    except WeightsError as error:
        assert str(path) in str(error)


HEAD = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("key")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "ends"),
        (b"GGML" + bytes(20), "does not begin with GGUF"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "version 50331648"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**63), "ends"),
        (HEAD + struct.pack("<I", 77), "type 77"),
        (HEAD + struct.pack("<IQ", STRING, 2**62), "ends"),
        (HEAD + struct.pack("<IIQ", ARRAY, 6, 2**60), "ends"),
        (HEAD + struct.pack("<IIQ", ARRAY, STRING, 2**60), "ends"),
        (HEAD + struct.pack("<IIQ", ARRAY, ARRAY, 1), "type 9"),
    ],
)
def test_a_hostile_file_is_refused_at_once_with_the_reason(tmp_path: Path, data: bytes, why: str) -> None:
    with pytest.raises(WeightsError, match=why):
        metadata(written(tmp_path, data), ("key",))


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"absent\.gguf cannot be read: No such file"):
        metadata(tmp_path / "absent.gguf", ())
