"""From a project folder to its ports: what each setting builds. The environment is read in `host.py` alone."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from .core.fingerprint import fingerprint
from .core.sources.examples import example_item
from .core.sources.instructions import BOUNDARY, kind_item, section_item
from .core.sources.tools import tool_item
from .drive.items import Items
from .edges.counters.estimate import EstimateCounter, O200kCounter
from .edges.counters.qwen import QwenCounter
from .edges.project.folder import ProjectFolder
from .edges.project.settings import ModelSettings, Settings
from .edges.providers import weights
from .edges.providers.embedded import EmbeddedModel
from .edges.providers.openai_compatible import OpenAICompatibleModel
from .errors import UsageError
from .model.policy import GatePolicy, ModelProfile, Policy, Project
from .ports import Clock, Counter, Model

COUNTERS: Mapping[str, Callable[[], Counter]] = {"qwen": QwenCounter, "o200k": O200kCounter}
"""By the name in a model's profile; any other is estimated."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the environment says: where weights are cached, the provider's key by variable name, and a proxy."""

    cache: Path
    keys: Mapping[str, str]
    proxy: str | None = None


def profile(model: ModelSettings) -> ModelProfile:
    """What the engine knows of the configured model. The embedded one keeps its schema out of the prompt."""
    embedded = model.provider == "embedded"
    return ModelProfile(
        name=model.name,
        dialect="openai_chat",
        window=model.input_window,
        max_output=model.max_output,
        counter="qwen" if embedded else "estimate",
        schema_in_prompt_prefix=not embedded,
    )


def open_counter(chosen: ModelProfile) -> Counter:
    """The counter a profile names."""
    return COUNTERS.get(chosen.counter, EstimateCounter)()


def open_model(settings: Settings, chosen: ModelProfile, around: Surroundings, clock: Clock) -> Model:
    """The configured model, not yet loaded. UsageError or WeightsError when it could not answer a call."""
    model = settings.model
    if model.provider == "embedded":
        configured = settings.folder / model.weights if model.weights else None
        path = weights.find(weights.DEFAULT, around.cache, configured)
        return EmbeddedModel(path, chosen, timeout=model.timeout, context=model.n_ctx, clock=clock)
    key = around.keys.get(model.api_key_env) if model.api_key_env else None
    if model.api_key_env and key is None:
        raise UsageError(f"[model] api_key_env names {model.api_key_env}, which is not set; set it, or remove the line")
    assert model.base_url is not None, "the settings were checked"
    # HTTPS_PROXY speaks of https alone; a server on this machine is never reached through it.
    proxy = around.proxy if model.base_url.startswith("https:") else None
    return OpenAICompatibleModel(model.base_url, chosen, key, model.timeout, proxy=proxy, clock=clock)


def build_policy(folder: ProjectFolder, model: ModelProfile | None = None, gate: GatePolicy | None = None) -> Policy:
    """The project's policy, its items measured and its fingerprint taken once; model and gate may be others."""
    settings = folder.settings
    chosen = model or profile(settings.model)
    items = Items(open_counter(chosen))
    version = settings.project.policy_version
    sections = (*(written.section for written in folder.sections), BOUNDARY)
    contracts = folder.tools().contracts()
    project = Project(
        instructions=tuple(items.measured(section_item(each)) for each in sections),
        tools=tuple(items.measured(tool_item(each)) for each in contracts),
        examples=tuple((each, items.measured(example_item(each))) for each in folder.examples),
        decisions=dict(settings.decisions),
        entry=settings.entry,
        kind_instructions={name: items.measured(kind_item(kind, version)) for name, kind in settings.decisions.items()},
        policy_version=version,
    )
    policy = Policy(project, chosen, settings.assembly, settings.history, gate or settings.gate, settings.ceilings)
    return replace(policy, fingerprint=fingerprint(policy))
