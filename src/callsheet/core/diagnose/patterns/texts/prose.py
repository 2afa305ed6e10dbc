"""What of a text states something in words: sentences, also in numbered listings, comments and JSON strings."""

import re
from collections.abc import Iterable, Iterator

from ....text.parse_json import parse_json
from .facts import of_line

LEAST_WORDS = 2
WHOLE = 4
_WORDS = re.compile(r"[^\W\d_]{2,}")
_VALUED = re.compile(
    r"\d|\b(?:zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty"
    r"|seventy|eighty|ninety|one [a-z])"
)
_CODE = re.compile(r"[{}=<>;\\|(:](?:(?<![(:])|(?<=\w\()|(?<=:):)")
_COMMENT = re.compile(r"\s*(?:#|//|\*|\d+[\t→|:])")
_SIGN = re.compile(r"[{}=<>;\\|]")
"""What code has: a line with one of them is read only where it has more than one sentence."""
_SENTENCES = re.compile(r"[.!?…”’][\s\"”’]")
_NUMBER = re.compile(r"^[ \t]*\d+[\t→|:][ \t]?", re.MULTILINE)
_NUMBERED = re.compile(r"^[ \t]*\d+[\t→|:].*\n[ \t]*\d+[\t→|:]", re.MULTILINE)
"""Lines as tools number them that show a file."""
_STATES = frozenset(
    """is are was were be been has have had must shall should can cannot may might will does do did take takes
    cost costs require requires need needs expire expires use uses run runs allow allows limit limits within
    per only never always not no won by""".split()
)
_BOUNDS = ("up to", "at most", "at least")


def prose(text: str) -> Iterator[str]:
    """The sentences of a text that state something in words; of JSON those of its strings. Code and tables are none."""
    if text[:1] in "{[":
        yield from (each for value in _strings(text) for each in prose(value))
        return
    numbered = _NUMBERED.search(text, 0, 2_000) is not None
    for line in (_NUMBER.sub("", text) if numbered else text).splitlines():
        if " " not in line or (_SIGN.search(line) and not _SENTENCES.search(line)) or _COMMENT.match(line):
            continue
        for sentence in of_line(line):
            if _CODE.search(sentence) or _COMMENT.match(sentence):
                continue
            words = _WORDS.findall(sentence)
            if len(words) >= LEAST_WORDS and sum(map(len, words)) > 0.6 * len(sentence):
                yield sentence


def valued(sentences: Iterable[str]) -> Iterator[str]:
    """Those of these sentences that give a value: a number, a date, a time, a version."""
    return (each for each in sentences if _VALUED.search(each.lower()) and states(each))


def _strings(text: str) -> Iterator[str]:
    try:
        waiting = [parse_json(text)]
    except ValueError:
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(reversed(value.values()))
        elif isinstance(value, list):
            waiting.extend(reversed(value))
        elif isinstance(value, str) and " " in value:
            yield value.lstrip("{[")


def states(sentence: str, least: int = LEAST_WORDS) -> bool:
    """True for a whole sentence, or a line of at least so many words that says how something is."""
    small = sentence.lower()
    words = _WORDS.findall(small)
    return len(words) >= least and (
        (sentence.endswith(".") and len(words) >= WHOLE)
        or not _STATES.isdisjoint(words)
        or any(word.endswith("ed") and len(word) > 4 for word in words)
        or any(bound in small for bound in _BOUNDS)
    )
