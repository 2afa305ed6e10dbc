"""Definitions of foreign tools against what a person approved: pinned whole, changes held (D5, D6)."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import unified_diff
from hashlib import sha256
from typing import Any

from ...model.gateway import Definition, Pinned, Review, ReviewOutcome
from ..text.hidden import cleaned, shown
from ..text.likeness import likeness, telling_words
from .names import exposed, name_review, path, skeleton

NEAR = 0.8
"""The share of telling words from which two descriptions under one name are taken for copies of each other."""
TELLING = 6
"""Telling words from which the same description makes two tools of different names copies of each other."""
_REFERENCE = re.compile(r"(?<![\w/.:-])([A-Za-z][A-Za-z0-9-]*)(/|__|::|\.)([A-Za-z][\w-]*)(?![\w/])")
Listing = Mapping[str, Sequence[Definition]]
"""What each server lists, by its local id, in the order of the settings."""


def canonical(value: Any) -> bytes:
    """The one way in which a JSON value is written: keys sorted, no blanks, ASCII."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode()


def digest(definition: Definition) -> str:
    """The full hash of a definition, with the name of its algorithm; the order of keys changes nothing."""
    return f"sha256:{sha256(canonical(definition)).hexdigest()}"


def difference(pinned: Any, seen: Any) -> str:
    """What changed, line by line, with everything visible that a terminal or a page would hide."""
    before, after = (json.dumps(each, sort_keys=True, ensure_ascii=False, indent=2) for each in (pinned, seen))
    lines = unified_diff(before.splitlines(), after.splitlines(), "approved", "listed", lineterm="")
    return "\n".join(map(shown, lines))


def review_launch(server: str, pinned: str, seen: str) -> Review:
    """Whether a server may be started or reached as the settings now say: only as a person approved it."""
    if pinned == seen:
        return Review("allow", "ok", "started as it was approved", server)
    why = f"{server} was approved as {shown(pinned)} and would now be {shown(seen)}"
    return Review("hold", "launch-command-changed", why, server, difference(pinned, seen))


def review_server(server: str, pinned: Mapping[str, str], seen: Mapping[str, str]) -> Review:
    """What is said of a server that calls itself something else: a report, for it may call itself anything."""
    if dict(pinned) == dict(seen):
        return Review("allow", "ok", "calls itself as before", server)
    said = ("name", "version")
    before, after = (" ".join(shown(str(each.get(key, ""))) for key in said).strip() for each in (pinned, seen))
    why = f"{server} called itself {before!r} and now calls itself {after!r}; its definitions are compared anew"
    return Review("report", "server-changed", why, server)


def review_listing(listed: Listing, pins: Mapping[str, Pinned]) -> tuple[Review, ...]:
    """One review per listed tool, in order: allowed is what a person approved in exactly these words.

    What is new is compared with every approved tool and with those of the servers before it.
    """
    known = {server: pinned.tools for server, pinned in pins.items()}
    approved = [(server, tool) for server, tools in known.items() for tool in tools.values()]
    others = Others(approved)
    found: list[Review] = []
    for server, definitions in listed.items():
        for definition in definitions:
            review = review_tool(server, definition, known.get(server, {}).get(str(definition.get("name"))), others)
            found.append(review)
            others.add(server, definition)
    return tuple(found)


class Others:
    """The tools that a new one may be taken for: by what their names look like, and by what they say."""

    def __init__(self, tools: Iterable[tuple[str, Definition]]) -> None:
        self._by_skeleton: dict[str, list[tuple[str, Definition]]] = {}
        self._by_words: dict[frozenset[str], list[tuple[str, Definition]]] = {}
        for server, tool in tools:
            self.add(server, tool)

    def add(self, server: str, tool: Definition) -> None:
        """Adds a tool that later ones are compared with."""
        self._by_skeleton.setdefault(skeleton(str(tool.get("name"))), []).append((server, tool))
        self._by_words.setdefault(_words(tool), []).append((server, tool))

    def alike(self, name: str) -> Sequence[tuple[str, Definition]]:
        """Tools whose names look like this one."""
        return self._by_skeleton.get(skeleton(name), ())

    def saying(self, tool: Definition) -> Sequence[tuple[str, Definition]]:
        """Tools that say in as many telling words what this one says."""
        words = _words(tool)
        return self._by_words.get(words, ()) if len(words) >= TELLING else ()


