"""Nouns to measured items, once per content: a round renders, escapes, hashes and counts only what is new."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from ..core.render.fragment import fragment
from ..core.text.redact import redact
from ..model.item import ContextItem, Fragment, revised
from ..ports import Counter

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
    limit: int = LIMIT
    _texts: OrderedDict[str, tuple[str, Fragment]] = field(default_factory=OrderedDict)
    _items: OrderedDict[Hashable, ContextItem] = field(default_factory=OrderedDict)

    def made(self, key: Hashable, render: Callable[[], ContextItem], clean: bool = False) -> ContextItem:
        """The measured item of this key, rendered now if it was not before."""
        found = self._items.get(key)
        if found is None:
            self.work.rendered += 1
            found = self._items[key] = self.measured(render(), clean)
            self._bound(self._items)
        return found

    def measured(self, item: ContextItem, clean: bool = False) -> ContextItem:
        """The item without secrets, with its fragment and token count; a text seen before is not looked at again.

        `clean` says that what it was rendered from was redacted whole, so that it need not be looked through twice.
        """
        found = self._texts.get(item.text)
        if found is None:
            self.work.counted += 1
            text = item.text if clean else redact(item.text)
            found = self._texts[item.text] = text, fragment(text, self.counter.count(text))
            self._bound(self._texts)
        text, measure = found
        return revised(item, text=text, fragment=measure, token_count=measure.tokens)

    def _bound(self, cache: OrderedDict[Any, Any]) -> None:
        if len(cache) > self.limit:
            cache.popitem(last=False)
