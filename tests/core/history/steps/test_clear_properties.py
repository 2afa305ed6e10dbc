"""What holds of clearing for any conversation and any settings; looked up in the views, not in the step."""

from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from callsheet.model.history import View
from callsheet.model.history_policy import Clear, Deduplicate, Trigger
from callsheet.model.message import CallBlock, Message, ResultBlock

from ..chat import Call, Chat
from ..said import count

TRIGGERS = st.sampled_from(
    [
        Trigger("threshold", 0.5, 0.2),
        Trigger("importance", 0.6, 0.3),
        Trigger("turns", 2, 1),
        Trigger("task-boundary"),
        Trigger("always"),
    ]
)
CLEARS = st.builds(
    Clear,
    TRIGGERS,
    keep=st.integers(0, 4),
    clear_at_least=st.sampled_from([0, 0, 150]),
    exclude_tools=st.sampled_from([(), ("bash",)]),
    clear_inputs=st.booleans(),
    pays=st.booleans(),
    head=st.sampled_from([0, 20]),
)
LINES = ("cat /p/a.py", "make deploy", "pytest -q")
RESULTS = st.integers(0, 120).map(lambda words: "word " * words) | st.just("same text\n" * 60)


def calls(place: str, text: str, line: str, error: bool) -> Call:
    name, arguments = ("read", {"path": place}) if line == LINES[0] else ("bash", {"command": line})
    return (name, arguments, text, True) if error else (name, arguments, text)


CALLS = st.builds(calls, st.sampled_from(["/p/a", "/p/b", "/p/c"]), RESULTS, st.sampled_from(LINES), st.booleans())
HOPS = st.lists(st.none() | st.lists(CALLS, min_size=1, max_size=4), min_size=1, max_size=25)


def talked(step: Clear, hops: Sequence[list[Call] | None], window: int, deduplicate: bool = False) -> Chat:
    """A view before every response; each round is prepared twice, and has to come out the same (`Chat.round`)."""
    chat = Chat(*((Deduplicate(least=20),) if deduplicate else ()), step, window=window)
    chat.person("look into the failing store")
    for at, each in enumerate(hops):
        chat.round()
        if each is None:
            chat.answered()
            chat.person(f"now paint wall number {at} in brighter colours instead")
        else:
            chat.called(*each)
    chat.round()
    return chat


def results(view: View) -> dict[str, str]:
    """The text of each result that was sent, by its call."""
    blocks = (block for message in view.messages for block in message.blocks)
    return {str(block.call_id): block.text for block in blocks if isinstance(block, ResultBlock)}


def originals(chat: Chat) -> dict[str, tuple[int, str]]:
    entries = chat.conversation.history.entries
    return {
        str(block.call_id): (entry.number, block.text)
        for entry in entries
        for block in entry.message.blocks
        if isinstance(block, ResultBlock)
    }


@given(CLEARS, HOPS, st.sampled_from([200, 800, 5_000]), st.booleans())
def test_what_was_cleared_stays_so_byte_for_byte_and_nothing_else_is_ever_rewritten(
    step: Clear, hops: list[list[Call] | None], window: int, deduplicate: bool
) -> None:
    chat = talked(step, hops, window, deduplicate)
    whole = originals(chat)
    for before, after in pairwise(chat.sent):
        now = results(after)
        for call, text in results(before).items():
            if text != whole[call][1]:
                assert now[call] == text
    for view in chat.sent:
        for call, text in results(view).items():
            number, original = whole[call]
            told = f"message {number}. To read it again, call " in text or "already read, unchanged (message " in text
            assert text == original or told or "already answered, unchanged (message " in text


@given(CLEARS, HOPS, st.sampled_from([200, 800, 5_000]), st.booleans())
def test_the_same_conversation_is_edited_in_the_same_way(
    step: Clear, hops: list[list[Call] | None], window: int, deduplicate: bool
) -> None:
    one, other = (talked(step, hops, window, deduplicate) for _ in range(2))
    assert one.sent == other.sent and one.edits == other.edits


@given(CLEARS, HOPS, st.sampled_from([200, 800, 5_000]), st.booleans())
def test_no_clearing_makes_a_request_larger_and_none_frees_less_than_it_has_to(
    step: Clear, hops: list[list[Call] | None], window: int, deduplicate: bool
) -> None:
    chat = talked(step, hops, window, deduplicate)
    whole = originals(chat)
    for view in chat.sent:
        assert view.tokens == sum(each.tokens for each in view.shown)
        for call, text in results(view).items():
            assert count(text) <= count(whole[call][1])
    done = [each for each in chat.edits if each.step == "clear" and not each.refused]
    assert all(each.freed >= max(1, step.clear_at_least) and each.numbers for each in done)
    assert all(each.freed >= 0 and each.why for each in chat.edits)
    for each in chat.edits:
        assert bool(each.refused) is not bool(each.numbers)


@given(CLEARS, HOPS, st.sampled_from([200, 800, 5_000]))
def test_what_freed_tokens_is_what_the_request_lacks(step: Clear, hops: list[list[Call] | None], window: int) -> None:
    chat = talked(step, hops, window)
    entries = chat.conversation.history.entries
    freed = sum(each.freed for each in chat.edits if not each.refused)
    assert sum(entry.weight for entry in entries) - chat.sent[-1].tokens == freed


@given(CLEARS, HOPS, st.sampled_from([200, 800, 5_000]))
def test_calls_errors_excluded_tools_and_what_is_unseen_are_never_touched(
    step: Clear, hops: list[list[Call] | None], window: int
) -> None:
    chat = talked(step, hops, window)
    whole = originals(chat)
    entries = chat.conversation.history.entries
    said = {str(call.id): call for entry in entries for call in entry.message.calls}
    failing = last_failures([entry.message for entry in entries])
    sent = results(chat.sent[-1])
    last = max((entry.number for entry in entries if entry.speaker == "model"), default=0)
    for call, text in sent.items():
        number, original = whole[call]
        if number > last or call in failing or said[call].name in step.exclude_tools:
            assert text == original
    kept = {str(call.id): call for message in chat.sent[-1].messages for call in message.calls}
    assert kept.keys() == said.keys()
    for call, block in kept.items():
        assert block == said[call] or (step.clear_inputs and block.arguments == {} and sent[call] != whole[call][1])


def last_failures(messages: Sequence[Message]) -> set[str]:
    """The calls whose error is the last word on what they did; read anew, with the three kinds of calls made here."""
    about: dict[str, str] = {}
    last: dict[str, tuple[str, bool]] = {}
    for message in messages:
        for block in message.blocks:
            if isinstance(block, CallBlock):
                about[str(block.id)] = str(block.arguments)
            elif isinstance(block, ResultBlock):
                last[about[str(block.call_id)]] = str(block.call_id), bool(block.is_error)
    return {call for call, error in last.values() if error}
