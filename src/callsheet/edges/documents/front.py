"""The YAML front matter at the top of a text file."""

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import Any

from ...core.text import front_matter
from ...errors import UsageError


def parted(text: str, where: str) -> tuple[Mapping[str, Any], str]:
    """The keys of a text's front matter, and the text below; no keys and all of it where there is none.

    UsageError where it is not YAML, is no mapping, is too long or uses anchors: a few of those can stand for more than
    any memory holds.
    """
    written, body = front_matter.parted(text)
    try:
        return front_matter.keys(written, partial(_yaml, where=where)), body
    except ValueError as error:
        raise UsageError(f"{where}: {error}") from error


def _yaml(written: str, where: str) -> Any:
    yaml = import_module("yaml")
    try:
        if "*" in written and any(isinstance(token, yaml.AliasToken) for token in yaml.scan(written)):
            raise UsageError(f"{where}: its front matter uses YAML anchors and aliases; write the values out")
        return yaml.load(written, getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        why = getattr(error, "problem", None) or str(error) or "unreadable"
        line = 2 + (mark.line if mark else 0)
        raise UsageError(f"{where}:{line}: not YAML: {why}; mend the front matter") from error
