"""Notes are kept up every few turns of the model, stand behind the last message, and are billed."""

from typing import Any

from callsheet.core.history.conversation import Conversation
from callsheet.core.history.recorded.entries import entry
from callsheet.core.history.view import view as shown
from callsheet.drive import drive
from callsheet.model.effect import Effect
from callsheet.model.history import Drafted, Line, Summarise, View
from callsheet.model.history_policy import HistoryPolicy, Notes
from callsheet.model.message import Message, Usage

from ..said import count, model, terms, turns, user


class Writer:
    """Answers each request for notes with the next of these drafts, and keeps the requests."""

    def __init__(self, *drafts: Drafted) -> None:
        self.drafts = list(drafts)
        self.asked: list[Summarise] = []

    def __call__(self, effect: Effect[Any]) -> Drafted:
        assert isinstance(effect, Summarise)
        self.asked.append(effect)
        return self.drafts.pop(0)


def rounds(said: list[Message], writer: Writer, every: int = 2, limit: int = 200) -> tuple[list[View], Conversation]:
    conversation = Conversation(HistoryPolicy("p", (Notes(every, limit),)))
    views = []
    for at, each in enumerate(said):
        conversation.add(entry(at, each, count))
        views.append(drive(conversation.prepare(terms(10_000)), writer))
    return views, conversation


def noted(text: str, section: str = "decisions", **more: Any) -> Drafted:
    return Drafted((Line(section, text, **more),), usage=Usage(input=10, output=2))


def test_notes_are_made_of_what_is_new_and_of_those_before() -> None:
    writer = Writer(noted("keep Redis"), noted("drop the cache"))
    views, conversation = rounds([user("go"), *(model(f"step {at}") for at in range(4))], writer)
    assert [[each.number for each in asked.entries] for asked in writer.asked] == [[0, 1, 2], [3, 4]]
    assert writer.asked[1].before is not None and writer.asked[1].before.lines[0].text == "keep Redis"
    assert "keep Redis" in views[-1].messages[-1].text and "drop the cache" in views[-1].messages[-1].text
    assert [edit.usage.input for edit in conversation.standing.edits] == [10, 10]


def test_the_next_step_is_only_ever_the_last_one() -> None:
    writer = Writer(noted("read the log", "next"), noted("fix the mock", "next"))
    views, _ = rounds([user("go"), *(model(f"step {at}") for at in range(4))], writer)
    text = views[-1].messages[-1].text
    assert "fix the mock" in text and "read the log" not in text


def test_an_error_is_no_note_and_is_not_asked_for_again_at_once() -> None:
    writer = Writer(Drafted(error="rate limit"), noted("keep Redis"))
    views, conversation = rounds([user("go"), *(model(f"step {at}") for at in range(4))], writer)
    assert [edit.refused for edit in conversation.standing.edits] == ["no-notes", ""]
    assert all("rate limit" not in view.messages[-1].text for view in views)
    assert [each.number for each in writer.asked[1].entries] == [0, 1, 2, 3, 4], "what was not noted is asked for again"


def test_notes_stay_within_their_limit_and_the_oldest_go_first() -> None:
    writer = Writer(*(noted(f"decision {at} " + "word " * 20) for at in range(10)))
    views, _ = rounds([user("go"), *(model(f"step {at}") for at in range(20))], writer, limit=90)
    text = views[-1].messages[-1].text
    assert count(text) <= 90 and "decision 9" in text and "decision 0" not in text


def test_what_stood_before_the_notes_is_sent_unchanged() -> None:
    said = turns(4)
    writer = Writer(*(noted(f"decision {at}") for at in range(8)))
    views, conversation = rounds(said, writer)
    assert list(views[-1].messages[:-1]) == said
    assert shown(conversation.history, conversation.standing, count) == views[-1]


def test_in_a_small_window_notes_take_no_more_than_their_share() -> None:
    writer = Writer(*(noted(f"keep {at} " * 30) for at in range(4)))
    conversation = Conversation(HistoryPolicy("p", (Notes(1, 1_000),)))
    for at in range(8):
        conversation.add(entry(at, user("go") if at % 2 == 0 else model("step"), count))
        drive(conversation.prepare(terms(300)), writer)
    assert 0 < count(conversation.standing.notes) <= 45
    assert all(asked.limit == 45 for asked in writer.asked)


def test_where_nothing_is_settled_the_notes_say_what_is_known_until_something_is() -> None:
    writer = Writer(Drafted(), noted("keep Redis"))
    views, _ = rounds([user("Repair the login page."), *(model(f"step {at}") for at in range(4))], writer)
    assert "## Task\n- Repair the login page." in views[2].messages[-1].text
    last = views[-1].messages[-1].text
    assert "keep Redis" in last and "## Task" not in last
