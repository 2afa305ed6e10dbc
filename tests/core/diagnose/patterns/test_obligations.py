"""What is owed, said in several ways, is found when it never comes; and the good stories beside it are not."""

import pytest

from callsheet.model.message import ToolDefinition

from .story import Event, compacted, model, offered, rules, step, user

WORK: list[Event] = [
    *step("edit", {"path": "src/parser.py"}, "ok"),
    *step("run", {"suite": "all"}, "5 passed"),
    *step("look", {"at": "log"}, "clean"),
]
DONE = model("The bug is fixed and the tests pass.")


@pytest.mark.parametrize(
    "request_",
    [
        "Fix the bug in the parser. When you're done, email ops@shop.example with a short summary.",
        "Fix the bug in the parser. Post a summary in #team-parser once the tests are green.",
        "Fix the bug in the parser and text me as soon as everything is finished.",
        "Fix the bug in the parser. After all the tests pass, please notify the release manager on the channel.",
    ],
)
def test_a_message_that_was_asked_for_and_never_sent(request_: str) -> None:
    assert rules(user(request_), *WORK, DONE) == ["lost-obligation: asked"]
    sent = step("send_message", {"to": "ops", "text": "Parser is fixed."}, "sent")
    assert rules(user(request_), *WORK, sent, DONE) == []
    assert rules(user(request_), *WORK, model("Fixed. I have no tool to email or notify; please post it.")) == []


def test_a_tool_that_was_to_be_called_at_the_end() -> None:
    tools = offered(*(ToolDefinition(name=name) for name in ("edit", "run", "look", "close_ticket")))
    asked = user("Fix the bug. When you are done, call `close_ticket`.")
    assert rules(tools, asked, *WORK, model("Fixed; close_ticket comes next.")) == ["lost-obligation: asked"]
    assert rules(tools, asked, *WORK, step("close_ticket", {}, "ok"), DONE) == []


@pytest.mark.parametrize(
    "said",
    [
        "I'll set the timeout to 1 second for this experiment and then put it back.",
        "I'll comment out the assertion, and afterwards I'll restore the assertion.",
        "Let me temporarily disable the retry logic to see the first error.",
        "I will change the flag for a moment and then revert it.",
    ],
)
def test_a_change_for_a_moment_that_is_never_put_back(said: str) -> None:
    change = step("edit", {"path": "a.py", "old_string": "t = 30", "new_string": "t = 1"}, "ok")
    back = step("edit", {"path": "a.py", "old_string": "t = 1", "new_string": "t = 30"}, "ok")
    restored = step("bash", {"command": "git checkout a.py"}, "ok")
    assert rules(user("Why is it slow?"), model(said), change, *WORK, DONE) == ["lost-obligation: restore"]
    assert rules(user("Why is it slow?"), model(said), change, *WORK, back, DONE) == []
    assert rules(user("Why is it slow?"), model(said), change, *WORK, restored, DONE) == []


def test_what_a_person_wants_put_back() -> None:
    asked = user("Set the log level to DEBUG while you look, and put it back when you are done.")
    change = step("edit", {"path": "log.yml", "old_string": "INFO", "new_string": "DEBUG"}, "ok")
    assert rules(asked, change, *WORK, DONE) == ["lost-obligation: restore"]
    assert rules(asked, change, *WORK, model("Fixed, and the log level is back to its old value.")) == []


@pytest.mark.parametrize(
    "aside",
    ["Also, is travel insurance included?", "By the way, do you sell insurance?", "And can insurance be added?"],
)
def test_a_side_question_that_is_never_taken_up(aside: str) -> None:
    asked = user(f"Please move my flight to Monday. {aside}")
    move = step("update", {"flight": "Monday"}, "ok")
    assert rules(asked, move, model("Your flight is moved to Monday.")) == ["lost-obligation: question"]
    assert rules(asked, move, model("Your flight is moved to Monday. Insurance is not included.")) == []
    assert rules(user(aside), model("No, it is not.")) == []


@pytest.mark.parametrize(
    "said",
    [
        "I'll call you back with the quotation.",
        "I will get back to you on the quotation.",
        "I'll follow up on the quote.",
    ],
)
def test_the_model_was_to_come_back_to_something(said: str) -> None:
    rest = [user("And the weather?"), model("Sunny.")]
    assert rules(user("Ask for a price."), model(said), *rest) == ["lost-obligation: return"]
    answer = model("The quotation is here: the quote is 12 dollars.")
    assert rules(user("Ask for a price."), model(said), *rest, user("Hm."), answer) == []
    assert rules(user("Ask for a price."), model(said)) == []
    asked = model("Once you send me the number, I'll get back to you on the quotation.")
    assert rules(user("Ask for a price."), asked, *rest) == []


def test_what_was_asked_before_a_compaction_is_still_owed() -> None:
    asked = user("Migrate the tables. Once the migration is over, drop the old `orders_v1` table.")
    assert rules(asked, compacted("Tables are being migrated."), *WORK, DONE) == ["lost-obligation: asked"]
    drop = step("sql", {"query": "DROP TABLE orders_v1"}, "ok")
    assert rules(asked, compacted("Tables are being migrated."), *WORK, drop, DONE) == []
