"""What relates documents to each other: names, codes and links they share, and where they stand in their collection.

A relation is a key that two documents have. `says:X` is had by who mentions X, `name:X` by who is called so, and
`among:P` by all that stand together: in one folder, or under one id but for a number at its end.
"""

import re

from ...model.evidence import Document
from ..retrieval.needs import names

SAYS, NAME, AMONG = "says:", "name:", "among:"
MOST = 64
"""Keys of one document; a long list of names tells nothing of any of them."""
_CODE = re.compile(r"(?<![\w/])(?:[A-Za-z]+(?:_[A-Za-z0-9]+)+|[A-Z]{2,}-\d+|[A-Za-z]+\d[\w-]*)(?!\w)")
_LEADS = ("readme", "index", "_index", "overview", "introduction", "about")
_TAIL = re.compile(r"(?<=[\W_])\d+$")
_WORDS = re.compile(r"\w+")


def relations(document: Document) -> tuple[str, ...]:
    """The keys of a document, those of its place first; at most MOST."""
    called = (document.title, document.document_id)
    said = (*document.links, *_CODE.findall(document.text), *_several(document.text))
    keys = [AMONG + among(document.document_id)] if among(document.document_id) else []
    keys += [NAME + key for key in map(plain, called) if key]
    keys += [SAYS + key for key in map(plain, said) if key]
    return tuple(dict.fromkeys(keys))[:MOST]


def among(document_id: str) -> str:
    """What a document's id has in common with those beside it; empty for one that stands alone."""
    stem = document_id.rsplit("/", 1)[-1]
    if _TAIL.search(stem.rsplit(".", 1)[0]):
        return _TAIL.sub("", document_id.rsplit(".", 1)[0] if "." in stem else document_id).rstrip("-_ #:")
    return document_id.rpartition("/")[0]


def leads(document_id: str) -> tuple[bool, int, str]:
    """A sort key by which the document that opens its folder or series comes first."""
    stem = document_id.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    number = _TAIL.search(stem)
    return stem.casefold() not in _LEADS, int(number.group()[:9]) if number else 0, document_id


def plain(text: str) -> str:
    """A name or a code as it is compared: its words in small letters."""
    return " ".join(_WORDS.findall(text.casefold()))[:200]


def reached(key: str) -> tuple[str, ...]:
    """The keys that relate others to who has this one: a name to those who say it and to those called so."""
    kind, bare = key[: key.index(":") + 1], key[key.index(":") + 1 :]
    return {SAYS: (SAYS + bare, NAME + bare), NAME: (SAYS + bare,), AMONG: (key,)}[kind]


def _several(text: str) -> tuple[str, ...]:
    """Names of two words or more: a single capitalised word is too often no name."""
    return tuple(name for name in names(text) if " " in name)
