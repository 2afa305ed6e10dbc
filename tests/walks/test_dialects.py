"""The worked example in every dialect, in both proposal channels, whole and streamed: the same run, the same record."""

import asyncio
import json
from dataclasses import replace
from itertools import pairwise, product
from threading import Event
from typing import Any

import pytest

from callsheet.core.render.dialects import DIALECTS, illegal
from callsheet.drive.live import Happened
from callsheet.edges.providers.openai_compatible import OpenAICompatibleModel
from callsheet.host.host import Host, open_host
from callsheet.host.wiring import Overrides
from callsheet.model.effect import RunResult
from callsheet.model.message import Reply
from callsheet.model.policy import ModelTraits
from callsheet.model.prompt import Delta
from callsheet.testing import SCRIPTED, FixedClock, ScriptedModel, reply

from ..edges.providers.loopback import serving as provider
from ..edges.providers.loopback import stream as pieces
from .stage import ANSWER, CHECK, QUESTION, customer, helpful, project, references

WAYS = list(product(DIALECTS, ("json-schema", "native-calls"), (False, True)))
TRAITS = ModelTraits(source_blocks=True)


def opened(tmp_path, dialect: Any, channel: Any, stream: bool, says=helpful, **more: Any) -> Host:
    profile = replace(SCRIPTED, dialect=dialect, channel=channel, stream=stream, **more)
    overrides = Overrides(model=ScriptedModel(profile, says), clock=FixedClock(), token=lambda: "dialects")
    return open_host(project(tmp_path), tmp_path / "data", overrides)


def listened(host: Host) -> tuple[list[Happened | Delta], RunResult]:
    events, steps = [], host.stream(QUESTION, customer())
    while True:
        try:
            events.append(next(steps))
        except StopIteration as end:
            return events, end.value


@pytest.mark.parametrize(("dialect", "channel", "stream"), WAYS)
def test_the_worked_example_ends_in_the_same_answer_whatever_the_dialect(tmp_path, dialect, channel, stream):
    with opened(tmp_path, dialect, channel, stream) as host:
        result = host.run(QUESTION, customer())
        records = [host.show(each, customer()) for each in result.request_ids]
        replays = [host.replay(each, customer()) for each in result.request_ids]
    assert (result.outcome, result.answer) == ("answer", ANSWER["answer"])
    assert [each.call.tool for each in result.steps[0].calls] == ["check_api_key_status"]
    assert all(each["identical"] and each["body_identical"] for each in replays)
    assert [(each.manifest.dialect, each.manifest.proposal_channel) for each in records] == [(dialect, channel)] * 2
    assert all(each.usage is not None and each.usage.input > 0 and each.usage.output > 0 for each in records)


@pytest.mark.parametrize(("dialect", "channel", "stream"), WAYS)
def test_every_byte_of_every_dialect_has_an_owner_and_the_body_decodes_to_a_legal_prompt(
    tmp_path, dialect, channel, stream
):
    with opened(tmp_path, dialect, channel, stream) as host:
        stored = host.assemble(QUESTION, customer())
        profile = host.policy.model
    spans, body = stored.wire.spans, stored.wire.body
    assert spans[0].start == 0 and spans[-1].end == len(body)
    assert all(one.end == other.start for one, other in pairwise(spans))
    assert {each.item_id for each in stored.manifest.items} <= {each.item_id for each in spans}
    prompt = DIALECTS[dialect].decode(json.loads(body))
    assert prompt.unknown == () and illegal(prompt, profile) is None
    assert prompt.stream is (True if stream and dialect != "gemini" else None)
    texts = json.dumps(json.loads(body), ensure_ascii=False)
    assert all(json.dumps(each.text, ensure_ascii=False)[1:-1] in texts for each in stored.manifest.items
               if each.kind != "tool")  # fmt: skip


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("channel", ["json-schema", "native-calls"])
def test_no_dialect_puts_untrusted_text_into_an_operators_channel(tmp_path, dialect, channel):
    with opened(tmp_path, dialect, channel, False) as host:
        stored = host.assemble(QUESTION, customer(), decision="answer")
    prompt = DIALECTS[dialect].decode(json.loads(stored.wire.body))
    operator = [str(block.text) for block in prompt.system]  # type: ignore[attr-defined]
    operator += [message.text for message in prompt.messages if message.role in ("system", "developer")]
    operator += [str(tool.description) for tool in prompt.tools or ()]
    untrusted = [each.text for each in stored.manifest.items if each.trust == "untrusted"]
    assert untrusted and not any(text in channel for text in untrusted for channel in operator)


