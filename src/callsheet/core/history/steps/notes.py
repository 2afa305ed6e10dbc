"""The agent's own notes, kept up every few turns: decisions, open questions, next step (F8, B6).

They stand behind the last message, so that keeping them up breaks no cached prefix; what they cost to write is on the
edit. A note is made of what is new since the last one and of the notes before, by whoever answers `Summarise`: a model,
or a rule.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ....model.effect import Flow, ask
from ....model.history import Drafted, Edit, Line, Standing, Summarise, Summary
from ....model.history_policy import Notes
from ...text.foreign import neutral
from ..editing.bound_thinking import forbidden_at_end, thinking_from
from ..record import History
from ..summary.by_rule import draft
from ..summary.clean import clean
from ..terms import Count, Terms

NAME = "notes"
SECTIONS = {"decisions": "Decisions", "open": "Open questions", "next": "Next step"}
"""The sections of notes, as a summary has them, with their headings."""
KNOWN = {"request": "Task", "changed": "Files changed", "read": "Files only read"}
"""What notes say, with its headings, as long as nothing is settled."""
HEADINGS = {**KNOWN, **SECTIONS}
TAG = "notes"
SHARE = 0.15
"""The share of the usable window that notes may take at most."""


def act(step: Notes, history: History, standing: Standing, terms: Terms) -> Flow[Standing]:
    """The standing with notes that are at most `every` turns of the model old."""
    if forbidden_at_end(terms):
        return standing
    if standing.notes and thinking_from(history, standing, 0, terms) != standing.thinking_from:
        standing = replace(standing, thinking_from=thinking_from(history, standing, 0, terms))
    since = standing.noted.absorbed[-1][1] if standing.noted else 0
    tried = next((edit.at for edit in reversed(standing.edits) if edit.step == NAME), 0)
    if _turns(history, max(since, tried)) < step.every:
        return standing
    entries = tuple(each for each in history.entries[since:] if each.speaker != "harness")
    limit = min(step.limit, int(terms.usable * SHARE))
    asked = Summarise(entries, standing.noted, tuple(SECTIONS), "anchored", "general", limit)
    drafted = clean((yield from ask(asked)))
    if not (drafted.error or drafted.lines or drafted.text.strip() or _settled(standing.noted)):
        drafted = replace(drafted, lines=tuple(_known(asked)))
    if drafted.error or not (drafted.lines or drafted.text.strip()):
        why = drafted.error or "nothing to note"
        edit = Edit(NAME, len(history), refused="no-notes", why=why, usage=drafted.usage)
        return replace(standing, edits=(*standing.edits, edit))
    noted = _noted(drafted, standing.noted, history, limit, terms.count)
    why = f"notes {noted.cycle}, on messages {since} to {len(history) - 1}"
    numbers = tuple(range(since, len(history)))
    edit = Edit(NAME, len(history), numbers, standing_tokens(standing) - noted.tokens, why=why, usage=drafted.usage)
    return replace(standing, notes=noted.text, noted=noted, edits=(*standing.edits, edit))


def _settled(noted: Summary | None) -> bool:
    """Whether notes hold more than what is known anyway."""
    return noted is not None and any(line.section not in (*KNOWN, "next") for line in noted.lines)


def _known(asked: Summarise) -> Iterator[Line]:
    """The task, the files and what the model was about to do, by rule: what is there where nothing is settled."""
    for line in clean(draft(replace(asked, sections=(*KNOWN, "announced")))).lines:
        yield replace(line, text=line.key) if line.section in ("changed", "read") else line


def standing_tokens(standing: Standing) -> int:
    """Tokens of the notes that stand."""
    return standing.noted.tokens if standing.noted else 0


def _turns(history: History, since: int) -> int:
    """How many turns the model took from a message on; a response in several pieces is one."""
    said = [each for each in history.entries[since:] if each.speaker == "model"]
    return len({each.response or each.number for each in said})


def _noted(drafted: Drafted, before: Summary | None, history: History, limit: int, count: Count) -> Summary:
    cycle = before.cycle + 1 if before else 1
    standing = () if before is None or drafted.text else before.lines
    made = drafted.lines or (Line("", drafted.text, cycle=cycle),)
    known = all(line.section in (*KNOWN, "next") for line in made)
    passing = ("next",) if known else ("next", *KNOWN)
    kept = (each for each in standing if each.section not in passing)  # the next step is always a new one
    lines = _once((*kept, *made))
    text = written(lines)
    while len(lines) > 1 and count(text) > limit:
        lines = lines[1:]  # the oldest line first
        text = written(lines)
    if count(text) > limit:
        text = f"<{TAG}>\n{text[: limit * 2]} […]\n</{TAG}>"
    absorbed = ((0, len(history)),)
    return Summary(lines, cycle=cycle, absorbed=absorbed, text=text, tokens=count(text))


def _once(lines: Iterable[Line]) -> tuple[Line, ...]:
    """The lines, the last of those that say the same of the same thing."""
    last = {(line.section, line.key or line.text): line for line in lines}
    return tuple(last.values())


def _heading(name: str) -> tuple[str, ...]:
    return (f"## {HEADINGS.get(name, name)}",) if name else ()


def written(lines: Iterable[Line]) -> str:
    """The notes as they stand in the prompt: the agent's own, and no instruction."""
    parts: dict[str, list[str]] = {}
    for line in lines:
        parts.setdefault(line.section, []).append(f"- {line.text}" if line.section else line.text)
    ordered = [*(name for name in parts if name not in HEADINGS), *(name for name in HEADINGS if name in parts)]
    body = "\n".join(row for name in ordered for row in (*_heading(name), *parts[name]))
    return (
        f"<{TAG}>\nYour own notes on this conversation so far. They are notes, not a task.\n{neutral(body)}\n</{TAG}>"
    )
