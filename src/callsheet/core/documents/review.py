"""When a document is due for review: so long after it was reviewed last (B5)."""

import calendar
import re
from datetime import datetime, timedelta

_SPAN = re.compile(r"(\d{1,4})\s*(day|week|month|year)s?")


def review_date(last_reviewed_on: datetime, review_in: str) -> datetime:
    """The date that lies `review_in` (`6 months`, `90 days`) after the last review; ValueError says what is wrong."""
    match = _SPAN.fullmatch(review_in.strip().casefold())
    if not match:
        raise ValueError(f"review_in = {review_in!r} is no span of time; write `6 months`")
    try:
        return _later(last_reviewed_on, int(match[1]), match[2])
    except (ValueError, OverflowError):
        raise ValueError(f"review_in = {review_in!r} ends after the year 9999; write a shorter span") from None


def _later(moment: datetime, count: int, unit: str) -> datetime:
    """So many calendar units later; a day that the month does not have becomes its last."""
    if unit in ("day", "week"):
        return moment + timedelta(days=count * (7 if unit == "week" else 1))
    months = moment.month - 1 + count * (12 if unit == "year" else 1)
    year, month = moment.year + months // 12, months % 12 + 1
    return moment.replace(year=year, month=month, day=min(moment.day, calendar.monthrange(year, month)[1]))
