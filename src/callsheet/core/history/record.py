"""A conversation as steps read it: its messages in order, and where its calls, results, turns and legal cuts stand."""

from collections.abc import Hashable, Iterable

from ...model.history import Entry, Standing
from ...model.message import CallBlock, ResultBlock, ThinkingBlock
from .layout.layout import OPERATOR, Layout
from .recorded.pairing import Pairing, Place
from .recorded.together import reach
from .recorded.tool_results import ToolResults
from .terms import Count

COUNTED = 64
"""Texts whose tokens are kept: those of a standing are few."""


class History:
    """Every message of a conversation, with what has to be looked up in it; it only grows.

    Places are (number, block). `calls` are the places of the model's own calls by id, `results` those of all results of
    a call, the last one counting. `turns` are the numbers of the messages with which a person takes a turn, `pinned`
    of those every window keeps, `instructions` of those the operator wrote between them. `legal` are the numbers before
    which a cut may fall, in order; a message costs what it adds, whatever stands before it.

    `response_start` is where the last response of the model began: no result from there on has been sent to it.
    `response_end` is where it ended: what stands behind that the model has not read. Where `user_words` is not set,
    only the last turn of a person is kept in every window, not all of them. `tokens_before[n]` are the tokens of the
    first n messages, `thinking_before[n]` those of their thinking. `made_texts` are texts that steps made of messages,
    with their tokens, each by what it was made from: none is made twice. `beside` has for each message of
    a person's that holds results as well (block, number of the call that it answers) for each, -1 where there is none.
    """

    def __init__(self, entries: Iterable[Entry] = (), *, user_words: bool = True) -> None:
        self.entries: list[Entry] = []
        self.calls: dict[str, Place] = {}
        self.results: dict[str, list[Place]] = {}
        self.turns: list[int] = []
        self.beside: dict[int, tuple[tuple[int, int], ...]] = {}
        self.pinned: list[int] = []
        self.instructions: list[int] = []
        self.pairing = Pairing()
        self.legal: list[int] = [0]
        self.response_end = 0
        self.response_start = 0
        self._response = ""
        self.user_words = user_words
        self._laid: Layout | None = None
        self._counted: dict[str, int] = {}
        self.made_texts: dict[Hashable, tuple[str, int]] = {}
        self.tokens_before: list[int] = [0]
        self.thinking_before: list[int] = [0]
        self._tool_results = ToolResults()
        for entry in entries:
            self.add(entry)

    def __len__(self) -> int:
        return len(self.entries)

    def add(self, entry: Entry) -> None:
        """Takes one more message in; its number is its place. ValueError for another one."""
        if entry.number != len(self.entries):
            raise ValueError(f"message {entry.number} stands at place {len(self.entries)}: numbers count from 0")
        self.entries.append(entry)
        self.tokens_before.append(self.tokens_before[-1] + entry.weight)
        blocks = zip(entry.message.blocks, entry.tokens, strict=False)  # who only looks for cuts counts nothing
        thinking = sum([n for block, n in blocks if isinstance(block, ThinkingBlock)])
        self.thinking_before.append(self.thinking_before[-1] + thinking)
        self._said(entry)
        paired = self.pairing.add(entry)
        self._cut_back(reach(entry, paired))
        if entry.speaker == "person" and paired.answers:
            self.beside[entry.number] = tuple((at, call.place[0] if call else -1) for at, call, _ in paired.answers)
        for at, block in enumerate(entry.message.blocks):
            if isinstance(block, CallBlock) and not block.server and block.id:
                self.calls[block.id] = (entry.number, at)
            elif isinstance(block, ResultBlock) and not block.server and block.call_id:
                self.results.setdefault(block.call_id, []).append((entry.number, at))

    def _said(self, entry: Entry) -> None:
        """Keeps by whom it was said, and what follows from that."""
        if entry.speaker == "person":
            self.turns.append(entry.number)
        elif entry.speaker == "model":
            if not entry.response or entry.response != self._response:
                self.response_start = entry.number
            self._response = entry.response
        if entry.message.role == "assistant":
            self.response_end = entry.number + 1
        elif entry.message.role in OPERATOR:
            self.instructions.append(entry.number)
        if entry.pinned:
            self.pinned.append(entry.number)

    def _cut_back(self, first: int) -> None:
        """No cut may fall behind `first` any more, except behind the last message; each place is taken out once."""
        while self.legal[-1] > first:
            self.legal.pop()
        self.legal.append(len(self.entries))

    def weight(self, first: int, after: int) -> int:
        """Tokens of the messages [first, after), however many they are."""
        return self.tokens_before[after] - self.tokens_before[first]

    def laid(self, standing: Standing, count: Count) -> Layout:
        """The messages as they stand, laid out: what is new, and what stands otherwise than when last asked."""
        if self._laid is None:
            self._laid = Layout(Standing(), count)
        self._laid.read(self.entries, standing)
        return self._laid

    def tokens(self, text: str, count: Count) -> int:
        """Tokens of a text that a step made; one that stands unchanged is not counted each round."""
        if text not in self._counted:
            if len(self._counted) >= COUNTED:
                self._counted.clear()
            self._counted[text] = count(text)
        return self._counted[text]

    @property
    def tool_results(self) -> ToolResults:
        """What is known of the results so far; read up when it is asked for, so that each is looked at once."""
        self._tool_results.read(self.entries)
        return self._tool_results
