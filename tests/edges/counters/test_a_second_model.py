"""A model of another family, known by its file alone, counts as the server does: nothing here knows SmolLM2."""

import json
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from callsheet.edges.counters.gguf_model import gguf_counter
from callsheet.edges.counters.server_chat import as_chat
from callsheet.edges.project.templates import write_template
from callsheet.edges.providers.embedded import EmbeddedModel
from callsheet.edges.providers.weights import SMALL, find
from callsheet.errors import WeightsError
from callsheet.host.host import open_host, weights_cache
from callsheet.model.policy import ModelProfile

from .bodies import BODIES, COUNT_PATHS

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def weights() -> Path:
    """The small model's weights; without them the test skips: `callsheet model pull` fetches the default's alone."""
    named = os.environ.get("CALLSHEET_SMALL_WEIGHTS")
    try:
        return find(SMALL, weights_cache(), Path(named) if named else None)
    except WeightsError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def server(weights: Path) -> Iterator[EmbeddedModel]:
    profile = ModelProfile("smol", "openai_chat", window=4_096, max_output=16, counter="template")
    with closing(EmbeddedModel(weights, profile)) as loaded:
        yield loaded


@pytest.mark.parametrize("dialect", BODIES)
def test_its_counts_and_its_prompts_are_the_servers(server: EmbeddedModel, weights: Path, dialect: str) -> None:
    counter, random = gguf_counter(weights), Random(9)
    for _ in range(60):
        body = json.dumps(written := BODIES[dialect](random)).encode()
        reply = server.post(COUNT_PATHS[dialect], body)
        assert not reply.error, reply.error
        assert counter.count_prompt(body, dialect).tokens == json.loads(reply.body)["input_tokens"], written
        if dialect == "openai_chat":
            prompt = json.loads(server.post("/apply-template", body).body)["prompt"]
            assert counter.prompt(*as_chat(dialect, written)) == prompt


def test_a_project_with_weights_of_its_own_is_counted_by_them(tmp_path: Path, weights: Path) -> None:
    write_template("support", folder := tmp_path / "project")
    settings = folder / "callsheet.toml"
    settings.write_text(
        settings.read_text().replace('provider = "embedded"', f'weights = "{weights}"\nname = "smol" #')
    )
    with open_host(folder, tmp_path / "data") as host:
        manifest = host.assemble("Why is my API key not working?").manifest
    assert manifest.token_basis.endswith("template (exact)") and "qwen" not in manifest.token_basis.casefold()
