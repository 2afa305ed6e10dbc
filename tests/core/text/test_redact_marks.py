"""Clearing a text by a look changes nothing about what is found in it."""

from hypothesis import example, given
from hypothesis import strategies as st

from callsheet.core.text.redact import MARK, PATTERNS, redact

PIECES = st.sampled_from(
    [
        *("password", "Passwort", "HASŁO", "ſecret", "apı_key", "APİ-KEY", "auth_token", "Bearer ", "://", "@", "="),
        *(": ", '"', "sk-", "pk_live_", "ghp_", "xoxb-", "npm_", "AKIA", "AIza", "eyJ", ".", " ", "\n"),
        *("abcdefgh12345678", "ABCDEFGH12345678", "-----BEGIN RSA PRIVATE KEY-----"),
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=4), max_size=12).map("".join)


def by_every_pattern(text: str) -> str:
    for name, pattern in PATTERNS:
        if name == "secret-key" and not any(mark in text.casefold() for mark in ("aws", "akia", "asia")):
            continue  # it has no sign of its own, and is looked for beside its other half alone
        label = r"\1" if pattern.groups else ""
        text = pattern.sub(f"{label}{MARK}{name}]", text)
    return text


@given(TEXTS)
@example("apı_key=abcdefgh12345678")
@example("APİ-KEY=abcdefgh12345678")
@example("ſecret = abcdefgh12345678")
@example("passwordabcdefgh12345678ABCDEFGH12345678")
@example("AKIA abcdefgh12345678ABCDEFGHabcdefgh12345678")
def test_what_is_removed_is_what_every_pattern_would_remove(text: str) -> None:
    assert redact(text) == by_every_pattern(text)
