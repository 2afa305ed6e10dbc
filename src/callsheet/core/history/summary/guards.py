"""What no summary may be or hold: an error's text, instructions, words of a person that nobody said (F3).

Every draft passes here, whoever made it. A draft with a fault is refused as a whole: what else is wrong in it cannot be
known.
"""

import re
from collections.abc import Iterable, Iterator

from ....model.history import Drafted, Entry, Line
from ....model.message import TextBlock
from .sections import SECTIONS

WORDS = 5
"""A line of more words than this that stands in an instruction was taken from it."""
EXACT = frozenset(("changed", "read", "tests", "errors", "commands", "sources", "identifiers", "found",
                   "results", "values"))  # fmt: skip
"""Sections of exact things, whoever names them."""
_FAILED = re.compile(
    r"""^\W*(?:
    (?:http\s*)?(?:error|status)?\s*(?:code)?\s*[:=]?\s*[45]\d\d\b
    | (?:\w+\.)*\w*(?:Error|Exception)\b\s*[:(]
    | (?:an?\s+)?(?:internal\s+|server\s+|api\s+|unexpected\s+)*error\b
    | traceback\b | \{\s*"(?:error|type"\s*:\s*"error)"
    | (?:request|prompt|input|context)\s+(?:is\s+)?(?:too\s+(?:large|long)|timed?\s*out|exceed\w*)
    | (?:rate\s+limit|quota|overloaded|service\s+unavailable|bad\s+gateway|gateway\s+timeout|too\s+many\s+requests)
    | (?:i(?:'m|\s+am)\s+(?:sorry|unable)|i\s+(?:can(?:'t|not)|apologi[sz]e)|sorry\b|as\s+an\s+ai\b)
    | (?:context|maximum\s+context)[\s_]+length | max(?:imum)?[_\s]+tokens
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_SAID = re.compile(
    r"""\b(?:user|person|customer|human|they|he|she)\b[^."“«]{0,60}?
    (?:said|says|asked|asks|wants?|wanted|requested|told|wrote|instructed|stated|insisted)\b[^"“«]{0,30}["“«]([^"”»]{3,})["”»]""",
    re.IGNORECASE | re.VERBOSE,
)


def faults(
    drafted: Drafted,
    sections: Iterable[str],
    entries: Iterable[Entry],
    instructions: Iterable[Entry],
    persons: Iterable[str],
) -> Iterator[str]:
    """What is wrong with a draft, by the rule that it breaks; nothing where it may stand.

    `entries` are the messages it was asked to read, `instructions` those that leave the window with them, `persons`
    everything that a person said and quotes may come from: the messages before the cut, and standing quotes.
    """
    if drafted.error:
        yield f"summariser-failed: {drafted.error[:200]}"
        return
    if not drafted.lines and not drafted.text.strip():
        yield "summary-empty: the draft has no line"
    if not drafted.lines and _FAILED.match(drafted.text):
        yield f"summary-is-error: {drafted.text.strip()[:120]!r}"
    if drafted.lines and all(line.section != "errors" and _FAILED.match(line.text) for line in drafted.lines):
        yield f"summary-is-error: {drafted.lines[0].text[:120]!r}"
    unread = {entry.number for entry in entries} - set(drafted.read)
    if unread:
        yield f"summary-incomplete: {len(unread)} messages were not read, the first is {min(unread)}"
    lines = (*drafted.lines, *(Line("state", each) for each in drafted.text.splitlines()))
    yield from _strange(drafted.lines, set(sections))
    yield from _invented(lines, [plain(text) for text in persons])
    for line in taken(lines, instructions):
        yield f"instruction-absorbed: {line.text[:120]!r} stands in an instruction"


def _strange(lines: Iterable[Line], sections: set[str]) -> Iterator[str]:
    for line in lines:
        if line.section not in sections:
            yield f"summary-section: {line.section!r} is none of {', '.join(sorted(sections))}"
            return


def _invented(lines: Iterable[Line], persons: list[str]) -> Iterator[str]:
    """Words that a line gives as a person's and that stand in no message of one."""
    for line in lines:
        spoken = line.quote or (line.section in SECTIONS and SECTIONS[line.section].spoken)
        quotes = [line.text] if spoken and line.section not in ("identifiers", "found") else _SAID.findall(line.text)
        for quote in quotes:
            if not any(plain(quote) in said for said in persons):
                yield f"quote-invented: no message of a person has {quote[:120]!r}"


def taken(lines: Iterable[Line], instructions: Iterable[Entry]) -> Iterator[Line]:
    """The lines whose words stand in an instruction; a path, a command or an error may be named in both."""
    texts = [plain(text) for entry in instructions for text in words_of(entry)]
    for line in lines:
        text = plain(line.text)
        if line.section not in EXACT and text.count(" ") >= WORDS and any(text in each for each in texts):
            yield line


def plain(text: str) -> str:
    """The text with every run of blanks as one: how a line is wrapped changes no word."""
    return " ".join(text.split())


def words_of(entry: Entry) -> Iterator[str]:
    """The texts of a message itself, results and calls left out."""
    yield from (str(block.text) for block in entry.message.blocks if isinstance(block, TextBlock))
