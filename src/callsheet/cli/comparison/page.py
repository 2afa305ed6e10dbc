"""A comparison as one HTML page that needs nothing else, and runs no script: tables, and two plots."""

import html
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import Any

from ... import __version__
from ..report.words import number
from .probing import probe_tables

Shape = dict[str, Any]
PARTS = (("cached_read", "read from the cache"), ("cache_write", "written to it"), ("input", "neither"), ("own", "own"))
CLASSES = {"cached_read": "cached_read", "cache_write": "cache_write", "input": "uncached", "own": "memory"}
OWN_STYLE = """
.plot text { font-size: 12px; fill: currentColor; }
.plot .rule { stroke: var(--line); }
.plot .bound { stroke: currentColor; }
.plot circle { fill: var(--accent); }
"""
WIDE, LEFT, ROW, BAR, RIGHT = 980, 220, 26, 16, 90
escaped = html.escape


def page(document: Shape) -> str:
    """The page of a comparison. Its policy allows its own style by its hash, and nothing from outside."""
    style = (files("callsheet.cli.report") / "source" / "page.css").read_text(encoding="utf-8") + OWN_STYLE
    policy = f"default-src 'none'; style-src 'sha256-{b64encode(sha256(style.encode()).digest()).decode()}'"
    good = [row for row in document["policies"] if not row["failed"]]
    sources = ", ".join(each["source"] for each in document["transcripts"])
    body = "\n".join((*_tables(document, good), *_each(document["transcripts"]), *_left_out(document)))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="callsheet {escaped(__version__)}">
