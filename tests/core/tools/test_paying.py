"""Whether keeping definitions out pays: by hand-made runs whose sums can be done in one's head."""

from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.tools.paying import RecordedDecision, Worth, run_saving
from callsheet.model.item import ContextItem
from callsheet.model.manifest import ContextManifest

from ..world import FEW


def decision(sizes: dict[str, int], total: int, *called: str, output: int = 10) -> RecordedDecision:
    items = tuple(
        ContextItem(f"tool/{name}", "tool", "tools.py", "trusted", token_count=size) for name, size in sizes.items()
    )
    return RecordedDecision(ContextManifest("run.1", "acme", items, total), "a question", called, output)


SIZES = {"needed": 100, "near": 50, "far": 1_000}


def test_what_was_neither_called_nor_found_is_saved_and_the_search_is_a_decision_more() -> None:
    run = (decision(SIZES, 1_450, "needed"), decision(SIZES, 1_500))
    saving = run_saving(run, lambda question, offered: frozenset({"needed", "near"}), Worth(own=20))
    assert saving.saved == 2 * (1_000 - 20)
    assert (saving.extra, saving.searches, saving.missed) == (1_450 - 1_150 + 10, 1, 0)
    assert saving.difference == 1_960 - 310


def test_a_called_tool_that_the_search_misses_takes_another_search_and_stays() -> None:
    run = (decision(SIZES, 1_450, "needed"),)
    saving = run_saving(run, lambda question, offered: frozenset({"near"}), Worth())
    assert (saving.saved, saving.searches, saving.missed, saving.extra) == (1_000, 2, 1, 2 * 310)


def test_cached_and_written_tokens_count_at_their_price() -> None:
    run = (decision(SIZES, 1_450, "needed"), decision(SIZES, 1_500))
    saving = run_saving(run, lambda question, offered: frozenset({"needed"}), Worth(cached=0.1, output=5.0))
    assert saving.saved == 1_050 * 1.1 and saving.extra == 300 * 0.1 + 10 * 5.0


def test_an_invented_name_is_no_tool_that_was_missed() -> None:
    assert run_saving((decision(SIZES, 1_450, "invented"),), lambda *_: frozenset(), Worth()).missed == 0


@FEW
@given(st.sets(st.sampled_from(sorted(SIZES))), st.sets(st.sampled_from(sorted(SIZES))), st.integers(1, 4))
def test_never_more_is_saved_than_stood_there(called: set[str], brought: set[str], many: int) -> None:
    run = tuple(decision(SIZES, 1_450, *called) for _ in range(many))
    saving = run_saving(run, lambda question, offered: frozenset(brought) & offered, Worth())
    assert 0 <= saving.saved <= many * sum(SIZES.values())
    assert saving.missed == len(called - brought) and saving.searches == 1 + saving.missed
