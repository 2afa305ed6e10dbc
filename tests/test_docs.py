"""The documentation is complete: every name, command, option, error and rule is in it, and no rule that is not ours."""

import ast
import re
from collections.abc import Iterator
from functools import cache

import click
import pytest

import callsheet as front_door
from callsheet import errors
from callsheet.cli import callsheet
from callsheet.core.history.policies import OFFERED
from callsheet.core.skills.rules import SCAN_RULES
from callsheet.core.sources.notices import NOTICE_RULES
from callsheet.edges.project.history_settings import STEPS, HistoryTable
from callsheet.edges.project.problem import LINT_RULES
from callsheet.host.host import Host
from callsheet.host.memory.desk import MemoryDesk
from callsheet.host.restart import RestartDesk
from callsheet.model import grants
from callsheet.model.effect import RunResult
from callsheet.model.evidence import Evidence
from callsheet.model.phases import SECTIONS
from callsheet.model.verdict import RULES
from callsheet.ports import StoredRequest

from .source import ROOT, modules

DOCS = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
}
ALL = "\n".join(DOCS.values())


@cache
def commands() -> dict[str, click.Command]:
    """Every command by its full name, `memory add`; groups too."""
    return dict(_walk(callsheet, ""))


def _walk(group: click.Group, prefix: str) -> Iterator[tuple[str, click.Command]]:
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        assert command is not None
        yield f"{prefix}{name}", command
        if isinstance(command, click.Group):
            yield from _walk(command, f"{prefix}{name} ")


def error_classes() -> list[str]:
    """The names of every exception of the package's tree."""
    kinds = [value for value in vars(errors).values() if isinstance(value, type)]
    return [kind.__name__ for kind in kinds if issubclass(kind, errors.CallsheetError)]


@pytest.mark.parametrize("name", front_door.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    assert re.search(rf"`{name}\b", ALL), f"no page says what {name} is"


def test_every_command_and_each_of_its_options_is_documented() -> None:
    page = DOCS["docs/commands.md"]
    missing = []
    for name, command in commands().items():
        options = {option for parameter in command.params for option in parameter.opts if option.startswith("--")}
        section = page.partition(f"### `callsheet {name}")[2].partition("\n### ")[0]
        missing += [f"{name}"] if not section and not isinstance(command, click.Group) else []
        if section:
            common = {"--json", "--session", "--data"}
            missing += [f"{name} {option}" for option in options - common if option not in section]
    assert not missing


def test_the_section_of_a_command_begins_with_the_words_of_its_own_help() -> None:
    page = DOCS["docs/commands.md"]
    told = {
        name: words(command.help or "") for name, command in commands().items() if not isinstance(command, click.Group)
    }
    sections = {name: words(re.split(rf"^### `callsheet {name}\b.*$", page, flags=re.M)[1]) for name in told}
    assert [name for name, text in told.items() if not sections[name].startswith(text)] == []


def words(text: str) -> str:
    """The first paragraph of a text on one line, without what marks code."""
    return " ".join(text.strip().split("\n\n")[0].replace("`", "").split())


def test_every_method_of_a_host_is_on_the_page_about_python() -> None:
    page = DOCS["docs/python.md"]
    methods = [name for name, value in vars(Host).items() if callable(value) and not name.startswith("_")]
    desk = [
        f"memory.{name}" for name, value in vars(MemoryDesk).items() if callable(value) and not name.startswith("_")
    ]
    desk += [
        f"restart.{name}" for name, value in vars(RestartDesk).items() if callable(value) and not name.startswith("_")
    ]
    assert [name for name in (*methods, *desk) if not re.search(rf"`{name}\b", page)] == []


@pytest.mark.parametrize("noun", [RunResult, StoredRequest, Evidence])
def test_every_field_of_what_a_host_gives_is_on_the_page_about_python(noun: type) -> None:
    table = re.search(rf"\| field of an? `{noun.__name__}` .*?\n\n", DOCS["docs/python.md"], re.S)
    assert table
    assert [name for name in noun.__slots__ if f"`{name}`" not in table.group()] == []


def test_the_errors_that_nouns_raise_are_the_documented_ones() -> None:
    page = DOCS["docs/errors.md"].partition("## Mistakes in code")[2].partition("\n## ")[0]
    raising = {
        node.name
        for module in modules()
        if module.name.startswith("callsheet.model.")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef) and any(map(raises_value_error, ast.walk(node)))
    }
    assert raising and [name for name in sorted(raising) if f"| `{name}` | `ValueError`" not in page] == []


