"""A restart point outlives any window: it reads back as written, and nothing is done without a check that passed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.history.handoff.restart import begin, claimed, left, logged, read, verified, written
from callsheet.errors import UsageError
from callsheet.model.progress import RestartPoint, ScopeItem, Verification

PASSED = Verification("pytest tests/test_auth.py", True, "16 passed")
FAILED = Verification("pytest tests/test_auth.py", False, "14 passed, 2 failed")


def test_an_item_is_done_after_a_check_that_passed_and_not_before() -> None:
    point = begin("mend the login", ["fix the mock", "deploy"], "s1")
    said = claimed(point, "S1", "s1")
    assert [each.state for each in said.scope] == ["claimed", "open"] and len(left(said)) == 2
    done = verified(said, "S1", PASSED, "s2")
    assert [each.state for each in done.scope] == ["done", "open"] and [each.item_id for each in left(done)] == ["S2"]


def test_a_check_that_failed_opens_the_item_again_and_says_so() -> None:
    point = verified(claimed(begin("g", ["fix the mock"], "s1"), "S1", "s1"), "S1", FAILED, "s2")
    assert point.scope[0].state == "open" and point.scope[0].verified == FAILED
    assert "failed" in point.log[-1][1]


def test_an_item_cannot_be_made_done_without_a_check() -> None:
    with pytest.raises(ValueError, match="done when a check has passed"):
        ScopeItem("S1", "fix", "done")
    with pytest.raises(ValueError, match="done when a check has passed"):
        ScopeItem("S1", "fix", "done", FAILED)


def test_a_mark_in_the_file_alone_makes_nothing_done() -> None:
    point = read("# g\n\n## Scope\n- [x] S1: fix the mock\n- [x] S2: deploy — failed by make deploy\n")
    assert [each.state for each in point.scope] == ["claimed", "claimed"]


def test_an_item_that_is_not_in_scope_is_named_with_those_that_are() -> None:
    with pytest.raises(UsageError, match=r"'S9'.*S1"):
        claimed(begin("g", ["fix"], "s1"), "S9", "s1")


@pytest.mark.parametrize(
    ("text", "said"),
    [("## Scope\n- [] S1: x", "line 2"), ("hello", "line 1"), ("## Scope\n- [ ] S1: a\n- [ ] S1: b", "'S1'")],
)
def test_a_file_that_is_none_is_refused_by_its_line(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read(text)


words = st.text(st.characters(blacklist_categories=["Cs"]), max_size=60)
steps = st.lists(
    st.tuples(st.sampled_from(["claim", "pass", "fail", "log"]), st.integers(1, 3), words, words), max_size=12
)


@given(words, st.lists(words, min_size=3, max_size=3), steps)
def test_whatever_sessions_write_reads_back_the_same(
    goal: str, scope: list[str], did: list[tuple[str, int, str, str]]
) -> None:
    point = begin(goal, scope, "s1")
    for what, item, by, said in did:
        if what == "claim":
            point = claimed(point, f"S{item}", by)
        elif what == "log":
            point = logged(point, by, said)
        else:
            point = verified(point, f"S{item}", Verification(by, what == "pass", said), "s2")
    assert read(written(point)) == point


def test_the_empty_point_reads_back_too() -> None:
    assert read(written(RestartPoint(""))) == RestartPoint("")
