"""Where the recordings lie that a bench reads, and what it says when they are not there."""

import os
import re
import sys
from pathlib import Path

SOURCES = Path(__file__).with_name("DATA.md")


def folder(*sets: str, whole: bool = True) -> Path | None:
    """The folder that CALLSHEET_DATA names, if it has all of these sets, or any of them where it need not be `whole`.

    None without it, or when one is missing: then stderr is told which, and where each set is published.
    """
    named = os.environ.get("CALLSHEET_DATA")
    missing = [name for name in sets if named is None or not Path(named, name).is_dir()]
    if named is not None and (not missing or (not whole and len(missing) < len(sets))):
        return Path(named)
    why = "CALLSHEET_DATA is not set" if named is None else f"CALLSHEET_DATA names {named}, where a set is missing"
    print(f"{why}; it is to name a folder with these sets (bench/DATA.md):", file=sys.stderr)
    for name in missing:
        print(f"  {name}: {source(name)}", file=sys.stderr)
    return None


def source(name: str) -> str:
    """Where a set is published, as bench/DATA.md says."""
    row = re.search(rf"^\| `{re.escape(name)}` \| (.+?) \|", SOURCES.read_text(encoding="utf-8"), re.M)
    assert row is not None, f"bench/DATA.md has no row for {name}"
    return row[1].replace("`", "")
