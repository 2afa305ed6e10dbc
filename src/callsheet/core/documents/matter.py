"""What a document states of itself: in a front matter, in fields, in meta tags, or beside its text in JSON (B5)."""

import difflib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from ...errors import UsageError
from ...model.evidence import Document
from ..text.citation import flaw
from ..text.foreign import is_text
from .review import review_date

TEXTS = ("id", "title", "version", "scope", "language")
LISTS = ("supersedes",)
DATES = ("effective", "review_by", "last_reviewed_on", "withdrawn")
KEYS = (*TEXTS, *LISTS, *DATES, "review_in", "authority")
"""The keys that a document may state; others are the business of whoever wrote them."""

OTHERS = {
    **dict.fromkeys(("effective_date", "effective_from", "valid_from"), "effective"),
    **dict.fromkeys(("expires", "expires_at", "expiry", "expiry_date", "valid_until", "valid_to"), "withdrawn"),
}
"""What other tools call a date that decides whether a version is served."""

Wrong = Callable[[str, str, str], Exception]
"""The error for a key: which, what is wrong with it, and the way out."""
_SOME_DAY = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Matter:
    """What a document states, checked. `keys` are those of KEYS that it wrote itself.

    `supersedes` are the documents, or versions of them as `id@version`, that it takes the place of.
    """

    id: str
    title: str = ""
    version: str = "v1"
    effective: datetime | None = None
    review_by: datetime | None = None
    scope: str | None = None
    authority: float = 1.0
    language: str = ""
    withdrawn: datetime | None = None
    supersedes: tuple[str, ...] = ()
    keys: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    def document(self, text: str, title: str = "") -> Document:
        """The document of a text, by the `title` it was found to have where it states none."""
        return Document(
            document_id=self.id,
            text=text,
            title=self.title or title or self.id,
            version=self.version,
            effective=self.effective,
            review_by=self.review_by,
            scope=self.scope,
            authority=self.authority,
            language=self.language,
            withdrawn=self.withdrawn,
            supersedes=self.supersedes,
        )


def told(where: str) -> Wrong:
    """A UsageError that says where the key stands."""
    return lambda _, why, fix: UsageError(f"{where}: {why}; {fix}")


def stated(data: Mapping[str, Any], where: str, document_id: str, wrong: Wrong | None = None) -> Matter:
    """What `data` states of a document whose id is `document_id` where it names none.

    `wrong` makes the error of a key whose value is wrong, else it is a UsageError. A review date follows from
    `last_reviewed_on` and `review_in`.
    """
    wrong = wrong or told(where)
    written = {key: value for key, value in data.items() if key in KEYS and value is not None and value != ""}
    found = {key: _text(written, key, wrong) for key in TEXTS if key in written}
    review = _review(written, wrong)
    matter = Matter(
        id=found.get("id", document_id),
        title=found.get("title", ""),
        version=found.get("version", "v1"),
        effective=moment(written.get("effective"), "effective", wrong),
        review_by=review,
        scope=found.get("scope"),
        authority=_share(written.get("authority", 1.0), wrong),
        language=found.get("language", ""),
        withdrawn=moment(written.get("withdrawn"), "withdrawn", wrong),
        supersedes=_replaced(written.get("supersedes"), wrong),
        keys=frozenset(written) | ({"review_by"} if review else set()),
        notes=tuple(_misspelt(data, where)),
    )
    if broken := flaw(matter.id, matter.version, matter.authority):
        raise wrong(*broken)
    return matter


def moment(value: Any, key: str, wrong: Wrong) -> datetime | None:
    """An aware datetime of a date, a time or ISO text; midnight UTC where there is no time, UTC where no zone."""
    if value is None:
        return None
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    try:
        made = value if isinstance(value, datetime) else datetime.fromisoformat(str(value).strip())
        return (made if made.tzinfo else made.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise wrong(key, f"{key} = {value!r} is no date that can be read", "write 2026-11-29") from error


def texts(value: Any, key: str, wrong: Wrong) -> tuple[str, ...]:
    """One text or a list of texts; UsageError where it is neither."""
    found = [] if value is None else value if isinstance(value, list | tuple) else [value]
    if not all(map(is_text, found)):
        raise wrong(key, f"{key} = {value!r} is no text", "write one text or a list of them")
    return tuple(found)


def _replaced(value: Any, wrong: Wrong) -> tuple[str, ...]:
    """The documents that one takes the place of. No id has blanks, so a text with some is a list that is none."""
    found = texts(value, "supersedes", wrong)
    for each in found:
        if not each or any(map(str.isspace, each)):
            raise wrong("supersedes", f"supersedes = {each!r} is no id of a document", "write a list: [one, two]")
    return found


def _text(written: Mapping[str, Any], key: str, wrong: Wrong) -> str:
    value = written[key]
    plain = str(value) if isinstance(value, int | float | date) and not isinstance(value, bool) else value
    if not is_text(plain):
        raise wrong(key, f"{key} = {value!r} is no text", "write one")
    return str(plain).strip()


def _share(value: Any, wrong: Wrong) -> float:
    try:
        if isinstance(value, bool):
            raise TypeError
        return float(value)
    except OverflowError:
        return math.inf  # outside, whatever its sign
    except (TypeError, ValueError):
        raise wrong("authority", f"authority = {value!r} is no number", "give a share between 0 and 1") from None


def _review(written: Mapping[str, Any], wrong: Wrong) -> datetime | None:
    if "review_by" in written or "review_in" not in written:
        return moment(written.get("review_by"), "review_by", wrong)
    reviewed = moment(written.get("last_reviewed_on"), "last_reviewed_on", wrong)
    try:
        # Without a last review the span alone is checked.
        due = review_date(reviewed or _SOME_DAY, str(written["review_in"]))
    except ValueError as error:
        why, _, fix = str(error).rpartition("; ")
        raise wrong("review_in", why, fix) from None
    return due if reviewed else None


def _misspelt(data: Mapping[str, Any], where: str) -> list[str]:
    """A note for each key that is none of KEYS and nearly one: what it says would be lost unseen."""
    notes = []
    for key in data:
        name = str(key).casefold().replace("-", "_")
        near = OTHERS.get(name) or next(iter(difflib.get_close_matches(name, KEYS, 1, 0.8)), "")
        if near and key not in KEYS:
            notes.append(f"{where}: {key!r} is not read; did you mean {near!r}?")
    return notes
