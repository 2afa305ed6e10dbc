"""From a project folder to its ports: what each setting builds. The environment is read in `host.py` alone."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from ..core.narrowing import stable_way
from ..core.proposal.channel import PURPOSE
from ..core.proposal.schema import widest
from ..core.record.fingerprint import fingerprint
from ..core.render.legality import NAME
from ..core.render.writer import written
from ..core.retrieval.planning import PLANNER
from ..core.sources.examples import example_item
from ..core.sources.instructions import BOUNDARY, kind_item, section_item
from ..core.sources.preloaded import preloaded_items
from ..core.sources.skills import skill_item
from ..core.sources.tools import tool_item
from ..core.text.sections import sections
from ..drive.items import Items
from ..edges.counters.estimate import CalibratedCounter, Calibration, EstimateCounter, O200kCounter
from ..edges.counters.gguf_model import gguf_counter
from ..edges.counters.provider import ProviderCounter
from ..edges.counters.qwen import QwenCounter
from ..edges.models.table import Models, read_table
from ..edges.project.folder import ProjectFolder
from ..edges.project.settings import ModelSettings, Provider
from ..edges.providers import weights
from ..errors import UsageError, WeightsError
from ..model.policy import GatePolicy, ModelProfile, Policy, Project
from ..model.request import SHARED
from ..model.tool import ToolContract
from ..ports import Clock, Counter, Embedder, Extractor, Model, Reranker, Tools, Values


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the environment says: where weights are cached, the provider's key by variable name, and a proxy."""

    cache: Path
    keys: Mapping[str, str]
    proxy: str | None = None


@dataclass(frozen=True, slots=True)
class Overrides:
    """What an application, a test or an experiment puts in place of a wired part; None keeps the project's own.

    `values` is where a policy service takes the place of `values/*.toml`, and `tools` where one runs tools elsewhere.
    `token` gives what keeps the ids of two runs of one second apart. `embedder` and `reranker` take part in ranking.
    `extractor` finds what a run's person said that may be remembered.
    """

    model: Model | None = None
    gate: GatePolicy | None = None
    tools: Tools | None = None
    values: Values | None = None
    clock: Clock | None = None
    token: Callable[[], str] | None = None
    embedder: Embedder | None = None
    reranker: Reranker | None = None
    extractor: Extractor | None = None


COUNTERS: Mapping[Provider, str] = {"embedded": "qwen", "openai": "o200k"}
"""Whose counter is not the plain estimate."""
KEYS: Mapping[Provider, str] = {
    "anthropic": "ANTHROPIC_API_KEY",
    "gemini": "GEMINI_API_KEY",
    "openai": "OPENAI_API_KEY",
}
"""Where each vendor's own tools look for the key, where `api_key_env` names no other variable."""
MODELS: Mapping[Provider, tuple[str, str]] = {
    "anthropic": ("anthropic", "AnthropicModel"),
    "embedded": ("embedded", "EmbeddedModel"),
    "gemini": ("gemini", "GeminiModel"),
    "openai": ("openai", "OpenAIModel"),
    "openai-compatible": ("openai_compatible", "OpenAICompatibleModel"),
}
"""Module and class, loaded when the model is opened: most commands ask no model, and an HTTP client takes its time."""


SAMPLING = ("temperature", "top_p", "top_k", "topP", "topK")
"""Settings of sampling, in every dialect's words, that a model without the trait `sampling` refuses."""


def profile(model: ModelSettings, models: Models) -> ModelProfile:
    """What the engine knows of the configured model, from the settings and the table of models.

    Limits are never guessed: UsageError where neither says the window. Servers of open models hold a reply to its
    schema, the embedded one without a word of it in the prompt; for a vendor's model each kind of reply is a tool.
    """
    limits = models.limits(model.name)
    window = model.input_window or limits.window
    if not window:
        raise UsageError(
            f"no window is known for the model {model.name!r}; write window = … into [model] of callsheet.toml, "
            "or into a models.toml beside it"
        )
    if limits.max_output and model.max_output > limits.max_output:
        raise UsageError(
            f"[model] max_output = {model.max_output} is more than the {limits.max_output} tokens "
            f"{model.name!r} writes; lower it"
        )
    traits = models.traits(model.name)
    if model.cache_diagnostics and (not traits.cache_diagnostics or model.speaks == "openai_chat"):
        raise UsageError(
            f"[model] cache_diagnostics: no vendor documents them for {model.name!r} in {model.speaks}; remove the line"
        )
    if not traits.sampling and (stated := _sampling(model)):
        raise UsageError(
            f"[model.native] {stated}: no vendor documents that {model.name!r} takes it; remove the line, or say "
            "sampling = true for that model in a models.toml beside callsheet.toml"
        )
    by_schema = model.provider in ("embedded", "openai-compatible")
    channel = model.channel or ("json-schema" if by_schema else "native-calls")
    return ModelProfile(
        name=model.name,
        dialect=model.speaks,
        window=window,
        max_output=model.max_output,
        counter="gguf" if model.weights else COUNTERS.get(model.provider, "estimate"),
        calibration=model.calibration,
        # Tools are part of every prompt; a schema the embedded model is held to is not.
        schema_in_prompt_prefix=model.provider != "embedded" or channel == "native-calls",
        channel=channel,
        stream=model.stream,
        traits=traits,
        cache_diagnostics=model.cache_diagnostics,
        prices=models.prices(model.name),
        native=model.native,
    )


