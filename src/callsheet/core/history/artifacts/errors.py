"""The exact words of errors in a tool's result (F2)."""

import re
from collections.abc import Iterator

LONGEST, SCANNED, MOST = 400, 60_000, 12
PYTHON = re.compile(
    r"^(?:E {3})?\s{0,4}(?:[A-Za-z_][\w.]*(?:Error|Exception|Warning|Exit|Interrupt|Failure|Fault)\b(?::.*)?)$"
)
SAYS = re.compile(
    r"(?:^|[\s\[(])(?:error|fatal|panic|fail(?:ed|ure)?|exception|cannot|could not|no such file|not found|denied|"
    r"unresolved|undefined|refused|segmentation fault|core dumped)\b|\b[A-Z]\w*(?:Error|Exception)\b|\berror[:\[ ]",
    re.IGNORECASE,
)
SIGNS = (
    *("error", "fatal", "panic", "fail", "exception", "cannot", "could not", "no such file", "not found", "denied"),
    *("unresolved", "undefined", "refused", "segmentation fault", "core dumped"),
)
"""What such a line has one of, in small letters."""
NOTHING_WRONG = re.compile(r"\b(?:0|no) (?:errors?|failures?|failed)\b|^Exit code \d+$", re.IGNORECASE)
COMES = ("Traceback (most recent call last)", "Error", "error", "ERROR", "fatal", "FAILED", "panic", "xception")


def error_lines(text: str, failed: bool) -> Iterator[str]:
    """The lines that say what went wrong, word for word, at most a dozen.

    Of a result that is no error itself only the last line of a traceback is one: its text may speak of errors without
    there being any.
    """
    if not failed and COMES[0] not in text:
        return
    if len(text) > SCANNED:
        text = text[: SCANNED // 2] + "\n" + text[-SCANNED // 2 :]
    lines = [line.rstrip() for line in text.splitlines()]
    found = [line.strip() for line in lines if PYTHON.match(line)]
    if not found and failed:
        found = [line.strip() for line in lines if _says(line) and not NOTHING_WRONG.search(line)]
    if not found and failed:
        found = [line.strip() for line in lines if line.strip() and not NOTHING_WRONG.search(line)][-1:]
    yield from dict.fromkeys(line[:LONGEST] for line in found[:MOST])


def _says(line: str) -> bool:
    small = line.lower()
    return any(sign in small for sign in SIGNS) and SAYS.search(line) is not None
