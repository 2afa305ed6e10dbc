"""The tools of a project as one port: functions of `tools.py`, operations of HTTP APIs, tools of foreign servers."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import Any

from ...core.gateway.names import SEPARATOR
from ...core.tools.openapi import operations_of
from ...edges.project.folder import ProjectFolder
from ...edges.project.openapi_settings import ApiSettings
from ...edges.project.validate import nearest
from ...errors import UsageError
from ...model.operation import Operation
from ...model.request import RequestContext
from ...model.tool import RawResult, ToolCall, ToolContract
from ...ports import Tools
from .served import ServedTools, approved_contracts

OPENAPI = "callsheet.edges.openapi"
"""Loaded where a project names an API: most name none, and the parser takes its time."""


@dataclass(frozen=True)
class ManyTools:
    """Several sources of tools as one; names are told apart by the id of their server."""

    sources: tuple[Tools, ...]

    @cached_property
    def _by_name(self) -> Mapping[str, Tools]:
        return {contract.name: source for source in self.sources for contract in source.contracts()}

    def contracts(self) -> tuple[ToolContract, ...]:
        """Every tool's contract, in name order."""
        every = (contract for source in self.sources for contract in source.contracts())
        return tuple(sorted(every, key=lambda each: each.name))

    def execute(self, call: ToolCall, ctx: RequestContext) -> RawResult:
        """What the call gave, of the source that has the tool."""
        source = self._by_name.get(call.tool)
        return source.execute(call, ctx) if source else RawResult(failure="error", detail=f"no tool {call.tool!r}")


def with_served(folder: ProjectFolder) -> ProjectFolder:
    """The project with the contracts of its APIs' operations and of what is approved of its servers' tools.

    UsageError for an operation that is allowed and not there. A server's tool that is allowed and that nobody approved
    is not offered.
    """
    settings = folder.settings
    if not settings.openapi and not settings.mcp.servers:
        return folder
    served = [each.contract for name in settings.openapi for each in operations(folder, name)]
    served += approved_contracts(settings.mcp, settings.folder)
    known = [each.name for each in served]
    for kind in settings.decisions.values():
        for tool in kind.allowlist:
            if tool.partition(SEPARATOR)[0] in settings.openapi and tool not in known:
                raise UsageError(f"decision.{kind.name} allows {tool!r}, which no API offers; {nearest(tool, known)}")
    return replace(folder, served=(*folder.served, *served))


def operations(folder: ProjectFolder, name: str) -> tuple[Operation, ...]:
    """The operations of one API. UsageError where the document, or what the project says of it, does not hold."""
    api = folder.settings.openapi[name]
    file = folder.settings.folder / api.document
    module: Any = import_module(f"{OPENAPI}.document")
    document = module.read_document(file)
    found = operations_of(document, module.resolver(document, file), name, api.tools, api.operations)
    known = [each.contract.source for each in found.operations]
    for wanted in (*(api.operations or ()), *api.tools):
        if wanted not in known:
            why = found.left_out.get(wanted) or nearest(wanted, known, "operations")
            raise UsageError(f"[openapi.{name}] names {wanted!r}, which cannot be offered: {why}")
    return tuple(_scoped(each, api) for each in found.operations)


def _scoped(operation: Operation, api: ApiSettings) -> Operation:
    scope = operation.contract.scope or api.scope
    return replace(operation, contract=replace(operation.contract, scope=scope))


def sourced(folder: ProjectFolder, keys: Mapping[str, str], closing: ExitStack) -> Tools:
    """The tools port over everything that the project names; a token is read from its variable when it is opened.

    What it opens is closed by `closing`.
    """
    sources = [folder.tools(), *(_api(folder, name, keys) for name in folder.settings.openapi)]
    if folder.settings.mcp.servers:
        served = ServedTools(folder.settings.mcp, folder.settings.folder, keys)
        closing.callback(served.close)
        sources.append(served)
    return ManyTools(tuple(sources)) if len(sources) > 1 else sources[0]


def _api(folder: ProjectFolder, name: str, keys: Mapping[str, str]) -> Tools:
    api = folder.settings.openapi[name]
    token = keys.get(api.token_env) if api.token_env else None
    if api.token_env and token is None:
        raise UsageError(f"[openapi.{name}] token_env names {api.token_env}, which is not set; set it")
    make = import_module(f"{OPENAPI}.calling").ApiTools
    tools: Tools = make(operations(folder, name), api.base_url, api.timeout, token, api.token_header)
    return tools
