"""Named estimates for models whose template is not at hand; they lean to the high side, because a budget must hold."""

import importlib
import importlib.util
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from statistics import median
from typing import Any

from ...core.render.texts import said
from ...errors import UsageError
from ...model.prompt import Counted

BYTES_PER_TOKEN = 3.6
BYTES_PER_TOKEN_BEYOND_ASCII = 2.0
"""Three bytes of a Chinese, Japanese or Korean letter are one and a half tokens; a quarter each, as is often assumed,
leaves a prompt several times over its budget."""

MESSAGE_TOKENS = 5
REPLY_TOKENS = 3
MEDIA_TOKENS = 1_600
"""What the largest image costs where a provider says so."""

ASCII = bytes(range(128))
DIGITS = b"0123456789"
TOKENIZER = "quicktok"


class EstimateCounter:
    """Estimates from the UTF-8 bytes: 3.6 to a token, 2 where they are not ASCII, and every digit a token of its own.

    On prose and code within a third of what o200k, cl100k and Qwen count, and hardly ever below; digits are what the
    strictest of them makes of them.
    """

    name = "estimate/utf8-3.6"

    def count(self, text: str) -> int:
        """Tokens of one text on its own, estimated; 0 only for the empty text."""
        data = text.encode(errors="surrogatepass")
        beyond = len(data.translate(None, ASCII))
        digits = len(data) - len(data.translate(None, DIGITS))
        plain = len(data) - beyond - digits
        return math.ceil(plain / BYTES_PER_TOKEN + beyond / BYTES_PER_TOKEN_BEYOND_ASCII + digits)

    def count_prompt(self, body: bytes, dialect: str) -> Counted:
        """Tokens of the whole request, estimated: its texts, five for each message's frame, three to open the reply.

        Tools and calls count as JSON, an image as the largest there is. ValueError where the body is no JSON object.
        """
        what = said(body)
        frame = REPLY_TOKENS + MESSAGE_TOKENS * what.messages + MEDIA_TOKENS * what.media
        return Counted(frame + sum(map(self.count, what.texts)), f"{self.name} (estimate)")


class O200kCounter(EstimateCounter):
    """Counts texts as OpenAI's models since GPT-4o do; what the provider puts around them stays an estimate.

    UsageError when the tokenizer is not installed.
    """

    name = "o200k"

    def __init__(self) -> None:
        if importlib.util.find_spec(TOKENIZER) is None:
            raise UsageError("counting by o200k needs quicktok; run `pip install 'callsheet[embedded]'`")

    def count(self, text: str) -> int:
        """Tokens of one text on its own; control tokens in it are text."""
        try:
            return int(_o200k().count(text))
        except TypeError:  # half of a pair stands in it, which UTF-8 has no way to write
            return int(_o200k().count(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")))


@cache
def _o200k() -> Any:
    """The tokenizer, loaded when it is first asked."""
    return importlib.import_module(TOKENIZER).get_encoding("o200k_base")


@dataclass(frozen=True, slots=True)
class Calibration:
    """How much an estimate falls short of what a model reports: multiply by `factor`; it rests on `reports` reports."""

    factor: float = 1.0
    reports: int = 0


def calibrate(pairs: Iterable[tuple[int, int]]) -> Calibration:
    """The median of reported over estimated tokens; pairs of (estimated, reported), each of one model's request.

    A median, because single reports stray: a cache that is counted apart, an image. Pairs with a zero say nothing.
    """
    ratios = [reported / estimated for estimated, reported in pairs if estimated > 0 and reported > 0]
    return Calibration(median(ratios), len(ratios)) if ratios else Calibration()


class CalibratedCounter:
    """Another estimate times a factor; its name says the factor, and how many reports that rests on where known."""

    def __init__(self, base: EstimateCounter, calibration: Calibration) -> None:
        reports = f" (n={calibration.reports})" if calibration.reports else ""
        self.name = f"{base.name}*{calibration.factor:.2f}{reports}"
        self._base = base
        self._factor = calibration.factor

    def count(self, text: str) -> int:
        """Tokens of one text on its own, estimated; 0 only for the empty text."""
        return math.ceil(self._factor * self._base.count(text))

    def count_prompt(self, body: bytes, dialect: str) -> Counted:
        """Tokens of the whole request, estimated."""
        tokens = math.ceil(self._factor * self._base.count_prompt(body, dialect).tokens)
        return Counted(tokens, f"{self.name} (estimate)")
