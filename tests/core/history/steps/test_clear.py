"""Old results are cleared in batches, never what is needed, and always so that they can be read again."""

from itertools import pairwise

import pytest

from callsheet.model.history_policy import Clear, Trigger
from callsheet.model.message import ResultBlock, TextBlock, ToolChangeBlock

from ..chat import Chat, changed, reads
from ..said import count

AT_HALF = Trigger("threshold", 0.5, 0.2)


def test_nothing_is_cleared_below_the_trigger() -> None:
    chat = Chat(Clear(AT_HALF), window=2_000)
    chat.person("look")
    reads(chat, 9)
    chat.answered()
    chat.round()
    assert chat.cleared == [] and chat.edits == ()


def test_the_oldest_results_go_first_until_the_request_is_down_to_where_it_should_be() -> None:
    chat = Chat(Clear(AT_HALF, pays=False), window=1_000)
    chat.person("look")
    numbers = reads(chat, 6)
    chat.answered()
    view = chat.round()
    assert chat.cleared == numbers[:3]
    assert view.tokens == sum(each.tokens for each in view.shown) < 0.5 * 1_000
    (edit,) = [each for each in chat.edits if not each.refused]
    assert edit.numbers == tuple(numbers[:3]) and edit.freed > 200


def test_a_placeholder_says_what_was_there_and_how_to_read_it_again() -> None:
    chat = Chat(Clear(Trigger("always"), keep=1, pays=False), recall="")
    chat.person("look")
    numbers = reads(chat, 2)
    chat.answered()
    chat.round()
    path = f"/p/{numbers[0] - 1}.py"
    assert chat.text(numbers[0]) == (
        f"[cleared: read path={path}; 100 tokens, message {numbers[0]}. "
        "To read it again, call read with the same arguments]"
    )
    assert chat.text(numbers[1]) == "w1 " * 100


@pytest.mark.parametrize(
    ("tools", "recall", "cleared"),
    [(("read", "bash"), "", ["read"]), (("bash",), "", []), (("bash", "recall"), "recall", ["read", "bash"])],
)
def test_a_result_is_cleared_only_where_this_request_can_resolve_it(
    tools: tuple[str, ...], recall: str, cleared: list[str]
) -> None:
    """Report 18: a marker without its tool; and a command that changes something is no way to read a thing again."""
    chat = Chat(Clear(Trigger("always"), keep=0, pays=False), tools=frozenset(tools), recall=recall)
    chat.person("look")
    places = {
        "read": chat.called(("read", {"path": "/p/a.py"}, "x " * 100)),
        "bash": chat.called(("bash", {"command": "make deploy"}, "y " * 100)),
    }
    chat.answered()
    chat.round()
    assert chat.cleared == sorted(places[each] for each in cleared)
    for each in cleared:
        assert f"call {recall or each}" in chat.text(places[each])


def test_less_than_clear_at_least_is_not_cleared_at_all() -> None:
    """M2: at least is a precondition, and no upper stop; even where the request does not fit."""
    for window in (1_000, 500):
        chat = Chat(Clear(AT_HALF, clear_at_least=1_000_000, pays=False), window=window)
        chat.person("look")
        reads(chat, 7)
        chat.answered()
        chat.round()
        assert chat.cleared == [] and chat.refusals == ["below-clear-at-least"]
        assert "1,000,000" in chat.edits[-1].why


@pytest.mark.parametrize("step", [Clear(AT_HALF), Clear(AT_HALF, pays=False), Clear(Trigger("always"), keep=4)])
def test_the_first_changed_message_does_not_creep_from_hop_to_hop(step: Clear) -> None:
    """M3 and report 2: between two breaks of the prefix lie many hops, and what was cleared stays byte for byte."""
    chat = Chat(step, window=12_000)
    chat.person("look")
    reads(chat, 200, rounds=True)
    breaks = [at for at in range(1, 200) if changed(chat.sent[at - 1], chat.sent[at]) is not None]
    assert breaks and min(second - first for first, second in pairwise(breaks)) >= 8
    assert len([each for each in chat.edits if not each.refused]) == len(breaks)


