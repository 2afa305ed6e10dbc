"""Files as they lie about: other encodings, binary, too large, gone."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.edges.documents.file import LARGEST
from callsheet.edges.documents.reading import FORMATS, read, readable
from callsheet.errors import UsageError

from .made import all_of, one_of


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_an_encoding_that_its_mark_tells_is_read(tmp_path: Path, encoding: str) -> None:
    assert one_of(tmp_path, "a.txt", "Schlüssel €\r\nzwei\rdrei".encode(encoding)).text == "Schlüssel €\nzwei\ndrei"


def test_other_bytes_are_read_as_windows_1252_with_a_note(tmp_path: Path) -> None:
    (found,) = all_of(tmp_path, "a.md", "Schlüssel €".encode("cp1252"))
    assert found.document.text == "Schlüssel €"
    assert found.notes == ("a.md: byte 4 is not UTF-8; it was read as Windows-1252",)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00", r"a\.txt is no text: it holds byte 0x00"),
        (b"text\0text", r"a\.txt is no text: it holds byte 0x00"),
        ("text".encode("utf-16-le"), r"a\.txt is no text: it holds byte 0x00"),
        (b"\xff\xfea", r"a\.txt: byte 2 is not UTF-16; save it as UTF-8"),
        (b"\x01\x02\xff", r"a\.txt is no text: it holds byte 0x01"),
        (b"", r"a\.txt holds no text"),
        (b" \n\t ", r"a\.txt holds no text"),
        (b"x" * (LARGEST + 1), r"a\.txt has more than 32 MiB, the most that is read; split it"),
    ],
    ids=str,
)
def test_what_is_no_text_is_refused_with_its_name_and_the_way_out(tmp_path: Path, content: bytes, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        all_of(tmp_path, "a.txt", content)


def test_a_file_that_is_gone_or_no_file_is_refused_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "circle.md").symlink_to(tmp_path / "circle.md")
    for name in ("gone.md", "pipe.md", "folder.md", "circle.md"):
        with pytest.raises(UsageError, match=name):
            list(read(tmp_path / name, tmp_path))


def test_a_kind_that_is_not_known_is_refused_with_the_kinds_that_are(tmp_path: Path) -> None:
    for name, said in (("a.xyz", r"a kind \(\.xyz\) that is not read"), ("a", "without a suffix")):
        assert not readable(Path(name))
        with pytest.raises(UsageError, match=rf"{said}.*; read are Markdown"):
            all_of(tmp_path, name, "text")


def test_suffixes_are_read_in_any_case(tmp_path: Path) -> None:
    assert readable(Path("A.MD")) and one_of(tmp_path, "A.MD", "# A\ntext").document_id == "A"


BYTES = st.one_of(st.binary(max_size=60), st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")))


@given(st.sampled_from(sorted(FORMATS)), BYTES)
def test_any_bytes_are_documents_or_are_refused_by_name(suffix: str, content: bytes) -> None:
    with TemporaryDirectory() as folder:
        try:
            assert all(each.document.text.strip() for each in all_of(Path(folder), f"any{suffix}", content))
        except UsageError as error:
            assert f"any{suffix}" in str(error)
