"""Which fix comes first: largest possible damage first, and cache work last (I5)."""

from collections.abc import Iterable

from ...model.diagnosis import Finding, Fix, Pattern

BY_DAMAGE: tuple[Pattern, ...] = (
    "poisoning",
    "clash",
    "lost-obligation",
    "confusion",
    "position-loss",
    "distraction",
    "loop",
    "stall",
    "cache",
)
"""What can do harm stands before what makes an answer wrong, and that before what only costs."""


def first_fixes(findings: Iterable[Finding]) -> tuple[Fix, ...]:
    """The fixes that findings call for, the first one first; findings of one rule, or with the same fix, together.

    Whatever lets a foreign text have a say (`missing` is authority) comes before everything else; then the order is
    that of `BY_DAMAGE`, the more findings the sooner.
    """
    texts: dict[tuple[Pattern, str], str] = {}
    together: dict[tuple[Pattern, str], list[Finding]] = {}
    for finding in findings:
        text = texts.setdefault((finding.pattern, finding.rule), finding.fix)
        together.setdefault((finding.pattern, text), []).append(finding)
    return tuple(sorted((_fix(same) for same in together.values()), key=_urgency))


def _fix(same: list[Finding]) -> Fix:
    first = same[0]
    return Fix(first.pattern, first.rule, first.fix, len(same), first.turn, first.missing, first.thread)


def _urgency(fix: Fix) -> tuple[bool, int, int, int]:
    return fix.missing != "authority", BY_DAMAGE.index(fix.pattern), -fix.findings, fix.turn
