"""What an answer's status means for a call: whether it may go again, after what pause, and what the server said."""

import math
import random
from datetime import datetime
from email.utils import parsedate_to_datetime

import httpx2

from ...core.text.parse_json import parse_json

RETRY_PAUSE_SECONDS = 0.5
ERROR_CHARACTERS = 500

TURNED_AWAY = frozenset({408, 409, 429, 503, 529})
"""Time-out of the request, conflict, rate limit, unavailable, overloaded: the request was surely not carried out.

A 500, 502 or 504 may come after the model has answered and been paid; it goes again only where the server says so.
"""


def pause_before_retry(response: httpx2.Response, tried: int, now: datetime) -> float | None:
    """Seconds to wait before the same request may go again, or None where this answer stands.

    `x-should-retry` is the server's own word on it. `retry-after-ms` and `Retry-After` (seconds or a date, RFC 9110
    section 10.2.3) are obeyed; without them the pause doubles with each try.
    """
    may = response.headers.get("x-should-retry", "true" if response.status_code in TURNED_AWAY else "false")
    if response.is_success or may != "true":
        return None
    asked = asked_pause(response.headers, now)
    return backoff(tried) if asked is None else asked


def backoff(tried: int) -> float:
    """Seconds to wait after `tried` tries before this one; less a random quarter, so that many do not come at once."""
    return math.ldexp(RETRY_PAUSE_SECONDS, tried) * random.uniform(0.75, 1)


def server_words(body: bytes, response: httpx2.Response) -> str:
    """What the server said about its error: the message of the usual JSON shapes, else the text as it came."""
    text = body.decode(errors="replace").strip()
    try:
        error = parse_json(text)["error"]
        text = str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, LookupError, TypeError):
        pass
    return text[:ERROR_CHARACTERS] or response.reason_phrase or "no further words"


def asked_pause(headers: httpx2.Headers, now: datetime) -> float | None:
    """The seconds a server asks to wait before the next request; None where it says nothing that can be read."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    try:
        return max(0.0, (parsedate_to_datetime(headers.get("retry-after", "")) - now).total_seconds())
    except (ValueError, TypeError):  # no date, or one without its zone
        return None
