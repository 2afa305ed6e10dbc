"""A repeated read gives way to a digest, only while its text stands in the window."""

from hashlib import sha256
from itertools import pairwise

from callsheet.model.history import Standing
from callsheet.model.history_policy import Clear, Deduplicate, Slide, Trigger

from ..chat import Chat, changed, reads

TEXT = "one two three\n" * 100


def again(chat: Chat, path: str = "/p/a.py", text: str = TEXT) -> int:
    return chat.called(("read", {"path": path}, text))


def test_a_read_of_what_stands_there_already_is_told_as_a_digest() -> None:
    chat = Chat(Deduplicate())
    chat.person("look")
    first = again(chat)
    chat.round()
    reads(chat, 2, rounds=True)
    second = again(chat)
    chat.round()
    digest = sha256(TEXT.encode()).hexdigest()[:12]
    assert chat.text(first) == TEXT
    assert chat.text(second) == f"/p/a.py: already read, unchanged (message {first}, sha256 {digest})"


def test_it_changes_nothing_that_was_sent_and_so_costs_no_cache_and_no_seal() -> None:
    chat = Chat(Deduplicate(), thinking="append-only", binds_thinking=True)
    chat.person("look")
    for _ in range(5):
        again(chat)
        chat.round()
        chat.called(("bash", {"command": "make"}, "made"), thinking="hm")
        chat.round()
    assert len(chat.cleared) == 4 and chat.standing.thinking_from == 0
    assert [changed(*pair) for pair in pairwise(chat.sent)] == [None] * 9


def test_another_text_another_file_or_a_short_one_is_told_whole() -> None:
    chat = Chat(Deduplicate(least=200))
    chat.person("look")
    for path, text in (("/p/a.py", TEXT), ("/p/b.py", TEXT), ("/p/a.py", TEXT + "x"), ("/p/c", "x"), ("/p/c", "x")):
        again(chat, path, text)
    chat.round()
    assert chat.cleared == []


def test_the_later_one_stays_where_the_first_was_cleared() -> None:
    chat = Chat(Clear(Trigger("always"), keep=2, pays=False), Deduplicate())
    chat.person("look")
    first = again(chat)
    reads(chat, 2)
    chat.answered()
    chat.round()
    second = again(chat)
    chat.round()
    assert first in chat.cleared and chat.text(second) == TEXT
    third = again(chat)
    chat.round()
    assert chat.text(third).startswith(f"/p/a.py: already read, unchanged (message {second},")


def test_the_first_is_kept_as_long_as_a_new_digest_points_to_it() -> None:
    chat = Chat(Deduplicate(), Clear(Trigger("always"), keep=2, pays=False))
    chat.person("look")
    first = again(chat)
    chat.answered()
    others = reads(chat, 4)
    second = again(chat)
    chat.answered()
    chat.round()
    assert chat.cleared == [*others[:3], second] and chat.text(first) == TEXT
    reads(chat, 3)
    chat.answered()
    chat.round()
    assert first in chat.cleared


def test_a_digest_gives_its_text_back_where_the_first_left_the_window() -> None:
    chat = Chat(Slide(trigger=Trigger("turns", 2, 2)), Deduplicate())
    chat.person("look")
    again(chat)
    chat.answered()
    chat.person("once more")
    second = again(chat)
    chat.round()
    assert chat.cleared == [second]
    chat.answered()
    chat.person("and now")
    chat.round()
    assert chat.standing.covered == second - 2 and chat.cleared == [] and chat.text(second) == TEXT
    assert chat.sent[-1].tokens == sum(each.tokens for each in chat.sent[-1].shown)
    third = again(chat)
    chat.round()
    assert chat.cleared == [third] and f"message {second}," in chat.text(third)


def test_the_same_command_with_the_same_answer_is_told_as_a_digest_where_it_only_reads() -> None:
    chat = Chat(Deduplicate())
    chat.person("look")
    for command in ("git diff HEAD", "git diff HEAD", "make test-report", "make test-report"):
        chat.called(("bash", {"command": command}, TEXT))
        chat.round()
    assert chat.cleared == [4]
    assert chat.text(4).startswith("bash command=git diff HEAD: already answered, unchanged (message 2, sha256 ")


def test_what_was_sent_before_gives_way_only_where_thinking_and_the_bill_allow_it() -> None:
    for thinking, binds, rounds, told in (
        ("append-only", False, 100, []),
        ("refuse", True, 100, []),
        ("strip", True, 100, [4]),
        ("strip", False, 0.01, []),
    ):
        chat = Chat(Deduplicate(), thinking=thinking, binds_thinking=binds, remaining=rounds)  # type: ignore[arg-type]
        chat.person("look")
        again(chat)
        again(chat)
        chat.called(("bash", {"command": "make"}, "made"), thinking="hm")
        chat.answered()
        chat.round()
        assert chat.cleared == told, (thinking, binds, rounds)
        assert told or chat.refusals, "what is not done is named"
        assert isinstance(chat.standing, Standing)
