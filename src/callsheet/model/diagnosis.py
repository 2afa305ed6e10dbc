"""What a transcript shows: where its tokens went, what broke its cache, which files it touched, what went wrong."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from .message import Usage
from .transcript import Records

Bucket = Literal["system", "tool_definitions", "tool_results", "conversation", "thinking", "evidence", "memory"]
"""What a part of a prompt is (H1). A tool call is part of the conversation, its result is not."""
Pattern = Literal[
    "poisoning", "distraction", "confusion", "clash", "position-loss", "loop", "stall", "lost-obligation", "cache"
]
"""How a context fails (H2), and three ways in which a run goes nowhere: the same again, no progress, and something that
was promised or asked for and never came."""
Missing = Literal["evidence", "freshness", "authority", "state", "policy"]


@dataclass(frozen=True, slots=True)
class Part:
    """One block of the window: what it is, its tokens, and where it comes from.

    `message` is its message's number in the window, from 0; `block` its number in the message.
    """

    record: int
    message: int
    block: int
    bucket: Bucket
    tokens: int


@dataclass(frozen=True, slots=True)
class TurnBuckets:
    """One turn: what a person said, and all model calls until the next; `prompt` is the last call's, `billed` all.

    Tokens by bucket, those with none left out; `unseen` in either are tokens that were reported and that the file does
    not show. `record` is where the turn begins, `calls` counts its model calls. `at` is in seconds since 1970.
    `new` are the tokens that the turn added to the window, `paid` the same over all calls that they were sent with, of
    this turn and later ones: paid / new is how often each was paid.
    """

    turn: int
    record: int
    calls: int
    prompt: Mapping[str, int]
    billed: Mapping[str, int]
    usage: Usage = Usage()
    thread: str = ""
    at: float | None = None
    title: str = ""
    new: int = 0
    paid: int = 0


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What one model was used for: calls, usage, and what that cost; None where no price is known."""

    model: str
    calls: int
    usage: Usage
    cost: float | None = None
    currency: str = "USD"


