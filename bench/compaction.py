"""What is still there after a compaction, of what the next 40 calls need word for word (F2, F3, F7).

At every recorded compaction of `labels-derived/cut_points.jsonl`, and at 30, 50 and 70 % of each session's calls, each
policy gets the same history and the same number of tokens: those of the recorded summary with the turns that it kept,
or 20 % of the history where none is recorded. Then it is looked up, letter by letter, which of the files, the exact
identifiers and the person's standing rules that the next 40 calls need stand in the window, and which are addressable:
the request itself names the message that they are in by its number, alone or in a range, and offers a tool for it.

A cut is infeasible where the person's words, what the model has not read and an empty summary already have more tokens
than the budget; `feasible cuts` are the others. A policy that acts by a share of the window is given the largest window
of which it leaves no more than the budget.

Identifiers are those that a person stated, that the artifact index found, or that are opaque ids; `name` is any other
exact name that stood in a text before, as code has them by the hundred.

`POLICY KIND in window` and `POLICY KIND addressable` are shares with their Wilson intervals, `POLICY over budget` the
share of cuts at which the window has more tokens than it was given, `POLICY tokens of the budget` how many, at the
median. Peers (requirements/bench.txt) run with their defaults, and a model that copies. CALLSHEET_DATA names the folder
that bench/DATA.md describes.
"""

import argparse
import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from callsheet.core.history.conversation import Conversation
from callsheet.core.history.coverage import NotCovered
from callsheet.core.history.summary.by_rule import draft
from callsheet.core.history.terms import Terms
from callsheet.core.text.blocks import text_of
from callsheet.drive import drive
from callsheet.errors import CallsheetError
from callsheet.history import POLICIES
from callsheet.host.counters import choose
from callsheet.lab.compare.facts import Fact, kind_of, said_by_person, tokens_of
from callsheet.lab.compare.gathered import gather
from callsheet.lab.compare.timeline import Recorded, recorded
from callsheet.lab.stats import wilson
from callsheet.model.history import Entry, View
from callsheet.model.history_policy import Clear, Compact, HistoryPolicy, Slide
from callsheet.model.message import CallBlock, ResultBlock
from callsheet.transcripts import reading
from compaction_peers import peers
from recordings import folder

SHARE, CALLS = 0.2, 40
FRAME = 60
"""Tokens of a summary with hardly a line."""
RECALL = "recall_message"
NAMED = re.compile(r"""\bmessages?[ =]"?(\d+(?:-\d+)?(?:, \d+(?:-\d+)?)*)""", re.IGNORECASE)
"""Where a request names messages by their numbers, one by one or as ranges."""
KINDS = ("file", "identifier", "rule", "name")
Count = Callable[[str], int]
Hits = dict[tuple[str, str, str], list[int]]
"""By policy, which cuts and what: how often it was so, of how many."""
Sizes = dict[tuple[str, str], list[float]]
"""By policy and which cuts: the tokens that it left, as shares of those it was given."""


@dataclass(frozen=True)
class Left:
    """What a policy leaves of a history: its text, its tokens, and the numbers of the messages it stands for."""

    text: str
    tokens: int
    numbers: frozenset[int]


@dataclass(frozen=True)
class Cut:
    """One place at which a history is cut, what may be left of it, and what is needed after it: (kind, spellings)."""

    file: str
    kind: str
    entries: tuple[Entry, ...]
    budget: int
    recap: Left | None
    needed: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def scopes(self) -> list[str]:
        """The tables that it counts in."""
        return ["all cuts", *["feasible cuts"] * self.feasible, *["recorded compactions"] * bool(self.recap)]

    @property
    def feasible(self) -> bool:
        """Whether what no policy may take out leaves room for a summary at all."""
        return least(self.entries) + FRAME <= self.budget


