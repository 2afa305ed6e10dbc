"""What is old leaves the window for a summary, or nothing happens and the edit says why (F3).

`act` is driven by its trigger or by the model, which calls the tool `TOOL`; both go the same way and hold the same
guarantees: only legal cuts, only what was read by the summariser counts as absorbed, a draft that breaks a rule is
refused and the one by rule takes its place, and the request is smaller afterwards or the standing stays as it was.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ....model.effect import Flow, ask
from ....model.history import Drafted, Edit, Entry, Line, Standing, Summarise, Summary
from ....model.history_policy import Compact, Domain, Method
from ....model.item import Trust
from ....model.message import ToolDefinition
from ..cuts import kept_before, last_legal
from ..record import History
from ..show import view
from ..spans import joined, spans
from ..summary.by_rule import BY, draft
from ..summary.fit import fit
from ..summary.guards import faults, words_of
from ..summary.identifiers import identifiers
from ..summary.layout import laid_out
from ..summary.material import texts
from ..summary.merge import merged
from ..summary.profile import propose
from ..summary.sections import SECTIONS, sections_of
from ..terms import Terms

STEP = "compact"
TOOL = ToolDefinition(
    name="compact_conversation",
    description=(
        "Replace the older part of this conversation by a structured summary. Call it at the end of a piece of work, "
        "before a new one begins. Originals stay readable."
    ),
    schema={"type": "object", "properties": {}, "additionalProperties": False},
)
"""The tool by which a model asks for a compaction of its own context."""
TRIES = 4
Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Leaving:
    """What a compaction takes out: the cut, who is carried over it, what is summarised, and what is addressable only."""

    cut: int
    carried: frozenset[int]
    entries: tuple[Entry, ...]
    told: tuple[Entry, ...]

    @property
    def weight(self) -> int:
        """Tokens of all that leaves the window."""
        return sum(entry.weight for entry in (*self.entries, *self.told))


def act(step: Compact, history: History, standing: Standing, terms: Terms) -> Flow[Standing]:
    """The standing after a compaction, where the trigger or the model asks for one."""
    asked = asked_for(history, standing)
    if not asked and not _due(step, history, standing, terms):
        return standing
    return (yield from compact(step, history, standing, terms, "the model asked for it" if asked else ""))


def asked_for(history: History, standing: Standing) -> bool:
    """Whether the model called `TOOL` since the last compaction, and the call is answered."""
    since = max((edit.at for edit in standing.edits if edit.step == STEP), default=0)
    return any(
        call.name == TOOL.name and call.id in history.results
        for entry in history.entries[max(since - 1, standing.covered) :]
        for call in entry.message.calls
        if since <= history.results.get(call.id or "", [(-1, 0)])[-1][0]
    )


def compact(step: Compact, history: History, standing: Standing, terms: Terms, why: str = "") -> Flow[Standing]:
    """The standing after a compaction; the same one, with an edit that names the cause, where there can be none."""
    leaving = _leaving(step, history, standing, terms)
    if not leaving.entries:
        return _refused(standing, history, "nothing-to-cut", "no message may leave the window")
    method, domain, chosen = _manner(step, history, standing, leaving)
    request = _request(step, method, domain, leaving, history, standing, terms)
    if method == "opaque" and (lost := _trail(request)):
        return _refused(standing, history, "artifacts-matter", f"an opaque summary would lose the trail of {lost}")
    drafted = yield from ask(request)
    persons = _persons(history, leaving.cut)
    found = list(faults(drafted, request.sections, request.entries, leaving.told, persons))
    if found:
        drafted = replace(draft(request), usage=drafted.usage)
        found.extend(faults(replace(drafted), request.sections, request.entries, leaving.told, persons))
    summary = _summary(_complete(drafted, request), request, leaving, standing, terms)
    after = replace(
        standing,
        covered=leaving.cut,
        carried=leaving.carried,
        summary=summary,
        dropped=joined(standing.dropped, spans(entry.number for entry in leaving.told)),
        unsealed=max(standing.unsealed, len(history) if terms.binds_thinking else leaving.cut),
    )
    reasons = "; ".join(part for part in (why, chosen, f"by {drafted.by or 'model'}", *found[:3]) if part)
    return _settled(standing, after, history, terms, leaving, drafted, reasons)


def _settled(
    before: Standing, after: Standing, history: History, terms: Terms, leaving: Leaving, drafted: Drafted, why: str
) -> Standing:
    """The later standing with its edit; the earlier one where the request did not become smaller."""
    was, now = (view(history, each, terms.count).tokens for each in (before, after))
    numbers = tuple(sorted(entry.number for entry in (*leaving.entries, *leaving.told)))
    edit = Edit(STEP, len(history), numbers, was - now, now, why=why, usage=drafted.usage)
    if now >= was:
        return _refused(before, history, "no-progress", f"{was} tokens would become {now}; {why}", drafted)
    return replace(after, edits=(*before.edits, edit))


def _refused(standing: Standing, history: History, rule: str, why: str, drafted: Drafted | None = None) -> Standing:
    """The standing with an edit that names the cause, once for the same one."""
    last = next((edit for edit in reversed(standing.edits) if edit.step == STEP), None)
    usage = drafted.usage if drafted else Edit(STEP, 0).usage
    if last is not None and last.refused == rule and not any((usage.input, usage.output)):
        return standing
    edit = Edit(STEP, len(history), refused=rule, why=why, usage=usage)
    return replace(standing, edits=(*standing.edits, edit))


# What leaves


def _due(step: Compact, history: History, standing: Standing, terms: Terms) -> bool:
    if step.trigger.kind == "always":
        return True
    return view(history, standing, terms.count).tokens > step.trigger.at * terms.usable


def _leaving(step: Compact, history: History, standing: Standing, terms: Terms) -> Leaving:
    """The messages before the first legal place behind which no more stands than may be kept."""
    room, at = int(step.keep * terms.usable), len(history)
    seen = _seen(history)
    while at > standing.covered and (at > seen or history.entries[at - 1].weight <= room):
        room -= history.entries[at - 1].weight if at <= seen else 0
        at -= 1
    cut = last_legal(history, _first_legal(history, at, seen))
    carried = kept_before(history, cut) | frozenset(each for each in standing.carried if each < cut)
    shown = (*sorted(standing.carried), *range(standing.covered, cut)) if cut > standing.covered else ()
    gone = [history.entries[number] for number in shown if number not in carried]
    entries = tuple(entry for entry in gone if not _instructs(entry))
    return Leaving(cut, carried, entries, tuple(entry for entry in gone if _instructs(entry)))


def _first_legal(history: History, at: int, most: int) -> int:
    return next((place for place in range(at, most + 1) if last_legal(history, place) == place), most)


def _seen(history: History) -> int:
    """The number up to which the model has seen all messages; what stands behind it never leaves (M5)."""
    return next((entry.number for entry in reversed(history.entries) if entry.speaker == "model"), 0)


def _instructs(entry: Entry) -> bool:
    """Whether a message is an instruction: it is not summarised, its present version stands in the system text."""
    return entry.speaker == "harness" or entry.message.role in ("system", "developer")


# What is asked for


def _manner(step: Compact, history: History, standing: Standing, leaving: Leaving) -> tuple[Method, Domain, str]:
    """Method and domain: the settings', else those of the summary that stands, else what the session's profile says."""
    before = standing.summary
    method, domain = step.method, step.domain
    if before is not None:
        method, domain = method or before.method, domain or before.domain
    if method is not None and domain is not None:
        return method, domain, ""
    proposed = propose(history.entries[: leaving.cut])
    return method or proposed.method, domain or proposed.domain, proposed.why


def _request(
    step: Compact, method: Method, domain: Domain, leaving: Leaving, history: History, standing: Standing, terms: Terms
) -> Summarise:
    anchored = method == "anchored"
    entries = leaving.entries
    if not anchored:
        before = (entry for entry in history.entries[: leaving.cut] if entry.number not in leaving.carried)
        entries = tuple(entry for entry in before if not _instructs(entry))
    shown = (*(history.entries[number] for number in sorted(leaving.carried)), *history.entries[leaving.cut :])
    visible = frozenset(name for entry in shown for text in texts(entry.message) for name in identifiers(text))
    limit = int(step.limit * terms.usable)
    context = {"visible": visible}
    return Summarise(
        entries, standing.summary if anchored else None, sections_of(domain), method, domain, limit, context
    )


def _trail(request: Summarise) -> str:
    """The first file that was written in these messages; "" where none was."""
    return next((line.key for line in draft(replace(request, sections=("changed",), method="anchored")).lines), "")


def _persons(history: History, cut: int) -> list[str]:
    """What a person said before the cut."""
    return [text for entry in history.entries[:cut] if entry.speaker == "person" for text in words_of(entry)]


# What becomes of the draft


def _complete(drafted: Drafted, request: Summarise) -> Drafted:
    """The draft with everything that a rule finds for its mandatory sections: no model's summary holds less."""
    if drafted.by == BY or request.method == "opaque":
        return drafted
    must = tuple(name for name in request.sections if SECTIONS[name].mandatory)
    return replace(drafted, lines=merged(draft(replace(request, sections=must)).lines, drafted.lines, 1))


