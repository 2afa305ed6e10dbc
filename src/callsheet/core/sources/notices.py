"""Is a notice rare, concrete and true in form? Advice to its producer; nothing here holds an event back (B3)."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

NOTICE_RULES: dict[str, str] = {
    "notice-too-long": "a notice is one sentence; longer texts belong into an artifact that it names",
    "notice-not-concrete": "it names nothing: no file, number, id or name that could be looked up",
    "notice-instructs": "it tells the model what to do; that belongs into the instructions",
    "notice-grants": "it speaks of a permission or an approval; only an approval record can grant one",
    "notice-every-round": "the same notice again and again is no event; put it into the instructions",
}
"""Every rule about a notice; `docs/rules.md` documents each of them."""

LONGEST = 200
OFTEN = 3
_CONCRETE = re.compile(r"\d|[/\\._:-]\w|[A-Z]{2,}|(?<=[a-zäöüß ])[A-ZÄÖÜŁŚŻ]\w+|['\"`“„]")
_INSTRUCTS = re.compile(r"\b(?:you must|you should|always|never|please|do not|don't|make sure|remember to)\b", re.I)
_GRANTS = re.compile(r"\b(?:may now|allowed|permitted|permission|approved|approval|authori[sz]ed)\b", re.I)


def complaints(text: str) -> tuple[str, ...]:
    """The rules that a notice's text breaks, in the order of NOTICE_RULES."""
    broken = {
        "notice-too-long": len(text) > LONGEST,
        "notice-not-concrete": not _CONCRETE.search(text),
        "notice-instructs": bool(_INSTRUCTS.search(text)),
        "notice-grants": bool(_GRANTS.search(text)),
    }
    return tuple(rule for rule, speaks in broken.items() if speaks)


def repeated(log: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Texts that were queued at least `OFTEN` times by one producer, in the order they first came."""
    times: dict[tuple[str, str], int] = {}
    for row in log:
        key = (str(row["producer"]), str(row["text"]))
        times[key] = times.get(key, 0) + 1 + int(row.get("repeats") or 0)
    return tuple(text for (_, text), count in times.items() if count >= OFTEN)
