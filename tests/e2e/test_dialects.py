"""The support example through the embedded model's listener in each of its dialects, over the official SDKs."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from callsheet.edges.project.folder import ProjectFolder, read_project
from callsheet.edges.project.templates import write_template
from callsheet.edges.providers.anthropic import AnthropicModel
from callsheet.edges.providers.embedded import EmbeddedModel
from callsheet.edges.providers.openai import OpenAIModel
from callsheet.host.host import open_host
from callsheet.host.wiring import Overrides, held_to, profile, read_table
from callsheet.model.policy import DialectName
from callsheet.model.prompt import Delta

pytestmark = pytest.mark.model

QUESTION = "Why is my API key not working?"
RUNBOOK = "runbook/api-keys@v7#revoked-keys"
DIALECTS: tuple[DialectName, ...] = ("openai_chat", "openai_responses", "anthropic")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> ProjectFolder:
    folder = tmp_path_factory.mktemp("dialects") / "project"
    write_template("support", folder)
    return read_project(folder)


@pytest.fixture(scope="module")
def listener(project: ProjectFolder, weights_path: Path) -> Iterator[EmbeddedModel]:
    """Started as for Messages: Chat requests bring their own schema, and it goes before this one."""
    chosen = replace(profile(project.settings.model, read_table()), dialect="anthropic")
    with closing(EmbeddedModel(weights_path, chosen, timeout=180, held_to=held_to(project, chosen))) as loaded:
        yield loaded


def over_sdk(listener: EmbeddedModel, dialect: DialectName, stream: bool) -> Any:
    there, chosen = listener.connection(), replace(listener.profile, dialect=dialect, stream=stream)
    if dialect == "anthropic":
        return AnthropicModel(chosen, there.password, there.address, 180)
    return OpenAIModel(chosen, there.password, f"{there.address}/v1", 180)


def counted(listener: EmbeddedModel, dialect: DialectName, body: bytes) -> int:
    """What the listener's own endpoint of this dialect counts."""
    if dialect == "openai_chat":  # the API has none, and so its SDK knows none; the listener has
        return int(json.loads(listener.post("/v1/chat/completions/input_tokens", body).body)["input_tokens"])
    with closing(over_sdk(listener, dialect, stream=False)) as model:
        return int(model.count(body))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_support_example_is_answered_and_every_count_is_the_servers_own(tmp_path, project, listener, dialect):
    model = over_sdk(listener, dialect, stream=True)
    with open_host(project.settings.folder, tmp_path / "data", Overrides(model=model)) as host:
        events = host.stream(QUESTION)
        told = []
        while True:
            try:
                told.append(next(events))
            except StopIteration as end:
                result = end.value
                break
        records = [host.show(each) for each in result.request_ids]
        replays = [host.replay(each) for each in result.request_ids]
    assert result.outcome == "answer" and "revoked" in result.answer and RUNBOOK in result.sources, result.why
    assert [each.call.tool for each in result.steps[0].calls] == ["check_api_key_status"]
    assert any(isinstance(each, Delta) and each.text for each in told)
    assert all(each["identical"] for each in replays)
    for record in records:
        assert record.usage is not None and record.manifest.token_basis == "qwen2.5-chatml (exact)"
        counts = {record.manifest.total_input_tokens, record.usage.prompt, counted(listener, dialect, record.wire.body)}
        assert len(counts) == 1
