"""The provider's own count of a whole request, and the estimate where it gives none."""

from collections.abc import Callable

from ...errors import ModelError, UsageError
from ...model.prompt import Counted
from ...ports import Counter


class ProviderCounter:
    """Counts whole prompts by asking the provider, single texts by an estimate of its own.

    `count` sends a body to the provider's endpoint, which is a request of its own: it costs time, it is made before the
    request is on record, and it tells the provider what the request will say. Where it fails, the estimate answers, and
    the basis says so.
    """

    def __init__(self, name: str, count: Callable[[bytes], int], fallback: Counter) -> None:
        self.name = name
        self._count = count
        self._fallback = fallback

    def count(self, text: str) -> int:
        """Tokens of one text on its own, as the estimate has them."""
        return self._fallback.count(text)

    def count_prompt(self, body: bytes, dialect: str) -> Counted:
        """Tokens of the whole prompt, by the provider's count where it answers."""
        try:
            return Counted(self._count(body), f"{self.name} (exact)")
        except (ModelError, UsageError):
            counted = self._fallback.count_prompt(body, dialect)
            return Counted(counted.tokens, f"{counted.basis}; {self.name} gave no count")
