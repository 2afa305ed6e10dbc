"""Secrets out of every text before it is assembled, stored or shown (I1, invariant 7)."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from .parse_json import parse_json

_DIGIT = r"(?=[\w-]{0,99}\d)"  # names of things have none, keys nearly always do
_NAMED = r"(?:password|passwd|passwort|hasło|secret|api[_-]?key|(?:access|auth)[_-]?token)"
_VALUE = r"[^\s\"',;\\]"

PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("private-key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.S)),
    ("json-web-token", re.compile(r"\beyJ[\w-]{8,2000}\.[\w-]{8,}\.[\w-]{8,}")),
    ("api-key", re.compile(rf"\b(?:sk-|(?:sk|pk|rk)_(?:live|test)_){_DIGIT}[\w-]{{16,}}")),
    ("access-key", re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    ("token", re.compile(rf"\b(?:gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|xapp-|hf_|npm_|dop_v1_"
                         rf"|dckr_pat_|shp(?:at|ss|ca)_|sbp_|lin_api_|ntn_|whsec_|GOCSPX-|pypi-|sq0csp-){_DIGIT}[\w-]{{16,}}"
                         r"|\b(?:ya29|hvs|SG)\.[\w-]{16,}[\w.-]*|\b\d{8,10}:AA[\w-]{33}\b")),
    ("google-key", re.compile(r"\bAIza[\w-]{35}")),
    ("bearer", re.compile(r"(?i)(?<=bearer )(?=[\w.~+/-]{0,99}\d)[\w.~+/-]{16,}=*")),
    ("url-password", re.compile(r"(?<=://)[^\s/:@\"\\]*:[^\s/@\"\\]+(?=@)")),
    # `password=` is an assignment; after a colon only what has a digit or a sign in it is more than a word.
    ("password", re.compile(
        rf"(?i)(?<![^\W_])({_NAMED}\\?[\"']?\s*(?:=\s*|:\s*\\?(?=[\"']?{_VALUE}{{0,99}}[\d!@#$%^&*]))\\?[\"']?)"
        rf"(?!\[redacted:){_VALUE}{{6,}}")),
)  # fmt: skip


def any_of(*marks: str) -> Callable[[str], object]:
    """Says whether a text holds one of these marks."""
    return lambda text: any(map(text.__contains__, marks))


def _ending(sign: str, *marks: str) -> Callable[[str], object]:
    """Finds marks that end with a sign by it: it is rarer than any letter, and one search does."""
    return re.compile(f"{sign}(?:{'|'.join(f'(?<={re.escape(mark)})' for mark in marks)})").search


_NAMES = any_of("passw", "hasło", "secret", "api", "token")
_MARKS: tuple[tuple[str, str, Callable[[str], object]], ...] = (
    ("private-key", "-", any_of("-----begin")),
    ("json-web-token", "", any_of("eyj")),
    ("api-key", "-", any_of("sk-")),
    ("api-key", "_", _ending("_", "k_live_", "k_test_")),
    ("access-key", "", any_of("akia", "asia")),
    (
        "token",
        "_",
        _ending(
            "_",
            "ghp_",
            "gho_",
            "ghu_",
            "ghs_",
            "ghr_",
            "github_pat_",
            "hf_",
            "npm_",
            "dop_v1_",
            "dckr_pat_",
            "shpat_",
            "shpss_",
            "shpca_",
            "sbp_",
            "lin_api_",
            "ntn_",
            "whsec_",
        ),
    ),
    ("token", "-", any_of("glpat-", "xox", "xapp-", "gocspx-", "pypi-", "sq0csp-")),
    ("token", ".", any_of("ya29.", "hvs.", "sg.")),
    ("token", ":", any_of(":aa")),
    ("google-key", "", any_of("aiza")),
    ("bearer", "", any_of("bearer ")),
    ("url-password", "@", any_of("://")),
    ("password", "=", _NAMES),
    ("password", ":", _NAMES),
)
"""What a text that a pattern matches holds at the least, case-folded: the sign and one of the marks of a line."""
_SECRET_FIELD = re.compile(rf"(?i)(?<![^\W_]){_NAMED}$")
MARK = "[redacted:"


def redact(text: str) -> str:
    """The text with every secret replaced by `[redacted:class]`."""
    # A pattern that ignores case takes both of these for an i, and folding takes neither.
    folded = text.replace("İ", "i").replace("ı", "i").casefold()
    suspects = {name for name, sign, marks in _MARKS if sign in folded and marks(folded)}
    for name, pattern in PATTERNS if suspects else ():
        if name not in suspects:
            continue
        label = r"\1" if pattern.groups else ""
        text = pattern.sub(f"{label}{MARK}{name}]", text)
    return text


def redact_json(text: str) -> str:
    """A JSON text without secrets, also where they are spelled with escapes or stand in JSON inside a string of it.

    It comes back as it was but for its secrets; where an escape hid one, it is written anew.
    """
    clean = redact(text)
    if "\\u" not in clean:
        return clean
    try:
        value = parse_json(clean)
        bare = _nested(value)
    except ValueError:
        return clean
    return clean if bare == value else json.dumps(bare, ensure_ascii=False)


def _nested(value: Any) -> Any:
    """A JSON value with its strings redacted, those that are JSON objects themselves from the inside."""
    if isinstance(value, str):
        return redact_json(value) if value.lstrip().startswith("{") else redact(value)
    if isinstance(value, dict):
        return {redact(key): _nested(each) for key, each in value.items()}
    return [_nested(each) for each in value] if isinstance(value, list) else value


def redact_value(value: Any) -> Any:
    """A JSON value with every string in it redacted, keys included, and whatever a field named after a secret says."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return {redact(str(key)): _field(str(key), each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [redact_value(each) for each in value]
    return value


def _field(name: str, value: Any) -> Any:
    if isinstance(value, str) and value and _SECRET_FIELD.search(name):
        return f"{MARK}password]" if (clean := redact(value)) == value else clean
    return redact_value(value)
