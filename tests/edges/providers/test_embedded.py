"""The embedded model answers over loopback alone, in silence, and lets go of everything it holds."""

import json
import os
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from callsheet.edges.providers import embedded
from callsheet.edges.providers.embedded import EmbeddedModel
from callsheet.errors import ModelError, UsageError, WeightsError
from callsheet.model.message import Reply
from callsheet.model.policy import ModelProfile

PROFILE = ModelProfile("the-embedded-model", "openai_chat", window=32_768, max_output=512, counter="qwen2.5-chatml")


def body(text: str, max_tokens: int = 8, **more: Any) -> bytes:
    messages = [{"role": "user", "content": text}]
    return json.dumps({"messages": messages, "max_tokens": max_tokens, "temperature": 0, "seed": 0, **more}).encode()


LONG = body("Write the numbers from 1 to 900, one per line.", 2_000, ignore_eos=True)


@pytest.fixture(scope="module")
def model(weights_path: Path) -> Iterator[EmbeddedModel]:
    with closing(EmbeddedModel(weights_path, PROFILE, context=4_096)) as loaded:
        yield loaded


def content(reply: Reply) -> str:
    assert not reply.error
    return str(json.loads(reply.body)["choices"][0]["message"]["content"])


def test_weights_that_are_not_there_are_refused_before_anything_loads(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"gone\.gguf; run `callsheet model pull`"):
        EmbeddedModel(tmp_path / "gone.gguf", PROFILE)


def test_a_missing_runtime_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "RUNTIME", "no_such_runtime")
    with pytest.raises(UsageError, match=r"pip install 'callsheet\[embedded\]'"):
        EmbeddedModel(tmp_path / "any.gguf", PROFILE)


def test_a_dialect_that_its_listener_does_not_speak_is_refused(tmp_path: Path) -> None:
    (tmp_path / "any.gguf").touch()
    with pytest.raises(UsageError, match=r"openai_chat, openai_responses, anthropic, not gemini"):
        EmbeddedModel(tmp_path / "any.gguf", replace(PROFILE, dialect="gemini"))


def test_the_password_of_a_connection_is_not_in_its_text() -> None:
    assert "hunter2" not in str(embedded.Connection("http://127.0.0.1:1", "hunter2"))


def test_a_file_that_is_no_model_is_an_error_reply_and_not_an_exception(tmp_path: Path) -> None:
    (tmp_path / "junk.gguf").write_bytes(b"junk")
    with closing(EmbeddedModel(tmp_path / "junk.gguf", PROFILE)) as broken:
        reply = broken.call(body("hi"))
        with pytest.raises(ModelError, match="could not be loaded"):
            broken.connection()
    assert "could not be loaded" in reply.error
    assert not reply.unknown


def test_the_profile_says_the_window_that_is_really_there(tmp_path: Path) -> None:
    (tmp_path / "any.gguf").touch()
    assert EmbeddedModel(tmp_path / "any.gguf", PROFILE).profile.window == embedded.CONTEXT_TOKENS
    assert EmbeddedModel(tmp_path / "any.gguf", PROFILE, context=100_000).profile.window == PROFILE.window


@pytest.mark.model
def test_it_answers_under_its_own_name_and_reads_a_known_prefix_from_its_cache(model: EmbeddedModel) -> None:
    replies = [model.call(body("Say hello.")) for _ in range(2)]
    assert all(map(content, replies))
    assert json.loads(replies[0].body)["model"] == PROFILE.name
    assert json.loads(replies[1].body)["usage"]["prompt_tokens_details"]["cached_tokens"] > 0


@pytest.mark.model
def test_without_its_cache_the_same_body_gets_the_same_reply_whatever_came_between(weights_path: Path) -> None:
    with closing(EmbeddedModel(weights_path, PROFILE, context=2_048, prompt_cache=False)) as model:
        story = body("Tell a story about a key that was revoked. " * 5, 60)
        first, _, again = (model.call(sent) for sent in (story, body("hi"), story))
    assert content(first) == content(again)
    assert json.loads(again.body)["usage"]["prompt_tokens_details"]["cached_tokens"] == 0


