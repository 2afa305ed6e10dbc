"""What a finished run remembers of what its person said: by rule, or as a model lists it, through the write policy
(C4).

A model is asked by a decision of its own, of the project's kind `remember`, so that its call is recorded, budgeted and
replayable like any other. What it lists in the person's own words is the person's; the rest is its inference.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...core.decide import decide
from ...core.memory.extraction import statements, verified
from ...drive import drive
from ...drive.outside import Outside
from ...edges.project.memory_settings import REMEMBER
from ...edges.stores import TenantStore
from ...errors import CallsheetError
from ...model.memory import Admission, Statement
from ...model.memory_policy import MemoryPolicy
from ...model.message import Message, TextBlock
from ...model.request import RequestContext
from ...model.task import Task
from ...ports import Extractor
from .desk import MemoryDesk


class RuleExtractor:
    """The `Extractor` by rules alone."""

    def extract(self, messages: Sequence[Message]) -> tuple[Statement, ...]:
        """The person's own statements in the user turns."""
        return statements(messages)


@dataclass(frozen=True)
class ModelExtractor:
    """The `Extractor` that has a model list what is worth keeping, as a recorded decision beside the run's own."""

    outside: Outside
    run_id: str

    def extract(self, messages: Sequence[Message]) -> tuple[Statement, ...]:
        """What the rules find, and what the model lists beside it; where it did not answer, its request says why."""
        said = "\n".join(each.text for each in messages if each.role == "user")
        task = Task(said, f"{self.run_id}-{REMEMBER}", decision=REMEMBER)
        step = drive(decide(self.outside.ctx, task, self.outside.policy), self.outside)
        listed = step.answer.splitlines() if step.outcome == "answer" else ()
        return tuple(dict.fromkeys((*statements(messages), *verified(listed, messages))))


@dataclass(frozen=True)
class AfterRun:
    """Remembers, where the project wants it, what was said in a run that has ended."""

    desk: MemoryDesk
    policy: MemoryPolicy
    stores: Callable[[RequestContext], TenantStore]
    extractor: Extractor | None = None

    def __call__(self, outside: Outside, run_id: str) -> tuple[Admission, ...]:
        """What became of each statement of the run. A failure is a warning: the run's own answer stands."""
        if self.policy.write == "off" or outside.ctx.subject_id is None:
            return ()
        try:
            return self._remembered(outside, run_id)
        except CallsheetError as error:
            warnings.warn(f"what was said in run {run_id} was not remembered: {error}", RuntimeWarning, stacklevel=2)
            return ()

    def _remembered(self, outside: Outside, run_id: str) -> tuple[Admission, ...]:
        requests = self.stores(outside.ctx).records.run(run_id)
        if not requests:
            return ()
        asked = Message("user", (TextBlock(text=requests[0].task.question),))
        own = ModelExtractor(outside, run_id) if self.policy.write == "model" else RuleExtractor()
        chosen = self.extractor or own
        return self.desk.extract(
            (asked,),
            outside.ctx,
            outside.policy.project.decisions[requests[-1].manifest.decision].purpose,
            found=chosen.extract((asked,)),
            run_id=run_id,
            provenance=f"run {run_id}",
        )
