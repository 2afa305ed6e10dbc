"""Contradictions between texts, and how facts are read whatever way they are written."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callsheet.core.diagnose.patterns.clash.statements import MOST_SENTENCES, Statements, clashes
from callsheet.core.diagnose.patterns.texts.facts import read, sentences

CONTRADICTIONS = [
    ("number", "The rate limit of the API is 500 requests per minute.", "The rate limit of the API is 50 requests."),
    ("number", "Refunds are processed within 5 business days.", "Refunds take up to 10 days to be processed."),
    ("number", "We use PostgreSQL 14 in production.", "Note that production runs PostgreSQL 16."),
    (
        "date",
        "The release of the client is due on 3 March 2025.",
        "The release of the client is due on March 10, 2025.",
    ),
    (
        "version",
        "The client library needs version 2.3.1 of the server.",
        "The client library needs version 2.4 of the server.",
    ),
    ("name", "The owner of the billing service is Alice Johnson.", "The owner of the billing service is Bob Smith."),
    ("negation", "Customers on the basic plan can export data.", "Customers on the basic plan cannot export data."),
    ("negation", "The cache is cleared at every restart.", "The cache is not cleared at every restart."),
    ("opposite", "Two-factor login is enabled for guest accounts.", "Two-factor login is disabled for guest accounts."),
    ("time", "The maintenance window on Sunday opens at 10:30 pm.", "The maintenance window on Sunday opens at 23:30."),
]
AGREEMENTS = [
    ("The cache holds entries for 5 minutes by default.", "The cache holds entries for 300 seconds by default."),
    ("The release of the client is due on 2025-03-03.", "The release of the client is due on 3 March 2025."),
    ("The release of the client is due in March 2025.", "The release of the client is due on 3 March 2025."),
    ("The bucket holds 1,500 objects in all regions.", "The bucket holds 1500 objects in all regions."),
    ("The company paid $1.5 billion for the whole team.", "The company paid $1,500 million for the whole team."),
    ("The trial ends after three months for everyone.", "The trial ends after 3 months for everyone."),
    ("The window on Sunday opens at 10:30 pm for all.", "The window on Sunday opens at 22:30 for all."),
    ("The race in Paris was won by Egan Bernal last year.", "The race in Paris was won by Bernal last year."),
    ("Step 3 of the run on Monday took 20 seconds.", "Step 4 of the run on Tuesday took 30 seconds."),
    ("The session of a guest expires in 30 minutes.", "The password of an admin expires in 90 days."),
]


@pytest.mark.parametrize(("kind", "one", "other"), CONTRADICTIONS)
def test_two_texts_that_contradict_each_other_clash(kind: str, one: str, other: str) -> None:
    (found,) = clashes([one, other])
    assert (found.kind, found.texts, found.sentences) == (kind, (0, 1), (one, other))
    assert all(value in text for value, text in zip(found.values, (one, other), strict=True))


@pytest.mark.parametrize(("one", "other"), AGREEMENTS)
def test_two_texts_that_agree_do_not_clash(one: str, other: str) -> None:
    assert clashes([one, other]) == ()


def test_a_line_that_stands_in_both_texts_is_no_side_of_a_clash() -> None:
    one = "The limit of the blue plan is 5 users.\nThe limit of the red plan is 9 users."
    assert clashes([one, one.replace("blue", "green").replace("red", "blue")]) != ()
    assert clashes([one, f"{one}\nThe limit of the red plan is soft."]) == ()


def test_versions_of_one_document_clash_by_their_fields_and_two_documents_do_not() -> None:
    body = "Restart the ingress controllers one after the other.\nThen look at the error rate of the dashboard.\n"
    one, two = (f"title: Ingress\nlast_reviewed_on: {day}\n{body}" for day in ("2024-01-02", "2025-03-04"))
    (found,) = clashes([one, two])
    assert found.values == ("2024-01-02", "2025-03-04")
    other = "title: Billing\nlast_reviewed_on: 2025-03-04\nInvoices are sent on the first day of a month.\n"
    assert clashes([one, other]) == ()


def test_a_text_is_never_held_against_itself() -> None:
    assert clashes(["The limit of the plan is 5 users. The limit of the plan is 9 users in all."]) == ()


@given(st.lists(st.text(max_size=200), max_size=6))
def test_any_texts_can_be_compared_and_equal_ones_agree(texts: list[str]) -> None:
    assert all(0 <= each.texts[0] < each.texts[1] < len(texts) for each in clashes(texts))
    assert all(clashes([text, text]) == () for text in texts)


@given(st.text(max_size=300))
def test_sentences_and_values_are_word_for_word(text: str) -> None:
    for sentence in sentences(text):
        assert sentence in text
        terms = read(sentence).terms
        assert all(a.end <= b.start for a, b in pairwise(terms))


@settings(max_examples=20)
@given(st.integers(1, 10**9), st.sampled_from(["ms", "seconds", "days", "MB", "%", "dollars", "requests"]))
def test_a_number_is_the_same_with_and_without_separators(number: int, unit: str) -> None:
    (plain,) = (term.key for term in read(f"{number} {unit}").terms if term.kind == "number")
    (grouped,) = (term.key for term in read(f"{number:,} {unit}").terms if term.kind == "number")
    assert plain == grouped


def test_old_statements_are_forgotten_so_that_memory_is_bounded() -> None:
    statements = Statements()
    for number in range(0, MOST_SENTENCES + 2_000, 500):
        statements.add([f"The word{at} of thing{at} is {at} in place{at}." for at in range(number, number + 500)])
    assert len(statements._known) == MOST_SENTENCES
    assert len(statements._texts) <= MOST_SENTENCES // 500 + 1
    assert statements.check(["The word1 of thing1 is 7 in place1."]) == ()
    assert statements.check([f"The word{MOST_SENTENCES} of thing{MOST_SENTENCES} is 7 in place{MOST_SENTENCES}."]) != ()
