"""The facts of one recorded conversation, and where its rounds really used them again."""

from collections.abc import Iterator
from dataclasses import dataclass

from ...core.history.artifacts.effect import below
from ...core.history.artifacts.index import ArtifactIndex
from ...model.history import Entry
from ...model.message import ResultBlock
from ...model.transcript import Said
from .facts import Fact, first_ones, kind_of, said_by_person, tokens_of
from .mentions import WORDED, Mentions
from .timeline import Recorded

MOST = 20_000
"""Facts that are followed; a conversation has some hundreds."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """What is followed through a conversation.

    `where` are by fact the numbers of the messages that hold it, in order. `uses` are by round the facts that its reply
    used, all of them said before it; a person's rules and decisions are held to at the beginning of each of their later
    turns, and in the last round.
    """

    mentions: Mentions
    where: tuple[tuple[int, ...], ...]
    uses: tuple[frozenset[int], ...]


def gather(held: Recorded) -> Gathered:
    """The facts of a conversation, by rules of their shape, by its person's words and by its artifact index."""
    entries = held.timeline.entries
    facts = sorted(first_ones(_facts(held)).values(), key=lambda fact: fact.number)[:MOST]
    mentions = Mentions(facts, _spellings(held, facts))
    where: list[list[int]] = [[] for _ in facts]
    for entry in entries:
        for fact in mentions.of(entry.message).facts:
            where[fact].append(entry.number)
    turns = {entry.number for entry in entries if entry.speaker == "person"}
    uses, before = list[frozenset[int]](), 0
    last = len(held.timeline.rounds) - 1
    standing = [number for number, fact in enumerate(facts) if fact.kind in ("rule", "decision")]
    for each in held.timeline.rounds:
        used = {
            fact
            for entry in entries[slice(*each.span)]
            if entry.speaker == "model"
            for fact in mentions.of(entry.message).facts
        }
        if each.number == last or turns & set(range(before, each.before)):
            used.update(standing)
        before = max(before, each.before)
        uses.append(frozenset(fact for fact in used if where[fact] and where[fact][0] < each.before))
    return Gathered(mentions, tuple(map(tuple, where)), tuple(uses))


def _facts(held: Recorded) -> Iterator[Fact]:
    index = ArtifactIndex()
    for entry, folder in zip(held.timeline.entries, held.folders, strict=True):
        facts = {"cwd": folder} if folder else {}
        said = Said(
            record=entry.number, message=entry.message, speaker=entry.speaker, response=entry.response, facts=facts
        )
        index.take(said)
        if entry.speaker == "person":
            yield from said_by_person(entry.message.text, entry.number)
        elif entry.speaker == "tool":
            yield from _brought_up(entry)
    known = index.result()
    for artifact in known.artifacts:
        first = min((*artifact.reads, *artifact.writes, *artifact.commands), default=0)
        yield Fact("path", artifact.path, first)
        for name in artifact.functions:
            if kind_of(name) == "identifier":
                yield Fact("identifier", name, first)
    for quote in known.errors:
        yield Fact("error", quote.text, quote.record)


def _brought_up(entry: Entry) -> Iterator[Fact]:
    """The opaque ids of a tool's result."""
    for block in entry.message.blocks:
        if isinstance(block, ResultBlock):
            for token in set(tokens_of(block.text)):
                if kind_of(token) == "value":
                    yield Fact("value", token, entry.number)


def _spellings(held: Recorded, facts: list[Fact]) -> Iterator[tuple[str, str]]:
    """Paths as they are written in the folder that the agent works in."""
    folders = {folder for folder in held.folders if folder}
    for fact in facts:
        if fact.kind == "path":
            for folder in folders:
                if below(fact.text, folder) and fact.text != folder:
                    yield fact.text, fact.text[len(folder.rstrip("/\\")) + 1 :]


__all__ = ["WORDED", "Gathered", "gather"]
