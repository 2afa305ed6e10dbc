"""A whole project folder read into nouns, and what must hold between its files."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...model.evidence import Document
from ...model.item import ContextItem
from ...model.policy import DecisionKind, Example
from .examples import WrittenExample, read_examples
from .instructions import Section, instruction_item, read_instructions
from .knowledge import WrittenDocument, read_knowledge
from .settings import FILE, Settings, read_settings
from .text import read_source
from .tool import FunctionTools
from .tools_file import ToolsFile, read_tools
from .validate import nearest
from .values import DatedValue, FileValues, read_values


@dataclass(frozen=True, slots=True)
class ProjectFolder:
    """Everything a project folder holds, each part in a stable order."""

    settings: Settings
    sections: tuple[Section, ...]
    written_examples: tuple[WrittenExample, ...]
    written_documents: tuple[WrittenDocument, ...]
    dated_values: tuple[DatedValue, ...]
    tools_file: ToolsFile

    @property
    def instructions(self) -> tuple[ContextItem, ...]:
        """The instruction sections as items, in prefix order."""
        return tuple(map(instruction_item, self.sections))

    @property
    def kind_instructions(self) -> Mapping[str, ContextItem]:
        """What each decision kind says of itself, as an item; a kind without an instruction has none."""
        decisions = self.settings.decisions
        return {name: _kind_item(kind, self) for name, kind in decisions.items() if kind.instruction}

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

    def tools(self) -> FunctionTools:
        """The tools port over `tools.py`."""
        return FunctionTools(self.tools_file.functions)


def _kind_item(kind: DecisionKind, project: ProjectFolder) -> ContextItem:
    return ContextItem(
        item_id=f"instruction/decision/{kind.name}",
        kind="instruction",
        source=f"{FILE}#decision.{kind.name}.instruction",
        trust="trusted",
        version=project.settings.project.policy_version,
        text=kind.instruction,
        required=True,
    )


def read_project(folder: Path) -> ProjectFolder:
    """The project folder; a Problem (a ProjectError) names the first file, line and rule that it breaks."""
    project = ProjectFolder(
        settings=read_settings(folder),
        sections=read_instructions(folder),
        written_examples=read_examples(folder),
        written_documents=read_knowledge(folder),
        dated_values=read_values(folder),
        tools_file=read_tools(folder),
    )
    check_allowlists(folder, project.settings, project.tools_file)
    check_example_decisions(project.settings, project.written_examples)
    return project


def check_allowlists(folder: Path, settings: Settings, tools: ToolsFile) -> None:
    """Raises a Problem where a decision kind allows a tool that has no contract or does not exist."""
    for name, kind in settings.decisions.items():
        for tool in kind.allowlist:
            if tool in tools.contracts:
                continue
            source, path = read_source(folder, folder / FILE), ("decision", name, "allowlist")
            if tool in tools.without_contract:
                why = f"decision.{name} allows {tool!r}, a tool without contract"
                fix = "put @tool(effects=...) on it in tools.py, or take it off the allowlist"
                raise source.problem(path, "tool-without-contract", why, fix)
            why = f"decision.{name} allows {tool!r}, which tools.py does not have"
            raise source.problem(path, "unknown-tool", why, nearest(tool, sorted(tools.contracts), "tools"))


def check_example_decisions(settings: Settings, examples: tuple[WrittenExample, ...]) -> None:
    """Raises a Problem where an example names a decision kind that the settings do not describe."""
    for written in examples:
        if written.example.decision not in settings.decisions:
            why = f"example {written.example.example_id!r} names the decision {written.example.decision!r}"
            fix = nearest(written.example.decision, list(settings.decisions), "decision kinds")
            raise written.source.problem(written.line, "unknown-decision", f"{why}, which is not described", fix)
