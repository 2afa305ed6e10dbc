"""What stands in the window and is not seen any more, and the history that drowns the task; with the near misses."""

import pytest

from .story import Event, compacted, model, offered, rules, step, user

LISTED = "Please do this:\n1. Rename load to fetch in io.py\n2. Add a docstring to the parser\n3. Bump the version\n"
INLINE = "Rename load to fetch in io.py, add a docstring to the parser, and bump the version."
NUMBERED = "Please: (1) rename load to fetch in io.py (2) add a docstring to the parser (3) bump the version"
RENAME = step("edit", {"path": "io.py", "new_string": "rename: def fetch"}, "ok")
BUMP = step("edit", {"path": "setup.cfg", "new_string": "version = 2; bump"}, "ok")
DOCUMENT = step("edit", {"path": "parser.py", "new_string": "docstring of the parser"}, "ok")


@pytest.mark.parametrize("asked", [LISTED, INLINE, NUMBERED])
def test_one_thing_of_a_list_that_is_never_taken_up_is_a_position_loss(asked: str) -> None:
    said = model("Renamed load to fetch and bumped the version.")
    assert rules(user(asked), RENAME, BUMP, said) == ["position-loss: item-dropped"]
    assert rules(user(asked), RENAME, DOCUMENT, BUMP, said) == []
    asking = model("Renamed and bumped. Shall I go on with the rest?")
    assert rules(user(asked), RENAME, BUMP, asking) == []


@pytest.mark.parametrize(
    "asked",
    ["What is the weather in Paris and Rome?", "Get the weather for Paris and for Rome.", "Check Paris and Rome."],
)
def test_a_second_place_that_is_forgotten_is_a_position_loss(asked: str) -> None:
    one, other = (step("get_weather", {"city": city}, "18 C") for city in ("Paris", "Rome"))
    assert rules(user(asked), one, model("It is 18 C in Paris.")) == ["position-loss: item-dropped"]
    assert rules(user(asked), one, other, model("It is 18 C in Paris.")) == ["position-loss: item-dropped"]
    assert rules(user(asked), one, other, model("It is 18 C in Paris and in Rome.")) == []


def test_limits_in_a_list_are_not_things_to_take_up() -> None:
    todo = ("Rename load to fetch in io.py", "Keep the public names", "Bump the version", "Add a changelog line")
    asked = "Please fix it:\n- " + "\n- ".join(todo)
    log = step("edit", {"path": "CHANGELOG.md", "new_string": "changelog line added"}, "ok")
    assert rules(user(asked), RENAME, BUMP, log, model("Renamed, bumped, changelog line added.")) == []


READ = step("read", {"path": "a.py"}, "1\tdef load_table(path, strict=False):\n2\t    return path")
OTHER = step("read", {"path": "b.py"}, "rows = 1")


@pytest.mark.parametrize(
    "code", ["t = load_table(p, mode='r')", "t = load_table(p, True, 3)", "x = f(load_table(p, encoding='u8'))"]
)
def test_a_call_against_a_definition_that_was_read_is_a_position_loss(code: str) -> None:
    write = step("edit", {"path": "b.py", "new_string": code}, "ok")
    assert rules(user("Go."), READ, OTHER, write) == ["position-loss: signature-forgotten"]
    assert rules(user("Go."), OTHER, write) == []


@pytest.mark.parametrize(
    "code",
    ["t = load_table(p, strict=True)", "t = other.load_table(p, mode='r')", "t = load_table(*given)", "load_table(p)"],
)
def test_a_call_as_it_is_defined_or_of_another_object_is_no_loss(code: str) -> None:
    assert rules(user("Go."), READ, OTHER, step("edit", {"path": "b.py", "new_string": code}, "ok")) == []


def test_a_function_written_with_other_parameters_than_asked_for_is_a_position_loss() -> None:
    asked = user("Write `def load_table(path, strict)` in a.py.")
    wrong = step("write", {"path": "a.py", "content": "def load_table(name):\n    ..."}, "ok")
    right = step("write", {"path": "a.py", "content": "def load_table(path, strict, more=None):\n    ..."}, "ok")
    assert rules(asked, wrong) == ["position-loss: signature-forgotten"]
    assert rules(asked, right) == []


