"""What was known when, of what was true when; and which relation a statement is of (C5)."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from callsheet.core.memory.relation import relation_of, topic_of
from callsheet.core.memory.superseding import known_at, place

from .requests import record


def day(number: int) -> datetime:
    """A day of October 2026."""
    return datetime(2026, 10, number, tzinfo=UTC)


ROME = record("Lives in Rome.", created_at=day(1), superseded_at=day(10), superseded_by="m-2")
MOVED = record("Lives in Oslo.", record_id="m-2", created_at=day(10), valid_from=day(8))
NEVER = replace(MOVED, valid_from=None)


@pytest.mark.parametrize(
    ("records", "true_at", "known", "expected"),
    [
        ((ROME, MOVED), day(5), day(5), ["m-1"]),
        ((ROME, MOVED), day(9), day(9), ["m-1"]),  # it was true then, and nobody knew yet
        ((ROME, MOVED), day(5), day(20), ["m-1"]),  # what was true before the move stays true of that time
        ((ROME, MOVED), day(8), day(20), ["m-2"]),  # it holds from that very moment
        ((ROME, MOVED), day(9), day(20), ["m-2"]),
        ((ROME, NEVER), day(5), day(20), ["m-2"]),  # the correction says that it was never otherwise
        ((ROME, MOVED), day(5), datetime(2026, 9, 1, tzinfo=UTC), []),
        ((ROME,), day(5), day(20), []),  # the correction is gone
        ((replace(ROME, superseded_at=None, valid_until=day(3)),), day(3), day(5), []),
    ],
)
def test_a_question_as_of_two_moments_has_one_answer(
    records: tuple, true_at: datetime, known: datetime, expected: list[str]
) -> None:
    assert [each.record_id for each in known_at(records, true_at, known)] == expected


def test_a_correction_of_a_correction_that_holds_for_ever_corrects_both() -> None:
    moved = replace(MOVED, superseded_at=day(12), superseded_by="m-3")
    always = record("Lives in Bern.", record_id="m-3", created_at=day(12))
    assert [each.record_id for each in known_at((ROME, moved, always), day(5), day(20))] == ["m-3"]
    assert [each.record_id for each in known_at((ROME, moved, always), day(5), day(11))] == ["m-1"]


@pytest.mark.parametrize(
    ("old", "new", "superseded"),
    [
        ({}, {}, True),
        ({}, {"scope": "internal"}, False),
        ({"scope": "internal"}, {}, True),
        ({"scope": "internal"}, {"scope": "internal"}, True),
        ({"scope": "internal"}, {"scope": "finance"}, False),
        ({"visibility": "tenant"}, {}, False),
        ({}, {"visibility": "tenant"}, True),
        ({"visibility": "tenant"}, {"visibility": "everyone"}, True),
        ({"visibility": "everyone"}, {"visibility": "tenant"}, False),
    ],
)
def test_a_correction_that_fewer_people_see_supersedes_nothing(old: dict, new: dict, superseded: bool) -> None:
    known = record("Lives in Rome.", record_id="m-1", relation="home", **old)
    said = place(record("Lives in Oslo.", record_id="", relation="home", **new), [known], day(2))
    assert said.supersedes == (("m-1",) if superseded else ())


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("My plan is Pro.", "plan"),
        ("The customer's favourite colour is blue.", "favourite colour"),
        ("Call me Sam.", "name"),
        ("Ich heiße Anna.", "name"),
        ("I moved to Oslo.", "home"),
        ("Mieszkam w Gdańsku.", "home"),
        ("Mein Tarif ist Premium.", "tarif"),
        ("Customer 7 is on plan Pro.", "plan"),
        ("My dog is old.", ""),
        ("Likes tea.", ""),
    ],
)
def test_a_statement_of_what_one_has_but_one_of_names_its_relation(text: str, relation: str) -> None:
    assert relation_of(text) == relation


def test_what_stands_before_the_verb_is_the_topic() -> None:
    assert [topic_of("My old dog is friendly."), topic_of("Likes tea.")] == ["old dog", ""]
