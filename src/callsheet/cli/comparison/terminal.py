"""A comparison as tables: what each policy was billed, what survived, and what it rests on."""

from collections.abc import Iterable, Iterator
from typing import Any

from rich.console import Console

from ..output import shown, table
from ..report.words import number, percent, several
from .probing import print_probes

Shape = dict[str, Any]
COLUMNS = (
    "policy", "tokens", "cached", "written", "uncached", "own", "of full", "cost", "breaks", "re-reads", "in window",
    "95 %", "addressable", "lost", "alike",
)  # fmt: skip

LEGEND = (
    "tokens: of all prompts, and own: those of the policy's summaries and notes; of full: the share of what the whole "
    "history takes; in window, addressable, lost: where a fact was when it was used; alike: how many other things in "
    "the window look like it"
)


def print_comparison(console: Console, document: Shape) -> None:
    """Prints the sums over all transcripts, and below what survived kind by kind."""
    for line in _head(document["transcripts"]):
        console.print(line)
    console.print()
    good = [row for row in document["policies"] if not row["failed"]]
    table(console, COLUMNS, map(_row, good))
    console.print(LEGEND)
    console.print()
    kinds = list(dict.fromkeys(kind for row in good for kind in row["survival"]["kinds"]))
    cells = ([row["name"], *(_kind(row, kind) for kind in kinds)] for row in good)
    table(console, ("in window, of uses", *kinds), cells if kinds else ())
    print_probes(console, document["policies"])
    for row in document["policies"]:
        if over := row["prompts"]["over_window"]:
            console.print(
                f"{row['name']}: {over:,} of {row['prompts']['rounds']:,} prompts are more than the window holds"
            )
        if row["failed"]:
            console.print(f"{row['name']}: no figures, for a defect of ours; please report it: {shown(row['failed'])}")


def _head(transcripts: list[Shape]) -> Iterator[str]:
    if len(transcripts) == 1:
        yield f"{shown(transcripts[0]['source'])}  {shown(transcripts[0]['format'])}"
    counts = [
        several(len(transcripts), "transcript"),
        *(several(sum(each[name] for each in transcripts), name[:-1]) for name in ("conversations", "messages")),
        several(sum(each["rounds"] for each in transcripts), "model call"),
        several(sum(each["compactions"] for each in transcripts), "recorded compaction"),
    ]
    yield " · ".join(counts)
    facts, uses = (sum(each[name] for each in transcripts) for name in ("facts", "uses"))
    yield f"{several(facts, 'fact')} followed through {several(uses, 'use')}"
    windows = sorted({each["window"] for each in transcripts})
    yield f"window {number(windows[0])}" + (f" to {number(windows[-1])}" if len(windows) > 1 else "")
    yield from _distinct(basis for each in transcripts for basis in each["basis"])


def _distinct(lines: Iterable[str], most: int = 4) -> Iterator[str]:
    said = list(dict.fromkeys(lines))
    yield from map(shown, said[:most])
    if len(said) > most:
        yield f"and {len(said) - most:,} more (--json)"


def _row(row: Shape) -> Iterator[Any]:
    billed, survival, beside = row["billed"], row["survival"], row["beside_full"]
    yield row["name"]
    yield number(sum(billed.values()))
    yield number(billed["cached_read"])
    yield number(billed["cache_write"])
    yield number(billed["input"])
    yield number(billed["own"])
    yield f"{beside['tokens']:.1%}" if beside and beside["tokens"] is not None else None
    yield None if row["cost"] is None else f"{row['cost']:,.2f}"
    yield row["prefix_breaks"]
    yield row["refetches"]["files"]
    yield None if survival["share"] is None else f"{survival['share']:.1%}"
    yield None if survival["share"] is None else f"{survival['low']:.1%}-{survival['high']:.1%}"
    yield survival["addressable"]
    yield survival["lost"]
    yield row["alike"]["median"]


def _kind(row: Shape, kind: str) -> str | None:
    kept = row["survival"]["kinds"].get(kind)
    return f"{percent(kept['in_window'], kept['used'])} of {kept['used']:,}" if kept else None
