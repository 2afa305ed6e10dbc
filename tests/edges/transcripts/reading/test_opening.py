"""Where transcripts lie: files, packed files, folders, folders of events, standard input."""

import gzip
import io
import json
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from callsheet.edges.transcripts.reading.opening import found, opened
from callsheet.edges.transcripts.reading.records import Source
from callsheet.errors import UsageError


def content(path: Path) -> bytes:
    with opened(path) as stream:
        return stream.read()


def test_a_plain_file_is_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"a":1}\n')
    assert content(tmp_path / "a.jsonl") == b'{"a":1}\n'


def test_a_gzipped_file_is_unpacked(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b'{"a":1}\n'))
    assert content(tmp_path / "a.jsonl.gz") == b'{"a":1}\n'


def test_a_broken_archive_is_the_users_error(tmp_path: Path) -> None:
    for name, data in (("a.gz", gzip.compress(b"x" * 1_000)[:-20]), ("a.zip", b"PK\x03\x04 no zip")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(UsageError, match=name):
            opened(tmp_path / name)


def test_standard_input_is_read_once_and_can_be_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b'{"a":1}\n')))
    with opened(Path("-")) as stream:
        assert stream.read() == b'{"a":1}\n'
        stream.seek(0)
        assert stream.read() == b'{"a":1}\n'


def test_a_folder_of_event_files_is_one_transcript_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for number in (10, 2, 0):
        (tmp_path / f"event-{number:05d}-x.json").write_text(json.dumps({"n": number}, indent=2))
    assert found(tmp_path) == (tmp_path,)
    assert [json.loads(line)["n"] for line in content(tmp_path).splitlines()] == [0, 2, 10]


def test_a_folder_is_walked_to_its_files_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "b" / "c").mkdir(parents=True)
    for name in ("z.jsonl", "b/y.traj", "b/c/x.json", "b/readme.md"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "b" / "c" / "up").symlink_to(tmp_path)
    assert [str(each.relative_to(tmp_path)) for each in found(tmp_path)] == ["b/c/x.json", "b/y.traj", "z.jsonl"]


def test_a_folder_is_no_transcript(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="folder"):
        opened(tmp_path)


def test_a_file_that_is_not_there_is_the_users_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing"):
        opened(tmp_path / "nothing.jsonl")


def test_a_packed_inspect_log_is_the_document_with_its_samples(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as archive:
        archive.writestr("header.json", json.dumps({"version": 2, "eval": {"model": "m"}}, indent=1) + "\n")
        archive.writestr("samples/1_epoch_1.json", json.dumps({"id": 1}))
        archive.writestr("samples/2_epoch_1.json", json.dumps({"id": 2}))
        archive.writestr("summaries.json", "[]")
    with opened(tmp_path / "log.eval") as stream, Source(stream, "log.eval") as source:
        records = list(source.records("object", ("samples",)))
    assert [(each.part, each.index, each.value) for each in records][-2:] == [
        ("samples", 0, {"id": 1}),
        ("samples", 1, {"id": 2}),
    ]


def test_an_archive_of_several_files_asks_for_one_of_them(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "logs.zip", "w") as archive:
        archive.writestr("a.json", "{}")
        archive.writestr("b.json", "{}")
    with pytest.raises(UsageError, match="2 files"):
        opened(tmp_path / "logs.zip")


def test_a_damaged_event_file_in_a_folder_is_one_record_that_cannot_be_read(tmp_path: Path) -> None:
    for number, data in enumerate((b'{\r\n "a": 1\n}', b'{"a":\n', b'{"b": 2}')):
        (tmp_path / f"event-0000{number}-x.json").write_bytes(data)
    with opened(tmp_path) as stream, Source(stream, "folder") as source:
        records = list(source.records("lines"))
    assert [(each.value, each.skip) for each in records] == [({"a": 1}, None), (None, "unreadable"), ({"b": 2}, None)]
