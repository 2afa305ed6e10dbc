"""The engine's own tools have names that nobody else's tool may have."""

from dataclasses import replace
from pathlib import Path

from callsheet.core.gateway.names import RESERVED
from callsheet.edges.project.folder import engine_tools
from callsheet.edges.project.settings import read_settings

from ...walks.stage import project


def test_no_server_may_have_a_tool_by_the_name_of_any_of_the_engines_own(tmp_path: Path) -> None:
    settings = read_settings(project(tmp_path))
    with_paging = replace(settings, memory=replace(settings.memory, paging=True))
    assert {*engine_tools(with_paging), "memory", "find_tools"} <= RESERVED
