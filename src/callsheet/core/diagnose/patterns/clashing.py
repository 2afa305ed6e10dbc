"""Two texts that contradict each other on the same fact: found without a model, by facts and near-equal sentences (H2).

Sentences that share pairs of neighbouring content words are aligned; what differs must be one fact: two numbers of one
unit, two dates, versions or names, a negation, or two words that exclude each other. More than one difference means
two different subjects, not a contradiction. Work grows with the texts, not with their pairs: a sentence is compared
with the few earlier ones that share most with it.
"""

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from heapq import nlargest
from itertools import pairwise

from .comparing import LEAST_CONTENT, Clash, Held, Known, compare, head_of
from .facts import Term, read, sentences
from .measures import VALUES, measures

MOST_CANDIDATES = 4
MOST_OF_A_KEY = 8
MOST_SENTENCES = 5_000


def clashes(texts: Iterable[str]) -> tuple[Clash, ...]:
    """Every contradiction between two of these texts; `Clash.texts` are their places, from 0.

    Pure and without a model; what a text says against itself is not looked for.
    """
    statements = Statements()
    return tuple(clash for text in texts for clash in statements.add(text))


class Statements:
    """The statements of all texts so far, the oldest forgotten beyond MOST_SENTENCES."""

    def __init__(self) -> None:
        self._index: dict[int, list[int]] = {}
        self._known: OrderedDict[int, Known] = OrderedDict()
        self._texts: dict[int, Held] = {}
        self._number = -1
        self._next = 0

    def add(self, text: str) -> tuple[Clash, ...]:
        """The contradictions of this text with earlier ones."""
        return self.add_sentences(sentences(text))

    def add_sentences(self, texts: Iterable[str]) -> tuple[Clash, ...]:
        """The same for a text that is split into sentences already."""
        self._number += 1
        this, new = self._read(texts)
        self._texts[self._number] = this
        found = [clash for each in new for clash in self._against(each, this)]
        for each in new:
            self._keep(each)
        return tuple(found)

    def check(self, texts: Iterable[str]) -> tuple[Clash, ...]:
        """The contradictions of these sentences with earlier texts; they are not kept.

        A value that the earlier text gives as well, wherever, is taken to be meant for what it stands there for.
        """
        this, new = self._read(texts)
        found = [clash for each in new for clash in self._against(each, this)]
        return tuple(clash for clash in found if not self._gives(clash))

    def _gives(self, clash: Clash) -> bool:
        other = self._texts.get(clash.texts[0])
        return other is not None and any(term.key in other.values for term in read(clash.values[1]).terms)

    def _read(self, texts: Iterable[str]) -> tuple[Held, list[Known]]:
        this, new = Held(), []
        for each in texts:
            sentence = read(each)
            keys = tuple(term.key for term in sentence.terms)
            digest = hash(keys)
            if len(keys) < 2 or digest in this.held:
                continue
            this.held[digest] = len(sentence.content)
            this.heads[head_of(sentence)] += 1
            this.values.update(term.key for term in sentence.terms if term.kind in VALUES)
            values = measures(sentence)
            new.append(Known(self._number, sentence, keys, values, _shingles(sentence.content, values)))
        return this, new

    def _against(self, new: Known, this: Held) -> Iterator[Clash]:
        shared: Counter[int] = Counter()
        for key in new.shingles:
            shared.update(self._index.get(key, ()))
        seen: set[int] = set()
        # Of equally near ones the later: the order never depends on how hashes fall.
        for number in nlargest(MOST_CANDIDATES, shared, key=lambda each: (shared[each], each)):
            old = self._known.get(number)
            if old is None or old.text in seen or hash(old.keys) in this.held:
                continue
            other = self._texts[old.text]
            if hash(new.keys) in other.held:
                continue
            clash = compare(old, new, this, other)
            if clash is not None:
                seen.add(old.text)
                yield clash

    def _keep(self, new: Known) -> None:
        self._known[self._next] = new
        for key in new.shingles:
            numbers = self._index.setdefault(key, [])
            numbers.append(self._next)
            del numbers[:-MOST_OF_A_KEY]
        self._next += 1
        if len(self._known) > MOST_SENTENCES:
            number, old = self._known.popitem(last=False)
            if old.text != next(iter(self._known.values())).text:
                self._texts.pop(old.text, None)
            for key in old.shingles:
                left = [each for each in self._index.get(key, ()) if each != number]
                if left:
                    self._index[key] = left
                else:
                    self._index.pop(key, None)


def _shingles(content: tuple[str, ...], values: Mapping[str, tuple[Term, frozenset[str]]]) -> set[int]:
    keys = {hash(pair) for pair in pairwise(content)}
    if len(content) <= LEAST_CONTENT:
        keys.add(hash(content[:1]))
    for unit, (_, rest) in values.items():
        keys.update(hash((unit, each)) for each in rest)
    return keys
