"""Scope: what this session may not know of leaves no trace, in nothing that is written or judged (invariant 2)."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.decide import prepare
from callsheet.core.prepared import Prepared
from callsheet.core.scope import in_scope, permitted, visible
from callsheet.drive import drive
from callsheet.model.effect import Gather, Record
from callsheet.model.item import ContextItem
from callsheet.model.request import SHARED, RequestContext
from callsheet.model.task import TaskState

from .strategies import items
from .world import DELETE, FEW, ROTATE, TASK, Outside, evidence, memory, policy, session, state

FOREIGN = st.sampled_from(
    [
        {"tenant_id": "other"},
        {"subject_id": "u2"},
        {"scope": "internal"},
        {"tenant_id": "other", "subject_id": "u2", "scope": "internal", "required": True},
    ]
)


def prepared(found: tuple[ContextItem, ...]) -> tuple[Prepared, Record]:
    outside = Outside((), found)
    made = drive(prepare(session(), TASK, policy()), outside)
    return made, outside.of(Record)[0]


@st.composite
def with_foreign(draw: st.DrawFn) -> tuple[tuple[ContextItem, ...], tuple[ContextItem, ...]]:
    """Items of this session, and the same with others strewn among them."""
    own, others = draw(items()), [replace(each, **draw(FOREIGN)) for each in draw(items())]
    mixed = list(own)
    for each in others:
        mixed.insert(draw(st.integers(0, len(mixed))), each)
    return own, tuple(mixed)


@FEW
@given(with_foreign())
def test_items_of_others_change_nothing_in_manifest_wire_or_grounds(
    both: tuple[tuple[ContextItem, ...], tuple[ContextItem, ...]],
) -> None:
    (without, first), (with_them, second) = map(prepared, both)
    assert first == second and without == with_them
    assert without.working_set.left_out == with_them.working_set.left_out
    assert without.working_set.notes == with_them.working_set.notes


def test_anothers_state_lends_no_resource_to_a_call() -> None:
    theirs = state(TaskState(resources={"account": ("A-999",)}), session(subject_id="u2"))
    outside = Outside((), ())

    def answering(effect: object) -> object:
        found = outside(effect)  # type: ignore[arg-type]
        return (replace(found[0], items=(theirs, *found[0].items)), *found[1:]) if isinstance(effect, Gather) else found

    made = drive(prepare(session(), TASK, policy()), answering)
    assert made.grounds.state.resources == {"account": ("A-123",)}


def test_an_item_is_visible_to_its_tenant_its_subject_and_the_holders_of_its_scope() -> None:
    mine = evidence()
    assert visible(session(), mine) and visible(session(), replace(mine, tenant_id=SHARED))
    assert not visible(session(), replace(mine, tenant_id="other"))
    assert not visible(session(), replace(mine, subject_id="u2"))
    assert not visible(session(subject_id=None), memory())
    assert not visible(session(), replace(mine, scope="internal"))
    assert visible(session(grants=("internal",)), replace(mine, scope="internal"))
    assert in_scope(session(), [mine, replace(mine, tenant_id="other")]) == (mine,)


def test_a_tool_is_permitted_to_those_who_hold_its_grant() -> None:
    assert permitted(session(), [ROTATE, DELETE]) == (ROTATE,)
    assert permitted(session(grants=()), [ROTATE, DELETE]) == ()


def test_a_tool_the_actor_may_never_use_is_named_nowhere() -> None:
    made, record = prepared(())
    assert "tool/rotate_key" in {each.item_id for each in made.working_set.left_out}
    assert "delete_key" not in repr(record.manifest) and b"delete_key" not in record.wire.body


def test_one_grant_is_not_taken_for_its_letters() -> None:
    with pytest.raises(ValueError, match=r"\('loans:renew',\)"):
        RequestContext("acme", "ann", grants="loans:renew")  # type: ignore[arg-type]
