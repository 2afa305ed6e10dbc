"""Personal data out of a text, and nothing else (C2, I1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.text.personal import without_personal


@pytest.mark.parametrize(
    ("text", "locale", "clean"),
    [
        ("Write to anna.k+x@example.com.", "en", "Write to [redacted:email]."),
        ("anna (at) example (dot) com", "en", "[redacted:email]"),
        ("Call me at +49 30 901820!", "en", "Call me at [redacted:phone]!"),
        ("Ruf mich an: 030 901820", "de", "Ruf mich an: [redacted:phone]"),
        ("mój numer to 601 234 567", "pl", "mój numer to [redacted:phone]"),
        ("phone: 555-123-4567", "en", "phone: [redacted:phone]"),
        ("DE89 3704 0044 0532 0130 00, bitte", "de", "[redacted:iban], bitte"),
        ("card 4111 1111 1111 1111", "en", "card [redacted:card]"),
        ("SSN 123-45-6789", "en", "SSN [redacted:national-id]"),
        ("PESEL 44051401359", "pl", "PESEL [redacted:national-id]"),
        ("Steuer-ID 86095742719", "de", "Steuer-ID [redacted:national-id]"),
        ("passport number C01X00T47", "en", "passport number [redacted:national-id]"),
        ("from 93.184.216.34 today", "en", "from [redacted:ip-address] today"),
        ("2001:db8:85a3:0:0:8a2e:370:7334", "en", "[redacted:ip-address]"),
        ("I live at 12 Baker Street.", "en", "I live at [redacted:address]."),
        ("Hauptstraße 5, 10115 Berlin", "de", "[redacted:address]"),
        ("ul. Długa 5/7, 00-001 Warszawa", "pl", "[redacted:address]"),
        ("My password is hunter2x!", "en", "My password is [redacted:password]"),
        ('Das Passwort lautet "blaue Kuh".', "de", 'Das Passwort lautet "[redacted:password]".'),
        ("PIN: 4711", "en", "PIN: [redacted:password]"),
    ],
)
def test_what_reaches_or_stands_for_a_person_is_taken_out(text: str, locale: str, clean: str) -> None:
    assert without_personal(text, (), locale) == clean


@pytest.mark.parametrize(
    "text",
    [
        "order 20260130-1234567, ticket 12345678",
        "order 4111111111111112",
        "IBAN DE89 3704 0044 0532 0130 02",
        "released 2026-11-30 12:30:11 in 3.11.7",
        "10.0.0.1 and 192.168.1.20 are ours, version 1.2.3",
        "Call duration 1234567 ms at 12:30:11:55",
        "44051401358 rows, 86095742718 bytes",
        "commit 4051401359aa of @callsheet/core@2.1.0",
        "We meet at room 12 on the way.",
        "The password is expired. The token is too short.",
    ],
)
def test_numbers_and_words_of_the_work_stay(text: str) -> None:
    for locale in ("en", "de", "pl"):
        assert without_personal(text, (), locale) == text


def test_a_kind_to_keep_is_kept() -> None:
    assert without_personal("anna@example.com, PESEL 44051401359", ("email",)) == (
        "anna@example.com, PESEL [redacted:national-id]"
    )


@given(st.text(alphabet="aZ1 @.+-/:()ul0ß4 ", max_size=80), st.sampled_from(["en", "de-AT", "pl_PL", "x"]))
def test_what_is_clean_stays_as_it_is(text: str, locale: str) -> None:
    clean = without_personal(text, (), locale)
    assert without_personal(clean, (), locale) == clean
