"""What recorded sessions would have been billed under policies of ours and of other packages, at equal survival.

Each long session is sent once more, round by round, in a window in which everybody has to act. Ours and theirs are
billed by the same code, under the conditions that were recorded: what of a prefix is read from the cache, what is
written, files that have to be read again because their content had left, summaries with what the model was shown.
Billed tokens are in tokens of plain input (a cached read .1, a write 1.25, an answer 5); the session's own answers are
the same for all and left out. Survival is the share of uses of an exact fact (a path, an identifier, a rule ...) at
which it stood in the window, word for word.

Against each setting of a peer stands the cheapest setting of ours with the same survival or better over all sessions,
and with no more prompts that are too large for the window. There is none where nothing of ours survives as well.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from callsheet.core.history.coverage import NotCovered
from callsheet.core.prices import MILLION, USUAL
from callsheet.errors import CallsheetError
from callsheet.lab.compare.billing import Bill, Billing
from callsheet.lab.compare.compared import ready
from callsheet.lab.compare.gathered import Gathered
from callsheet.lab.compare.refetches import Refetches, touched
from callsheet.lab.compare.replay import Sent, Setting, replay
from callsheet.lab.compare.survival import Surviving
from callsheet.model.history import Edit, Entry, Shown, Standing, View
from callsheet.model.history_policy import Clear, Compact, Deduplicate, HistoryPolicy, Notes, Slide, Trigger
from callsheet.model.message import Message, ResultBlock, TextBlock, Usage
from callsheet.model.policy import Priced
from history_peers import Instead, Peer, Piece, Room, peers

SENT, RESERVE = 100_000, 0.2
"""A window in which everybody has to act, and the share of it that is the reply's."""
LONG = 200
"""Messages of a session that is long."""
FOLDERS = ("claude-code-sessions", "pi-sessions")
TOS = (0.2, 0.3, 0.45, 0.6)
USUAL_PRICED = Priced(USUAL, date(2025, 1, 1), "usual ratios")


def ours() -> Mapping[str, HistoryPolicy]:
    """Policies of ours, each at several settings of how far an edit goes."""
    found: dict[str, tuple[Any, ...]] = {}
    for to in TOS:
        at = Trigger("threshold", 0.75, to)
        found[f"slide to {to:.0%}"] = (Slide(at),)
        found[f"clear to {to:.0%}"] = (Deduplicate(), Clear(at))
        found[f"compact to {to:.0%}"] = (Compact(at, keep=to - 0.1, limit=0.1),)
        found[f"clear, then compact to {to:.0%}"] = (
            Deduplicate(),
            Clear(at),
            Compact(Trigger("threshold", 0.8, to), keep=to - 0.1, limit=0.1, domain="coding"),
        )
    found["notes, compact to 45%"] = (Notes(), Compact())
    return {name: HistoryPolicy(name, steps, reserve=RESERVE) for name, steps in found.items()}


@dataclass(frozen=True)
class Point:
    """What one setting came to, over all sessions."""

    name: str
    billed: int
    bill: Bill
    survived: int
    used: int

    @property
    def survival(self) -> float:
        return self.survived / self.used if self.used else 1.0


def sessions(data: Path, window: int) -> list[tuple[Setting, Gathered]]:
    """The long conversations of the folders, made ready for a window."""
    found = []
    for path in sorted(path for folder in FOLDERS for path in (data / folder).rglob("*.jsonl")):
        try:
            held = ready(path, window, None)
        except CallsheetError:
            continue  # no session, or one without a call of a model
        for setting, facts in zip(held.settings, held.gathered, strict=True):
            if len(setting.conditions.entries) >= LONG:
                found.append((setting, facts))
    return found


def billed(data: Path, window: int) -> dict[str, dict[str, Any]]:
    """The figures of everybody, by name; none where the folder has no long session."""
    held = sessions(data, window)
    if not held:
        print(f"billed tokens are not measured: {data} has no session of {LONG} messages", file=sys.stderr)
        return {}
    mine, theirs = list[Point](), list[Point]()
    for name, policy in ours().items():
        try:
            mine.append(_point(name, held, partial(replay, policy)))
        except NotCovered as defect:
            print(f"callsheet {name}: {defect}", file=sys.stderr)
    for name, start in peers().items():
        theirs.append(_point(name, held, partial(_peer, start)))
    return figures(mine, theirs, window)


def _point(name: str, held: Sequence[tuple[Setting, Gathered]], send: Callable[[Setting], Iterator[Sent]]) -> Point:
    total, survived, used = Bill(), 0, 0
    for setting, facts in held:
        billing, surviving = Billing(setting.window, lambda _: USUAL_PRICED), Surviving(facts)
        files = Refetches(touched(setting.held, setting.conditions.entries))
        for sent in send(setting):
            billing.take(sent, *files.due(sent.round.number, sent.round.before, sent.standing))
            surviving.take(sent)
        total = total.plus(billing.result())
        for each in surviving.result().kinds.values():
            survived, used = survived + each.in_window, used + each.used
    assert total.cost is not None
    return Point(name, round(total.cost * MILLION - USUAL.output * total.output), total, survived, used)


