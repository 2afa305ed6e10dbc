"""What a remote model's provider says of itself: counts, limits and reported prompts, beside our own figures."""

import json
import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from callsheet.cli import callsheet
from callsheet.edges.models.table import read_table
from callsheet.edges.project.settings import ModelSettings
from callsheet.edges.providers.anthropic import AnthropicModel
from callsheet.errors import ModelError, ProjectError, UsageError
from callsheet.host import inspection
from callsheet.host.host import Host, open_host
from callsheet.host.limits import compared
from callsheet.host.wiring import Overrides
from callsheet.model.message import Reply
from callsheet.testing import SCRIPTED, FixedClock, ScriptedModel, reply

from ..edges.providers.loopback import answer, serving
from .stage import QUESTION, customer, helpful, project

CLAUDE = replace(SCRIPTED, name="claude-haiku-4-5", dialect="anthropic", channel="native-calls")


class Counts(ScriptedModel):
    """A scripted model whose provider counts each request as 777 tokens, or not at all."""

    answers = True

    def count(self, body: bytes) -> int:
        json.loads(body)
        if not self.answers:
            raise ModelError("the provider is away")
        return 777


def configured(tmp_path: Path, *lines: str) -> Path:
    """The support project with Anthropic's model."""
    folder = project(tmp_path)
    path = folder / "callsheet.toml"
    model = "\n".join(["[model]", 'provider = "anthropic"', 'name = "claude-haiku-4-5"', *lines, ""])
    path.write_text(re.sub(r"\[model\].*?(?=\n\[)", model, path.read_text(), count=1, flags=re.DOTALL))
    return folder


def opened(folder: Path, model: ScriptedModel) -> Host:
    return open_host(folder, folder / "data", Overrides(model=model, clock=FixedClock(), token=lambda: "figures"))


@pytest.mark.parametrize("answers", [True, False])
def test_whole_prompts_are_counted_by_the_provider_where_the_settings_ask_for_it(tmp_path, answers):
    model = Counts(CLAUDE, helpful)
    model.answers = answers
    with opened(configured(tmp_path, 'count = "provider"'), model) as host:
        manifest = host.assemble(QUESTION, customer()).manifest
    if answers:
        assert (manifest.total_input_tokens, manifest.token_basis) == (777, "anthropic count (exact)")
    else:
        assert manifest.token_basis == "estimate/utf8-3.6 (estimate); anthropic count gave no count"
    assert sum(item.token_count for item in manifest.items) != 777


def test_nothing_is_sent_for_counting_unless_it_is_asked_for(tmp_path):
    with opened(configured(tmp_path), Counts(CLAUDE, helpful)) as host:
        assert host.assemble(QUESTION, customer()).manifest.token_basis == "estimate/utf8-3.6 (estimate)"


def test_a_provider_that_cannot_count_is_refused_by_the_settings(tmp_path):
    folder = configured(tmp_path)
    path = folder / "callsheet.toml"
    text = path.read_text().replace('"anthropic"', '"openai"', 1)
    path.write_text(text.replace("[model]", '[model]\ncount = "provider"\ndialect = "openai_chat"', 1))
    with pytest.raises(ProjectError, match=r"model\.count = 'provider'.*openai_chat has no endpoint"):
        open_host(folder)


def test_a_calibration_is_the_factor_of_this_models_reports_whoever_counted_before(tmp_path):
    folder = configured(tmp_path, "calibration = 3.0")
    with opened(folder, ScriptedModel(replace(CLAUDE, calibration=3.0), helpful)) as host:
        host.run(QUESTION, customer())
        reported = [each.usage.prompt for each in host.recent(customer())]
        plain = [each.manifest.total_input_tokens / 3 for each in host.recent(customer())]
        found = host.calibration(customer())
        assert host.calibration(customer(subject="u2")).reports == 0, "another subject's requests are not read"
    ratios = [one / other for one, other in zip(reported, plain, strict=True)]
    assert found.reports == len(reported) == 2
    assert min(ratios) * 0.98 < found.factor < max(ratios) * 1.02


def test_the_command_prints_the_line_to_write_and_says_when_there_is_nothing_to_go_by(tmp_path):
    folder = configured(tmp_path)
    run = CliRunner()
    none = run.invoke(callsheet, ["-C", str(folder), "--data", str(folder / "data"), "model", "calibrate", "--json"])
    assert json.loads(none.stdout) == {"model": "claude-haiku-4-5", "factor": None, "n": 0, "line": None}
    with opened(folder, ScriptedModel(CLAUDE, helpful)) as host:
        host.run(QUESTION, host.session())
    asked = ["-C", str(folder), "--data", str(folder / "data"), "model", "calibrate"]
    found = json.loads(run.invoke(callsheet, [*asked, "--json"]).stdout)
    assert found["n"] == 2 and found["line"] == f"calibration = {found['factor']:.3g}"
    assert found["line"] in run.invoke(callsheet, asked).stdout


LISTED = [
    ({"max_input_tokens": 200_000, "max_tokens": 64_000}, {}, []),
    ({"max_input_tokens": 1_000_000, "max_tokens": 64_000}, {}, ["lists window 1000000, and the table says 200000"]),
    ({"max_input_tokens": 200_000, "max_tokens": 500}, {}, ["lists max_output 500", "max_output = 700 is more"]),
    ({}, {"window": 300_000}, ["window = 300000 is more than the 200000 there are"]),
]


