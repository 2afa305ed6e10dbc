"""What a model ruled when it was asked to judge beside the rules (B7)."""

from dataclasses import dataclass
from typing import Literal

from .message import Usage
from .verdict import Verdict

Ruling = Literal["yes", "partly", "no"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """A ruling, or why there is none; the place of the text it rests on, of those shown, from 0; what it cost."""

    ruling: Ruling | None = None
    place: int = 0
    usage: Usage = Usage()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What came of asking a judge: verdicts, notes of what it could not say, and what it cost."""

    verdicts: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()
    usage: Usage = Usage()

    def plus(self, other: "Opinion") -> "Opinion":
        """Both together."""
        return Opinion((*self.verdicts, *other.verdicts), (*self.notes, *other.notes), self.usage.plus(other.usage))
