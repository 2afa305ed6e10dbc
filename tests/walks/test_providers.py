"""Each provider as a project names it: the official SDK sends exactly the recorded bytes, whole or streamed."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from callsheet.cli.doctor import checks
from callsheet.edges.project.folder import read_project
from callsheet.errors import UsageError
from callsheet.host.host import Host, open_host
from callsheet.host.limits import asked
from callsheet.host.wiring import Overrides, Surroundings
from callsheet.lab.lint import lint_model
from callsheet.model.policy import DialectName
from callsheet.testing import SCRIPTED, FixedClock

from .loopback import Provider, pointed, serving
from .stage import ANSWER, QUESTION, customer, helpful, project

KEY = "sk-loopback-0123456789"


@dataclass(frozen=True)
class Vendor:
    """A provider's settings, its dialect, the paths its requests go to, and the header its key goes into."""

    provider: str
    model: str
    dialect: DialectName
    path: str
    streamed: str
    header: str
    more: str = ""


VENDORS = (
    Vendor("anthropic", "claude-opus-5-5", "anthropic", "/v1/messages", "/v1/messages", "Authorization",
           'betas = ["some-beta-2026-01-01"]'),
    Vendor("openai", "gpt-6", "openai_responses", "/v1/responses", "/v1/responses", "Authorization"),
    Vendor("openai", "gpt-6", "openai_chat", "/v1/chat/completions", "/v1/chat/completions", "Authorization",
           'dialect = "openai_chat"'),
    Vendor("gemini", "gemini-3-pro", "gemini", "/v1/models/gemini-3-pro:generateContent",
           "/v1/models/gemini-3-pro:streamGenerateContent?alt=sse", "x-goog-api-key"),
)  # fmt: skip
named = pytest.mark.parametrize("vendor", VENDORS, ids=lambda vendor: vendor.dialect)


def settings(vendor: Vendor, stream: bool = False, more: str = "") -> str:
    return f"""[model]
provider = "{vendor.provider}"
name = "{vendor.model}"
base_url = "{{address}}"
window = 16384
max_output = 400
stream = {str(stream).lower()}
{vendor.more}
{more}
"""


def opened(tmp_path: Path, provider: Provider, vendor: Vendor, stream: bool, more: str = "") -> Host:
    folder = pointed(tmp_path / "support", provider, settings(vendor, stream, more))
    return open_host(folder, tmp_path / "data", Overrides(clock=FixedClock(), token=lambda: "provider"))


@named
@pytest.mark.parametrize("stream", [False, True])
def test_the_providers_server_receives_the_recorded_bytes_and_the_run_ends_in_the_answer(
    tmp_path, monkeypatch, vendor, stream
):
    monkeypatch.setenv(f"{vendor.provider.upper()}_API_KEY", KEY)
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # must not matter: the address is no https
    profile = replace(SCRIPTED, dialect=vendor.dialect, channel="native-calls", stream=stream)
    with serving(helpful, profile) as provider, opened(tmp_path, provider, vendor, stream) as host:
        result = host.run(QUESTION, customer())
        records = [host.show(each, customer()) for each in result.request_ids]
    assert (result.outcome, result.answer) == ("answer", ANSWER["answer"]), result.why
    assert provider.bodies == [record.wire.body for record in records]
    assert set(provider.paths) == {vendor.streamed if stream else vendor.path}
    assert all(KEY in headers[vendor.header] for headers in provider.headers)
    assert all(record.manifest.proposal_channel == "native-calls" for record in records)
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    if vendor.more.startswith("betas"):
        assert all("some-beta-2026-01-01" in headers["anthropic-beta"] for headers in provider.headers)


@named
def test_a_projects_own_parameters_of_the_dialect_go_into_the_body_as_they_are(tmp_path, monkeypatch, vendor):
    monkeypatch.setenv(f"{vendor.provider.upper()}_API_KEY", KEY)
    own: dict[DialectName, tuple[str, dict[str, Any]]] = {
        "anthropic": ("[model.native]\nservice_tier = 'auto'", {"service_tier": "auto"}),
        "openai_responses": ("[model.native]\nreasoning = {effort = 'low'}", {"reasoning": {"effort": "low"}}),
        "openai_chat": ("[model.native]\nreasoning_effort = 'low'", {"reasoning_effort": "low"}),
        "gemini": ("[model.native]\ngenerationConfig = {topP = 0.5}", {}),
    }
    profile = replace(SCRIPTED, dialect=vendor.dialect, channel="native-calls")
    more, expected = own[vendor.dialect]
    with serving(helpful, profile) as provider, opened(tmp_path, provider, vendor, False, more) as host:
        assert host.run(QUESTION, customer()).outcome == "answer"
    body = json.loads(provider.bodies[0])
    assert {key: body[key] for key in expected} == expected
    if vendor.dialect == "gemini":
        assert body["generationConfig"]["topP"] == 0.5


