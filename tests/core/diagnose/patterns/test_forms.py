"""What is told by its form, whatever words it comes in: errors, addresses, fields, repetitions, ends of sessions."""

import pytest

from callsheet.core.diagnose.patterns.patterns import failed

from .story import Event, findings, model, rules, step, tool, user


@pytest.mark.parametrize(
    "said",
    [
        "Unknown action update_booking",
        "MCP error -32602: Tool update_booking not found",
        "Unsupported operation: 'update_booking'",
        "update_booking does not exist",
    ],
)
def test_an_error_that_names_the_called_tool_as_unknown_is_an_invented_one(said: str) -> None:
    told = rules(user("Move it."), step("update_booking", {"id": "x"}, said, error=True), model("Sorry."))
    assert "confusion: invented-tool" in told


@pytest.mark.parametrize("said", ["update_booking: booking not found", "Invalid date for update_booking"])
def test_an_error_of_a_tool_that_is_there_is_no_invented_one(said: str) -> None:
    told = rules(user("Move it."), step("update_booking", {"day": "x"}, said, error=True), model("Sorry."))
    assert "confusion: invented-tool" not in told


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("MCP error -32602: no", True),
        ("Unknown action book", True),
        ("File src/a.py not found", True),
        ("Wrong flag!", True),
        ("The error is fixed", False),
        ("Found 3 files", False),
        ("The key was not found in the old cache, so a new one was made.\nDone.", False),
    ],
)
def test_an_error_is_told_by_how_its_first_line_begins_or_ends(text: str, error: bool) -> None:
    assert failed(text) is error


def test_arguments_that_a_schema_refuses_twice_are_wrong_whatever_library_says_so() -> None:
    said = "amount: Input should be a valid number, unable to parse string as a number"
    twice = [each for value in ("ten", "10 EUR") for each in step("pay", {"amount": value}, said, error=True)]
    assert "confusion: wrong-arguments" in rules(user("Pay."), twice, model("I give up."))
    assert "confusion: wrong-arguments" not in rules(user("Pay."), twice[:2], model("I give up."))


def test_a_command_that_differs_in_its_blanks_is_the_same() -> None:
    lines = ("git  log -1", "git log  -1", "git log -1")
    told = [each for line in lines for each in step("bash", {"command": line}, "abc1234 first")]
    assert "loop: same-again" in rules(user("Look."), told, model("Done."))


def test_one_page_read_again_with_another_limit_is_the_same_read_and_another_change_is_not() -> None:
    reads = [each for n in (50, 60, 70) for each in step("Read", {"path": "a.ex", "limit": n}, "defmodule A do")]
    assert "loop: same-again" in rules(user("Look."), reads, model("Done."))
    changes = [each for n in (50, 60, 70) for each in step("update_row", {"id": n}, "The row was updated.")]
    assert "loop: same-again" not in rules(user("Change."), changes, model("Done."))


def searches(*asked: str) -> list[Event]:
    return [each for words in asked for each in step("search_mail", {"query": words}, "No messages were found.")]


def test_five_searches_in_a_row_that_find_nothing_are_a_stall_in_any_words() -> None:
    words = ("login reset", "account portal", "credentials", "access link", "sign on page")
    assert "stall: same-search" in rules(user("Find the mail."), searches(*words), model("Nothing."))
    assert "stall: same-search" not in rules(user("Find the mail."), searches(*words[:4]), model("Nothing."))


@pytest.mark.parametrize("times", [3, 4])
def test_calls_far_apart_share_an_error_from_the_fourth_on(times: int) -> None:
    told: list[Event] = []
    for number in range(times):
        told += step("ls", {"path": f"{number}"}, f"file{number}.txt")
        asked = {"sql": ("select", "insert", "vacuum", "grant")[number]}
        told += step("query", asked, "Error: the database is locked by another process", error=True)
    assert ("stall: same-error" in rules(user("Clean up."), told, model("It is locked."))) is (times >= 4)


@pytest.mark.parametrize("times", [5, 6])
def test_polls_are_a_loop_from_the_sixth_equal_answer_on(times: int) -> None:
    polls = [each for _ in range(times) for each in step("job_status", {"id": "7"}, "running")]
    assert ("loop: same-again" in rules(user("Wait for it."), polls, model("Still running."))) is (times >= 6)


@pytest.mark.parametrize("times", [2, 3])
def test_equal_answers_are_a_stall_from_the_third_on_however_short(times: int) -> None:
    told: list[Event] = [user("Where is my refund?")]
    for _ in range(times):
        told += [model("I am sorry about that."), user("And my refund, when?")]
    assert ("stall: answer-again" in rules(told, model("Tomorrow, by noon."))) is (times >= 3)


@pytest.mark.parametrize("announced", ["I am starting with it.", "On it, the list is next."])
def test_a_yes_that_is_answered_by_words_alone_is_a_stall(announced: str) -> None:
    told: list[Event] = [user("Sort the list.")]
    for words in ("I will now begin.", "I'm going to start.", announced):
        told += [model(words), user("Go on.")]
    assert "stall: told-to-go-on" not in rules(told)
    assert "stall: told-to-go-on" in rules(told, model("Right, I'll take the first item."), user("Do it."))


