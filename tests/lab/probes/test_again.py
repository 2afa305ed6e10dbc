"""A question that may read originals again: what is read, what it takes, and that it ends."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from callsheet.core.history.recorded.entries import entry
from callsheet.edges.providers.embedded import EmbeddedModel
from callsheet.edges.providers.weights import DEFAULT, find
from callsheet.errors import WeightsError
from callsheet.history import POLICIES, RECALL
from callsheet.host.host import weights_cache
from callsheet.lab.probes.again import AS_JSON, REREADS, converse, original, read
from callsheet.lab.probes.answers import Answers
from callsheet.lab.probes.ask import Said, ask, question
from callsheet.lab.probes.incident import FACT_PROBE
from callsheet.lab.probes.run import control, run
from callsheet.model.history import Entry
from callsheet.model.message import Message, Reply, TextBlock
from callsheet.model.policy import Channel, DialectName, ModelProfile, ModelTraits
from callsheet.ports import Sink

from .talking import COUNT, PROFILE, STORY, TIMELINE, setting

NORTH = next(
    number
    for number, message in enumerate(STORY.messages)
    if any("region north, pool hold-store: 384" in getattr(block, "text", "") for block in message.blocks)
)
CALLS = replace(PROFILE, channel="native-calls", traits=ModelTraits(allowed_tools=True))


@dataclass
class Scripted:
    """Says one reply after another, the last one again and again; keeps every body. A number is a call."""

    replies: Sequence[str | int]
    profile: ModelProfile = PROFILE
    bodies: list[bytes] = field(default_factory=list)

    def call(self, body: bytes, sink: Sink | None = None) -> Reply:
        reply = self.replies[min(len(self.bodies), len(self.replies) - 1)]
        self.bodies.append(body)
        said: dict[str, object] = {"role": "assistant", "content": reply}
        if isinstance(reply, int):
            called = {"name": str(RECALL.name), "arguments": json.dumps({"number": reply})}
            said = {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "x", "type": "function", "function": called}],
            }
        usage = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
        choice = {"index": 0, "finish_reason": "stop", "message": said}
        return Reply(json.dumps({"id": "1", "model": "m", "choices": [choice], "usage": usage}).encode())

    def cancel(self, sink: Sink | None = None) -> None:
        """Nothing runs on."""

    def close(self) -> None:
        """Nothing is held."""


def last(model: Scripted) -> str:
    """The text of the newest message the model was sent."""
    return str(json.loads(model.bodies[-1])["messages"][-1]["content"])


def test_what_was_read_again_answers_and_is_counted() -> None:
    model = Scripted([json.dumps({"recall": NORTH}), '{"answer": "384"}'])
    row = run(TIMELINE, POLICIES["sliding-window"], (FACT_PROBE,), setting(model, recall=True))  # type: ignore[arg-type]
    first, *others = row.answers

    assert first.verdict == "right"
    assert first.numbers == (NORTH,)
    assert first.refetched == COUNT(original(TIMELINE.entries, NORTH))
    assert (first.calls, first.read, first.written, first.largest) == (2, 200, 14, 100)
    assert [each.calls for each in others] == [1] * 5
    schema = json.loads(model.bodies[0])["response_format"]["json_schema"]["schema"]
    assert [list(each["properties"]) for each in schema["anyOf"]] == [["answer"], ["recall"]]


def test_a_value_of_a_neighbour_that_was_read_again_is_a_wrong_action() -> None:
    model = Scripted([json.dumps({"recall": NORTH}), '{"answer": "283"}', '{"answer": "I don\'t know"}'])
    row = run(TIMELINE, POLICIES["sliding-window"], (FACT_PROBE,), setting(model, recall=True))  # type: ignore[arg-type]

    assert "283" not in model.bodies[0].decode()
    assert [each.verdict for each in row.answers] == ["neighbour", *["unknown"] * 5]


@pytest.mark.parametrize("profile", [PROFILE, CALLS])
def test_no_more_than_three_originals_are_read_again_whatever_the_model_asks_for(profile: ModelProfile) -> None:
    model = Scripted([3] if profile is CALLS else ['{"recall": 3}'], profile)
    row = run(TIMELINE, POLICIES["compaction"], (FACT_PROBE,), setting(model, recall=True))  # type: ignore[arg-type]

    assert [each.calls for each in row.answers] == [REREADS + 1] * 6
    assert [each.numbers for each in row.answers] == [(3, 3, 3)] * 6
    assert {each.verdict for each in row.answers} == {"other"}
    assert len(model.bodies) == 6 * (REREADS + 1)
    assert "Answer now." in last(model)


def test_the_last_reply_may_be_nothing_but_an_answer() -> None:
    model, called = Scripted(['{"recall": 3}']), Scripted([3], CALLS)
    for each in (model, called):
        run(TIMELINE, POLICIES["compaction"], (FACT_PROBE,), setting(each, recall=True))  # type: ignore[arg-type]
    held = [json.loads(sent)["response_format"]["json_schema"]["schema"] for sent in model.bodies[:4]]
    offered = [[tool["function"]["name"] for tool in json.loads(sent)["tools"]] for sent in called.bodies[:4]]
    choices = [json.loads(sent)["tool_choice"] for sent in called.bodies[:4]]

    assert ["anyOf" in each for each in held] == [True, True, True, False]
    assert [RECALL.name in each for each in offered] == [True] * 4
    assert [str(RECALL.name) in json.dumps(each) for each in choices] == [True, True, True, False]
    assert choices[-1] == "none"


def test_a_number_that_no_message_has_is_told_so_and_costs_a_call() -> None:
    model = Scripted(['{"recall": 9999}', '{"answer": "384"}'])
    row = run(TIMELINE, POLICIES["compaction"], (FACT_PROBE,), setting(model, recall=True))  # type: ignore[arg-type]

    assert row.answers[0].calls == 2
    assert "there is no message 9999" in str(json.loads(model.bodies[1])["messages"][-1])


def test_the_control_row_has_nothing_to_read_again() -> None:
    model = Scripted(['{"answer": "384"}'])
    row = control(TIMELINE, (FACT_PROBE,), setting(model, recall=True))  # type: ignore[arg-type]

    assert (row.all.hits, {each.calls for each in row.answers}) == (6, {1})
    assert "anyOf" not in model.bodies[0].decode()


def test_a_run_that_was_broken_off_goes_on_from_its_file(tmp_path: Path) -> None:
    replies = [json.dumps({"recall": NORTH}), '{"answer": "384"}']
    first, again = Scripted(replies), Scripted(replies)
    rows = [
        run(
            TIMELINE, POLICIES["compaction"], (FACT_PROBE,), setting(each, recall=True, answers=Answers(tmp_path / "a"))
        )  # type: ignore[arg-type]
        for each in (first, again)
    ]

    assert len(first.bodies) == 7
    assert again.bodies == []
    assert [replace(each, again=False, seconds=0) for each in rows[0].answers] == [
        replace(each, again=False, seconds=0) for each in rows[1].answers
    ]
    assert all(each.again for each in rows[1].answers)


@pytest.mark.parametrize(
    ("reply", "wanted", "answer"),
    [
        ('{"answer": "384"}', None, "384"),
        ('{"answer": 384}', None, "384"),
        ('{"recall": 75}', 75, ""),
        ('{"recall": null, "answer": "384"}', None, "384"),
        ('{"recall": 75, "answer": null}', 75, ""),
        ('{"call": "recall_message", "arguments": {"number": 75}}', 75, ""),
        ('{"call": "search_logs", "arguments": {}}', -1, ""),
        ("384", None, "384"),
        ("It was 384.", None, "It was 384."),
        ('{"recall": true}', None, '{"recall": true}'),
        ('{"answer": "cut of', None, '{"answer": "cut of'),
    ],
)
def test_a_reply_asks_for_an_original_or_answers(reply: str, wanted: int | None, answer: str) -> None:
    assert read(reply) == (wanted, answer)


@pytest.mark.e2e
def test_the_embedded_model_reads_what_the_window_names_and_answers_from_it() -> None:
    try:
        weights = find(DEFAULT, weights_cache())
    except WeightsError as error:
        pytest.skip(str(error))
    profile = ModelProfile("Qwen2.5-Coder-0.5B-Instruct", "openai_chat", window=2_048, max_output=96, counter="qwen")
    text = "Results by number:\nget_pool_limits: 1 north"
    entries: list[Entry] = [
        entry(number, Message("user", (TextBlock(text=each),), "text"), len, "person")
        for number, each in enumerate(("Hello.", "limit, region north: 384"))
    ]
    asked = (
        Message("user", (TextBlock(text=text),), "text"),
        question("Read message 1 again, then say the limit in region north.", AS_JSON),
    )
    model = EmbeddedModel(weights, profile, context=2_048)
    try:
        from_model = converse(asked, "", (), profile, entries, len, lambda sent: (ask(model, sent), False))
    finally:
        model.close()
    assert from_model.said.error == ""
    assert from_model.calls <= REREADS + 1


@pytest.mark.parametrize("dialect", ["anthropic", "gemini", "openai_chat", "openai_responses"])
@pytest.mark.parametrize("channel", ["json-schema", "native-calls"])
def test_every_request_of_an_exchange_is_legal_in_every_dialect(dialect: DialectName, channel: Channel) -> None:
    profile = ModelProfile("any", dialect, window=100_000, max_output=64, counter="estimate", channel=channel)
    reply = '{"recall": 3}' if channel == "json-schema" else '{"call": "recall_message", "arguments": {"number": 3}}'
    bodies: list[bytes] = []

    def send(sent: bytes) -> tuple[Said, bool]:
        bodies.append(sent)
        return Said(text=reply), False

    messages = (*STORY.messages, question("Which limit?", AS_JSON))
    took = converse(messages, STORY.system, STORY.tools, profile, TIMELINE.entries, COUNT, send)

    assert took.said.error == ""
    assert len(bodies) == len(set(bodies)) == REREADS + 1
