"""Agent Skills: a folder with instructions in `SKILL.md` as it lies on disk, and what is thought of it (D6, I1)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

SKILL_FILES = ("SKILL.md", "skill.md")
"""What the file with the instructions may be called, the usual name first."""

ScanOutcome = Literal["refuse", "hold", "report"]
SkillStanding = Literal["approved", "held", "refused", "new"]


@dataclass(frozen=True, slots=True)
class SkillFile:
    """A file of a skill: its path below the skill's folder with `/`, the SHA-256 of its bytes, their number.

    `text` is None where the file is no UTF-8 text or longer than is read. `link` is where a symbolic link leads.
    """

    path: str
    sha256: str
    size: int
    text: str | None = None
    link: str | None = None


@dataclass(frozen=True, slots=True)
class SkillFolder:
    """A skill as it lies on disk, unjudged; `directory` is its folder's own name, `place` where that lies."""

    directory: str
    place: str
    files: tuple[SkillFile, ...]

    @property
    def main(self) -> SkillFile | None:
        """The file with the instructions."""
        by_path = {each.path: each for each in self.files}
        return next((by_path[name] for name in SKILL_FILES if name in by_path), None)

    @property
    def hashes(self) -> dict[str, str]:
        """What an approval is given for: every path with the hash of its bytes, or with where its link leads."""
        return {each.path: each.sha256 if each.link is None else f"link:{each.link}" for each in self.files}


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill by the Agent Skills specification. `allowed_tools` is what it asks for, and grants nothing.

    `pointed` are the files that the instructions point to, and those that these point to. `scope` is the grant an actor
    needs, and comes from the project, never from the skill. `place` is its folder below the project's.
    """

    name: str
    description: str
    body: str
    license: str = ""
    compatibility: str = ""
    allowed_tools: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    files: tuple[SkillFile, ...] = ()
    pointed: tuple[str, ...] = ()
    scope: str | None = None
    place: str = ""

    @property
    def listed(self) -> "Skill":
        """The skill without the texts of its files: what a policy keeps of it."""
        return replace(self, files=tuple(replace(each, text=None) for each in self.files))


@dataclass(frozen=True, slots=True)
class SkillsPolicy:
    """[skills]: where skills lie, below the project folder, the first root going first, and who needs a grant for one.

    `scopes` is the grant that an actor needs for a skill, by the skill's name.
    """

    roots: tuple[str, ...] = ("skills",)
    scopes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SkillApproval:
    """What a person approved of a skill: the hash of each file by path, who it was, when, and despite which rules."""

    files: Mapping[str, str]
    by: str
    at: str
    despite: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SkillFinding:
    """One thing that a scan found: what follows from it, by which rule, where, and in words to act on."""

    outcome: ScanOutcome
    rule: str
    why: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class ScannedSkill:
    """A skill's folder with all that a scan found in it; `skill` is None where it is none by the specification."""

    folder: SkillFolder
    findings: tuple[SkillFinding, ...]
    skill: Skill | None = None

    @property
    def outcome(self) -> Literal["allow"] | ScanOutcome:
        """What follows from the findings together: refuse before hold before report, allow where there are none."""
        found = {each.outcome for each in self.findings}
        return next((each for each in ("refuse", "hold", "report") if each in found), "allow")

    @property
    def rule(self) -> str:
        """The first rule behind the outcome; empty where nothing was found."""
        return next((each.rule for each in self.findings if each.outcome == self.outcome), "")
