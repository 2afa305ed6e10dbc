"""PDF: the text of pages, under the headings of the document's outline, and a clear word where there is none."""

import zlib
from io import BytesIO
from pathlib import Path

import pypdf
import pytest

from callsheet.edges.documents.reading import read
from callsheet.errors import UsageError

from .made import covers, one_of, outline


def pdf(*pages: str, compressed: bool = False) -> bytes:
    """A PDF with a line of text per line of each page."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for at, page in enumerate(pages):
        lines = "".join(f"({line}) Tj T*\n" for line in page.splitlines())
        content = f"BT /F1 12 Tf 14 TL 72 720 Td\n{lines}ET".encode("cp1252")
        packed, coding = (zlib.compress(content), b"/Filter /FlateDecode ") if compressed else (content, b"")
        resources = f"<< /Font << /F1 3 0 R >> >> /Contents {5 + 2 * at} 0 R"
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources {resources} >>".encode())
        objects.append(b"<< %s/Length %d >> stream\n%s\nendstream" % (coding, len(packed), packed))
    written, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    tail = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(written))
    return written + head + table + tail


def outlined(data: bytes, *entries: tuple[str, int], title: str = "", password: str = "") -> bytes:
    """The PDF with a title, an outline of titles and pages (from 0), each inside the one before, and a password."""
    writer = pypdf.PdfWriter(BytesIO(data))
    parent = None
    for entry, page in entries:
        parent = writer.add_outline_item(title=entry, page_number=page, parent=parent)
    if title:
        writer.add_metadata({"/Title": title})
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    stream = BytesIO()
    writer.write(stream)
    return stream.getvalue()


def test_pages_are_sections_that_can_be_cited(tmp_path: Path) -> None:
    document = one_of(tmp_path, "manual.pdf", pdf("First page.\nA revoked key.", "Schlüssel"))
    assert document.text == "First page.\nA revoked key.\n\nSchlüssel"
    assert outline(document) == [("page 1", "First page.\nA revoked key."), ("page 2", "Schlüssel")]
    assert document.document_id == "manual.pdf" and covers(document)


def test_the_outline_gives_headings_where_the_text_has_them(tmp_path: Path) -> None:
    data = pdf("The keys\nOpening.\nRotation\nEvery 90 days.", "It goes on.")
    document = one_of(tmp_path, "m.pdf", outlined(data, ("The keys", 0), ("Rotation", 0), title="The manual"))
    assert outline(document) == [
        ("The keys > page 1", "The keys\nOpening."),
        ("The keys > Rotation > page 1", "Rotation\nEvery 90 days."),
        ("The keys > Rotation > page 2", "It goes on."),
    ]
    assert document.title == "The manual" and covers(document)


def test_an_outline_whose_titles_are_not_in_the_text_still_names_its_pages(tmp_path: Path) -> None:
    document = one_of(tmp_path, "m.pdf", outlined(pdf("one", "two"), ("Chapter (2", 1)))
    assert outline(document) == [("page 1", "one"), ("Chapter (2 > page 2", "two")]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (outlined(pdf("secret"), password="x"), "is encrypted; save it without a password"),
        (pdf("", ""), r"has no text on any of its pages \(2\), as a scan has; recognise its text"),
        (b"%PDF-1.4\nnothing more", "cannot be read as PDF"),
        (b"no PDF at all", "cannot be read as PDF"),
        (b"", "cannot be read as PDF"),
        (pdf("text").replace(b"/Kids [4 0 R]", b"/Kids [2 0 R]"), "cannot be read as PDF|no text"),
    ],
)
def test_what_holds_no_text_is_refused_with_its_name_and_the_way_out(tmp_path: Path, data: bytes, said: str) -> None:
    with pytest.raises(UsageError, match=rf"m\.pdf.*({said})"):
        one_of(tmp_path, "m.pdf", data)


def test_a_page_that_unpacks_beyond_all_measure_is_left_out_and_noted(tmp_path: Path) -> None:
    packed = pdf("before", "line\n" * 3, compressed=True)
    bomb = zlib.compress(b" " * 200_000_000)
    old = packed[
        packed.index(b"stream\n", packed.index(b"7 0 obj")) + 7 : packed.index(b"\nendstream", packed.index(b"7 0 obj"))
    ]
    data = packed.replace(old, bomb).replace(b"/Length %d" % len(old), b"/Length %d" % len(bomb))
    path = tmp_path / "m.pdf"
    path.write_bytes(data)
    (found,) = read(path, tmp_path)
    assert found.document.text.strip() == "before" and found.notes == ("m.pdf: page 2 cannot be read",)


@pytest.mark.parametrize("cut", range(9, 900, 60))
def test_a_file_that_was_cut_off_is_read_as_far_as_it_goes_or_refused(tmp_path: Path, cut: int) -> None:
    try:
        assert "First" in one_of(tmp_path, "m.pdf", pdf("First page.")[:cut]).text
    except UsageError as error:
        assert "m.pdf" in str(error)
