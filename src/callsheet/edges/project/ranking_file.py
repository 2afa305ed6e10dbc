"""Writing a ranking into callsheet.toml: the values that differ, with all else in the file as it stands."""

import difflib
from importlib import import_module
from pathlib import Path
from typing import Any

from ...model.knowledge_policy import Ranking
from .settings import FILE, read_settings
from .text import read_source

LIBRARY = "tomlkit"
TABLE = ("knowledge", "ranking")


def with_ranking(text: str, ranking: Ranking, labels: str = "") -> str:
    """The text of a callsheet.toml that sets this ranking: values that are the default are not written anew.

    `labels` is the file that experience comes from, written where the ranking gives that a weight. Comments, order
    and blanks stay (tomlkit, decision 25).
    """
    document: Any = import_module(LIBRARY).parse(text)
    table = document
    for name in TABLE:
        if name not in table:
            table[name] = import_module(LIBRARY).table(is_super_table=name != TABLE[-1])
        table = table[name]
    usual = Ranking()
    for name in Ranking.__slots__:
        value = getattr(ranking, name)
        if table.get(name, getattr(usual, name)) != value:
            table[name] = value
    if ranking.experience and labels:
        document[TABLE[0]]["labels"] = labels
    return str(document.as_string())


def difference(folder: Path, ranking: Ranking, labels: str = "") -> str:
    """What `write_ranking` would change, as a unified diff; empty where nothing."""
    before = read_source(folder, folder / FILE).text
    after = with_ranking(before, ranking, labels)
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), FILE, FILE, lineterm="")
    return "\n".join(lines)


def write_ranking(folder: Path, ranking: Ranking, labels: str = "") -> None:
    """Writes a ranking into the project's callsheet.toml at once, and reads it back; a Problem leaves it as it was."""
    path = folder / FILE
    before = path.read_bytes()
    path.write_text(with_ranking(read_source(folder, path).text, ranking, labels), encoding="utf-8")
    try:
        read_settings(folder)
    except Exception:
        path.write_bytes(before)
        raise
