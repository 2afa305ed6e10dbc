"""What may stand in a citation: the rules for the ids and versions of documents (B5)."""

import re

from .foreign import is_text

_UNCITABLE = re.compile(r"[%@#\s]")


def flaw(document_id: str, version: str, authority: float) -> tuple[str, str, str] | None:
    """What keeps a document from being cited or weighed: the key, the rule and the way out; None where nothing does."""
    if not 0.0 <= authority <= 1.0:  # which a number that is none fails as well
        return "authority", f"authority = {authority} lies outside [0, 1]", "give a share between 0 and 1"
    for name, value in (("id", document_id), ("version", version)):
        if not is_text(value):
            return name, f"{name} = {value!r} is not UTF-8", "rename the file, or give it an id of its own"
        if not value or any(character in value for character in "@#") or any(map(str.isspace, value)):
            why = f"{name} = {value!r} cannot stand in a citation like runbook/api-keys@v7#revoked-keys"
            return name, why, "use no blanks, no '@' and no '#', and do not leave it empty"
    return None


def citable(path: str) -> str:
    """A path as an id: what cannot stand in a citation is written as in a URL, `My Guide` as `My%20Guide`."""
    return _UNCITABLE.sub(lambda found: "".join(f"%{byte:02X}" for byte in found.group().encode()), path)