def _sampling(model: ModelSettings) -> str | None:
    """The first setting of sampling among the project's own parameters, wherever the dialect has it."""
    config = model.native.get("generationConfig")
    own = {*model.native, *(config if isinstance(config, Mapping) else ())}
    return next((each for each in SAMPLING if each in own), None)


def open_counter(chosen: ModelProfile, weights_file: Path | None = None) -> Counter:
    """The counter a profile names; that of a model known by its own file alone needs the file.

    An estimate stands in where the file is not there, or is of a tokenizer that is not known.
    """
    if chosen.counter == "qwen":
        return QwenCounter()
    if chosen.counter == "gguf" and weights_file is not None:
        try:
            return gguf_counter(weights_file)
        except WeightsError:
            return EstimateCounter()
    estimate = O200kCounter() if chosen.counter == "o200k" else EstimateCounter()
    return estimate if chosen.calibration == 1 else CalibratedCounter(estimate, Calibration(chosen.calibration))


def counting(settings: ModelSettings, estimate: Counter, model: Callable[[], Model]) -> Counter:
    """The counter of whole prompts: the provider's own where the settings ask for it; `model` opens it when needed."""
    if settings.count == "estimate":
        return estimate

    def count(body: bytes) -> int:
        opened = model()
        if not isinstance(opened, Counting):
            raise UsageError(f"{type(opened).__name__} does not count; remove `count` from [model]")
        return opened.count(body)

    return ProviderCounter(f"{settings.provider} count", count, estimate)


@runtime_checkable
class Counting(Protocol):
    """A model whose provider counts the tokens of a request."""

    def count(self, body: bytes) -> int:
        """Input tokens of a request's body. ModelError where the provider gives none."""


def open_model(folder: ProjectFolder, chosen: ModelProfile, around: Surroundings, clock: Clock) -> Model:
    """The configured model, not yet loaded. UsageError or WeightsError when it could not answer a call."""
    model = folder.settings.model
    module, name = MODELS[model.provider]
    make: Callable[..., Model] = getattr(import_module(f"callsheet.edges.providers.{module}"), name)
    if model.provider == "embedded":
        path = weights.find(weights.DEFAULT, around.cache, own_weights(folder))
        shared: dict[str, Any] = {
            "timeout": model.timeout,
            "context": model.n_ctx,
            "held_to": held_to(folder, chosen),
            "clock": clock,
        }
        return make(path, chosen, **shared)
    key = _key(model, around)
    # HTTPS_PROXY speaks of https alone; a server on this machine is never reached through it.
    proxy = around.proxy if (model.base_url or "https:").startswith("https:") else None
    if model.provider == "openai-compatible":
        assert model.base_url is not None, "the settings were checked"
        return make(model.base_url, chosen, key, model.timeout, proxy=proxy, clock=clock)
    address = {"base_url": model.base_url} if model.base_url else {}
    shared = {"timeout": model.timeout, "proxy": proxy, "clock": clock, **address}
    assert key is not None, "every vendor has a variable for its key"
    if model.provider == "anthropic":
        shared["betas"] = model.betas
    return make(chosen, key, **shared)


def own_weights(folder: ProjectFolder) -> Path | None:
    """The file of weights that the project names; None for the default model."""
    named = folder.settings.model.weights
    return folder.settings.folder / named if named else None


