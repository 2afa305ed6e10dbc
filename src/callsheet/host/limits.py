"""What is known of a model's limits: what its provider says now, beside the table of models and the settings."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Protocol, runtime_checkable

from ..edges.models.table import Models, read_table
from ..edges.project.folder import ProjectFolder
from ..edges.project.settings import ModelSettings
from ..errors import CallsheetError
from ..ports import Model
from .wiring import Surroundings, open_model, profile


@runtime_checkable
class Listed(Protocol):
    """A model whose provider can be asked for its limits."""

    def limits(self) -> tuple[int, int] | None:
        """Tokens of input and of output; None where the provider does not say."""


def asked(folder: ProjectFolder, around: Surroundings) -> Mapping[str, Any]:
    """What `compared` gives for the project's remote model, whose window need not be known yet."""
    models, settings = read_table(folder.settings.folder), folder.settings.model
    window = settings.window or models.limits(settings.name).window or settings.max_output
    model = open_model(folder, profile(replace(settings, window=window), models), around, lambda: datetime.now(UTC))
    with closing(model):
        return compared(settings, models, model)


def compared(settings: ModelSettings, models: Models, model: Model) -> Mapping[str, Any]:
    """The window and the longest output in tokens by each source (None: it does not say), and what does not agree.

    The provider is asked over the network; why it gave no answer stands in `error`.
    """
    listed, error = None, ""
    try:
        listed = model.limits() if isinstance(model, Listed) else None
    except CallsheetError as problem:
        error = str(problem)
    table = models.limits(settings.name)
    sources = {
        "provider": _pair(*(listed or (None, None))),
        "table": _pair(table.window, table.max_output),
        "settings": _pair(settings.window, settings.max_output),
    }
    return {"name": settings.name, "sources": sources, "mismatches": _mismatches(sources), "error": error}


def _pair(window: int | None, max_output: int | None) -> dict[str, int | None]:
    return {"window": window, "max_output": max_output}


def _mismatches(sources: Mapping[str, Mapping[str, int | None]]) -> list[str]:
    """The provider's word goes before the table's; settings may ask for less than there is, and not for more."""
    provider, table, settings = sources["provider"], sources["table"], sources["settings"]
    found = []
    for key in ("window", "max_output"):
        said, known, asked = provider[key], table[key], settings[key]
        if said is not None and known is not None and said != known:
            found.append(f"the provider lists {key} {said}, and the table says {known}; write it into models.toml")
        most = said if said is not None else known
        if most is not None and asked is not None and asked > most:
            found.append(f"[model] {key} = {asked} is more than the {most} there are; lower it in callsheet.toml")
    return found
