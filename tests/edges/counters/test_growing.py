"""A conversation counted call by call is counted as each request on its own, and what was read is not read again."""

import json
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callsheet.core.diagnose.tokens.buckets import Buckets
from callsheet.core.diagnose.window import Counting, Windows
from callsheet.core.render.openai_chat.request import decode
from callsheet.edges.counters.gguf_model import LETTERS, gguf_counter
from callsheet.edges.counters.growing import GrowingPrompt
from callsheet.edges.counters.prompt import TemplateCounter
from callsheet.edges.counters.qwen import QwenCounter
from callsheet.edges.counters.server_chat import as_chat
from callsheet.model.message import Message, ThinkingBlock
from callsheet.model.transcript import Called, Event, Offered, Replaced, Said

from . import bodies
from .test_gguf_model import model

FORGETFUL = (
    "{% set last = namespace(at=0) %}{% for m in messages %}{% if m.role == 'user' %}{% set last.at = loop.index %}"
    "{% endif %}{% endfor %}{% for m in messages %}{{ m.role }}:"
    "{% if m.reasoning_content and loop.index > last.at %}({{ m.reasoning_content }}){% endif %}{{ m.content }}<|end|>"
    "{% endfor %}{% if add_generation_prompt %}assistant:{% endif %}"
)
"""As reasoning models do it: the thinking before the latest question is dropped, so that the past is rewritten."""
STRICT = (
    "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('in turns') }}"
    "{% endif %}{{ m.content }}<|end|>{% endfor %}"
)
CLEAN = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
QWEN = QwenCounter()


def agent(turns: int, calls: int, seed: int = 4) -> list[dict[str, Any]]:
    """The requests of an agent's session: so many turns of a person, so many calls of the model, twelve tools."""
    random = Random(seed)
    words = "the failing check of module seven reads its settings twice and logs nothing at all".split()

    def said(least: int, most: int) -> str:
        return " ".join(random.choice(words) for _ in range(random.randrange(least, most)))

    tools = [
        {
            "type": "function",
            "function": {
                "name": f"{verb}_{noun}",
                "description": said(20, 60).capitalize() + ". " + said(5, 9),
                "parameters": {
                    "type": "object",
                    "properties": {name: {"type": "string", "description": said(4, 12)} for name in ("path", "text")},
                    "required": ["path"],
                },
            },
        }
        for verb in ("read", "search", "write", "list")
        for noun in ("file", "log", "note")
    ]
    messages: list[dict[str, Any]] = [{"role": "system", "content": said(150, 200)}]
    requests: list[dict[str, Any]] = []
    extra = calls - turns

    def ask() -> None:
        requests.append({"model": "qwen2.5", "messages": list(messages), "tools": tools})

    for turn in range(turns):
        messages.append({"role": "user", "content": said(5, 30)})
        ask()
        if turn < extra:
            name = tools[turn % 12]["function"]["name"]
            call = {"name": name, "arguments": json.dumps({"path": f"src/{turn}.py"})}
            asked = {"id": f"c{turn}", "type": "function", "function": call}
            messages.append({"role": "assistant", "content": None, "tool_calls": [asked]})
            messages.append({"role": "tool", "tool_call_id": f"c{turn}", "content": said(30, 300)})
            ask()
        messages.append({"role": "assistant", "content": said(10, 60)})
    return requests


def events(requests: list[dict[str, Any]]) -> list[Event]:
    """What an importer makes of requests that only grow."""
    told: list[Event] = []
    stands = 0
    for number, body in enumerate(requests):
        prompt = decode(body)
        if number == 0:
            told.append(Offered(record=0, tools=prompt.tools or ()))
        for message in prompt.messages[stands:]:
            speaker = {"user": "person", "assistant": "model", "tool": "tool"}.get(message.role, "harness")
            told.append(Said(record=number, message=message, speaker=speaker))  # type: ignore[arg-type]
        stands = len(prompt.messages)
        told.append(Called(record=number, response=f"r{number}", model="qwen2.5"))
    return told


def exact(counter: TemplateCounter) -> Counting:
    return Counting(counter.name, counter.count, lambda: GrowingPrompt(counter))


def counted(counter: TemplateCounter, told: list[Event]) -> list[int]:
    """The tokens of each call's prompt, all buckets together."""
    windows = Windows(exact(counter))
    found = []
    for event in told:
        window, _ = windows.take(event)
        if isinstance(event, Called):
            found.append(sum(window.prompt().values()))
    return found


def test_forty_turns_and_57_calls_are_counted_as_the_template_counts_each_request() -> None:
    requests = agent(40, 57)
    told = events(requests)
    expected = [QWEN.count_prompt(json.dumps(body).encode(), "openai_chat").tokens for body in requests]
    assert counted(QwenCounter(), told) == expected

    windows = Windows(counting := exact(QwenCounter()))
    buckets = Buckets(counting)
    for event in told:
        buckets.take(event, *windows.take(event))
    billing = buckets.result()
    bare = [QWEN.count_prompt(json.dumps({**body, "tools": []}).encode(), "openai_chat").tokens for body in requests]
    assert len(billing.turns) == 40 and sum(turn.calls for turn in billing.turns) == 57
    assert sum(billing.turns[-1].prompt.values()) == expected[-1]
    assert sum(billing.billed.values()) == sum(expected)
    assert billing.billed["tool_definitions"] == sum(expected) - sum(bare) == 57 * (expected[0] - bare[0])
    assert billing.basis == "tokens by qwen2.5-chatml"


