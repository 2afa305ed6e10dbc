"""Work without progress: words only, plans again, errors and remedies in a row; and the work that looks like it."""

import pytest

from .story import Event, model, rules, step, user

WRONG = ("2024-13-01", "13/01/2024", "Jan 13th")


@pytest.mark.parametrize(
    "error",
    ["Error: the date is not valid", '{"error": "Bad request: date not valid"}', "Request failed with status code 422"],
)
def test_the_same_error_after_other_parameters_is_a_stall_from_the_third_on(error: str) -> None:
    tries = [step("find_flights", {"date": date}, error) for date in WRONG]
    assert rules(user("Find flights."), *tries) == ["stall: same-error"]
    assert rules(user("Find flights."), *tries[:2]) == []
    assert rules(user("Find flights."), tries[0], user("And on the 14th?"), *tries[1:]) == []


def test_errors_of_one_message_or_of_other_kinds_are_no_stall() -> None:
    asks = [("read", {"path": name}) for name in "abc"]
    at_once: list[Event] = [model("", *asks), *[step("x", {}, "File does not exist.", True)[1] for _ in asks]]
    assert rules(user("Go."), at_once) == []
    others = ["Error: the date is not valid", "Error: seats are sold out", "Error: airport code unknown"]
    assert rules(user("Go."), *[step("find", {"n": n}, error) for n, error in enumerate(others)]) == []
    bare = [step("bash", {"command": f"grep {word} a"}, "Command exited with code 1", True) for word in "xyz"]
    assert rules(user("Go."), *bare) == []


THOUGHTS = [
    "I wonder what the cause may be.",
    "It could be the cache, or the parser.",
    "Then again, it may be the network.",
]


def test_rounds_that_bring_only_words_are_a_stall() -> None:
    assert rules(user("Fix it."), *map(model, THOUGHTS)) == ["stall: only-words"]
    assert rules(user("Fix it."), *map(model, THOUGHTS[:2]), step("read", {"path": "a"}, "x"), model("Done.")) == []
    assert (
        rules(user("Hi."), model(THOUGHTS[0]), user("And?"), model(THOUGHTS[1]), user("So?"), model(THOUGHTS[2])) == []
    )


@pytest.mark.parametrize("name", ["TodoWrite", "update_plan", "todo"])
def test_a_plan_that_is_only_written_again_is_a_stall(name: str) -> None:
    words = ("Find the bug", "Locate the bug", "Look for the bug")
    plans = [step(name, {"todos": [{"content": each, "status": "pending"}]}, "ok") for each in words]
    assert rules(user("Go."), *plans) == ["stall: plan-again"]
    worked = [each for plan, n in zip(plans, "abc", strict=True) for each in (plan, step("read", {"path": n}, n))]
    assert rules(user("Go."), *worked) == []
    done = [step(name, {"todos": n * [{"content": "x", "status": "completed"}]}, "ok") for n in (1, 2, 3)]
    assert rules(user("Go."), *done) == []


def test_the_same_intent_in_nearly_the_same_words_is_a_stall() -> None:
    said = [
        "First I'll read the config loader, then patch the parser, and finally run the tests.",
        "So I'll first read the config loader, then I will patch the parser and finally run the tests.",
        "My plan: first read the config loader, next patch the parser, finally run the tests again.",
    ]
    reads = [step("read", {"path": name}, name) for name in "abc"]
    story = [each for text, read in zip(said, reads, strict=True) for each in ([model(text)], read)]
    assert rules(user("Fix it."), *story) == ["stall: intent-again"]
    edit = step("edit", {"path": "a"}, "ok")
    assert rules(user("Fix it."), *story[:4], edit, *story[4:]) == []


def test_a_person_who_says_go_on_twice_and_hears_the_plan_again_is_a_stall() -> None:
    talk = [user("Yes, go ahead."), model("I will start with the parser."), user("Please proceed.")]
    plan = model("I'm going to look at the lexer before that.")
    assert rules(user("Fix it."), model("I would patch it."), *talk, plan, user("?")) == ["stall: told-to-go-on"]
    edit = step("edit", {"path": "a"}, "ok")
    assert rules(user("Fix it."), model("I would patch it."), *talk, *edit, model("Done."), user("Thanks")) == []


@pytest.mark.parametrize(
    ("tool", "lack"),
    [("pip install", "ModuleNotFoundError: No module named"), ("npm install", "Error: Cannot find module"),
     ("apt-get install -y", "fatal error: missing.h")],
)  # fmt: skip
def test_packages_installed_one_after_another_are_a_stall(tool: str, lack: str) -> None:
    tries = [
        each
        for name in ("alpha", "beta", "gamma")
        for each in (
            step("bash", {"command": "make run"}, f"{lack} '{name}'", True),
            step("bash", {"command": f"{tool} {name}"}, "installed"),
        )
    ]
    assert rules(user("Run it."), *tries) == ["stall: one-by-one"]
    assert rules(user("Run it."), *tries[:4]) == []
    at_once = step("bash", {"command": f"{tool} alpha beta gamma"}, "installed")
    assert rules(user("Run it."), tries[0], at_once) == []


def test_the_same_failure_after_every_change_is_a_stall() -> None:
    run = "FAILED tests/test_a.py::test_sum - AssertionError\n1 failed, {} passed"
    tries = [
        each
        for n in range(4)
        for each in (
            step("edit", {"path": "a.py", "new_string": str(n)}, "ok"),
            step("bash", {"command": f"pytest -q -k {n}"}, run.format(n)),
        )
    ]
    assert "stall: same-failure" in rules(user("Fix it."), *tries)
    assert "stall: same-failure" not in rules(user("Fix it."), *tries[:6])
    moving = [step("bash", {"command": "pytest"}, f"FAILED tests/test_a.py::test_{n} - AssertionError") for n in "abcd"]
    assert "stall: same-failure" not in rules(user("Fix it."), *moving)


def test_nearly_equal_answers_to_a_person_are_a_stall() -> None:
    answer = "I am sorry, the booking cannot be changed because the basic fare does not allow any changes to it."
    asks = [
        user("Change it."),
        model(answer),
        user("But why?"),
        model(answer + " Sorry."),
        user("Really?"),
        model(answer),
    ]
    assert "stall: answer-again" in rules(*asks, user("Hm."))
    looked = step("get_fare", {"id": 1}, "basic")
    assert "stall: answer-again" not in rules(*asks[:5], looked, asks[5], user("Hm."))