def test_where_little_may_go_the_prefix_is_not_broken_for_it_hop_after_hop() -> None:
    """M3: above the trigger for good, because of what a person pasted, and each hop adds a small result."""
    chat = Chat(Clear(AT_HALF, keep=0, pays=False), window=10_000)
    chat.person("pasted " * 5_500)
    reads(chat, 30, words=60, rounds=True)
    done = [each for each in chat.edits if not each.refused]
    assert len(done) <= 1 and "frees-too-little" in chat.refusals and len(chat.refusals) <= 4


def test_results_that_the_model_has_not_seen_are_never_cleared() -> None:
    """M5: five parallel results of this turn, and keep is three."""
    for window in (10_000, 400):
        chat = Chat(Clear(Trigger("always"), keep=3, pays=False), window=window)
        chat.person("look")
        calls = [("read", {"path": f"/p/{each}.py"}, f"v{each} " * 100) for each in range(5)]
        number = chat.called(*calls)
        chat.round()
        assert chat.cleared == []
        assert [chat.text(number, at) for at in range(5)] == [each[2] for each in calls]


def test_results_between_the_pieces_of_one_response_have_not_been_seen() -> None:
    chat = Chat(Clear(Trigger("always"), keep=0, pays=False))
    chat.person("look")
    seen = chat.called(("read", {"path": "/p/0.py"}, "v0 " * 100))
    for each in (1, 2):
        chat.called(("read", {"path": f"/p/{each}.py"}, f"v{each} " * 100), response="one")
    chat.round()
    assert chat.cleared == [seen]


def test_the_largest_result_goes_first_where_the_request_does_not_fit() -> None:
    """Report 10 and M9: one huge result in the middle goes, and everything a person said stays."""
    chat = Chat(Clear(Trigger("threshold", 0.9, 0.8)), window=2_000)
    rule = chat.person("never touch 4417")
    reads(chat, 3)
    huge = chat.called(("bash", {"command": "dump"}, "huge " * 5_000))
    reads(chat, 4)
    chat.answered()
    view = chat.round()
    assert chat.cleared == [huge] and view.tokens < 2_000
    assert view.messages[rule].text == "never touch 4417" and chat.refusals == []


def test_a_huge_result_among_the_newest_goes_too_where_nothing_else_makes_room() -> None:
    chat = Chat(Clear(Trigger("threshold", 0.9, 0.8), keep=3), window=2_000)
    chat.person("look")
    reads(chat, 2)
    huge = chat.called(("bash", {"command": "dump"}, "huge " * 5_000))
    chat.answered()
    assert chat.round().tokens < 2_000 and chat.cleared == [huge]


def test_each_pass_reduces_or_stops_with_a_named_cause() -> None:
    """Report 12: where nothing is left to clear, the edit says so once, and the next rounds are silent."""
    chat = Chat(Clear(AT_HALF), window=300)
    chat.person("words " * 400)
    for _ in range(5):
        chat.called(("read", {"path": "/p/a.py"}, "short"))
        chat.round()
    (edit,) = chat.edits
    assert edit.refused == "does-not-fit" and edit.numbers == ()
    assert "more than fit" in edit.why


def test_a_request_that_does_not_fit_is_not_rewritten_for_less_than_half_of_what_is_too_much() -> None:
    chat = Chat(Clear(AT_HALF), window=300)
    chat.person("words " * 400)
    chat.called(("read", {"path": "/p/a.py"}, "short " * 60))
    chat.answered()
    view = chat.round()
    (edit,) = chat.edits
    assert edit.refused == "does-not-fit" and edit.numbers == () and chat.cleared == []
    assert 0 < edit.freed < (view.tokens - 300) / 2 and f"only {edit.freed} of them can be freed" in edit.why
    number = chat.called(("read", {"path": "/p/b.py"}, "long " * 400))
    chat.answered()
    chat.round()
    assert number in chat.cleared and chat.refusals == ["does-not-fit", "does-not-fit"]


def test_a_missing_output_limit_brings_no_storm_of_clearings() -> None:
    """Report 13: the reserve is a share of the window, and a clearing makes room for many rounds."""
    chat = Chat(Clear(), window=10_000, reserve=0.2, max_output=None)
    chat.person("look")
    reads(chat, 300, rounds=True)
    assert chat.terms.usable == 8_000
    done = [each for each in chat.edits if not each.refused]
    assert 1 <= len(done) <= 300 * 100 / ((0.75 - 0.45) * 8_000 * 0.5)


