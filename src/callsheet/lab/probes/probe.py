"""A probe: one question put in six ways about what a conversation holds, with the exact value that answers it (F9)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["recall", "artifact", "continuation", "decision", "source", "approval"]
Dimension = Literal[
    "accuracy", "context awareness", "artifact trail", "completeness", "continuity", "instruction following"
]
PHRASINGS = 6
DIMENSIONS: Mapping[Kind, tuple[Dimension, ...]] = {
    "recall": ("accuracy",),
    "artifact": ("accuracy", "artifact trail"),
    "continuation": ("continuity",),
    "decision": ("accuracy", "context awareness"),
    "source": ("accuracy", "artifact trail"),
    "approval": ("context awareness",),
}
"""Which dimensions a probe of a kind counts for, where it names none. Completeness is taken of every probe."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A question about a conversation, in six phrasings, asked before its round `at` (from 1; 0: at its end).

    An answer is right that names each of `expected`; each is a value with its other spellings. With none expected the
    right answer is that nothing tells it. `neighbours` are values that would be wrong; what else in the window looks
    like the answer is found by code. `fact` is the text that alone answers it, for the control row: the messages that
    hold the values where it is empty.
    """

    id: str
    kind: Kind
    phrasings: tuple[str, ...]
    expected: tuple[tuple[str, ...], ...] = ()
    neighbours: tuple[str, ...] = ()
    at: int = 0
    fact: str = ""
    dimensions: tuple[Dimension, ...] = ()

    @property
    def counts_for(self) -> tuple[Dimension, ...]:
        """The dimensions it counts for."""
        return self.dimensions or DIMENSIONS[self.kind]
