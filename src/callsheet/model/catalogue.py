"""A catalogue of tools, looked at as a whole: what is wrong with it, and what it costs (D2, D7)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

ToolSeverity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class ToolFinding:
    """What is wrong with a tool, or with two of them together; `evidence` is what shows it.

    An error keeps a model from choosing or a provider from taking the tool; a note holds for one way of sending it.
    """

    rule: str
    severity: ToolSeverity
    tools: tuple[str, ...]
    message: str
    fix: str
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolCost:
    """What a definition takes of every request, in tokens; `calls` are those on record, None where nothing is."""

    name: str
    server: str
    tokens: int
    description: int
    schema: int
    calls: int | None = None