<link rel="icon" href="data:,">
<title>{escaped(sources[:120])} - callsheet compare</title>
<style>{style}</style>
</head>
<body>
<header class="top"><p class="brand">callsheet <span>compare</span></p><h1>{escaped(sources)}</h1></header>
<main>
{body}
</main>
<footer class="quiet">Made by callsheet {escaped(__version__)}. This file needs nothing else.</footer>
</body>
</html>
"""


def _tables(document: Shape, good: Sequence[Shape]) -> Iterator[str]:
    facts = (("transcripts", len(document["transcripts"])), *_sums(document["transcripts"]))
    told = "".join(f"<div><dt>{escaped(name)}</dt><dd>{number(value)}</dd></div>" for name, value in facts)
    yield f'<section><dl class="facts">{told}</dl></section>'
    yield f'<section><h2>What was billed</h2><div class="card">{_bars(good)}</div></section>'
    yield f'<section><h2>What survived</h2><div class="card">{_survival(good)}</div></section>'
    yield f"<section><h2>Policies</h2>{_table(good)}</section>"
    yield from _probes(document["policies"])
    for row in document["policies"]:
        if row["failed"]:
            yield f"<p>{escaped(row['name'])}: no figures, for a defect of ours: {escaped(row['failed'])}</p>"
    basis = dict.fromkeys(line for each in document["transcripts"] for line in each["basis"])
    listed = "".join(f"<li>{escaped(line)}</li>" for line in basis)
    yield f"<section><h2>What this rests on</h2><ul>{listed}</ul></section>"


def _sums(transcripts: Sequence[Shape]) -> Iterator[tuple[str, int]]:
    for name in ("conversations", "messages", "rounds", "compactions", "facts", "uses"):
        yield name, sum(each[name] for each in transcripts)


def _bars(rows: Sequence[Shape]) -> str:
    """Tokens of each policy as one bar in its parts."""
    most = max((sum(row["billed"].values()) for row in rows), default=0) or 1
    room, drawn = WIDE - LEFT - RIGHT, []
    for at, row in enumerate(rows):
        top, left = at * ROW, float(LEFT)
        drawn.append(_label(row["name"], top))
        for part, words in PARTS:
            wide = room * row["billed"][part] / most
            told = f"{row['name']}: {number(row['billed'][part])} tokens {words}"
            drawn.append(
                f'<rect class="{CLASSES[part]}" x="{left:.1f}" y="{top}" width="{wide:.1f}" height="{BAR}">'
                f"<title>{escaped(told)}</title></rect>"
            )
            left += wide
        drawn.append(f'<text x="{left + 6:.1f}" y="{top + 13}">{number(sum(row["billed"].values()))}</text>')
    key = " ".join(f'<span><i class="swatch {CLASSES[part]}"></i>{words}</span>' for part, words in PARTS)
    return f"{_svg(drawn, len(rows), 'Tokens billed, by policy')}<p class='quiet'>{key}</p>"


def _survival(rows: Sequence[Shape]) -> str:
    """The share of uses at which a fact stood in the window, with its interval, from 0 to 100 %."""
    room, drawn = WIDE - LEFT - RIGHT, []
    for share in (0, 25, 50, 75, 100):
        x = LEFT + room * share / 100
        drawn.append(f'<line class="rule" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{len(rows) * ROW}"/>')
        drawn.append(f'<text x="{x:.1f}" y="{len(rows) * ROW + 14}" text-anchor="middle">{share} %</text>')
    for at, row in enumerate(rows):
        kept, top = row["survival"], at * ROW
        drawn.append(_label(row["name"], top))
        if kept["share"] is None:
            continue
        low, high, middle = (LEFT + room * kept[name] for name in ("low", "high", "share"))
        drawn.append(f'<line class="bound" x1="{low:.1f}" x2="{high:.1f}" y1="{top + 8}" y2="{top + 8}"/>')
        told = f"{row['name']}: {kept['in_window']:,} of {kept['used']:,} uses in the window, {kept['lost']:,} lost"
        drawn.append(f'<circle cx="{middle:.1f}" cy="{top + 8}" r="5"><title>{escaped(told)}</title></circle>')
    return _svg(drawn, len(rows) + 1, "Facts in the window when they were used, by policy")


def _label(name: str, top: int) -> str:
    return f'<text x="{LEFT - 8}" y="{top + 13}" text-anchor="end">{escaped(name)}</text>'


def _svg(drawn: Iterable[str], rows: int, title: str) -> str:
    return (
        f'<svg class="plot" viewBox="0 0 {WIDE} {rows * ROW}" width="100%" role="img">'
        f"<title>{escaped(title)}</title>{''.join(drawn)}</svg>"
    )


COLUMNS = (
    "policy", "tokens", "read from cache", "written to it", "neither", "own", "cost", "prefix breaks", "re-reads",
    "over the window", "uses in window", "share", "interval", "addressable", "lost", "alike",
)  # fmt: skip


def _table(rows: Sequence[Shape]) -> str:
    head = "".join(f"<th{' class=number' if at else ''}>{name}</th>" for at, name in enumerate(COLUMNS))
    body = "".join(f"<tr>{''.join(_cells(row))}</tr>" for row in rows)
    return (
        f'<div class="grid"><div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody>'
        "</table></div></div>"
    )


def _probes(policies: Sequence[Shape]) -> Iterator[str]:
    """What a model answered, and each policy beside the whole history, as far as it was asked."""
    for title, (names, rows) in zip(("Probes", "Probes, pair by pair"), probe_tables(policies), strict=False):
        head = "".join(f"<th{' class=number' if at else ''}>{escaped(name)}</th>" for at, name in enumerate(names))
        body = "".join(f"<tr>{''.join(map(_cell, enumerate(row)))}</tr>" for row in rows)
        yield (
            f'<section><h2>{title}</h2><div class="grid"><div class="scroll"><table><thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table></div></div></section>"
        )


def _cell(placed: tuple[int, Any]) -> str:
    at, value = placed
    shown = "–" if value is None else number(value) if isinstance(value, int) else escaped(str(value))
    return f"<td{' class=number' if at else ''}>{shown}</td>"


def _cells(row: Shape) -> Iterator[str]:
    billed, kept = row["billed"], row["survival"]
    interval = f"{kept['low']:.1%} to {kept['high']:.1%}"
    yield f"<td>{escaped(row['name'])}</td>"
    for value in (
        number(sum(billed.values())), number(billed["cached_read"]), number(billed["cache_write"]),
        number(billed["input"]), number(billed["own"]), "–" if row["cost"] is None else f"{row['cost']:,.2f}",
        row["prefix_breaks"], row["refetches"]["files"], row["prompts"]["over_window"],
        f"{kept['in_window']:,} of {kept['used']:,}", "–" if kept["share"] is None else f"{kept['share']:.1%}",
        interval, kept["addressable"], kept["lost"], "–" if row["alike"]["n"] == 0 else f"{row['alike']['median']:g}",
    ):  # fmt: skip
        yield f'<td class="number">{value}</td>'


def _each(transcripts: Sequence[Shape]) -> Iterator[str]:
    """A table for each transcript, where there are several."""
    for each in transcripts if len(transcripts) > 1 else ():
        good = [row for row in each["policies"] if not row["failed"]]
        told = f"{each['format']}, {number(each['rounds'])} model calls, window {number(each['window'])}"
        yield (
            f"<details><summary>{escaped(each['source'])} <span class='quiet'>{escaped(told)}</span></summary>"
            f"{_table(good)}</details>"
        )


def _left_out(document: Shape) -> Iterator[str]:
    if document["others"]:
        listed = "".join(f"<li>{escaped(each['source'])}: {escaped(each['why'])}</li>" for each in document["others"])
        yield f"<section><h2>Not compared</h2><ul>{listed}</ul></section>"
