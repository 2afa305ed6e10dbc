"""A conversation as steps read it: its messages in order, and where its calls, results and turns stand."""

from collections.abc import Iterable

from ...model.history import Entry
from ...model.message import CallBlock, ResultBlock, ThinkingBlock
from .answers import Answers


class History:
    """Every message of a conversation, with what has to be looked up in it; it only grows.

    Places are (number, block). `calls` are the places of the model's own calls by id, `results` those of all results of
    a call, the last one counting. `turns` are the numbers of the messages with which a person takes a turn. `sums[n]`
    are the tokens of the first n messages, `thought[n]` those of their thinking.
    """

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.entries: list[Entry] = []
        self.calls: dict[str, tuple[int, int]] = {}
        self.results: dict[str, list[tuple[int, int]]] = {}
        self.turns: list[int] = []
        self.sums: list[int] = [0]
        self.thought: list[int] = [0]
        self._answers = Answers()
        for entry in entries:
            self.add(entry)

    def __len__(self) -> int:
        return len(self.entries)

    def add(self, entry: Entry) -> None:
        """Takes one more message in; its number is its place. ValueError for another one."""
        if entry.number != len(self.entries):
            raise ValueError(f"message {entry.number} stands at place {len(self.entries)}: numbers count from 0")
        self.entries.append(entry)
        self.sums.append(self.sums[-1] + entry.weight)
        blocks = zip(entry.message.blocks, entry.tokens, strict=True)
        self.thought.append(self.thought[-1] + sum(n for block, n in blocks if isinstance(block, ThinkingBlock)))
        if entry.speaker == "person":
            self.turns.append(entry.number)
        for at, block in enumerate(entry.message.blocks):
            if isinstance(block, CallBlock) and not block.server and block.id:
                self.calls[block.id] = (entry.number, at)
            elif isinstance(block, ResultBlock) and not block.server and block.call_id:
                self.results.setdefault(block.call_id, []).append((entry.number, at))

    @property
    def answers(self) -> Answers:
        """What is known of the results so far; read up when it is asked for, so that each is looked at once."""
        self._answers.read(self.entries)
        return self._answers
