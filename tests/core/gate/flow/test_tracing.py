"""Where the value of an argument comes from: whole tokens of trusted text, every element, every key (invariant 5)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.gate.flow.leaves import declared_names
from callsheet.core.gate.flow.lending import trusted_texts
from callsheet.core.gate.flow.tracing import untraced
from callsheet.model.task import TaskState

from ...world import STATE


@pytest.mark.parametrize(
    ("trusted", "value"),
    [
        (["Order 113 units."], "13"),
        (["See www.ok.example."], "http://www.ok.example.evil.test"),
        (["See www.ok.example."], "ok.example"),
        (["Pay the rent.", "DE44"], 9_000),
        (["Mail ann@ok.example"], ["ann@ok.example", "x@evil.example"]),
        (["Mail ann@ok.example"], {"cc": ["ann@ok.example"], "bcc": ["x@evil.example"]}),
        (["Mail ann@ok.example"], {"x@evil.example": "ann@ok.example"}),
        (["Check ok.example."], "https://ok.example/?c=463820"),
        (["Pay 1,000 EUR"], 1),
        (["Pay 1.000 EUR"], 1),
        (["Pay 98,70 EUR"], 70),
        (["Pay 1234567 EUR"], 1_234_568),
        (["Account 12345678"], "12345679"),
        (["Account 0042"], "42"),
        (["Account 42"], "0042"),
        (["to infinity", "nan", "1e400"], "inf"),
        (["Pay 20 EUR"], -20),
        (["Pay $20"], "20€"),
        (["Pay 20"], "£20"),
        (["Account A-123"], "()"),
        (["See https://ok.example"], "http://ok.example"),
        (["See ok.example/a"], "https://ok.example/b"),
        (["See ok.example"], "https://x@ok.example"),
        (["See ok.example"], "https://ok.example:8443"),
        (["Pay 1,0000 EUR"], 10_000),
        (["Pay Le Monde now"], "Le Marais Hotel"),
        (["Pay Le Marais"], "Le Marais Hotel"),
        (["Le Hotel Marais"], "Le Marais Hotel"),
    ],
)
def test_a_value_that_no_trusted_text_holds_as_a_whole_is_untraced(trusted: list[str], value: Any) -> None:
    assert untraced(value, trusted, frozenset({"cc", "bcc"}))


@pytest.mark.parametrize(
    ("trusted", "value"),
    [
        (["Send 20 EUR to DE44."], 20),
        (["Send 20 EUR to DE44."], "de44"),
        (["Send $20 to Bob"], 20),
        (["Send $20 to Bob"], "$20"),
        (["Send 20 € to Bob"], "20€"),
        (["Send 20.00 EUR"], 20),
        (["Send 98,70 EUR"], 98.7),
        (["Send 1,000 EUR"], 1_000),
        (["Send 1,234,567.50 EUR"], 1_234_567.5),
        (["See ok.example"], "https://ok.example/"),
        (["See www.ok.example.They know"], "www.ok.example"),
        (["See https://ok.example/a?b=c"], "https://ok.example/a?b=c"),
        (["Send 98.7 EUR"], "98.70"),
        (["Mail bob@x.example, please"], "bob@x.example"),
        (["Is it (A-123)?"], "A-123"),
        (["Mail ann@ok.example and bob@ok.example"], ["bob@ok.example", "ann@ok.example"]),
        (["Pay Le Marais Hotel now"], "Le Marais Hotel"),
        (["Pay 1,000 EUR"], "1,000"),
        (["anything"], None),
        (["anything"], True),
        (["anything"], ""),
        (["Mail ann@ok.example"], {"cc": "ann@ok.example"}),
    ],
)
def test_a_value_of_the_users_words_is_traced(trusted: list[str], value: Any) -> None:
    assert untraced(value, trusted, frozenset({"cc", "bcc"})) == ()


@given(st.lists(st.from_regex(r"[a-z]{1,6}-[0-9]{1,4}", fullmatch=True), min_size=1, max_size=5, unique=True))
def test_a_trusted_token_is_traced_and_its_proper_parts_are_not(tokens: list[str]) -> None:
    text = "Please use " + ", ".join(tokens) + "."
    assert untraced(tokens, [text]) == ()
    parts = [each for token in tokens for each in (token[1:], token[:-1], token + "0") if each not in tokens]
    assert untraced(parts, [text]) == tuple(each for each in parts if each)


def test_the_users_words_and_canonical_state_lend_authority_and_nothing_else_does() -> None:
    texts = trusted_texts("Why?", STATE)
    assert set(texts) == {"Why?", STATE.goal, "A-123", "pro"}
    narrated = TaskState(completed=("paid DE99",), artifacts=("DE99",), tests="DE99", phase="DE99")
    assert untraced("DE99", trusted_texts("Pay.", narrated)) == ("DE99",)


def test_names_that_a_schema_declares_are_found_at_any_depth() -> None:
    nested = {
        "properties": {"to": {"items": {"properties": {"iban": {}}}}},
        "$defs": {"x": {"properties": {"name": {}}}},
    }
    assert declared_names(nested) == {"to", "iban", "name"} and declared_names({"anyOf": [nested]}) == {
        "to",
        "iban",
        "name",
    }
