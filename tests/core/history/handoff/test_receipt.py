"""A parent takes of its child's answer what resolves, refuses the rest by rule, and takes "none available" as it is."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.history.handoff.receipt import accept, fingerprint_of, located, receipt_of, sources_of
from callsheet.model.message import Message
from callsheet.model.receipt import Claim, Receipt, Span

from ..said import conversations, results, user

SOURCES = {"0": "The pool size is 4417.\nIt was 8 before.", "a.py": "RETRIES = 3"}
MANIFEST = "r-1"


def reply(*claims: tuple[str, list[tuple[str, str]]]) -> str:
    made = [{"text": text, "quotes": [{"source": s, "quote": q} for s, q in quotes]} for text, quotes in claims]
    return json.dumps({"claims": made})


def test_a_claim_whose_quote_stands_in_its_source_is_accepted_with_its_place() -> None:
    receipt = receipt_of(reply(("The pool holds 4417.", [("0", "pool size is 4417")])), MANIFEST, SOURCES)
    taken = accept(receipt, MANIFEST, SOURCES)
    assert taken.refused == () and taken.answer == "The pool holds 4417. [0:4-21]"


@pytest.mark.parametrize(
    "quotes",
    [[], [("0", "pool size is 9")], [("b.py", "RETRIES = 3")], [("a.py", "")], [("a.py", " 3 ")]],
    ids=["none", "not said", "no such source", "empty", "too short"],
)
def test_a_claim_without_a_span_that_resolves_is_refused(quotes: list[tuple[str, str]]) -> None:
    taken = accept(receipt_of(reply(("It is so.", quotes)), MANIFEST, SOURCES), MANIFEST, SOURCES)
    assert taken.claims == () and taken.refused[0][1].rule == "claim-without-span"


def test_one_claim_that_fails_does_not_take_the_others_with_it() -> None:
    said = reply(("Three retries.", [("a.py", "RETRIES = 3")]), ("Ten retries.", []))
    taken = accept(receipt_of(said, MANIFEST, SOURCES), MANIFEST, SOURCES)
    assert [claim.text for claim in taken.claims] == ["Three retries."]
    assert [claim.text for claim, _ in taken.refused] == ["Ten retries."]


def test_a_receipt_of_another_window_is_refused_whole() -> None:
    receipt = receipt_of(reply(("Three retries.", [("a.py", "RETRIES = 3")])), "r-2", SOURCES)
    assert [verdict.rule for _, verdict in accept(receipt, MANIFEST, SOURCES).refused] == ["receipt-unknown"]


def test_none_available_is_an_answer_and_says_where_was_looked() -> None:
    receipt = receipt_of('{"none_available": true}', MANIFEST, SOURCES)
    taken = accept(receipt, MANIFEST, SOURCES)
    assert taken.none_available and taken.answer == "none available" and taken.refused == ()
    assert receipt.looked_in == ("0", "a.py")


def test_none_available_beside_claims_is_no_none() -> None:
    receipt = Receipt(MANIFEST, (Claim("It is so."),), none_available=True)
    assert not accept(receipt, MANIFEST, SOURCES).none_available


@pytest.mark.parametrize(
    "text", ["", "I found it", "[]", "{}", '{"claims": [], "none_available": false}', '{"claims": "x"}']
)
def test_a_reply_that_is_neither_is_an_error_that_says_what_is_wanted(text: str) -> None:
    with pytest.raises(ValueError, match="claims"):
        receipt_of(text, MANIFEST, SOURCES)


def test_blanks_of_a_quote_are_read_as_one_and_the_span_is_that_of_the_source() -> None:
    assert located("0", "is 4417. It   was", SOURCES) == Span("0", 14, 29, "is 4417.\nIt was")


@given(conversations(), st.data())
def test_whatever_stands_in_the_window_can_be_quoted_and_nothing_moved_or_changed_is_accepted(
    said: list[Message], data: st.DataObject
) -> None:
    sources = sources_of([*said, user("the answer is forty-two")])
    name = data.draw(st.sampled_from(sorted(name for name, text in sources.items() if len("".join(text.split())) > 8)))
    text = sources[name]
    start = data.draw(st.integers(0, len(text) - 5))
    quote = text[start : start + 40]
    manifest = fingerprint_of(sources)
    span = located(name, quote, sources)
    if span is None:
        assert len("".join(quote.split())) < 3
        return
    assert text[span.start : span.end] == span.quote
    assert accept(Receipt(manifest, (Claim("so", (span,)),)), manifest, sources).claims
    moved = replace(span, start=span.start + 1, end=span.end + 1)
    changed = replace(span, quote=span.quote[:-1] + chr(ord(span.quote[-1]) + 1))
    outside = replace(span, start=len(text) + 1, end=len(text) + 1 + len(span.quote))
    for wrong in (changed, outside, *([moved] if text[moved.start : moved.end] != span.quote else [])):
        taken = accept(Receipt(manifest, (Claim("so", (span, wrong)),)), manifest, sources)
        assert not taken.claims and taken.refused[0][1].rule == "span-unresolved"


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=9)), st.text(max_size=5), st.text(max_size=9))
def test_the_fingerprint_tells_every_window_from_every_other(sources: dict[str, str], name: str, text: str) -> None:
    other = {**sources, name: text}
    assert (fingerprint_of(other) == fingerprint_of(sources)) == (other == sources)


def test_results_are_sources_like_any_message() -> None:
    assert sources_of([user("read it"), results(a="RETRIES = 3")])["1"] == "RETRIES = 3"
