"""The table of models: what it says by name, what goes before what, and what its mistakes say."""

import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from callsheet.edges.models.table import Limits, Models, read_table
from callsheet.errors import ProjectError
from callsheet.model.policy import ModelTraits, Prices


def of(models: Models, name: str, prompt: int) -> Prices:
    """The prices of a prompt of so many tokens."""
    priced = models.priced(name)
    assert priced is not None
    return priced.of(prompt)


OWN = """
[[model]]
match = ["house-*"]
[model.traits]
prefill = true
cache_minimum = 256
[model.limits]
window = 4096

[[model]]
match = ["house-large"]
[model.traits]
cache_minimum = 512
[model.prices]
input = 1
output = 2.5
currency = "EUR"
as_of = 2026-11-30
source = "the contract"
[model.prices.long]
above = 1000
input = 3
output = 4
"""


CLAUDE: dict[str, Any] = {
    "sampling": False,
    "cache_minimum": 4096,
    "cache_marks": 4,
    "tool_search": True,
    "cache_diagnostics": True,
}
GPT: dict[str, Any] = {
    "system_turns": True,
    "interleaved_calls": True,
    "max_output_key": "max_completion_tokens",
}
TURNS: dict[str, Any] = {"system_turns": True, "tool_changes": True, "cache_minimum": 512}


def table(folder: Path, text: str) -> Models:
    (folder / "models.toml").write_text(text, encoding="utf-8")
    return read_table(folder)


def test_a_model_that_is_not_listed_has_safe_traits_and_no_price(tmp_path: Path) -> None:
    models = read_table(tmp_path)
    assert models.traits("qwen2.5-coder") == ModelTraits()
    assert (models.prices("qwen2.5-coder"), models.limits("qwen2.5-coder")) == (None, Limits())


@pytest.mark.parametrize(
    ("name", "traits"),
    [
        ("claude-opus-4-5-20251101", CLAUDE | {"prefill": True, "sampling": True}),
        ("claude-opus-4-1", CLAUDE | {"prefill": True, "sampling": True, "cache_minimum": 1024, "tool_search": False}),
        ("claude-sonnet-4-5", CLAUDE | {"prefill": True, "sampling": True, "cache_minimum": 1024}),
        ("claude-opus-4-6", CLAUDE | {"sampling": True}),
        ("claude-sonnet-5", CLAUDE | {"cache_minimum": 1024}),
        ("claude-opus-5", CLAUDE | TURNS),
        ("claude-opus-5-5", CLAUDE | TURNS | {"binds_thinking": True}),
        ("claude-sonnet-5-5", CLAUDE | {"binds_thinking": True, "cache_minimum": 512}),
        ("gpt-4o", GPT),
        ("gpt-5.4", GPT | {"sampling": False, "allowed_tools": True, "tool_search": True}),
        ("gpt-6.2-sol", GPT | {"sampling": False, "allowed_tools": True, "tool_search": True,
                               "cache_marks": 4, "cache_diagnostics": True}),
        ("gemini-2.5-pro", {"cache_minimum": 2048}),
        ("gemini-3.8-flash", {"cache_minimum": 4096}),
    ],
)  # fmt: skip
def test_documented_traits_are_found_by_name(name: str, traits: dict[str, Any]) -> None:
    assert read_table().traits(name) == ModelTraits(**traits)


def test_a_price_is_that_of_the_very_model_and_of_its_dated_names_alone() -> None:
    models = read_table()
    opus = Prices(4.0, 0.2, 5.0, 20.0)
    assert models.prices("claude-opus-5-5") == models.prices("claude-opus-5-5-20260922") == opus
    assert models.prices("claude-opus-5") == Prices(5.0, 0.5, 6.25, 25.0)
    for unknown in ("claude-opus-5-7", "gpt-6.2-sol-pro", "anthropic/claude-opus-5", "claude-opus"):
        assert models.prices(unknown) is None


def test_a_long_prompt_has_the_prices_of_long_prompts() -> None:
    models = read_table()
    assert of(models, "gpt-6.2-sol", 272_000) == Prices(2.0, 0.1, 2.5, 10.0)
    assert of(models, "gpt-6.2-sol", 272_001) == Prices(4.0, 0.2, 5.0, 15.0)