def raises_value_error(node: ast.AST) -> bool:
    """Whether a node of a syntax tree is `raise ValueError(…)`."""
    call = node.exc if isinstance(node, ast.Raise) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "ValueError"


@pytest.mark.parametrize("name", error_classes())
def test_every_error_is_documented(name: str) -> None:
    assert f"`{name}`" in DOCS["docs/errors.md"]


def rules_of(page: str, heading: str) -> set[str]:
    """The rules that have a line of their own in a table below a heading."""
    section = DOCS[page].partition(f"## {heading}")[2].partition("\n## ")[0]
    return set(re.findall(r"^\| `([a-z-]+)` \|", section, re.M))


def test_the_page_of_rules_has_exactly_the_rules_a_verdict_may_name() -> None:
    assert rules_of("docs/rules.md", "Verdicts") == set(RULES)


def test_the_page_of_rules_has_exactly_the_rules_a_finding_may_name() -> None:
    assert rules_of("docs/rules.md", "Findings") == set(LINT_RULES)


def test_every_grant_of_the_engine_is_documented() -> None:
    assert rules_of("docs/project-folder.md", "Grants that the engine knows") == {
        grant for name, grant in vars(grants).items() if name.isupper()
    }


def test_every_rule_about_notices_is_documented() -> None:
    assert rules_of("docs/rules.md", "Notices") == set(NOTICE_RULES)


def test_every_rule_about_skills_is_documented_with_what_follows_from_it() -> None:
    page = DOCS["docs/rules.md"]
    assert rules_of("docs/rules.md", "Skills") == set(SCAN_RULES)
    told = [f"| `{rule}` | {outcome} | {meaning} |" for rule, (outcome, meaning) in SCAN_RULES.items()]
    assert [line for line in told if line not in page] == []


def test_the_page_of_policies_says_of_each_exactly_what_the_table_says() -> None:
    told = [
        f"| `{name}` | {each.sends} | {each.keeps} | {each.loses} | {each.bound_thinking} | {each.cost} |"
        for name, each in OFFERED.items()
    ]
    assert [line for line in DOCS["docs/history.md"].splitlines() if line.startswith("| `") and "|" in line[3:]][
        : len(told)
    ] == told
    assert [name for name in OFFERED if f"`{name}`" not in DOCS["docs/project-folder.md"]] == []


def test_the_page_of_policies_has_the_sections_of_every_phase() -> None:
    rows = [f"| `{phase}` | {', '.join(sections)} |" for phase, sections in SECTIONS.items()]
    assert [row for row in rows if row not in DOCS["docs/history.md"]] == []


def test_the_worked_example_of_a_long_conversation_prints_what_the_page_says(
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = DOCS["docs/history.md"].partition("## Round after round")[2]
    code, printed = page.split("```python\n")[1].split("```")[0], page.split("```text\n")[1].split("```")[0]
    exec(compile(code, "docs/history.md", "exec"), {})
    assert capsys.readouterr().out == printed


def test_every_key_of_a_step_is_on_the_page_about_the_project_folder() -> None:
    page = DOCS["docs/project-folder.md"].partition("### [history]")[2].partition("\n## ")[0]
    keys = [key for kind in STEPS.values() for key in kind.__slots__]
    assert [key for key in (*HistoryTable.__slots__, *keys) if f"`{key}`" not in page and f".{key}]`" not in page] == []
