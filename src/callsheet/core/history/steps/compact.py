"""What is old leaves the window for a summary, or nothing happens and the edit says why (F3).

`act` is driven by its trigger or by the model, which calls the tool `TOOL`; both go the same way and hold the same
guarantees: only legal cuts, only what was read by the summariser counts as absorbed, a draft that breaks a rule is
refused and the one by rule takes its place, and the request is smaller afterwards or the standing stays as it was.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from ....model.effect import Flow, ask
from ....model.history import Drafted, Edit, Entry, Line, Standing, Summarise, Summary
from ....model.history_policy import Compact, Domain, Method
from ....model.message import ToolDefinition
from ...text.redact import redact
from ..editing.bound_thinking import WHY, forbidden, thinking_from
from ..editing.counts import stands
from ..editing.removal import Removal, instructs, left_of, limit, only, removal_of
from ..editing.triggers import Due, due
from ..editing.user_words import carried_over
from ..record import History
from ..recorded.spans import joined, spans
from ..summary.by_rule import BY, draft
from ..summary.clean import clean
from ..summary.fit import fit
from ..summary.guards import faults, taken, words_of
from ..summary.identifiers import identifiers
from ..summary.layout import laid_out
from ..summary.material import lowest, texts
from ..summary.merge import merged
from ..summary.profile import propose
from ..summary.sections import SECTIONS, sections_of
from ..terms import Terms
from ..view import tokens, view

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
RECENT = 8
"""How many of the newest messages are looked through for a call of `TOOL`: a round must not cost the whole history."""
AGAIN = 0.05
"""What has to be said, as a share of the usable window, before a compaction that brought nothing is tried again."""
TRIES = 4
NEAR = 0.97
"""A summary that fills so much of its limit is as good as full."""


def act(step: Compact, history: History, standing: Standing, terms: Terms) -> Flow[Standing]:
    """The standing after a compaction, where the trigger or the model asks for one."""
    need = due(STEP, step.trigger, history, standing, terms)
    if asked_for(history, standing):
        return (yield from compact(step, history, standing, terms, need, "the model asked for it"))
    if need is None or _tried(history, standing, terms):
        return standing
    return (yield from compact(step, history, standing, terms, need))


def _tried(history: History, standing: Standing, terms: Terms) -> bool:
    """Whether a compaction brought nothing, and too little has been said since for another to bring more."""
    last = next((edit for edit in reversed(standing.edits) if edit.step == STEP), None)
    if last is None or last.refused != "no-progress":
        return False
    return history.weight(last.at, len(history)) < AGAIN * terms.usable


def asked_for(history: History, standing: Standing) -> bool:
    """Whether the model called `TOOL` lately, after the last compaction, and the call is answered."""
    since = max((edit.at for edit in standing.edits if edit.step == STEP), default=0)
    asked = history.pairing.named.get(str(TOOL.name), ())
    return any(call.results and call.results[-1][0] >= since for call in reversed(asked))


def compact(
    step: Compact, history: History, standing: Standing, terms: Terms, need: Due | None = None, why: str = ""
) -> Flow[Standing]:
    """The standing after a compaction; the same one, with an edit that names the cause, where there can be none."""
    removal = removal_of(step, history, standing, terms, need)
    if not removal.entries:
        return _refused(standing, history, "nothing-to-cut", "no message may leave the window")
    if rule := forbidden(history, standing, removal.first, terms):
        return _refused(standing, history, rule, WHY[rule].format(removal.first))
    if need is not None and not why and removal.weight < need.least and not need.overflows:
        return _refused(standing, history, "too-little", f"{removal.weight} of {need.least:.0f} tokens can leave")
    method, domain, chosen = _manner(step, history, standing, removal)
    was = tokens(history, standing, terms.count)
    remaining = _remaining(removal, history, standing, terms)
    request = _request(step, method, domain, removal, history, remaining, terms)
    if method == "opaque" and (lost := _trail(request)):
        return _refused(standing, history, "artifacts-matter", f"an opaque summary would lose the trail of {lost}")
    drafted = clean((yield from ask(request)))
    persons = _persons(history, removal.made.at)
    found = list(faults(drafted, request.sections, request.entries, removal.instructions, persons))
    if found:
        drafted = _by_rule(request, removal, drafted)
    after = replace(remaining, summary=_summary(_complete(drafted, request), request, remaining, terms))
    reasons = "; ".join(part for part in (why, chosen, f"by {drafted.by or 'model'}", *found[:3]) if part)
    now = tokens(history, after, terms.count)
    if now >= was:
        return _refused(standing, history, "no-progress", f"{was} tokens would become {now}; {reasons}", drafted)
    numbers = tuple(sorted(entry.number for entry in (*removal.entries, *removal.instructions)))
    edit = Edit(STEP, len(history), numbers, was - now, now, why=reasons, usage=drafted.usage)
    return _fitting(replace(after, edits=(*standing.edits, edit)), now, history, terms)


def _remaining(removal: Removal, history: History, standing: Standing, terms: Terms) -> Standing:
    """The standing in which what leaves is gone, before a summary takes its place."""
    return replace(
        carried_over(history, removal.made, standing, terms),
        dropped=joined(standing.dropped, spans(entry.number for entry in removal.instructions)),
        left_out="",
        thinking_from=thinking_from(history, standing, removal.first, terms),
    )


def _fitting(settled: Standing, now: int, history: History, terms: Terms) -> Standing:
    """The standing, with an edit that names the cause where it still does not fit the window."""
    if now <= terms.usable:
        return settled
    words = sum(history.entries[number].weight for number in settled.carried)
    newest = history.weight(settled.covered, len(history))
    why = f"{now} tokens stay and {terms.usable} fit: {words} said by the person or pinned, {newest} not to be parted"
    return _refused(settled, history, "does-not-fit", why)


def _refused(standing: Standing, history: History, rule: str, why: str, drafted: Drafted | None = None) -> Standing:
    """The standing with an edit that names the cause, once for the same one."""
    last = next((edit for edit in reversed(standing.edits) if edit.step == STEP), None)
    usage = drafted.usage if drafted else Edit(STEP, 0).usage
    if last is not None and last.refused == rule and not any((usage.input, usage.output)):
        return standing
    edit = Edit(STEP, len(history), refused=rule, why=why, usage=usage)
    return replace(standing, edits=(*standing.edits, edit))


# What is asked for


def _manner(step: Compact, history: History, standing: Standing, removal: Removal) -> tuple[Method, Domain, str]:
    """Method and domain: the settings', else those of the summary that stands, else what the session's profile says."""
    before = standing.summary
    method, domain = step.method, step.domain
    if before is not None:
        method, domain = method or before.method, domain or before.domain
    if method is not None and domain is not None:
        return method, domain, ""
    proposed = propose(history.entries[: removal.made.at])
    return method or proposed.method, domain or proposed.domain, proposed.why


def _request(
    step: Compact, method: Method, domain: Domain, removal: Removal, history: History, remaining: Standing, terms: Terms
) -> Summarise:
    anchored = method == "anchored"
    entries, made = removal.entries, removal.made
    if not anchored:
        parted = {number for number, _ in made.parted}
        before = (each for each in history.entries[: made.at] if each.number not in made.carried - parted)
        entries = tuple(left_of(each, made) for each in before if not instructs(each))
    bare = replace(remaining, summary=None)
    shown = view(history, bare, terms.count).shown
    visible = frozenset(name for each in shown for text in texts(each.message) for name in identifiers(text))
    kept = tokens(history, bare, terms.count)
    frame = terms.count(laid_out(Summary((), method, domain, absorbed=((0, len(history)),)), terms.recall))
    return Summarise(
        entries,
        remaining.summary if anchored else None,
        sections_of(domain),
        method,
        domain,
        limit(step, kept, frame, terms),
        visible,
        (*removal.instructions, *_behind_placeholders(history, remaining)),
    )


def _behind_placeholders(history: History, remaining: Standing) -> Iterator[Entry]:
    """What of the messages that stay is told by a placeholder or a digest: its names stand nowhere else."""
    places = sorted(place for place in remaining.cleared if stands(place, remaining))
    for number, group in groupby(places, key=lambda place: place[0]):
        yield only(history.entries[number], {at for _, at in group}.__contains__)


def _trail(request: Summarise) -> str:
    """The first file that was written in these messages; "" where none was."""
    return next((line.key for line in draft(replace(request, sections=("changed",), method="anchored")).lines), "")


def _persons(history: History, cut: int) -> list[str]:
    """What a person said before the cut, secrets aside."""
    return [redact(text) for entry in history.entries[:cut] if entry.speaker == "person" for text in words_of(entry)]


# What becomes of the draft


def _by_rule(request: Summarise, removal: Removal, refused: Drafted) -> Drafted:
    """The draft by rule in the place of a refused one, whose cost stays; what the model repeated of its instructions
    is left out."""
    made = draft(request)
    repeated = set(map(id, taken(made.lines, removal.instructions)))
    return replace(made, lines=tuple(line for line in made.lines if id(line) not in repeated), usage=refused.usage)


def _complete(drafted: Drafted, request: Summarise) -> Drafted:
    """The draft with everything that a rule finds for its mandatory sections: no model's summary holds less."""
    if drafted.by == BY or request.method == "opaque":
        return drafted
    must = tuple(name for name in request.sections if _must(name))
    return replace(drafted, lines=merged(draft(replace(request, sections=must)).lines, drafted.lines, 1))


