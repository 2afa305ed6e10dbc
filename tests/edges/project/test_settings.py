"""`callsheet.toml`: what it gives, and what its mistakes say."""

import re
from pathlib import Path

import pytest

from callsheet.edges.project.folder import read_project
from callsheet.edges.project.problem import Problem
from callsheet.edges.project.settings import read_settings
from callsheet.errors import ProjectError

MINIMAL = """
[project]
name = "p"
policy_version = "v1"

[decision.answer]
entry = true
purpose = "support"
"""
RULE = "[[knowledge.rule]]\n"


def project(folder: Path, text: str, tools: str = "") -> Path:
    (folder / "callsheet.toml").write_text(text, encoding="utf-8")
    if tools:
        (folder / "tools.py").write_text(tools, encoding="utf-8")
    return folder


def said(folder: Path, text: str, tools: str = "") -> Problem:
    with pytest.raises(Problem) as error:
        read_project(project(folder, text, tools))
    return error.value


def test_a_minimal_file_gives_defaults_and_one_decision_kind(tmp_path: Path) -> None:
    settings = read_settings(project(tmp_path, MINIMAL))
    kind = settings.decisions["answer"]
    assert (settings.entry, kind.name, kind.purpose, kind.allowlist) == ("answer", "answer", "support", ())
    assert kind.budget is not None and kind.budget.available == 8_192 - 700
    assert settings.model.provider == "embedded" and settings.session is None
    assert settings.data_dir == tmp_path / ".callsheet"


def test_weights_and_budget_of_a_decision_kind_are_read(tmp_path: Path) -> None:
    text = (
        MINIMAL
        + "[decision.answer.weights]\nauthority = 2\n[decision.answer.budget]\nwindow = 4000\nmax_output = 1500\n"
    )
    kind = read_settings(project(tmp_path, text + "overhead = 500\n")).decisions["answer"]
    assert kind.weights.authority == 2.0 and kind.weights.relevance == 1.0
    assert kind.budget is not None and kind.budget.available == 2_000


def test_a_missing_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match=r"callsheet.toml: .*callsheet init"):
        read_settings(tmp_path)


@pytest.mark.parametrize(
    ("text", "line", "rule", "words"),
    [
        ("[project\n", 1, "malformed-file", "not TOML"),
        ("a = 1\nb = = 2\n", 2, "malformed-file", "not TOML"),
        ("[project]\nname = 'p'\n", 1, "invalid-value", "[decision.NAME]"),
        (MINIMAL + "trigers = ['x']\n", 9, "unknown-key", "did you mean 'triggers'?"),
        (MINIMAL + "[decision.answer.weights]\nauthorty = 2\n", 10, "unknown-key", "did you mean 'authority'?"),
        (MINIMAL + "[modle]\n", 9, "unknown-key", "did you mean 'model'?"),
        (MINIMAL + "[model]\nprovider = 'gpt'\n", 10, "invalid-value", "model.provider = 'gpt'"),
        (MINIMAL + "[model]\nn_ctx = '8192'\n", 10, "invalid-value", "model.n_ctx = '8192'"),
        (
            MINIMAL + "[model]\nprovider = 'openai-compatible'\nname = 'm'\nbase_url = 'http://x'\n",
            9,
            "invalid-value",
            "window",
        ),
        (MINIMAL + "[model]\nprovider = 'openai'\nwindow = 8192\n", 9, "invalid-value", "model.name is missing"),
        (MINIMAL + RULE + "match = '/a'\n", 10, "invalid-value", "no path inside a folder"),
        (MINIMAL + RULE + "match = '**'\nreview_after = '6 months'\n", 11, "invalid-value", "180d"),
        (MINIMAL + RULE + "match = '**'\nauthority = 2\n", 11, "invalid-value", "outside"),
        (MINIMAL + RULE + "match = '**'\nversion = 'a b'\n", 11, "invalid-value", "citation"),
        (MINIMAL + RULE + "match = '**'\nscop = 'x'\n", 11, "unknown-key", "scope"),
        (MINIMAL + RULE + "scope = 'x'\n", 9, "invalid-value", "match is missing"),
        (MINIMAL + "[knowledge]\nversions = 'svn'\n", 10, "invalid-value", "git"),
        (MINIMAL + "[session]\ntenant = 'shared'\nactor = 'a'\n", 10, "invalid-value", "names no tenant"),
        (MINIMAL + "[decision.answer.budget]\nmax_output = 9000\n", 9, "invalid-value", "widen the window"),
        (MINIMAL + "then = 'anwser'\n", 9, "unknown-decision", "did you mean 'answer'?"),
        (MINIMAL + "[decision.b]\nentry = true\npurpose = 'x'\n", 10, "entry-decision", "2 do (answer, b)"),
        (MINIMAL.replace("entry = true", ""), 6, "entry-decision", "none does"),
        (MINIMAL.replace('purpose = "support"', ""), 6, "invalid-value", "decision.answer.purpose is missing"),
        (MINIMAL + "allowlist = ['look_up']\n", 9, "invalid-value", "add 'calls'"),
        (MINIMAL + "allowlist = ['look_up']\nproposals = ['calls']\n", 9, "unknown-tool", "tools.py does not have"),
    ],
)
def test_a_mistake_names_its_line_its_rule_and_the_way_out(
    tmp_path: Path, text: str, line: int, rule: str, words: str
) -> None:
    problem = said(tmp_path, text)
    assert (problem.file, problem.line, problem.rule) == ("callsheet.toml", line, rule)
    assert words in str(problem) and str(problem).startswith(f"callsheet.toml:{line}: ")


