"""What is followed: exact things by their shape, statements of a person by their words."""

import pytest

from callsheet.lab.compare.facts import Fact, first_ones, kind_of, numbers_of, said_by_person, statements, tokens_of
from callsheet.lab.compare.mentions import Mentions, shape_of
from callsheet.model.message import Message, TextBlock


@pytest.mark.parametrize(
    ("token", "kind"),
    [
        ("/srv/app/config/redis.ts", "path"),
        ("tests/auth.test.ts", "path"),
        ("C:/data/x/a.txt", "path"),
        ("SessionStore", "identifier"),
        ("Session", None),
        ("sessionStore", "identifier"),
        ("retry_limit", "identifier"),
        ("v2.14.1", "identifier"),
        ("4WQ150", "value"),
        ("6340ddef-f656-4b72-a065-82390f637678", "value"),
        ("9f3c2ab", "value"),
        ("ORD-4417", "value"),
        ("4417", "number"),
        ("12", None),
        ("hello", None),
        ("well-known", None),
    ],
)
def test_a_thing_is_told_by_its_shape(token: str, kind: str | None) -> None:
    assert kind_of(token) == kind


def test_numbers_of_three_digits_or_with_a_unit_count_and_others_do_not() -> None:
    assert list(numbers_of("limit 4417, 80 ms, 12 of 3, 1,250.50 EUR and 7 %")) == ["4417", "80 ms", "1,250.50 EUR"]


def test_rules_and_decisions_are_a_persons_sentences_and_questions_are_neither() -> None:
    told = "Never touch the migrations. Should it never fail? Let's go with Redis for sessions. It rains today."
    assert list(statements(told)) == [
        ("rule", "Never touch the migrations."),
        ("decision", "Let's go with Redis for sessions."),
    ]


def test_a_persons_message_gives_paths_names_numbers_and_rules() -> None:
    told = {
        (fact.kind, fact.text) for fact in said_by_person("You must keep retry_limit at 4417 in src/app/store.py.", 3)
    }
    assert {("identifier", "retry_limit"), ("number", "4417"), ("path", "src/app/store.py")} < told
    assert ("rule", "You must keep retry_limit at 4417 in src/app/store.py.") in told


def test_a_path_is_found_from_each_of_its_folders_on() -> None:
    found = set(tokens_of('{"file_path":"/repo/src/app/store.py:12"}'))
    assert {"/repo/src/app/store.py", "src/app/store.py", "app/store.py", "store.py"} <= found


@pytest.mark.parametrize(
    "text",
    [
        "see /repo/a/store.py",
        "`/repo/a/store.py`",
        "edit(/repo/a/store.py)",
        "/repo/a/store.py:12: error",
        "at /repo/a/store.py.",
    ],
)
def test_a_fact_is_found_wherever_its_letters_stand_alone(text: str) -> None:
    mentions = Mentions([Fact("path", "/repo/a/store.py", 0)])
    assert mentions.of_text(text).facts == {0}


def test_a_fact_is_not_found_in_a_longer_one() -> None:
    mentions = Mentions([Fact("path", "/repo/a/store.py", 0), Fact("value", "ORD-4417", 0)])
    assert mentions.of_text("/repo/a/store.pyc and ORD-44171").facts == set()


def test_a_statement_is_found_only_word_for_word_also_inside_other_text() -> None:
    mentions = Mentions([Fact("rule", "Never touch the migrations.", 0)])
    assert mentions.of_text('- said: "Never touch the migrations." (message 3)').facts == {0}
    assert mentions.of_text("Never touch these migrations.").facts == set()


def test_another_spelling_of_a_fact_is_the_fact() -> None:
    mentions = Mentions([Fact("path", "/repo/a/store.py", 0)], [("/repo/a/store.py", "a/store.py")])
    assert mentions.of(Message("user", (TextBlock(text="open a/store.py"),))).facts == {0}


def test_things_look_alike_where_their_shape_is_one() -> None:
    assert shape_of("ORD-4417") == shape_of("INV-9021") != shape_of("ORD-44171")
    assert shape_of("/a/b/x.py") == shape_of("c/d/y.py") != shape_of("c/d/y.ts")
    assert shape_of("hello") == ""


def test_a_fact_came_up_where_it_was_first_said_in_whatever_order_it_is_found() -> None:
    later, earlier = Fact("value", "ORD-4417", 9), Fact("identifier", "ORD-4417", 2)
    for both in ([later, earlier], [earlier, later]):
        assert first_ones(both) == {"ORD-4417": earlier}


def test_a_number_a_person_names_counts_once_with_its_unit() -> None:
    found = said_by_person("It took 4417 rows.", 3)
    assert list(found) == [Fact("number", "4417 rows", 3)]
