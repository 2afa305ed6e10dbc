"""Markdown by markdown-it: headings, fences, tables, lists and links as CommonMark has them."""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from itertools import accumulate
from typing import Any

from ...core.documents.matter import stated
from ...core.text.outline import Heading, blocks
from ...model.evidence import Block
from .document import Read, whole
from .file import File, decoded
from .front import parted
from .links import identity, targets

_WHOLE = ("fence", "code_block", "html_block", "table_open", "list_item_open")


def read(file: File) -> Iterator[Read]:
    """The document of a Markdown file: its text is the source below the front matter."""
    source = decoded(file)
    data, text = parted(source.text, file.name)
    matter = stated(data, file.name, identity(file.name))
    outline, links, title = outlined(text)
    yield whole(file, matter, text, outline, title=title, links=targets(file, links), notes=source.notes)


def outlined(text: str) -> tuple[tuple[Block, ...], list[str], str]:
    """The blocks of a Markdown text, where its links lead, and its first heading of the highest level."""
    tokens = _parser().parse(text, {})
    starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    whole, headings = [], []
    for at, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0:
            start, end = (min(starts[line], len(text)) for line in token.map)
            headings.append(Heading(start, end, int(token.tag[1:]), _words(tokens[at + 1].children)))
        elif token.type in _WHOLE:
            first, last = (min(starts[line], len(text)) for line in token.map)
            whole.append((first, last))
    links = [str(child.attrGet("href")) for token in tokens for child in token.children or () if _leads(child)]
    title = next((heading.title for heading in headings if heading.level == 1), "")
    return blocks(text, headings, whole), links, title


@cache
def _parser() -> Any:
    """One for all documents: it keeps nothing of a text, and making it takes as long as parsing a page."""
    return import_module("markdown_it").MarkdownIt("commonmark").enable("table")


def _leads(token: Any) -> bool:
    return token.type == "link_open" and bool(token.attrGet("href"))


def _words(children: Sequence[Any]) -> str:
    """The words of a heading without its markup."""
    words = (
        " " if child.type.endswith("break") else child.content for child in children if child.type != "html_inline"
    )
    return " ".join("".join(words).split())