def _peer(start: Callable[[Room], Peer], setting: Setting) -> Iterator[Sent]:
    """What a peer sends in each round, told as our own views are."""
    told = setting.conditions
    room, ledger, added = Room(told.count), Ledger(told.entries, told.count), 0
    peer = start(room)
    for each, condition in zip(setting.held.timeline.rounds, told.rounds, strict=True):
        room.usable, room.usage = int(setting.window * (1 - RESERVE)) - condition.overhead, Usage()
        new, added = told.entries[added : each.before], max(added, each.before)
        pieces = peer(new)
        edits = (Edit("peer", each.before, usage=room.usage),) if room.usage != Usage() else ()
        view = View(tuple(map(ledger.shown, pieces)))
        yield Sent(each, condition, view, _standing(pieces, told.entries, each.before), edits)


class Ledger:
    """What a peer sends, as messages of ours; what was said stands as it was said, with all of its tokens."""

    def __init__(self, entries: Sequence[Entry], count: Callable[[str], int]) -> None:
        self._entries = entries
        self._count = lru_cache(None)(count)
        self.shown = lru_cache(None)(self._shown)

    def _shown(self, piece: Piece) -> Shown:
        place = piece.place if isinstance(piece, Instead) else piece
        if place is None:
            assert isinstance(piece, Instead)
            return Shown(_said(piece.text), self._count(piece.text), (), "summary")
        number, at = place
        entry = self._entries[number]
        if isinstance(piece, Instead):
            block = entry.message.blocks[at or 0]
            if not isinstance(block, ResultBlock):
                return Shown(_said(piece.text), self._count(piece.text), (number,), "cleared")
            told = replace(block, blocks=(TextBlock(text=piece.text),), form="text", value=None)
            message = replace(entry.message, blocks=(told,))
            return Shown(message, self._count(piece.text), (number,), "cleared")
        if at is None:
            return Shown(entry.message, entry.weight, (number,))
        message = replace(entry.message, blocks=(entry.message.blocks[at],))
        return Shown(message, entry.tokens[at], (number,))


def _said(text: str) -> Message:
    return Message("user", (TextBlock(text=text),), form="text")


def _standing(pieces: Sequence[Piece], entries: Sequence[Entry], before: int) -> Standing:
    """How a peer's conversation stands: which messages it shows, and which results as placeholders."""
    numbers, cleared = set[int](), dict[tuple[int, int], str]()
    for each in pieces:
        place = each.place if isinstance(each, Instead) else each
        if place is not None:
            numbers.add(place[0])
        if place is not None and isinstance(each, Instead):
            cleared[place[0], place[1] or 0] = each.text
    return Standing(covered=before, carried=frozenset(numbers), cleared=cleared)


def figures(mine: Sequence[Point], theirs: Sequence[Point], window: int) -> dict[str, dict[str, Any]]:
    """The figures by name; a peer's with the cheapest of ours of no less survival, and how many times ours it is."""
    told: dict[str, dict[str, Any]] = {}
    for kind, each in (*(("callsheet ", one) for one in mine), *(("", one) for one in theirs)):
        name = f"billed {kind}{each.name}"
        told[name] = {
            "value": each.billed,
            "unit": "tokens of plain input",
            "n": each.bill.rounds,
            "window": window,
            "prefix_breaks": each.bill.prefix_breaks,
            "survival": round(each.survival, 4),
            "uses": each.used,
            "own": each.bill.own,
            "refetches": each.bill.refetches,
            "over_window": each.bill.over_window,
        }
        if kind:
            continue
        equal = [one for one in mine if one.survival >= each.survival and one.bill.over_window <= each.bill.over_window]
        best = min(equal, key=lambda one: one.billed, default=None)
        if best is not None:
            told[name] |= {"peer": f"billed callsheet {best.name}", "ratio": round(each.billed / best.billed, 2)}
    return told | _in_short(told)


def _in_short(told: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Of each kind of policy: prefix breaks at most; and a peer's times our bill at most, and `least`."""
    kinds: dict[str, list[Mapping[str, Any]]] = {}
    for name, each in told.items():
        kinds.setdefault(name.split()[1], []).append(each)
    short: dict[str, dict[str, Any]] = {}
    for kind, settings in kinds.items():
        n = len(settings)
        short[f"breaks {kind}"] = {"value": max(each["prefix_breaks"] for each in settings), "unit": "breaks", "n": n}
        if ratios := [each["ratio"] for each in settings if "ratio" in each]:
            short[f"times {kind}"] = {"value": max(ratios), "unit": "times ours", "n": n, "least": min(ratios)}
    return short


def lines(told: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """The figures as a table."""
    if not told:
        return
    yield f"{'':<46}{'billed':>12}{'survival':>10}{'breaks':>8}{'own':>9}{'re-reads':>9}{'too large':>10}"
    for name, each in told.items():
        if not name.startswith("billed "):
            continue
        more = f"   {each['ratio']} times {each['peer'].removeprefix('billed ')}" if "ratio" in each else ""
        yield (
            f"{name.removeprefix('billed '):<46}{each['value']:>12,}{each['survival']:>10.1%}{each['prefix_breaks']:>8}"
            f"{each['own']:>9,}{each['refetches']:>9}{each['over_window']:>10}{more}"
        )
