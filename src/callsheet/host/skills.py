"""Skills of a project: found, scanned, compared with the lock file, approved. A run uses the approved ones alone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from ..core.skills.changes import changes
from ..core.skills.form import differs
from ..core.skills.scan import scan, scan_all
from ..edges.skills.installing import install
from ..edges.skills.lock import keep_texts, kept_text, read_lock, write_lock
from ..edges.skills.reading import find_skills, read_skill
from ..edges.skills.strict_yaml import load
from ..errors import UnknownName, UsageError
from ..model.skill import ScannedSkill, Skill, SkillApproval, SkillsPolicy, SkillStanding

TEXTS = "skills"
"""The folder in the data folder where approved texts are kept."""


@dataclass(frozen=True, slots=True)
class ListedSkill:
    """A skill of the project: where it stands, and what changed in it since a person approved it."""

    name: str
    path: str
    standing: SkillStanding
    scanned: ScannedSkill
    approved: SkillApproval | None = None
    changed: tuple[tuple[str, str], ...] = ()


def scanned(roots: Iterable[Path]) -> tuple[ScannedSkill, ...]:
    """Every skill at or below these folders, judged as one that nobody has approved; a folder without one is none."""
    return scan_all([scan(read_skill(each), load) for root in roots for each in find_skills(root) or (root,)])


@dataclass(frozen=True, slots=True)
class SkillDesk:
    """The skills below a project folder; `data` is where the texts that were approved are kept."""

    project: Path
    data: Path
    policy: SkillsPolicy

    def listed(self) -> tuple[ListedSkill, ...]:
        """Every skill of the project's roots. ProjectError for a broken lock file."""
        lock = read_lock(self.project)
        roots = [self.project / each for each in self.policy.roots]
        paths = [path for root in roots if root.is_dir() for path in find_skills(root)]
        own = [path.relative_to(self.project).as_posix() for path in paths]
        found = [self._scanned(path, name, lock) for path, name in zip(paths, own, strict=True)]
        return tuple(self._listed(each, name, lock.get(name)) for each, name in zip(scan_all(found), own, strict=True))

    def _scanned(self, path: Path, name: str, lock: dict[str, SkillApproval]) -> ScannedSkill:
        approval = lock.get(name)
        read = scan(read_skill(path, name), load, approval.files if approval is not None else None)
        if read.skill is None:
            return read
        return replace(read, skill=replace(read.skill, scope=self.policy.scopes.get(read.skill.name), place=name))

    def _listed(self, each: ScannedSkill, path: str, approval: SkillApproval | None) -> ListedSkill:
        name = each.skill.name if each.skill is not None else each.folder.directory
        changed: tuple[tuple[str, str], ...] = ()
        if each.outcome == "refuse" or any(found.rule == "name-collision" for found in each.findings):
            standing: SkillStanding = "refused"
        elif approval is None:
            standing = "new"
        elif dict(approval.files) == each.folder.hashes:
            standing = "approved"
        else:
            standing = "held"
            kept = partial(kept_text, self.data / TEXTS)
            changed = tuple(changes(each.folder, approval.files, kept))
        return ListedSkill(name, path, standing, each, approval, changed)

    def approved(self) -> tuple[Skill, ...]:
        """The skills that a run may use, each with its files as they were approved, by name."""
        ready = (each.scanned.skill for each in self.listed() if each.standing == "approved")
        return tuple(sorted((each for each in ready if each is not None), key=lambda each: each.name))

    def approve(self, names: Sequence[str], by: str, now: datetime) -> tuple[ListedSkill, ...]:
        """The skills of these names as they stand after a person approved them as they lie there now.

        UnknownName where the project has none of a name; UsageError for one that the scan refuses.
        """
        known, lock = {each.name: each for each in self.listed()}, read_lock(self.project)
        for name in names:
            each = known.get(name)
            if each is None:
                raise UnknownName(f"there is no skill {name!r}; `callsheet skills list` names those of the project")
            if each.standing == "refused":
                why = "; ".join(f"{found.rule}: {found.why}" for found in each.scanned.findings)
                raise UsageError(f"the skill {name!r} is refused and cannot be approved: {why}; mend it")
            despite = tuple(dict.fromkeys(found.rule for found in each.scanned.findings if found.outcome == "hold"))
            despite = tuple(rule for rule in despite if rule != "changed-since-approval")
            lock[each.path] = SkillApproval(each.scanned.folder.hashes, by, now.isoformat(timespec="seconds"), despite)
            keep_texts(self.data / TEXTS, each.scanned.folder.files)
        write_lock(self.project, lock)
        return tuple(each for each in self.listed() if each.name in names)

    def install(self, source: Path, held: bool = False) -> tuple[ScannedSkill, Path | None]:
        """A skill scanned, and its new folder in the first root; None where the scan says no.

        `held` copies one that is held as well, for a person to look at: it is not used before it is approved.
        """
        folders = find_skills(source)
        if len(folders) != 1:
            raise UsageError(f"{source} holds {len(folders)} skills; name the folder of one")
        each = scan(read_skill(folders[0]), load)
        names = {one.name for one in self.listed()}
        if each.skill is not None and any(not differs(each.skill.name, name) for name in names):
            raise UsageError(f"the project has a skill {each.skill.name!r} already; remove it first")
        if each.outcome == "refuse" or (each.outcome == "hold" and not held):
            return each, None
        root = self.project / self.policy.roots[0]
        root.mkdir(parents=True, exist_ok=True)
        return each, install(each.folder, folders[0], root)
