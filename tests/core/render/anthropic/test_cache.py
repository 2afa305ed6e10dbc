"""Cache marks by rule: few, legal, still while a conversation grows, and near enough to be found."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callsheet.core.render.anthropic import ANTHROPIC
from callsheet.core.render.anthropic.cache import LOOKBACK, mark, unmarked
from callsheet.core.render.anthropic.marks import marks
from callsheet.model.message import Block, ToolDefinition
from callsheet.model.policy import ModelTraits
from callsheet.model.prompt import Prompt

from .made import MARK, TRAITS, call, prompt, result, said, searched, text, thought, told, tool, user

KINDS = ("calls", "words", "search", "cleared")
ROUND = st.tuples(st.sampled_from(KINDS), st.integers(1, 9))
SETTINGS: list[dict[str, Any]] = [{}, {"system": "s"}, {"system": "s", "tools": [tool()]}, {"tools": [tool()]}]


def round_of(kind: str, size: int) -> list[dict[str, Any]]:
    """What is appended to a conversation at once."""
    names = [str(at) for at in range(size)]
    return {
        "calls": [said(thought("t"), *map(call, names)), user(*map(result, names))],
        "words": [said(*names), user("go on")],
        "search": [said(thought("t"), *searched("srvtoolu_1"), "so"), user("and?")],
        "cleared": [said("well"), user("and?"), told("be brief", clear_at="next_user_message")],
    }[kind]


def growing(rounds: list[tuple[str, int]], more: dict[str, Any]) -> list[Prompt]:
    """A conversation as it is sent, request by request, each one longer than the one before."""
    messages = [user("q")]
    sent = [prompt(*messages, **more)]
    for each in rounds:
        messages = [*messages, *round_of(*each)]
        sent.append(prompt(*messages, **more))
    return sent


def paths(marked: Prompt) -> list[str]:
    return [each.path for each in marks(marked)]


def positions(asked: Prompt) -> dict[str, int]:
    """The provider's count of each block of the conversation: runs of calls and of results are one."""
    counted, last, at = {}, "", 0
    for message, each in enumerate(ANTHROPIC.encode(asked)["messages"]):
        last = ""
        for place, block in enumerate(each["content"]):
            kind = block["type"]
            at += not (kind == last and kind in ("tool_use", "tool_result"))
            counted[f"messages.{message}.content.{place}"], last = at, kind
    return counted


@settings(max_examples=100)
@given(st.lists(ROUND, max_size=14), st.sampled_from(SETTINGS))
def test_marks_are_few_legal_still_and_near_enough_to_be_found(
    rounds: list[tuple[str, int]], more: dict[str, Any]
) -> None:
    written: list[str] = []
    for number, asked in enumerate(growing(rounds, more)):
        marked = mark(asked, TRAITS)
        assert 1 <= len(paths(marked)) <= 4
        assert ANTHROPIC.illegal(marked, TRAITS) is None
        assert unmarked(marked).messages[0].blocks == asked.messages[0].blocks
        assert mark(marked, TRAITS) == marked
        if number:
            gone = set(written[:-1]) - set(paths(marked))
            new = set(paths(marked)[:-1]) - set(written[:-1])
            assert len(gone) <= len(new), "a mark that is left must make room for a later one"
            where = positions(asked)
            last, here = where[written[-1]], [where[path] for path in paths(marked) if path in where]
            if max(here) - last < LOOKBACK * 2:
                assert any(0 <= each - last < LOOKBACK for each in here), "what the last request wrote is not found"
        written = paths(marked)


def test_the_stable_prefix_and_the_tail_are_marked() -> None:
    asked = prompt(user("a"), said("b"), user("c", "d"), system=[text("s"), text("t")], tools=[tool()])
    assert paths(mark(asked, TRAITS)) == ["system.1", "messages.2.content.1"]
    assert {each.ttl for each in marks(mark(asked, TRAITS, "1h"))} == {"1h"}


def test_without_system_text_the_last_tool_in_the_prompt_is_marked() -> None:
    asked = prompt(user("a"), tools=[tool(), tool("b"), tool("c", defer_loading=True)])
    assert paths(mark(asked, TRAITS)) == ["tools.1", "messages.0.content.0"]


def test_marks_the_request_had_are_taken_away() -> None:
    asked = prompt(user(text("a", cache_control=MARK), "b"), said(call("1")),
                   user(result("1", [text("x", cache_control=MARK)])), cache_control=MARK)  # fmt: skip
    assert paths(mark(asked, TRAITS)) == ["messages.2.content.0"]


@pytest.mark.parametrize(
    ("last", "marked"),
    [
        (said("a", thought("t")), "messages.1.content.0"),
        (user("a", ""), "messages.1.content.0"),
        (told("now", clear_at="next_user_message"), "messages.0.content.0"),
        (said({"type": "compaction", "content": "x", "signature": "s"}), "messages.0.content.0"),
        (user({"type": "hologram"}), "messages.0.content.0"),
    ],
)
def test_what_cannot_carry_a_mark_is_passed_over(last: dict[str, Any], marked: str) -> None:
    assert paths(mark(prompt(user("q"), last), TRAITS)) == [marked]


def test_long_conversations_are_marked_at_fixed_places_too() -> None:
    long = [each for at in range(40) for each in (user(f"q{at}"), said(f"a{at}"))]
    assert paths(mark(prompt(*long, user("q"), system="s"), TRAITS)) == [
        "system.0",
        "messages.59.content.0",
        "messages.79.content.0",
        "messages.80.content.0",
    ]


def test_nothing_is_marked_that_the_provider_would_not_keep() -> None:
    def tokens(each: ToolDefinition | Block) -> int:
        return 100

    asked = prompt(*(user(f"q{at}") for at in range(3)), system="s")
    places = {
        least: paths(mark(asked, ModelTraits(cache_marks=4, cache_minimum=least), tokens=tokens))
        for least in (50, 350, 999)
    }
    assert places == {50: ["system.0", "messages.2.content.0"], 350: ["messages.2.content.0"], 999: []}


@pytest.mark.parametrize(("most", "count"), [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (9, 4)])
def test_no_more_places_are_marked_than_the_model_takes(most: int, count: int) -> None:
    long = [each for at in range(40) for each in (user(f"q{at}"), said(f"a{at}"))]
    assert len(paths(mark(prompt(*long, user("q"), system="s"), ModelTraits(cache_marks=most)))) == count


def test_a_thread_takes_no_marks() -> None:
    assert paths(mark(prompt(user("q"), system="s", thread={"type": "create"}), TRAITS)) == []
