"""A whole project folder read into nouns, and what must hold between its files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...core import artifacts, code, paging
from ...core.gateway.names import SEPARATOR
from ...core.memory_files.commands import CONTRACT, NAME
from ...core.restart import tools as restart
from ...core.skills import tools as skills
from ...core.sources.preloaded import objection
from ...core.tools import finding
from ...model.evidence import Document
from ...model.policy import DecisionKind, Example
from ...model.skill import Skill
from ...model.tool import ToolContract
from .examples import WrittenExample, read_examples
from .instructions import WrittenSection, read_instructions
from .knowledge import WrittenDocument, duplicate_problems, read_knowledge
from .problem import Problem
from .settings import FILE, Settings, read_settings
from .text import Source, read_source
from .tool import FunctionTools
from .tools_file import ToolsFile, read_tools
from .validate import nearest
from .values import DatedValue, FileValues, read_values


@dataclass(frozen=True, slots=True)
class ProjectFolder:
    """Everything a project folder holds, each part in a stable order.

    The host reads `skills`, the approved ones, and `served`, the tools that servers offer it.
    """

    settings: Settings
    sections: tuple[WrittenSection, ...]
    written_examples: tuple[WrittenExample, ...]
    written_documents: tuple[WrittenDocument, ...]
    dated_values: tuple[DatedValue, ...]
    tools_file: ToolsFile
    served: tuple[ToolContract, ...] = ()
    skills: tuple[Skill, ...] = ()

    @property
    def examples(self) -> tuple[Example, ...]:
        """The examples, by id."""
        return tuple(written.example for written in self.written_examples)

    @property
    def documents(self) -> tuple[Document, ...]:
        """The knowledge documents, in path order."""
        return tuple(written.document for written in self.written_documents)

    def values(self) -> FileValues:
        """The values port over `values/*.toml`."""
        return FileValues(self.dated_values)

    @property
    def offers_memory(self) -> bool:
        """Whether a decision kind allows the engine's own tool `memory`, and `tools.py` has none of that name."""
        allowed = any(NAME in kind.allowlist for kind in self.settings.decisions.values())
        return allowed and NAME not in self.tools_file.contracts

    def contracts(self) -> tuple[ToolContract, ...]:
        """The contract of every tool that the project offers, in name order; the engine's own is among them."""
        memory = {NAME: CONTRACT} if self.offers_memory else {}
        served = {each.name: each for each in self.served}
        own = {**served, **self.tools_file.contracts, **memory, **self.own_contracts}
        return tuple(own[name] for name in sorted(own))

    @property
    def own_contracts(self) -> dict[str, ToolContract]:
        """Those of the engine's tools of paging and of the restart point that a kind allows and `tools.py` has not."""
        allowed = {name for kind in self.settings.decisions.values() for name in kind.allowlist}
        own = engine_tools(self.settings)
        return {each: own[each] for each in sorted(allowed & own.keys() - self.tools_file.contracts.keys())}

    def tools(self) -> FunctionTools:
        """The tools port over `tools.py`."""
        return FunctionTools(self.tools_file.functions)


def read_project(folder: Path) -> ProjectFolder:
    """The project folder; a Problem (a ProjectError) names the first file, line and rule that it breaks."""
    settings = read_settings(folder)
    project = ProjectFolder(
        settings=settings,
        sections=read_instructions(folder),
        written_examples=read_examples(folder),
        written_documents=read_knowledge(folder, settings.ingest.rules),
        dated_values=read_values(folder),
        tools_file=read_tools(folder),
    )
    for repeated in duplicate_problems(project.written_documents):
        raise repeated
    unknown = (decision_problem(project.settings, written) for written in project.written_examples)
    allowed = allowlist_problems(folder, project.settings, project.tools_file)
    for problem in (*allowed, *unknown, *preload_problems(folder, project)):
        if problem is not None:
            raise problem
    return project


