"""Work on a large code base in three phases, each of which ends in a document that the next one starts from (F10)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Phase = Literal["research", "plan", "implementation"]

SECTIONS: Mapping[Phase, tuple[str, ...]] = {
    "research": ("Question", "Findings", "Files", "Constraints", "Open questions"),
    "plan": ("Goal", "Steps", "Files to change", "Verification", "Out of scope"),
    "implementation": ("Done", "Files changed", "Verification", "Deviations from the plan", "Left open"),
}
"""The sections that a document of each phase must have, in this order. One with nothing in it says "none"."""


@dataclass(frozen=True, slots=True)
class PhaseDocument:
    """The document that a phase ends in: the text of each section, by its heading."""

    phase: Phase
    title: str
    sections: Mapping[str, str]
