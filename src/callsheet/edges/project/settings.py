"""`callsheet.toml` as one frozen value: model, store, session, assembly, gate, ceilings and the decision kinds."""

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from ...core.gate.guards import wanted
from ...model.history_policy import HistoryPolicy
from ...model.ingest import IngestPolicy
from ...model.knowledge_policy import KnowledgePolicy, Routing
from ...model.memory_policy import MemoryPolicy
from ...model.policy import (
    AssemblyPolicy,
    Budget,
    Ceilings,
    Channel,
    DecisionKind,
    DialectName,
    GatePolicy,
    ProposalKind,
    Switchable,
    Weights,
)
from ...model.sandbox import SandboxPolicy
from ...model.skill import SkillsPolicy
from .history_settings import HistoryTable, history_policy
from .ingest_settings import ingest_policy
from .knowledge_settings import KnowledgeTable, Rankers, knowledge_policy, rankers, with_planner
from .mcp_settings import McpSettings, mcp_settings
from .memory_files import MemoryFilesSettings, memory_files
from .memory_settings import memory_policy
from .openapi_settings import ApiSettings, openapi_settings
from .ranges import RANGES
from .skills_settings import skills_policy
from .store_settings import VARIABLE, StoreSettings, check_store
from .text import Source, read_source, read_toml
from .validate import nearest, validated

FILE = "callsheet.toml"
Provider = Literal["embedded", "openai-compatible", "openai", "anthropic", "gemini"]
DIALECTS_OF: Mapping[Provider, tuple[DialectName, ...]] = {
    "embedded": ("openai_chat", "openai_responses", "anthropic"),
    "openai-compatible": ("openai_chat",),
    "openai": ("openai_responses", "openai_chat"),
    "anthropic": ("anthropic",),
    "gemini": ("gemini",),
}
"""What each provider may be spoken to in, its usual dialect first."""
WRITTEN = frozenset(
    """model messages system instructions input contents systemInstruction system_instruction tools tool_choice stream
    max_tokens max_completion_tokens max_output_tokens""".split()
)
"""Fields of a request, over all dialects, that no parameter may replace: the record says which item stands in them, and
the budget rests on the limit of the reply, which is `max_output`."""
OBJECTS = frozenset(("generationConfig", "toolConfig", "text", "output_config"))
COUNTING: tuple[Provider, ...] = ("anthropic", "gemini", "openai")
"""Providers that count a request's tokens when asked."""


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """[project]: the name, and the policy version that examples must fit."""

    name: str
    policy_version: str


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """[model]: which model answers. `window`, `n_ctx` and `max_output` are tokens, `timeout` is seconds.

    `weights` is a path to a GGUF file (None: the default model, found by the host). `api_key_env` names the
    environment variable with the key; the key itself never stands in a project folder. The window of the embedded
    model is the `n_ctx` it is loaded with; that of a provider's own model stands in the table of models where its
    vendor documents it; for any other the settings must say it: a limit is never guessed. `calibration` is the factor
    of an estimated count that `callsheet model calibrate` found; `count` says whether the provider counts whole
    prompts, a request each. `cache_diagnostics` asks why a prompt was not in the cache. `native` are request parameters
    in the dialect's own words, sent as they are.
    """

    provider: Provider = "embedded"
    name: str = "Qwen2.5-Coder-0.5B-Instruct"
    weights: str | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    window: int | None = None
    max_output: int = 700
    n_ctx: int = 8_192
    timeout: float = 120.0
    dialect: DialectName | None = None
    channel: Channel | None = None
    stream: bool = False
    calibration: float = 1.0
    count: Literal["estimate", "provider"] = "estimate"
    cache_diagnostics: bool = False
    betas: tuple[str, ...] = ()
    native: Mapping[str, Any] = field(default_factory=dict)

    @property
    def speaks(self) -> DialectName:
        """The dialect, the provider's usual one where the settings name none."""
        return self.dialect or DIALECTS_OF[self.provider][0]

    @property
    def input_window(self) -> int:
        """The window in tokens, whichever key it was given by; 0 where the table of models has to say it."""
        if self.window is None:
            return self.n_ctx if self.provider == "embedded" else 0
        return self.window


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """[session]: who asks when the command line does not say; never taken from the question."""

    tenant: str
    actor: str
    subject: str | None = None
    locale: str = "en"
    grants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BudgetTable:
    """[decision.NAME.budget]: what this decision kind reserves; `window` caps the model's own."""

    max_output: int | None = None
    overhead: int = 0
    window: int | None = None