def engine_tools(settings: Settings) -> dict[str, ToolContract]:
    """The engine's own tools: of the restart point, of skills, of code, and of paging where the project asks for it."""
    isolation = settings.sandbox.isolation
    own = {**restart.CONTRACTS, **skills.contracts(isolation), code.RUN_CODE: code.contract(isolation)}
    own |= {artifacts.READ_ARTIFACT: artifacts.CONTRACT, finding.FIND_TOOLS: finding.CONTRACT}
    return {**own, **(paging.CONTRACTS if settings.memory.paging else {})}


def allowlist_problems(folder: Path, settings: Settings, tools: ToolsFile) -> Iterator[Problem]:
    """One problem for each allowlisted tool that has no contract or does not exist."""
    source = read_source(folder, folder / FILE)
    for name, kind in settings.decisions.items():
        yield from pattern_problems(source, kind, "in_code", kind.in_code, tools)
        yield from pattern_problems(source, kind, "findable", kind.findable, tools)
        path = ("decision", name, "allowlist")
        for tool in kind.allowlist:
            if tool in tools.without_contract:
                why = f"decision.{name} allows {tool!r}, a tool without contract"
                fix = "put @tool(effects=...) on it in tools.py, or take it off the allowlist"
                yield source.problem(path, "tool-without-contract", why, fix)
            elif tool in paging.CONTRACTS and tool not in tools.contracts and not settings.memory.paging:
                why = f"decision.{name} allows {tool!r}, and this project asks for no paging"
                yield source.problem(path, "unknown-tool", why, "write paging = true into [memory]")
            elif tool.partition(SEPARATOR)[0] in (*settings.openapi, *settings.mcp.servers):
                continue  # whether its server offers it is seen when the project is opened
            elif tool not in (*tools.contracts, NAME, *engine_tools(settings)):
                why = f"decision.{name} allows {tool!r}, which tools.py does not have"
                yield source.problem(path, "unknown-tool", why, nearest(tool, sorted(tools.contracts), "tools"))


PATTERNS = {"in_code": (code.RUN_CODE, "what code may call"), "findable": (finding.FIND_TOOLS, "what may be found")}
"""The lists of a decision kind that hold patterns of names: the tool that uses each, and what the list says."""


def pattern_problems(
    source: Source, kind: DecisionKind, key: str, patterns: Sequence[str], tools: ToolsFile
) -> Iterator[Problem]:
    """One problem for each name of such a list that fits no tool, and one where the kind has not the tool for it."""
    path, (tool, says) = ("decision", kind.name, key), PATTERNS[key]
    if patterns and tool not in kind.allowlist:
        why = f"decision.{kind.name} says {says}, and allows no {tool}"
        yield source.problem(path, "unknown-tool", why, f"put {tool} on its allowlist")
    for each in patterns:
        if "*" not in each and SEPARATOR not in each and each not in tools.contracts:
            why = f"{key} of decision.{kind.name} names {each!r}, which tools.py does not have"
            yield source.problem(path, "unknown-tool", why, nearest(each, sorted(tools.contracts), "tools"))


def preload_problems(folder: Path, project: ProjectFolder) -> Iterator[Problem]:
    """One problem for each document that is to be preloaded and must not be."""
    source = read_source(folder, folder / FILE)
    for name in project.settings.knowledge.preload:
        if why := objection(project.documents, name):
            fix = "take it off the list; a search finds it where it may be found"
            yield source.problem(("knowledge", "preload"), "preload", f"{name!r} is not preloaded: {why}", fix)


def decision_problem(settings: Settings, written: WrittenExample) -> Problem | None:
    """The problem of an example whose decision kind is not described."""
    if written.example.decision in settings.decisions:
        return None
    why = f"example {written.example.example_id!r} names no decision kind: {written.example.decision!r}"
    fix = nearest(written.example.decision, list(settings.decisions), "decision kinds")
    return written.source.problem(written.line, "unknown-decision", why, fix)
