"""Cutting a document into sections: at headings, then at paragraphs, with exact offsets and citable ids (B5)."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from ...model.evidence import Block, Document, Evidence
from .outline import Span, scanned

LIMIT = 1_100
"""Characters of one section at most: short enough to be weighed on its own."""

_LEAST = LIMIT // 4
"""A border nearer to the start of a section than this is no place to cut it at."""

_BORDERS = (re.compile(r"\n[ \t]*\n\s*"), re.compile(r"\n"), re.compile(r"(?<=[.!?;:])\s+"), re.compile(r"\s+"))
_INK = re.compile(r"\S")


def sections(document: Document, tenant_id: str) -> tuple[Evidence, ...]:
    """The sections of a document in reading order, each a span of its text: `document.text[start:end] == text`.

    The heading line belongs to its section's text; `heading` is the path of headings, the
    document's title first, joined by ` > `. A section's
    id is `document@version#slug`; a heading that occurs again gets `-2`, and further parts of a long section get `.2`.
    """
    taken: dict[str, int] = {}
    found = []
    for block in document.outline if document.outline is not None else scanned(document.text):
        slug = _unused(_slug(block.path[-1] if block.path else document.title) or "text", taken)
        for number, (start, end) in enumerate(_parts(document.text, block), 1):
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
        heading=" > ".join(_path(document, block.path)),
        text=document.text[start:end],
        start=start,
        end=end,
        scope=document.scope,
        effective=document.effective,
        review_by=document.review_by,
        authority=document.authority,
        context=block.context,
    )


def _path(document: Document, path: tuple[str, ...]) -> tuple[str, ...]:
    """The headings above a section, the title first unless it is one of them, or there are some and it is a mere id."""
    title = document.title
    named = {" ".join(each.casefold().split()) for each in path}
    bare = not title or (path and title == document.document_id)
    return path if bare or " ".join(title.casefold().split()) in named else (title, *path)


def _parts(text: str, block: Block) -> Iterator[Span]:
    """The block without blanks around it, in parts of at most LIMIT characters, cut at the widest border there is."""
    starts = [start for start, _ in block.whole]
    start, end = _inked(text, block.start, block.end)
    while end - start > LIMIT:
        whole = block.whole[bisect_left(starts, start) : bisect_left(starts, start + LIMIT)]
        cut = _cut(text, start, [span for span in whole if span[1] - span[0] <= LIMIT])
        yield _inked(text, start, cut)
        start, end = _inked(text, cut, end)
    if start < end:
        yield start, end


def _cut(text: str, start: int, whole: Sequence[Span]) -> int:
    """Where to cut: before what is to stay whole and reaches beyond the limit, else at a border outside all such."""
    limit = start + LIMIT
    for first, last in whole:
        if start < first and last > limit:
            return first
    window = text[start:limit]
    cuts = [[start + match.start() for match in border.finditer(window, _LEAST)] for border in _BORDERS]
    outside = [[cut for cut in each if not any(first < cut < last for first, last in whole)] for each in cuts]
    return next((each[-1] for each in (*outside, *cuts) if each), limit)


def _inked(text: str, start: int, end: int) -> Span:
    """The stretch without the blanks at its ends, in time linear in those."""
    first = _INK.search(text, start, end)
    if first is None:
        return end, end
    while text[end - 1].isspace():
        end -= 1
    return first.start(), end


def _slug(heading: str) -> str:
    return re.sub(r"[\W_]+", "-", heading.casefold()).strip("-")


def _unused(slug: str, taken: dict[str, int]) -> str:
    """The slug, or the first of `slug-2`, `slug-3` … that is free; `taken` holds the last number of each."""
    name, number = slug, taken.get(slug, 0)
    while name in taken:
        number = max(number, 1) + 1
        name = f"{slug}-{number}"
    taken[slug] = number
    taken[name] = taken.get(name, 1)
    return name
