"""Probes put to a model: under a policy, and with the fact alone in the window (F9)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from ...core.history.conversation import Conversation
from ...core.history.recorded.entries import entry
from ...core.history.summary.by_rule import draft
from ...core.history.terms import Count, Terms
from ...core.text.blocks import text_of
from ...drive import drive
from ...errors import UsageError
from ...history import RECALL
from ...model.effect import Effect
from ...model.history import Drafted, Entry, Summarise, Timeline
from ...model.history_policy import HistoryPolicy
from ...model.message import Message, TextBlock, ToolDefinition
from ...ports import Model
from .again import Exchange, converse, how
from .answers import Answers
from .ask import HOW, Said, address, ask, body, question
from .probe import Probe
from .results import Answer, Probed, probed
from .split import facts_of, judge, look_alikes

CONTROL = "control"


@dataclass(frozen=True, slots=True)
class Setting:
    """What is the same for every policy of a comparison.

    `window` is what a policy may fill, in tokens of `count`; the model's own where it is not said. `tools` stand in
    each request as they did in the conversation. `summarise` makes the summaries and notes that a policy asks for, by
    rule where none is given. With `warm` the first request of each row goes out twice and counts once, so that every
    row is read out of a warm cache (G3). With `recall` a model may read originals again before it answers. `told`
    hears of each answer.
    """

    model: Model
    count: Count
    window: int = 0
    tools: tuple[ToolDefinition, ...] = ()
    answers: Answers = field(default_factory=Answers)
    summarise: Callable[[Summarise], Drafted] = draft
    warm: bool = False
    recall: bool = False
    told: Callable[[str, Answer], None] = lambda policy, answer: None


@dataclass(frozen=True, slots=True)
class _Question:
    """One phrasing of a probe with all that is sent for it.

    `entries` are what may be read again, `own` the tokens of summaries that were made for it.
    """

    probe: Probe
    phrasing: int
    messages: tuple[Message, ...]
    asked: str
    system: str = ""
    entries: Sequence[Entry] = ()
    own: int = 0


def run(timeline: Timeline, policy: HistoryPolicy, probes: Sequence[Probe], setting: Setting) -> Probed:
    """What a model answers to the probes where this policy keeps the conversation.

    The conversation is replayed round by round; before the round a probe names, its question takes the next turn, and
    the policy lays the window out for it. UsageError for a probe whose round the conversation does not have.
    """
    asked = _questions(timeline, policy, probes, setting)
    answers = _answers(policy.name, asked, setting, offered(timeline, setting.tools))
    return replace(probed(policy.name, answers), warm=setting.warm)


def control(timeline: Timeline, probes: Sequence[Probe], setting: Setting) -> Probed:
    """What it answers with the fact alone in the window: whether the task can be done at all.

    UsageError for a probe whose values the conversation does not hold before its round, and that brings no `fact`.
    """
    _known_rounds(timeline, probes)
    asked = (
        _Question(probe, at, (*_facts(timeline, probe), question(phrasing, _how(setting))), phrasing)
        for probe in probes
        for at, phrasing in enumerate(probe.phrasings)
    )
    return replace(probed(CONTROL, _answers(CONTROL, asked, setting, ())), warm=setting.warm)


def offered(timeline: Timeline, tools: tuple[ToolDefinition, ...]) -> tuple[ToolDefinition, ...]:
    """The tools of a request: those given, else one by name for each that the conversation calls.

    A provider takes no call of a tool that its request does not define.
    """
    called = dict.fromkeys(call.name for each in timeline.entries for call in each.message.calls)
    known = {str(each.name) for each in tools}
    schema = {"type": "object", "properties": {}}
    return (*tools, *(ToolDefinition(name=name, schema=schema) for name in called if name not in known))


def _answers(
    row: str, asked: Iterator[_Question], setting: Setting, tools: tuple[ToolDefinition, ...]
) -> Iterator[Answer]:
    cold = setting.warm

    def send(sent: bytes) -> tuple[Said, bool]:
        nonlocal cold
        if cold and address(sent) not in setting.answers:
            setting.model.call(sent)
            cold = False
        return setting.answers.get(address(sent), partial(ask, setting.model, sent))

    for each in asked:
        answer = _answer(each, _exchange(each, setting, tools, send))
        setting.told(row, answer)
        yield answer


def _exchange(
    asked: _Question, setting: Setting, tools: tuple[ToolDefinition, ...], send: Callable[[bytes], tuple[Said, bool]]
) -> Exchange:
    profile = setting.model.profile
    if setting.recall:
        return converse(asked.messages, asked.system, tools, profile, asked.entries, setting.count, send)
    sent, refused = body(asked.messages, asked.system, tools, profile)
    said, again = (Said(error=refused), False) if refused else send(sent)
    return Exchange(said, said.text, usage=said.usage, seconds=said.seconds, largest=said.usage.prompt, again=again)


def _answer(asked: _Question, took: Exchange) -> Answer:
    """The answer judged by what stood in the windows it was given from."""
    probe = asked.probe
    answer = Answer(probe.id, probe.kind, asked.phrasing, probe.counts_for, error=took.said.error, again=took.again)
    if took.said.error:
        return answer
    window = "\n".join(_texts((*asked.messages, *took.seen), asked.system))
    judged = judge(took.answer, probe, look_alikes(probe, window, asked.asked))
    return replace(
        answer,
        verdict=judged.verdict,
        named=judged.named,
        text=took.answer,
        read=took.usage.prompt,
        cached=took.usage.cached_read,
        seconds=took.seconds,
        calls=took.calls,
        numbers=took.numbers,
        refetched=took.refetched,
        written=took.usage.output,
        own=asked.own,
        largest=took.largest,
    )


def _questions(
    timeline: Timeline, policy: HistoryPolicy, probes: Sequence[Probe], setting: Setting
) -> Iterator[_Question]:
    """Every phrasing with the window it meets, in the order of the rounds."""
    _known_rounds(timeline, probes)

    def perform(effect: Effect[Any]) -> Any:
        assert isinstance(effect, Summarise), "a policy asks for nothing but summaries"
        return setting.summarise(effect)

    terms = _terms(timeline, policy, setting)
    system = "\n\n".join(_texts(timeline.system))
    conversation, read = Conversation(policy), 0
    for number, before in (*enumerate((each.before for each in timeline.rounds), 1), (0, len(timeline.entries))):
        for each in timeline.entries[read:before]:
            conversation.add(each)
        read = max(read, before)
        for probe in (each for each in probes if each.at == number):
            for at, phrasing in enumerate(probe.phrasings):
                put = question(phrasing, _how(setting))
                asked = _asked(conversation, put, setting.count)
                view = drive(asked.prepare(terms), perform)
                yield _Question(
                    *(probe, at, view.messages, phrasing, "\n\n".join(filter(None, (system, view.system)))),
                    entries=tuple(conversation.history.entries),
                    own=_own(asked) - _own(conversation),
                )
        if number:
            drive(conversation.prepare(terms), perform)


def _how(setting: Setting) -> str:
    return how(setting.model.profile) if setting.recall else HOW


def _own(conversation: Conversation) -> int:
    return sum(edit.usage.prompt + edit.usage.output for edit in conversation.standing.edits)


def _asked(conversation: Conversation, put: Message, count: Count) -> Conversation:
    """The conversation as it stands with a question of the person's behind it; the one that is replayed has none."""
    asked = Conversation(conversation.policy)
    for each in conversation.history.entries:
        asked.add(each)
    asked.standing = conversation.standing
    asked.add(entry(len(asked.history), put, count, "person"))
    return asked