@dataclass(frozen=True, slots=True)
class DecisionTable:
    """[decision.NAME], as it is written; `DecisionKind` is what becomes of it."""

    purpose: str
    entry: bool = False
    allowlist: tuple[str, ...] = ()
    weights: Weights = field(default_factory=Weights)
    budget: BudgetTable | None = None
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
class _File:
    project: ProjectSettings
    decision: Mapping[str, DecisionTable]
    model: ModelSettings = field(default_factory=ModelSettings)
    store: StoreSettings = field(default_factory=StoreSettings)
    session: SessionSettings | None = None
    assembly: AssemblyPolicy = field(default_factory=AssemblyPolicy)
    history: HistoryTable = field(default_factory=HistoryTable)
    knowledge: KnowledgeTable = field(default_factory=KnowledgeTable)
    memory: MemoryPolicy = field(default_factory=MemoryPolicy)
    memory_files: MemoryFilesSettings = MemoryFilesSettings()
    mcp: McpSettings = field(default_factory=McpSettings)
    openapi: Mapping[str, ApiSettings] = field(default_factory=dict)
    gate: GatePolicy = field(default_factory=GatePolicy)
    ceilings: Ceilings = field(default_factory=Ceilings)
    skills: SkillsPolicy = field(default_factory=SkillsPolicy)
    sandbox: SandboxPolicy = SandboxPolicy()


@dataclass(frozen=True, slots=True)
class Settings:
    """All that `callsheet.toml` says, checked; `entry` names the decision kind that a run starts with."""

    folder: Path
    project: ProjectSettings
    model: ModelSettings
    store: StoreSettings
    session: SessionSettings | None
    assembly: AssemblyPolicy
    history: HistoryPolicy
    knowledge: KnowledgePolicy
    memory: MemoryPolicy
    ingest: IngestPolicy
    rankers: Rankers
    memory_files: MemoryFilesSettings
    mcp: McpSettings
    openapi: Mapping[str, ApiSettings]
    gate: GatePolicy
    ceilings: Ceilings
    skills: SkillsPolicy
    sandbox: SandboxPolicy
    decisions: Mapping[str, DecisionKind]
    entry: str

    @property
    def data_dir(self) -> Path:
        """The folder of the stores."""
        return self.folder / self.store.data

    def kept_in(self, data_dir: Path | str | None) -> "Settings":
        """These settings with records kept in a folder that somebody named, as SQLite; these where nobody did."""
        if data_dir is None:
            return self
        return replace(self, store=StoreSettings(str(Path(data_dir).absolute()), self.store.durability))


def read_settings(folder: Path) -> Settings:
    """The settings of a project folder; a Problem names file, line, key, rule and way out."""
    source = read_source(folder, folder / FILE)
    data = read_toml(source)
    for table in ("project", "decision"):
        if table not in data:
            name = table if table == "project" else "decision.NAME"
            raise source.problem(1, "invalid-value", f"there is no [{name}] table", "add it")
    file = validated(_File, data, source)
    _check_model(file.model, data.get("model", {}), source)
    _check_ranges(file, source)
    check_store(file.store, data.get("store", {}), source)
    decisions = {name: _decision(name, table, file.model, source) for name, table in file.decision.items()}
    return Settings(
        folder=folder,
        project=file.project,
        model=file.model,
        store=file.store,
        session=_session(file.session, source),
        assembly=file.assembly,
        history=history_policy(file.history, data.get("history", {}), source),
        knowledge=knowledge_policy(file.knowledge, source),
        memory=memory_policy(file.memory, decisions, source),
        ingest=ingest_policy(file.knowledge.rule, file.knowledge.versions, source),
        rankers=rankers(file.knowledge, source),
        memory_files=memory_files(file.memory_files, source),
        mcp=mcp_settings(file.mcp, source),
        openapi=openapi_settings(file.openapi, source),
        gate=file.gate,
        ceilings=file.ceilings,
        skills=skills_policy(file.skills, source),
        sandbox=file.sandbox,
        decisions=with_planner(decisions, file.knowledge, source),
        entry=_entry(file.decision, source),
    )


