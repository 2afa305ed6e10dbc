"""What is still there after a cut, of every exact thing that the next 40 calls are given, whatever its kind (F2, F7).

`bench/compaction.py` asks for files, identifiers and rules at labelled cuts. Here it is asked for all exact pieces of
the arguments of the next 40 calls that stood before the cut and that nothing told again before they were used: read by
this script's own rules (`pieces`), apart from those that choose what a summary keeps. Cuts are at 20, 40, 60 and 80 %
of the messages of each conversation, in front of a turn of the model; the budget is 20 % of the tokens before it.

Only cuts at which the budget can be held are counted, as there. Of half of the conversations, by a digest of their
names, the misses were looked at while the rules were made (`seen`); of the others (`unseen`) none. A piece is there
where it stands letter by letter, with no letter or digit beside it.

`POLICY in window SOURCE`, `POLICY in window by kind KIND` and `POLICY addressable SOURCE` are shares with their Wilson
intervals. Peers (requirements/bench.txt) run fitted. CALLSHEET_DATA names the folder that bench/DATA.md describes;
the conversations in German and Polish are made, and need no data.
"""

import argparse
import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from callsheet.core.history.coverage import NotCovered
from callsheet.errors import CallsheetError
from callsheet.host.counters import choose
from callsheet.lab.compare.timeline import recorded
from callsheet.lab.stats import wilson
from callsheet.model.history import Entry
from callsheet.model.message import CallBlock
from callsheet.transcripts import find, reading
from compaction import FRAME, SHARE, Count, Cut, Left, contenders, least, text_of_message
from made_conversations import made
from recordings import folder

SOURCES = ("claude-code-sessions", "pi-sessions", "openhands-trajs", "swe-agent-trajs", "tau-bench-airline")
PLACES, CALLS = (0.2, 0.4, 0.6, 0.8), 40
FEWEST, MOST, FROM_A_FILE = 16, 1_200, 25
"""Messages of a conversation that is cut, and the most conversations of one file."""
READ = 4_000
"""Characters of one argument that are read."""
POLICIES = ("compaction", "coding-agent", "sliding-window")
SPACE = "[ \u00a0\u202f]?"
CURRENCY = r"(?:€|\$|£|EUR|USD|PLN|CHF|zł)"
MEASURE = r"(?:ms|s|min|h|kB|KB|MB|GB|KiB|MiB|GiB|px|kg|km|cm|mm|°C|V|W|%)"
SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("url", r"https?://[^\s\"'<>()\[\]{}|]+"),
        ("date", r"(?<![\w.])(?:\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?|\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2}:\d\d)(?![\w.])"),
        ("amount", rf"(?<![\w.]){CURRENCY}{SPACE}\d[\d.,]*\d|(?<![\w.,])\d[\d.,]*{SPACE}{CURRENCY}(?!\w)"),
        ("measure", rf"(?<![\w.,])\d[\d.,]*{SPACE}{MEASURE}(?!\w)"),
        ("path", r"(?<![\w.@~/-])(?:~|\.{1,2})?(?:/?[\w.@+-]+)?(?:/[\w.@+-]+)+"),
        ("id", r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[^\W\d_])\w+(?:-\w+)*(?![\w-])"),
        ("name", r"(?<![\w.-])[^\W\d]\w*(?:[._-]\w+)+(?!\w)|(?<!\w)[a-z]+(?:[A-Z]\w*)+|(?<!\w)(?:[A-Z][a-z]+){2,}(?!\w)"
                 r"|(?<!\w)[A-Z]{3,}(?!\w)"),
        ("number", r"(?<![\w.,])\d[\d.,]*\d(?!\w)"),
    )
)  # fmt: skip
QUOTED = re.compile(r"\"([^\"\n]{3,60})\"|„([^“\n]{3,60})“|«([^»\n]{3,60})»")
Table = dict[tuple[str, str], list[int]]
"""By policy and what: how often it was so, of how many."""


