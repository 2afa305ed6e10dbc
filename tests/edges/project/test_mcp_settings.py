"""[mcp] of a project: what no server could be is said when the project is read."""

from pathlib import Path

import pytest

from callsheet.edges.project.problem import Problem
from callsheet.edges.project.settings import read_settings

from ...walks.stage import project

SERVER = '\n[mcp.servers.crm]\ncommand = "crm"\n'


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ('scope = "sales"\n[mcp.servers.crm.tools.add]\nscope = "admin"\n', "the server has a scope"),
        ('url = "https://crm.example/mcp"\n', "names both of command and url"),
        ('token_env = "TOKEN"\n', "means nothing to a server that is started"),
        ("timeout = 0\n", "lies outside"),
    ],
)
def test_what_no_server_could_be_is_said(more: str, why: str, tmp_path: Path) -> None:
    file = project(tmp_path) / "callsheet.toml"
    file.write_text(file.read_text(encoding="utf-8") + SERVER + more, encoding="utf-8")
    with pytest.raises(Problem, match=why):
        read_settings(file.parent)


def test_a_scope_stands_at_the_server_or_at_its_tools(tmp_path: Path) -> None:
    file = project(tmp_path) / "callsheet.toml"
    text = file.read_text(encoding="utf-8") + SERVER
    file.write_text(f'{text}[mcp.servers.crm.tools.add]\nscope = "admin"\n', encoding="utf-8")
    assert read_settings(file.parent).mcp.servers["crm"].tools["add"].scope == "admin"
