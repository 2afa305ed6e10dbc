"""Files that a policy would make the model read again: needed for a change when their content had left the window (F1).

A file's content stands where it was read, or where it was written whole. An edit needs it. Where the recorded session
read the file again itself, nothing is added.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ...core.history.artifacts.effect import full
from ...core.history.artifacts.tools import action_of
from ...model.history import Entry, Standing
from ...model.message import CallBlock, ResultBlock
from .timeline import Recorded

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Touched:
    """What a round's reply did with a file: `needs` its content, or brought it into the window at `place`."""

    path: str
    place: Place
    tokens: int
    needs: bool


def touched(held: Recorded, entries: tuple[Entry, ...]) -> tuple[tuple[Touched, ...], ...]:
    """By round, what was done with files, in order; `entries` are the messages as they are weighed."""
    results: dict[str, tuple[Place, int]] = {}
    for entry in entries:
        for at, block in enumerate(entry.message.blocks):
            if isinstance(block, ResultBlock) and block.call_id and not block.is_error:
                results.setdefault(block.call_id, ((entry.number, at), entry.tokens[at]))
    return tuple(
        tuple(
            each
            for entry in entries[slice(*round_.span)]
            if entry.speaker == "model"
            for each in _touched(entry, held.folders[entry.number], results)
        )
        for round_ in held.timeline.rounds
    )


def _touched(entry: Entry, folder: str, results: dict[str, tuple[Place, int]]) -> Iterator[Touched]:
    for at, block in enumerate(entry.message.blocks):
        if not isinstance(block, CallBlock) or block.id not in results:
            continue
        for effect in action_of(block, folder).effects:
            path = full(effect.path, folder)
            if effect.kind == "read" and not effect.part:
                place, tokens = results[block.id]
                yield Touched(path, place, tokens, needs=False)
            elif effect.kind == "write" and effect.content is not None:
                yield Touched(path, (entry.number, at), entry.tokens[at], needs=False)
            elif effect.kind == "edit":
                yield Touched(path, (entry.number, at), 0, needs=True)


class Refetches:
    """Follows where the content of files stands, under one policy; `due` is asked once for each round, in order."""

    def __init__(self, by_round: tuple[tuple[Touched, ...], ...]) -> None:
        self._by_round = by_round
        self._content: dict[str, tuple[Place, int]] = {}
        self._again: dict[str, tuple[int, int]] = {}

    def due(self, round_: int, number: int, standing: Standing) -> tuple[tuple[int, ...], int]:
        """Tokens of each file that has to be read again for this round, and those of earlier ones still in the window.

        `number` is that of the message before which the round stands.
        """
        cleared = max(
            (number for number, _ in standing.cleared), default=-1
        )  # what is older than that was cleared, too
        self._again = {
            path: each for path, each in self._again.items() if each[0] > cleared and _stands((each[0], -1), standing)
        }
        carried = sum(tokens for _, tokens in self._again.values())
        forced = []
        for each in self._by_round[round_]:
            if not each.needs:
                self._content[each.path] = each.place, each.tokens
                self._again.pop(each.path, None)
            elif each.path in self._content and each.path not in self._again:
                place, tokens = self._content[each.path]
                if place[0] < number and not _stands(place, standing):
                    self._again[each.path] = number, tokens
                    forced.append(tokens)
        return tuple(forced), carried


def _stands(place: Place, standing: Standing) -> bool:
    """Whether a block stands in the window as it was."""
    shown = place[0] >= standing.covered or place[0] in standing.carried
    edited = place in standing.cleared or place in standing.emptied or place in standing.parted
    return shown and not edited
