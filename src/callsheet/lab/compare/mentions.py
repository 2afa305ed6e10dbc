"""Which exact things a text holds, looked up by the pieces of the text: each block of a conversation is read once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ...core.text.blocks import text_of
from ...model.message import Block, Message, TextBlock
from .facts import Fact, kind_of, numbers_of, tokens_of

WORDED = ("rule", "decision", "error")
"""Kinds that are whole sentences or lines."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a text holds: numbers of facts, and every token that has the shape of an exact thing."""

    facts: frozenset[int] = frozenset()
    tokens: frozenset[str] = frozenset()


class Mentions:
    """Finds facts in texts. `spellings` are other ways to write a fact, by its text."""

    def __init__(self, facts: Sequence[Fact], spellings: Iterable[tuple[str, str]] = ()) -> None:
        self.facts = facts
        self._exact: dict[str, list[int]] = {}
        self._worded: dict[str, list[int]] = {}
        self._unanchored: list[int] = []
        numbers = {fact.text: number for number, fact in enumerate(facts)}
        for number, fact in enumerate(facts):
            if fact.kind in WORDED:
                self._anchor(number, fact.text)
            else:
                self._exact.setdefault(fact.text, []).append(number)
        for text, other in spellings:
            self._exact.setdefault(other, []).append(numbers[text])
        self._blocks: dict[int, tuple[Block, Held]] = {}
        self._texts: dict[str, Held] = {}

    def _anchor(self, number: int, text: str) -> None:
        """A sentence is looked for only where its longest word is; its ends may be joined to what stands beside it."""
        inner = [token for token in text.split()[1:-1] if token in set(tokens_of(token))]
        if inner:
            self._worded.setdefault(max(inner, key=len), []).append(number)
        else:
            self._unanchored.append(number)

    def of(self, message: Message) -> Held:
        """What a message holds."""
        held = [self.of_block(block) for block in message.blocks]
        if len(held) == 1:
            return held[0]
        facts = frozenset[int]().union(*(each.facts for each in held))
        return Held(facts, frozenset[str]().union(*(each.tokens for each in held)))

    def of_block(self, block: Block) -> Held:
        """What a block holds; it is read once, however often it is shown."""
        if isinstance(block, TextBlock):
            return self._of_made(str(block.text))
        known = self._blocks.get(id(block))
        if known is None:
            # the block is kept with it, so that no other one gets its id
            known = self._blocks[id(block)] = block, self.of_text(text_of(block))
        return known[1]

    def _of_made(self, text: str) -> Held:
        """What a text holds that may come again as another block: a placeholder, a summary, a pinned text."""
        if text not in self._texts:
            self._texts[text] = self.of_text(text)
        return self._texts[text]

    def of_text(self, text: str) -> Held:
        """What a text holds."""
        tokens = {*tokens_of(text), *numbers_of(text)}
        found = {number for token in tokens & self._exact.keys() for number in self._exact[token]}
        for token in tokens & self._worded.keys():
            found.update(number for number in self._worded[token] if self.facts[number].text in text)
        found.update(number for number in self._unanchored if self.facts[number].text in text)
        return Held(frozenset(found), frozenset(token for token in tokens if shape_of(token)))


@lru_cache(200_000)
def shape_of(token: str) -> str:
    """What a thing looks like: two things of one shape can be taken for one another; "" for a mere word.

    Digits become 9 and letters a; runs of letters are one, so that length tells numbers apart, not names.
    """
    kind = kind_of(token)
    if kind is None:
        return ""
    if kind == "path":
        return f"path {token.rpartition('/')[2].rpartition('.')[2]}"
    made: list[str] = []
    for character in token:
        mark = "9" if character.isdigit() else "a" if character.isalpha() else character
        if mark != "a" or not made or made[-1] != "a":
            made.append(mark)
    return f"{kind} {''.join(made)}"
