"""Recorded exchanges with providers: which of them are in one of our dialects, and what they hold."""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from callsheet.model.policy import DialectName

SAMPLES = Path(__file__).parents[1] / "cases" / "cassettes"
BY_HAND = SAMPLES.parent / "by_hand"
"""Exchanges that nobody recorded, written from the vendors' references: what no recording happens to hold."""
FOLDER = "api-cassettes"
"""Where a data folder keeps its recordings, one JSON exchange a line."""

Kind = Literal["reply", "compact", "count"]
ENDPOINTS: tuple[tuple[str, DialectName, Kind], ...] = (
    ("/chat/completions", "openai_chat", "reply"),
    ("/responses/compact", "openai_responses", "compact"),
    ("/responses/input_tokens", "openai_responses", "count"),
    ("/responses", "openai_responses", "reply"),
    ("/messages/count_tokens", "anthropic", "count"),
    ("/messages", "anthropic", "reply"),
    (":generateContent", "gemini", "reply"),
    (":streamGenerateContent", "gemini", "reply"),
    (":countTokens", "gemini", "count"),
)
"""The end of a path, and what is spoken there."""
RESOLD = ("/invoke", "/invoke-with-response-stream", ":rawPredict", ":streamRawPredict")
"""Where others sell Anthropic's models: a body of the dialect says so by `anthropic_version`."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its response, which is an object, the text of a stream, or a list of chunks."""

    place: str
    dialect: DialectName
    kind: Kind
    status: int
    request: Any
    response: Any

    @property
    def body(self) -> bytes:
        """The response as the bytes that came."""
        if isinstance(self.response, str):
            return self.response.encode()
        return json.dumps(self.response).encode()


def exchanges(folder: Path) -> Iterator[Exchange]:
    """Every exchange below a folder that is in one of our dialects, in the order of its files."""
    for path in sorted(folder.rglob("*.jsonl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            raw = json.loads(line)
            spoken = spoken_at(raw["uri"], _parsed(raw["request"]))
            if spoken is not None:
                place = f"{path.relative_to(folder)}:{number}"
                yield Exchange(place, *spoken, raw["status"], _parsed(raw["request"]), _parsed(raw["response"]))


def _parsed(recorded: Any) -> Any:
    """What was recorded; an object that was recorded as its text is read."""
    if isinstance(recorded, str) and recorded.lstrip()[:1] == "{":
        with suppress(ValueError):
            return json.loads(recorded)
    return recorded


def spoken_at(uri: str, request: Any) -> tuple[DialectName, Kind] | None:
    """The dialect that is spoken at an address and what it is asked for, or None where it is none of ours."""
    path = urlsplit(uri).path
    if path.endswith(RESOLD):
        return ("anthropic", "reply") if isinstance(request, dict) and "anthropic_version" in request else None
    return next(((dialect, kind) for end, dialect, kind in ENDPOINTS if path.endswith(end)), None)
