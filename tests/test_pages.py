"""What the pages show can be done: their commands parse, their Python resolves, their links and files are there."""

import ast
import importlib.util
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from callsheet.cli import callsheet
from callsheet.edges.project.templates import write_template

from .source import PACKAGE, ROOT

PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in [
        *sorted(ROOT.glob("*.md")),
        *sorted((ROOT / "docs").rglob("*.md")),
        *sorted((ROOT / "bench").glob("*.md")),
    ]
}
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.M | re.S)
SHELL = {"sh", "shell", "console", "bash"}
TYPED = re.compile(r"^\s*\$?\s*(?:.*&&\s*)?(?:\w+=\S+\s+)*(?:\.venv/bin/)?callsheet\s([^#|\n]*)", re.M)
"""A command line as typed: behind a prompt, another command or settings of the environment, too."""
NAMED = re.compile(r"`(?:\.venv/bin/)?callsheet\s([^`\n]*)`")
OPTION = re.compile(r"(?<![\w-])--?[a-zA-Z][\w-]*")
FILE = re.compile(r"`([\w./-]*[\w-]/[\w.-]*|[\w/-]+\.(?:py|md|toml|yaml|sh))`")
BASES = (
    ROOT,
    PACKAGE,
    PACKAGE / "edges" / "transcripts",
    ROOT / "bench",
    ROOT / "docs",
    PACKAGE / "templates" / "support",
)
"""Where a file that a page names may lie: the code's are named from the package on, a project's from its folder."""
ELSEWHERE = {"bench/DATA.md"}
"""Pages that name files of other repositories."""
BY_ITS_USER = {"models.toml"}
"""Files of a project that no template has."""
ON_ITS_OWN = ("README.md", "docs/python.md", "docs/history.md")
A_MODEL = re.compile(r'open_host\("support"\) as|api_key')
"""What a block needs that calls a real model."""


def blocks(text: str, languages: set[str]) -> Iterator[str]:
    """The code blocks of a page in these languages."""
    yield from (code for language, code in BLOCK.findall(text) if language in languages)


def typed() -> list[tuple[str, str]]:
    """Each command line that a page shows as typed."""
    return [
        (page, line.strip())
        for page, text in PAGES.items()
        for code in blocks(text, SHELL)
        for line in TYPED.findall(code)
    ]


def resolved(arguments: list[str]) -> tuple[click.Command, list[str]]:
    """The command that these words name, and the words that are left."""
    command: click.Command = callsheet
    ctx = click.Context(callsheet)
    rest = list(arguments)
    while isinstance(command, click.Group):
        while rest and rest[0].startswith("-"):
            rest = rest[2 if rest[0] in ("-C", "--session", "--data") else 1 :]
        found = command.get_command(ctx, rest[0]) if rest else None
        if found is None:
            break
        command, ctx, rest = found, click.Context(found), rest[1:]
    return command, rest


@pytest.mark.parametrize(("page", "line"), typed())
def test_a_command_line_of_a_page_parses(page: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("support/evals", "docs"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    parse(shlex.split(line))


def parse(arguments: list[str]) -> None:
    """Parses a whole command line without running it; click.UsageError where it does not parse."""
    ctx = callsheet.make_context("callsheet", arguments)
    rest = [*ctx._protected_args, *ctx.args]
    command: click.Command = callsheet
    while isinstance(command, click.Group) and rest:
        name, found, rest = command.resolve_command(ctx, rest)
        assert found is not None and name is not None
        ctx = found.make_context(name, rest, parent=ctx)
        command, rest = found, [*ctx._protected_args, *ctx.args]


def test_a_command_that_a_page_speaks_of_exists_and_has_each_option_named_with_it() -> None:
    wrong = []
    for page, text in PAGES.items():
        for line in NAMED.findall(text):
            words = line.split()
            if not words[0].startswith("-") and not words[0].isidentifier():
                continue  # `callsheet …`
            command, rest = resolved(words)
            known = {option for each in (callsheet, command) for parameter in each.params for option in parameter.opts}
            unknown = [option for option in OPTION.findall(line) if option not in {*known, "--help"}]
            if unknown or (command is callsheet and rest) or (isinstance(command, click.Group) and rest):
                wrong.append(f"{page}: callsheet {line}")
    assert wrong == []


@pytest.mark.parametrize("page", [page for page, text in PAGES.items() if list(blocks(text, {"python"}))])
def test_the_python_of_a_page_compiles_and_finds_what_it_imports(page: str) -> None:
    for code in blocks(PAGES[page], {"python"}):
        tree = ast.parse(code)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("callsheet"):
                for name in node.names:
                    assert has(node.module or "", name.name), f"{page}: from {node.module} import {name.name}"


def runnable() -> list[tuple[str, str]]:
    """Each block of Python that needs no more than a project, a transcript, and what callsheet.testing has."""
    found = [(page, code) for page in ON_ITS_OWN for code in blocks(PAGES[page], {"python"})]
    return [(page, code) for page, code in found if not A_MODEL.search(code)]


@pytest.mark.parametrize(("page", "code"), runnable())
def test_the_python_of_a_page_runs_as_it_stands(
    page: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_template("support", tmp_path / "support")
    (tmp_path / "session.jsonl").write_text('{"messages": [{"role": "user", "content": "Mend the login."}]}\n')
    monkeypatch.chdir(tmp_path)
    exec(compile(code, page, "exec"), {})


def has(module: str, name: str) -> bool:
    """Whether a module has a name, or a module of that name in it."""
    return hasattr(importlib.import_module(module), name) or importlib.util.find_spec(f"{module}.{name}") is not None


def slug(heading: str) -> str:
    """The anchor of a heading, as the usual hosts of such pages make it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def test_every_link_leads_to_a_file_and_every_anchor_to_a_heading() -> None:
    broken = []
    for page, text in PAGES.items():
        for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)", text):
            file = (ROOT / page).parent / target if target else ROOT / page
            headings = (
                [slug(each) for each in re.findall(r"^#+ (.*)$", file.read_text("utf-8"), re.M)]
                if file.is_file()
                else []
            )
            if not file.exists() or (anchor and anchor not in headings):
                broken.append(f"{page} -> {target}#{anchor}")
    assert broken == []


def test_every_file_that_a_page_names_is_there() -> None:
    gone = []
    for page, text in PAGES.items():
        named = set() if page in ELSEWHERE else set(FILE.findall(BLOCK.sub("", text))) - BY_ITS_USER
        named = {name for name in named if not name.startswith("/memories")}  # a model's own, below no folder of ours
        gone += [f"{page}: {name}" for name in named if not any((base / name).exists() for base in BASES)]
    assert gone == []


def test_every_page_of_the_documentation_can_be_reached_from_the_readme() -> None:
    seen, ahead = set(), ["README.md"]
    while ahead:
        page = ahead.pop()
        if page in seen or page not in PAGES:
            continue
        seen.add(page)
        for target in re.findall(r"\]\(([^)#:\s]+\.md)", PAGES[page]):
            ahead.append(((ROOT / page).parent / target).resolve().relative_to(ROOT.resolve()).as_posix())
    assert sorted(page for page in PAGES if page.startswith("docs/") and page not in seen) == []
