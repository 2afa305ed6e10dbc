"""HTML by lxml: what a person reads of a page, without what only steers it."""

import codecs
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from ...core.documents.matter import KEYS, stated
from ...core.text.outline import blocks
from ...errors import UsageError
from .document import Read, whole
from .extra import loaded
from .file import File
from .links import identity, targets
from .page import page

MODIFIED = ("dcterms.valid", "article:modified_time", "dcterms.modified", "last-modified", "dcterms.date")
"""Names of meta tags that say since when a page is as it is, the best first."""

DEEPEST = 2_048
"""Elements inside each other that libxml2 reads."""


def read(file: File) -> Iterator[Read]:
    """The document of a page: its text is what can be read of it, with blank lines between paragraphs."""
    tree = _tree(file)
    if tree is None:
        raise UsageError(f"{file.path} holds no text; write some, or leave it out")
    found = next((made for each in _mains(tree) if (made := page(each)).text.strip()), None) or page(tree)
    title = " ".join(tree.xpath("string((//head//title)[1])").split())
    first = next((heading.title for heading in found.headings if heading.level == 1), "")
    matter = stated(_meta(tree), file.name, identity(file.name))
    outline = blocks(found.text, found.headings, found.whole)
    yield whole(file, matter, found.text, outline, title=title or first, links=targets(file, found.links))


def _tree(file: File) -> Any:
    """The elements of a page. UTF-8 is known by its bytes; for the rest the page's own word or Windows-1252 holds."""
    etree = loaded("lxml.etree", file)
    data = file.data()
    if b"\0" in data and not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise UsageError(f"{file.path} is no text: it holds byte 0x00; name a page, or leave it out")
    encoding = "utf-8" if _is_utf8(data) else None
    parser = etree.HTMLParser(encoding=encoding, no_network=True, huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        tree = etree.fromstring(data, parser) if data.strip() else None
    except etree.LxmlError as error:
        raise UsageError(f"{file.path} cannot be read as HTML ({error}); mend it") from error
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        raise UsageError(f"{file.path} is nested deeper than {DEEPEST:,} elements; write it flatter, or leave it out")
    return tree


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _mains(tree: Any) -> Iterator[Any]:
    """The elements that may hold what the page is about: its only `main`, its only article, the body."""
    for path in ("//main | //*[@role='main']", "//article", "//body"):
        found = tree.xpath(path)
        if len(found) == 1:
            yield found[0]


def _meta(tree: Any) -> dict[str, str]:
    """What the page's meta tags state of it, by our own names, or by those of Dublin Core and Open Graph."""
    named = {
        str(tag.get("name") or tag.get("property") or tag.get("http-equiv") or "").casefold(): str(tag.get("content"))
        for tag in tree.iter("meta")
        if tag.get("content")
    }
    found = {name: value for name in KEYS if (value := named.get(name) or named.get(name.replace("_", "-")))}
    modified = next((date for name in MODIFIED if (date := _date(named.get(name, "")))), "")
    return {"effective": modified, "id": named.get("dcterms.identifier", ""), **found}


def _date(written: str) -> str:
    """An ISO date or time, empty where it is none: a tag meant for others is not wrong for being written otherwise."""
    try:
        return datetime.fromisoformat(written).isoformat()
    except ValueError:
        return ""
