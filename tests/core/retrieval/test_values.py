"""Amounts, dates and times compare by value, however English, German and Polish write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.retrieval.number_words import number_of
from callsheet.core.retrieval.reading import gives, reading
from callsheet.core.retrieval.values import plain_values

ALIKE = [
    ("en", "1,500.00 EUR", ["€ 1,500", "1 500 EUR", "1.500,00 €", "EUR 1500", "1'500 euros"]),
    ("en", "5 percent", ["5 %", "+5 %", "five percent", "5 per cent"]),
    ("en", "-5", ["−5", "minus five", "minus 5"]),
    ("en", "3 April 2026", ["2026-04-03", "April 3rd, 2026", "the 3rd of April 2026", "2026/04/03",
        "03/04/2026", "April 3 , 2026", "03.04.2026"]),
    ("en", "03/04/2026", ["2026-04-03", "2026-03-04"]),
    ("en", "23/04/2026", ["April 23, 2026", "04/23/2026"]),
    ("en", "3 pm", ["15:00", "3 p.m.", "3:00 pm"]),
    ("en", "5k", ["5 thousand", "5,000", "five thousand"]),
    ("en", "305", ["three hundred and five"]),
    ("en", "the 19th century", ["the nineteenth century"]),
    ("en", "twenty-five days", ["25 days", "600 hours"]),
    ("en", "1.5 hours", ["90 minutes", "1,5 hours"]),
    ("de", "1.500,00 €", ["1500 Euro", "1 500 €", "1.500 EUR", "1,5 Tsd. Euro"]),
    ("de", "3. April 2026", ["2026-04-03", "03.04.2026", "3.4.26", "03/04/2026"]),
    ("de", "um 15 Uhr", ["um 15:00 Uhr", "um 15.00 Uhr", "um 15:00"]),
    ("de", "fünfundzwanzig Tage", ["25 Tage", "25 Tagen", "600 Stunden"]),
    ("de", "5 Prozent", ["5 %", "fünf Prozent"]),
    ("de", "zweihundert", ["200"]), ("de", "dreitausendfünfhundert", ["3.500", "3500"]),
    ("de", "der dritte Tag", ["der 3. Tag"]),
    ("de", "2 Mio. Euro", ["zwei Millionen Euro", "2.000.000 €"]),
    ("pl", "1 500,50 zł", ["1500,50 PLN", "1.500,50 złotych"]),
    ("pl", "3 kwietnia 2026", ["2026-04-03", "03.04.2026", "3.04.2026 r.", "3 kwietnia 2026 roku"]),
    ("pl", "dwadzieścia pięć dni", ["25 dni", "600 godzin"]),
    ("pl", "5 tys. złotych", ["5000 PLN", "pięć tysięcy złotych"]),
    ("pl", "godz. 15.30", ["15:30"]), ("pl", "5 procent", ["5 %", "pięć procent"]),
    ("pl", "trzeci dzień", ["3. dzień"]),
]  # fmt: skip
DIFFERENT = [
    ("en", "5 MB", ["5 GB", "5", "500 MB"]), ("en", "-5", ["5"]), ("en", "1,500", ["1.500", "15,000"]),
    ("en", "03/04/2026", ["2026-04-05", "03/05/2026"]), ("en", "5 business days", ["5 days"]),
    ("en", "the 19th century", ["the 18th century", "19"]), ("en", "3 pm", ["3 am"]), ("en", "€ 5", ["$ 5", "5 PLN"]),
    ("de", "1.500", ["1,500", "1,5"]), ("de", "03/04/2026", ["2026-03-04"]), ("pl", "5 lat", ["5 dni", "5 miesięcy"]),
    ("pl", "w 2020 roku", ["w 2021 roku"]), ("de", "fünfzig", ["15", "5"]),
]  # fmt: skip


@pytest.mark.parametrize(("language", "one", "others"), ALIKE)
def test_what_is_only_written_differently_is_one_value(language: str, one: str, others: list[str]) -> None:
    (wanted,) = reading(one, language).values
    for other in others:
        assert gives(reading(other, language).values, wanted), (other, reading(other, language).values, wanted)


@pytest.mark.parametrize(("language", "one", "others"), DIFFERENT)
def test_what_differs_in_value_stays_apart(language: str, one: str, others: list[str]) -> None:
    (wanted,) = reading(one, language).values
    for other in others:
        assert not gives(reading(other, language).values, wanted), other


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "two-factor authentication"), ("en", "one thing"), ("en", "two three"),
        ("en", "Version 1.2.3 at 10.0.0.1 or /a/1/b"),
        ("en", "99/99/2026"), ("en", "pages 3-5 of 10-20-30"), ("de", "im Jahr 2020"), ("pl", "w 2020 roku"),
        ("de", "zweifellos vierbeinig"), ("de", "Version 1.2"), ("pl", "piątek i pięta"),
    ],
)  # fmt: skip
def test_what_is_no_amount_stays_as_it_is_written(language: str, text: str) -> None:
    assert plain_values(text, language) == text


@given(st.text("0123456789.,/-: €%$aAprilmytsz\n", max_size=40), st.sampled_from(["en", "de", "pl"]))
def test_any_text_is_read_and_rewriting_it_twice_changes_no_value(text: str, language: str) -> None:
    assert isinstance(plain_values(text, language), str)
    assert reading(text, language).values == reading(text, language).values


@given(st.integers(2, 999_999))
def test_numbers_in_german_words_are_read_back(number: int) -> None:
    assert number_of(_german(number), "de") == str(number)


def _german(number: int) -> str:
    small = """null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn
        siebzehn achtzehn neunzehn""".split()
    tens = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()
    if number >= 1_000:
        return _german(number // 1_000) + "tausend" + (_german(number % 1_000) if number % 1_000 else "")
    if number >= 100:
        return small[number // 100] + "hundert" + (_german(number % 100) if number % 100 else "")
    if number < 20:
        return small[number]
    return (small[number % 10] + "und" if number % 10 else "") + tens[number // 10 - 2]
