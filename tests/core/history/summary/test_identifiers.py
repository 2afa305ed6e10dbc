"""Exact names and values are found by their form, and prose is left alone."""

import pytest

from callsheet.core.history.summary.identifiers import identifiers


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see https://a.example/x?y=1.", ["https://a.example/x?y=1"]),
        ("POST /api/auth/login failed", ["POST", "/api/auth/login"]),
        ("open src/app/main.py:12 now", ["src/app/main.py"]),
        ("in C:\\work\\a.txt and ~/b/c.md", ["C:\\work\\a.txt", "~/b/c.md"]),
        ("node v22.1.0 at 10.0.0.7:6379", ["v22.1.0", "10.0.0.7:6379"]),
        ("listens on localhost:3000/health", ["localhost:3000/health"]),
        ("commit 3f2a9c1b", ["3f2a9c1b"]),
        ("id 123e4567-e89b-12d3-a456-426614174000", ["123e4567-e89b-12d3-a456-426614174000"]),
        ("ticket OPS-1234 for user_42", ["OPS-1234", "user_42"]),
        ("call getUser() and MAX_RETRIES", ["getUser", "MAX_RETRIES"]),
        ("limit 30 MB, wait 12.5s, 99% done, 4417 euros", ["30 MB", "12.5s", "99%", "4417"]),
        ("we had 2 or 10 of them", []),
        (
            '{"kunde": "Łukasz Żak", "betrag": "2.176,31 €", "gewicht": "38,9 kg"}',
            ["Łukasz Żak", "2.176,31 €", "38,9 kg"],
        ),
        ("kwota: 1249,90 zł\ndata: 2027-03-14", ["1249,90 zł", "2027-03-14"]),
        ("it cost $1,200.50 or 1,200 in all", ["$1,200.50", "1,200"]),
        ("odbiorca: Jürgen Weiß\nadres: ul. Długa 27/4", ["Jürgen Weiß", "ul. Długa 27/4", "27/4"]),
        ("uwaga: wszystko jest gotowe", []),
        ("Nothing here is a name, only words.", []),
        ("  118→value = 7\n  119→other", []),
    ],
)
def test_a_name_is_told_by_its_form(text, found):
    assert list(identifiers(text)) == found


def test_a_text_without_any_name_is_read_in_time_however_it_is_made():
    for text in ("a" * 500_000, "1.1," * 100_000, "/a" * 200_000, "a-" * 200_000, "0a" * 200_000):
        assert len(list(identifiers(text))) < 5
