"""The grammar of memory paths: a text becomes the names below `/memories`, or is refused (C7).

A name is judged by what it is on any file system and to any reader, so that a memory can be moved between machines and
a listing shows what is there: nothing that separates, climbs, hides, expands, decodes or folds into something else.
"""

import re
import unicodedata
from functools import lru_cache

from ...model.memory_file import MemoryPath
from ...model.verdict import Verdict
from ..text.redact import redact

ROOT = "memories"
LONGEST_NAME, LONGEST_PATH, DEEPEST = 200, 1_024, 16
"""The most bytes of a name and of a whole path, in UTF-8, and the most names of a path."""

_SHOWN = 120
_OUTSIDE = "memory-path-outside"
_NAME = "memory-path-name"
_ESCAPE = re.compile(r"%(?:[0-9a-f]{2}|u)|\$[a-z_{(]", re.IGNORECASE)
_NOT_IN_NAMES = '\\:*?"<>|'
_SLASHES = frozenset("\u2044\u2215\u2216\u27cb\u27cd\u29f5\u29f8\u29f9\u2571\u2572\u0337\u0338\u20e5\ufe68\uff0f\uff3c")
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
_DEVICE = re.compile(r"(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?:\..*)?", re.IGNORECASE)
_SHORT_NAME = re.compile(r"~\d")


def memory_path(text: object) -> MemoryPath | Verdict:
    """The canonical names of a path below `/memories`, () for the root; else a refusal that names the rule (C7).

    A path is absolute under exactly `/memories`; one `/` at its end is left off. Names are in Unicode's NFC.
    """
    if not isinstance(text, str):
        return _refused(_OUTSIDE, text, "is no text; a path is a text that begins with /memories")
    if text == f"/{ROOT}":
        return ()
    if not text.startswith(f"/{ROOT}/"):
        return _refused(_OUTSIDE, text, f"does not begin with /{ROOT}/; every path lies below that")
    if len(text.encode("utf-8", "surrogatepass")) > LONGEST_PATH:
        return _refused("memory-path-long", text, f"is longer than {LONGEST_PATH} bytes; choose shorter names")
    if redact(text) != text:
        return _refused(_NAME, text, "looks like a secret; name the file after what it is about")
    names = tuple(text.removeprefix(f"/{ROOT}/").removesuffix("/").split("/")) if text != f"/{ROOT}/" else ()
    if len(names) > DEEPEST:
        return _refused("memory-path-long", text, f"has more than {DEEPEST} names; nest less deep")
    for name in names:
        if found := _mistake(name):
            return _refused(found[0], text, found[1])
    return names


def shown(path: MemoryPath) -> str:
    """A path as the model writes it."""
    return "/".join(("", ROOT, *path))


def is_too_long(path: MemoryPath) -> bool:
    """Whether a path has more names or bytes than a path may have."""
    return len(path) > DEEPEST or len(shown(path).encode()) > LONGEST_PATH


@lru_cache(4096)
def is_name(name: str) -> bool:
    """Whether the grammar takes a name."""
    return _mistake(name) is None


def folded(name: str) -> str:
    """What a name may become on a file system that folds case or Unicode forms: names that agree in it collide."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def _mistake(name: str) -> tuple[str, str] | None:
    """The rule that a name breaks, and why."""
    if name in ("", ".", ".."):
        return _OUTSIDE, f"has the name {name!r} in it; write the path without '.', '..' and double slashes"
    if name.startswith("."):
        return _NAME, "has a name that begins with a dot; those are reserved"
    if len(name.encode("utf-8", "surrogatepass")) > LONGEST_NAME:
        return "memory-path-long", f"has a name of more than {LONGEST_NAME} bytes; choose a shorter one"
    why = _letters(name) or _reserved(name)
    return (_NAME, f"has a name {why}; use letters, digits, '-', '_' and '.'") if why else None


def _letters(name: str) -> str:
    """What is wrong with the characters of a name; "" where nothing is."""
    if any(unicodedata.category(each)[0] == "C" or unicodedata.category(each) in ("Zl", "Zp") for each in name):
        return "with characters that are no text or cannot be seen"
    if _UNSEEN.search(name) or unicodedata.category(name[0])[0] == "M":
        return "with characters that cannot be seen"
    if not unicodedata.is_normalized("NFC", name):
        return "that is not in Unicode's composed form (NFC)"
    if any(each in _NOT_IN_NAMES or each in _SLASHES for each in name):
        return "with a sign that some system takes for a separator or a pattern"
    if any(_folds_into_a_sign(each) for each in name if not each.isascii()):
        return "with a character that reads as a dot, a slash or another sign"
    return ""


def _folds_into_a_sign(character: str) -> bool:
    """Whether a character's compatibility form holds an ASCII sign: a full-width slash, a one dot leader."""
    plain = unicodedata.normalize("NFKC", character)
    return any(each.isascii() and not each.isalnum() and each not in " ()-_" for each in plain)


def _reserved(name: str) -> str:
    """What a name means to some system besides itself; "" where nothing."""
    if name[-1] in ". " or name[0] == " " or name[-1].isspace() or name[0].isspace():
        return "with a blank or a dot at its end, or a blank at its beginning"
    if name.startswith("~") or _SHORT_NAME.search(name):
        return "that some system expands ('~')"
    if _ESCAPE.search(name):
        return "with an escape or a variable in it ('%2f', '$NAME')"
    return "that is a device on some systems" if _DEVICE.fullmatch(name) else ""


def _refused(rule: str, text: object, why: str) -> Verdict:
    said = repr(redact(text)) if isinstance(text, str) else f"a {type(text).__name__}"
    return Verdict("refuse", rule, f"The path {said if len(said) <= _SHOWN else f'{said[:_SHOWN]}…'} {why}.")
