"""The tables of figures in the README, made of what the benches told last.

A table stands in the README between `<!-- bench:NAME -->` and `<!-- /bench -->`, and in `tables.md` between the same
lines, with `{BENCH[FIGURE]}` where a figure belongs: its value, formatted as Python formats a number;
`{BENCH[FIGURE].ratio}` and so on for the rest of it. What a bench told last is `results/BENCH.json`. A row with a
figure that was never measured is left out. `make bench` measures everything and does this; alone, this script only
writes.
"""

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
README, TEMPLATES, RESULTS = HERE.parent / "README.md", HERE / "tables.md", HERE / "results"
TABLE = re.compile(r"(?<=<!-- bench:)(\w+) -->\n(.*?)(?=<!-- /bench -->)", re.DOTALL)


class Figure(float):
    """A figure's value, with the rest of it as attributes: `ratio`, `n`, `limit` and what else its bench told."""

    def __new__(cls, told: Mapping[str, Any]) -> "Figure":
        made = super().__new__(cls, told["value"])
        vars(made).update(told)
        return made

    @property
    def verdict(self) -> str:
        """The figure's limit, and whether it is missed."""
        return f"limit {vars(self)['limit']:g}{'' if vars(self)['within'] else ': missed'}"


def results() -> dict[str, dict[str, Figure]]:
    """The figures of each bench by name; those without a value, which nothing can be said of, left out."""
    told = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(RESULTS.glob("*.json"))}
    return {
        bench: {name: Figure(each) for name, each in figures.items() if each["value"] is not None}
        for bench, figures in told.items()
    }


def rows(template: str, figures: Mapping[str, Mapping[str, Figure]]) -> str:
    """A table's rows with their figures."""
    made = []
    for row in template.splitlines():
        try:
            made.append(re.sub(r"(?<=\d)%", " %", row.format_map(figures)))
        except (KeyError, AttributeError) as missing:
            print(f"left out, for want of {missing}: {row[:80]}", file=sys.stderr)
    return "".join(f"{row}\n" for row in made)


def rendered(page: str) -> str:
    """The page with its tables made anew. KeyError for a table that has no template."""
    templates, figures = dict(TABLE.findall(TEMPLATES.read_text(encoding="utf-8"))), results()
    return TABLE.sub(lambda table: f"{table[1]} -->\n{rows(templates[table[1]], figures)}", page)


def main() -> None:
    README.write_text(rendered(README.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
