"""Which things a conversation may need again word for word, read off its texts by rules of their shape.

Written apart from every summariser: what survives must not be judged by the rule that chose what to keep.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["path", "identifier", "number", "error", "rule", "decision", "value"]
"""`value` is an opaque id that a tool's result brought up: a booking, a hash, a ticket."""
TOKEN = re.compile(r"[^\s\"'`<>()\[\]{},;|*]{3,300}")
PIECE = re.compile(r"[:=@#?&!]+|\.(?=\s|$)")
NUMBER = re.compile(
    r"(?<![\w./-])[-+$€£]?\d[\d,_.]*\d(?:\s?(?:%|[kKMGT]i?B|ms|s|min|h|px|USD|EUR|tokens|rows|lines))?(?!\w)"
)
DIGITS = re.compile(r"\d")
UNIT = re.compile(r"\d\s?(?:%|[kKMGT]i?B|ms|s|min|h|px|USD|EUR|tokens|rows|lines)$")
PATH = re.compile(
    r"^(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w.@+~-]+){2,}[/\\]?$|^[\w.@+-]+(?:/[\w.@+-]+)*/[\w.@+-]*\.\w{1,8}$"
)
NAME = re.compile(r"^[A-Za-z_$][\w$]*(?:[-.][\w$]+)*$|^[\w$]+(?:[-._][\w$]+)+$")
MIXED = re.compile(r"^(?=[^a-z]*[A-Za-z])(?=\D*\d)[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*$")
INNER = re.compile(r"[a-z][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|[A-Za-z]\.[A-Za-z]\w")
OPAQUE = re.compile(
    r"^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}"
    r"|(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[A-Z0-9]{6,}|[A-Za-z]{1,12}[-_#](?=\w*\d)\w{3,})$"
)
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'(-])|\n+")
RULE = re.compile(
    r"\b(?:must(?: not|n't)?|never|always|do not|don't|should(?: not|n't)?|only ever|make sure|ensure|"
    r"required?|forbidden|not allowed|without (?:asking|touching|changing)|from now on|important)\b",
    re.I,
)
DECISION = re.compile(
    r"\b(?:let's|let us|we(?:'ll| will| decided| agreed| go)|decided|decision|go with|instead of|rather than|"
    r"approved?|i want|i prefer|please use)\b",
    re.I,
)
SHORTEST, LONGEST = 12, 400
"""A statement that is followed has so many characters; a longer one is a document, not a rule."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing to be found again, word for word: its kind, its text, and where it first came up."""

    kind: Kind
    text: str
    number: int


def tokens_of(text: str) -> Iterator[str]:
    """Every piece of a text that could be such a thing, whole and at its joints."""
    for found in TOKEN.findall(text):
        token = found.strip(".:!?=-")
        yield token
        if not token.isalnum():
            pieces = [token, *(piece.strip(".") for piece in PIECE.split(token) if len(piece) >= 3 and piece != token)]
            yield from pieces[1:]
            for piece in pieces:
                if "/" in piece:
                    yield from _path_pieces(piece)
                elif "." in piece:
                    yield from (part for part in piece.split(".") if len(part) >= 4)


def _path_pieces(token: str) -> Iterator[str]:
    """The same path from each of its folders on, and the names in it."""
    at = token.find("/")
    while at >= 0:
        yield token[at + 1 :]
        at = token.find("/", at + 1)
    yield from (piece for piece in token.split("/") if len(piece) >= 4)


def kind_of(token: str) -> Kind | None:
    """The kind of an exact thing that a token is by its shape; None for a mere word."""
    if PATH.match(token):
        return "path"
    if len(token) < 4 or len(token) > 120:
        return None
    if OPAQUE.match(token):
        return "value"
    if token[0].isdigit() and not any(map(str.isalpha, token)):
        return "number" if sum(map(str.isdigit, token)) >= 3 else None
    if (MIXED.match(token) or INNER.search(token)) and NAME.match(token):
        return "identifier"
    return None


def numbers_of(text: str) -> Iterator[str]:
    """Numbers of three digits or more, or with a unit, as they are written."""
    for found in NUMBER.findall(text):
        if len(DIGITS.findall(found)) >= 3 or UNIT.search(found):
            yield found.strip(".,")


def statements(text: str) -> Iterator[tuple[Kind, str]]:
    """The standing rules and decisions that a person states, sentence by sentence."""
    for sentence in SENTENCE.split(text):
        said = sentence.strip().lstrip("-*#> ").strip()
        if SHORTEST <= len(said) <= LONGEST and not said.endswith("?"):
            if RULE.search(said):
                yield "rule", said
            elif DECISION.search(said):
                yield "decision", said


def said_by_person(text: str, number: int) -> Iterator[Fact]:
    """What a person's message states."""
    for stated, words in statements(text):
        yield Fact(stated, words, number)
    for token in dict.fromkeys(tokens_of(text)):
        named = kind_of(token)
        if named is not None and named != "number":
            yield Fact("identifier" if named == "value" else named, token, number)
    for found in dict.fromkeys(numbers_of(text)):
        yield Fact("number", found, number)


def first_ones(facts: Iterable[Fact]) -> dict[str, Fact]:
    """Each text once, with the place where it first came up."""
    found: dict[str, Fact] = {}
    for fact in facts:
        before = found.get(fact.text)
        if before is None or fact.number < before.number:
            found[fact.text] = fact
    return found
