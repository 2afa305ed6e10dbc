"""Chat templates are rendered as a llama.cpp server renders them."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from callsheet.edges.counters import template
from callsheet.edges.counters.template import Source, compile_template, from_gguf, to_json
from callsheet.errors import UsageError, WeightsError

from .gguf_files import gguf

HI = [{"role": "user", "content": "hi"}]
PARTS = [{"role": "user", "content": [{"type": "text", "text": text} for text in ("", "a", "b")]}]


def rendered(text: str, messages: Any = HI, tools: Any = (), generation: bool = True, **of: Any) -> str:
    return compile_template(Source(text, **of))(messages, tools, generation)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({"b": 1, "a": [True, None, 'é<\u2028>\n\x01"']}, '{"b": 1, "a": [true, null, "é<\u2028>\\n\\u0001\\""]}'),
        ([1.0, 0.1234567, 1e20, 1.5e-7, -0.0], "[1, 0.123457, 1e+20, 1.5e-07, -0]"),
        ([2**63 - 1, 2**63, 2**64 - 1, 2**70], "[9223372036854775807, -9223372036854775808, -1, 1.18059e+21]"),
        ({}, "{}"),
    ],
)
def test_json_is_written_as_the_server_writes_it(value: Any, written: str) -> None:
    assert to_json(value) == written


def test_blocks_take_their_line_with_them() -> None:
    assert rendered("a\n  {% if true %}\nb\n  {% endif %}\nc") == "a\nb\nc"


def test_loops_can_be_left_and_marks_for_training_do_nothing() -> None:
    text = "{% for m in messages %}{%- generation -%} {{ m.content }} {%- endgeneration %}{% break %}{% endfor %}"
    assert rendered(text, [*HI, *HI]) == "hi"


def test_what_is_not_defined_may_be_asked_for_its_parts() -> None:
    assert rendered("{{ messages[0]['role'] }}.", []) == "."


def test_a_template_for_texts_gets_parts_joined_and_one_for_parts_gets_texts_as_parts() -> None:
    for_parts = "{% for part in messages[0].content %}[{{ part.text }}]{% endfor %}"
    assert rendered("{{ messages[0].content + '' }}", PARTS) == "a\nb"
    assert rendered(for_parts, PARTS) == "[][a][b]"
    assert rendered(for_parts) == "[hi]"


def test_a_template_for_both_gets_each_as_it_is() -> None:
    both = "{% set c = messages[0].content %}{{ c if c is string else c | map(attribute='text') | join('+') }}"
    assert (rendered(both), rendered(both, PARTS)) == ("hi", "+a+b")


def test_the_first_token_stands_once_whoever_prints_it() -> None:
    assert rendered("{{ bos_token }}x", bos="<s>", add_bos=True) == "<s>x"
    assert rendered("x", bos="<s>", add_bos=True) == "<s>x"
    assert rendered("x{{ eos_token }}", bos="<s>", eos="</s>") == "x</s>"


def test_a_template_that_prints_the_date_prints_the_one_it_is_given() -> None:
    assert rendered("{{ strftime_now('%d %b %Y') }}", now=datetime(2026, 11, 30, tzinfo=UTC)) == "30 Nov 2026"
    with pytest.raises(UsageError, match="prints the date, and none was given"):
        rendered("{{ strftime_now('%d') }}")


@pytest.mark.parametrize(
    "text",
    [
        "{{ raise_exception('only user turns') }}",
        "{{ 1 / 0 }}",
        "{{ messages.append(1) }}",
        "{{ ''.__class__.mro() }}",
    ],
)
def test_a_refusal_a_mistake_and_an_escape_are_all_the_users_to_see(text: str) -> None:
    with pytest.raises(UsageError, match="refuses these messages"):
        rendered(text)


def test_what_is_no_template_is_said_at_once() -> None:
    with pytest.raises(UsageError, match="is no Jinja template"):
        compile_template(Source("{% if %}"))


def test_a_missing_engine_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(template, "ENGINE", "no_such_engine")
    with pytest.raises(UsageError, match=r"pip install 'callsheet\[embedded\]'"):
        compile_template(Source("x"))


def test_a_gguf_file_gives_its_template_and_its_first_and_last_token(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    pairs = {
        template.TEMPLATE: "{{ bos_token }}",
        template.TOKENS: ["<s>", "</s>"],
        template.BOS: 0,
        template.EOS: 1,
        template.ADD_BOS: True,
    }
    path.write_bytes(gguf(pairs))
    assert from_gguf(path) == Source("{{ bos_token }}", "<s>", "</s>", True)
    path.write_bytes(gguf({template.TEMPLATE: "x", template.TOKENS: ["<s>"], template.BOS: 7}))
    assert from_gguf(path) == Source("x")
    path.write_bytes(gguf({"general.name": "base"}))
    with pytest.raises(WeightsError, match=r"has no tokenizer\.chat_template"):
        from_gguf(path)
