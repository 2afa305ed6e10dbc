"""A report on one screen: what was paid for, what broke the cache, what went wrong, and which fix comes first."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from rich.console import Console
from rich.text import Text

from ..output import shown
from .words import Shape, cached_share, label, number, percent, place, prompt_tokens, several

LABEL, INDENT, NAME = 11, " " * 11, 17
BAR, BREAKS, PATTERNS, FIXES = 32, 3, 4, 3
STYLES = {
    "system": "blue",
    "tool_definitions": "yellow",
    "tool_results": "cyan",
    "conversation": "bright_blue",
    "thinking": "magenta",
    "evidence": "green",
    "memory": "bright_magenta",
}
EIGHTHS = " ▏▎▍▌▋▊▉█"
Line = str | Text


def print_report(console: Console, report: Shape) -> None:
    """Prints the first screen of a report; at a terminal, what is longer than a line goes on below its beginning."""
    for line in (*_head(report), "", *_paid(report), "", *_cache(report), "", *_wrong(report), *_fixes(report)):
        print_line(console, line)


def print_line(console: Console, line: Line) -> None:
    """Prints one line of a titled part."""
    if isinstance(line, str) or not console.is_terminal or line.cell_len <= console.width:
        console.print(line)
        return
    front, rest = line.divide([LABEL])
    for at, piece in enumerate(rest.wrap(console, console.width - LABEL)):
        console.print((Text(INDENT) if at else front).append_text(piece))


def titled(title: str, lines: Iterable[Line]) -> Iterator[Line]:
    """The lines of one part, its title in front of the first and the others below it."""
    for at, line in enumerate(lines):
        yield Text.assemble((f"{title if at == 0 else '':<{LABEL}}", "bold"), line)


def _head(report: Shape) -> Iterator[Line]:
    counts = (
        several(report["turns"], "turn"),
        several(report["model_calls"], "model call"),
        *([several(report["failed_calls"], "failed call")] if report["failed_calls"] else []),
        several(report["tool_calls"], "tool call"),
        several(report["tool_results"], "result"),
    )
    yield Text.assemble((shown(report["source"]), "bold"), f"  {shown(report['format'])}")
    yield from titled("Session", [" · ".join(counts)])
    yield from titled("Records", _records(report["records"]))
    yield from titled("Note", (shown(note) for note in report["notes"]))


def _records(records: Shape) -> Iterator[Line]:
    reasons: Counter[str] = Counter()
    for each in records["skipped"]:
        reasons[each["reason"] or "not listed"] += each.get("count", 1)
    fates = (
        f"{number(records['kept'])} kept",
        _listed(records["unknown_types"], "unknown"),
        _listed(reasons, "skipped"),
    )
    yield f"{number(records['read'])} read: {', '.join(fates)}"


def _listed(counts: Mapping[str, int], word: str) -> str:
    named = ", ".join(f"{shown(name)} {count:,}" for name, count in counts.items())
    return f"{sum(counts.values()):,} {word}" + (f" ({named})" if named else "")


def _paid(report: Shape) -> Iterator[Line]:
    billed = {name: tokens for name, tokens in report["billed"].items() if tokens}
    total = sum(billed.values())
    lines: list[Line] = [f"{number(total)} tokens of prompts, over {several(report['model_calls'], 'model call')}"]
    for name, tokens in sorted(billed.items(), key=lambda each: -each[1]):
        lines.append(_bar(name, tokens, total))
    lines += _again(report["buckets"])
    yield from titled("Paid for", lines if billed else ["no prompt that could be counted"])
    yield from titled("Counts", [shown(report["basis"]) if report["basis"] else "estimates"] if billed else [])
    yield from titled("Reported", _reported(report))


def _again(turns: list[Shape]) -> Iterator[Line]:
    """How often what came into the window was paid for: each call sends it again."""
    new, paid = (sum(turn[name] for turn in turns) for name in ("new", "paid"))
    if new:
        yield f"{number(new)} tokens of messages came in, and each was paid for {paid / new:,.1f} times on average"


def _bar(name: str, tokens: int, total: int) -> Text:
    eighths = round(BAR * 8 * tokens / total)
    bar = EIGHTHS[8] * (eighths // 8) + (EIGHTHS[eighths % 8] if eighths % 8 else "")
    line = Text(f"{label(name):<{NAME}}").append(f"{bar:<{BAR}}", style=STYLES.get(name, "bright_black"))
    return line.append(f" {number(tokens):>13} {percent(tokens, total):>5}")


def _reported(report: Shape) -> Iterator[Line]:
    usage = report["usage"]
    if not any(usage.values()):
        yield "no usage in the file"
        return
    parts = (
        f" = {number(usage['input'])} uncached + {number(usage['cached_read'])} read from cache + "
        f"{number(usage['cache_write'])} written to it"
    )
    unknown = ", cached or not, which the file does not say"
    cached = parts if report["cache"]["reported"] else unknown
    yield f"{number(prompt_tokens(usage))} in{cached}; {number(usage['output'])} out"
    if report["cost"] is not None:
        yield f"{report['cost']:,.2f} {report['models'][0]['currency'] if report['models'] else 'USD'}"


def _cache(report: Shape) -> Iterator[Line]:
    breaks, share = report["cache"]["breaks"], cached_share(report, report["usage"])
    read = f"{share} of the input was read from it"
    unknown = "no usage in the file tells how much was read from it"
    lines: list[Line] = [f"{unknown if share == '-' else read}; {several(len(breaks), 'break')}"]
    lines += map(broken, sorted(breaks, key=lambda each: -each["lost"])[:BREAKS])
    if len(breaks) > BREAKS:
        lines.append(f"and {len(breaks) - BREAKS:,} more that cost less")
    yield from titled("Cache", lines)


def broken(each: Shape) -> str:
    """One break of the cache, in words: at which call, why, where, and what was paid again."""
    where = f" at {shown(each['item'])}" if each["item"] else ""
    byte = f", byte {each['byte']:,}" if each["byte"] is not None else ""
    lost = f"; {number(each['lost'])} tokens paid again" if each["lost"] else ""
    whose = "" if each["ours"] else " (the provider's side)"
    return f"call {each['round']:,}: {label(each['cause'])}{where}{byte}{whose}{lost}"


def _wrong(report: Shape) -> Iterator[Line]:
    by_pattern: dict[str, list[Shape]] = {}
    for finding in report["findings"]:
        by_pattern.setdefault(finding["pattern"], []).append(finding)
    lines = [_pattern(pattern, found) for pattern, found in list(by_pattern.items())[:PATTERNS]]
    if rest := list(by_pattern)[PATTERNS:]:
        lines.append(f"and {', '.join(f'{label(pattern)} ×{len(by_pattern[pattern]):,}' for pattern in rest)}")
    yield from titled("Went wrong", lines or ["nothing that the rules know"])


def _pattern(pattern: str, found: list[Shape]) -> str:
    first = found[0]
    return f"{label(pattern)} ×{len(found):,}, first in {place(first)}: {shown(first['title'] or first['rule'])}"


def _fixes(report: Shape) -> Iterator[Line]:
    fixes = report["fixes"]
    if not fixes:
        return
    yield ""
    lines = [f"{at}. {_fix(fix)}" for at, fix in enumerate(fixes[:FIXES], 1)]
    yield from titled("Fix first", lines)


def _fix(fix: Shape) -> str:
    return f"{shown(fix['fix'])} ({fix['pattern']} ×{fix['findings']:,}, {place(fix)}; missing: {fix['missing']})"
