"""Cutting a document into sections: at headings, then at paragraphs, with exact offsets and citable ids (B5)."""

import re
from collections.abc import Iterator

from ...model.evidence import Block, Document, Evidence

LIMIT = 1_100
"""Characters of one section at most, where a border can be found: short enough to be weighed on its own."""

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_BORDERS = (re.compile(r"\n[ \t]*\n\s*"), re.compile(r"\n"), re.compile(r"(?<=[.!?;:])\s+"), re.compile(r"\s+"))


def sections(document: Document, tenant_id: str) -> tuple[Evidence, ...]:
    """The sections of a document in reading order, each a span of its text: `document.text[start:end] == text`.

    The heading line belongs to its section's text; `heading` is the path of headings, joined by ` > `. A section's
    id is `document@version#slug`; a heading that occurs again gets `-2`, and further parts of a long section get `.2`.
    """
    taken: set[str] = set()
    found = []
    for block in document.outline if document.outline is not None else _blocks(document.text):
        slug = _unused(_slug(block.path[-1] if block.path else document.title) or "text", taken)
        for number, (start, end) in enumerate(_parts(document.text, block.start, block.end), 1):
            name = slug if number == 1 else _unused(f"{slug}.{number}", taken)
            found.append(_section(document, tenant_id, name, block, start, end))
    return tuple(found)


def _section(document: Document, tenant_id: str, slug: str, block: Block, start: int, end: int) -> Evidence:
    return Evidence(
        evidence_id=f"{document.document_id}@{document.version}#{slug}",
        tenant_id=tenant_id,
        document_id=document.document_id,
        version=document.version,
        section=slug,
        heading=" > ".join(block.path) or document.title,
        text=document.text[start:end],
        start=start,
        end=end,
        scope=document.scope,
        effective=document.effective,
        review_by=document.review_by,
        authority=document.authority,
        context=block.context,
    )


def _blocks(text: str) -> Iterator[Block]:
    """Stretches between headings that hold more than the heading itself."""
    path: list[tuple[int, str]] = []
    start = body = offset = 0
    fence = ""
    for line in text.splitlines(keepends=True):
        heading = None if fence else _HEADING.match(line.rstrip("\r\n"))
        fence = _fence_after(line, fence)
        if heading:
            if text[body:offset].strip():
                yield Block(start, offset, tuple(title for _, title in path))
            level = len(heading.group(1))
            path = [*((depth, title) for depth, title in path if depth < level), (level, heading.group(2))]
            start, body = offset, offset + len(line)
        offset += len(line)
    if text[body:].strip():
        yield Block(start, len(text), tuple(title for _, title in path))


def _fence_after(line: str, fence: str) -> str:
    """The code fence that is open after this line, empty outside one: a `#` inside it is no heading."""
    match = _FENCE.match(line)
    if not match:
        return fence
    if not fence:
        return match.group(1)
    closes = match.group(1).startswith(fence) and not line[match.end() :].strip()
    return "" if closes else fence


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The stretch without blanks around it, in parts of at most LIMIT characters, cut at the widest border there is."""
    while True:
        start += len(text[start:end]) - len(text[start:end].lstrip())
        end = start + len(text[start:end].rstrip())
        if end - start <= LIMIT:
            if start < end:
                yield start, end
            return
        cut = _cut(text, start)
        yield start, start + len(text[start:cut].rstrip())
        start = cut


def _cut(text: str, start: int) -> int:
    window = text[start : start + LIMIT]
    for border in _BORDERS:
        cuts = [match.start() for match in border.finditer(window) if match.start() > LIMIT // 4]
        if cuts:
            return start + cuts[-1]
    return start + LIMIT


def _slug(heading: str) -> str:
    return re.sub(r"[\W_]+", "-", heading.casefold()).strip("-")


def _unused(slug: str, taken: set[str]) -> str:
    name, number = slug, 1
    while name in taken:
        number += 1
        name = f"{slug}-{number}"
    taken.add(name)
    return name