def _check_model(model: ModelSettings, written: Container[str], source: Source) -> None:
    for path, why, fix in (*_unnamed(model, written), *_mistakes_of_provider(model), *_mistakes_of_keys(model)):
        raise source.problem(("model", *path), "invalid-value", why, fix)


Mistake = tuple[tuple[str, ...], str, str]
"""The key below [model], what is wrong with it, and the way out."""


def _unnamed(model: ModelSettings, written: Container[str]) -> Iterator[Mistake]:
    """The default name is the embedded model's; under it no other may be asked and recorded."""
    if model.provider != "embedded" and ("name" not in written or not model.name.strip()):
        why = f"model.name is missing: provider {model.provider!r} needs it, and it is never guessed"
        yield (), why, "add name to [model], as the provider writes it"


def _mistakes_of_provider(model: ModelSettings) -> Iterator[Mistake]:
    """What does not go with the provider."""
    provider = model.provider
    if provider == "openai-compatible":
        for key, value in (("base_url", model.base_url), ("window", model.window)):
            if value is None:
                why = f"model.{key} is missing: provider 'openai-compatible' needs it, and it is never guessed"
                yield (), why, f"add {key} to [model]"
    if provider == "embedded" and model.window not in (None, model.n_ctx):
        why = f"model.window = {model.window} differs from n_ctx = {model.n_ctx}, the window the model is loaded with"
        yield ("window",), why, "keep one of the two"
    if model.speaks not in DIALECTS_OF[provider]:
        fix = f"choose one of: {', '.join(DIALECTS_OF[provider])}"
        yield ("dialect",), f"model.dialect = {model.dialect!r} is none that provider {provider!r} speaks", fix
    if model.count == "provider" and (provider not in COUNTING or model.speaks == "openai_chat"):
        fix = 'say dialect = "openai_responses"' if provider == "openai" else "remove the line"
        yield ("count",), f"model.count = 'provider': {provider!r} in {model.speaks} has no endpoint that counts", fix
    if model.betas and provider != "anthropic":
        yield ("betas",), f"model.betas are headers of Anthropic's; provider {provider!r} has none", "remove them"
    idle = ("base_url", "api_key_env") if provider == "embedded" else ("weights",)
    for key in idle:
        if getattr(model, key) is not None:
            yield (key,), f"model.{key} means nothing to provider {provider!r}", "remove the line"


def _mistakes_of_keys(model: ModelSettings) -> Iterator[Mistake]:
    """What no provider could make sense of."""
    if model.api_key_env is not None and not VARIABLE.fullmatch(model.api_key_env):
        # It may well be the key itself, and is not said again.
        fix = 'put the key into a variable, and write its name, like api_key_env = "MY_KEY"'
        yield ("api_key_env",), "model.api_key_env is no name of an environment variable", fix
    if model.base_url == "":
        yield ("base_url",), "model.base_url is empty", "name the server, or remove the line"
    for key, value in model.native.items():
        if key in WRITTEN:
            yield ("native",), f"model.native.{key} is written by the engine", "take it out of model.native"
        elif key in OBJECTS and not isinstance(value, Mapping):
            yield ("native",), f"model.native.{key} is no table", "take it out of model.native"


