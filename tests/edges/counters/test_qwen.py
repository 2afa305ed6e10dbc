"""Counts for Qwen equal the server's own, on any text anybody can write."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.edges.counters import qwen
from callsheet.edges.counters.prompt import TemplateCounter
from callsheet.edges.counters.qwen import CONTROL_TOKENS, SYSTEM, QwenCounter, QwenTokenizer, render
from callsheet.edges.providers.embedded import EmbeddedModel
from callsheet.errors import UsageError
from callsheet.model.policy import ModelProfile

from .bodies import PIECES, text

COUNTER = QwenCounter()
ROLES = ["system", "developer", "user", "user", "user", "assistant", "tool"]
Messages = list[tuple[str, str]]


def random_messages(random: Random) -> Messages:
    return [(random.choice(ROLES), text(random)) for _ in range(random.randrange(0, 6))]


def body(messages: Messages) -> bytes:
    return json.dumps({"messages": as_json(messages)}).encode()


def counted(messages: Messages) -> int:
    return COUNTER.count_prompt(body(messages), "openai_chat").tokens


def as_json(messages: Messages) -> list[dict[str, str]]:
    return [{"role": role, "content": text} for role, text in messages]


def rendered(messages: Messages) -> str:
    """The prompt of system and user messages, said again on its own."""
    if not messages or messages[0][0] != "system":
        messages = [("system", SYSTEM), *messages]
    turns = "".join(f"<|im_start|>{role}\n{text}<|im_end|>\n" for role, text in messages)
    return f"{turns}<|im_start|>assistant\n"


MESSAGES = st.lists(st.tuples(st.sampled_from(["system", "user"]), st.lists(st.sampled_from(PIECES)).map("".join)))


@given(MESSAGES)
def test_a_prompt_counts_as_its_rendered_text(messages: Messages) -> None:
    assert counted(messages) == COUNTER.count(rendered(messages))


@given(st.text(st.characters()) | st.lists(st.sampled_from([*PIECES, "\ud800", "\udc00"])).map("".join))
def test_no_text_at_all_breaks_the_count(text: str) -> None:
    assert 0 <= COUNTER.count(text) <= len(text.encode(errors="surrogatepass"))
    assert counted([("user", text)]) > 0


@given(st.text(), st.sampled_from(CONTROL_TOKENS), st.text())
def test_a_control_token_counts_one_wherever_it_stands(before: str, token: str, after: str) -> None:
    assert COUNTER.count(token) == 1
    assert COUNTER.count(before + token + after) == COUNTER.count(before) + 1 + COUNTER.count(after)


@pytest.mark.parametrize(("token", "tokens"), [("<think>", 3), ("</think>", 3), ("<tool_response>", 4), ("<|im_", 4)])
def test_what_only_looks_like_a_control_token_is_text(token: str, tokens: int) -> None:
    assert COUNTER.count(token) == tokens


@pytest.mark.parametrize(
    ("messages", "tokens"),
    [
        ([("user", "hi")], 30),
        ([("system", SYSTEM), ("user", "hi")], 30),
        ([("developer", SYSTEM), ("user", "hi")], 30),
        ([("system", ""), ("user", "")], 13),
        ([("user", "hi"), ("assistant", "")], 27),
        ([("user", "hi"), ("assistant", "yes")], 31),
        ([("critic", "is left out"), ("user", "hi")], 30),
        ([], 24),
    ],
)
def test_the_template_is_followed(messages: Messages, tokens: int) -> None:
    assert counted(messages) == tokens


def test_letters_that_are_not_composed_are_counted_as_they_stand() -> None:
    assert (COUNTER.count("é"), COUNTER.count("e\u0301")) == (1, 2)


class Watched(QwenTokenizer):
    """A tokenizer that keeps what it was asked to count."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def count(self, text: str) -> int:
        self.asked.append(text)
        return super().count(text)


def test_a_message_that_was_counted_is_not_counted_again() -> None:
    tokenizer = Watched()
    counter = TemplateCounter("watched", render, tokenizer)
    for question in ("why?", "how?"):
        counter.count_prompt(body([("system", "the stable part"), ("user", question)]), "openai_chat")
    assert tokenizer.asked.count("system\nthe stable part") == 1
    assert len(tokenizer.asked) == len(set(tokenizer.asked))


@pytest.mark.parametrize(("kept", "times"), [(4, 2), (100, 1)])
def test_the_store_of_counts_is_bounded(kept: int, times: int) -> None:
    tokenizer = Watched()
    counter = TemplateCounter("watched", render, tokenizer, kept)
    for number in (*range(10), 0):
        counter.count_prompt(body([("user", str(number))]), "openai_chat")
    assert tokenizer.asked.count("user\n0") == times


def test_a_missing_tokenizer_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qwen, "TOKENIZER", "no_such_tokenizer")
    with pytest.raises(UsageError, match=r"pip install 'callsheet\[embedded\]'"):
        QwenCounter()


@pytest.fixture(scope="module")
def server(weights_path: Path) -> Iterator[EmbeddedModel]:
    profile = ModelProfile("qwen", "openai_chat", window=4_096, max_output=16, counter=QwenCounter.name)
    with closing(EmbeddedModel(weights_path, profile)) as loaded:
        yield loaded


def asked(server: EmbeddedModel, path: str, **question: Any) -> Any:
    reply = server.post(path, json.dumps(question).encode())
    assert not reply.error, reply.error
    return json.loads(reply.body)


def renderable(messages: Messages) -> bool:
    """The server takes one unfinished assistant message at the end, and no more."""
    return [role for role, _ in messages[-2:]] != ["assistant", "assistant"]


@pytest.mark.model
def test_counts_equal_the_servers_template_and_tokenizer(server: EmbeddedModel) -> None:
    random = Random(20261129)
    for messages in filter(renderable, (random_messages(random) for _ in range(400))):
        prompt = asked(server, "/apply-template", messages=as_json(messages))["prompt"]
        tokens = asked(server, "/tokenize", content=prompt, add_special=True, parse_special=True)["tokens"]
        assert counted(messages) == len(tokens), messages
        assert COUNTER.count(prompt) == len(tokens), messages


@pytest.mark.model
def test_counts_equal_the_prompt_tokens_of_real_replies(server: EmbeddedModel) -> None:
    random = Random(7)
    for messages in filter(renderable, (random_messages(random) for _ in range(12))):
        usage = asked(server, "/v1/chat/completions", messages=as_json(messages), max_tokens=1, temperature=0)["usage"]
        assert counted(messages) == usage["prompt_tokens"], messages
