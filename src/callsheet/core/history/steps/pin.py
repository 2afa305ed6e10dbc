"""Standing rules and canonical state are said once more where the model looks: in the system text, or at the end (F8).

The rules are the person's own sentences. In the system text a change of the block breaks the whole prefix; at the
end it costs its own tokens in each request, and what was cached before it stays.
"""

from dataclasses import replace

from ....model.effect import Flow
from ....model.history import Edit, Line, Standing
from ....model.history_policy import Pin
from ...text.foreign import neutral
from ...text.redact import redact
from ..editing.bound_thinking import forbidden_at_end, thinking_from
from ..editing.edits import noted
from ..record import History
from ..recorded.standing_rules import standing_rules
from ..terms import Count, Terms

NAME = "pin"
RULES = "standing-rules"
STATE = "current-state"
SHARE = 0.15
"""The share of the usable window that the block may take at most: a small window needs its room for the task."""
_SAID = "The user said, earlier in this conversation; it holds until they say otherwise:"


def act(step: Pin, history: History, standing: Standing, terms: Terms) -> Flow[Standing]:
    """The standing with the block as it is now."""
    yield from ()
    rules = tuple(standing_rules(history.entries[number] for number in history.turns))
    text = block(rules, terms.state, min(step.limit, int(terms.usable * SHARE)), terms.count)
    before = standing.pinned_system if step.place == "system" else standing.pinned_end
    if text and (rule := forbidden_at_end(terms)):
        return _refused(standing, history, rule)
    if text != before or (text and step.place == "end"):
        standing = _stripped(standing, thinking_from(history, standing, 0, terms))
    if text == before:
        return standing
    rewritten = history.weight(standing.covered, len(history)) if step.place == "system" else 0
    why = f"{len(rules)} standing rules" + (" and the state" if terms.state else "")
    numbers = tuple(sorted({number for rule in rules for number in rule.numbers}))
    edit = Edit(NAME, len(history), numbers, -terms.count(text), rewritten, why=why)
    pinned = {"pinned_system": text} if step.place == "system" else {"pinned_end": text}
    return replace(standing, edits=(*standing.edits, edit), **pinned)  # type: ignore[arg-type]


def _refused(standing: Standing, history: History, rule: str) -> Standing:
    """The standing with an edit that says why nothing is pinned."""
    why = "a block that is said once more changes what stood before later thinking"
    return noted(standing, Edit(NAME, len(history), refused=rule, why=why))


def _stripped(standing: Standing, before: int) -> Standing:
    return standing if before == standing.thinking_from else replace(standing, thinking_from=before)


def block(rules: tuple[Line, ...], state: str, limit: int, count: Count) -> str:
    """The block of rules and state, empty where there are none; of at most `limit` tokens.

    The newest rules come first into it, and the state is cut only where no rule is left to leave out; what stays out is
    named by the messages it stands in.
    """
    shown = list(rules)
    text = _written(shown, (), state)
    while shown and text and count(text) > limit:
        out = rules[: len(rules) - len(shown) + 1]
        shown = list(rules[len(out) :])
        text = _written(shown, out, state)
    while state and count(text) > limit:
        state = state[: len(state) * 3 // 4]
        text = _written(shown, rules[: len(rules) - len(shown)], f"{state} […]" if state else "")
    return text


def _written(shown: list[Line], out: tuple[Line, ...], state: str) -> str:
    parts = []
    if shown or out:
        said = [f'- "{_own(rule.text)}" (message {rule.numbers[0]})' for rule in shown]
        if out:
            numbers = ", ".join(str(number) for number in sorted({rule.numbers[0] for rule in out}))
            said.insert(0, f"- {len(out)} earlier ones, in messages {numbers}")
        parts.append("\n".join((f"<{RULES}>", _SAID, *said, f"</{RULES}>")))
    if state:
        parts.append(f"<{STATE}>\n{_own(state)}\n</{STATE}>")
    return "\n".join(parts)


def _own(text: str) -> str:
    """Text without secrets, in which nothing closes the block that it stands in."""
    return neutral(redact(text))
