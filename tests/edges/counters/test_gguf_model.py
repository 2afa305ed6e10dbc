"""A model's file alone is enough to count for it."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callsheet.edges.counters.gguf_model import LETTERS, GgufTokenizer, gguf_counter
from callsheet.errors import WeightsError

from .gguf_files import gguf

MERGES = ["h e", "l l", "he ll", "hell o", "Ġ w", "o r", "Ġw or"]
LEARNED = [merge.replace(" ", "") for merge in MERGES]
CONTROL = ["<|end|>", "<|endless|>"]
TEMPLATE = "{% for m in messages %}{{ m.content }}<|end|>{% endfor %}"


def model(folder: Path, **changes: Any) -> Path:
    tokens = [*CONTROL, *LETTERS.values(), *LEARNED]
    pairs = {
        "general.name": "Tiny",
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [3] * len(CONTROL) + [1] * (len(tokens) - len(CONTROL)),
        "tokenizer.ggml.merges": MERGES,
        "tokenizer.chat_template": TEMPLATE,
    }
    path = folder / "tiny.gguf"
    path.write_bytes(gguf(pairs | changes))
    return path


def words(tokenizer: GgufTokenizer, text: str) -> list[bytes]:
    at, found = 0, []
    for _, width in tokenizer.encode(text):
        found.append(text.encode()[at : at + width])
        at += width
    return found


def test_neighbours_are_merged_the_first_learned_first(tmp_path: Path) -> None:
    assert words(GgufTokenizer(model(tmp_path)), "hello wor llo") == [b"hello", b" wor", b" ", b"ll", b"o"]


def test_digits_stand_alone_and_pieces_are_not_merged_over(tmp_path: Path) -> None:
    assert words(GgufTokenizer(model(tmp_path)), "he12  he") == [b"he", b"1", b"2", b" ", b" ", b"he"]


def test_control_tokens_are_one_token_each_the_longest_first(tmp_path: Path) -> None:
    counter = gguf_counter(model(tmp_path))
    assert counter.count("<|endless|>he<|end|><|end") == 2 + 1 + len("<|end")
    assert counter.tokens("<|endless|>").ids == (1,)


def test_the_prompt_is_counted_by_the_files_own_template(tmp_path: Path) -> None:
    counter = gguf_counter(model(tmp_path))
    counted = counter.count_prompt(b'{"messages":[{"role":"user","content":"hello"}]}', "openai_chat")
    assert (counted.tokens, counted.basis) == (2, "Tiny template (exact)")


def test_bytes_without_a_token_are_not_counted_and_lie_under_the_token_before(tmp_path: Path) -> None:
    tokens = [*CONTROL, *(letter for byte, letter in LETTERS.items() if byte != 0xC3)]
    counter = gguf_counter(model(tmp_path, **{"tokenizer.ggml.tokens": tokens}))
    assert counter.count("aé") == 2
    assert counter.tokens("aé").ends == (2, 3)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(codec="utf-8") | st.sampled_from("hello wor 12\n\u00a0")))
def test_any_text_is_cut_into_tokens_that_are_its_bytes(tmp_path: Path, text: str) -> None:
    counter = gguf_counter(model(tmp_path))
    tokens = counter.tokens(text)
    assert counter.count(text) == len(tokens.ids)
    assert (tokens.ends[-1] if text else 0) == len(text.encode())


@pytest.mark.parametrize(("key", "value"), [("tokenizer.ggml.model", "llama"), ("tokenizer.ggml.pre", "unheard-of")])
def test_a_tokenizer_of_another_kind_is_named_with_the_way_out(tmp_path: Path, key: str, value: str) -> None:
    with pytest.raises(WeightsError, match=rf"of the kind .*{value}.*use an estimate"):
        gguf_counter(model(tmp_path, **{key: value}))
