"""Labels of information flow: how far a text may be believed, who may learn it, and where it came from (D5, I4)."""

from dataclasses import dataclass
from typing import Literal

Integrity = Literal["trusted", "untrusted"]
Confidentiality = Literal["public", "internal", "private", "secret"]

LEVELS: tuple[Confidentiality, ...] = ("public", "internal", "private", "secret")
"""From what anybody may know, over what stays in the tenant and what stays with its subject, to what nobody is told."""


@dataclass(frozen=True, slots=True)
class Label:
    """What is known of a text's flow; the defaults are the narrowest. `origins` name the items it was made from."""

    integrity: Integrity = "untrusted"
    confidentiality: Confidentiality = "private"
    origins: tuple[str, ...] = ()

    def join(self, other: "Label") -> "Label":
        """The label of whatever is derived from both: as little believed and as closely kept as either."""
        integrity: Integrity = "trusted" if self.integrity == other.integrity == "trusted" else "untrusted"
        closer = max(self.confidentiality, other.confidentiality, key=LEVELS.index)
        return Label(integrity, closer, tuple(dict.fromkeys((*self.origins, *other.origins))))

    def cleared(self, clearance: Confidentiality) -> bool:
        """Whether someone cleared for so much may be told."""
        return LEVELS.index(self.confidentiality) <= LEVELS.index(clearance)
