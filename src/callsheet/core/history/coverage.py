"""Nothing is lost without a trace: asserted whenever a standing changes, so no fault of a step passes (invariant 4)."""

from ...model.history import Entry, Standing
from ...model.message import CallBlock, ResultBlock, TextBlock
from .cuts.legal import kept_before, last_legal
from .record import History
from .recorded.spans import joined, missing, spans


class NotCovered(AssertionError):
    """A step lost messages, or cut where no cut is legal: a bug of the step, never the caller's mistake."""


def check(history: History, before: Standing, after: Standing) -> None:
    """Raises NotCovered unless every message is shown, absorbed by a summary that succeeded, or counted as dropped.

    What is dropped or cleared is addressable by its number. A standing that did not change costs nothing.
    """
    if after is before:
        return
    _cut(history, before, after)
    _all(after)
    _edits(history, before, after)


def _cut(history: History, before: Standing, after: Standing) -> None:
    if not before.covered <= after.covered <= len(history):
        raise NotCovered(f"the cut moved from {before.covered} to {after.covered}, of {len(history)} messages")
    if after.covered == before.covered and after.carried is before.carried:
        return
    if after.covered != before.covered and last_legal(history, after.covered) != after.covered:
        raise NotCovered(f"a cut before message {after.covered} parts what must stay together")
    if after.covered > max(history.response_end, before.covered):
        raise NotCovered(f"the cut before message {after.covered} takes out what the model has not read yet")
    lost = kept_before(history, after.covered) - after.carried
    if lost:
        raise NotCovered(f"every window keeps the messages {sorted(lost)}; they are not carried over {after.covered}")


def _all(after: Standing) -> None:
    absorbed = after.summary.absorbed if after.summary is not None else ()
    lost = missing(joined(absorbed, after.dropped, spans(after.carried)), after.covered)
    if lost:
        raise NotCovered(f"the messages {lost} are neither shown nor summarised nor counted as dropped")
    told = joined(absorbed, after.dropped)
    for number in {number for number, _ in after.parted}:
        if not any(first <= number < end for first, end in told):
            raise NotCovered(f"the results beside the words of message {number} are neither summarised nor dropped")
    if absorbed and not (after.summary and after.summary.text.strip()):
        raise NotCovered(f"an empty summary stands in the place of the messages {absorbed}")


def _may_clear(entry: Entry, at: int) -> bool:
    """Results may be cleared, and a person's pastes be shortened; never what the model said."""
    block = entry.message.blocks[at]
    return isinstance(block, ResultBlock) or (isinstance(block, TextBlock) and entry.speaker == "person")


def _repeats(history: History, place: tuple[int, int]) -> bool:
    """Whether a result says what another one said before: what it holds can be read there, word for word."""
    answer = history.tool_results.by_place.get(place)
    return answer is not None and answer.same is not None


def _edits(history: History, before: Standing, after: Standing) -> None:
    """What was edited stays so, and only results are cleared, only calls emptied."""
    if after.cleared is not before.cleared:
        for place in before.cleared.keys() - after.cleared.keys():
            if _repeats(history, place):
                continue  # a digest gives the text back when the answer that it named leaves the window
            raise NotCovered(f"the result at {place} was cleared, and stands again")
        for place in after.cleared.keys() - before.cleared.keys():
            number, at = place
            if not _may_clear(history.entries[number], at) or not after.cleared[place]:
                raise NotCovered(f"{place} is no result and no paste, or nothing says how to read it again")
            if number >= history.response_end and not _repeats(history, place):
                raise NotCovered(f"the result at {place} was cleared before the model read it")
    for number, at in after.emptied - before.emptied if after.emptied is not before.emptied else ():
        if not isinstance(history.entries[number].message.blocks[at], CallBlock):
            raise NotCovered(f"{(number, at)} is no call")
