"""Old tasks: a person asks for something new, and the model goes on with what came before (H4)."""

import re
from collections import deque
from collections.abc import Iterable

from .....model.diagnosis import Finding
from .....model.transcript import Replaced, Said
from ....text.likeness import likeness, telling_words
from ..blocks import ReadBlock
from ..contract import Moment, finding, quote
from ..texts.reading import telling

EARLIER = 8
ALIKE = 0.85
UNLIKE = 0.3
LEAST_WORDS = 10
LEAST_CALLS = 2
LONGEST = 3_000
_FILE = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[a-z]\w{0,4}")
_FIX = "Put the current task at the end of the window, and mark the earlier ones as done."


class OldTasksDetector:
    """Finds turns spent on an earlier request only, and earlier answers given to another question."""

    def __init__(self) -> None:
        self._asked: ReadBlock | None = None
        self._before: frozenset[str] = frozenset()
        self._names: frozenset[str] = frozenset()
        self._wanted: frozenset[str] = frozenset()
        self._calls: list[ReadBlock] = []
        self._answer: ReadBlock | None = None
        self._answers: deque[tuple[frozenset[str], frozenset[str], ReadBlock]] = deque(maxlen=EARLIER)
        self._turn = 0
        self._found: list[Finding] = []

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""
        if isinstance(moment.event, Replaced):
            self._answers.clear()
            self._asked, self._before = None, frozenset()
        if not isinstance(moment.event, Said):
            return
        for block in moment.blocks:
            if block.source == "person" and block.kind == "text":
                self._person(moment, block)
            elif block.source == "model" and self._asked is not None:
                self._does(block)

    def result(self) -> Iterable[Finding]:
        """The turns that went to an old task, each once."""
        self._close()
        self._asked = None
        return self._found

    def _person(self, moment: Moment, block: ReadBlock) -> None:
        self._close()
        words = _files(block.head) if len(block.text) <= LONGEST else frozenset()
        self._before = frozenset(self._before if not words else self._names)
        self._names = words
        self._wanted = words - self._before
        self._asked, self._turn = block.brief, moment.turn
        self._calls, self._answer = [], None

    def _does(self, block: ReadBlock) -> None:
        if block.kind == "call":
            self._answer = None
            small = block.head.casefold()
            if len(self._calls) < LEAST_CALLS and any(name in small for name in self._before):
                self._calls.append(block.brief)
        elif block.kind == "text":
            self._answer = block
        if self._wanted:
            small = block.head.casefold()
            if any(name in small for name in self._wanted):
                self._wanted = frozenset()

    def _close(self) -> None:
        asked, answer = self._asked, self._answer
        if asked is None:
            return
        if self._wanted and len(self._calls) >= LEAST_CALLS:
            title = f"A new request ({min(self._wanted)}) came, and the turn went on with the one before"
            quotes = [quote(asked, "what was asked"), *(quote(each, "what was done") for each in self._calls)]
            disproof = "What was done was needed for the new request, or the person's next message accepts it."
            calls = [each.call for each in self._calls]
            self._found.append(
                finding("distraction", self._turn, "old-task", title, quotes, _FIX, disproof, "state", calls)
            )
        if answer is not None and not self._calls:
            self._repeats(asked, answer)

    def _repeats(self, asked: ReadBlock, answer: ReadBlock) -> None:
        words, question = telling_words(answer.text, LEAST_WORDS), telling_words(asked.text)
        for other, about, earlier in self._answers if words else ():
            if (
                likeness(words, other) >= ALIKE
                and question
                and likeness(question, about) < UNLIKE
                and not question & words
            ):
                title = "The answer is one that was given before, to another question"
                quotes = (
                    quote(asked, "the question"),
                    quote(earlier, "the answer, before"),
                    quote(answer, "the answer, again"),
                )
                disproof = "Both questions come to the same, though they share no words."
                self._found.append(
                    finding("distraction", self._turn, "old-answer", title, quotes, _FIX, disproof, "state")
                )
                break
        self._answers.append((words, question, answer.brief))


def _files(text: str) -> frozenset[str]:
    """The names of the files that a text speaks of, without their folders."""
    names = (word.rsplit("/", 1)[-1] for word in telling(text))
    return frozenset(name for name in names if _FILE.fullmatch(name))
