"""One decision between its two halves: all that a reply to it is read and judged by."""

from dataclasses import dataclass

from ..model.manifest import ContextManifest, WorkingSet
from ..model.policy import Policy
from ..model.task import Task
from ..model.wire import Wire
from .check import Grounds
from .plan import Plan


@dataclass(frozen=True, slots=True)
class Prepared:
    """A decision that is on record and may be sent: what was planned, chosen and written, and what to judge it by."""

    task: Task
    policy: Policy
    plan: Plan
    working_set: WorkingSet
    wire: Wire
    manifest: ContextManifest
    grounds: Grounds

    @property
    def fits(self) -> bool:
        """True when the whole prompt, as counted, leaves the window its room for the reply."""
        return self.manifest.total_input_tokens <= self.plan.budget.window - self.plan.budget.max_output
