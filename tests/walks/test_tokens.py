"""Which item a token of the prompt is from: the source map carried on to the model's own tokens."""

from dataclasses import replace

import pytest

from callsheet.errors import UsageError
from callsheet.host.host import Host, open_host
from callsheet.host.wiring import Overrides
from callsheet.testing import SCRIPTED, FixedClock, ScriptedModel

from .stage import QUESTION, customer, helpful, project


def opened(tmp_path, counter: str, dialect: str = "openai_chat") -> Host:
    profile = replace(SCRIPTED, counter=counter, dialect=dialect)
    overrides = Overrides(model=ScriptedModel(profile, helpful), clock=FixedClock(), token=lambda: "tokens")
    return open_host(project(tmp_path), tmp_path / "data", overrides)


@pytest.mark.parametrize("dialect", ["openai_chat", "openai_responses", "anthropic"])
def test_every_token_of_the_prompt_has_one_owner_and_an_items_tokens_spell_its_text(tmp_path, dialect):
    with opened(tmp_path, "qwen", dialect) as host:
        stored = host.assemble(QUESTION, customer())
        total = stored.manifest.total_input_tokens
        owners = [host.why(stored.manifest.request_id, customer(), token=each) for each in range(0, total, 5)]
        last = host.why(stored.manifest.request_id, customer(), token=total - 1)
        with pytest.raises(UsageError, match=f"tokens 0 to {total - 1}; {total} is outside"):
            host.why(stored.manifest.request_id, customer(), token=total)
    assert last["span"]["end"] == total and last["item_id"] == "frame"
    texts = {each.item_id: each.text for each in stored.manifest.items}
    inside = [each for each in owners if each["item_id"] in texts]
    assert {each["item_id"] for each in inside} >= {"instruction/policy", "state"}
    assert all(each["text"].strip() in texts[each["item_id"]] or each["span"]["start"] for each in inside)
    assert sum(each["text"] in texts[each["item_id"]] for each in inside) > 0.9 * len(inside)


def test_where_the_models_own_tokens_are_not_known_it_says_so_and_the_byte_still_answers(tmp_path):
    with opened(tmp_path, "estimate") as host:
        stored = host.assemble(QUESTION, customer())
        with pytest.raises(UsageError, match=r"not known one by one; ask with --byte"):
            host.why(stored.manifest.request_id, customer(), token=3)
        assert host.why(stored.manifest.request_id, customer(), byte=100)["item_id"]


def test_weights_that_are_not_there_are_counted_by_an_estimate_that_says_so(tmp_path):
    settings = project(tmp_path) / "callsheet.toml"
    settings.write_text(settings.read_text().replace("[model]\n", '[model]\nweights = "absent.gguf"\n'))
    with open_host(project(tmp_path), tmp_path / "data") as host:
        assert host.assemble(QUESTION, customer()).manifest.token_basis == "estimate/utf8-3.6 (estimate)"
