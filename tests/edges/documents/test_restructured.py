"""reStructuredText: its section titles and fields, with nothing opened and nothing run."""

from pathlib import Path

import pytest

from callsheet.errors import UsageError

from .made import covers, one_of, outline

TEXT = """:version: 7
:review-by: 2027-01-01
:author: somebody

==========
API *keys*
==========

Intro, see :doc:`other`, :doc:`the rest <sub/rest>`, `web <http://example.org/x>`_ and `file <sub/a.rst>`_.

Revoked
-------
Text::

   Not a title
   -----------

.. note:: A note.

   Its body.

.. toctree::
   :maxdepth: 2

Deep
~~~~

:custom-role:`text` stays.

Last
----

Text.
"""


def test_sections_lie_at_titles_with_their_path(tmp_path: Path) -> None:
    document = one_of(tmp_path, "a.rst", TEXT)
    found = outline(document)
    assert [path for path, _ in found] == [
        "",
        "API keys",
        "API keys > Revoked",
        "API keys > Revoked > Deep",
        "API keys > Last",
    ]
    assert found[1][1].startswith("==========\nAPI *keys*\n==========") and found[2][1].startswith("Revoked\n-------")
    assert document.text == TEXT and document.title == "API keys" and covers(document)


def test_fields_above_the_text_tell_version_and_dates(tmp_path: Path) -> None:
    document = one_of(tmp_path, "a.rst", TEXT)
    assert document.version == "7" and document.review_by is not None and document.review_by.year == 2027


def test_references_lead_to_documents(tmp_path: Path) -> None:
    assert set(one_of(tmp_path, "a.rst", TEXT).links) == {"sub/a.rst", "other.rst", "sub/rest.rst"}


def test_no_file_is_included_and_nothing_raw_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("Stolen\n======\n\nhunter2\n", encoding="utf-8")
    text = "".join(
        f".. {directive} {tmp_path / 'secret.txt'}\n\n" for directive in ("include::", "literalinclude::")
    ) + (
        f".. raw:: html\n   :file: {tmp_path / 'secret.txt'}\n\n"
        f".. csv-table::\n   :file: {tmp_path / 'secret.txt'}\n\nTitle\n=====\n\nText.\n"
    )
    document = one_of(tmp_path, "a.rst", text)
    assert document.text == text and "hunter2" not in repr(document)
    assert [path for path, _ in outline(document)] == ["", "Title"]


def test_a_literal_block_stays_whole(tmp_path: Path) -> None:
    document = one_of(tmp_path, "a.rst", TEXT)
    kept = [document.text[start:end] for block in document.outline or () for start, end in block.whole]
    assert "Text::\n\n   Not a title\n   -----------" in kept and ".. note:: A note.\n\n   Its body." in kept


def test_nesting_beyond_all_measure_is_refused_with_its_name(tmp_path: Path) -> None:
    text = "\n".join("  " * depth + "- x\n" for depth in range(2_000))
    with pytest.raises(UsageError, match=r"deep\.rst is nested too deep"):
        one_of(tmp_path, "deep.rst", text)
