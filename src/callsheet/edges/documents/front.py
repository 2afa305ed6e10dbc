"""The YAML front matter at the top of a text file."""

import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from ...errors import UsageError

LARGEST = 64 * 1024
"""Characters that a front matter may have at most."""

_NOTHING = ("", "~", "null", "Null", "NULL")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


def parted(text: str, where: str) -> tuple[Mapping[str, Any], str]:
    """The mapping between two `---` lines at the top of a text, and the text below; all of it where there is none.

    Values are texts as they are written: a version 1.10 is not 1.1, and a date that is none is found by its key.
    UsageError where the front matter is not YAML, is no mapping, is longer than LARGEST or uses anchors: a few of
    those can stand for more than any memory holds.
    """
    match = _FRONT_MATTER.match(text)
    if match is None:
        return {}, text
    written = match.group(1)
    if len(written) > LARGEST:
        raise UsageError(f"{where}: its front matter has {len(written):,} characters, and {LARGEST:,} are allowed")
    data = _yaml(written, where)
    if data is not None and not isinstance(data, dict):
        raise UsageError(f"{where}: its front matter is not a mapping; write `key: value` lines")
    return {key: value for key, value in (data or {}).items() if value not in _NOTHING}, text[match.end() :]


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
