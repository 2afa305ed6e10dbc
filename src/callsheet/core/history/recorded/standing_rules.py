"""The standing rules that a person stated: sentences that ask for something from then on, word for word.

A rule is told by how it asks, never by what about: it forbids, it says always or never, it speaks of every time, of
what comes from now on, or is announced as a rule. What only tells ("it never works", "I don't know") asks for nothing.
What stands in code, in a quotation or in tags is not the person's own sentence.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from ....model.history import Entry, Line
from ....model.message import TextBlock

SECTION = "Standing rules"
READ = 8_000
"""Characters of one text that are read: what is beyond is a paste, and no rule of the person's own."""
LONGEST = 400
"""Characters of a sentence that is a rule; a longer one tells a story."""
_STARTS = r"(?:^|[,;:–—(-]\s*|\b(?:and|but|so|or|please|also|then|und|aber|bitte)\s+)(?:please\s+|bitte\s+|also\s+)*"
_TO_YOU = r"\b(?:you|we|it|they|agent|assistant|answers?|replies|commits?|tests?|files?|code)\s+"
_STANDING = re.compile(
    rf"""
    {_STARTS}(?:always|never|immer|niemals|nie)\s+(?!(?:mind|worked?|works|been|had|was|were|got|saw|seen|heard|knew)\b)\w
    | {_STARTS}(?:[a-zäöüß]+e|[a-zäöüß]+n\s+sie)\s+(?:immer|niemals|nie|stets)\s+(?!(?:wieder|mehr|noch)\b)\w
    | \b(?:must|should|shall|may|can|to)\s+(?:always|never)\b(?!\s+happen)
    | {_STARTS}(?:do\s+not|don['’]?t)\s+
      (?!(?:worry|know|think|see|understand|get|have|need|want|care|mind|like|believe|remember|recall|bother|be)\b)\w
    | {_STARTS}(?:avoid|refrain\s+from)\s+\w
    | {_STARTS}only\s+(?:ever\s+)?(?:use|edit|change|touch|modify|write|run|call|read|answer|reply|respond|commit|work
      |create|add|look|install|deploy|push)\b
    | {_TO_YOU}(?:must|shall|may\s+not|must\s+not|should\s+not|shouldn['’]?t|mustn['’]?t|cannot|are\s+not\s+(?:allowed
      |to)\b|have\s+to|has\s+to|need\s+to\s+(?:always|be))\b
    | \b(?:from\s+now\s+on|from\s+here\s+on|going\s+forward|in\s+(?:the\s+)?future|for\s+the\s+rest\s+of
      |at\s+all\s+times|as\s+a\s+rule|under\s+no\s+circumstances|without\s+(?:asking|my|first)|unless\s+I\b|until\s+I\b
      |ab\s+jetzt|von\s+nun\s+an|in\s+zukunft|künftig|auf\s+keinen\s+fall)\b
    | \b(?:every|each|all|any)\s+(?:\w+\s+)?(?:repl(?:y|ies)|answers?|responses?|messages?|commits?|files?|functions?
      |tests?|changes?|times?|branch(?:es)?|variables?|steps?)\b.{{0,60}}
      \b(?:must|should|shall|needs?|has|have|start|end|begin|include|use)\b
    | {_STARTS}(?:an?|one|my|our|the|another)\s+(?:(?:standing|general|ground|house|hard|strict|firm|basic)\s+)?
      rules?\b[^.!?:]{{0,60}}:\s*\w
    | {_STARTS}(?:whenever|every\s+time|each\s+time)\s+\w
    | {_STARTS}(?:make\s+sure|be\s+sure|ensure|remember)\b.{{0,80}}
      \b(?:always|never|every|each|all|any|only|before|after)\b
    | {_STARTS}(?:use|prefer|write|call)\b.{{1,80}}\b(?:instead\s+of|rather\s+than|,\s*not|and\s+not|over)\s+\w
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ASKED = re.compile(r"\?\s*$|^(?:why|what|how|where|when|who|which|is|are|does|did|can|could|would)\b", re.IGNORECASE)
_TELLS = re.compile(r"^I(?:['’]\w+)?\s(?!.*\byou\b)", re.IGNORECASE)
_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|<([a-zA-Z][\w-]*)\b[^<>]*>.*?(?:</\1>)", re.DOTALL)
_ENDS = re.compile(r"(?<=[.!?])\s+|\n+")
_BULLET = " \t-*•>"


def standing_rules(entries: Iterable[Entry]) -> Iterator[Line]:
    """The rules stated in a person's messages, in order, each once, with the message it was said in."""
    said: set[str] = set()
    for entry in entries:
        if entry.speaker != "person":
            continue
        for block in entry.message.blocks:
            for rule in rules_in(str(block.text)) if isinstance(block, TextBlock) else ():
                key = " ".join(rule.casefold().split())
                if key not in said:
                    said.add(key)
                    yield Line(SECTION, rule, numbers=(entry.number,), quote=True, trust=entry.trust)


@lru_cache(maxsize=2048)
def rules_in(text: str) -> tuple[str, ...]:
    """The sentences of one text that state a rule, word for word."""
    own = _FENCE.sub("\n", text[:READ])
    lines = (line for line in own.split("\n") if not line.lstrip().startswith(">"))
    pieces = (piece.strip(_BULLET) for line in lines for piece in _ENDS.split(line))
    return tuple(piece for piece in pieces if 0 < len(piece) <= LONGEST and _is_rule(piece))


def _is_rule(sentence: str) -> bool:
    """A question asks nothing of the future, and who speaks of themselves alone asks for nothing."""
    return not _ASKED.search(sentence) and not _TELLS.search(sentence) and bool(_STANDING.search(sentence))
