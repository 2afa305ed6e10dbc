"""Reading text, TOML, YAML and front matter, with the line of whatever is wrong in it."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.text.front_matter import keys, parted
from .problem import Problem

Key = str | int


@dataclass(frozen=True, slots=True)
class Source:
    """A file's text and its name relative to the project folder; knows on which line a key stands."""

    file: str
    text: str

    def line(self, path: Sequence[Key]) -> int:
        """The line, from 1, of a key path in TOML or YAML; of what stands nearest above where the key is absent."""
        lines = self.text.splitlines()
        keys = [str(key) for key in path if isinstance(key, str)]
        start, found = _header(lines, keys)
        for key in keys[start:]:
            assignment = re.compile(rf"""^[\s\-]*["']?{re.escape(key)}["']?\s*[.:=]""")
            at = next((n for n in range(found, len(lines)) if assignment.match(lines[n])), None)
            if at is None:
                break
            found = at
        return min(found, max(len(lines) - 1, 0)) + 1

    def problem(self, path: Sequence[Key] | int, rule: str, message: str, fix: str) -> Problem:
        """The error for one key path, or for one line, of this file."""
        return Problem(self.file, path if isinstance(path, int) else self.line(path), rule, message, fix)


def _header(lines: Sequence[str], keys: Sequence[str]) -> tuple[int, int]:
    """How many leading keys the longest TOML table header covers, and the 0-based line it stands on."""
    for depth in range(len(keys), 0, -1):
        name = r"\s*\.\s*".join(rf"""["']?{re.escape(key)}["']?""" for key in keys[:depth])
        header = re.compile(rf"^\s*\[\[?\s*{name}\s*\]")
        for number, line in enumerate(lines):
            if header.match(line):
                return depth, number
    return 0, 0


def read_source(folder: Path, path: Path) -> Source:
    """The text of one file of the project, UTF-8, with `\\n` line ends; a Problem where it cannot be read."""
    name = path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.as_posix()
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise Problem(
            name, 0, "missing-file", f"there is no such file in {folder.absolute()}", _way_out(name)
        ) from None
    except UnicodeDecodeError as error:
        fix = "save it as UTF-8"
        raise Problem(name, 1, "malformed-file", f"byte {error.start} is not UTF-8", fix) from None
    except OSError as error:
        fix = "make it a readable file"
        raise Problem(name, 0, "missing-file", f"cannot be read ({error.strerror})", fix) from None
    return Source(name, text)


def _way_out(name: str) -> str:
    if name == "callsheet.toml":
        return "run `callsheet init` there, or name the project folder with -C DIR"
    return "create it"


def read_toml(source: Source) -> dict[str, Any]:
    """The tables of a TOML file."""
    try:
        return tomllib.loads(source.text)
    except (ValueError, RecursionError) as error:  # a syntax error, or a number or nesting beyond all measure
        at = re.search(r"line (\d+)", str(error))
        line = int(at.group(1)) if at else max(1, source.text.count("\n"))
        raise source.problem(line, "malformed-file", f"not TOML: {error}", "mend the syntax on this line") from None


def read_yaml(source: Source) -> Any:
    """The value of a YAML file."""
    return _yaml(source, source.text, 1)


def _yaml(source: Source, written: str, first_line: int, typed: bool = True) -> Any:
    """The value of a YAML text that starts on a line of a file; where it is not `typed`, of texts as written."""
    import yaml

    try:
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(written)):
            raise yaml.YAMLError("anchors and aliases are not used here")
        return yaml.load(written, yaml.SafeLoader if typed else yaml.BaseLoader)
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = first_line + (mark.line if mark else 0)
        why = getattr(error, "problem", None) or str(error) or "unreadable"
        raise source.problem(line, "malformed-file", f"not YAML: {why}", "mend the syntax on this line") from None


def read_list(source: Source) -> list[tuple[int, Mapping[str, Any]]]:
    """The mappings of a YAML file, which holds one or a list of them, each with the line it starts on."""
    import yaml

    data = read_yaml(source)
    if data is None:
        return []
    if isinstance(data, Mapping):
        return [(1, data)]
    entries = data if isinstance(data, list) else [data]
    node = yaml.compose(source.text)
    lines = [child.start_mark.line + 1 for child in node.value] if isinstance(node, yaml.SequenceNode) else [1]
    for line, entry in zip(lines, entries, strict=True):
        if not isinstance(entry, Mapping):
            fix = "write a mapping, or a list of mappings"
            raise source.problem(line, "malformed-file", f"{entry!r} is not a mapping of keys to values", fix)
    return list(zip(lines, entries, strict=True))


def front_matter(source: Source) -> tuple[dict[str, Any], str, int]:
    """The keys of the front matter, the body below it, and the body's first line (from 1)."""
    written, body = parted(source.text)
    try:
        found = keys(written, lambda text: _yaml(source, text, 2, typed=False))
    except ValueError as error:
        why, _, fix = str(error).rpartition("; ")
        raise source.problem(2, "malformed-file", why, fix) from None
    return found, body, source.text[: len(source.text) - len(body)].count("\n") + 1