def cuts(data: Path, count: Count) -> Iterator[Cut]:
    """The cuts of the labels, in their order; a conversation is read once."""
    path = data / "labels-derived" / "cut_points.jsonl"
    known: dict[str, tuple[Recorded, Sequence[Fact]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        label = json.loads(line)
        if label["file"] not in known:
            with reading(data / label["file"]) as (_, events):
                held = recorded(events, count)[0]
            known = {label["file"]: (held, gather(held).mentions.facts)}
        yield cut(label, *known[label["file"]])


def cut(label: dict[str, Any], held: Recorded, facts: Sequence[Fact]) -> Cut:
    place = sum(record < label["record"] for record in held.records)
    entries = held.timeline.entries[:place]
    folder = next((each for each in reversed(held.folders[:place]) if each), "")
    recap = next((each for each in held.recaps if label["kind"] == "recorded" and each.place == place), None)
    left = None
    if recap is not None:
        left = Left("\n".join(map(text_of_message, recap.messages)), recap.tokens, frozenset())
    budget = left.tokens if left else int(SHARE * sum(each.weight for each in entries))
    said = "\n".join(text_of_message(each.message) for each in entries)
    files = [("file", spellings(path, folder, said)) for path in label["files_needed_next"]]
    rules = [("rule", (fact.text,)) for fact in stated(entries) if fact.kind == "rule"]
    followed = {fact.text for fact in facts if fact.number < place}
    names = [
        ("identifier" if each in followed else "name", (each,)) for each in identifiers(held.timeline.entries, place)
    ]
    return Cut(label["file"], label["kind"], entries, budget, left, (*files, *names, *rules))


def least(entries: Sequence[Entry]) -> int:
    """Tokens that every window must have: the words of the person and the operator, calls without a result, and what
    the model has not read, with the turn that asked for it."""
    answered = {block.call_id for each in entries for block in each.message.blocks if isinstance(block, ResultBlock)}
    read = max((at + 1 for at, each in enumerate(entries) if each.speaker == "model"), default=0)
    first = read if read == len(entries) else next((at for at in range(read, 0, -1) if spoke(entries, at - 1)), 0)
    return sum(
        each.weight
        for at, each in enumerate(entries)
        if at >= first
        or each.speaker == "person"
        or each.message.role in ("system", "developer")
        or any(call.id not in answered for call in each.message.calls)
    )


def spoke(entries: Sequence[Entry], at: int) -> bool:
    """Whether the turn of the model that a message is part of begins behind it."""
    return entries[at].speaker != "model" and entries[at + 1].speaker == "model"


def text_of_message(message: Any) -> str:
    return "\n".join(map(text_of, message.blocks))


def stated(entries: Sequence[Entry]) -> list[Any]:
    return [
        fact for each in entries if each.speaker == "person" for fact in said_by_person(each.message.text, each.number)
    ]


def spellings(path: str, folder: str, said: str) -> tuple[str, ...]:
    """A file's path in full, and as it is written in the folder that the agent works in; else as it was ever written.

    A command that went to another folder first names a file by less.
    """
    inside = path.removeprefix(folder.rstrip("/") + "/") if folder else path
    if path in said or inside in said:
        return (path,) if inside == path else (path, inside)
    parts = path.split("/")
    written = ("/".join(parts[at:]) for at in range(1, len(parts)))
    return path, next((each for each in written if each in said), path)


def identifiers(entries: Sequence[Entry], place: int) -> list[str]:
    """Exact names and ids from before a place that the next calls are given before anything has told them again."""
    before = {
        token
        for each in entries[:place]
        for token in tokens_of(text_of_message(each.message))
        if kind_of(token) in ("identifier", "value")
    }
    told, needed, calls = set[str](), dict[str, None](), 0
    for entry in entries[place:]:
        if entry.speaker != "model":
            told.update(tokens_of(text_of_message(entry.message)))
            continue
        for call in (block for block in entry.message.blocks if isinstance(block, CallBlock)):
            calls += 1
            if calls > CALLS:
                return list(needed)
            used = dict.fromkeys(each for each in tokens_of(text_of(call)) if each in before and each not in told)
            needed.update(used)
            told.update(used)
    return list(needed)


def ours(policy: HistoryPolicy, cut: Cut, count: Count) -> Left:
    """What a policy of ours leaves, in the largest of its windows in which that is no more than the budget."""
    for window in windows(policy, max(cut.budget, 1)):
        left = in_window(policy, window, cut, count)
        if left.tokens <= cut.budget:
            break
    return left


def windows(policy: HistoryPolicy, budget: int) -> list[int]:
    """Windows of which a policy may leave the budget, the largest first.

    A trigger by threshold goes down to the share `to` of the window, or leaves up to `at` of it as it is.
    """
    triggers = [step.trigger for step in policy.steps if isinstance(step, Clear | Slide | Compact)]
    shares = {share for each in triggers if each.kind == "threshold" for share in (each.to, each.at)}
    return [int(budget / share) for share in sorted({*shares, 1.0})]


def in_window(policy: HistoryPolicy, window: int, cut: Cut, count: Count) -> Left:
    conversation = Conversation(policy)
    for entry in cut.entries:
        conversation.add(entry)
    tools = frozenset(call.name for entry in cut.entries for call in entry.message.calls) | {RECALL}
    view: View = drive(conversation.prepare(Terms(window, count, reserve=0.0, tools=tools, recall=RECALL)), draft)
    text = "\n".join([view.system, *map(text_of_message, view.messages)])
    return Left(text, sum(map(count, map(text_of_message, view.messages))) + count(view.system), numbers(view))


def numbers(view: View) -> frozenset[int]:
    """The messages that the request itself names by number, in what a policy put in the place of others."""
    found = set[int]()
    for each in view.shown:
        for ranges in NAMED.findall(text_of_message(each.message)) if each.manner != "kept" else ():
            for one in ranges.split(", "):
                first, _, last = one.partition("-")
                found.update(range(int(first), int(last or first) + 1))
    return frozenset(found)


def contenders(count: Count) -> dict[str, Callable[[Cut], Left | None]]:
    """Everyone who takes part, by name."""
    found: dict[str, Callable[[Cut], Left | None]] = {
        f"callsheet {name}": lambda cut, policy=policy: ours(policy, cut, count) for name, policy in POLICIES.items()
    }
    found["as recorded"] = lambda cut: cut.recap
    for name, leave in peers().items():

        def left(cut: Cut, leave: Any = leave) -> Left:
            text = leave(cut.entries, cut.budget, count)
            return Left(text, count(text), frozenset())

        found[name] = left
    return found


def holders(cut: Cut, spelled: tuple[str, ...], texts: Sequence[str]) -> set[int]:
    return {
        entry.number for entry, text in zip(cut.entries, texts, strict=True) if any(each in text for each in spelled)
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--show", action="store_true", help="print what is missing from each window")
    parser.add_argument("--only", metavar="NAME", help="only those whose name holds this")
    options = parser.parse_args()
    if (data := folder("labels-derived")) is None:
        if options.json:
            print(json.dumps({"bench": "compaction", "figures": {}}))
        return
    count = choose().count
    found = {name: each for name, each in contenders(count).items() if (options.only or "") in name}
    hits: Hits = defaultdict(lambda: [0, 0])
    sizes: Sizes = defaultdict(list)
    infeasible = [0, 0]
    for each in cuts(data, count):
        add(infeasible, not each.feasible)
        texts = [text_of_message(entry.message) for entry in each.entries]
        places = [(kind, spelled, holders(each, spelled, texts)) for kind, spelled in each.needed]
        for name, leave in found.items():
            try:
                left = leave(each)
            except (CallsheetError, NotCovered) as error:
                hits[name, "", "failed"][0] += 1
                hits[name, "", "failed"][1] += 1
                print(f"{name}: {each.file} {each.kind}: {error}", file=sys.stderr)
                continue
            if left is not None:
                tally(hits, sizes, name, each, left, places, show=options.show)
    report(hits, sizes, list(found), infeasible, as_json=options.json)


def tally(hits: Hits, sizes: Sizes, name: str, cut: Cut, left: Left, places: Any, *, show: bool) -> None:
    for where in cut.scopes:
        add(hits[name, where, "over budget"], left.tokens > cut.budget)
        sizes[name, where].append(left.tokens / max(1, cut.budget))
        for kind, spelled, numbers in places:
            within = any(each in left.text for each in spelled)
            reached = within or bool(numbers & left.numbers)
            add(hits[name, where, f"{kind} in window"], within)
            add(hits[name, where, f"{kind} addressable"], reached)
            if show and not within and where == "all cuts":
                told = "addressable only" if reached else "LOST"
                print(f"{name}: {cut.file} {cut.kind}: {kind} {spelled[0]!r} {told}", file=sys.stderr)


def add(pair: list[int], hit: bool) -> None:
    pair[0] += hit
    pair[1] += 1


def report(hits: Hits, sizes: Sizes, names: list[str], infeasible: list[int], as_json: bool) -> None:
    told: dict[str, dict[str, object]] = {
        "infeasible cuts": {"value": infeasible[0] / infeasible[1], "unit": "share", "n": infeasible[1]}
    }
    for (name, where, what), (good, n) in hits.items():
        low, high = wilson(good, n)
        told[" ".join(filter(None, (name, what, where)))] = {
            "value": round(good / n, 4), "unit": "share", "n": n, "hits": good,
            "low": round(low, 4), "high": round(high, 4),
        }  # fmt: skip
    for (name, where), each in sizes.items():
        told[f"{name} tokens of the budget {where}"] = {
            "value": round(median(each), 3),
            "unit": "median",
            "n": len(each),
        }
    missing = [name for name in ("langchain", "pydantic-ai-harness") if name not in names]
    if as_json:
        print(json.dumps({"bench": "compaction", "figures": told, "missing_peers": missing}))
        return
    print(
        f"{'':<36}{'cuts':>22} "
        + "".join(f"{kind + ' ' + what:>24}" for kind in KINDS for what in ("window", "reach"))
        + f"{'over':>8}"
    )
    for name, where in dict.fromkeys((name, where) for name, where, _ in hits):
        row = [hits.get((name, where, f"{kind} {what}")) for kind in KINDS for what in ("in window", "addressable")]
        over = hits.get((name, where, "over budget"), [0, 0])
        cells = "".join(f"{f'{good / n:.1%} of {n}' if n else '-':>24}" for good, n in (each or (0, 0) for each in row))
        print(f"{name:<36}{where:>22} {cells}{over[0]:>4}/{over[1]:<3} {median(sizes[name, where] or [0]):.2f}")
    print(
        f"infeasible: {infeasible[0]} of {infeasible[1]} cuts: the person's words, what the model has not read and an "
        "empty summary have more tokens than the budget"
    )
    if missing:
        print(f"not installed, so not compared: {', '.join(missing)}")


if __name__ == "__main__":
    main()
