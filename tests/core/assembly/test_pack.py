"""Packing: the worked case of the mission to the letter, and what holds for any candidates."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.assembly.pack import pack
from callsheet.core.assembly.rank import utility
from callsheet.model.manifest import Candidate
from callsheet.model.policy import Budget, Weights

V3 = Candidate("policy-v3", "t1", 900, 0.9, 1, 1)
FORUM = Candidate("forum-post", "t1", 400, 0.9, 0.3, 1)
OTHER = Candidate("other-tenant-doc", "t2", 100, 1, 1, 1)
V2 = Candidate("policy-v2", "t1", 900, 0.9, 1, 0.2, redundant=True)
SCORES = st.floats(0, 1, allow_subnormal=False)
CANDIDATES = st.lists(
    st.builds(
        Candidate,
        item_id=st.uuids().map(str),
        tenant_id=st.sampled_from(["t1", "t2"]),
        tokens=st.integers(0, 1_000),
        relevance=SCORES,
        authority=SCORES,
        freshness=SCORES,
        redundant=st.booleans(),
        injection_risk=SCORES,
    ),
    max_size=12,
    unique_by=lambda each: each.item_id,
)
BUDGETS = st.builds(Budget, st.integers(0, 5_000), st.integers(0, 2_000), st.integers(0, 1_000))


@pytest.mark.parametrize("window", [4_000, 5_000])
def test_the_worked_case_selects_v3_and_the_forum_post_whatever_the_window(window: int) -> None:
    selected, packing = pack([V3, FORUM, OTHER, V2], "t1", Budget(window, 1_500, 500))
    assert [each.item_id for each in selected] == ["policy-v3", "forum-post"] == list(packing.selected)
    assert packing.dropped == {"policy-v2": "utility"} and packing.used == 1_300
    assert packing.budget == window - 2_000
    assert "other-tenant-doc" not in {*packing.selected, *packing.dropped, *packing.utility}


def test_a_policy_of_no_use_is_not_packed_even_alone() -> None:
    selected, packing = pack([V2], "t1", Budget(4_000, 1_500, 500))
    assert selected == [] and packing.dropped == {"policy-v2": "utility"} and packing.used == 0


def test_ties_go_by_id_and_what_does_not_fit_is_skipped() -> None:
    big = replace(FORUM, item_id="a-big", tokens=2_500, authority=1)
    twins = [replace(FORUM, item_id="b"), replace(FORUM, item_id="a")]
    selected, packing = pack([*twins, big], "t1", Budget(2_000, 0))
    assert [each.item_id for each in selected] == ["a", "b"] and packing.dropped == {"a-big": "budget"}


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -1.0])
@pytest.mark.parametrize("name", ["relevance", "freshness", "injection"])
def test_a_weight_that_leaves_no_order_is_named(name: str, number: float) -> None:
    with pytest.raises(ValueError, match=f"Weights.{name} must be a finite number, 0 or more"):
        pack([V3], "t1", Budget(4_000, 0), {name: number})


def test_a_number_of_tokens_that_is_none_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="tokens must be a number"):
        replace(V3, tokens=float("nan"))
    with pytest.raises(ValueError, match=r"Budget\.window"):
        Budget(float("nan"), 0)  # type: ignore[arg-type]


def test_what_is_worth_nothing_never_enters_and_what_fills_the_budget_to_the_token_does() -> None:
    nothing, last = replace(FORUM, item_id="nothing", relevance=0), replace(FORUM, item_id="last", tokens=100)
    assert pack([nothing], "t1", Budget(4_000, 0))[1].dropped == {"nothing": "utility"}
    assert pack([V3, last], "t1", Budget(1_000, 0))[1].selected == ("policy-v3", "last")
    assert pack([V3, last], "t1", Budget(999, 0))[1].dropped == {"last": "budget"}


def test_redundancy_and_risk_of_injection_cost_what_their_weights_say() -> None:
    again, risky = replace(V3, redundant=True), replace(V3, injection_risk=0.5)
    assert utility(again, Weights()) == pytest.approx(0.7) and utility(risky, Weights()) == pytest.approx(0.4)
    heavy = Weights(redundancy=0.5, injection=2)
    assert utility(again, heavy) == pytest.approx(0.4) and utility(risky, heavy) == pytest.approx(-0.1)
    assert pack([risky], "t1", Budget(4_000, 0), heavy)[1].dropped == {"policy-v3": "utility"}


def test_two_candidates_of_one_id_are_a_mistake_but_not_across_tenants() -> None:
    with pytest.raises(ValueError, match="share an item_id"):
        pack([V3, V3], "t1", Budget(4_000, 0))
    assert pack([V3, replace(V3, tenant_id="t2")], "t1", Budget(4_000, 0))[1].selected == ("policy-v3",)


def test_weights_come_by_name_too_and_change_the_order() -> None:
    near, official = replace(FORUM, item_id="near", relevance=1), replace(FORUM, item_id="official", relevance=0.5)
    official = replace(official, authority=0.5)
    assert pack([near, official], "t1", Budget(900, 0))[1].selected == ("near", "official")
    assert pack([near, official], "t1", Budget(900, 0), {"authority": 3})[1].selected == ("official", "near")


@given(CANDIDATES, BUDGETS)
def test_nothing_is_lost_nothing_exceeds_the_budget_and_nothing_useless_enters(
    candidates: list[Candidate], budget: Budget
) -> None:
    selected, packing = pack(candidates, "t1", budget)
    own = {each.item_id for each in candidates if each.tenant_id == "t1"}
    assert packing.used == sum(each.tokens for each in selected) <= budget.available
    assert {*packing.selected} | {*packing.dropped} == own and len(packing.selected) + len(packing.dropped) == len(own)
    assert all(utility(each, Weights()) > 0 for each in selected)


@given(CANDIDATES, BUDGETS, st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_changes_nothing(
    candidates: list[Candidate], budget: Budget, random: object
) -> None:
    shuffled = list(candidates)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert pack(candidates, "t1", budget) == pack(shuffled, "t1", budget)


@given(CANDIDATES, CANDIDATES, BUDGETS)
def test_another_tenants_candidates_change_nothing(
    candidates: list[Candidate], others: list[Candidate], budget: Budget
) -> None:
    foreign = [replace(each, tenant_id="t3") for each in others]
    assert pack([*foreign, *candidates], "t1", budget) == pack(candidates, "t1", budget)


@pytest.mark.parametrize("wrong", [{"tokens": -1}, {"relevance": 1.1}, {"injection_risk": -0.1}, {"freshness": 2}])
def test_a_candidate_out_of_range_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="policy-v3"):
        replace(V3, **wrong)