@named
def test_without_its_key_nothing_is_recorded_and_the_error_names_the_variable(tmp_path, monkeypatch, vendor):
    monkeypatch.delenv(f"{vendor.provider.upper()}_API_KEY", raising=False)
    with serving(helpful) as provider, opened(tmp_path, provider, vendor, False) as host:
        with pytest.raises(UsageError, match=f"reads its key from {vendor.provider.upper()}_API_KEY"):
            host.run(QUESTION, customer())
        assert host.recent(customer()) == () and provider.bodies == []


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('provider = "openai"\nname = "nobody-knows-this"', "no window is known"),
        (
            'provider = "openai"\nname = "gpt-6"\nwindow = 8192\ndialect = "gemini"',
            "none that provider 'openai' speaks",
        ),
        ('provider = "openai"\nname = "gpt-6"\nwindow = 8192\nbetas = ["x"]', "headers of Anthropic's"),
        ('provider = "anthropic"\nname = "claude-haiku-5-5"\nmax_output = 999999', "lower it"),
        ('provider = "anthropic"\nname = "claude-haiku-5-5"\ncalibration = 0', "lies outside"),
        ('provider = "anthropic"\nname = "claude-haiku-5-5"\nchannel = "smoke"', "channel"),
        ('provider = "teapot"', "provider"),
    ],
)
def test_settings_that_cannot_hold_are_said_when_the_project_opens(tmp_path, lines, said):
    with serving(helpful) as provider:
        folder = pointed(tmp_path / "support", provider, f"[model]\n{lines}\n")
    with pytest.raises(UsageError, match=said):
        open_host(folder, tmp_path / "data")


def test_a_limit_of_cost_needs_a_price_and_ends_the_run_when_it_is_reached(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    vendor = replace(VENDORS[0], more="")
    profile = replace(SCRIPTED, dialect="anthropic", channel="native-calls")
    with serving(helpful, profile) as provider:
        folder = pointed(tmp_path / "support", provider, settings(vendor))
        path = folder / "callsheet.toml"
        path.write_text(path.read_text().replace("[ceilings]\n", "[ceilings]\ncost = 0.0001\n"))
        (folder / "models.toml").write_text('[[model]]\nmatch = ["claude-opus-5-5"]\n[model.traits]\nsampling = true\n')
        with open_host(folder, tmp_path / "data", Overrides(clock=FixedClock())) as host:
            result = host.run(QUESTION, customer())
        assert result.outcome == "unfinished" and "the limit is 0.0001" in result.why
        path.write_text(path.read_text().replace('name = "claude-opus-5-5"', 'name = "unpriced"'))
        with pytest.raises(UsageError, match=r"no price is known for 'unpriced'.*models\.toml"):
            open_host(folder, tmp_path / "data")


def test_a_table_of_models_in_the_project_goes_before_ours(tmp_path):
    folder = project(tmp_path)
    (folder / "models.toml").write_text(
        '[[model]]\nmatch = ["Qwen*"]\n[model.prices]\ninput = 1\noutput = 2\ncurrency = "EUR"\n'
        'as_of = 2026-11-30\nsource = "our own contract"\n'
    )
    with open_host(folder, tmp_path / "data") as host:
        prices = host.policy.model.prices
        assert prices is not None and (prices.input, prices.output, prices.currency) == (1, 2, "EUR")
    (folder / "models.toml").write_text('[[model]]\nmatch = "Qwen*"\n')
    with pytest.raises(UsageError, match=r"models\.toml"):
        open_host(folder, tmp_path / "data")


def test_lint_and_doctor_find_what_keeps_the_model_from_answering(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with serving(helpful) as provider:
        folder = pointed(tmp_path / "support", provider, settings(replace(VENDORS[0], more="")))
    assert lint_model(folder) == ()
    assert any(not each.ok and "ANTHROPIC_API_KEY" in each.detail for each in checks(folder))
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    assert [each.detail for each in checks(folder) if each.name == "model"] == [
        "claude-opus-5-5 (anthropic; not called)"
    ]
    (folder / "models.toml").write_text("this is [not toml")
    (finding,) = lint_model(folder)
    assert (finding.file, finding.rule) == ("models.toml", "malformed-file")
    (folder / "models.toml").unlink()
    path = folder / "callsheet.toml"
    path.write_text(path.read_text().replace("window = 16384", "").replace("claude-opus-5-5", "claude-nobody-knows"))
    (finding,) = lint_model(folder)
    assert finding.file == "callsheet.toml" and "no window is known" in finding.message and finding.fix


def test_a_key_in_the_place_of_its_variable_is_said_nowhere(tmp_path, monkeypatch):
    for secret, said in (("sk-realkey-0123456789", "no name of an environment variable"), ("AIzaSyReal", "a variable")):
        with serving(helpful) as provider:
            more = f'api_key_env = "{secret}"'
            folder = pointed(tmp_path / said[:4], provider, settings(replace(VENDORS[3], more=more)))
        with pytest.raises(UsageError, match=said) as caught, open_host(folder, tmp_path / "data") as host:
            host.run(QUESTION, customer())
        assert secret not in str(caught.value)


@pytest.mark.parametrize(("name", "said"), [("answer", "name of a kind of reply"), ("pr\u00fcfe", "does not match")])
def test_a_tool_whose_name_no_request_could_carry_is_refused_when_the_project_opens(tmp_path, name, said):
    with serving(helpful) as provider:
        folder = pointed(tmp_path / "support", provider, settings(replace(VENDORS[0], more="")))
    tools = folder / "tools.py"
    tools.write_text(
        tools.read_text()
        + f'''

@tool(effects="read")
def {name}(word: str) -> dict[str, str]:
    """Says the word."""
    return {{"word": word}}
'''
    )
    with pytest.raises(UsageError, match=said):
        open_host(folder, tmp_path / "data")


def test_the_limits_of_a_model_whose_window_nobody_stated_can_be_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    with serving(helpful) as provider:
        lines = 'provider = "gemini"\nname = "gemini-unheard-of"\nbase_url = "{address}"\n'
        folder = pointed(tmp_path / "support", provider, f"[model]\n{lines}")
        found = asked(read_project(folder), Surroundings(tmp_path, {"GEMINI_API_KEY": KEY}))
    assert found["name"] == "gemini-unheard-of" and found["error"]