def _check_ranges(file: _File, source: Source) -> None:
    tables = {name: getattr(file, name) for name in ("model", "assembly", "gate", "ceilings", "sandbox")}
    values: list[tuple[tuple[str, ...], float, float, float]] = [
        ((table, key), getattr(tables[table], key), low, high) for table, key, low, high in RANGES
    ]
    for name, kind in file.decision.items():
        values += [(("decision", name, "examples"), kind.examples, 0, 100)]
        for key in ("relevance", "authority", "freshness", "redundancy", "injection"):
            values += [(("decision", name, "weights", key), getattr(kind.weights, key), 0, 100)]
    if file.model.window is not None:
        values += [(("model", "window"), file.model.window, 1, 100_000_000)]
    for path, value, low, high in values:
        if not low <= value <= high:
            why = f"{'.'.join(path)} = {value} lies outside {low} to {high}"
            raise source.problem(path, "invalid-value", why, "give a number in that range")


def _session(session: SessionSettings | None, source: Source) -> SessionSettings | None:
    if session is not None and session.tenant in ("", "shared"):
        why = f"session.tenant = {session.tenant!r} names no tenant ('shared' is the area of all tenants)"
        raise source.problem(("session", "tenant"), "invalid-value", why, "name one tenant")
    return session


def _decision(name: str, table: DecisionTable, model: ModelSettings, source: Source) -> DecisionKind:
    at = ("decision", name)
    cap = table.budget or BudgetTable()
    # 0 leaves the window to the model's own, which is not known yet.
    window = min(model.input_window, cap.window or model.input_window) if model.input_window else cap.window or 0
    max_output = model.max_output if cap.max_output is None else cap.max_output
    for key in ("window", "max_output", "overhead"):
        value = getattr(cap, key)
        if value is not None and value < 0:
            path = (*at, "budget", key)
            raise source.problem(
                path, "invalid-value", f"{'.'.join(path)} = {value} is negative", "give a number of tokens"
            )
    if 0 < window <= max_output + cap.overhead:
        why = f"decision.{name}: window {window} is used up by output {max_output} and overhead {cap.overhead}"
        raise source.problem((*at, "budget"), "invalid-value", why, "lower max_output, or widen the window")
    if table.allowlist and "calls" not in table.proposals:
        why = f"decision.{name} allows tools but its proposals do not include 'calls'"
        raise source.problem(
            (*at, "allowlist"), "invalid-value", why, "add 'calls' to proposals, or empty the allowlist"
        )
    for listed, contents in (("forbid", table.forbid), ("demand", table.demand)):
        for content in contents:
            _check_content(source, (*at, listed), content)
    shared = {key: getattr(table, key) for key in DecisionTable.__slots__ if key not in ("entry", "budget")}
    return DecisionKind(name=name, budget=Budget(window, max_output, cap.overhead), **shared)


def _check_content(source: Source, path: tuple[str, ...], content: str) -> None:
    try:
        empty = wanted(content).search("") is not None
    except re.error as error:
        why = f"{'.'.join(path)}: {content!r} is no regular expression: {error}"
        raise source.problem(path, "invalid-value", why, "mend it, or leave the slashes away for plain words") from None
    if empty:
        why = f"{'.'.join(path)}: {content!r} stands in every text"
        raise source.problem(path, "invalid-value", why, "name at least one word")


def _entry(tables: Mapping[str, DecisionTable], source: Source) -> str:
    for name, table in tables.items():
        if table.then is not None and table.then not in tables:
            why = f"decision.{name}.then = {table.then!r} names no decision kind"
            fix = nearest(table.then, list(tables), "decision kinds")
            raise source.problem(("decision", name, "then"), "unknown-decision", why, fix)
    entries = [name for name, table in tables.items() if table.entry]
    if len(entries) != 1:
        said = f"{len(entries)} do ({', '.join(entries)})" if entries else "none does"
        why = f"exactly one decision kind must say entry = true, and {said}"
        fix = "keep one of them" if entries else "add entry = true to the kind a run starts with"
        path = ("decision", entries[1], "entry") if entries else ("decision", next(iter(tables), ""))
        raise source.problem(path, "entry-decision", why, fix)
    return entries[0]
