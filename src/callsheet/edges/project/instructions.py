"""Instruction sections: labelled, versioned Markdown files, rendered once and byte-stable (B1)."""

import re
from dataclasses import dataclass
from pathlib import Path

from ...model.policy import Section
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
class WrittenSection:
    """A section and where it is written; `first_line` is where its body starts in the file, which findings need."""

    section: Section
    file: str
    first_line: int


def read_instructions(folder: Path) -> tuple[WrittenSection, ...]:
    """Every section of `instructions/*.md` in prefix order: `order`, then label, then id."""
    sections: dict[str, WrittenSection] = {}
    for path in sorted((folder / "instructions").glob("*.md")):
        written = read_section(folder, path)
        section_id = written.section.section_id
        if section_id in sections:
            source = read_source(folder, path)
            why = f"the id {section_id!r} is also that of {sections[section_id].file}"
            raise source.problem(("id",), "duplicate-id", why, "give one of them another id")
        sections[section_id] = written
    return tuple(sorted(sections.values(), key=lambda each: _place(each.section)))


def _place(section: Section) -> tuple[int, str, str]:
    return section.order, section.label, section.section_id


def read_section(folder: Path, path: Path) -> WrittenSection:
    """One instruction file as a section; a file without a version is a Problem."""
    source = read_source(folder, path)
    data, body, first_line = front_matter(source)
    if data.get("version") is None:
        fix = "add `version: v1` between `---` lines at its top, and raise it with each change"
        raise source.problem(1, "instruction-without-version", "the instruction has no version", fix)
    written = {**data, "section": data.get("section", path.stem)}
    if re.fullmatch(r"-?\d{1,9}", str(data.get("order", ""))):
        written["order"] = int(data["order"])
    matter = validated(_FrontMatter, written, source)
    if not _LABEL.fullmatch(matter.section):
        fix = "use lower-case letters, digits and hyphens, for example tool-guidance"
        raise source.problem(("section",), "invalid-value", f"section {matter.section!r} cannot be a label", fix)
    known = LABELS.index(matter.section) if matter.section in LABELS else len(LABELS)
    section = Section(
        section_id=f"instruction/{matter.id or path.stem}",
        label=matter.section,
        version=_quotable(matter.version, source),
        text=body.strip(),
        order=known if matter.order is None else matter.order,
    )
    return WrittenSection(section, source.file, first_line)


def _quotable(version: str, source: Source) -> str:
    if re.search(r"""["<>&\s]""", version):
        fix = "use letters, digits, dots and hyphens"
        raise source.problem(("version",), "invalid-value", f"version {version!r} cannot stand in a tag", fix)
    return version
