"""Tools: the contract, a proposed call, its raw outcome and the typed observation made of it (D1, D3, D4)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from .label import Confidentiality, Label

Effects = Literal["none", "read", "write", "external", "irreversible"]
CheckName = Literal["owned", "fact", "not_empty", "one_of", "between", "same_as_argument"]
ObservationStatus = Literal["ok", "failed", "refused", "asked", "unknown", "fallback"]


@dataclass(frozen=True, slots=True)
class Condition:
    """One declared condition on a call (before) or a result (after), evaluated by the engine and not by the tool.

    owned(argument, kind): the argument is among the session's resources of that kind. fact(name, values): trusted state
    says so. not_empty / one_of / between / same_as_argument: the result's field is as said.
    """

    check: CheckName
    field: str
    values: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return f"{self.check}({', '.join([self.field, *map(str, self.values)])})"


@dataclass(frozen=True, slots=True)
class Rate:
    """So many calls in so many seconds."""

    calls: int
    seconds: float

    def __str__(self) -> str:
        return f"{self.calls} in {self.seconds:g} s"


@dataclass(frozen=True, slots=True)
class ToolContract:
    """What a tool promises and demands; schema-valid is neither authorized nor safe (D1).

    `effects` "none" reads nothing that could be another's, "read" changes nothing anywhere. `authority` names the
    arguments that carry authority (whom, how much, which account), `content` those whose text goes to whoever receives
    the call, `time` those that are a date. The receiver may be told what `clearance` covers; what comes back is
    labelled `returns`; `returns` trusted makes every value of it an entry of a closed registry. `names` are the result
    fields by which a person names a record, and `keys` those that may then carry authority: its id, its address.
    `decisive` names result fields that an answer must state. `scope` is the grant an actor needs.
    `reserved_words` and `offer` tell how an answer may mention the action when policy reserves it. `internal` is an
    engine's own tool that changes what the engine itself keeps of a run, so that `confirm_effects` does not ask for it.
    A tool of several operations names in `reads` the argument that chooses one, and its values that change nothing;
    where several arguments choose together, each must have such a value.
    `server` is the local id of the MCP server or API that offers it, `source` the name that it has there.

    A call costs `cost`, in whatever currency the limits of the gate are in; each actor has `rate` of them. After
    `timeout` seconds nobody waits for it any longer (0: the gate's own limit, for what comes from a server). What a
    read said may be given again for `cache` seconds, and for `fallback` seconds in the place of a failure (0: never).
    `idempotency_key` is what the tool calls the key by which it knows the tries of one call; the engine fills it in.
    `reconcile` names the tool, a read, that is asked whether a call of unknown outcome has happened.
    """

    name: str
    description: str
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any] = field(default_factory=dict)
    effects: Effects = "read"
    authority: tuple[str, ...] = ()
    preconditions: tuple[Condition, ...] = ()
    postconditions: tuple[Condition, ...] = ()
    idempotent: bool = False
    scope: str | None = None
    failures: tuple[str, ...] = ()
    confirm: bool = False
    decisive: tuple[str, ...] = ()
    reserved_words: tuple[str, ...] = ()
    offer: str = ""
    internal: bool = False
    content: tuple[str, ...] = ()
    time: tuple[str, ...] = ()
    clearance: Confidentiality = "public"
    returns: Label = Label()
    names: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    server: str = ""
    source: str = ""
    cost: float = 0.0
    timeout: float = 0.0
    cache: float = 0.0
    fallback: float = 0.0
    rate: Rate | None = None
    idempotency_key: str = ""
    reconcile: str = ""
    reads: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def of(self, arguments: Mapping[str, Any]) -> "ToolContract":
        """The contract as it holds for a call with these arguments: one of its operations may change nothing."""
        chosen = [(arguments.get(name), values) for name, values in self.reads.items()]
        only_reads = bool(chosen) and all(isinstance(value, str) and value in values for value, values in chosen)
        return replace(self, effects="read", confirm=False) if only_reads else self

    @property
    def changes_nothing(self) -> bool:
        """True when a call leaves everything as it was, and tells nobody outside."""
        return self.effects in ("none", "read")

    @property
    def repeatable(self) -> bool:
        """True when running the call again cannot do more than running it once."""
        return self.changes_nothing or self.idempotent or bool(self.idempotency_key)


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool as a catalogue lists it: what it may be found by. `server` offers it, and `about` is what that is for.

    `asked` are requests that it has served; `scope` is the grant an actor needs.
    """

    name: str
    description: str = ""
    input_schema: Mapping[str, Any] = field(default_factory=dict)
    server: str = ""
    about: str = ""
    scope: str | None = None
    asked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as the model proposed it; `index` is its place in the proposal, from 1.

    `key` is the same at each try of one call of one run; it is given where the call is run.
    """

    tool: str
    arguments: Mapping[str, Any]
    index: int = 1
    key: str = ""


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call that was let through: of which tool, by whom, in which request; `failed` is None until it has ended."""

    tool: str
    actor: str
    request_id: str
    index: int
    at: datetime
    cost: float = 0.0
    failed: bool | None = None


@dataclass(frozen=True, slots=True)
class RawResult:
    """What running a tool gave: a value, a declared failure, or an error; `unknown` when nobody can say how it ended.

    `artifact_ref` addresses the full output, which the host stored before it told the engine: `whole` where `value` is
    a part of it. `origins` are the other tools whose results it was made from: it is labelled as theirs are, too.
    """

    value: Mapping[str, Any] | None = None
    failure: str | None = None
    detail: str = ""
    unknown: bool = False
    artifact_ref: str = ""
    finished_at: datetime | None = None
    whole: Mapping[str, Any] | None = None
    origins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Observation:
    """The decision-relevant part of a tool's outcome, and a reference to all of it (D4).

    `artifact_ref` reads `toolrun://request_id/index`. `result` holds only fields of the output schema. `origins` are
    the other tools whose results it was made from.
    """

    tool: str
    status: ObservationStatus
    arguments: Mapping[str, Any]
    result: Mapping[str, Any] = field(default_factory=dict)
    artifact_ref: str = ""
    checked_at: datetime | None = None
    note: str = ""
    rule: str = "ok"
    attempts: int = 1
    origins: tuple[str, ...] = ()
