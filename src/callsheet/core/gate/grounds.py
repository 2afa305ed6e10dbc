"""What a call is judged on: the words, the state, what was read and what is on offer."""

from dataclasses import dataclass
from datetime import date

from ...model.item import ContextItem
from ...model.policy import GatePolicy
from ...model.skill import Skill
from ...model.task import Approval, TaskState
from ...model.tool import ToolCall, ToolContract


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a call is judged on; nothing in it is believed for what the model says of it.

    `items` are what the model has read, each with its label. `known` are the contracts of all tools that these may come
    from, `offered` those that this decision may call. `window` are the references of the observations that stand in the
    request, `room` the tokens that the next one has left for what is paged in; None sets no limit. `today` is the day
    that "tomorrow" is counted from. `skills` are those that are listed, `loaded` the names of those whose instructions
    this run has. `in_code` are the tools that code may call, `findable` those that a search is put to; no request need
    define them.
    """

    run_id: str
    question: str
    offered: tuple[ToolContract, ...]
    state: TaskState
    approvals: tuple[Approval, ...]
    gate: GatePolicy
    window: frozenset[str] = frozenset()
    room: int | None = None
    items: tuple[ContextItem, ...] = ()
    known: tuple[ToolContract, ...] = ()
    today: date | None = None
    skills: tuple[Skill, ...] = ()
    loaded: tuple[str, ...] = ()
    in_code: tuple[ToolContract, ...] = ()
    findable: tuple[ToolContract, ...] = ()

    def contract(self, name: str) -> ToolContract | None:
        """The contract of an offered tool."""
        return next((each for each in self.offered if each.name == name), None)

    def reader(self, name: str) -> ToolContract | None:
        """The contract of a tool that something was read by, whether it is offered now or not."""
        return next((each for each in (*self.known, *self.offered) if each.name == name), None)


@dataclass(frozen=True, slots=True)
class Case:
    """One proposed call of an offered tool, and what it is judged on."""

    call: ToolCall
    contract: ToolContract
    grounds: Grounds
