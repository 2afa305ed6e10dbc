"""Policy: the project's fixed context and every setting of assembly, gate and ceilings, as one frozen value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from sys import float_info
from typing import Any, Literal

from .history_policy import HistoryPolicy
from .item import ContextItem
from .knowledge_policy import KnowledgePolicy, Routing
from .sandbox import SandboxPolicy
from .skill import Skill
from .tool import ToolContract

Switchable = Literal["reserved-action-offered", "directive-echoed", "observation-not-stated"]
ProposalKind = Literal["calls", "answer", "ask", "escalate", "abstain", "queries"]
Position = Literal["question-last", "question-first", "question-both"]
EvidenceOrder = Literal["best-last", "best-first"]
DialectName = Literal["openai_chat", "openai_responses", "anthropic", "gemini"]
Channel = Literal["json-schema", "native-calls"]
Narrowing = Literal["auto", "per-kind", "allowed-tools", "tool-changes"]


@dataclass(frozen=True, slots=True)
class Weights:
    """Exponents and penalties of the utility (E1); they come from an evaluation set and differ per decision kind."""

    relevance: float = 1.0
    authority: float = 1.0
    freshness: float = 1.0
    redundancy: float = 0.2
    injection: float = 1.0

    def __post_init__(self) -> None:
        for name in ("relevance", "authority", "freshness", "redundancy", "injection"):
            if not 0 <= getattr(self, name) <= float_info.max:
                raise ValueError(f"Weights.{name} must be a finite number, 0 or more, not {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class Budget:
    """Tokens of input a call may use: `window - max_output - overhead`, never below 0 (E1)."""

    window: int
    max_output: int
    overhead: int = 0

    def __post_init__(self) -> None:
        for name in ("window", "max_output", "overhead"):
            if not getattr(self, name) >= 0:  # nor is NaN
                raise ValueError(f"Budget.{name} is a number of tokens and cannot be negative: {getattr(self, name)}")

    @property
    def available(self) -> int:
        """Tokens left for items."""
        return max(0, self.window - self.max_output - self.overhead)


@dataclass(frozen=True, slots=True)
class DecisionKind:
    """A kind of decision, as `callsheet.toml` describes it: what it is for and what it may see and do.

    `allowlist` names the tools it offers (default none: no side effects). `proposals` are the kinds of reply it takes.
    `triggers` are words of a question that select it; `then` is the kind that follows once its calls are observed.
    `scope` is the grant an actor needs for this kind. `cite` demands evidence under an answer.
    `offers` names reserved tools whose offer sentence is added to the next steps of an answer. `route` is how it comes
    by evidence, where that differs from the knowledge policy. `in_code` names the tools that code may call, beside
    those of the allowlist, and `findable` those that `find_tools` finds; `*` stands for any letters.
    No sentence of an answer may hold what `forbid` names, and the answer must hold all that `demand` names: words, or
    regular expressions between slashes. `guards_off` names the guards of an answer that this kind does without.
    """

    name: str
    purpose: str
    allowlist: tuple[str, ...] = ()
    weights: Weights = Weights()
    budget: Budget | None = None
    proposals: tuple[ProposalKind, ...] = ("answer", "ask", "escalate", "abstain")
    instruction: str = ""
    triggers: tuple[str, ...] = ()
    then: str | None = None
    scope: str | None = None
    cite: bool = False
    examples: int = 0
    offers: tuple[str, ...] = ()
    route: Routing | None = None
    in_code: tuple[str, ...] = ()
    findable: tuple[str, ...] = ()
    forbid: tuple[str, ...] = ()
    demand: tuple[str, ...] = ()
    guards_off: tuple[Switchable, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A labelled, versioned section of instructions: stable text, byte for byte, until its version changes (B1)."""

    section_id: str
    label: str
    version: str
    text: str
    order: int = 0


@dataclass(frozen=True, slots=True)
class Example:
    """A right output beside a typical wrong one, with the decision and the policy version it fits (B4)."""

    example_id: str
    decision: str
    policy_version: str
    question: str
    right: str
    wrong: str
    why: str


