"""Secrets out of every text before it is assembled, stored or shown (I1, invariant 7)."""

import re
from collections.abc import Mapping
from typing import Any

PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("private-key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.S)),
    ("json-web-token", re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}")),
    ("api-key", re.compile(r"\b(?:sk|pk|rk)[-_](?=[\w-]*\d)[\w-]{16,}")),
    ("access-key", re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    ("token", re.compile(r"\b(?:gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|hf_|npm_)[\w-]{16,}")),
    ("google-key", re.compile(r"\bAIza[\w-]{35}")),
    ("bearer", re.compile(r"(?i)(?<=bearer )[\w.~+/-]{16,}=*")),
    ("url-password", re.compile(r"(?<=://)[^\s/:@\"]+:[^\s/@\"]+(?=@)")),
    ("password", re.compile(r"(?i)\b(?:password|passwd|passwort|hasło|secret)\s*[=:]\s*[^\s\"',;]{6,}")),
)
MARK = "[redacted:"


def redact(text: str) -> str:
    """The text with every secret replaced by `[redacted:class]`."""
    for name, pattern in PATTERNS:
        text = pattern.sub(f"{MARK}{name}]", text)
    return text


def redact_value(value: Any) -> Any:
    """A JSON value with every string in it redacted, keys included."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return {redact(str(key)): redact_value(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [redact_value(each) for each in value]
    return value