def test_an_account_that_nobody_gave_is_an_invented_value_whatever_the_argument_is_called() -> None:
    def pays(account: str) -> list[str]:
        asked = user("Pay the rent to GB29NWBK60161331926819.")
        return rules(asked, step("send_money", {"recipient": account, "amount": 5}, "Sent."), model("Paid."))

    assert "poisoning: invented-value" in pays("GB82WEST12345698765432")
    assert "poisoning: invented-value" not in pays("GB29NWBK60161331926819")


def test_an_address_bent_in_a_list_is_an_invented_value() -> None:
    found = step("find_contact", {"name": "Sarah"}, "email: sarah.baker@mail.org")

    def invites(address: str) -> list[str]:
        call = step("create_event", {"title": "Lunch", "participants": [address]}, "created")
        return rules(user("Lunch with Sarah."), found, call, model("Done."))

    assert "poisoning: invented-value" in invites("sarah.baker@mail.com")
    assert "poisoning: invented-value" not in invites("sarah.baker@mail.org")


def test_records_written_as_lines_clash_as_those_of_json_do() -> None:
    one = "- id_: '6'\n  location: Conference Room B\n  start_time: 10:00\n  title: Team sync\n"
    other = one.replace("Conference Room B", "Boardroom 4")

    def asked(second: str) -> list[str]:
        shown = step("day_events", {"day": "2024-05-15"}, one), step("search_events", {"query": "sync"}, second)
        return rules(user("Where do we meet?"), *shown, model("In a room."))

    assert "clash: field" in asked(other)
    assert "clash: field" not in asked(one) and "clash: field" not in asked(other.replace("'6'", "'7'"))


def test_an_approval_is_not_used_by_an_offer_of_more_help() -> None:
    told = user("Read the scores."), step("read", {"path": "a"}, "4, 2, 3"), model("Shall I send them to Ann?")
    unused = [*told, user("Yes, send them."), model("Great. Is there anything else I can do?")]
    assert "lost-obligation: approval-unused" in rules(*unused)
    assert "lost-obligation: approval-unused" not in rules(
        *told, user("Yes, send them."), model("To which of her two addresses?")
    )


def test_bulk_that_is_not_used_to_the_end_of_a_short_session_is_told() -> None:
    bulk = " ".join(f"report_{n}.xlsx" for n in range(4_000))
    told = user("Where is dinner?"), step("list_files", {}, bulk)
    place = step("search_events", {"query": "dinner"}, "The Gourmet")
    used = step("open_file", {"name": "report_17.xlsx"}, "The Gourmet")
    more = step("search_events", {"query": "supper"}, "nothing")
    assert "distraction: unused-bulk" in rules(*told, place, more, model("At the Gourmet."))
    assert "distraction: unused-bulk" not in rules(*told, used, more, model("At the Gourmet."))
    assert "distraction: unused-bulk" not in rules(*told, place, more)


def test_a_given_value_with_an_owner_is_asked_for_again() -> None:
    told = user("My landlord's account is CA133012400231215421872."), step("a", {"x": 1}, "ok"), step("b", {}, "ok")
    again = findings(*told, model("What is the account of your landlord?"))
    assert [each.rule for each in again if each.pattern == "position-loss"] == ["asked-again"]


def test_looks_in_parallel_that_find_nothing_are_one_look() -> None:
    words = ("login reset", "account portal", "credentials", "access link", "sign on page")
    at_once = model("", *(("search_mail", {"query": each}) for each in words))
    nothing = [tool("No messages were found.") for _ in words]
    assert "stall: same-search" not in rules(user("Find it."), at_once, nothing, model("Nothing."))


@pytest.mark.parametrize("times", [2, 3])
def test_searches_in_nearly_the_same_words_are_a_stall_from_the_third_on(times: int) -> None:
    asked = ("redis pool size limit", "redis pool size", "limit redis pool size")[:times]
    assert ("stall: same-search" in rules(user("Find it."), searches(*asked), model("Nothing."))) is (times >= 3)


@pytest.mark.parametrize("others", [0, 30_000])
def test_bulk_is_told_where_it_is_half_of_the_window(others: int) -> None:
    bulk = " ".join(f"report_{n}.xlsx" for n in range(2_000))
    told = user("Where is dinner? " + "so " * others), step("list_files", {}, bulk)
    found = rules(*told, step("events", {"q": "dinner"}, "x"), step("events", {"q": "supper"}, "y"), model("There."))
    assert ("distraction: unused-bulk" in found) is (others == 0)


def test_an_amount_is_met_however_it_is_written() -> None:
    def refunds(amount: float) -> list[str]:
        asked = user("Update my address to 4 Elm Street. Also, refund that 10.00 I just got from my friend.")
        moved = step("update_user", {"street": "4 Elm Street"}, "ok"), step("send_money", {"amount": amount}, "Sent.")
        return rules(asked, *moved, step("get_balance", {}, "5"), model("All done."))

    assert "lost-obligation: asked" in refunds(12.0)
    assert "lost-obligation: asked" not in refunds(10.0) and "lost-obligation: asked" not in refunds(10)
