"""One flow, three drivers: equal results, equal effects, and a journal that is told before anything is asked."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.run import run
from callsheet.drive import ReplayMismatch, adrive, drive, replay, walk
from callsheet.model.effect import Effect, Flow, Intent, RunResult
from callsheet.model.policy import GatePolicy
from callsheet.model.tool import RawResult
from callsheet.ports import JournalEntry
from tests.core.test_calls import REPLIES
from tests.core.world import FEW, TASK, Outside, answer, calls, evidence, policy, session

CHECKED = calls(("check_key", {"account_id": "A-123"}))
ANSWER = answer("It is revoked.", evidence().source)
RULES = policy(gate=GatePolicy(confirm_effects=()))


def flow() -> Flow[RunResult]:
    return run(session(), TASK, RULES)


def outside(*replies: Any, **given: Any) -> Outside:
    return Outside(replies or (CHECKED, ANSWER), [evidence()], **given)


def awaited(flow: Flow[RunResult], perform: Outside) -> RunResult:
    async def performing(effect: Effect[Any]) -> Any:
        await asyncio.sleep(0)
        return perform(effect)

    return asyncio.run(adrive(flow, performing))


def journalled(*replies: Any, **given: Any) -> tuple[RunResult, list[Effect[Any]], list[JournalEntry]]:
    """A run with the journal that a ledger would keep of it."""
    entries: list[JournalEntry] = []
    steps = walk(flow(), outside(*replies, **given))
    asked: list[Effect[Any]] = []
    while True:
        try:
            effect, told = next(steps)
        except StopIteration as end:
            return end.value, asked, entries
        asked.append(effect)
        entries.append(JournalEntry(len(entries) + 1, "", type(effect).__name__, told))


@FEW
@given(
    st.lists(REPLIES, min_size=1, max_size=3),
    st.sampled_from([Intent(), Intent(unknown=True)]),
    st.sampled_from([RawResult({"status": "revoked"}), RawResult(failure="error"), RawResult(unknown=True)]),
)
def test_sync_async_and_replay_give_the_same_result_by_the_same_effects(
    replies: list[Any], intent: Intent, result: RawResult
) -> None:
    given: dict[str, Any] = {"intent": intent, "tools": lambda call: result}
    first, second = outside(*replies, **given), outside(*replies, **given)
    expected = drive(flow(), first)
    walked, asked, journal = journalled(*replies, **given)
    again, replayed = replay(flow(), journal)
    assert expected == awaited(flow(), second) == walked == again
    assert first.asked == second.asked == asked == list(replayed)


@pytest.mark.parametrize("kept", range(len(journalled()[2]) + 1))
def test_a_journal_that_ends_early_is_told_first_and_the_rest_is_performed(kept: int) -> None:
    whole, asked, journal = journalled()
    # The model's first reply is in the journal once its Call is; before that it has to be given again.
    live = outside(*([CHECKED, ANSWER] if kept <= 2 else [ANSWER]))
    assert drive(flow(), live, journal[:kept]) == whole
    assert live.asked == asked[kept:]


def test_a_replay_touches_nothing_and_says_where_its_journal_ends() -> None:
    _, _, journal = journalled()
    with pytest.raises(ReplayMismatch, match="ends before Call"):
        replay(flow(), journal[:2])
    with pytest.raises(ReplayMismatch, match="ends before Gather"):
        replay(flow(), [])


def test_a_flow_that_asks_another_question_than_its_journal_answers_is_a_mismatch() -> None:
    _, _, journal = journalled()
    swapped = [journal[1], journal[0], *journal[2:]]
    with pytest.raises(ReplayMismatch, match="Gather was asked where the journal has Record"):
        drive(flow(), outside(), swapped)
    with pytest.raises(ReplayMismatch):
        replay(flow(), swapped)


def test_what_the_outside_raises_comes_out_as_it_is_and_nothing_is_asked_after_it() -> None:
    asked: list[str] = []

    def broken(effect: Effect[Any]) -> Any:
        asked.append(type(effect).__name__)
        raise OSError("the disk is full")

    for driven in (lambda: drive(flow(), broken), lambda: awaited(flow(), broken)):  # type: ignore[arg-type]
        with pytest.raises(OSError, match="the disk is full"):
            driven()
    assert asked == ["Gather", "Gather"]


def test_a_stop_iteration_out_of_the_outside_is_an_error_and_never_a_result() -> None:
    empty = iter(())
    with pytest.raises(RuntimeError, match="StopIteration"):
        drive(flow(), lambda effect: next(empty))


def test_cancelling_an_awaited_run_cancels_the_effect_under_way() -> None:
    ended: list[str] = []

    async def hanging(effect: Effect[Any]) -> Any:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ended.append(type(effect).__name__)
            raise

    async def cancelled() -> None:
        task = asyncio.create_task(adrive(flow(), hanging))
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())
    assert ended == ["Gather"]


def test_walking_gives_each_effect_with_its_answer_in_order() -> None:
    _, asked, journal = journalled()
    assert [type(each).__name__ for each in asked] == [each.effect for each in journal]
    assert [each.effect for each in journal] == [
        "Gather", "Record", "Call", "Received", "Intend", "Execute", "Observed", "Settle",
        "Gather", "Record", "Call", "Received", "Settle",
    ]  # fmt: skip
