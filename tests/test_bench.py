"""What the README says in figures is what the benches told, and a bench without its recordings holds up no other."""

import ast
import json
import os
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from .source import ROOT

BENCH = ROOT / "bench"
HELPERS = {
    "answering",
    "compaction_peers",
    "embedder_means",
    "embedding_cache",
    "every",
    "history_billed",
    "history_peers",
    "made_conversations",
    "secret_texts",
    "memory_data",
    "memory_peers",
    "planning",
    "recordings",
    "retrieve_peers",
    "rewording",
    "tables",
}


def loaded(name: str) -> ModuleType:
    """A script of `bench`, which is no package; a name that another script imports is known from then on."""
    spec = spec_from_file_location(name, BENCH / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def is_there(module: str, name: str) -> bool:
    """True where a module has this name, or a module of it is called so."""
    return hasattr(import_module(module), name) or find_spec(f"{module}.{name}") is not None


def test_tables_of_the_readme_are_made_of_the_results_on_file() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    tables = loaded("tables")
    assert tables.rendered(page) == page, "run `python bench/tables.py`"
    assert {name for name, _ in tables.TABLE.findall(page)} == {
        name for name, _ in tables.TABLE.findall(tables.TEMPLATES.read_text(encoding="utf-8"))
    }


def test_row_is_left_out_when_a_figure_of_it_was_never_measured(capsys: pytest.CaptureFixture[str]) -> None:
    tables = loaded("tables")
    figures = {"speed": {"ours": tables.Figure({"value": 0.25, "ratio": 2, "limit": 0.2, "within": False})}}
    template = (
        "| ours | {speed[ours]:.0%} | {speed[ours].ratio} | {speed[ours].verdict} |\n| theirs | {speed[theirs]} |\n"
    )
    assert tables.rows(template, figures) == "| ours | 25 % | 2 | limit 0.2: missed |\n"
    assert "theirs" in capsys.readouterr().err


def test_every_bench_is_run_and_every_command_of_the_tables_is_one() -> None:
    tables = loaded("tables")
    names = {bench.name for bench in loaded("every").BENCHES}
    assert names == {path.stem for path in BENCH.glob("*.py")} - HELPERS
    named = set(re.findall(r"python bench/(\w+)\.py", tables.TEMPLATES.read_text(encoding="utf-8")))
    assert named <= names
    assert {path.stem for path in tables.RESULTS.glob("*.json")} <= names


@pytest.mark.parametrize("path", sorted(BENCH.rglob("*.py")), ids=lambda path: path.stem)
def test_every_name_that_a_bench_takes_from_the_package_is_there(path: Path) -> None:
    taken = [
        (node.module, alias.name)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "callsheet"
        for alias in node.names
    ]
    missing = [f"{module}.{name}" for module, name in taken if not is_there(module, name)]
    assert not missing


@pytest.mark.parametrize("name", ["clash", "compaction", "freshness", "knowledge", "patterns"])
def test_bench_without_recordings_says_where_they_are_published_and_gives_no_figures(name: str) -> None:
    bare = {key: value for key, value in os.environ.items() if key != "CALLSHEET_DATA"}
    command = [sys.executable, str(BENCH / f"{name}.py"), "--json"]
    done = subprocess.run(command, env=bare, capture_output=True, encoding="utf-8", check=True)
    assert json.loads(done.stdout)["figures"] == {}
    assert "CALLSHEET_DATA is not set" in done.stderr and re.search(r"^  [\w-]+: \w", done.stderr, re.M)


def test_figure_that_was_not_measured_again_keeps_its_last_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = loaded("tables")
    every = loaded("every")
    monkeypatch.setattr(tables, "RESULTS", tmp_path / "results")
    every.keep(every.Bench("some"), {"ours": {"value": 1}, "theirs": {"value": 2}})
    every.keep(every.Bench("some"), {"ours": {"value": 3}})
    kept = json.loads((tmp_path / "results" / "some.json").read_text(encoding="utf-8"))
    assert kept == {"ours": {"value": 3}, "theirs": {"value": 2}}
