"""Evidence that does not fit whole is quoted in part, where the policy made an excerpt of it."""

from dataclasses import replace

from callsheet.core.assembly.assemble import assemble
from callsheet.core.gate.claims import bind, grounds_of
from callsheet.core.plan import plan
from callsheet.model.item import ContextItem
from callsheet.model.manifest import WorkingSet
from callsheet.model.policy import Budget

from ..world import KINDS, TASK, evidence, gathered, policy, session

LONG = "A revoked key cannot be restored. " + "Nothing here matters to anybody at all. " * 20
WHOLE = evidence("doc@v1#keys", LONG)
EXCERPT = evidence("doc@v1#keys", LONG, quoted=((0, 33),))
OTHER = evidence("doc@v1#other", "Keys are listed in the console.", relevance=1.0)


def assembled(window: int, *items: ContextItem) -> WorkingSet:
    kind = replace(KINDS[2], budget=Budget(window, 100))
    rules = policy(kinds=(KINDS[0], kind))
    task = replace(TASK, decision="answer")
    return assemble(session(), task, rules, plan(session(), task, rules), gathered(*items, task=task, rules=rules))


def held(made: WorkingSet) -> dict[str, ContextItem]:
    return {item.item_id: item for item in made.material if item.kind == "evidence"}


FULL = assembled(4_000, WHOLE, EXCERPT, OTHER)
NEEDED = sum(item.token_count for item in FULL.items) + 100
SHORT = NEEDED - WHOLE.token_count + EXCERPT.token_count


def test_what_fits_whole_stands_whole_and_once() -> None:
    assert held(FULL) == {"doc@v1#other": OTHER, "doc@v1#keys": WHOLE}
    assert not [each for each in FULL.left_out if each.kind == "evidence"]


def test_what_does_not_fit_is_quoted_in_part_and_not_left_out() -> None:
    made = assembled(SHORT, WHOLE, EXCERPT, OTHER)
    assert held(made)["doc@v1#keys"] == EXCERPT and "doc@v1#keys" in made.packing.selected
    assert made.packing.used <= made.packing.budget and "doc@v1#keys" not in made.packing.dropped
    assert "[…]" in EXCERPT.text and "Nothing here" not in EXCERPT.text


def test_without_room_for_the_excerpt_it_stays_out_for_the_budget() -> None:
    made = assembled(SHORT - 1, WHOLE, EXCERPT, OTHER)
    assert "doc@v1#keys" not in held(made)
    assert [(each.item_id, each.reason) for each in made.left_out if each.kind == "evidence"] == [
        ("doc@v1#keys", "budget"),
    ]  # fmt: skip


def test_without_an_excerpt_nothing_is_shortened() -> None:
    assert set(held(assembled(SHORT, WHOLE, OTHER))) == {"doc@v1#other"}


def test_a_claim_rests_on_what_was_quoted_and_on_nothing_else_of_the_section() -> None:
    grounds = list(grounds_of([EXCERPT]))
    kept, gone = bind("A revoked key cannot be restored. Nothing here matters to anybody.", grounds)
    assert (kept.supported, kept.start, kept.end, gone.supported) == (True, 0, 33, False)
