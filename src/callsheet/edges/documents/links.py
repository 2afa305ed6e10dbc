"""Where a link in a file leads, as the id of a document."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from ...core.text.citation import citable
from .file import File

UNNAMED = (".md", ".markdown", ".txt")
"""Suffixes that the id of a document leaves out; that of any other file is its whole name."""

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")
_PAGES = (".html", ".htm", "/")


def identity(name: str) -> str:
    """The id of the document in a file of this name: its path inside the folder that was asked for."""
    stem, suffix = posixpath.splitext(name)
    return citable(stem if suffix.lower() in UNNAMED else name)


def targets(file: File, links: Iterable[str]) -> Iterator[str]:
    """The ids that links out of a file lead to, inside its folder; a link to elsewhere leads to no document.

    Markdown often names the page it is published as: `keys.html` leads to a `keys.html` and to a `keys.md` alike.
    """
    for link in links:
        path = unquote(link.partition("#")[0].partition("?")[0])
        if not path or _SCHEME.match(link):
            continue
        whole = path.lstrip("/") if path.startswith("/") else posixpath.join(posixpath.dirname(file.name), path)
        name = posixpath.normpath(whole)
        if name.startswith("..") or name == ".":
            continue
        yield identity(name)
        if path.endswith(_PAGES):
            yield citable(posixpath.splitext(name)[0])
