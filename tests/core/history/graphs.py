"""Conversations of every shape, and the standings that steps can give them, for properties of cuts and views."""

from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

from callsheet.core.history.cuts.legal import cut
from callsheet.core.history.record import History
from callsheet.core.history.recorded.spans import joined, spans
from callsheet.model.history import Entry, Standing, Summary
from callsheet.model.message import Block, CallBlock, Message, ResultBlock, TextBlock, ThinkingBlock
from callsheet.model.transcript import Speaker


@dataclass
class Talk:
    """A conversation that is being made up: its entries, and the calls so far, by id."""

    entries: list[Entry] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    responses: int = 0

    def say(self, role: str, speaker: Speaker, *blocks: Block, response: str = "", pinned: bool = False,
            running: frozenset[str] = frozenset()) -> None:  # fmt: skip
        message = Message(role, blocks)  # type: ignore[arg-type]
        tokens = (1,) * len(blocks)
        self.entries.append(
            Entry(len(self.entries), message, tokens, speaker, response, pinned=pinned, running=running)
        )

    def text(self) -> TextBlock:
        """A text that occurs nowhere else."""
        return TextBlock(text=f"<{len(self.entries)}>")

    def call(self, call_id: str | None = None) -> CallBlock:
        call_id = call_id or f"c{len(self.calls)}"
        self.calls.append(call_id)
        self.waiting.append(call_id)
        return CallBlock(id=call_id, name="search", arguments={"q": len(self.calls)})

    def result(self, call_id: str | None, at: int = 0) -> ResultBlock:
        text = TextBlock(text=f"<{len(self.entries)}.{at}>")
        return ResultBlock(call_id=call_id, name=None if call_id else "search", blocks=(text,))


WEIGHTED = ("person", "model", "model", "results", "results", "results", "late", "harness", "system", "odd", "pieces")


@st.composite
def talks(draw: st.DrawFn, longest: int = 24) -> list[Entry]:
    """Entries of any shape: parallel, interleaved, partial, long-running, missing, doubled and unknown results."""
    talk = Talk()
    if draw(st.booleans()):
        talk.say("system", "harness", talk.text())
    talk.say("user", "person", talk.text())
    for _ in range(draw(st.integers(0, longest))):
        kind = draw(st.sampled_from(WEIGHTED))
        if kind in ("model", "pieces"):
            _speak(draw, talk, kind)
        elif kind == "results":
            _report(draw, talk, _some(draw, talk))
        elif kind in ("late", "odd"):
            _report(
                draw, talk, [draw(st.sampled_from(talk.calls if kind == "late" and talk.calls else ["nobody", None]))]
            )
        else:
            _remark(draw, talk, kind)
    return talk.entries


def _remark(draw: st.DrawFn, talk: Talk, kind: str) -> None:
    blocks = () if kind == "harness" and draw(st.booleans()) else (talk.text(),)
    pinned = kind == "person" and draw(st.integers(0, 5)) == 0
    talk.say(
        "system" if kind == "system" else "user", "person" if kind == "person" else "harness", *blocks, pinned=pinned
    )


def _some(draw: st.DrawFn, talk: Talk) -> list[str | None]:
    """Some of the calls that wait."""
    if not talk.waiting:
        return [None]
    given = draw(st.lists(st.sampled_from(talk.waiting), min_size=1, max_size=3, unique=True))
    talk.waiting = [each for each in talk.waiting if each not in given]
    return [*given]


def _speak(draw: st.DrawFn, talk: Talk, kind: str) -> None:
    talk.responses += kind == "model"
    response = f"r{talk.responses}" if kind == "pieces" or draw(st.booleans()) else ""
    blocks: list[Block] = []
    for part in draw(st.lists(st.sampled_from(["think", "text", "call", "call", "again"]), min_size=1, max_size=4)):
        if part == "think":
            blocks.append(ThinkingBlock(text="hm", signature="c2VhbA=="))
        elif part == "text":
            blocks.append(TextBlock(text=f"<{len(talk.entries)}.{len(blocks)}>"))
        else:
            blocks.append(talk.call(talk.calls[-1] if part == "again" and talk.calls else None))
    talk.say("assistant", "model", *blocks, response=response)


def _report(draw: st.DrawFn, talk: Talk, given: list[str | None]) -> None:
    running = frozenset(each for each in given if each and draw(st.integers(0, 3)) == 0)
    results = [talk.result(call_id, at) for at, call_id in enumerate(given)]
    shape = draw(st.sampled_from(["tool", "tool", "user", "first", "last"]))
    if shape in ("tool", "user"):
        talk.say(shape, "tool", *results, running=running)
    else:
        both = (talk.text(), *results) if shape == "first" else (*results, talk.text())
        talk.say("user", draw(st.sampled_from(["tool", "person"])), *both, running=running)


@st.composite
def standings(draw: st.DrawFn, history: History, before: Standing) -> Standing:
    """A standing that steps can give after another one: cuts, summaries, cleared results, emptied calls, pins."""
    after = before
    end = len(history)
    if draw(st.booleans()):
        also = draw(st.sets(st.integers(0, max(end - 1, 0)), max_size=2)) if draw(st.integers(0, 3)) == 0 else ()
        made = cut(history, before, draw(st.integers(0, end)), also)
        gone = spans(made.gone)
        seal = max(made.at, before.thinking_from) if draw(st.booleans()) else before.thinking_from
        after = replace(after, covered=made.at, carried=made.carried, parted=made.parted, thinking_from=seal)
        if made.gone and draw(st.booleans()):
            absorbed = joined(before.summary.absorbed if before.summary else (), gone)
            after = replace(after, summary=Summary(absorbed=absorbed, text="summary", tokens=3))
        else:
            after = replace(after, dropped=joined(before.dropped, gone))
    places = [place for each in history.results.values() for place in each if place[0] < history.response_end]
    if places and draw(st.booleans()):
        chosen = draw(st.lists(st.sampled_from(places), max_size=3))
        after = replace(after, cleared={**after.cleared, **dict.fromkeys(chosen, "cleared")})
    if history.calls and draw(st.integers(0, 3)) == 0:
        after = replace(after, emptied=after.emptied | {draw(st.sampled_from(sorted(history.calls.values())))})
    pins = draw(st.sampled_from(["", "", "rules"]))
    return replace(after, pinned_end=pins, notes=draw(st.sampled_from(["", "", "note"])))
