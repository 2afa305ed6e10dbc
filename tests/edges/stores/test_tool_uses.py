"""The uses of tools in both databases: counted over every opening, forgotten with their subject."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from callsheet.model.task import Task
from callsheet.model.tool import ToolUse
from callsheet.model.verdict import Verdict

from .store_strategies import NOW, POLICY, context

OVER = Verdict("refuse", "rate-limit", "enough", subject="charge")


def use(index: int, seconds: float = 0.0, tool: str = "charge", actor: str = "ada") -> ToolUse:
    return ToolUse(tool, actor, "run-1.1", index, NOW + timedelta(seconds=seconds), 1.5)


def at_most(most: int):
    def judge(earlier: Sequence[ToolUse]) -> Verdict | None:
        return OVER if len(earlier) >= most else None

    return judge


def begun(kind):
    stores = kind.stores()
    store = stores.open("t1")
    store.ledger.begin(replace(context("t1"), subject_id="u1"), Task("Why?", "run-1"), POLICY, "b2:policy")
    return stores


def test_a_use_is_counted_by_whoever_opens_the_store_next_and_a_refused_one_is_not(kind):
    store = begun(kind).open("t1")
    since = NOW - timedelta(hours=1)
    assert store.uses.admit(use(1), since, at_most(2)) is None
    assert store.uses.admit(use(2, 1), since, at_most(2)) is None
    store.close()
    assert store.uses.admit(use(3, 2), since, at_most(2)) == OVER
    assert store.uses.admit(use(3, 2), since, at_most(3)) is None
    assert store.uses.admit(use(3, 2), since, at_most(0)) is None  # the same one, let through already


def test_uses_come_oldest_first_of_the_tool_or_the_actor_with_how_they_ended_and_old_ones_go(kind):
    store, seen = begun(kind).open("t1"), []

    def judge(earlier: Sequence[ToolUse]) -> Verdict | None:
        seen.append([(each.index, each.failed) for each in earlier])
        return None

    since = NOW - timedelta(hours=1)
    store.uses.admit(use(1, 5), since, judge)
    store.uses.admit(use(2, 3, tool="mail"), since, judge)
    store.uses.admit(use(3, 4, tool="mail", actor="bob"), since, judge)
    store.uses.ended("run-1.1", 1, True)
    store.uses.ended("run-1.1", 2, False)
    store.uses.admit(use(4, 6), since, judge)
    store.uses.admit(use(5, 7), NOW + timedelta(seconds=4), judge)
    assert seen == [[], [(1, None)], [(2, None)], [(2, False), (1, True)], [(1, True), (4, None)]]


def test_a_deleted_subject_leaves_no_use_and_what_it_left_is_said(kind):
    store = begun(kind).open("t1")
    store.uses.admit(use(1), NOW - timedelta(hours=1), at_most(9))
    assert any("ada" in str(each) for each in store.contents())
    assert store.forget("u1")["tool_uses"] == 1
    assert not any("ada" in str(each) for each in store.contents())
