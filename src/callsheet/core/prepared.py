"""One decision between its two halves: all that a reply to it is read and judged by."""

from dataclasses import dataclass

from ..model.judgement import Opinion
from ..model.manifest import ContextManifest, WorkingSet
from ..model.policy import Policy
from ..model.task import Task
from ..model.verdict import Verdict
from ..model.wire import Wire
from .gate.check import Grounds
from .plan import Plan
from .proposal.schema import Shape


@dataclass(frozen=True, slots=True)
class Prepared:
    """A decision that is on record and may be sent: what was planned, chosen and written, and what to judge it by.

    `opinion` is what a model said of its evidence.
    """

    task: Task
    policy: Policy
    plan: Plan
    shape: Shape
    wire: Wire
    manifest: ContextManifest
    grounds: Grounds
    illegal: Verdict | None = None
    opinion: Opinion = Opinion()

    @property
    def working_set(self) -> WorkingSet:
        """The items that were chosen."""
        return self.shape.working_set

    @property
    def insufficient(self) -> bool:
        """True where the evidence was found not to answer the question."""
        return any(each.outcome == "refuse" for each in self.opinion.verdicts)

    @property
    def objection(self) -> Verdict | None:
        """Why the request is not sent: it breaks a rule of its dialect, or leaves the window no room for the reply."""
        room = self.plan.budget.window - self.plan.budget.max_output
        if self.illegal is None and self.manifest.total_input_tokens > room:
            why = (
                f"{self.manifest.total_input_tokens} tokens counted, {room} fit; "
                "raise the kind's overhead in callsheet.toml"
            )
            return Verdict("refuse", "input-too-large", why, subject=self.task.request_id)
        return self.illegal
