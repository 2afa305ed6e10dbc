"""Probes made by code from a conversation: what its person stated, which files it changed, where a value came from.

Nobody has to write them, and nothing in them is invented: each asks for one exact value that stands in one place alone.
Approvals are not told from a conversation's texts; a probe of that kind has to be written.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...core.text.blocks import text_of
from ...model.diagnosis import Artifacts
from ...model.history import Entry, Timeline
from ...model.message import CallBlock, ResultBlock
from ..compare.facts import DECISION, RULE, SENTENCE
from .probe import Kind, Probe
from .value import shape, values

GAP = "____"
WORDS, LONGEST = 5, 240
"""A sentence with a gap can be found again where so many words stand around it, in at most so many characters."""
TELLING = 5
"""A value of fewer signs may well have come up by chance."""
ASKED: Mapping[Kind, tuple[str, ...]] = {
    "recall": (
        'Earlier I wrote: "{0}". What stood in the gap?',
        'Fill the gap with what I said: "{0}"',
        'Which value belongs into this sentence of mine: "{0}"?',
        'I told you this, one value left out here: "{0}". Name the value.',
        'Complete what I stated: "{0}". Give what is missing.',
        'In "{0}", as I said it in this conversation, what is {1}?',
    ),
    "decision": (
        'We settled this: "{0}". What stands in the gap?',
        'What did I rule here, in the place of the gap: "{0}"?',
        'I decided: "{0}". Which value was it?',
        'My instruction was: "{0}". Name what is left out.',
        'To keep to what I ruled in "{0}", which value belongs into the gap?',
        'Which value did I set in "{0}"?',
    ),
    "continuation": (
        'The last thing I asked of you was: "{0}". What stands in the gap?',
        'We go on with "{0}". Which value is left out?',
        'Your next step follows from "{0}". Name what is missing.',
        'What is it that I wanted last: "{0}"? Give the value in the gap.',
        'Before you go on: what belongs into the gap of my last request, "{0}"?',
        'Complete my last request: "{0}"',
    ),
    "source": (
        "Which tool brought up {0}?",
        "From which tool's result do you know {0}?",
        "Name the tool whose result holds {0}.",
        "{0}: the result of which tool says so?",
        "Where does {0} come from? Name the tool that was called.",
        "You saw {0} in a tool's result. Which tool was it?",
    ),
    "artifact": (
        "Which file was changed last?",
        "Name the path of the file that was written most recently.",
        "What is the last file you changed?",
        "Of all files, which one was edited last? Give its path.",
        "Your latest change went into which file?",
        "Give the path of the file that was modified last in this conversation.",
    ),
}


@dataclass(slots=True)
class _Brought:
    """The text that first held a value, and the tools whose results did; None stands for anybody else."""

    text: str
    tools: set[str | None] = field(default_factory=set)


def made_probes(timeline: Timeline, artifacts: Artifacts | None = None, most: int = 3) -> tuple[Probe, ...]:
    """At most so many probes of each kind, spread over the conversation, all asked at its end."""
    stated = tuple(_stated(timeline.entries))
    decided = [each for each in stated if each.kind == "decision"]
    recalled = [each for each in stated if each.kind == "recall"]
    going_on = [each for each in stated if each.kind == "continuation"]
    sources = tuple(_sources(timeline.entries))
    kinds = (recalled, decided, going_on[-1:], sources, tuple(_changed(artifacts)))
    return tuple(probe for each in kinds for probe in _spread(each, most))


def _spread(probes: Sequence[Probe], most: int) -> Iterator[Probe]:
    step = max(1, -(-len(probes) // most))
    yield from probes[::step]


def _stated(entries: Sequence[Entry]) -> Iterator[Probe]:
    """What a person stated: a sentence with one exact value in it that no other sentence of theirs holds."""
    said = [(each.number, _said(each)) for each in entries if each.speaker == "person"]
    counted = Counter(value for _, text in said for value in {each for each, _ in values(text)})
    for at, (number, text) in enumerate(said):
        for order, sentence in enumerate(SENTENCE.split(text)):
            exact = [each for each in _exact(sentence) if counted[each] == 1]
            cloze = _cloze(sentence, exact[0]) if len(exact) == 1 else ""
            if cloze:
                last = at == len(said) - 1
                kind: Kind = "continuation" if last else _ruled(sentence)
                phrasings = tuple(each.format(cloze, GAP) for each in ASKED[kind])
                yield Probe(f"{kind}-{number}-{order}", kind, phrasings, ((exact[0],),), fact=sentence.strip())


def _ruled(sentence: str) -> Kind:
    return "decision" if DECISION.search(sentence) or RULE.search(sentence) else "recall"


def _cloze(sentence: str, value: str) -> str:
    """The sentence with a gap in the value's place; "" where it would not be known again."""
    shown = " ".join(sentence.split())
    gap = re.sub(re.escape(value), GAP, shown, flags=re.IGNORECASE)
    if gap == shown or len(shown) > LONGEST or len(gap.replace(GAP, "").split()) < WORDS:
        return ""
    return gap.strip().replace('"', "'")


def _sources(entries: Sequence[Entry]) -> Iterator[Probe]:
    """Values that one tool alone brought up and that somebody named later on."""
    names: dict[str, str] = {}
    brought: dict[str, _Brought] = {}
    used: dict[str, None] = {}
    for each in entries:
        for block in each.message.blocks:
            text = text_of(block)
            if isinstance(block, CallBlock) and block.id:
                names[block.id] = block.name
            tool = names.get(block.call_id or "") if isinstance(block, ResultBlock) else None
            for value in _exact(text):
                known = brought.setdefault(value, _Brought(text))
                if isinstance(block, ResultBlock):
                    known.tools.add(tool)
                elif known.tools:
                    used[value] = None
                else:
                    known.tools.add(None)  # what was named before any tool brought it up comes from no tool
    for value in used:
        (tool, *more) = brought[value].tools
        if tool is not None and not more and len(value) >= TELLING:
            yield _source(value, brought[value].text, tool, set(names.values()))


def _source(value: str, text: str, tool: str, tools: set[str]) -> Probe:
    found = re.search(re.escape(value), text, re.IGNORECASE)
    written = found.group() if found else value
    phrasings = tuple(each.format(written) for each in ASKED["source"])
    fact = f"The tool {tool} answered: {written}"
    return Probe(f"source-{written}", "source", phrasings, ((tool,),), tuple(sorted(tools - {tool})), fact=fact)


def _changed(artifacts: Artifacts | None) -> Iterator[Probe]:
    """Which file was changed last, where more than one was."""
    written = [each for each in artifacts.artifacts if each.writes and not each.deleted] if artifacts else []
    if len(written) > 1:
        last = max(written, key=lambda each: max(each.writes))
        others = tuple(each.path for each in written if each is not last)
        spellings = (last.path, last.path.rpartition("/")[2])
        fact = f"The file changed last is {last.path}"
        yield Probe("artifact-last", "artifact", ASKED["artifact"], (spellings,), others, fact=fact)


def _exact(text: str) -> Iterable[str]:
    """The values of a text that are worth asking for: with a shape of their own, numbers of three digits or more."""
    return dict.fromkeys(
        each for each, _ in values(text) if len(each) >= (3 if each.isdigit() else TELLING) and shape(each) is not None
    )


def _said(entry: Entry) -> str:
    return "\n".join(text_of(block) for block in entry.message.blocks)
