"""Personal data out of what is kept: addresses that reach a person, and numbers that stand for one (C2, I1, I2).

Each kind is recognised by its form and, where it has one, by its check digits, so that an order number is no card and a
version no telephone. Telephone numbers are read by Google's rules (`phonenumbers`): written with a country code
anywhere, written as at home only by the rules of the session's own country. Names are no kind of their own: what is
remembered of a subject is kept under the subject, and whoever may see it knows whose it is.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from importlib import import_module
from typing import Any

from .redact import MARK
from .secret_shapes import any_of

LIBRARY = "phonenumbers"
_AT = r"\s?(?:@|\(at\)|\[at\]|\{at\}|＠)\s?"
_DOT = r"(?:\.|\s?(?:\(dot\)|\[dot\]|\(punkt\)|\[punkt\])\s?)"
_EMAIL = re.compile(
    rf"(?i)(?<![\w.+-])[\w.+'-]{{1,64}}{_AT}(?:[\w-]{{1,63}}{_DOT}){{1,6}}[a-z]{{2,24}}(?![\w-])"
    r"|(?<![\w.+-])[\w.+'-]{1,64}\s(?:at|ät)\s[\w-]{1,63}\s(?:dot|punkt)\s[a-z]{2,24}\b"
)
_IBAN = re.compile(r"(?<![\w-])[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]{4}){2,7}(?: ?[A-Za-z0-9]{1,3})?(?![\w-])")
_CARD = re.compile(r"(?<![\w.,/-])\d(?:[ -]?\d){12,18}(?![\w/-]|[.,]\d)")
_NATIONAL = re.compile(
    r"(?<![\w.,/-])(?:\d{3}-\d{2}-\d{4}|\d{11}|\d{2} ?\d{3} ?\d{3} ?\d{3}"
    r")(?![\w/-]|[.,]\d)"
)
_NAMED_ID = re.compile(
    r"(?i)\b(?:ssn|social\s+security(?:\s+number)?|passport(?:\s+(?:no|number))?|id\s+card(?:\s+(?:no|number))?"
    r"|tax\s+id|national\s+id"
    r"|driver'?s?\s+licen[cs]e(?:\s+(?:no|number))?|steuer-?id\w*|steuernummer|reisepass\w*|ausweisnummer"
    r"|personalausweis\w*"
    r"|sozialversicherungsnummer|führerschein\w*|pesel|nip|numer\s+dowodu|paszport\w*|dowód\s+osobisty)"
    r"\W{0,3}(?:is|ist|to|no\.?|nr\.?|number"
    r"|lautet)?\W{0,3}((?=[A-Z0-9./ -]*\d)[A-Z0-9][A-Z0-9./-]{4,20}(?:\s\d{2,6}){0,4})"
)
_IP = re.compile(
    r"(?<![\w.:/-])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w.-]|\.\d)"
    r"|(?<![\w:.])(?:[0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}(?![\w:])"
    r"|(?<![\w:.])(?:[0-9a-fA-F]{1,4}:){1,6}(?::[0-9a-fA-F]{1,4}){1,6}(?![\w:])"
)
_OWN_NETS = re.compile(r"(?:0\.|10\.|127\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|192\.168\.|255\.)")
_STREET = (
    r"(?:street|st\.?|road|rd\.?|avenue|ave\.?|lane|ln\.?|boulevard|blvd\.?|drive|dr\.?|court|ct\.?|square|terrace"
    r"|place|way|crescent)"
)
_TOWN = r"(?:,?\s+(?:[A-Z][\w.-]*\s?){1,3},?\s+(?:[A-Z]{2}\s+)?\d{5}(?:-\d{4})?\b)?"
_ADDRESS = re.compile(
    rf"(?<![\w.,/-])\d{{1,5}}[A-Za-z]?\s+(?:[A-ZÄÖÜ][\w'.-]*\s+){{1,4}}(?i:{_STREET})(?![\w]){_TOWN}"
    r"|\b[A-ZÄÖÜ][\wäöüß.-]*\s?(?:[Ss]tr(?:aße|asse|\.)|[Ww]eg|[Gg]asse|[Pp]latz|[Aa]llee|[Rr]ing|[Dd]amm"
    r"|[Uu]fer)\s+\d{1,4}\s?[a-z]?\b(?:,?\s+\d{5}\s+[A-ZÄÖÜ][\wäöüß-]+)?"
    r"|\b(?:ul\.|ulica|ulicy|al\.|aleja|alei|pl\."
    r"|os\.)\s+(?:[A-ZŁŚŻŹĆ][\w.-]*\s+){1,3}\d{1,4}[A-Za-z]?(?:\s?(?:/"
    r"|m\.)\s?\d{1,4})?(?:,?\s+\d{2}-\d{3}\s+[A-ZŁŚŻŹĆ]\w+)?"
    r"|(?<![\w-])\d{2}-\d{3}\s+[A-ZŁŚŻŹĆ][a-ząćęłńóśźż]{2,}\b"
    r"|(?<![\w.,/-])\d{5}\s+[A-ZÄÖÜ][a-zäöüß]{2,}(?=\s*[,.;]|\s*$)"
)
_REGIONS = {"de": "DE", "pl": "PL", "fr": "FR", "es": "ES", "it": "IT", "nl": "NL", "cs": "CZ"}
_CALLED = re.compile(
    r"(?i)\b(?:phone|tel|telephone|mobile|cell(?:phone)?|fax|whatsapp|telefon\w*|handy\w*|mobil(?:nummer)?"
    r"|festnetz\w*|rufnummer"
    r"|komórk\w+|numer(?:em|u)?\s+telefonu|(?:mój|jego|jej)\s+numer|pod\s+numer\w*)\b"
    r"|\b(?:call|reach|text|dial|ring|sms|ruft?|anrufen|erreich\w*|zadzwo\w+"
    r"|dzwoni\w*)\b[^.!?\n\d]{0,20}\b(?:at|on|unter|an|pod)\b"
)
_NAMED_PHONE = re.compile(r"(?<![\w.,/-])(?:\+|00|\(?0)?\d(?:[ ()/.-]{0,2}\d){6,14}(?![\w-]|[.,:/]\d)")
NEAR = 30
"""Characters before a number within which a word such as "phone" makes a telephone number of it."""


def without_personal(text: str, keep: Collection[str] = (), locale: str = "en") -> str:
    """The text with personal data replaced by `[redacted:kind]`, but for the kinds to keep."""
    folded = text.casefold()
    for kind, sign, find in _KINDS:
        if kind in keep or not sign(folded):
            continue
        spans = sorted(find(text, locale), reverse=True)
        for start, end in spans:
            text = f"{text[:start]}{MARK}{kind}]{text[end:]}"
    return text


def _matched(
    pattern: re.Pattern[str], holds: Callable[[str], bool] = bool
) -> Callable[[str, str], Iterator[tuple[int, int]]]:
    def find(text: str, locale: str) -> Iterator[tuple[int, int]]:
        return (found.span() for found in pattern.finditer(text) if holds(found.group()))

    return find


def _iban(text: str) -> bool:
    """True where the check digits of an account number are right (ISO 13616): the number leaves 1 over 97."""
    bare = text.replace(" ", "").upper()
    return 15 <= len(bare) <= 34 and int("".join(str(int(each, 36)) for each in bare[4:] + bare[:4])) % 97 == 1


def _luhn(digits: str) -> bool:
    """True where the last digit checks the others (ISO/IEC 7812)."""
    doubled = [int(digit) * (2 if at % 2 else 1) for at, digit in enumerate(reversed(digits))]
    return sum(each - 9 if each > 9 else each for each in doubled) % 10 == 0


def _card(text: str) -> bool:
    digits = re.sub(r"\D", "", text)
    return digits[0] in "3456" and len(set(digits)) > 1 and _luhn(digits)


def _national(text: str) -> bool:
    """True for a US social security number, a Polish PESEL or a German tax id: by form and check digit."""
    digits = re.sub(r"\D", "", text)
    if "-" in text:
        return digits[:3] not in ("000", "666") and digits[0] != "9" and digits[3:5] != "00" and digits[5:] != "0000"
    return _pesel(digits) or _tax_id(digits)


def _pesel(digits: str) -> bool:
    weights = (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)
    month, day = int(digits[2:4]) % 20, int(digits[4:6])
    checked = sum(weight * int(digit) for weight, digit in zip(weights, digits, strict=True)) % 10 == 0
    return checked and 1 <= month <= 12 and 1 <= day <= 31


def _tax_id(digits: str) -> bool:
    """True where the last digit checks the others as of ISO 7064 (mod 11, 10)."""
    product = 10
    for digit in digits[:10]:
        total = (int(digit) + product) % 10 or 10
        product = total * 2 % 11
    return digits[0] != "0" and (11 - product) % 10 == int(digits[10])


def _public(text: str) -> bool:
    return not _OWN_NETS.match(text) and (":" in text or len(set(text.split("."))) > 1)


def _named_ids(text: str, locale: str) -> Iterator[tuple[int, int]]:
    yield from (found.span() for found in _NATIONAL.finditer(text) if _national(found.group()))
    yield from (
        found.span(1)
        for found in _NAMED_ID.finditer(text)
        if MARK not in found.group() and not _NATIONAL.search(found.group(1))
    )


def _phones(text: str, locale: str) -> list[tuple[int, int]]:
    """Telephone numbers: valid ones by the library's rules, and any that a word before it calls one."""
    found = set()
    if "+" in text or _region(locale) is not None or _CALLED.search(text):
        found |= {(each.start, each.end) for each in _library().PhoneNumberMatcher(text, _region(locale))}
    for each in _NAMED_PHONE.finditer(text):
        named = _CALLED.search(text, max(0, each.start() - NEAR), each.start())
        if named and not any(start < each.end() and each.start() < end for start, end in found):
            found.add(each.span())
    return sorted(found)


