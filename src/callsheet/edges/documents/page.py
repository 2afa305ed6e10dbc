"""The text of a page's elements, laid out as a person reads it, with its headings and what is to stay whole."""

import re
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from ...core.text.outline import Heading, Span

UNREAD = frozenset(
    "script style noscript template nav head footer svg math iframe object canvas button select dialog".split()
)
"""Elements whose text is no part of what the page says."""

_UNSEEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden")
_PARAGRAPHS = frozenset(
    "p div section article main header aside ul ol dl table pre blockquote figure details hr body form".split()
)
_LINES = frozenset("br li dt dd tr figcaption summary address caption option".split())
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CELLS = frozenset(("td", "th"))
_WHOLE = frozenset(("pre", "table", "li"))
_LAID_OUT = ("table", "ul", "ol", "pre", *_HEADINGS)
_INK = re.compile(r"\S")


@dataclass(frozen=True, slots=True)
class Page:
    """What is read of a page."""

    text: str
    headings: tuple[Heading, ...]
    whole: tuple[Span, ...]
    links: tuple[str, ...]


def page(root: Any) -> Page:
    """The page below an element of lxml's; hidden elements and UNREAD ones are left out.

    A hidden text may have been written for machines alone, and nobody who looks a quotation up would find it.
    """
    layout = _Layout()
    walker = import_module("lxml.etree").iterwalk(root, events=("start", "end"))
    left_out: Any = None
    for event, element in walker:
        if event == "start" and element is not root and _unread(element):
            walker.skip_subtree()
            left_out = element
        elif event == "start":
            layout.enter(element)
        elif element is left_out:
            layout.say(element.tail)
        else:
            layout.leave(element)
            layout.say(element.tail if element is not root else None)
    return layout.page()


def _unread(element: Any) -> bool:
    given = element.attrib
    return (
        element.tag in UNREAD
        or "hidden" in given
        or given.get("aria-hidden") == "true"
        or given.get("role") == "navigation"
        or _UNSEEN.search(given.get("style", "").casefold()) is not None
    )


@dataclass(slots=True)
class _Layout:
    """Text as it comes: words gather on a line, and a line goes to the page when a block begins or ends."""

    pieces: list[str] = field(default_factory=list)
    length: int = 0
    words: list[str] = field(default_factory=list)
    gap: int = 0
    prefix: str = ""
    depth: int = 0
    verbatim: int = 0
    cells: int = 0
    begun: list[int] = field(default_factory=list)
    headings: list[tuple[int, int, int]] = field(default_factory=list)
    whole: list[Span] = field(default_factory=list)
    links: list[str] = field(default_factory=list)

    def say(self, text: str | None) -> None:
        """Words that come next."""
        if text:
            self.words.append(text)

    def enter(self, element: Any) -> None:
        """An element begins."""
        tag = element.tag
        if tag in _CELLS and (self.cells or next(element.iterdescendants(*_LAID_OUT), None) is None):
            self.cells += 1
        self._border(tag)
        if tag in _WHOLE or tag in _HEADINGS:
            self.begun.append(self.length)
        if tag in ("ul", "ol"):
            self.depth += 1
        elif tag == "li" and not self.cells:
            self.prefix = "  " * (self.depth - 1) + "- "
        elif tag == "pre":
            self.verbatim += 1
        elif tag == "a" and element.get("href"):
            self.links.append(element.get("href"))
        elif tag == "img":
            self.say(element.get("alt"))
        self.say(element.text)

    def leave(self, element: Any) -> None:
        """An element ends."""
        tag = element.tag
        if tag in _CELLS and self.cells:
            self.cells -= 1
            self.say(" | ")
        self._border(tag)
        if tag == "pre":
            self.verbatim -= 1
        elif tag in ("ul", "ol"):
            self.depth -= 1
        if tag in _HEADINGS:
            self.headings.append((self.begun.pop(), self.length, _HEADINGS[tag]))
        elif tag in _WHOLE:
            self.whole.append((self.begun.pop(), self.length))

    def page(self) -> Page:
        """All that was laid out; spans begin at their first character that is not blank."""
        self._line()
        text = "".join(self.pieces)
        spans = ((_first(text, start, end), end, level) for start, end, level in self.headings)
        headings = (Heading(start, end, level, " ".join(text[start:end].split())) for start, end, level in spans)
        whole = ((_first(text, start, end), end) for start, end in self.whole if start < end)
        return Page(text, tuple(each for each in headings if each.title), tuple(whole), tuple(self.links))

    def _border(self, tag: str) -> None:
        """Ends the line where an element of this name begins or ends, unless it lies in a cell of a table."""
        wanted = 2 if tag in _PARAGRAPHS or tag in _HEADINGS else 1 if tag in _LINES else 0
        if not wanted:
            return
        if self.cells:
            self.say(" ")
            return
        if tag == "br" and self.verbatim:
            self.say("\n")
            return
        self._line()
        in_list = self.depth > 0 and tag in ("ul", "ol", "p")
        self.gap = max(self.gap, 1 if in_list else wanted)

    def _line(self) -> None:
        """The gathered words go to the page: as they are inside `pre`, else with single blanks between them."""
        said = "".join(self.words)
        self.words.clear()
        line = said.strip("\n").rstrip() if self.verbatim else " ".join(said.split()).removesuffix(" |")
        if not line.strip():
            return
        written = "\n" * (self.gap if self.length else 0) + self.prefix + line
        self.pieces.append(written)
        self.length += len(written)
        self.gap, self.prefix = 0, ""


def _first(text: str, start: int, end: int) -> int:
    found = _INK.search(text, start, end)
    return found.start() if found else end