def test_the_size_is_that_of_the_input_and_not_of_what_was_put_out() -> None:
    """Report 14: a limit of the reply takes room, tokens of earlier replies' thinking that is not sent do not."""
    chat = Chat(Clear(AT_HALF, pays=False), window=2_000, binds_thinking=True)
    chat.person("look")
    for _ in range(12):
        chat.called(("read", {"path": f"/p/{len(chat.conversation.history)}"}, "x " * 40), thinking="think " * 60)
    chat.answered()
    first = chat.round()
    assert first.tokens < 1_000 and len(chat.edits) == 1
    chat.called(("read", {"path": "/p/z"}, "x " * 40))
    assert chat.round().tokens < 1_000 and len(chat.edits) == 1


def test_the_digest_of_what_was_evicted_stays_with_its_call() -> None:
    """Report 17: after an eviction the agent still sees which files it read, how large they were, and which call."""
    chat = Chat(Clear(Trigger("always"), keep=0, pays=False))
    chat.person("look")
    numbers = reads(chat, 6)
    chat.answered()
    view = chat.round()
    assert len(chat.cleared) == 6
    for number in numbers:
        assert view.messages[number - 1].calls[0].arguments == {"path": f"/p/{number - 1}.py"}
        assert f"read path=/p/{number - 1}.py; 100 tokens, message {number}" in chat.text(number)


def test_a_result_is_sent_as_it_was_or_not_at_all() -> None:
    """Report 18: never paraphrased; what a mask leaves in front is the very beginning of it."""
    chat = Chat(Clear(Trigger("always"), keep=1, pays=False, head=12))
    chat.person("look")
    first = chat.called(("bash", {"command": "grep -rn x ."}, "a.py:1: x = 1\nb.py:2: y = 2\n" * 30))
    last = chat.called(("bash", {"command": "grep -rn y ."}, "c.py:1: y = 1\n" * 30))
    chat.answered()
    chat.round()
    assert chat.text(first).startswith("a.py:1: x = …\n[cleared: bash command=grep -rn x .; ")
    assert chat.text(last) == "c.py:1: y = 1\n" * 30


FAILING = "FAILED tests/test_a.py::test_x\n" + "E   assert 1 == 2\n" * 60 + "===== 1 failed, 2 passed in 0.1s =====\n"
PASSING = "tests/test_a.py ...\n" * 60 + "===== 3 passed in 0.1s =====\n"


@pytest.mark.parametrize(
    ("later", "goes"),
    [
        ((), False),
        ((("bash", {"command": "pytest -q"}, PASSING),), True),
        ((("bash", {"command": "pytest -q"}, FAILING),), True),
        ((("bash", {"command": "ruff check"}, "fine " * 90),), False),
    ],
)
def test_the_only_evidence_of_a_failure_stays_until_the_same_command_says_otherwise(
    later: tuple[tuple[str, dict[str, str], str], ...], goes: bool
) -> None:
    chat = Chat(Clear(Trigger("always"), keep=0, pays=False))
    chat.person("run")
    failure = chat.called(("bash", {"command": "pytest -q"}, FAILING))
    for each in later:
        chat.called(each)
    chat.answered()
    chat.round()
    assert (failure in chat.cleared) is goes
    if later and later[0][2] == FAILING:
        assert chat.cleared == [failure], "the newer failure is the evidence now"


def test_an_error_stays_and_so_does_a_result_with_tools_in_it() -> None:
    """F5: a tool definition is whole or absent."""
    chat = Chat(Clear(Trigger("always"), keep=0, pays=False))
    chat.person("run")
    chat.called(("read", {"path": "/p/none.py"}, "no such file " * 50, True))
    at = chat.called(("find_tools", {"query": "refund"}, "x"))
    found = chat.conversation.history.entries[at]
    tools = ResultBlock(
        call_id=found.message.blocks[0].call_id,  # type: ignore[attr-defined]
        blocks=(TextBlock(text="found " * 100), ToolChangeBlock(type="tool_reference", names=("refund",))),
    )
    object.__setattr__(found, "message", type(found.message)("user", (tools,)))
    object.__setattr__(found, "tokens", (100,))
    old = reads(chat, 1)
    chat.answered()
    chat.round()
    assert chat.cleared == old