def _region(locale: str) -> str | None:
    """The country by whose rules a number without a country code is read; None where the locale names none."""
    language, _, country = locale.replace("_", "-").partition("-")
    if len(country) == 2:
        return country.upper()
    return _REGIONS.get(language.casefold())


@lru_cache(maxsize=1)
def _library() -> Any:
    return import_module(LIBRARY)


_SPOKEN = re.compile(
    r"(?i)\b(?:password|passcode|passphrase|pin(?:\s*code)?|cvv|cvc|passwort|kennwort|geheimzahl|hasło|kod\s+pin|token"
    r"|secret|api[ _-]?key)(?:\s+\w+){0,2}?\s*(?:\bis|\bwas|\bist|\bwar|\blautet|\bto|\bbrzmi|[:=])\s*"
    r"(?:[\"'“„`](?P<quoted>[^\"'“”„`\[\n]{3,40})(?=[\"'“”`])"
    r"|(?P<bare>(?!\[)(?=\S{0,60}[\d!@#$%^&*])[^\s\"'“”„`]{3,60}?)(?=[\"'“”`.,;]?(?:\s|$)))"
)
"""A secret as it is told in a sentence; in logs and code, `redact` knows its own forms."""


def _spoken(text: str, locale: str) -> Iterator[tuple[int, int]]:
    return (found.span(found.lastgroup or 0) for found in _SPOKEN.finditer(text))


_DIGIT = re.compile(r"\d").search
_DIGITS = re.compile(r"(?:\d[ ()/.-]{0,2}){7}").search
_AT_SIGNS = ("@", "＠", "(at)", "[at]", "{at}", " dot ", " punkt ")
_SECRETIVE = ("pass", "pin", "cvv", "cvc", "kennwort", "geheimzahl", "hasło", "token", "secret", "key")
_KINDS: tuple[tuple[str, Callable[[str], object], Callable[[str, str], Iterable[tuple[int, int]]]], ...] = (
    ("password", any_of(*_SECRETIVE), _spoken),
    ("email", any_of(*_AT_SIGNS), _matched(_EMAIL)),
    ("iban", _DIGITS, _matched(_IBAN, _iban)),
    ("card", _DIGITS, _matched(_CARD, _card)),
    ("national-id", _DIGIT, _named_ids),
    ("ip-address", _DIGIT, _matched(_IP, _public)),
    ("phone", _DIGITS, _phones),
    ("address", _DIGIT, _matched(_ADDRESS)),
)
"""Each kind, what a folded text that holds one has at the least, and where in it they stand."""