@dataclass(frozen=True)
class Conversation:
    """A conversation by its source and a name of its own."""

    source: str
    name: str
    entries: tuple[Entry, ...]

    @property
    def seen(self) -> bool:
        """Whether it is of the half that was looked at."""
        return blake2b(f"{self.source} {self.name}".encode(), digest_size=1).digest()[0] % 2 == 0


def conversations(data: Path | None, count: Count) -> Iterator[Conversation]:
    for language in ("de", "pl"):
        for seed in range(6):
            yield Conversation("made, German and Polish", f"{language} {seed}", made(language, seed, count))
    for source in SOURCES if data is not None else ():
        assert data is not None
        for path in sorted(map(Path, find(data / source))):
            with reading(path) as (_, events):
                threads = recorded(events, count)
            for number, each in enumerate(threads[:FROM_A_FILE]):
                if FEWEST <= len(each.timeline.entries) <= MOST:
                    yield Conversation(source, f"{path.relative_to(data)} {number}", each.timeline.entries)


def cuts(conversation: Conversation) -> Iterator[Cut]:
    """The cuts at which something is needed and the budget can be held."""
    for share in PLACES:
        place = place_of(conversation.entries, share)
        entries = conversation.entries[:place]
        needed = tuple((kind, (text,)) for text, kind in needed_after(conversation.entries, place).items())
        budget = int(SHARE * sum(each.weight for each in entries))
        if needed and least(entries) + FRAME <= budget:
            yield Cut(conversation.name, f"{share:.0%}", entries, budget, None, needed)


def place_of(entries: Sequence[Entry], share: float) -> int:
    """The first turn of the model from this share of the messages on."""
    first = int(share * len(entries))
    return next((at for at in range(first, len(entries)) if entries[at].speaker == "model"), len(entries))


def needed_after(entries: Sequence[Entry], place: int) -> dict[str, str]:
    """The exact pieces of the next calls that stood before and nothing tells again before their use; their kinds."""
    before = "\n".join(text_of_message(each.message) for each in entries[:place])
    told, needed, calls = "", dict[str, str](), 0
    for entry in entries[place:]:
        if entry.speaker != "model":
            told += "\n" + text_of_message(entry.message)
            continue
        for call in entry.message.calls:
            calls += 1
            if calls > CALLS:
                return needed
            written = "\n".join(values(call))
            for kind, piece in pieces(call):
                if piece not in needed and stands(piece, before) and not stands(piece, told):
                    needed[piece] = kind
            told += "\n" + written
    return needed


def values(call: CallBlock) -> list[str]:
    """The values of a call's arguments, as texts."""
    waiting, found = [call.arguments if call.arguments is not None else call.written], list[str]()
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, str):
            found.append(value[:READ])
        elif value is not None and not isinstance(value, bool):
            found.append(json.dumps(value))
    return found


def pieces(call: CallBlock) -> Iterator[tuple[str, str]]:
    """The exact pieces of a call's arguments: a short value that is one as a whole, quoted strings, telling shapes."""
    for value in values(call):
        if (whole := whole_kind(value)) is not None:
            yield whole, value
            continue
        for found in QUOTED.findall(value):
            if " " in (quoted := "".join(found)).strip():
                yield "phrase", quoted.strip()
        rest = value
        for kind, pattern in SHAPES:
            for piece in pattern.findall(rest):
                told = piece.strip(".,:-")
                if len(told) >= (3 if kind in ("amount", "measure", "number") else 4) or kind == "name":
                    yield kind, told
            rest = pattern.sub(" ", rest)


def whole_kind(value: str) -> str | None:
    """The kind of a short value as a whole: of a shape, or words that are a name or have a number; None for prose."""
    words = value.split()
    if not 0 < len(words) <= 6 or not 3 <= len(value) <= 60 or "\n" in value:
        return None
    for kind, pattern in SHAPES:
        if pattern.fullmatch(value):
            return kind
    if not all(word[0].isupper() or word[0].isdigit() or word[-1].isdigit() or word[-1] == "." for word in words):
        return None
    return "phrase" if len(words) > 1 else "name" if value.isalpha() else None


