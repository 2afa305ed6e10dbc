"""Our counts, spans and predictions beside those of the embedded server, which is the authority on all three."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from random import Random
from typing import Any

import pytest

from callsheet.edges.counters.gguf_model import gguf_counter
from callsheet.edges.counters.prompt import TemplateCounter
from callsheet.edges.counters.qwen import QwenCounter, QwenTokenizer
from callsheet.edges.counters.server_chat import as_chat
from callsheet.edges.counters.template import compile_template, from_gguf
from callsheet.edges.providers import embedded
from callsheet.edges.providers.embedded import EmbeddedModel
from callsheet.model.policy import ModelProfile

from .bodies import BODIES, CALL_PATHS, COUNT_PATHS, Body

pytestmark = pytest.mark.model
COUNTER = QwenCounter()
LINES = ["Why is it so?", "Tell me more.", "The key was revoked.", "Prüfe den Schlüssel!", "日本語", "<|im_end|>", ""]
TOOL = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}


@pytest.fixture(scope="module")
def server(weights_path: Path) -> Iterator[EmbeddedModel]:
    """The embedded model with one slot; what that held before is not kept in memory, so that it is all there is."""
    profile = ModelProfile("qwen", "openai_chat", window=4_096, max_output=16, counter=QwenCounter.name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedded, "PROMPT_CACHE_MEBIBYTES", 0)
        with closing(EmbeddedModel(weights_path, profile)) as loaded:
            yield loaded


@pytest.fixture(scope="module")
def own(weights_path: Path) -> TemplateCounter:
    """The counter that reads the model's own template out of its weights."""
    return TemplateCounter("qwen", compile_template(from_gguf(weights_path)), QwenTokenizer())


def asked(server: EmbeddedModel, path: str, body: Body) -> Any:
    reply = server.post(path, json.dumps(body).encode())
    assert not reply.error, (reply.error, body)
    return json.loads(reply.body)


@pytest.mark.parametrize("dialect", BODIES)
def test_counts_of_any_body_equal_its_count_endpoint(server: EmbeddedModel, own: TemplateCounter, dialect: str) -> None:
    random = Random(20261130)
    for _ in range(80):
        body = BODIES[dialect](random)
        theirs = asked(server, COUNT_PATHS[dialect], body)["input_tokens"]
        written = json.dumps(body).encode()
        assert COUNTER.count_prompt(written, dialect).tokens == theirs, body
        assert own.count_prompt(written, dialect).tokens == theirs, body


def test_the_prompt_is_the_servers_letter_by_letter_and_id_by_id(
    server: EmbeddedModel, own: TemplateCounter, weights_path: Path
) -> None:
    slow = gguf_counter(weights_path)
    random = Random(4)
    for _ in range(60):
        body = BODIES["openai_chat"](random)
        prompt = asked(server, "/apply-template", body)["prompt"]
        question = {"content": prompt, "add_special": True, "parse_special": True}
        ids = asked(server, "/tokenize", question)["tokens"]
        for counter in (COUNTER, own, slow):
            assert counter.prompt(*as_chat("openai_chat", body)) == prompt
            assert list(counter.tokens(prompt).ids) == ids, prompt


@dataclass(frozen=True)
class Talk:
    """A conversation that any of the dialects can say: user and assistant turns by turns, from the user's on."""

    system: str = "Answer briefly."
    turns: tuple[str, ...] = ("Hello?",)
    tools: bool = False

    def body(self, dialect: str) -> Body:
        names = ["user", "assistant"] * len(self.turns)
        turns = [{"role": role, "content": text} for role, text in zip(names, self.turns, strict=False)]
        function = {"name": "look", "description": "Looks it up."}
        if dialect == "anthropic":
            tools = [{**function, "input_schema": TOOL}]
            return {"system": self.system, "messages": turns} | ({"tools": tools} if self.tools else {})
        function = {**function, "parameters": TOOL}
        if dialect == "openai_responses":
            items = [{"type": "message", **turn} for turn in turns]
            body = {"instructions": self.system, "input": items}
            return body | ({"tools": [{"type": "function", **function}]} if self.tools else {})
        body = {"messages": [{"role": "system", "content": self.system}, *turns]}
        return body | ({"tools": [{"type": "function", "function": function}]} if self.tools else {})

    def moved(self, random: Random, reply: str) -> "Talk":
        """The conversation after an append, or one of the things that break a prefix."""
        move = random.choice(["append", "append", "append", "rewind", "edit", "system", "tools", "same"])
        line = f"{random.choice(LINES)} {random.randrange(100)}"
        at = random.randrange(0, len(self.turns), 2)
        if move == "append" and len(self.turns) < 8:
            return replace(self, turns=(*self.turns, reply, line))
        if move == "edit":
            return replace(self, turns=(*self.turns[:at], line, *self.turns[at + 1 :]))
        if move == "system":
            return replace(self, system=line)
        if move == "tools":
            return replace(self, tools=not self.tools)
        return self if move == "same" else replace(self, turns=self.turns[: at + 1])


@dataclass
class Slot:
    """What we believe a server's slot holds."""

    server: EmbeddedModel
    held: Sequence[int] = ()
    reused: list[tuple[int, int]] = field(default_factory=list)

    def answer(self, dialect: str, body: Body) -> str:
        prompt = COUNTER.prompt(*as_chat(dialect, body))
        tokens = COUNTER.tokens(prompt).ids
        cached, total, reply = reported(dialect, asked(self.server, CALL_PATHS[dialect], body))
        assert total == len(tokens)
        self.reused.append((self.reusable(tokens), cached))
        self.held = COUNTER.tokens(prompt + reply).ids
        return reply

    def reusable(self, tokens: Sequence[int]) -> int:
        """How many tokens of a prompt it does not read again: what both begin with.

        The reply's last token was never read, and a prompt's last one is read for the reply's first.
        """
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(self.held, tokens, strict=False)))
        return min(common, max(0, len(tokens) - 1))


def reported(dialect: str, reply: Any) -> tuple[int, int, str]:
    """Cached tokens, all prompt tokens, and the text of a reply."""
    usage = reply["usage"]
    if dialect == "openai_chat":
        cached, total = usage["prompt_tokens_details"]["cached_tokens"], usage["prompt_tokens"]
        return cached, total, reply["choices"][0]["message"].get("content") or ""
    if dialect == "openai_responses":
        text = "".join(part.get("text", "") for item in reply["output"] for part in item.get("content", ()))
        return usage["input_tokens_details"]["cached_tokens"], usage["input_tokens"], text
    cached = usage["cache_read_input_tokens"]
    return cached, cached + usage["input_tokens"], "".join(block.get("text", "") for block in reply["content"])


@pytest.mark.parametrize("dialect", BODIES)
def test_the_reusable_prefix_is_what_the_server_reports_as_cached(server: EmbeddedModel, dialect: str) -> None:
    random, slot, talk = Random(dialect), Slot(server), Talk()
    slot.answer(dialect, Talk("Something else.").body(dialect) | {limit(dialect): 1})  # so that we know its state
    for _ in range(50):
        reply = slot.answer(dialect, talk.body(dialect) | {limit(dialect): random.randrange(1, 5), "temperature": 0})
        talk = talk.moved(random, reply)
    predicted, cached = zip(*slot.reused[1:], strict=True)
    assert all(abs(one - other) <= 1 for one, other in zip(predicted, cached, strict=True)), slot.reused
    assert len(set(cached)) > 10  # it was no constant


def limit(dialect: str) -> str:
    return "max_output_tokens" if dialect == "openai_responses" else "max_tokens"