@pytest.mark.model
def test_output_keeps_to_a_schema(model: EmbeddedModel) -> None:
    schema = {"type": "object", "properties": {"kind": {"const": "abstain"}}, "required": ["kind"]}
    wanted = {"type": "json_schema", "json_schema": {"name": "proposal", "strict": True, "schema": schema}}
    assert json.loads(content(model.call(body("Say hello.", 40, response_format=wanted))))["kind"] == "abstain"


@pytest.mark.model
def test_a_prompt_beyond_the_window_is_an_error_in_the_servers_words(model: EmbeddedModel) -> None:
    reply = model.call(body("word " * 5_000))
    assert reply.error.startswith("the-embedded-model: HTTP 400: ")
    assert "4096 tokens" in reply.error
    assert not reply.unknown


@pytest.mark.model
def test_cancel_breaks_off_a_running_answer_and_the_next_call_is_served(model: EmbeddedModel) -> None:
    assert content(model.call(body("hi")))
    replies: list[Reply] = []
    caller = threading.Thread(target=lambda: replies.append(model.call(LONG)))
    caller.start()
    while not replies and caller.is_alive():
        model.cancel()
        caller.join(0.05)
    assert "cancelled" in replies[0].error
    assert content(model.call(body("hi")))


@pytest.mark.model
def test_a_time_out_is_unknown_and_later_model_calls_are_served(weights_path: Path) -> None:
    with closing(EmbeddedModel(weights_path, PROFILE, timeout=1.0, context=4_096)) as hasty:
        reply = hasty.call(LONG)
        assert "no reply within 1 s" in reply.error
        assert reply.unknown
        # On a busy machine a short call may run out of its second too; one of many does not, if the broken one is gone.
        served = (hasty.call(body("hi", 1)) for _ in range(60))
        assert content(next(reply for reply in served if not reply.error))


@pytest.mark.model
def test_nobody_else_gets_an_answer_at_its_port(model: EmbeddedModel) -> None:
    assert content(model.call(body("hi")))
    address = model.connection().address
    for path in ("/v1/chat/completions", "/tokenize", "/slots", "/props"):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"{address}{path}", None if path in ("/slots", "/props") else body("hi"))
        assert refused.value.code in (401, 404)
        refused.value.close()


@pytest.mark.model
def test_closing_frees_the_port_and_later_calls_are_errors(weights_path: Path) -> None:
    closed = EmbeddedModel(weights_path, PROFILE, context=512)
    assert content(closed.call(body("hi")))
    address = closed.connection().address
    closed.close()
    closed.close()
    assert "closed" in closed.call(body("hi")).error
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(address)


EXIT = """
import sys, threading
from pathlib import Path
from callsheet.edges.providers.embedded import EmbeddedModel
from callsheet.model.policy import ModelProfile
profile = ModelProfile("m", "openai_chat", 2048, 64, "qwen2.5-chatml")
model = EmbeddedModel(Path(sys.argv[1]), profile)
assert not model.call({short!r}).error
assert "HTTP 400" in model.call({wide!r}).error
print("ours", file=sys.stderr)
if sys.argv[2] == "closed":
    model.close()
if sys.argv[2] == "busy":
    started = threading.Event()
    threading.Thread(target=lambda: (started.set(), model.call({long!r})), daemon=True).start()
    started.wait()
sys.exit(7)
"""


@pytest.mark.model
@pytest.mark.parametrize("state", ["open", "closed", "busy"])
def test_a_process_says_only_its_own_words_and_ends_with_its_own_code(state: str, weights_path: Path) -> None:
    code = EXIT.format(short=body("hi", 2), wide=body("word " * 3_000), long=LONG)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = (sys.executable, "-c", code, str(weights_path), state)
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (7, "", "ours\n")
