"""What a project wants to be remembered, and on whose word: `[memory]` of callsheet.toml (C2, C4, C6)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from .memory import MemoryKind

Writing = Literal["off", "rules", "model"]
"""What reads a finished run for what is worth keeping: nothing, rules alone, or a model beside them."""
Required = Literal["consent", "expiry"]
"""What a write must bring beside what every write must: a consent or legal basis, a day on which it ends."""
Personal = Literal["address", "card", "email", "iban", "ip-address", "national-id", "phone"]
"""A kind of personal data that is taken out of a memory before it is stored."""


@dataclass(frozen=True, slots=True)
class MemoryPolicy:
    """The write policy's settings; the defaults refuse nothing that C6 does not, and remember nothing by themselves.

    `retention` is the most days that a memory of each kind is kept; a kind that is not named is kept for as long as its
    write says, and no number of days is assumed. `confirm` says whose word makes a fact of a hypothesis: `subject`,
    `trusted_tool`, or `grant:NAME`, a session that holds that grant. `keep` are the kinds of personal data that this
    project may remember. `basis` is the consent or legal basis of what a run remembers by itself. With `paging` a
    decision kind may allow the tools `page_out` and `page_in` (C11).
    """

    write: Writing = "off"
    require: tuple[Required, ...] = ()
    retention: Mapping[MemoryKind, float] = field(default_factory=dict)
    confirm: tuple[str, ...] = ("subject", "trusted_tool")
    keep: tuple[Personal, ...] = ()
    basis: str = ""
    paging: bool = False