def held_to(folder: ProjectFolder, chosen: ModelProfile) -> str | None:
    """The schema the embedded model's listener is started with, as JSON; None where each request brings its own.

    It names tools and documents of no scope alone: it is the same for every actor, and what it does not name can be
    neither called nor cited.
    """
    if chosen.dialect == "openai_chat" or chosen.channel != "json-schema":
        return None
    everyones = (document for document in folder.documents if document.scope is None)
    cited = [each.evidence_id for document in everyones for each in sections(document, SHARED)]
    contracts = [each for each in folder.contracts() if each.scope is None]
    return written(widest(contracts, cited, chosen, PLANNER.name in folder.settings.decisions)).decode()


def _key(model: ModelSettings, around: Surroundings) -> str | None:
    """The provider's key. UsageError where the variable that should hold it is not set."""
    variable = model.api_key_env or KEYS.get(model.provider)
    key = around.keys.get(variable) if variable else None
    if variable and key is None and model.api_key_env:
        # What is no usual name of a variable may be the key itself, written into the wrong place.
        named = variable if variable.isupper() else "a variable"
        raise UsageError(f"[model] api_key_env names {named}, which is not set; set it, or remove the line")
    if variable and key is None:
        raise UsageError(
            f"provider {model.provider!r} reads its key from {variable}, which is not set; "
            "set it, or name another variable with [model] api_key_env"
        )
    return key


def known_model(folder: ProjectFolder) -> ModelProfile:
    """What the engine knows of the project's model."""
    return profile(folder.settings.model, read_table(folder.settings.folder))


def build_policy(
    folder: ProjectFolder,
    model: ModelProfile | None = None,
    gate: GatePolicy | None = None,
    counter: Counter | None = None,
) -> Policy:
    """The project's policy, its items measured and its fingerprint taken once; what is given goes before its own."""
    settings = folder.settings
    chosen = model or known_model(folder)
    check_fits(folder, chosen)
    items = Items(counter or open_counter(chosen, own_weights(folder)))
    version = settings.project.policy_version
    labelled = (*(each.section for each in folder.sections), BOUNDARY)
    project = Project(
        instructions=tuple(items.measured(section_item(each)) for each in labelled),
        tools=tuple(items.measured(tool_item(each)) for each in folder.contracts()),
        examples=tuple((each, items.measured(example_item(each))) for each in folder.examples),
        decisions=dict(settings.decisions),
        entry=settings.entry,
        kind_instructions={name: items.measured(kind_item(kind, version)) for name, kind in settings.decisions.items()},
        policy_version=version,
        skills=tuple((each.listed, items.measured(skill_item(each))) for each in folder.skills),
        preloaded=tuple(map(items.measured, preloaded_items(folder.documents, settings.knowledge.preload))),
    )
    policy = Policy(
        project,
        chosen,
        settings.assembly,
        settings.history,
        gate or settings.gate,
        settings.ceilings,
        settings.knowledge,
        settings.sandbox,
    )
    return replace(policy, fingerprint=fingerprint(policy))


def check_fits(folder: ProjectFolder, chosen: ModelProfile) -> None:
    """UsageError where the project asks for what this model cannot do: a ceiling, a way of narrowing, a tool's name."""
    settings = folder.settings
    if settings.ceilings.cost and chosen.prices is None:
        raise UsageError(
            f"[ceilings] cost = {settings.ceilings.cost:g} cannot hold: no price is known for {chosen.name!r}; "
            "write its prices into a models.toml beside callsheet.toml, or remove the line"
        )
    narrowing = settings.assembly.narrowing
    if narrowing not in ("auto", "per-kind", stable_way(chosen)):
        raise UsageError(
            f"[assembly] narrowing = {narrowing!r} does not go with {chosen.name!r}: no vendor documents it for this "
            "model, or the model is not asked by native calls; use auto"
        )
    _check_names(folder.contracts(), chosen)


def _check_names(contracts: Iterable[ToolContract], chosen: ModelProfile) -> None:
    """UsageError for a tool whose name the model's requests could not carry, or would take for a kind of reply."""
    if chosen.channel != "native-calls":
        return
    for each in contracts:
        if each.name in PURPOSE:
            raise UsageError(
                f"the tool {each.name!r} has the name of a kind of reply, which is a tool of its own in the channel "
                "native-calls; rename the function in tools.py"
            )
        if not NAME.fullmatch(each.name):
            raise UsageError(
                f"the tool {each.name!r} does not match {NAME.pattern}, as vendors demand of a tool's name; "
                "rename the function in tools.py"
            )
