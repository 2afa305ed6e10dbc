"""A context engine for AI agents: one sheet per model call, saying what is needed for it; and the sheet is kept.

The front door. Names are loaded when they are first used, so `import callsheet` costs next to nothing.
"""

from importlib import import_module

__version__ = "0.1.0"

TYPE_CHECKING = False  # what type checkers take for true, without the cost of importing typing
if TYPE_CHECKING:
    from .core.assembly.pack import pack
    from .core.history.artifacts.index import ArtifactIndex
    from .core.history.cuts.legal import legal_cuts
    from .core.memory.loading import load_memories
    from .edges.project.tool import ToolFailure, tool
    from .errors import CallsheetError, OutageError, UsageError
    from .host.host import Host, open_host
    from .host.wiring import Overrides
    from .lab.stats import wilson
    from .model.evidence import Evidence
    from .model.item import ContextItem
    from .model.manifest import Candidate, ContextManifest, WorkingSet
    from .model.memory import MemoryRecord
    from .model.message import Message
    from .model.policy import Budget, DecisionKind, Policy, Weights
    from .model.request import RequestContext
    from .model.task import TaskState
    from .model.tool import Observation, ToolContract
    from .model.verdict import RULES, Verdict

_HOMES = {
    "ArtifactIndex": "core.history.artifacts.index",
    "Budget": "model.policy",
    "CallsheetError": "errors",
    "Candidate": "model.manifest",
    "ContextItem": "model.item",
    "ContextManifest": "model.manifest",
    "DecisionKind": "model.policy",
    "Evidence": "model.evidence",
    "Host": "host.host",
    "MemoryRecord": "model.memory",
    "Message": "model.message",
    "Observation": "model.tool",
    "OutageError": "errors",
    "Overrides": "host.wiring",
    "Policy": "model.policy",
    "RULES": "model.verdict",
    "RequestContext": "model.request",
    "TaskState": "model.task",
    "ToolContract": "model.tool",
    "ToolFailure": "edges.project.tool",
    "UsageError": "errors",
    "Verdict": "model.verdict",
    "Weights": "model.policy",
    "WorkingSet": "model.manifest",
    "legal_cuts": "core.history.cuts.legal",
    "load_memories": "core.memory.loading",
    "open_host": "host.host",
    "pack": "core.assembly.pack",
    "tool": "edges.project.tool",
    "wilson": "lab.stats",
}

__all__ = [
    "RULES",
    "ArtifactIndex",
    "Budget",
    "CallsheetError",
    "Candidate",
    "ContextItem",
    "ContextManifest",
    "DecisionKind",
    "Evidence",
    "Host",
    "MemoryRecord",
    "Message",
    "Observation",
    "OutageError",
    "Overrides",
    "Policy",
    "RequestContext",
    "TaskState",
    "ToolContract",
    "ToolFailure",
    "UsageError",
    "Verdict",
    "Weights",
    "WorkingSet",
    "legal_cuts",
    "load_memories",
    "open_host",
    "pack",
    "tool",
    "wilson",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'callsheet' has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
