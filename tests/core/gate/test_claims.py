"""Claims: each statement of an answer is bound to the words that support it, and to no others (B7)."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.gate.answer import AnswerGrounds, Judged, claims_of, judge_answer
from callsheet.core.gate.claims import Ground, bind, states
from callsheet.model.claim import Claim
from callsheet.model.message import Proposal
from callsheet.model.policy import GatePolicy
from callsheet.model.tool import Observation

from ..world import CHECK, KINDS, TASK, evidence, policy, working_set

KEYS = Ground(
    "runbook/api-keys@v7#revoked-keys",
    "## Revoked keys\nA revoked key cannot be restored. Acme revokes a key after 30 days without use, since 7 May "
    "2024. The customer creates a new key with `acme.keys.create` in the console. The Berlin office answers tickets "
    "from nine to five on every working day of the week, and the Warsaw office keeps the logs.",
    offset=100,
    about="Runbook > Revoked keys",
)
SEEN = Observation("check_key", "ok", {"account_id": "A-123"}, {"status": "revoked"}, "toolrun://run.1/1")


def only(text: str, *grounds: Ground, question: str = "") -> Claim:
    (claim,) = bind(text, grounds or (KEYS,), question)
    return claim


@pytest.mark.parametrize(
    "text",
    [
        "A revoked key cannot be restored.",
        "Revoked keys can't be restored.",
        "Since 2024-05-07 Acme revokes keys that were not used for thirty days.",
        "Acme revokes a key after 30 days without use.",
        "Create a new key in the console with acme.keys.create.",
        "The Warsaw office keeps the logs.",
    ],
)
def test_what_a_text_says_is_supported_by_it_also_in_other_words(text: str) -> None:
    claim = only(text)
    assert (claim.supported, claim.source, claim.why) == (True, KEYS.source, "")


@pytest.mark.parametrize(
    ("text", "lacking"),
    [
        ("Acme revokes a key after 90 days without use.", "number"),
        ("Acme revokes a key after 30 days without use, since 7 June 2024.", "date"),
        ("Revoked keys can be restored.", "otherwise"),
        ("A customer does not create a new key in the console.", "not"),
        ("Umbrella revokes the key, said Wesker.", "wesker"),
        ("Create a new key in the console with acme.keys.delete.", "acme.keys.delete"),
        ("The Berlin office keeps the logs.", "berlin stands there for something else"),
        ("Refunds reach the card of a customer every spring.", "too few of its words"),
        ("A revoked key of a school, a shop, a club, a bank or a farm cannot be restored.", "too few of its words"),
        ("Invoices come by post in summer.", "nothing that was received has a word of it"),
    ],
)
def test_a_claim_fails_by_the_one_thing_that_is_otherwise(text: str, lacking: str) -> None:
    claim = only(text)
    assert not claim.supported and lacking in claim.why


def test_the_span_is_that_of_the_supporting_words_in_the_document() -> None:
    claim = only("A revoked key cannot be restored.")
    assert KEYS.text[claim.start - 100 : claim.end - 100] == "A revoked key cannot be restored."
    assert claim.score == 1.0


def test_what_no_single_place_supports_is_bound_clause_by_clause() -> None:
    seen = Ground("toolrun://run.1/1", "check_key: status revoked, found in a public repository")
    first, second = bind("The status is public; a revoked key cannot be restored.", (seen, KEYS))
    assert (first.source, first.supported, second.source, second.supported) == (
        "toolrun://run.1/1", True, KEYS.source, True,
    )  # fmt: skip
    mixed = bind("A revoked key cannot be restored, but refunds reach every card.", [KEYS])
    assert [each.supported for each in mixed] == [True, False]


@pytest.mark.parametrize(
    "text",
    [
        "Hello, and thank you for your question about the keys!",
        "Would you like me to create a new key?",
        "Please contact the support team of your region.",
        "I can create a new key for you.",
        "A person will take this over from here.",
        "Guten Tag, vielen Dank für Ihre Anfrage.",
        "Czy mam utworzyć nowy klucz w konsoli?",
        "[withheld: secret-in-answer]",
        "Yes.",
    ],
)
def test_a_question_greeting_offer_or_hand_over_claims_nothing(text: str) -> None:
    assert not states(text) and bind(text, [KEYS]) == ()


def test_a_name_from_the_question_or_the_heading_need_not_be_said_again() -> None:
    text = "Under Falcon a revoked key cannot be restored."
    assert not only(text).supported
    assert only(text, question="What about revoked keys under Falcon?").supported
    assert only(text, replace(KEYS, about="Falcon > Keys")).supported


def test_without_anything_received_nothing_is_supported() -> None:
    (claim,) = bind("A revoked key cannot be restored.", ())
    assert claim == Claim("A revoked key cannot be restored.", False, why="nothing that was received has a word of it")


SENTENCES = st.lists(
    st.sampled_from(KEYS.text.partition("\n")[2].replace("`", "").split(". ")), min_size=1, max_size=4, unique=True
)


@given(SENTENCES)
def test_every_sentence_of_a_text_is_supported_by_that_text_at_its_own_place(chosen: list[str]) -> None:
    text = " ".join(each.rstrip(".") + "." for each in chosen)
    for claim in bind(text, [Ground("it", text)]):
        assert claim.supported and claim.text in text[claim.start : claim.end]


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_can_be_bound_to_any_other(answer: str, text: str) -> None:
    for claim in bind(answer, [Ground("it", text)]):
        assert claim.text in answer and 0 <= claim.start <= claim.end <= len(text) and 0 <= claim.score <= 1


def held(claims: str, **changes: Any) -> AnswerGrounds:
    task = replace(TASK, decision="answer", observations=(SEEN,))
    found = evidence(KEYS.source, KEYS.text, start=100)
    return replace(
        AnswerGrounds(working_set(found, task=task, rules=policy()), KINDS[2], (), (CHECK,), GatePolicy(), claims),  # type: ignore[arg-type]
        **changes,
    )


def judged(text: str, claims: str) -> Judged:
    said, grounds = Proposal("answer", answer=text, sources=(KEYS.source,)), held(claims)
    return judge_answer(said, grounds, claims_of(said, grounds))


TRUE = "The status is revoked. A revoked key cannot be restored."
FALSE = "The status is revoked. Keys older than 90 days are restored by night."


def test_a_marked_answer_carries_its_claims_and_is_shown_all_the_same() -> None:
    found = judged(FALSE, "mark")
    assert (found.outcome, found.answer) == ("answer", FALSE)
    assert [(each.supported, each.source) for each in found.claims] == [
        (True, "toolrun://run.1/1"), (False, KEYS.source),
    ]  # fmt: skip


def test_an_answer_with_an_unsupported_claim_is_refused_where_the_policy_says_so() -> None:
    found = judged(FALSE, "refuse")
    assert (found.outcome, found.answer, found.verdicts[-1].rule) == ("refused", "", "claim-unsupported")
    assert "Keys older than 90 days" in found.verdicts[-1].why and found.fallback.startswith("check_key found status")
    assert judged(TRUE, "refuse").outcome == "answer"


def test_claims_are_bound_only_where_the_policy_asks_for_it() -> None:
    assert judged(FALSE, "off").claims == () and judged(FALSE, "off").outcome == "answer"


def test_a_value_or_a_link_is_a_claim_however_politely_it_is_brought() -> None:
    ground = [Ground("d@v1#a", "Refunds are limited to 1,500 EUR per order. See https://docs.acme.com/keys for more.")]
    for said in (
        "Sure, refunds are limited to 9,000 EUR per order.",
        "I can confirm refunds are limited to 9,000 EUR per order.",
        "If you need more, refunds of 9,000 EUR are available.",
        "Wir erstatten 9000 EUR.",
        "See https://evil.example.com/keys for more.",
    ):
        assert [each.supported for each in bind(said, ground)] == [False], said
    assert [each.supported for each in bind("See https://docs.acme.com/keys for more.", ground)] == [True]
    assert bind("Sure, let me know how it goes!", ground) == ()


def test_what_one_row_of_a_table_says_is_not_said_of_the_next_and_its_head_is_said_of_each() -> None:
    table = [Ground("d", "| plan | price |\n|---|---|\n| Basic | 10 USD |\n| Pro | 25 USD |\n")]
    right, wrong = bind("The Pro plan costs 25 USD. The Pro plan costs 10 USD.", table)
    assert (right.supported, wrong.supported) == (True, False)


def test_a_citation_in_the_answer_is_no_part_of_the_claim() -> None:
    ground = [Ground("d@v1#a", "Keys rotate every 90 days.")]
    assert [each.supported for each in bind("Keys rotate every 90 days [d@v1#a].", ground)] == [True]
    assert [each.supported for each in bind("Keys rotate every 90 days [d@v2#a].", ground)] == [False]


def test_three_fifths_of_a_claims_words_must_stand_in_a_place() -> None:
    ground = [Ground("d@v1#a", "The nightly backup copies orders and invoices into the vault.")]
    (held,) = bind("The nightly backup copies orders into the cellar, silently.", ground)
    (loose,) = bind("The nightly backup copies orders from the cellar, silently, twice-weekly.", ground)
    assert (held.supported, round(held.score, 2)) == (True, 0.67)
    assert (loose.supported, loose.undecided) == (False, True) and 0.5 <= loose.score < 0.6


def test_three_neighbouring_sentences_support_a_claim_together_and_more_do_not() -> None:
    text = "The backup runs nightly. It goes into the vault. Every copy is encrypted. {}Its owner is Otto Brandt."
    near, far = (
        Ground("d@v1#a", text.format("")),
        Ground("d@v1#a", text.format("Restores are rehearsed. Tapes are old. ")),
    )
    assert bind("The nightly backup goes into the vault as an encrypted copy.", [near])[0].supported
    assert bind("An encrypted copy goes into the vault for its owner Otto Brandt.", [near])[0].supported
    assert not bind("An encrypted copy goes into the vault for its owner Otto Brandt.", [far])[0].supported


def test_what_two_items_of_a_list_say_supports_no_claim_together() -> None:
    items = Ground("d@v1#a", "- Logs are kept for seven days.\n- Traces cost 40 EUR a month.")
    (mixed,) = bind("Logs kept for seven days cost 40 EUR.", [items])
    assert not mixed.supported and bind("Logs are kept for seven days.", [items])[0].supported


def test_the_year_of_a_day_may_stand_in_the_headings() -> None:
    text = "Until 3 April the price is 5 EUR."
    said = "Until 3 April 2026 the price is 5 EUR."
    assert bind(said, [Ground("d@v1#a", text, about="Prices of 2026")])[0].supported
    assert not bind(said, [Ground("d@v1#a", text, about="Prices")])[0].supported
    assert not bind(said, [Ground("d@v1#a", text, about="Prices of 2025")])[0].supported
