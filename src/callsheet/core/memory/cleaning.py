"""What must not be stored, out of a text; and whether anything is left then (I1, I2)."""

import re
from collections.abc import Collection

from ..text.personal import without_personal
from ..text.redact import MARK, redact
from .sameness import said

_TAKEN = re.compile(rf"{re.escape(MARK)}([a-z-]+)\]")
_PERSONAL = frozenset(("address", "card", "email", "iban", "ip-address", "national-id", "phone"))
_ANNOUNCING = said(
    """
    my the new old private work home email e-mail mail address phone mobile cell number telephone fax whatsapp iban
    account bank card credit debit visa mastercard ssn social security passport id tax ip password passcode pin
    code api key access token secret login contact reach call live lives write here meine neue adresse mailadresse
    telefon telefonnummer handy handynummer nummer konto kontonummer karte kreditkarte ausweis passwort kennwort
    schlüssel lautet erreichbar unter wohne anrufen ruf adres telefonu numer konta karty hasło klucz mieszkam przy
    to mój moje moja zadzwoń pod
    """
).words
"""Words that only announce what was taken out."""


def without_private(text: str, keep: Collection[str], locale: str) -> str:
    """The text without secrets, and without personal data but for the kinds to keep."""
    return without_personal(redact(text), keep, locale)


def cleaned(text: str, keep: Collection[str], locale: str) -> str:
    """A statement as it is stored: `without_private`, and without blanks around it."""
    return without_private(text, keep, locale).strip()


def emptied(text: str) -> tuple[str, str] | None:
    """The rule, and the kind of what was taken out, where nothing is left of a cleaned text beside it; else None."""
    kinds = _TAKEN.findall(text)
    if not kinds or said(_TAKEN.sub(" ", text)).words - _ANNOUNCING:
        return None
    return ("personal-data-in-memory" if set(kinds) <= _PERSONAL else "secret-in-memory"), kinds[0]
