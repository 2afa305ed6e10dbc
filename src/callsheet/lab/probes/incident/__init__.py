"""An incident in 40 turns, made by code: twelve tools, a rule in turn 2, a fact in turn 19, both needed in turn 40.

Tool results are long, and full of values that look like the two that matter: what misleads a model is how many things
in its window look like the answer (H4). `rows` sets how long they are, and with it the size of the whole.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ....core.diagnose.definitions import Definitions
from ....core.history.recorded.entries import entry
from ....core.history.terms import Count
from ....model.history import Round, Timeline
from ....model.message import CallBlock, Message, ResultBlock, TextBlock, ToolDefinition
from ..probe import Probe
from .scenes import FACT, RULE, SCENES, SYSTEM, Scene
from .tools import definitions, output

ROWS = 26
"""The length of results by default: about 24,000 tokens in all."""

RULE_PROBE = Probe(
    id="standing-rule",
    kind="decision",
    phrasings=(
        "We close the incident. Which reference must the message to customers carry?",
        "Write nothing yet: what is the one reference that our messages to customers have to name?",
        "By the rule I gave you, which HB reference goes into the closing message to customers?",
        "Before we tell customers it is over: under which reference do we write to them?",
        "Name the reference that every message to customers carries in this incident.",
        "The mail to all customers is ready but for its reference. Which one did I rule it must be?",
    ),
    expected=((RULE,),),
    dimensions=("instruction following",),
)
FACT_PROBE = Probe(
    id="limit-before",
    kind="recall",
    phrasings=(
        "We set the limit back. What was the limit of the pool hold-store in region north before the push?",
        "Which limit did hold-store have in north before the push?",
        "Back to normal in north: what number do I enter as the limit of the pool hold-store, as it was before?",
        "Tell me the old limit of the hold-store pool in region north.",
        "To undo the push for hold-store in region north, the limit must again be which number?",
        "In region north, hold-store was limited to how many connections before the push?",
    ),
    expected=((FACT,),),
)
PROBES = (RULE_PROBE, FACT_PROBE)


@dataclass(frozen=True, slots=True)
class Incident:
    """The incident as a conversation: system text, tools, 39 turns of messages, and where each turn begins."""

    system: str
    tools: tuple[ToolDefinition, ...]
    messages: tuple[Message, ...]
    turns: tuple[int, ...]

    def timeline(self, count: Count) -> Timeline:
        """The incident to be replayed, its tokens counted; each message of the assistant's is a round."""
        replies = [number for number, message in enumerate(self.messages) if message.role == "assistant"]
        return Timeline(
            entries=tuple(entry(number, message, count) for number, message in enumerate(self.messages)),
            rounds=tuple(Round(at, number, span=(number, number + 1)) for at, number in enumerate(replies)),
            system=(Message("system", (TextBlock(text=self.system),), "text"),),
            system_tokens=count(self.system),
            tools_tokens=Definitions(count).tokens(self.tools),
            tools=tuple(str(each.name) for each in self.tools),
        )


def incident(rows: int = ROWS) -> Incident:
    """The incident with tool results of `rows` lines; the same rows give the same bytes."""
    messages: list[Message] = []
    turns: list[int] = []
    for turn, scene in enumerate(SCENES, 1):
        turns.append(len(messages))
        messages += _turn(scene, turn, rows)
    return Incident(SYSTEM, definitions(), tuple(messages), tuple(turns))


def _turn(scene: Scene, turn: int, rows: int) -> Iterator[Message]:
    yield Message("user", (TextBlock(text=scene.says),), "text")
    calls = tuple(
        CallBlock(id=f"call_{turn}_{at}", name=name, arguments=dict(arguments))
        for at, (name, arguments) in enumerate(scene.calls)
    )
    yield Message("assistant", calls)
    for call in calls:
        text = output(call.name, call.arguments, turn, rows)
        yield Message("tool", (ResultBlock(call_id=call.id, blocks=(TextBlock(text=text),), name=call.name),), "text")
    yield Message("assistant", (TextBlock(text=scene.reply),), "text")