def _summary(drafted: Drafted, request: Summarise, leaving: Leaving, standing: Standing, terms: Terms) -> Summary:
    """The summary that stands from here on: merged, fitted, laid out, with the lowest label of what it absorbed."""
    before = standing.summary
    cycle = before.cycle + 1 if before else 1
    old: Iterable[Line] = request.before.lines if request.before else ()
    drawn = drafted.lines or tuple(Line("state", text, text) for text in drafted.text.splitlines() if text.strip())
    lines = merged(old, drawn, cycle)
    absorbed = _spans({*_numbers(before), *(entry.number for entry in request.entries)})
    labels = {entry.trust for entry in request.entries} | {line.trust for line in lines}
    trust: Trust = "untrusted" if "untrusted" in labels or (before and before.trust == "untrusted") else "trusted"
    bare = Summary((), request.method, request.domain, cycle, absorbed, trust=trust, sealed=drafted.sealed)
    return _fitted(bare, lines, request.limit, leaving.cut, terms)


def _fitted(bare: Summary, lines: Sequence[Line], limit: int, newest: int, terms: Terms) -> Summary:
    """The summary with as many of the lines as its limit allows, by the tokens of its text as it is sent."""
    room = limit - terms.count(laid_out(bare, terms.recall))
    for _ in range(TRIES):
        summary = replace(bare, lines=fit(lines, room, terms.count, newest))
        text = laid_out(summary, terms.recall)
        tokens = terms.count(text)
        if tokens <= limit:
            break
        room -= tokens - limit
    return replace(summary, text=text, tokens=tokens)


def _numbers(summary: Summary | None) -> Iterator[int]:
    for first, after in summary.absorbed if summary else ():
        yield from range(first, after)


def _spans(numbers: set[int]) -> Spans:
    """Numbers as ranges [first, last + 1)."""
    spans: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if spans and spans[-1][1] == number:
            spans[-1] = spans[-1][0], number + 1
        else:
            spans.append((number, number + 1))
    return tuple(spans)