def test_excluded_tools_and_pinned_messages_stay() -> None:
    chat = Chat(Clear(Trigger("always"), keep=0, pays=False, exclude_tools=("bash",)))
    chat.person("run")
    chat.called(("bash", {"command": "ls"}, "x " * 100))
    pinned = chat.called(("read", {"path": "/p/rules.md"}, "rule " * 100))
    object.__setattr__(chat.conversation.history.entries[pinned], "pinned", True)
    old = reads(chat, 1)
    chat.answered()
    chat.round()
    assert chat.cleared == old


def test_arguments_go_only_where_the_original_can_be_read_by_its_number() -> None:
    long = {"path": "/p/a.py", "content": "line " * 200}
    for recall in ("recall", ""):
        chat = Chat(Clear(Trigger("always"), keep=0, pays=False, clear_inputs=True), recall=recall)
        chat.person("write")
        chat.called(("write", long, "done " * 100))
        first = chat.called(("read", {"path": "/p/b.py", "why": "w " * 50}, "x " * 100))
        chat.answered()
        view = chat.round()
        calls = [each.arguments for message in view.messages for each in message.calls]
        assert calls == ([{}, {}] if recall else [long, {"path": "/p/b.py", "why": "w " * 50}])
        assert ("call recall for message" if recall else "with the same arguments") in chat.text(first)
        laid = [view.shown[at] for at in (1, 3)]
        assert not recall or [each.tokens for each in laid] == [1, 1]
        assert view.tokens == sum(each.tokens for each in view.shown)


def test_a_clearing_that_does_not_pay_is_refused_with_its_numbers() -> None:
    chat = Chat(Clear(AT_HALF, pays=True), window=3_000, remaining=2)
    chat.person("look")
    reads(chat, 20)
    chat.answered()
    chat.round()
    (edit,) = chat.edits
    assert edit.refused == "does-not-pay" and chat.cleared == []
    assert f"{edit.freed:,} tokens" in edit.why and f"{edit.rewritten:,} written anew" in edit.why
    assert "usual ratios" in edit.why and edit.rounds > 2
    chat.round(remaining=200)
    assert chat.cleared != []


def test_what_does_not_fit_is_cleared_whether_or_not_it_pays() -> None:
    chat = Chat(Clear(AT_HALF, pays=True), window=1_500, remaining=1)
    chat.person("look")
    reads(chat, 20)
    chat.answered()
    assert chat.round().tokens < 1_500 and chat.cleared


def test_the_least_relevant_result_goes_first_by_importance() -> None:
    chat = Chat(Clear(Trigger("importance", 0.5, 0.4), keep=0, pays=False), window=1_000)
    chat.person("why does the login of the session store fail with redis")
    login = chat.called(("read", {"path": "/p/store.py"}, "redis session store login fail " * 40))
    other = chat.called(("read", {"path": "/p/colour.css"}, "margin padding colour border grid " * 40))
    later = chat.called(("read", {"path": "/p/font.css"}, "serif bold italic underline weight " * 40))
    chat.answered()
    chat.round()
    assert other in chat.cleared and login not in chat.cleared
    assert later in chat.cleared or chat.sent[-1].tokens <= 500


def test_a_new_task_lets_the_results_of_the_one_before_go() -> None:
    chat = Chat(Clear(Trigger("task-boundary"), keep=0, pays=False))
    chat.person("fix the failing login of the redis session store")
    old = reads(chat, 3)
    chat.answered("The redis session store is mended.")
    chat.person("yes, go on with the session store login please")
    chat.answered()
    chat.round()
    assert chat.cleared == []
    chat.person("now write release notes for version nine of our billing brochure")
    chat.answered()
    chat.round()
    assert chat.cleared == old
    reads(chat, 3, rounds=True)
    assert chat.cleared == old


def test_what_was_cleared_counts_for_its_placeholder() -> None:
    chat = Chat(Clear(Trigger("always"), keep=0, pays=False))
    chat.person("look")
    number = reads(chat, 1)[0]
    chat.answered()
    view = chat.round()
    assert view.shown[number].tokens == count(chat.text(number))
    assert view.shown[number].manner == "cleared"
