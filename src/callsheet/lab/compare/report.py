"""The comparison as one document: each transcript, and all of them together, policy by policy."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..stats import mcnemar, median_interval, wilson
from .row import Row, total
from .runner import Answered
from .survival import Survival

FULL = "full"
Shape = dict[str, Any]


def report(answers: Sequence[Answered], names: Sequence[str]) -> Shape:
    """The document of `compare`, with the policies that were asked for.

    `policies` are the sums over all transcripts that could be compared.
    """
    good = [each for each in answers if not each.why]
    sums = [total(rows) for rows in zip(*(each.rows for each in good), strict=True)]
    return {
        "transcripts": [
            {"source": str(each.path), **(each.about or {}), "policies": rows_json(each.rows, names)} for each in good
        ],
        "others": [{"source": str(each.path), "why": each.why} for each in answers if each.why],
        "policies": rows_json(sums, names),
    }


def rows_json(rows: Sequence[Row], names: Sequence[str]) -> list[Shape]:
    """The rows of these names, each beside that of the policy which leaves everything as it is, if it is there."""
    by_name = {row.name: row for row in rows}
    return [row_json(by_name[name], by_name.get(FULL)) for name in names if name in by_name]


def row_json(row: Row, full: Row | None) -> Shape:
    """One policy: what it was billed, what survived, and how that differs from the whole history."""
    bill = row.bill
    middle, low, high = median_interval(row.alike) if row.alike else (None, None, None)
    return {
        "name": row.name,
        "billed": {
            "input": bill.input,
            "cached_read": bill.cached_read,
            "cache_write": bill.cache_write,
            "own": bill.own,
        },
        "output": bill.output,
        "cost": None if bill.cost is None else round(bill.cost, 6),
        "prefix_breaks": bill.prefix_breaks,
        "refetches": {"files": bill.refetches, "tokens": bill.refetched},
        "prompts": {"rounds": bill.rounds, "largest": bill.largest, "over_window": bill.over_window},
        "edits": {"done": bill.edits, "refused": bill.refused},
        "survival": {**survival_json(row.whole), "kinds": {kind: survival_json(s) for kind, s in row.survival.items()}},
        "alike": {"median": middle, "low": low, "high": high, "n": len(row.alike)},
        "beside_full": beside(row, full) if full is not None and not (row.failed or full.failed) else None,
        "probes": {},
        "seconds": round(row.seconds, 3),
        "failed": row.failed,
    }


def survival_json(kept: Survival) -> Shape:
    """Counts of uses, and the share in the window with its interval (Wilson, 95 %)."""
    low, high = wilson(kept.in_window, kept.used)
    share = kept.in_window / kept.used if kept.used else None
    return {
        "used": kept.used,
        "in_window": kept.in_window,
        "addressable": kept.addressable,
        "lost": kept.lost,
        "share": None if share is None else round(share, 4),
        "low": round(low, 4),
        "high": round(high, 4),
    }


def beside(row: Row, full: Row) -> Mapping[str, Any]:
    """The same conversations with and without the policy: shares of tokens and cost, and facts, pair by pair."""
    gained, missed = row.paired(full)
    whole = full.bill.prompt
    paid = row.bill.cost / full.bill.cost if row.bill.cost is not None and full.bill.cost else None
    return {
        "tokens": round((row.bill.prompt + row.bill.own) / whole, 4) if whole else None,
        "cost": None if paid is None else round(paid, 4),
        "gained": gained,
        "missed": missed,
        "p": round(mcnemar(gained, missed), 6),
    }
