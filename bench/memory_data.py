"""The made memories that `memory.py` and its peers keep: words by Zipf's law, from one seed; standard library alone."""

import random
from itertools import accumulate

EACH = 50
"""Records of one subject, where there are so many."""
DIMENSION = 384


class Made:
    """Records of a number of tenants, subject by subject, and what is asked of them."""

    def __init__(self, records: int, tenants: int) -> None:
        self.records, self.tenants = records, tenants
        self.subjects = max(1, records // tenants // EACH)
        self.each = records // tenants // self.subjects
        self._random = random.Random(7)
        self._words = [f"word{number}" for number in range(20_000)]
        self._shares = list(accumulate(1 / (number + 20) for number in range(20_000)))

    def text(self, words: int = 12) -> str:
        return " ".join(self._random.choices(self._words, cum_weights=self._shares, k=words))

    def rows(self) -> list[tuple[str, str, str]]:
        """Tenant, subject and text of every record."""
        return [
            (f"t{tenant}", f"s{subject}", f"The customer says: {self.text()}.")
            for tenant in range(self.tenants)
            for subject in range(self.subjects)
            for _ in range(self.each)
        ]

    def asked(self, number: int, among: int) -> list[tuple[str, str, str]]:
        """Tenant, subject and six words of each of a number of questions, among so many tenants."""
        return [
            (
                f"t{self._random.randrange(min(among, self.tenants))}",
                f"s{self._random.randrange(self.subjects)}",
                self.text(6),
            )
            for _ in range(number)
        ]


def vector(text: str) -> list[float]:
    """A vector that stands for a text: an embedder that takes no time."""
    chance = random.Random(text)
    return [chance.random() - 0.5 for _ in range(DIMENSION)]
