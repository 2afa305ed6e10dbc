"""Two texts that contradict each other on the same fact: found without a model, by facts and near-equal sentences (H2).

Sentences that share pairs of neighbouring content words are aligned; what differs must be one fact: two numbers of one
unit, two dates, versions or names, a negation, or two words that exclude each other. More than one difference means
two different subjects, not a contradiction. Work grows with the texts, not with their pairs: a sentence is compared
with the few earlier ones that share most with it.
"""

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from heapq import nlargest
from itertools import pairwise

from ..blocks import ReadBlock
from ..texts.facts import Term, read, sentences
from ..texts.measures import VALUES, measures
from .comparing import LEAST_CONTENT, Clash, Held, Known, compare, head_of

MOST_CANDIDATES = 4
LEAST_SHARED = 4
"""A sentence found by more than so many keys shares two of them with one that says the same of another value."""
MOST_OF_A_KEY = 8
MOST_SENTENCES = 5_000


def clashes(texts: Iterable[str]) -> tuple[Clash, ...]:
    """Every contradiction between two of these texts; `Clash.texts` are their places, from 0.

    Pure and without a model; what a text says against itself is not looked for.
    """
    known = Statements()
    return tuple(clash for text in texts for clash in known.add(tuple(sentences(text))))


class Statements:
    """The statements of all texts so far, each with where it stands; the oldest forgotten beyond MOST_SENTENCES."""

    def __init__(self) -> None:
        self._index: dict[int, list[int]] = {}
        self._known: OrderedDict[int, tuple[int, Known]] = OrderedDict()
        self._texts: dict[int, tuple[Held, ReadBlock | None]] = {}
        self._gone: set[int] = set()
        self._number = -1
        self._next = 0

    def add(self, texts: Iterable[str], origin: ReadBlock | None = None) -> tuple[Clash, ...]:
        """The contradictions of a text, given as its sentences, with earlier ones; it is kept."""
        found = tuple(clash for clash in self._clashes(texts) if clash.texts[0] not in self._gone)
        self.learn(texts, origin)
        return found

    def learn(self, texts: Iterable[str], origin: ReadBlock | None = None) -> None:
        """Keeps a text, given as its sentences."""
        self._number += 1
        this, new = statements(tuple(texts))
        if new:
            self._texts[self._number] = this, origin and origin.brief
        for each in new:
            self._keep(each)

    def check(self, texts: Iterable[str]) -> tuple[Clash, ...]:
        """The contradictions of these sentences with earlier texts; they are not kept.

        A value that the earlier text gives as well, wherever, is taken to be meant for what it stands there for.
        """
        return tuple(clash for clash in self._clashes(texts) if not self._gives(clash))

    def origin(self, clash: Clash) -> ReadBlock | None:
        """Where the earlier text of a contradiction came from; None where it was forgotten."""
        kept = self._texts.get(clash.texts[0])
        return kept and kept[1]

    def cut(self, kept: int) -> None:
        """Only the first messages stay in the window: what came after them is checked, and no longer added to."""
        self._gone.update(at for at, (_, block) in self._texts.items() if block is not None and block.message >= kept)

    def _clashes(self, texts: Iterable[str]) -> tuple[Clash, ...]:
        this, new = statements(tuple(texts))
        return tuple(clash for each in new for clash in self._against(each, this))

    def _gives(self, clash: Clash) -> bool:
        kept = self._texts.get(clash.texts[0])
        return kept is not None and any(term.key in kept[0].values for term in read(clash.values[1]).terms)

    def _against(self, new: Known, this: Held) -> Iterator[Clash]:
        shared: Counter[int] = Counter()
        for key in new.shingles:
            shared.update(self._index.get(key, ()))
        seen: set[int] = set()
        least = 2 if len(new.shingles) > LEAST_SHARED else 1
        # Of equally near ones the later: the order never depends on how hashes fall.
        for number in nlargest(MOST_CANDIDATES, shared, key=lambda each: (shared[each], each)):
            text, old = self._known[number]
            kept = self._texts.get(text)
            if (
                shared[number] < least
                or kept is None
                or text in seen
                or old.digest in this.held
                or new.digest in kept[0].held
            ):
                continue
            clash = compare(old, new, this, kept[0])
            if clash is not None:
                seen.add(text)
                yield replace(clash, texts=(text, self._number + 1))

    def _keep(self, new: Known) -> None:
        self._known[self._next] = self._number, new
        for key in new.shingles:
            numbers = self._index.setdefault(key, [])
            numbers.append(self._next)
            del numbers[:-MOST_OF_A_KEY]
        self._next += 1
        if len(self._known) > MOST_SENTENCES:
            number, (text, old) = self._known.popitem(last=False)
            if text != next(iter(self._known.values()))[0]:
                self._texts.pop(text, None)
                self._gone.discard(text)
            for key in old.shingles:
                left = [each for each in self._index.get(key, ()) if each != number]
                if left:
                    self._index[key] = left
                else:
                    self._index.pop(key, None)


@lru_cache(maxsize=32)  # several patterns read the same text one after the other, and prompts stand in every session
def statements(texts: tuple[str, ...]) -> tuple[Held, tuple[Known, ...]]:
    """The sentences of a text as what they are compared by, each once; and what is kept of the text as a whole."""
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
        content = frozenset(sentence.content)
        new.append(Known(sentence, keys, digest, content, values, _shingles(sentence.content, values)))
    return this, tuple(new)


def _shingles(content: tuple[str, ...], values: Mapping[str, tuple[Term, frozenset[str]]]) -> set[int]:
    keys = {hash(pair) for pair in pairwise(content)}
    if len(content) <= LEAST_CONTENT:
        keys.add(hash(content[:1]))
    for unit, (_, rest) in values.items():
        keys.update(hash((unit, each)) for each in rest)
    return keys