def stands(piece: str, text: str) -> bool:
    """Whether it stands in a text, and is no part of a longer word or number."""
    at = text.find(piece)
    while at >= 0:
        end = at + len(piece)
        if not (joins(text[at - 1 : at], piece[0]) or joins(piece[-1], text[end : end + 1])):
            return True
        at = text.find(piece, at + 1)
    return False


def joins(left: str, right: str) -> bool:
    return (left.isalnum() or left == "_") and (right.isalnum() or right == "_")


def newest(cut: Cut, count: Count) -> Left:
    """The newest messages that fit, and nothing else."""
    texts, room = list[str](), cut.budget
    for entry in reversed(cut.entries):
        text = text_of_message(entry.message)
        room -= count(text)
        if room < 0:
            break
        texts.append(text)
    return Left("\n".join(reversed(texts)), cut.budget - max(room, 0), frozenset())


def taking_part(count: Count, only: str) -> dict[str, Callable[[Cut], Left | None]]:
    known = contenders(count)
    chosen = [*(f"callsheet {name}" for name in POLICIES), *(name for name in known if name.endswith("fitted"))]
    found = {name: known[name] for name in chosen}
    found["the newest messages"] = lambda cut: newest(cut, count)
    return {name: leave for name, leave in found.items() if only in name}


def tally(table: Table, name: str, conversation: Conversation, cut: Cut, left: Left, show: bool) -> None:
    texts = [(entry.number, text_of_message(entry.message)) for entry in cut.entries if entry.number in left.numbers]
    half = "seen" if conversation.seen else "unseen"
    scopes = (f"{conversation.source}", f"{conversation.source}, {half}", f"all, {half}", "all")
    for scope in scopes:
        add(table[name, f"over budget {scope}"], left.tokens > cut.budget)
    for kind, (piece,) in cut.needed:
        within = stands(piece, left.text)
        reached = within or any(stands(piece, text) for _, text in texts)
        for scope in scopes:
            add(table[name, f"in window {scope}"], within)
            add(table[name, f"addressable {scope}"], reached)
        add(table[name, f"in window by kind {kind}"], within)
        add(table[name, f"in window by kind {kind}, {half}"], within)
        if show and conversation.seen and not within:
            told = "addressable only" if reached else "LOST"
            print(f"{name}: {conversation.name} {cut.kind}: {kind} {piece!r} {told}", file=sys.stderr)


def add(pair: list[int], hit: bool) -> None:
    pair[0] += hit
    pair[1] += 1


def measured(found: Iterable[Conversation], leaves: dict[str, Any], show: bool) -> Table:
    table: Table = defaultdict(lambda: [0, 0])
    for conversation in found:
        for cut in cuts(conversation):
            for name, leave in leaves.items():
                try:
                    left = leave(cut)
                except (CallsheetError, NotCovered) as error:
                    add(table[name, "failed"], True)
                    print(f"{name}: {cut.file} {cut.kind}: {error}", file=sys.stderr)
                    continue
                tally(table, name, conversation, cut, left, show)
    return table


def report(table: Table, as_json: bool) -> None:
    told: dict[str, dict[str, object]] = {}
    for (name, what), (good, n) in table.items():
        low, high = wilson(good, n)
        told[f"{name} {what}"] = {
            "value": round(good / n, 4), "unit": "share", "n": n, "hits": good,
            "low": round(low, 4), "high": round(high, 4),
        }  # fmt: skip
    if as_json:
        print(json.dumps({"bench": "survival", "figures": told}))
        return
    for (name, what), (good, n) in sorted(table.items()):
        print(f"{name:<36} {what:<56} {good / n:>7.1%} of {n}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--show", action="store_true", help="print what is missing, of the half that may be looked at")
    parser.add_argument("--only", metavar="NAME", default="", help="only those whose name holds this")
    options = parser.parse_args()
    count = choose().count
    data = folder(*SOURCES, whole=False)
    report(measured(conversations(data, count), taking_part(count, options.only), options.show), options.json)


if __name__ == "__main__":
    main()