def test_every_price_of_the_table_is_complete_dated_and_has_a_source() -> None:
    priced = [entry for entry in read_table().entries if entry.priced]
    assert len(priced) >= 10
    for entry in priced:
        found = entry.priced
        assert found is not None
        assert found.source.startswith("https://") and found.as_of >= date(2026, 11, 1)
        for prices in filter(None, (found.prices, found.long)):
            assert 0 < prices.cached_read < prices.input < prices.cache_write <= 2 * prices.input < prices.output
        assert not any(re.search(r"\*", each) and not each.endswith("-20*") for each in entry.match), entry.match


def test_a_projects_own_table_goes_before_and_the_most_specific_pattern_wins_key_by_key(tmp_path: Path) -> None:
    models = table(tmp_path, OWN)
    assert models.traits("house-small") == ModelTraits(prefill=True, cache_minimum=256)
    assert models.traits("house-large") == ModelTraits(prefill=True, cache_minimum=512)
    assert models.limits("house-large") == Limits(4096)
    assert of(models, "house-large", 1_000) == Prices(1.0, 1.0, 1.0, 2.5, "EUR")
    assert of(models, "house-large", 1_001) == Prices(3.0, 3.0, 3.0, 4.0, "EUR")
    found = models.priced("house-large")
    assert found is not None and (found.as_of, found.source) == (date(2026, 11, 30), "the contract")
    over = table(tmp_path, OWN.replace("house-large", "claude-*"))
    assert over.prices("claude-opus-5-5") == Prices(1.0, 1.0, 1.0, 2.5, "EUR")
    assert over.traits("claude-opus-5-5").system_turns


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("prefill = true", "prefil = true", r"model\[0\].traits.prefil is not a known key; did you mean 'prefill'\?"),
        ("prefill = true", "prefill = 1", r"traits.prefill = 1 is not true or false"),
        ("cache_minimum = 256", "cache_minimum = -1", r"traits.cache_minimum = -1 is not a number of 0 or more"),
        ("cache_minimum = 256", "cache_minimum = true", r"cache_minimum = True is not a number"),
        ("window = 4096", "window = 4096.5", r"limits.window = 4096.5 is not a number"),
        ("input = 1", "input = nan", r"prices.input = nan is not a finite number of 0 or more"),
        ("output = 2.5", "", r"model\[1\].prices.output is missing; add it"),
        ("above = 1000", "", r"prices.long.above is missing"),
        ("as_of = 2026-11-30", 'as_of = "today"', r"as_of = 'today' is not a date"),
        ('match = ["house-*"]', "match = []", r"model\[0\].match = \[\] is no list of names"),
        ('match = ["house-*"]', 'match = "house-*"', r"match = 'house-\*' is not a list"),
        ('match = ["house-*"]', "", r"model\[0\].match is missing"),
        ("[model.limits]", "[model.limits", r"not TOML: .*\(at line 7"),
    ],
)
def test_a_mistake_names_file_key_rule_and_way_out(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(ProjectError, match=said) as error:
        table(tmp_path, OWN.replace(old, new, 1))
    assert str(error.value).startswith("models.toml: ") and re.search(r"; .+ \[[a-z-]+\]$", str(error.value))


def test_a_model_that_is_no_table_and_a_file_that_is_no_text_are_mistakes_too(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match=r"models.toml: models is not a known key; did you mean 'model'\?"):
        table(tmp_path, "models = []")
    with pytest.raises(ProjectError, match=r"model\[0\] is no table"):
        table(tmp_path, "model = [3]")
    (tmp_path / "models.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ProjectError, match="malformed-file"):
        read_table(tmp_path)
    (tmp_path / "models.toml").unlink()
    (tmp_path / "models.toml").mkdir()
    with pytest.raises(ProjectError, match="missing-file"):
        read_table(tmp_path)


def test_the_order_of_entries_does_not_matter(tmp_path: Path) -> None:
    written = [f"[[model]]{each}" for each in OWN.split("[[model]]")[1:]]
    one, other = table(tmp_path, "".join(written)), table(tmp_path, "".join(reversed(written)))
    for name in ("house-small", "house-large"):
        assert one.traits(name) == other.traits(name)
    shuffled = Models(tuple(reversed(read_table().entries)))
    for name in ("claude-opus-4-6", "claude-opus-5-5", "claude-haiku-4-5-20251001", "gpt-6-sol", "gemini-2.5-pro"):
        assert shuffled.traits(name) == read_table().traits(name)
        assert shuffled.prices(name) == read_table().prices(name)
