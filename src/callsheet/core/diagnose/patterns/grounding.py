"""What everybody but the model has said in a conversation so far: the names that occurred, and the statements."""

from .clash.statements import Statements
from .texts.reading import READ_AT_MOST, Reading, telling

SEEN = 120_000
"""Words kept at most; from then on nothing is taken to be unheard of."""
_PARTS = str.maketrans("@/.:", "    ")


class Grounding:
    """The words, whatever was cut from the window since, and the statements with their places."""

    def __init__(self) -> None:
        self.statements = Statements()
        self._seen: set[str] = set()

    @property
    def full(self) -> bool:
        """True where words are no longer kept."""
        return len(self._seen) >= SEEN

    def __contains__(self, word: str) -> bool:
        """True for a folded word, name or identifier that somebody else has written, or where nobody can say."""
        return self.full or word in self._seen

    def hear(self, reading: Reading) -> None:
        """Takes in the words of a text, all of it."""
        if self.full:
            return
        self._seen |= reading.words
        self._see(reading.telling)
        for start in range(READ_AT_MOST, len(reading.text), READ_AT_MOST):
            self._see(telling(reading.text[start : start + READ_AT_MOST]))

    def _see(self, words: frozenset[str]) -> None:
        self._seen |= words
        self._seen.update(" ".join(words).translate(_PARTS).split())
