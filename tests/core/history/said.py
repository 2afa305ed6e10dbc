"""Conversations for tests of policies: messages as a person, a model and its tools say them."""

from collections.abc import Iterable, Sequence
from typing import Any

from hypothesis import strategies as st

from callsheet.core.history.record import History
from callsheet.core.history.recorded.entries import entry
from callsheet.core.history.terms import Terms
from callsheet.model.message import CallBlock, Message, ResultBlock, TextBlock


def count(text: str) -> int:
    """A token for each word, so that a test can count along."""
    return len(text.split())


def user(text: str) -> Message:
    return Message("user", (TextBlock(text=text),), "text")


def model(text: str, *calls: str) -> Message:
    """What the model says, with calls by id."""
    return Message(
        "assistant",
        (TextBlock(text=text), *(CallBlock(id=each, name="read", arguments={"path": f"{each}.py"}) for each in calls)),
    )


def results(**texts: str) -> Message:
    """Results by the ids of their calls, as the Messages API has them: in a message of the user's."""
    blocks = (ResultBlock(call_id=each, blocks=(TextBlock(text=text),)) for each, text in texts.items())
    return Message("user", tuple(blocks))


def turns(number: int, words: int = 10) -> list[Message]:
    """So many turns of four messages: a person's, a call, its result, an answer."""
    said: list[Message] = []
    for at in range(number):
        said += [
            user(f"task {at} " + "please " * (words - 2)),
            model("looking " * words, f"c{at}"),
            results(**{f"c{at}": f"value{at} " * words}),
            model(f"answer{at} " * words),
        ]
    return said


def history_of(messages: Iterable[Message], **settings: Any) -> History:
    return History((entry(at, each, count) for at, each in enumerate(messages)), **settings)


def terms(window: int = 1_000, **said: Any) -> Terms:
    return Terms(window, count, **{"reserve": 0.0, **said})


def texts(messages: Sequence[Message]) -> str:
    """All that is written in messages, results too."""
    parts = []
    for message in messages:
        for block in message.blocks:
            parts.append(block.text if isinstance(block, ResultBlock) else str(getattr(block, "text", "")))
    return "\n".join(parts)


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    """Any order of turns, calls in batches, results in one message or several, and answers."""
    said: list[Message] = []
    for at in range(draw(st.integers(1, 12))):
        said.append(user(f"person {at} " + "word " * draw(st.integers(0, 60))))
        for step in range(draw(st.integers(0, 3))):
            ids = [f"c{at}_{step}_{each}" for each in range(draw(st.integers(1, 3)))]
            said.append(model("step " * draw(st.integers(1, 20)), *ids))
            sizes = {each: "result " * draw(st.integers(0, 80)) for each in ids}
            if draw(st.booleans()):
                said.append(results(**sizes))
            else:
                said += [results(**{each: text}) for each, text in sizes.items()]
        if draw(st.booleans()):
            said.append(model("done " * draw(st.integers(1, 20))))
    return said