def test_an_allowlisted_function_without_the_decorator_is_a_tool_without_contract(tmp_path: Path) -> None:
    text = MINIMAL + "allowlist = ['look_up']\nproposals = ['calls']\n"
    problem = said(tmp_path, text, "def look_up(x: str) -> str:\n    return x\n")
    assert problem.rule == "tool-without-contract" and "a tool without contract" in str(problem)


def test_a_broken_tools_file_names_its_line(tmp_path: Path) -> None:
    problem = said(tmp_path, MINIMAL, "import json\n\nraise RuntimeError('no service')\n")
    assert (problem.file, problem.line) == ("tools.py", 3) and "no service" in str(problem)


def test_a_syntax_error_in_the_tools_file_names_its_line(tmp_path: Path) -> None:
    problem = said(tmp_path, MINIMAL, "x = 1\ndef f(:\n")
    assert (problem.file, problem.line) == ("tools.py", 2)


@pytest.mark.parametrize(
    "field", ["messages = []", "max_tokens = 9", 'model = "y"', 'system = "x"', "tools = []", "stream = true"]
)
def test_a_parameter_of_ones_own_replaces_nothing_that_the_engine_writes(tmp_path: Path, field: str) -> None:
    problem = said(tmp_path, MINIMAL + f"[model]\nnative = {{{field}}}\n")
    assert problem.rule == "invalid-value" and "is written by the engine" in str(problem)


@pytest.mark.parametrize("line", ["native = {generationConfig = 1}", "native = {toolConfig = 1}", "window = -1"])
def test_a_figure_or_a_table_of_the_model_that_is_none_is_named(tmp_path: Path, line: str) -> None:
    model = '[model]\nprovider = "gemini"\nname = "gemini-2.5-flash"\n'
    assert "model." in str(said(tmp_path, MINIMAL + model + line + "\n"))


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ('url_env = "X"', r"store.url_env means nothing to kind 'sqlite'"),
        ("connections = 3", r"store.connections means nothing to kind 'sqlite'"),
        ('kind = "postgresql"\nconnections = 0', r"store.connections = 0 lies outside 1 to 1000"),
        ('kind = "postgresql"\nbackup_days = -1', r"store.backup_days = -1 lies outside 0 to 36500"),
        ('kind = "postgresql"\nurl_env = "postgresql://me:secret@db/x"', r"store.url_env is no name of an environment"),
        ('kind = "oracle"', r"store.kind"),
    ],
)
def test_a_store_that_cannot_be_is_refused_and_a_connection_string_is_not_said_again(
    tmp_path: Path, lines: str, why: str
) -> None:
    problem = said(tmp_path, f"{MINIMAL}[store]\n{lines}\n")
    assert re.search(why, str(problem)) and "secret" not in str(problem)


def test_a_folder_that_somebody_names_is_a_store_of_its_own(tmp_path: Path) -> None:
    text = f'{MINIMAL}[store]\nkind = "postgresql"\ndurability = "power"\nbackup_days = 30\n'
    settings = read_settings(project(tmp_path, text))
    assert (settings.store.kind, settings.store.url_env, settings.store.backup_days) == (
        "postgresql",
        "CALLSHEET_DATABASE_URL",
        30,
    )
    assert settings.kept_in(None) == settings
    named = settings.kept_in(tmp_path / "other")
    assert (named.store.kind, named.store.durability, named.data_dir) == ("sqlite", "power", tmp_path / "other")


def test_a_kind_names_what_its_answers_may_not_and_must_hold_and_a_guard_it_does_without(tmp_path: Path) -> None:
    guards = 'forbid = ["guarantee", "/refund\\\\w*/"]\ndemand = ["no advice"]\nguards_off = ["directive-echoed"]\n'
    kind = read_settings(project(tmp_path, MINIMAL + guards)).decisions["answer"]
    assert (kind.forbid, kind.demand) == (("guarantee", "/refund\\w*/"), ("no advice",))
    assert kind.guards_off == ("directive-echoed",)


@pytest.mark.parametrize(
    "line", ['forbid = ["/(/"]', 'demand = ["  "]', 'forbid = ["/a*/"]', 'guards_off = ["secret"]']
)
def test_a_content_that_cannot_be_looked_for_or_a_guard_without_a_switch_is_named(tmp_path: Path, line: str) -> None:
    found = said(tmp_path, MINIMAL + line)
    assert found.rule == "invalid-value" and line.split(" = ")[0] in str(found)