@dataclass(frozen=True, slots=True)
class CacheRound:
    """One model call and its cache: reported reads over the whole input, and how its request continues the one before.

    `relation` and `first_changed_part` say how the request differs from the one before, where the file holds requests
    or what happened between them; `expected` are the tokens that should have been read from the cache, and `reason`
    says, from a closed list, why it was not about as many.
    """

    round: int
    record: int
    usage: Usage
    turn: int = 0
    thread: str = ""
    model: str = ""
    share: float | None = None
    warm: bool | None = None
    relation: str = ""
    first_changed_part: str | None = None
    expected: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CacheBreak:
    """A round whose cached prefix ends early: the cause, the first item that differs, and what it cost.

    `byte` is the first byte that differs in that part of the request. `ours` tells what the agent sent from what the
    provider did (an expired entry, another model).
    """

    round: int
    cause: str
    item: str | None = None
    record: int = -1
    byte: int | None = None
    ours: bool = True
    lost: int = 0
    cost: float | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    """A piece of the transcript, word for word, that a finding rests on."""

    record: int
    text: str
    what: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that went wrong, with its evidence, a first fix, and what would show that it is none (H2, A5).

    `turn` counts from 1. `items` name the records and calls it concerns. `missing` is which of the five it means.
    """

    pattern: Pattern
    turn: int
    evidence: tuple[Quote, ...]
    fix: str
    disproof: str
    missing: Missing
    title: str = ""
    rule: str = ""
    items: tuple[str, ...] = ()
    thread: str = ""


@dataclass(frozen=True, slots=True)
class Fix:
    """A fix for all findings that it mends: how many they are, and the first of them, by its rule, turn and thread."""

    pattern: Pattern
    rule: str
    fix: str
    findings: int
    turn: int
    missing: Missing
    thread: str = ""


@dataclass(frozen=True, slots=True)
class TestRun:
    """A run of tests: the command, how many passed and failed where the output says so, and its record."""

    record: int
    command: str
    passed: int | None = None
    failed: int | None = None
    ok: bool | None = None


@dataclass(frozen=True, slots=True)
class Artifact:
    """One file as a session knew it: how often it was read and written, and what is known of its content.

    `hash` is the SHA-256 of the content as the session last knew it, where that is the whole. `reads` and `writes` are
    the records of the calls. `functions` are those touched, where that can be seen. `unchanged_reads` are reads of what
    was in the window already, unchanged. `commands` are the records of command lines that showed or made the file and
    count as neither: an agent with tools for files reads with these, and what a program leaves behind nobody wrote.
    """

    path: str
    read: bool = False
    written: bool = False
    created: bool = False
    deleted: bool = False
    hash: str | None = None
    tests: tuple[TestRun, ...] = ()
    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    functions: tuple[str, ...] = ()
    unchanged_reads: int = 0
    commands: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A read whose answer stood in the window already, word for word; the `digest` can stand in its place (F7).

    `first` is the record of the earlier answer, `hash` the SHA-256 of its text, `tokens` what the repeated one took.
    """

    path: str
    record: int
    first: int
    hash: str
    digest: str
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Artifacts:
    """The artifact index of a session (F2): its files, test runs, the exact words of errors, what was fetched again.

    `refetches` are reads of a file already read and not written since: by the agent's tools for files where it has
    any, by command lines where it has none.
    """

    artifacts: tuple[Artifact, ...] = ()
    refetches: int = 0
    tests: tuple[TestRun, ...] = ()
    errors: tuple[Quote, ...] = ()
    unchanged: tuple[Unchanged, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One tool of the catalogue: what its definition costs, whether and how it was called, and how that went.

    Tokens; `billed` is its definition over all calls it was sent with. `offered` is None where the file does not say.
    `nearest` is the real tool an invented name is closest to. `short` is the definition's tokens with a description of
    one sentence.
    """

    name: str
    offered: bool | None = None
    definition: int | None = None
    short: int | None = None
    billed: int | None = None
    calls: int = 0
    errors: int = 0
    call_tokens: int = 0
    result_tokens: int = 0
    nearest: str | None = None
    wrong: int = 0


@dataclass(frozen=True, slots=True)
class Wording:
    """How tools described at one length were called: how many they are, their calls, and those that were wrong.

    `wrong_tokens` are what the wrong calls cost: the calls, their results, and the whole prompt of the call of the
    model that each made necessary.
    """

    tools: int = 0
    calls: int = 0
    wrong: int = 0
    wrong_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The tools of a session (D7): each with its figures, then what unused ones cost and shorter words would save.

    `short_saves` are tokens over all calls that one-sentence descriptions would have saved, `wrong_calls` those with a
    name that was not offered or with arguments that the schema does not take, `wrong_tokens` what they cost. Both sides
    by the length of the description: `one_sentence`, `longer`.
    """

    tools: tuple[ToolUse, ...] = ()
    unused: tuple[str, ...] = ()
    unused_billed: int | None = None
    invented: tuple[str, ...] = ()
    short_saves: int | None = None
    wrong_calls: int = 0
    wrong_tokens: int = 0
    one_sentence: Wording = Wording()
    longer: Wording = Wording()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Everything `callsheet inspect` says of a transcript.

    `model_calls` are the answered ones, `failed_calls` those that brought an error; the cache's rounds are both.
    `cache_reported` is True where the file tells of a cache: else the usage's 0 tokens of it are not known to be 0.
    """

    source: str
    format: str
    records: Records
    turns: int
    model_calls: int
    tool_calls: int
    tool_results: int
    usage: Usage
    failed_calls: int = 0
    models: tuple[ModelUse, ...] = ()
    cost: float | None = None
    basis: str = ""
    buckets: tuple[TurnBuckets, ...] = ()
    billed: Mapping[str, int] = field(default_factory=dict)
    catalogue: Catalogue = Catalogue()
    rounds: tuple[CacheRound, ...] = ()
    breaks: tuple[CacheBreak, ...] = ()
    cache_reported: bool = False
    artifacts: tuple[Artifact, ...] = ()
    refetches: int = 0
    findings: tuple[Finding, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