@pytest.mark.parametrize(("listed", "settings", "said"), LISTED)
def test_limits_stand_side_by_side_and_what_does_not_agree_is_said(
    listed: dict[str, int], settings: dict[str, Any], said: list[str]
) -> None:
    chosen = ModelSettings(provider="anthropic", name="claude-haiku-4-5", **settings)
    with (
        serving(answer(200, json.dumps(listed).encode())) as server,
        closing(AnthropicModel(CLAUDE, "key", server.address)) as model,
    ):
        found = compared(chosen, read_table(), model)
        assert [path for path, _ in server.requests] == ["/v1/models/claude-haiku-4-5"]
    assert found["sources"]["provider"]["window"] == listed.get("max_input_tokens")
    assert found["error"] == "" and len(found["mismatches"]) == len(said)
    assert all(part in line for part, line in zip(said, found["mismatches"], strict=True))


def test_a_provider_that_does_not_answer_is_named_and_the_rest_still_stands() -> None:
    with (
        serving(answer(404, b'{"error":{"message":"no such model"}}')) as server,
        closing(AnthropicModel(CLAUDE, "key", server.address)) as model,
    ):
        found = compared(ModelSettings(provider="anthropic", name="claude-haiku-4-5"), read_table(), model)
    assert "404" in found["error"] and found["sources"]["table"]["window"] == 200_000


def test_the_list_of_models_asks_the_configured_provider_and_no_other_project_asks_anything(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key")
    with serving(answer(200, b'{"max_input_tokens": 100000, "max_tokens": 64000}')) as server:
        folder = configured(tmp_path, f'base_url = "{server.address}"')
        shown = CliRunner().invoke(callsheet, ["-C", str(folder), "model", "list", "--json"])
        found = json.loads(shown.stdout)["configured"]
        assert found["sources"]["provider"] == {"window": 100_000, "max_output": 64_000}
        assert len(found["mismatches"]) == 1 and len(server.requests) == 1
        text = CliRunner().invoke(callsheet, ["-C", str(folder), "model", "list"]).stdout
        assert "the provider lists window 100000" in text
    elsewhere = CliRunner().invoke(callsheet, ["-C", str(tmp_path), "model", "list", "--json"])
    assert json.loads(elsewhere.stdout)["configured"] is None


def test_a_runs_second_request_is_compared_with_its_first_and_the_providers_reason_with_ours(tmp_path):
    def told(body: bytes) -> Reply:
        whole = json.loads(reply(helpful(body), CLAUDE, body))
        if previous := json.loads(body)["diagnostics"]["previous_message_id"]:
            assert previous == "msg-1"
            reason = {"type": "tools_changed", "cache_missed_input_tokens": 900}
            return Reply(json.dumps({**whole, "id": "msg-2", "diagnostics": {"cache_miss_reason": reason}}).encode())
        return Reply(json.dumps({**whole, "id": "msg-1"}).encode())

    model = ScriptedModel(replace(CLAUDE, cache_diagnostics=True), told)
    with opened(configured(tmp_path, "cache_diagnostics = true"), model) as host:
        first, second = host.run(QUESTION, customer()).request_ids
        found = host.diff(first, second, customer())
        back = host.diff(second, first, customer())
        one, other = (host.show(each, customer()) for each in (first, second))
    assert found["first_difference"]["cause"] == "tools-changed"
    assert found["provider"] == [{"reason": "tools_changed", "tokens": 900, "agrees": True}]
    assert back["provider"] == [], "the first was compared with nothing"
    elsewhere = replace(other, task=replace(other.task, previous_response="msg-0"))
    assert inspection.diff(one, elsewhere)["provider"] == [], "the provider compared it with another request"


def test_diagnostics_that_no_vendor_documents_are_refused_by_the_settings(tmp_path):
    folder = configured(tmp_path, "cache_diagnostics = true")
    path = folder / "callsheet.toml"
    path.write_text(path.read_text().replace('"anthropic"', '"gemini"').replace("claude-haiku-4-5", "gemini-3-x"))
    path.write_text(path.read_text().replace("[model]", "[model]\nwindow = 9000", 1))
    with pytest.raises(UsageError, match="cache_diagnostics: no vendor documents them for 'gemini-3-x'"):
        open_host(folder)


def test_sampling_that_no_vendor_documents_is_refused_by_the_settings_unless_the_project_knows_better(tmp_path):
    folder = configured(tmp_path, "native = { top_p = 0.5 }")
    path = folder / "callsheet.toml"
    open_host(folder).close()
    path.write_text(path.read_text().replace("claude-haiku-4-5", "claude-opus-5-5"))
    with pytest.raises(
        UsageError, match=r"\[model.native\] top_p: no vendor documents that 'claude-opus-5-5' takes it"
    ):
        open_host(folder)
    (folder / "models.toml").write_text('[[model]]\nmatch = ["claude-opus-5-5"]\n[model.traits]\nsampling = true\n')
    open_host(folder).close()
