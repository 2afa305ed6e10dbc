"""Nouns to measured items, once per content: a round renders, escapes, hashes and counts only what is new."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from ..core.fragment import fragment
from ..core.redact import redact
from ..model.item import ContextItem, Fragment
from ..ports import Counter

Kept = TypeVar("Kept")
LIMIT = 20_000


@dataclass
class Work:
    """How often each kind of work was really done; a test holds it to what is new (invariant 6)."""

    rendered: int = 0
    counted: int = 0


@dataclass
class Items:
    """A cache of rendered items and measured texts, bounded, safe to share between decisions of one tenant."""

    counter: Counter
    work: Work = field(default_factory=Work)
    _fragments: OrderedDict[str, Fragment] = field(default_factory=OrderedDict)
    _items: OrderedDict[Hashable, ContextItem] = field(default_factory=OrderedDict)

    def made(self, key: Hashable, render: Callable[[], ContextItem]) -> ContextItem:
        """The measured item of this key, rendered now if it was not before."""
        return _kept(self._items, key, lambda: self.measured(render()))

    def measured(self, item: ContextItem) -> ContextItem:
        """The item without secrets, with its fragment and token count."""
        self.work.rendered += 1
        text = redact(item.text)
        made = _kept(self._fragments, text, lambda: self._count(text))
        return replace(item, text=text, fragment=made, token_count=made.tokens)

    def _count(self, text: str) -> Fragment:
        self.work.counted += 1
        return fragment(text, self.counter.count(text))


def _kept(
    cache: "OrderedDict[Hashable, Kept] | OrderedDict[str, Kept]", key: Hashable, make: Callable[[], Kept]
) -> Kept:
    found = cache.get(key)  # type: ignore[call-overload]
    if found is None:
        found = make()
        cache[key] = found
        if len(cache) > LIMIT:
            cache.popitem(last=False)
    return found  # type: ignore[no-any-return]
