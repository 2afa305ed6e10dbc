"""The command line that the benches over these sets share."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from recordings import folder

from . import SETS

Figures = dict[str, dict[str, Any]]


def arguments(description: str | None, names: Iterable[str]) -> argparse.ArgumentParser:
    """A parser for `--json` and the sets that are wanted; a bench adds what is its own."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"only these of {', '.join(names)}")
    return parser


def measured(
    bench: str, parser: argparse.ArgumentParser, names: Iterable[str], measure: Callable[..., Figures]
) -> Figures | None:
    """The figures of the sets that are wanted and that CALLSHEET_DATA has; None where they were printed as JSON.

    `measure` is given a set's name, the folder of all sets, and the options.
    """
    known, options = tuple(names), parser.parse_args()
    if unknown := [name for name in options.sets if name not in known]:
        parser.error(f"no set is called {unknown[0]!r}; there are {', '.join(known)}")
    data: Path | None = folder(*dict.fromkeys(SETS[name][0] for name in known), whole=False)
    figures: Figures = {}
    for name in (options.sets or known) if data else ():
        if data and (data / SETS[name][0]).is_dir():
            print(f"{name} …", file=sys.stderr, flush=True)
            figures |= measure(name, data, options)
    if not options.json:
        return figures
    said: Mapping[str, Any] = {"half": options.half} if "half" in options else {}
    print(json.dumps({"bench": bench, **said, "figures": figures}))
    return None
