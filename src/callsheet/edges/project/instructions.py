"""Instruction sections: labelled, versioned Markdown files, rendered once and byte-stable (B1)."""

import re
from dataclasses import dataclass
from pathlib import Path

from ...model.item import ContextItem
from .text import Source, front_matter, read_source
from .validate import validated

LABELS = ("role", "policy", "tool-guidance", "output")
"""The order of the well-known labels; other labels follow in name order."""
_LABEL = re.compile(r"[a-z][a-z0-9-]*")


@dataclass(frozen=True, slots=True)
class _FrontMatter:
    version: str
    section: str
    id: str | None = None
    order: int | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """One instruction section; `first_line` is where its body starts in the file, which findings need."""

    section_id: str
    version: str
    label: str
    body: str
    file: str
    first_line: int
    order: int

    @property
    def text(self) -> str:
        """The section as the model reads it, between tags that carry its label and version."""
        return f'<{self.label} version="{self.version}">\n{self.body}\n</{self.label}>'


def read_instructions(folder: Path) -> tuple[Section, ...]:
    """Every section of `instructions/*.md` in prefix order: `order`, then label, then id."""
    sections: dict[str, Section] = {}
    for path in sorted((folder / "instructions").glob("*.md")):
        section = read_section(folder, path)
        if section.section_id in sections:
            other = sections[section.section_id].file
            source = read_source(folder, path)
            why = f"the id {section.section_id!r} is also that of {other}"
            raise source.problem(("id",), "duplicate-id", why, "give one of them another id")
        sections[section.section_id] = section
    return tuple(sorted(sections.values(), key=lambda section: (section.order, section.label, section.section_id)))


def read_section(folder: Path, path: Path) -> Section:
    """One instruction file as a section; a file without a version is a Problem."""
    source = read_source(folder, path)
    data, body, first_line = front_matter(source)
    if data.get("version") is None:
        fix = "add `version: v1` between `---` lines at its top, and raise it with each change"
        raise source.problem(1, "instruction-without-version", "the instruction has no version", fix)
    written = {**data, "version": str(data["version"]), "section": data.get("section", path.stem)}
    matter = validated(_FrontMatter, written, source)
    if not _LABEL.fullmatch(matter.section):
        fix = "use lower-case letters, digits and hyphens, for example tool-guidance"
        raise source.problem(("section",), "invalid-value", f"section {matter.section!r} cannot be a label", fix)
    known = LABELS.index(matter.section) if matter.section in LABELS else len(LABELS)
    return Section(
        section_id=matter.id or path.stem,
        version=_quotable(matter.version, source),
        label=matter.section,
        body=body.strip(),
        file=source.file,
        first_line=first_line,
        order=known if matter.order is None else matter.order,
    )


def _quotable(version: str, source: Source) -> str:
    if re.search(r"""["<>&\s]""", version):
        fix = "use letters, digits, dots and hyphens"
        raise source.problem(("version",), "invalid-value", f"version {version!r} cannot stand in a tag", fix)
    return version


def instruction_item(section: Section) -> ContextItem:
    """The section as a required, trusted item of the stable prefix."""
    return ContextItem(
        item_id=f"instruction/{section.section_id}",
        kind="instruction",
        source=section.file,
        trust="trusted",
        version=section.version,
        text=section.text,
        required=True,
    )
