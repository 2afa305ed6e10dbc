"""The form of a SKILL.md: what it says, and where it breaks the Agent Skills specification, as `skills-ref` has it.

The objections and their words are those of the reference validator (skills-ref 0.1.1), so that an author who ran one
knows what the other says; only what a YAML reader says of broken YAML differs from reader to reader.
"""

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...model.skill import Skill, SkillFile
from .references import reachable

LONGEST_NAME, LONGEST_DESCRIPTION, LONGEST_COMPATIBILITY = 64, 1024, 500
FIELDS = ("allowed-tools", "compatibility", "description", "license", "metadata", "name")
"""The keys that the specification knows; any other is an objection."""

Load = Callable[[str], Any]
"""A reader of YAML that leaves scalars as they are written, and raises ValueError for what strict YAML has not."""


@dataclass(frozen=True, slots=True)
class Written:
    """What stands in a SKILL.md: the keys of its front matter, and the text below."""

    keys: Mapping[str, Any]
    body: str


def parsed(text: str, load: Load) -> Written | str:
    """The front matter and the body of a SKILL.md, or the objection where it cannot be read.

    The front matter ends at the next `---`, wherever that stands: so the reference reads it.
    """
    if not text.startswith("---"):
        return "SKILL.md must start with YAML frontmatter (---)"
    parts = text.split("---", 2)
    if len(parts) < 3:
        return "SKILL.md frontmatter not properly closed with ---"
    try:
        keys = load(parts[1])
    except ValueError as error:
        return f"Invalid YAML in frontmatter: {error}"
    if not isinstance(keys, Mapping):
        return "SKILL.md frontmatter must be a YAML mapping"
    return Written(keys, parts[2].strip())


def objections(text: str, directory: str, load: Load) -> tuple[str, ...]:
    """What the specification has against a SKILL.md in a folder of this name, in the reference's words and order."""
    written = parsed(text, load)
    if isinstance(written, str):
        return (written,)
    return tuple(_objections(written.keys, directory))


def _objections(keys: Mapping[str, Any], directory: str) -> Iterator[str]:
    if extra := sorted(keys.keys() - set(FIELDS)):
        yield f"Unexpected fields in frontmatter: {', '.join(extra)}. Only {list(FIELDS)} are allowed."
    if "name" in keys:
        yield from _of_name(keys["name"], directory)
    else:
        yield "Missing required field in frontmatter: name"
    if "description" not in keys:
        yield "Missing required field in frontmatter: description"
    elif not _said(keys["description"]):
        yield "Field 'description' must be a non-empty string"
    elif len(keys["description"]) > LONGEST_DESCRIPTION:
        size = len(keys["description"])
        yield f"Description exceeds {LONGEST_DESCRIPTION} character limit ({size} chars)"
    compatibility = keys.get("compatibility", "")
    if not isinstance(compatibility, str):
        yield "Field 'compatibility' must be a string"
    elif len(compatibility) > LONGEST_COMPATIBILITY:
        yield f"Compatibility exceeds {LONGEST_COMPATIBILITY} character limit ({len(compatibility)} chars)"


def _of_name(said: Any, directory: str) -> Iterator[str]:
    if not _said(said):
        yield "Field 'name' must be a non-empty string"
        return
    name = unicodedata.normalize("NFKC", said.strip())
    if len(name) > LONGEST_NAME:
        yield f"Skill name '{name}' exceeds {LONGEST_NAME} character limit ({len(name)} chars)"
    if name != name.lower():
        yield f"Skill name '{name}' must be lowercase"
    if name.startswith("-") or name.endswith("-"):
        yield "Skill name cannot start or end with a hyphen"
    if "--" in name:
        yield "Skill name cannot contain consecutive hyphens"
    if not all(each.isalnum() or each == "-" for each in name):
        yield f"Skill name '{name}' contains invalid characters. Only letters, digits, and hyphens are allowed."
    if differs(name, directory):
        yield f"Directory name '{directory}' must match skill name '{name}'"


def differs(name: str, directory: str) -> bool:
    """Whether a skill's name is another than that of its folder, however their letters are composed."""
    return unicodedata.normalize("NFKC", name.strip()) != unicodedata.normalize("NFKC", directory)


def _said(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def skill_of(written: Written, files: tuple[SkillFile, ...], scope: str | None = None) -> Skill | None:
    """The skill that a front matter and a body describe; None where it says no name or no description."""
    keys = written.keys
    if not _said(keys.get("name")) or not _said(keys.get("description")):
        return None
    metadata = keys.get("metadata")
    skill = Skill(
        name=unicodedata.normalize("NFKC", keys["name"].strip()),
        description=keys["description"].strip(),
        body=written.body,
        license=str(keys.get("license", "")),
        compatibility=str(keys.get("compatibility", "")),
        allowed_tools=str(keys.get("allowed-tools", "")),
        metadata={str(key): str(value) for key, value in metadata.items()} if isinstance(metadata, Mapping) else {},
        files=files,
        scope=scope,
    )
    return replace(skill, pointed=tuple(sorted(reachable(skill))))
