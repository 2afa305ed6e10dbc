"""The sentences of a section that a question needs most, where there is no room for all of it (B5).

A sentence counts by the question's words that it has, most by those that its headings do not say already; neighbours of
one that counts are carried along, since they say what `it` is; and the first says what the section is about.
"""

from collections.abc import Sequence

from .language import language
from .reading import reading
from .spans import Span, sentences

CARRIED = 0.7
"""The share of its worth that a sentence lends its neighbours."""
FIRST = 0.1
LENGTH = 0.3
"""How much a long sentence must be worth more: its worth is divided by this power of its length."""
LEFT_OUT = " […] "


def excerpt(question: str, about: str, text: str, most: int) -> tuple[Span, ...]:
    """The spans of the sentences of a text that matter most to a question, in order, at most so many characters of it.

    Neighbours are one span. Empty where no sentence fits.
    """
    spans = sentences(text)
    worth = _worth(question, about, [text[start:end] for start, end in spans])
    kept: set[int] = set()
    left = most
    for at in sorted(range(len(spans)), key=lambda each: (-worth[each], each)):
        length = spans[at][1] - spans[at][0]
        if length <= left:
            kept.add(at)
            left -= length
    joined: list[Span] = []
    for at in sorted(kept):
        start, end = spans[at]
        if joined and at - 1 in kept:
            start = joined.pop()[0]
        joined.append((start, end))
    return tuple(joined)


def quoted(text: str, spans: Sequence[Span]) -> str:
    """These spans of a text, with a mark wherever something is left out."""
    if not spans:
        return text
    ends = "[…] " if text[: spans[0][0]].strip() else "", " […]" if text[spans[-1][1] :].strip() else ""
    return ends[0] + LEFT_OUT.join(text[start:end] for start, end in spans) + ends[1]


def _worth(question: str, about: str, said: Sequence[str]) -> list[float]:
    spoken = language(" ".join(said))
    wanted = frozenset(reading(question, spoken).content)
    rest = wanted - frozenset(reading(about, spoken).content) or wanted
    held = [frozenset(reading(each, spoken).content) for each in said]
    own = [len(each & wanted) / (len(wanted) or 1) + len(each & rest) / (len(rest) or 1) for each in held]
    lent = [max(own[max(0, at - 1) : at] + own[at + 1 : at + 2], default=0.0) for at in range(len(own))]
    return [
        (own[at] + CARRIED * lent[at] + FIRST * (at == 0)) / max(len(said[at]), 1) ** LENGTH for at in range(len(own))
    ]
