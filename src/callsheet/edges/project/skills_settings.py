"""[skills]: roots that lie in the project folder, and nowhere else (D6)."""

from pathlib import PurePosixPath

from ...model.skill import SkillsPolicy
from .text import Source


def skills_policy(table: SkillsPolicy, source: Source) -> SkillsPolicy:
    """The policy of a table; a Problem names a root that leads out of the project folder, or that there is none."""
    if not table.roots:
        raise source.problem(("skills", "roots"), "invalid-value", "skills.roots is empty", 'write roots = ["skills"]')
    for root in table.roots:
        path = PurePosixPath(root)
        if path.is_absolute() or ".." in path.parts or "\\" in root:
            why = f"skills.roots = {root!r} is no path below the project folder"
            raise source.problem(("skills", "roots"), "invalid-value", why, "copy the skills into the project")
    return table