@dataclass(frozen=True, slots=True)
class ModelTraits:
    """What a provider documents of a model and a legal, cheap request depends on; the default is what is always safe.

    - `system_turns`: takes `system` messages between the turns. `prefill`: continues a last assistant message.
    - `binds_thinking`: seals a thinking block to system, tools and all earlier messages. `signed_calls`: refuses a call
      of the turn under way that came back without its signature.
    - `interleaved_calls`: takes messages between a call and its result, where a dialect leaves that to the server.
    - `sampling`: takes temperature and seed. `max_output_key`: what Chat Completions calls the limit of a reply.
    - `structured`: holds a reply to a JSON schema; `plain_schemas`: only to objects without limits of length or number;
      `schema_with_tools`: beside function tools, too, where a dialect makes a difference.
    - `source_blocks`: takes evidence as blocks of its own.
    - `cache_minimum`: the least prefix in tokens that is cached at all; `cache_marks`: how many places may be marked,
      0 where the provider caches by itself.
    - `allowed_tools`: may be held to some of the tools a request defines. `tool_changes`: takes system messages that
      add and remove tools between the turns. `tool_search`: finds tools whose definitions were kept out of the prompt.
    - `cache_diagnostics`: says, when asked, what kept a prompt from being read out of the cache.
    """

    system_turns: bool = False
    prefill: bool = False
    binds_thinking: bool = False
    sampling: bool = True
    source_blocks: bool = False
    plain_schemas: bool = False
    max_output_key: str = "max_tokens"
    structured: bool = True
    schema_with_tools: bool = False
    signed_calls: bool = False
    cache_minimum: int = 1024
    cache_marks: int = 0
    allowed_tools: bool = False
    tool_changes: bool = False
    tool_search: bool = False
    cache_diagnostics: bool = False
    interleaved_calls: bool = False


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, in `currency`: uncached input, cached reads, cache writes, output."""

    input: float = 0.0
    cached_read: float = 0.0
    cache_write: float = 0.0
    output: float = 0.0
    currency: str = "USD"


@dataclass(frozen=True, slots=True)
class Priced:
    """A model's prices, the day they were looked up and where; `long` are those of prompts of more than `above`."""

    prices: Prices
    as_of: date
    source: str
    long: Prices | None = None
    above: int = 0

    def of(self, prompt: int) -> Prices:
        """The prices for a prompt of so many tokens."""
        return self.long if self.long is not None and prompt > self.above else self.prices


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """What the engine must know of a model to write to it; limits come from provider or settings, never from a guess.

    `schema_in_prompt_prefix` is true where the provider hashes the response schema into the cached prefix, so that the
    schema must not vary with the evidence. `channel` says how a reply is typed: held to a JSON schema, or by calls of
    tools that stand for each kind of reply. `stream` asks for the reply piece by piece. `calibration` is the factor of
    an estimated count. `cache_diagnostics` asks the provider what kept a prompt out of its cache. `native` are the
    dialect's own request parameters, sent as they are.
    """

    name: str
    dialect: DialectName
    window: int
    max_output: int
    counter: str
    schema_in_prompt_prefix: bool = True
    temperature: float = 0.0
    seed: int = 0
    channel: Channel = "json-schema"
    stream: bool = False
    traits: ModelTraits = ModelTraits()
    prices: Prices | None = None
    calibration: float = 1.0
    cache_diagnostics: bool = False
    native: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Project:
    """The fixed context of a project folder, rendered once: instruction sections, examples, tool contracts, kinds.

    `instructions` and `tools` are in prefix order, between them the `preloaded` sections of documents. `examples` pairs
    each example with its rendered item, `skills` each approved skill with its line.
    """

    instructions: tuple[ContextItem, ...]
    tools: tuple[ContextItem, ...]
    examples: tuple[tuple[Example, ContextItem], ...]
    decisions: Mapping[str, DecisionKind]
    entry: str
    kind_instructions: Mapping[str, ContextItem]
    policy_version: str = ""
    preloaded: tuple[ContextItem, ...] = ()
    skills: tuple[tuple[Skill, ContextItem], ...] = ()

    def contracts(self) -> Mapping[str, ToolContract]:
        """The tool contracts by name."""
        return {item.record.name: item.record for item in self.tools if isinstance(item.record, ToolContract)}


@dataclass(frozen=True, slots=True)
class AssemblyPolicy:
    """How a working set is chosen and laid out; `position` and `order` are always set, knowingly (E2).

    `evidence_floor` is the share of the best utility that further evidence must reach; 0 admits whatever is above 0.
    `memory_floor` is the share of the best relevance that further memories must reach, but for those that bear on
    every question; a guess is not measured by the authority of a fact.
    `narrowing` is how tools are left out that a step does not offer, where the model calls tools: a block of tools for
    each decision kind, or one for all of which the step names its own; "auto" takes what costs less. A step that offers
    more than `defer_above` tools (0: never) leaves them to the model's search, where it has one.
    """

    position: Position = "question-last"
    order: EvidenceOrder = "best-last"
    candidates: int = 20
    max_evidence: int = 5
    max_memories: int = 8
    evidence_floor: float = 0.0
    memory_floor: float = 0.2
    redundancy_threshold: float = 0.85
    stale_freshness: float = 0.5
    narrowing: Narrowing = "auto"
    defer_above: int = 0


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """What the gate enforces. `enabled=False` is for experiments that must show the harm a gate prevents.

    `step_cost` is what the calls of one decision may cost; `actor_cost` and `actor_calls` are what an actor has within
    `actor_period` seconds; 0 sets no limit. `tool_timeout` is how many seconds a server is waited for where a contract
    says nothing; one whose last `breaker_failures` calls all failed is left alone for `breaker_seconds` (0: never).
    """

    enabled: bool = True
    confirm_effects: tuple[str, ...] = ("write", "external", "irreversible")
    max_calls: int = 4
    max_answer_characters: int = 2_000
    max_retries: int = 1
    step_cost: float = 0.0
    actor_cost: float = 0.0
    actor_calls: int = 0
    actor_period: float = 86_400.0
    tool_timeout: float = 60.0
    breaker_failures: int = 5
    breaker_seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class Ceilings:
    """Limits of one run; reaching one ends it as `unfinished`.

    `cost` is in the currency of the model's prices; 0 sets no limit.
    """

    decisions: int = 6
    tokens: int = 100_000
    cost: float = 0.0
    refused_decisions: int = 1


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything but the request and what is gathered: the same policy and inputs give the same bytes (invariant 1).

    `fingerprint` is the hash of the rest, taken once when the host opens, so that a decision need not take it again.
    """

    project: Project
    model: ModelProfile
    assembly: AssemblyPolicy = AssemblyPolicy()
    history: HistoryPolicy = HistoryPolicy()
    gate: GatePolicy = GatePolicy()
    ceilings: Ceilings = field(default_factory=Ceilings)
    knowledge: KnowledgePolicy = field(default_factory=KnowledgePolicy)
    sandbox: SandboxPolicy = SandboxPolicy()
    fingerprint: str = ""
