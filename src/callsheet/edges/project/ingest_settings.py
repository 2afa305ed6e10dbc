"""[[knowledge.rule]] and `versions` of [knowledge]: what documents are given that they do not say themselves."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...core.text.citation import flaw
from ...model.ingest import IngestPolicy, Rule, Versions
from .text import Source

_DAYS = re.compile(r"([1-9]\d{0,4})d")


@dataclass(frozen=True, slots=True)
class RuleTable:
    """[[knowledge.rule]], as it is written; `Rule` is what becomes of it."""

    match: str
    scope: str | None = None
    authority: float | None = None
    version: str | None = None
    review_after: str | None = None
    language: str | None = None


def ingest_policy(rules: Sequence[RuleTable], versions: Versions, source: Source) -> IngestPolicy:
    """The policy of these tables; a Problem names the key that is wrong."""
    return IngestPolicy(tuple(_rule(each, source) for each in rules), versions)


def _rule(table: RuleTable, source: Source) -> Rule:
    def wrong(key: str, why: str, fix: str) -> Exception:
        return source.problem(("knowledge", "rule", key), "invalid-value", f"the rule for {table.match!r}: {why}", fix)

    if not table.match.strip("/") or table.match.startswith("/"):
        raise wrong("match", "it is no path inside a folder", 'write a pattern like match = "internal/**"')
    days = _DAYS.fullmatch(table.review_after) if table.review_after is not None else None
    if table.review_after is not None and days is None:
        raise wrong("review_after", f"review_after = {table.review_after!r}", 'write days, like review_after = "180d"')
    authority = 1.0 if table.authority is None else table.authority
    if found := flaw("any", "v1" if table.version is None else table.version, authority):
        raise wrong(*found)
    after = int(days[1]) if days else None
    return Rule(table.match, table.scope, table.authority, table.version, after, table.language)
