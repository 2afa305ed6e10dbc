"""What a person said stays word for word; only a giant paste may give way to its head, and only where it can be read
again."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ....model.history import Standing
from ....model.message import TextBlock
from ..cuts.legal import Cut
from ..record import History
from ..terms import Terms

SHARE = 0.1
"""The share of the usable window beyond which one text of a person's is a paste."""
HEAD = 1_000
"""Characters of a paste that stay."""


def carried_over(history: History, made: Cut, standing: Standing, terms: Terms) -> Standing:
    """The standing with a cut made: pastes in what is carried give way to their heads, results beside words leave."""
    after = shortened(history, made.carried, standing, terms)
    left = {(number, at): history.entries[number].tokens[at] for number, at in made.parted - standing.parted}
    spared = {**after.spared, **left} if left else after.spared
    return replace(after, covered=made.at, carried=made.carried, parted=made.parted, spared=spared)


def shortened(history: History, carried: Iterable[int], standing: Standing, terms: Terms) -> Standing:
    """The standing in which a person's giant pastes are told by their heads, where they can be read again."""
    heads = pastes(history, carried, standing, terms)
    if not heads:
        return standing
    spared = {
        (number, at): history.entries[number].tokens[at] - terms.count(text) for (number, at), text in heads.items()
    }
    return replace(standing, cleared={**standing.cleared, **heads}, spared={**standing.spared, **spared})


def pastes(history: History, numbers: Iterable[int], standing: Standing, terms: Terms) -> Mapping[tuple[int, int], str]:
    """What stands in the place of each giant paste in these messages, by (message, block).

    None where the request offers no tool that reads a message by its number; none in the person's last turn.
    """
    if not terms.recall or terms.recall not in terms.tools:
        return {}
    most = int(terms.usable * SHARE)
    last = history.turns[-1] if history.turns else -1
    return {
        (number, at): _head(str(block.text), number, terms.recall)
        for number in numbers
        if number != last and history.entries[number].speaker == "person"
        for at, block in enumerate(history.entries[number].message.blocks)
        if isinstance(block, TextBlock)
        and history.entries[number].tokens[at] > most
        and len(str(block.text)) > 2 * HEAD
        and (number, at) not in standing.cleared
    }


def _head(text: str, number: int, recall: str) -> str:
    return (
        f"{text[:HEAD]}\n[{len(text) - HEAD} more characters of this message are left out; "
        f"{recall} reads it whole: message {number}]"
    )
