"""Copying a skill into a project, as it was scanned: no link, no file that came since."""

import shutil
from pathlib import Path

from ...errors import UsageError
from ...model.skill import SkillFolder


def install(folder: SkillFolder, source: Path, root: Path) -> Path:
    """The new folder of a skill below `root`. UsageError where one of the name is there already: none is replaced."""
    target = root / folder.directory
    if target.exists() or target.is_symlink():
        raise UsageError(f"{target} is there already; remove it first, or approve what has changed in it")
    new = root / f".{folder.directory}.new"
    shutil.rmtree(new, ignore_errors=True)
    for each in folder.files:
        if each.link is None:
            (new / each.path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / each.path, new / each.path, follow_symlinks=False)
    new.rename(target)
    return target
