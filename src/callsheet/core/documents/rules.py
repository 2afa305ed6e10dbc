"""What rules give documents that these do not say themselves: the first rule that says a key wins it (B5)."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields, replace
from datetime import timedelta
from functools import lru_cache
from typing import Any

from ...model.evidence import Document
from ...model.ingest import Rule

_PARTS = re.compile(r"\*\*/|\*\*|\*|\?|[^*?]+")
_MEANING = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def matches(pattern: str, path: str) -> bool:
    """True where a path with slashes matches: `*` and `?` stay inside a folder, `**` does not."""
    return _compiled(pattern).fullmatch(path) is not None


@lru_cache(maxsize=1_000)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile("".join(_MEANING.get(part) or re.escape(part) for part in _PARTS.findall(pattern)), re.DOTALL)


def given_by(rules: Iterable[Rule], path: str) -> dict[str, Any]:
    """What the rules that match a path say, key by key the first that says it."""
    found: dict[str, Any] = {}
    for rule in rules:
        if matches(rule.match, path):
            for each in fields(Rule)[1:]:
                value = getattr(rule, each.name)
                if value is not None:
                    found.setdefault(each.name, value)
    return found


def completed(document: Document, written: Collection[str], given: Mapping[str, Any]) -> Document:
    """The document with what it was given, where it did not write that itself.

    `review_after` counts days from the date it took effect; a document without one has no review date.
    """
    own = {key: value for key, value in given.items() if key not in written and key != "review_after"}
    made = replace(document, **own)
    days = given.get("review_after")
    if days is None or made.review_by is not None or made.effective is None:
        return made
    return replace(made, review_by=made.effective + timedelta(days=days))