def _must(section: str) -> bool:
    return SECTIONS[section].mandatory or SECTIONS[section].firm or SECTIONS[section].index


def _summary(drafted: Drafted, request: Summarise, remaining: Standing, terms: Terms) -> Summary:
    """The summary that stands from here on: merged, fitted, laid out, with the lowest label of what it absorbed."""
    before = remaining.summary
    cycle = before.cycle + 1 if before else 1
    old: Iterable[Line] = request.before.lines if request.before else ()
    drawn = drafted.lines or tuple(Line("state", text, text) for text in drafted.text.splitlines() if text.strip())
    lines = merged(old, drawn, cycle)
    absorbed = joined(before.absorbed if before else (), spans(entry.number for entry in request.entries))
    trust = lowest(each.trust for each in (*request.entries, *lines, *((before,) if before else ())))
    bare = Summary((), request.method, request.domain, cycle, absorbed, trust=trust, compaction=drafted.compaction)
    return _fitted(bare, lines, request.limit, remaining, terms)


def _fitted(bare: Summary, lines: Sequence[Line], limit: int, remaining: Standing, terms: Terms) -> Summary:
    """The summary with as many of the lines as its limit allows, by the tokens of its text as it is sent."""
    room, best = limit - terms.count(laid_out(bare, terms.recall, remaining.dropped)), bare
    for _ in range(TRIES):
        summary = replace(bare, lines=fit(lines, room, terms.count, remaining.covered))
        text = laid_out(summary, terms.recall, remaining.dropped)
        size = terms.count(text)
        if not best.text or best.tokens > limit or best.tokens < size <= limit:
            best = replace(summary, text=text, tokens=size)
        if len(summary.lines) == len(lines) or NEAR * limit <= size <= limit:
            break
        room += limit - size
    return best
