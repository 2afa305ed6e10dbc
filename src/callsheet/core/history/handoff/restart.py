"""The restart point: a start session writes it, each later one reads it first and writes back at its end (C10).

As a file it is Markdown that a person reads, and that reads back to the same value. An item counts as done only after a
check has passed; whoever says so without one has claimed it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ....errors import UsageError
from ....model.progress import RestartPoint, ScopeItem, Verification

_ITEM = re.compile(r"- \[([ ?x])\] (\S+): (.*?)(?: — (verified|failed) by ([^:]*)(?:: (.*))?)?$")
_LOG = re.compile(r"- ([^:]+): (.*)$")
_MARKS = {"open": " ", "claimed": "?", "done": "x"}
_STATES = {mark: state for state, mark in _MARKS.items()}


def begin(goal: str, scope: Sequence[str], session: str) -> RestartPoint:
    """The restart point of a start session: its goal, the items numbered from 1, and the first line of the log."""
    items = tuple(ScopeItem(f"S{number}", _line(text)) for number, text in enumerate(scope, 1))
    return logged(RestartPoint(_line(goal), items), session, f"began, with {len(items)} items in scope")


def claimed(point: RestartPoint, item_id: str, session: str) -> RestartPoint:
    """With an item that somebody says is done: it stays to be verified."""
    return _with(point, item_id, session, "claimed", None, "claimed, and not verified")


def verified(point: RestartPoint, item_id: str, check: Verification, session: str) -> RestartPoint:
    """With an item as a check has shown it: done where it passed, open again where it did not."""
    check = Verification(_by(check.by), check.passed, _line(check.said))
    outcome = "passed" if check.passed else "failed"
    return _with(point, item_id, session, "done" if check.passed else "open", check, f"{check.by} {outcome}")


def logged(point: RestartPoint, session: str, what: str) -> RestartPoint:
    """With one more line of the log."""
    return replace(point, log=(*point.log, (_by(session), _line(what))))


def left(point: RestartPoint) -> tuple[ScopeItem, ...]:
    """The items that are not done, those claimed first: they may need no more than a check."""
    return tuple(
        sorted((each for each in point.scope if each.state != "done"), key=lambda each: each.state != "claimed")
    )


def _with(
    point: RestartPoint, item_id: str, session: str, state: str, check: Verification | None, what: str
) -> RestartPoint:
    known = [each.item_id for each in point.scope]
    if item_id not in known:
        raise UsageError(f"no item is called {item_id!r}; in scope are {', '.join(known) or 'none'}")
    changed = tuple(
        ScopeItem(each.item_id, each.text, state, check) if each.item_id == item_id else each  # type: ignore[arg-type]
        for each in point.scope
    )
    return logged(replace(point, scope=changed), session, f"{item_id} {what}")


def written(point: RestartPoint) -> str:
    """The file: goal, scope and log as Markdown."""
    items = [f"- [{_MARKS[each.state]}] {each.item_id}: {each.text}{_check(each.verified)}" for each in point.scope]
    log = [f"- {session}: {what}" for session, what in point.log]
    return "\n".join((f"# {point.goal}", "", "## Scope", *items, "", "## Progress", *log, ""))


def _check(check: Verification | None) -> str:
    if check is None:
        return ""
    said = f": {check.said}" if check.said else ""
    return f" — {'verified' if check.passed else 'failed'} by {check.by}{said}"


def read(text: str) -> RestartPoint:
    """The restart point of a file. UsageError names the line that is none of it.

    A mark alone makes nothing done: `[x]` without a check that passed reads as claimed.
    """
    goal, part = "", ""
    scope: list[ScopeItem] = []
    log: list[tuple[str, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("# "):
            goal = line[2:].strip()
        elif line.startswith("## "):
            part = line[3:].strip()
        elif part == "Scope" and (found := _ITEM.match(line)):
            scope.append(_item(*found.groups()))
        elif part == "Progress" and (said := _LOG.match(line)):
            log.append((said.group(1), said.group(2)))
        elif line.strip():
            raise UsageError(f"line {number} is no part of a restart point: {line[:80]!r}; see `- [ ] S1: what to do`")
    twice = _repeated(each.item_id for each in scope)
    if twice:
        raise UsageError(f"two items of the scope are called {twice!r}; number them anew")
    return RestartPoint(goal, tuple(scope), tuple(log))


def _item(mark: str, item_id: str, text: str, outcome: str | None, by: str | None, said: str | None) -> ScopeItem:
    check = Verification(by or "", outcome == "verified", said or "") if outcome else None
    state = _STATES[mark]
    if (state == "done") != (check is not None and check.passed):
        return ScopeItem(item_id, text, "claimed")
    return ScopeItem(item_id, text, state, check)  # type: ignore[arg-type]


def _repeated(names: Iterable[str]) -> str:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return ""


def _line(text: str) -> str:
    """One line, in which nothing reads as the end of the item."""
    return " ".join(text.split()).replace(" — verified by", " - verified by").replace(" — failed by", " - failed by")


def _by(text: str) -> str:
    return _line(text).replace(":", " ").strip() or "unnamed"
