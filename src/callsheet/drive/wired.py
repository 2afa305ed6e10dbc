"""The ports of one tenant, as the host wired them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..ports import Approvals, Artifacts, Clock, Counter, Events, Ledger, Model, Tools, ToolUses
from .gather import Sources
from .in_time import Running
from .own_tools import OwnTool
from .programs import CodeRuns


@dataclass(frozen=True, slots=True)
class Ports:
    """Every port that a run asks. `own` are the engine's own tools, by name; `running` knows what outlived its time,
    `code` runs code where the project allows any.
    """

    model: Model | None
    counter: Counter
    sources: Sources
    tools: Tools
    artifacts: Artifacts
    ledger: Ledger
    events: Events
    approvals: Approvals
    uses: ToolUses
    clock: Clock
    own: Mapping[str, OwnTool] = field(default_factory=dict)
    running: Running = field(default_factory=Running)
    code: CodeRuns | None = None
