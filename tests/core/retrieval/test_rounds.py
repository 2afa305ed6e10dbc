"""The rounds of an iterative search: what is still open, other words for it, and when to stop."""

from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.retrieval.needs import names, needs, telling
from callsheet.core.retrieval.rounds import Trail, Wanted, next_round, trail
from callsheet.model.evidence import Evidence, Scores

WORDS = st.lists(
    st.sampled_from("fee card account close refund transfer limit gold silver please the my".split()), min_size=1
)


def section(name: str, text: str, likeness: float | None = None) -> Evidence:
    scores = Scores(likeness=likeness)
    return Evidence(f"{name}@v1#text", "acme", name, "v1", "text", "", text, 0, len(text), scores=scores)


def asked(so_far: Trail, *found: Evidence) -> Trail:
    """The trail after its whole question was asked."""
    return so_far.after(1, [Wanted(so_far.question, so_far.question, "")], [found])


def test_a_question_of_two_sentences_and_one_of_two_clauses_have_two_parts() -> None:
    assert needs("I lost my gold card. My transfer to Paris is late.") == (
        "I lost my gold card.",
        "My transfer to Paris is late.",
    )
    assert needs("How is an account closed and what fees are charged?") == (
        "How is an account closed",
        "what fees are charged?",
    )


def test_things_named_side_by_side_are_asked_for_one_by_one() -> None:
    assert needs("What do the Gold Card and the Silver Card cost a year?") == (
        "What do the Gold Card and the cost a year?",
        "What do the and the Silver Card cost a year?",
    )


def test_a_sentence_of_mere_talk_is_no_part() -> None:
    assert needs("Hello there. Please help me. Why is my card blocked?") == ("Why is my card blocked?",)


def test_the_first_word_of_a_sentence_is_no_name_and_words_in_quotes_are() -> None:
    assert names('Open the "daily limit" page of Rho Bank. Then go on.') == ("daily limit", "Rho Bank")
    # A heading and the sentence below it are no one name.
    assert names("see\n## Night Trains\nTrains are booked.")[0] == "Night Trains"


def test_what_one_section_answers_is_not_asked_again() -> None:
    begun = asked(trail("How is an account closed?", "en", 4), section("closing", "An account is closed by phone."))
    wanted, stopped = next_round(begun)
    assert (wanted, stopped) == ((), "every part is answered (1)")


def test_a_hit_that_only_grazes_the_question_is_no_end() -> None:
    begun = asked(trail("Which fee does closing an account early cost?", "en", 4), section("fees", "A fee is a fee."))
    wanted, stopped = next_round(begun)
    assert wanted and not stopped


def test_another_round_takes_up_what_the_evidence_names() -> None:
    found = section("closing", "Early ends are charged by the Tariff Office of the bank.")
    begun = asked(trail("Which fee does closing an account early cost?", "en", 4), found)
    (wanted,), _ = next_round(begun)
    assert "Tariff Office" in wanted.query and "Tariff Office" in wanted.why


def test_each_open_part_is_asked_for_by_itself() -> None:
    begun = asked(trail("I lost my gold card. My transfer to Paris is late.", "en", 6))
    wanted, _ = next_round(begun)
    assert [each.query for each in wanted] == ["I lost my gold card.", "My transfer to Paris is late."]


def test_a_plan_made_by_somebody_takes_the_place_of_the_questions_own_parts() -> None:
    begun = asked(trail("Swap my account", "en", 6, ["close account", "open account", " "]))
    assert [each.query for each in next_round(begun)[0]] == ["close account", "open account"]


def test_the_limit_of_searches_ends_the_search_with_what_is_open() -> None:
    begun = asked(trail("I lost my gold card. My transfer to Paris is late.", "en", 1))
    assert next_round(begun) == ((), "the limit of 1 searches; 2 of 2 parts are open")


def test_a_search_that_could_only_repeat_itself_stalls() -> None:
    so_far, number = asked(trail("gold card", "en", 50)), 1
    while (round_ := next_round(so_far))[0]:
        number += 1
        so_far = so_far.after(number, round_[0], [()] * len(round_[0]))
    assert round_[1].startswith("stalled")


@given(st.lists(WORDS, min_size=1, max_size=4), st.integers(0, 12))
def test_no_two_queries_ask_the_same_and_no_search_makes_more_than_its_limit(parts: list[list[str]], most: int) -> None:
    so_far = asked(trail(". ".join(" ".join(part) for part in parts), "en", most))
    number = 1
    while wanted := next_round(so_far)[0]:
        number += 1
        results = [(section(f"d{number}", "The Tariff Office has it."),)] * len(wanted)
        so_far = so_far.after(number, wanted, results)
    queries = [telling(each.query) for each in so_far.searches]
    assert len(queries) == len(set(queries))
    assert len(queries) <= max(1, most)


def test_the_search_ends_where_it_found_as_many_tokens_as_it_may() -> None:
    begun = trail("Which fee does closing an account early cost?", "en", 4, most_tokens=100)
    first = [Wanted(begun.question, begun.question, "")]
    found = [(section("fees", "A fee is a fee."),)]
    assert next_round(begun.after(1, first, found, tokens=99))[0]
    wanted, stopped = next_round(begun.after(1, first, found, tokens=100))
    assert wanted == () and stopped.startswith("the limit of 100 tokens of evidence, with 100 found")
