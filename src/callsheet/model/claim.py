"""A claim of an answer, and the place in the working set that it rests on (B7)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of an answer, word for word, and whether something the model received supports it.

    `source` is the id under which the answer may cite what supports it, or comes nearest to it; [start, end) is the
    place: in the document for evidence, in the item's text for all else. `score` is the share of the claim's words that
    stand there, in [0, 1]. `why` says what an unsupported claim lacks; it is `undecided` where that is words alone.
    `judged` is what a model ruled beside the rule, empty where none was asked or none could say.
    """

    text: str
    supported: bool
    source: str = ""
    start: int = 0
    end: int = 0
    score: float = 0.0
    why: str = ""
    undecided: bool = False
    judged: str = ""
