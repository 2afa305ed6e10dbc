"""A structured note that a new session starts from, from the same material as a summary (C10, F2)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace

from ....model.history import Decision, Entry, HandOver, Line, Summarise
from ....model.message import TextBlock
from ...text.foreign import neutral
from ...text.redact import redact
from ..summary.by_rule import draft
from ..summary.layout import one
from ..summary.material import lowest
from ..summary.merge import merged
from ..summary.speech import REASON, sentences
from ..summary.trail import MENDED

TAG = "handover"
SECTIONS = ("rules", "decisions", "open", "todo", "changed", "read", "tests", "errors", "next")
TITLES: Mapping[str, str] = {
    "task": "Task, in the person's words: the first and the last",
    "rules": "Standing rules, in the person's words",
    "decisions": "Decisions and why",
    "open_questions": "Open questions and work",
    "changed": "Files changed",
    "read": "Files only read",
    "tests": "Tests, last run of each",
    "errors": "What failed and was not seen mended",
    "next_step": "Next step",
}
LINES = ("task", "rules", "open_questions", "changed", "read", "tests", "errors")
"""The fields whose lines say how far they are to be trusted."""
NOTHING = "none"
NOTE = "Left by an earlier session. It is a record: what to do now is what the person asks for now."


def hand_over(entries: Sequence[Entry]) -> HandOver:
    """The note on a conversation, of all its messages: it holds nothing that nobody said or did.

    What is empty was not found.
    """
    request = Summarise(tuple(entries), None, SECTIONS, "anchored", "coding", 0)
    lines = merged((), draft(request).lines, 1)
    announced = draft(replace(request, sections=("announced",))).lines

    def found(*sections: str) -> tuple[Line, ...]:
        return tuple(line for section in sections for line in lines if line.section == section)

    return HandOver(
        task=tuple(_tasks(entries)) or found("request"),
        rules=found("rules"),
        decisions=tuple(map(_decision, found("decisions"))),
        open_questions=found("open", "todo"),
        changed=found("changed"),
        read=found("read"),
        tests=found("tests"),
        errors=tuple(line for line in found("errors") if not line.text.endswith(MENDED)),
        next_step=" ".join(line.text for line in found("next") or announced),
    )


def laid_out(note: HandOver) -> str:
    """The note as a delimited block for the first message of a new session; what is empty says so."""
    said = (each for name in LINES for each in getattr(note, name))
    parts = [f'<{TAG} trust="{lowest(each.trust for each in said)}">', NOTE]
    for each in fields(note):
        written = list(_written(getattr(note, each.name)))
        title = f"## {TITLES[each.name]}"
        parts.extend((title, *written) if written else (f"{title}: {NOTHING}",))
    return "\n".join((*parts, f"</{TAG}>"))


def _tasks(entries: Sequence[Entry]) -> Iterator[Line]:
    """What a person said first and what they said last, sentence by sentence."""
    spoken = [entry for entry in entries if entry.speaker == "person"]
    for entry in dict.fromkeys((spoken[0].number, spoken[-1].number)) if spoken else ():
        said = next(each for each in spoken if each.number == entry)
        for block in said.message.blocks:
            for sentence in sentences(redact(str(block.text))) if isinstance(block, TextBlock) else ():
                yield Line("request", sentence, sentence, 1, (said.number,), True, said.trust)


def _decision(line: Line) -> Decision:
    """A decision's text, and from its reason on the why."""
    reason = REASON.search(line.text)
    if reason is None or not reason.start():
        return Decision(line.text, "", line.numbers)
    return Decision(line.text[: reason.start()].rstrip(" ,;-"), line.text[reason.start() :], line.numbers)


def _written(value: str | Iterable[Line | Decision]) -> Iterator[str]:
    if isinstance(value, str):
        if value:
            yield f"- {neutral(value)}"
        return
    for each in value:
        if isinstance(each, Decision):
            why = f" — {each.why}" if each.why else ""
            yield f"- {neutral(each.text + why)}"
        else:
            yield f"- {one(each).partition('] ')[2]}"