class Watched(QwenCounter):
    """Keeps how many characters it was given to count, piece by piece."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[int] = []

    def piece_tokens(self, piece: str) -> int:
        self.read.append(len(piece))
        return super().piece_tokens(piece)


def test_a_session_is_tokenized_once_however_many_calls_it_has() -> None:
    counter = Watched()
    requests = agent(40, 57)
    counted(counter, events(requests))
    lengths = [len(counter.prompt(*as_chat("openai_chat", body))) for body in requests]
    assert sum(counter.read) < 4 * lengths[-1] < sum(lengths) / 5


@CLEAN
@given(st.integers(0, 10**6))
def test_any_chat_is_counted_as_its_request(seed: int) -> None:
    random = Random(seed)
    body = bodies.chat(random)
    told = events([{**body, "messages": body["messages"][:cut]} for cut in range(1, len(body["messages"]) + 1)])
    last = body["messages"][-1] if body["messages"] else {}
    if last.get("role") == "assistant" and not last.get("tool_calls"):
        return  # a prefill: no call of a session ends so
    expected = QWEN.count_prompt(json.dumps(body).encode(), "openai_chat").tokens
    assert counted(QwenCounter(), told)[-1:] == ([expected] if body["messages"] else [])


@CLEAN
@given(st.lists(st.sampled_from(["person", "thinks", "says", "cut"]), max_size=12))
def test_a_template_that_rewrites_the_past_is_counted_as_it_stands(tmp_path: Path, steps: list[str]) -> None:
    counter = gguf_counter(model(tmp_path, **{"tokenizer.chat_template": FORGETFUL}))
    windows = Windows(exact(counter))
    chat: list[dict[str, Any]] = []
    window, _ = windows.take(Offered(record=0))
    for number, step in enumerate(steps):
        if step == "cut":
            del chat[number // 2 :]
            windows.take(Replaced(record=number, change="rewind", kept=number // 2))
        else:
            raw: dict[str, Any] = {"role": "user" if step == "person" else "assistant", "content": f"hello {number}"}
            if step == "thinks":
                raw["reasoning_content"] = "wor " * number
            chat.append(raw)
            message = decode({"messages": [raw]}).messages[0]
            windows.take(Said(record=number, message=message, speaker="person" if step == "person" else "model"))
        assert sum(window.tokens().values()) == counter.count(counter.prompt(chat, (), reply=False))
        assert min(window.tokens().values()) >= 0


def test_dropped_thinking_goes_out_of_the_thinking(tmp_path: Path) -> None:
    counter = gguf_counter(model(tmp_path, **{"tokenizer.chat_template": FORGETFUL}))
    windows = Windows(exact(counter))
    asked = Message("user", decode({"messages": [{"role": "user", "content": "hello"}]}).messages[0].blocks)
    thought = Message("assistant", (ThinkingBlock(type="reasoning_content", text="wor " * 40),))
    window, _ = windows.take(Said(record=0, message=asked, speaker="person"))
    windows.take(Said(record=1, message=thought, speaker="model"))
    before = window.tokens()
    windows.take(Said(record=2, message=asked, speaker="person"))
    assert before["thinking"] >= 40 and window.tokens()["thinking"] < 20


def test_what_a_template_refuses_is_counted_as_texts_until_it_accepts_again(tmp_path: Path) -> None:
    counter = gguf_counter(model(tmp_path, **{"tokenizer.chat_template": STRICT}))
    chat = [{"role": role, "content": "hello"} for role in ("user", "user", "assistant")]
    window, _ = (windows := Windows(exact(counter))).take(Offered(record=0))
    seen = []
    for number, message in enumerate(decode({"messages": chat}).messages):
        windows.take(Said(record=number, message=message, speaker="person"))
        seen.append(sum(window.tokens().values()))
    assert seen == [2, 3, 4]  # with its end, and then the bare texts


def test_messages_of_one_response_are_one_message_and_can_be_cut_apart() -> None:
    parts = decode({"messages": [{"role": "assistant", "content": "one"}, {"role": "assistant", "content": "two"}]})
    first, second = parts.messages
    prompt, alone = GrowingPrompt(QwenCounter()), GrowingPrompt(QwenCounter())
    alone.add(first, "r1")
    prompt.add(first, "r1")
    prompt.add(second, "r1")
    assert (prompt.tokens() or 0) - (alone.tokens() or 0) == QWEN.count("\ntwo")
    prompt.cut(1)
    assert prompt.tokens() == alone.tokens()


def test_a_control_token_that_grows_into_a_longer_one_is_that_one(tmp_path: Path) -> None:
    tokens = ["<|a|>", "<|a|>b", *LETTERS.values()]
    types = [3, 3, *[1] * len(LETTERS)]
    changes = {"tokenizer.ggml.tokens": tokens, "tokenizer.ggml.token_type": types, "tokenizer.ggml.merges": []}
    template = "{% for m in messages %}{{ m.content }}{% endfor %}"
    counter = gguf_counter(model(tmp_path, **{**changes, "tokenizer.chat_template": template}))
    prompt = GrowingPrompt(counter)
    found = []
    for message in decode({"messages": [{"role": "user", "content": text} for text in ("x<|a|>", "by")]}).messages:
        prompt.add(message, "")
        found.append(prompt.tokens())
    assert found == [2, 3]
