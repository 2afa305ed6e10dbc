"""The front matter at the top of a text: lines of `key: value` between two lines of `---` (B5)."""

import re
from collections.abc import Callable, Mapping
from typing import Any

LARGEST = 64 * 1024
"""Characters that a front matter may have at most."""

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_NOTHING = ("", "~", "null", "Null", "NULL")


def parted(text: str) -> tuple[str, str]:
    """What stands between the two lines, and the text below them: nothing, and all of it, where there are none."""
    match = _FRONT_MATTER.match(text)
    return (match.group(1), text[match.end() :]) if match else ("", text)


def keys(written: str, load: Callable[[str], Any]) -> dict[str, Any]:
    """The keys of a front matter that say something, by a reader of YAML that leaves values as they are written.

    So a version 1.10 is not 1.1, and a date that is none is found by its key. ValueError says what is wrong and the
    way out where it is no mapping or longer than LARGEST.
    """
    if len(written) > LARGEST:
        raise ValueError(f"the front matter has {len(written):,} characters, and {LARGEST:,} are allowed; shorten it")
    data = load(written) if written else None
    if data is not None and not isinstance(data, Mapping):
        raise ValueError("the front matter is not a mapping; write `key: value` lines")
    return {key: value for key, value in (data or {}).items() if value not in _NOTHING}