def test_evidence_goes_into_source_blocks_where_the_model_takes_them_bound_by_its_id(tmp_path):
    with opened(tmp_path, "anthropic", "native-calls", False, traits=TRAITS) as host:
        result = host.run(QUESTION, customer())
        sent = host.show(result.request_ids[-1], customer()).wire
        body = json.loads(sent.body)
    blocks = [each for each in body["messages"][0]["content"] if each["type"] == "search_result"]
    assert result.outcome == "answer" and "runbook/api-keys@v7#revoked-keys" in [each["source"] for each in blocks]
    assert all(each["content"][0]["text"].startswith("source: ") for each in blocks)
    titles = [b'"title":' + json.dumps(each["title"], ensure_ascii=False).encode() for each in blocks]
    stored_at = [sent.body.index(each) + len(b'"title":') for each in titles]
    assert [sent.owner(at).item_id for at in stored_at] == [each["source"] for each in blocks]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("channel", ["json-schema", "native-calls"])
def test_a_streamed_reply_is_told_piece_by_piece_before_its_call_is_done(tmp_path, dialect, channel):
    with opened(tmp_path, dialect, channel, True) as host:
        events, result = listened(host)
    names = [each.kind if isinstance(each, Delta) else type(each.effect).__name__ for each in events]
    assert result.outcome == "answer"
    kind = "text" if channel == "json-schema" else "call"
    first = names.index("Call")
    assert names.index("Record") < names.index(kind) < first
    told = "".join(each.text for each in events[:first] if isinstance(each, Delta) and each.kind == kind)
    arguments = CHECK["calls"][0]["arguments"]
    assert json.loads(told) == (CHECK if channel == "json-schema" else arguments)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_stream_that_ends_before_its_reply_is_finished_leaves_the_run_unknown(tmp_path, dialect):
    def cut(body: bytes) -> Reply:
        whole = reply(CHECK, replace(SCRIPTED, dialect=dialect, stream=True), body)
        return Reply(whole[: whole.rindex(b"\n\n", 0, len(whole) * 3 // 5) + 2])

    with opened(tmp_path, dialect, "json-schema", True, cut) as host:
        result = host.run(QUESTION, customer())
        assert host.replay(result.request_ids[0], customer())["identical"]
    assert result.outcome == "unknown" and len(result.steps) == 1
    assert [each.rule for each in result.steps[0].verdicts] == ["model-outage"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_call_written_as_text_is_read_where_calls_are_asked_for_and_two_of_them_are_not(tmp_path, dialect):
    def written(body: bytes) -> str:
        if references(body):
            return json.dumps({"name": "answer", "arguments": {k: v for k, v in helpful(body).items() if k != "kind"}})
        call = {"name": "check_api_key_status", "arguments": {"account_id": "A-123"}}
        return f"<tool_call>\n{json.dumps(call)}\n</tool_call>"

    with opened(tmp_path, dialect, "native-calls", False, written) as host:
        assert host.run(QUESTION, customer()).outcome == "answer"
    with opened(tmp_path, dialect, "native-calls", False, lambda body: written(body) * 2) as host:
        refused = host.run(QUESTION, customer())
    assert {rule.rule for step in refused.steps for rule in step.verdicts} == {"unreadable-proposal"}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_event_that_is_nested_too_deep_leaves_the_run_unknown_and_breaks_nothing(tmp_path, dialect):
    def deep(body: bytes) -> Reply:
        return Reply(
            b"data: " + b"[" * 200_000 + b"\n\n" + reply(CHECK, replace(SCRIPTED, dialect=dialect, stream=True))
        )

    with opened(tmp_path, dialect, "json-schema", True, deep) as host:
        _, result = listened(host)
        assert host.replay(result.request_ids[0], customer())["identical"]
    assert result.outcome == "unknown"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_secret_that_comes_in_pieces_is_in_no_record(tmp_path, dialect):
    secret = "sk_live_" + "0123456789abcdef" * 2
    # The two halves of the text part in the middle of it.
    words = {"kind": "ask", "reason": f"Is it {secret} or?"}

    with opened(tmp_path, dialect, "json-schema", True, lambda body: words) as host:
        result = host.run(QUESTION, customer())
        stored = host.show(result.request_ids[0], customer()).reply
        assert host.replay(result.request_ids[0], customer())["identical"]
    assert stored is not None and result.outcome == "asked"
    whole = json.dumps(words)
    assert secret in whole and all(secret not in half for half in (whole[: len(whole) // 2], whole[len(whole) // 2 :]))
    assert secret[-20:] not in stored.body.decode()


def test_leaving_a_stream_in_the_middle_of_a_reply_breaks_the_call_off_and_the_run_can_go_on(tmp_path):
    class Slow(ScriptedModel):
        """Tells half of its reply and waits until it is broken off."""

        def __init__(self) -> None:
            super().__init__(replace(SCRIPTED, stream=True), helpful)
            self.cut, self.slow = Event(), True

        def call(self, body: bytes, sink: Any = None) -> Reply:
            whole = super().call(body).body
            if not self.slow:
                return Reply(whole)
            half = whole[: len(whole) // 2]
            sink(half)
            assert self.cut.wait(60)
            return Reply(half, error="the call was cancelled", unknown=True)

        def cancel(self, sink: Any = None) -> None:
            self.cut.set()

    model = Slow()
    overrides = Overrides(model=model, clock=FixedClock(), token=lambda: "slow")
    with open_host(project(tmp_path), tmp_path / "data", overrides) as host:
        events = host.stream(QUESTION, customer())
        while not isinstance(next(events), Delta):
            pass
        events.close()
        (stored,) = host.recent(customer())
        assert model.cut.is_set() and stored.entries[-1].effect == "Call"
        assert stored.reply is None or stored.reply.unknown
        model.slow = False
        run_id = stored.task.run_id
        assert host.run(ctx=customer(), resume=run_id).outcome == "answer"


def test_an_awaited_stream_that_is_left_breaks_the_call_off_too(tmp_path):
    cut = Event()

    class Waiting(ScriptedModel):
        """Tells its first line and waits until it is broken off."""

        def call(self, body: bytes, sink: Any = None) -> Reply:
            sink(super().call(body).body)
            assert cut.wait(60)
            return Reply(error="the call was cancelled", unknown=True)

        def cancel(self, sink: Any = None) -> None:
            cut.set()

    async def left(host: Host) -> None:
        events = host.astream(QUESTION, customer())
        async for event in events:
            if isinstance(event, Delta):
                break
        await events.aclose()

    overrides = Overrides(model=Waiting(replace(SCRIPTED, stream=True), helpful), clock=FixedClock())
    with open_host(project(tmp_path), tmp_path / "data", overrides) as host:
        asyncio.run(left(host))
        assert cut.is_set() and host.recent(customer())[0].entries[-1].effect == "Call"


def test_leaving_one_stream_breaks_nobody_elses_call_off(tmp_path):
    begun, go_on = Event(), Event()

    whole = reply({"kind": "ask", "reason": "Which account?"}, replace(SCRIPTED, stream=True))
    cut = whole.index(b"\n\n", whole.index(b'"content": "{')) + 2
    slowly = pieces(whole[:cut], whole[cut:], after_each=lambda each: each == whole[cut:] or go_on.wait(60))

    async def both(host: Host) -> RunResult:
        async def other() -> Any:
            async for event in host.astream(QUESTION, customer(tenant="globex", subject="u2")):
                if isinstance(event, Delta):
                    begun.set()
            return event

        staying = asyncio.create_task(other())
        assert await asyncio.to_thread(begun.wait, 60)
        leaving = host.astream(QUESTION, customer())
        async for event in leaving:
            if isinstance(event, Delta):
                break
        await leaving.aclose()
        go_on.set()
        return await staying

    with provider(slowly) as server:
        model = OpenAICompatibleModel(server.address, replace(SCRIPTED, stream=True))
        with open_host(project(tmp_path), tmp_path / "data", Overrides(model=model, clock=FixedClock())) as host:
            assert asyncio.run(both(host)).outcome == "asked"


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("kind", ["answer", "ask", "escalate"])
def test_a_reply_that_speaks_and_calls_at_once_is_refused_and_nothing_is_called(tmp_path, dialect, kind):
    both = [{"tool": kind, "arguments": {"reason": "x"}}, *CHECK["calls"]]
    for calls in (both, both[::-1]):
        with opened(
            tmp_path, dialect, "native-calls", False, lambda body, said=calls: {**CHECK, "calls": said}
        ) as host:
            result = host.run(QUESTION, customer())
        assert {each.rule for step in result.steps for each in step.verdicts} == {"unreadable-proposal"}
        assert not any(step.calls for step in result.steps)