def _terms(timeline: Timeline, policy: HistoryPolicy, setting: Setting) -> Terms:
    profile, recall = setting.model.profile, str(RECALL.name) if setting.recall else ""
    return Terms(
        setting.window or profile.window,
        setting.count,
        reserve=policy.reserve,
        overhead=timeline.system_tokens + timeline.tools_tokens,
        tools=frozenset((*timeline.tools, recall) if recall else timeline.tools),
        recall=recall,
        prices=profile.prices,
        binds_thinking=profile.traits.binds_thinking,
        thinking=policy.thinking,
    )


def _known_rounds(timeline: Timeline, probes: Sequence[Probe]) -> None:
    for probe in probes:
        if not 0 <= probe.at <= len(timeline.rounds):
            raise UsageError(
                f"probe {probe.id!r} is asked before round {probe.at}; the conversation has rounds 1 to "
                f"{len(timeline.rounds)}, and 0 stands for its end"
            )


def _facts(timeline: Timeline, probe: Probe) -> Iterator[Message]:
    """The fact alone, as a message; none where the right answer is that nothing tells it."""
    fact = probe.fact
    if not fact and probe.expected:
        before = timeline.rounds[probe.at - 1].before if probe.at else len(timeline.entries)
        messages = [each.message for each in timeline.entries[:before]]
        fact = "\n".join(facts_of(probe, _texts((*timeline.system, *messages))))
        if not fact:
            raise UsageError(
                f"probe {probe.id!r}: not all of its expected values stand in the conversation before its round, so "
                "no policy could answer it; correct `expected` or `at`, or give the `fact` that answers it"
            )
    if fact:
        yield Message("user", (TextBlock(text=fact),), "text")


def _texts(messages: Sequence[Message], system: str = "") -> Iterator[str]:
    yield from filter(None, (system,))
    yield from (text_of(block) for each in messages for block in each.blocks)