@pytest.mark.parametrize(
    "given",
    [
        "Run the tests with `make check-all`.",
        "The test command is `make check-all`.",
        "Use `make check-all` to run tests.",
    ],
)
def test_a_command_that_was_given_and_is_asked_for_is_a_position_loss(given: str) -> None:
    asks = model("How do I run the tests here?")
    assert rules(user("Fix it. " + given), OTHER, asks) == ["position-loss: asked-again"]
    assert rules(user("Fix it."), OTHER, asks) == []
    assert rules(user("Fix it. " + given), OTHER, model("How should the tests for the parser look?")) == []


def test_other_commands_that_fail_where_one_was_given_are_a_position_loss() -> None:
    told = user("Fix it. The tests are run by `uv run pytest -q`.")
    guesses = [
        step("bash", {"command": "npm test"}, "npm ERR! Missing script: test", True),
        step("bash", {"command": "tox"}, "tox: command not found", True),
    ]
    assert rules(told, *guesses) == ["position-loss: command-forgotten"]
    assert rules(told, step("bash", {"command": "uv run pytest -q -k one"}, "1 passed")) == []


PLAN = "Plan: change src/cache.py to expire entries. Do not touch `src/api.py`."
APPROVED = step("ExitPlanMode", {"plan": PLAN}, "User has approved your plan. You can now start coding.")
TALKED: list[Event] = [model(PLAN), user("Looks good, go ahead.")]


@pytest.mark.parametrize("plan", [APPROVED, TALKED])
def test_an_approved_plan_that_is_not_followed_is_a_position_loss(plan: list[Event]) -> None:
    inside = step("edit", {"path": "src/cache.py"}, "ok")
    broken = step("edit", {"path": "src/api.py"}, "ok")
    outside = [step("edit", {"path": f"src/{name}.py"}, "ok") for name in ("db", "web")]
    assert rules(user("Plan it."), plan, inside, broken) == ["position-loss: plan-broken"]
    assert rules(user("Plan it."), plan, *outside) == ["position-loss: plan-ignored"]
    asks = model("Shall I start with the implementation?")
    assert rules(user("Plan it."), plan, OTHER, asks) == ["position-loss: leave-asked-again"]
    assert rules(user("Plan it."), plan, inside, *outside, model("Done.")) == []


@pytest.mark.parametrize(
    ("said", "does"),
    [
        ("Don't touch anything in the migrations folder.", {"path": "app/migrations/01.py"}),
        ("Please leave `setup.cfg` as it is.", {"path": "setup.cfg"}),
        ("`setup.cfg` must not be changed.", {"path": "setup.cfg"}),
        ("Only edit `src/a.py`.", {"path": "src/b.py"}),
        ("Do not modify the tests.", {"path": "tests/test_a.py"}),
        ("No new dependencies, please.", {"command": "pip install left-pad"}),
    ],
)
def test_an_instruction_on_what_to_leave_alone_is_checked_on_calls(said: str, does: dict[str, str]) -> None:
    call = step("bash" if "command" in does else "edit", does, "ok")
    broken = ["position-loss: instruction-broken"]
    assert rules(user("Fix it. " + said), OTHER, call) == broken
    assert rules(offered(system=said), user("Fix it."), OTHER, call) == broken
    assert rules(user("Fix it."), OTHER, compacted("The user said: " + said), call) == broken
    assert rules(user("Fix it. " + said), OTHER, step("edit", {"path": "src/a.py"}, "ok")) == []


@pytest.mark.parametrize(
    "denied",
    ["You haven't told me where your second office is.", "I don't know the location of your second office.",
     "The second office was never mentioned, your second office I mean."],
)  # fmt: skip
def test_what_was_given_and_is_denied_is_a_position_loss(denied: str) -> None:
    told = user("The location of our second office is Lyon.")
    if "never mentioned" in denied:
        denied = "There is no information about your second office."
    assert rules(told, model("Noted."), user("How is the weather there?"), model(denied)) == [
        "position-loss: given-denied"
    ]
    assert rules(user("Our office is nice."), model("Noted."), user("The weather?"), model(denied)) == []


