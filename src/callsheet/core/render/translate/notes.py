"""What a translation reports: what it left out or moved, and what it could not carry at all."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ....model.verdict import Verdict
from ..legality import refuse

LEFT_OUT: Mapping[str, str] = {
    "thinking": "reasoning: it is sealed for the provider that made it, or means nothing to another",
    "signature": "a provider's seal on a part",
    "cache": "a mark up to which a provider keeps a prefix",
    "native": "fields, settings of a block and forms that only the other dialect has",
    "blank": "a text of white space alone, where the other dialect refuses such",
    "block": "a block of a type that only the other dialect has",
    "server-tool": "a call that the provider ran itself, and its result",
    "provider-tool": "a tool of the provider's own",
    "tool-change": "tools that come or go on the way; those that came stand among the tools from the start",
    "option": "how tools or the reply are held: strictly, deferred, one call at a time",
    "error-mark": "the mark of a result that it is an error; its text stays",
    "name": "the name of a speaker",
    "parameter": "a setting of the request under the other dialect's name",
    "moved": "nothing: operator text, a user's words or media of a result stand in another place than they did",
}
"""Every kind of report, with what is meant by it."""


@dataclass(frozen=True, slots=True)
class Left:
    """One thing that the other dialect cannot say: its kind (of `LEFT_OUT`), where it stood, and its name if it has."""

    kind: str
    path: str
    name: str = ""


@dataclass(slots=True)
class Notes:
    """The reports of one translation, collected on the way, and the first thing it could not carry."""

    left: list[Left] = field(default_factory=list)
    refusal: Verdict | None = None

    def leave(self, kind: str, path: str, name: str = "") -> None:
        """Notes what was left out."""
        if kind not in LEFT_OUT:
            raise ValueError(f"{kind!r} is no kind of LEFT_OUT")
        self.left.append(Left(kind, path, name))

    def fields(self, native: Mapping[str, Any], path: str) -> None:
        """Notes the fields of a dialect's own; its notes on spelling and form begin with a colon and are none."""
        for key in native:
            if not key.startswith(":"):
                self.leave("native", path, key)

    def refuse(self, why: str, subject: str) -> None:
        """Notes the first thing that has no place at all."""
        self.refusal = self.refusal or refuse("block-misplaced", why, subject)
