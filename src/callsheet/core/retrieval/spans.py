"""Sentences with their places: what a claim is bound to, what an answer is looked for in, what an excerpt keeps."""

import re

Span = tuple[int, int]
"""[start, end) in a text."""

_BORDER = re.compile(r"(?:\n+|(?<=[.!?…])(?P<quote>[\"”’')\]]*)\s+(?=[\"“„‘'(\[`]*[A-ZÀ-ÖØ-ÞŁŚŻŹĆ0-9])|(?<=[。！？]))")
_ABBREVIATED = re.compile(
    r"(?:\b(?:[A-Za-z]|Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|approx|bzw|ca|usw|tzn|np|tj|ok|ul|Inc|Ltd|Co|Corp)|\.\w)\.$"
)
_NUMBERED = re.compile(r"\b(?:No|Nr|Art|Abs|Fig|ust)\.$")
"""Abbreviations before a number alone: "No." may also be an answer."""
LONGEST = 10
"""Characters before a border in which an abbreviation is looked for."""
_TALKS = re.compile(r"[^\W_]{2}|\d")


def sentences(text: str) -> tuple[Span, ...]:
    """The spans of a text's sentences and lines in order, blanks around each left out; none without a word in it."""
    found: list[Span] = []
    start = 0
    for border in (*_BORDER.finditer(text), None):
        end = len(text) if border is None else max(border.start(), border.end("quote"))
        if border is not None and "\n" not in border.group() and _abbreviated(text, max(start, end - LONGEST), border):
            continue
        stretch = text[start:end]
        if _TALKS.search(stretch):
            first = start + len(stretch) - len(stretch.lstrip())
            found.append((first, start + len(stretch.rstrip())))
        start = end if border is None else border.end()
    return tuple(found)


def _abbreviated(text: str, start: int, border: re.Match[str]) -> bool:
    before, after = text[start : border.start()], text[border.end() : border.end() + 1]
    return bool(_ABBREVIATED.search(before) or (after.isdigit() and _NUMBERED.search(before)))
