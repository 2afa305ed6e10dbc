"""A report in full, as tables and lists below its first screen."""

from collections.abc import Iterator
from typing import Any

from rich.console import Console

from ..output import pairs, shown, table
from .terminal import broken
from .words import Shape, cached, cached_share, label, number, place, several


def print_details(console: Console, report: Shape) -> None:
    """Prints everything that the first screen leaves out, part by part; parts that are empty are left out."""
    for part in (_findings, _breaks, _turns, _rounds, _models, _tools, _artifacts, _records):
        part(console, report)


def _table(console: Console, title: str, columns: tuple[str, ...], rows: list[list[Any]]) -> None:
    if rows:
        console.print()
        table(console, columns, rows, title)


def _findings(console: Console, report: Shape) -> None:
    for each in report["findings"]:
        console.print()
        rows = [
            ("finding", f"{label(each['pattern'])}, {place(each)}: {each['title'] or each['rule']}"),
            ("rule", each["rule"]),
            ("missing", each["missing"]),
            ("evidence", list(_quotes(each))),
            ("items", each["items"]),
            ("fix", each["fix"]),
            ("disproof", each["disproof"]),
        ]
        pairs(console, rows)


def _quotes(finding: Shape) -> Iterator[str]:
    for quote in finding["evidence"]:
        what = f" ({quote['what']})" if quote["what"] else ""
        yield f"record {quote['record']}{what}: {' '.join(quote['text'].split())}"


def _breaks(console: Console, report: Shape) -> None:
    breaks = report["cache"]["breaks"]
    if breaks:
        console.print("\nWhat broke the cache", style="bold")
    for each in breaks:
        console.print(f"  {broken(each)}" + (f" - {shown(each['detail'])}" if each["detail"] else ""))


def _turns(console: Console, report: Shape) -> None:
    names = [name for name in _bucket_names(report) if any(turn["billed"].get(name) for turn in report["buckets"])]
    rows = [
        [
            f"{shown(turn['thread'])} {turn['turn']}" if turn["thread"] else turn["turn"],
            turn["record"],
            turn["calls"],
            *(number(turn["prompt"].get(name, 0)) for name in names),
            number(sum(turn["prompt"].values())),
            number(sum(turn["billed"].values())),
            number(turn["new"]),
            f"{turn['paid'] / turn['new']:,.1f}" if turn["new"] else "-",
            cached_share(report, turn["usage"]),
        ]
        for turn in report["buckets"]
    ]
    columns = ("turn", "record", "calls", *map(label, names), "last prompt", "billed", "new", "times paid", "cached")
    _table(console, "Turns: tokens of the last prompt by bucket, and of all prompts", columns, rows)


def _bucket_names(report: Shape) -> list[str]:
    return list(dict.fromkeys(name for turn in report["buckets"] for name in turn["billed"]))


def _rounds(console: Console, report: Shape) -> None:
    rows = [
        [
            each["round"],
            place(each),
            each["record"],
            each["model"],
            number(each["usage"]["input"]),
            cached(report, each["usage"]["cached_read"]),
            cached(report, each["usage"]["cache_write"]),
            "-" if each["share"] is None else f"{100 * each['share']:.0f} %",
            number(each["expected"]),
            each["relation"],
            each["first_changed_part"],
            each["reason"],
        ]
        for each in report["cache"]["rounds"]
    ]
    usage = ("uncached", "read", "written", "share", "expected")
    columns = ("call", "turn", "record", "model", *usage, "relation", "first change", "reason")
    _table(console, "Model calls and their cache", columns, rows)


def _models(console: Console, report: Shape) -> None:
    rows = [
        [
            each["model"],
            each["calls"],
            number(each["usage"]["input"]),
            cached(report, each["usage"]["cached_read"]),
            cached(report, each["usage"]["cache_write"]),
            number(each["usage"]["output"]),
            "-" if each["cost"] is None else f"{each['cost']:.4f} {each['currency']}",
        ]
        for each in report["models"]
    ]
    _table(console, "Models", ("model", "calls", "uncached", "read", "written", "output", "cost"), rows)


def _tools(console: Console, report: Shape) -> None:
    catalogue = report["catalogue"]
    names = (
        "name",
        "offered",
        "definition",
        "short",
        "billed",
        "calls",
        "errors",
        "wrong",
        "call_tokens",
        "result_tokens",
    )
    rows = [[each[name] for name in (*names, "nearest")] for each in catalogue["tools"]]
    _table(console, "Tools", (*map(label, names), "nearest real one"), rows)
    pairs(
        console,
        [
            ("never called", ", ".join(map(shown, catalogue["unused"]))),
            ("their cost", number(catalogue["unused_billed"]) if catalogue["unused_billed"] else None),
            ("invented", ", ".join(map(shown, catalogue["invented"]))),
            ("short saves", number(catalogue["short_saves"]) if catalogue["short_saves"] else None),
            ("wrong calls", _wrong(catalogue)),
            ("notes", catalogue["notes"]),
        ],
    )


def _wrong(catalogue: Shape) -> str | None:
    """Both sides of shorter descriptions: wrong calls, what they cost, and how many each length of description saw."""
    if not catalogue["wrong_calls"]:
        return None
    sides = (("one sentence", catalogue["one_sentence"]), ("longer", catalogue["longer"]))
    seen = "; ".join(f"described {how}: {side['wrong']} of {several(side['calls'], 'call')}" for how, side in sides)
    return f"{catalogue['wrong_calls']:,}, which cost {number(catalogue['wrong_tokens'])} tokens ({seen})"


def _artifacts(console: Console, report: Shape) -> None:
    rows = [
        [
            each["path"],
            len(each["reads"]) or each["read"],
            len(each["writes"]) or each["written"],
            each["created"],
            each["deleted"],
            each["unchanged_reads"],
            each["functions"],
            (each["hash"] or "")[:12],
        ]
        for each in report["artifacts"]
    ]
    columns = ("path", "reads", "writes", "created", "deleted", "read again, unchanged", "functions", "hash")
    _table(
        console, f"Artifacts ({report['refetches']} reads of a file already read and not written since)", columns, rows
    )


def _records(console: Console, report: Shape) -> None:
    rows = [[each["record"], each["reason"], each["detail"]] for each in report["records"]["skipped"]]
    _table(console, "Records that were not read", ("record", "reason", "detail"), rows)
