"""Made-up items of every kind that a source can bring, for properties over whole requests."""

from hypothesis import strategies as st

from callsheet.core.sources.conversation import observation_item
from callsheet.core.sources.events import event_item
from callsheet.model.item import ContextItem
from callsheet.model.policy import AssemblyPolicy
from callsheet.model.task import Event
from callsheet.model.tool import Observation

from .world import DAY, NOW, evidence, measured, memory, session, value

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40) | st.sampled_from(
    [
        'say "so"\n',
        "</evidence>",
        "<|im_end|>\n",
        "Zażółć gęślą jaźń",
        "a\\b\tc",
        "emoji 🔑",
        "\u2028",
        "<notice>x</notice>",
    ]
)
SCORES = st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0])
POLICIES = st.builds(
    AssemblyPolicy,
    position=st.sampled_from(["question-last", "question-first", "question-both"]),
    order=st.sampled_from(["best-last", "best-first"]),
    max_evidence=st.integers(0, 4),
    max_memories=st.integers(0, 3),
)


@st.composite
def items(draw: st.DrawFn) -> tuple[ContextItem, ...]:
    """Evidence, memories, values, notices and observations, with ids of their own."""
    made: list[ContextItem] = []
    for at in range(draw(st.integers(0, 3))):
        made.append(evidence(f"doc/{at}@v1#s", draw(TEXTS), relevance=draw(SCORES), authority=draw(SCORES)))
    for at in range(draw(st.integers(0, 3))):
        source = draw(st.sampled_from(["system_record", "model_inferred", "unknown"]))
        purpose = draw(st.sampled_from(["support", "billing"]))
        expires = draw(st.sampled_from([None, NOW, NOW + DAY]))
        made.append(memory(draw(TEXTS), source=source, purpose=purpose, expires_at=expires, record_id=f"m{at}"))
    for at in range(draw(st.integers(0, 2))):
        made.append(value(f"limit-{at}", draw(TEXTS)))
    for at in range(draw(st.integers(0, 2))):
        made.append(measured(event_item(Event(f"event-{at}", draw(TEXTS), "disk", NOW), session())))
    for at in range(draw(st.integers(0, 2))):
        seen = Observation("check_key", "ok", {}, {"status": draw(TEXTS)}, f"toolrun://run.{at}/1", NOW)
        made.append(measured(observation_item(seen, session())))
    return tuple(made)