def test_the_other_option_than_the_chosen_one_is_a_position_loss() -> None:
    chosen = user("Please go with option B.")
    assert rules(chosen, OTHER, model("I am implementing option A as agreed.")) == ["position-loss: choice-reversed"]
    assert rules(chosen, OTHER, model("I am implementing option B; option A was slower.")) == []
    assert rules(chosen, OTHER, user("No, use option A."), model("Going with option A.")) == []


BULK = " ".join(f"report_{n}.csv" for n in range(2_000))
PARTS = [" ".join(f"part_{name}_{n}.csv" for n in range(700)) for name in "abc"]


@pytest.mark.parametrize(
    "bulk",
    [
        step("search", {"q": "reports"}, BULK),
        [user("Here is the log:\n" + BULK)],
        [each for part, name in zip(PARTS, "abc", strict=True) for each in step("Task", {"prompt": name}, part)],
    ],
)
def test_a_bulk_that_nothing_uses_is_a_distraction_however_it_came(bulk: list[Event]) -> None:
    after = [step("read", {"path": f"src/{n}.py"}, f"x{n}") for n in range(9)]
    assert rules(user("Fix it."), bulk, *after) == ["distraction: unused-bulk"]
    assert rules(user("Fix it."), bulk, *after[:3]) == []
    names = "report_7.csv part_a_7.csv part_b_7.csv part_c_7.csv"
    assert rules(user("Fix it."), bulk, step("read", {"path": names}, "1"), *after) == []


def test_a_turn_that_goes_to_the_request_before_is_a_distraction() -> None:
    first: list[Event] = [user("Fix the bug in core/parser.py."), *step("edit", {"path": "core/parser.py"}, "ok")]
    new = user("Now write a test for utils/dates.py.")
    on = [step("edit", {"path": "core/parser.py", "new_string": n}, "ok") for n in "ab"]
    assert rules(first, model("Fixed."), new, *on, model("Better.")) == ["distraction: old-task"]
    right = step("read", {"path": "utils/dates.py"}, "x")
    assert rules(first, model("Fixed."), new, *on, right, model("Better.")) == []


def test_an_old_answer_to_a_new_question_is_a_distraction() -> None:
    answer = (
        "The retry limit of the uploader is five attempts, with a pause of two seconds between each pair of attempts."
    )
    talk = [user("What is the retry limit of the uploader?"), model(answer)]
    assert rules(*talk, user("Who maintains the billing module?"), model(answer)) == ["distraction: old-answer"]
    assert rules(*talk, user("And the retry limit again?"), model(answer)) == []


LONG = "The cache is filled when the service starts. " * 9


@pytest.mark.parametrize(
    ("rule", "bad", "good"),
    [
        ("Always answer in German.", LONG, "Der Cache wird beim Start gefüllt und ist nicht mit dem Dienst geteilt."),
        ("Never use emojis in your answers.", "Done ✅", "Done."),
        ("All replies must be at most 20 words.", LONG, "The cache is filled at the start."),
        ("From now on, give temperatures in Celsius.", "It is 64 °F today.", "It is 18 °C (64 °F) today."),
        (
            "Please keep every answer free of lists: no bullet points.",
            "It has:\n- a cache\n- a queue\n",
            "A cache, a queue.",
        ),
    ],
)
def test_an_answer_against_a_standing_rule_on_its_form_is_a_position_loss(rule: str, bad: str, good: str) -> None:
    for told in (user(rule + " How does it work?"), offered(system=rule)):
        assert rules(told, model(good), user("And then?"), model(bad)) == ["position-loss: form-forgotten"]
        assert rules(told, model(good), user("And then?"), model(good)) == []
    once = rule.replace("Always a", "A").replace("Never use", "No").replace("All replies", "The reply")
    once = once.replace("From now on, give", "Give").replace("Please keep every", "Keep the")
    assert rules(user(once), model(good), user("And then?"), model(bad)) == []