def review_tool(server: str, seen: Definition, pinned: Definition | None, others: Others) -> Review:
    """What is said of one listed tool, by the first rule that speaks."""
    name = str(seen.get("name", ""))
    if refused := name_review(server, name):
        return refused
    if pinned is not None:
        if digest(pinned) == digest(seen):
            return Review("allow", "ok", "approved in exactly these words", path(server, name))
        why = f"{path(server, name)} is not what was approved; nothing of the change reaches a model until it is"
        return Review("hold", "definition-changed", why, path(server, name), difference(pinned, seen))
    rules = (review_texts(server, seen), shadowing(server, seen, others))
    held = next((each for each in rules if each is not None), None)
    why = f"{path(server, name)} was never approved"
    return held or Review("hold", "new-tool", why, path(server, name), difference({}, seen))


def review_texts(server: str, seen: Definition) -> Review | None:
    """The review of a definition in which something is hidden, in any string of it; None where nothing is."""
    for text in texts(seen):
        if found := cleaned(text).findings:
            why = f"a string of it hides {shown(found[0].removed)!r}"
            return Review("hold", found[0].rule, why, path(server, str(seen.get("name", ""))), difference({}, seen))
    return None


def texts(value: Any) -> Iterator[str]:
    """Every string of a JSON value: those of keys, enumerations, defaults and examples, too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield str(key)
            yield from texts(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from texts(each)


def shadowing(server: str, seen: Definition, others: Others) -> Review | None:
    """The review of a tool that may be taken for another one; None for any other.

    The same name on two servers is two tools, each under its server's id. Held is a name that only looks the same, and
    a copy: by name and words, or by many words alone.
    """
    name = str(seen.get("name", ""))
    for other, tool in others.alike(name):
        theirs = str(tool.get("name"))
        if theirs != name or (other == server and tool is not seen):
            why = f"{path(server, name)} is easily taken for {path(other, theirs)}"
            # What would be called alike here could not be told apart by any approval.
            outcome: ReviewOutcome = "refuse" if exposed(server, name) == exposed(other, theirs) else "hold"
            return Review(outcome, "confusable-name", why, path(server, name))
        if other != server and likeness(_words(tool), _words(seen)) >= NEAR:
            return _clone(server, name, other, theirs)
    copied = next(((other, tool) for other, tool in others.saying(seen) if other != server), None)
    return _clone(server, name, copied[0], str(copied[1].get("name"))) if copied else None


def _clone(server: str, name: str, other: str, theirs: str) -> Review:
    why = f"{path(server, name)} says what {path(other, theirs)} says; a model cannot choose between the two"
    return Review("hold", "near-clone", why, path(server, name))


def _words(tool: Definition) -> frozenset[str]:
    return telling_words(str(tool.get("description") or ""))


def references(server: str, definition: Definition, known: Mapping[str, Iterable[str]]) -> Review | None:
    """The report of a definition that speaks of another server's tool, as one does that steers it; None for any other.

    Known is what each server lists; a word of the shape `server/some_tool` is taken for one that is not known yet.
    """
    name = str(definition.get("name", ""))
    bare = {tool for other, tools in known.items() if other != server for tool in tools if "_" in tool}
    bare -= {*known.get(server, ()), name}
    for text in texts(definition):
        for found in _REFERENCE.finditer(text):
            other, sign, tool = found.groups()
            if other not in (server, name) and (other in known or (sign != "." and "_" in tool)):
                return _steers(server, name, found[0])
        words = {*re.findall(r"[\w-]+", text)}
        if named := sorted(bare & words):
            return _steers(server, name, named[0])
    return None


def _steers(server: str, name: str, named: str) -> Review:
    why = f"it speaks of {shown(named)!r}, which is not a tool of its own server"
    return Review("report", "cross-server-reference", why, path(server, name) if name else server)
