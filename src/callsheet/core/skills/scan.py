"""A scan of skills before anybody installs them: every finding, each with what follows from it (D6, I1)."""

from collections.abc import Iterable, Mapping, Sequence

from ...model.skill import ScannedSkill, Skill, SkillFinding, SkillFolder
from ..text.likeness import likeness, telling_words
from .form import Load, Written, objections, parsed, skill_of
from .rules import RULES_OF_A_SKILL, found, outside, sizes

ALIKE = 0.8
"""The share of telling words from which on nobody could choose between two descriptions."""

Approved = Mapping[str, str]
"""The hashes of a skill's files as they were approved, by path."""


def scan(folder: SkillFolder, load: Load, approved: Approved | None = None, scope: str | None = None) -> ScannedSkill:
    """One skill with its findings; `approved` are its hashes in the lock file, None where it is in none.

    What has been approved as it is is not held again: a person has seen what was found.
    """
    if too_large := tuple(sizes(folder)):
        return ScannedSkill(folder, too_large)
    main = folder.main
    if main is None or main.text is None:
        why = "there is no SKILL.md" if main is None else "SKILL.md is no UTF-8 text of its own"
        return ScannedSkill(folder, (*outside(folder, Written({}, "")), found("skill-format", why, "SKILL.md")))
    written = parsed(main.text, load)
    broken = tuple(_broken(objections(main.text, folder.directory, load), main.path))
    if isinstance(written, str):
        return ScannedSkill(folder, broken)
    findings = [*broken, *(each for rule in RULES_OF_A_SKILL for each in rule(folder, written))]
    if approved is not None:
        findings += _changed(folder, approved)
        if dict(approved) == folder.hashes:
            findings = [each for each in findings if each.outcome != "hold"]
    return ScannedSkill(folder, tuple(findings), skill_of(written, folder.files, scope))


def scan_all(scanned: Sequence[ScannedSkill]) -> tuple[ScannedSkill, ...]:
    """The skills of all roots, in their order, with what can only be seen of several: the first of a name wins."""
    owners: dict[str, ScannedSkill] = {}
    words = [telling_words(each.skill.description) if each.skill is not None else frozenset() for each in scanned]
    checked: list[ScannedSkill] = []
    for at, each in enumerate(scanned):
        findings = list(each.findings)
        if each.skill is not None:
            first = owners.setdefault(each.skill.name, each)
            if first is not each:
                why = f"{first.folder.place} comes first, and is the skill {each.skill.name!r}"
                findings.append(found("name-collision", why, "SKILL.md"))
            findings += _alike(each.skill, words[at], scanned[:at], words)
        checked.append(ScannedSkill(each.folder, tuple(findings), each.skill))
    return tuple(checked)


def _broken(said: Iterable[str], path: str) -> Iterable[SkillFinding]:
    for each in said:
        rule = "name-differs-from-directory" if each.startswith("Directory name ") else "skill-format"
        yield found(rule, each, path)


def _changed(folder: SkillFolder, approved: Approved) -> Iterable[SkillFinding]:
    now = folder.hashes
    for path in sorted(now.keys() | approved.keys()):
        if now.get(path) != approved.get(path):
            what = "is new" if path not in approved else "is gone" if path not in now else "is another"
            yield found("changed-since-approval", f"the file {what}", path)


def _alike(
    skill: Skill, own: frozenset[str], before: Sequence[ScannedSkill], words: Sequence[frozenset[str]]
) -> Iterable[SkillFinding]:
    for other, theirs in zip(before, words, strict=False):
        if other.skill is not None and other.skill.name != skill.name and likeness(own, theirs) >= ALIKE:
            why = f"its description says what that of {other.skill.name!r} says; merge them, or say the difference"
            yield found("near-identical-description", why, "SKILL.md")
