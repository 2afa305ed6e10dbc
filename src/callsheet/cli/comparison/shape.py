"""The JSON document of `compare` as types: what is validated before it is printed, and published as a JSON Schema."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..published import Published


@dataclass(frozen=True, slots=True)
class Billed:
    """Tokens of all prompts: neither read from the cache nor written to it, read, written; and the policy's own calls.

    `own` are prompts and answers of the calls that make its summaries and notes.
    """

    input: int
    cached_read: int
    cache_write: int
    own: int


@dataclass(frozen=True, slots=True)
class Refetched:
    """Files that would have to be read again, and their tokens, which are in `billed`."""

    files: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Prompts:
    """How many rounds there were, the largest prompt, and how many the window would not have held."""

    rounds: int
    largest: int
    over_window: int


@dataclass(frozen=True, slots=True)
class Edits:
    """What the policy's steps did, and what they refused to do because it would not have paid or was not legal."""

    done: int
    refused: int


@dataclass(frozen=True, slots=True)
class Kept:
    """Uses of facts, and where these were then: used = in_window + addressable + lost. low to high: Wilson, 95 %."""

    used: int
    in_window: int
    addressable: int
    lost: int
    share: float | None
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Survived(Kept):
    """The same of all kinds together, and kind by kind."""

    kinds: Mapping[str, Kept]


@dataclass(frozen=True, slots=True)
class Alike:
    """How many other things in the window looked like a fact in use: the median and its interval, over n uses."""

    median: float | None
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Beside:
    """The same conversations under the policy and in full: tokens and cost as shares, and facts pair by pair.

    `gained` and `missed` are uses of a fact that was in one window and not in the other; `p` is McNemar's, exact.
    """

    tokens: float | None
    cost: float | None
    gained: int
    missed: int
    p: float


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """One policy. `failed` says what a defect kept it from; its figures are then none."""

    name: str
    billed: Billed
    output: int
    cost: float | None
    prefix_breaks: int
    refetches: Refetched
    prompts: Prompts
    edits: Edits
    survival: Survived
    alike: Alike
    beside_full: Beside | None
    probes: Mapping[str, Any]
    seconds: float
    failed: str


@dataclass(frozen=True, slots=True)
class Transcript:
    """One transcript: what was replayed, what the figures rest on, and a row for each policy."""

    source: str
    format: str
    conversations: int
    messages: int
    rounds: int
    compactions: int
    facts: int
    uses: int
    window: int
    models: tuple[str, ...]
    basis: tuple[str, ...]
    policies: tuple[PolicyRow, ...]


@dataclass(frozen=True, slots=True)
class Other:
    """A file that was not compared, and why."""

    source: str
    why: str


@dataclass(frozen=True, slots=True)
class Comparison(Published):
    """What `callsheet compare --json` prints: `policies` are the sums over all transcripts."""

    transcripts: tuple[Transcript, ...]
    others: tuple[Other, ...]
    policies: tuple[PolicyRow, ...]
