"""The lock file: the hashes of every file of every skill that a person approved, and the texts they saw (I1)."""

import json
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ...errors import ProjectError
from ...model.skill import SkillApproval, SkillFile

FILE = "skills.lock"
VERSION = 1


@cache
def _approvals() -> TypeAdapter[dict[str, SkillApproval]]:
    return TypeAdapter(dict[str, SkillApproval])


def read_lock(project: Path) -> dict[str, SkillApproval]:
    """What is approved, by the path of a skill's folder below the project; nothing where there is no lock file.

    ProjectError where it is broken: what nobody can read approves nothing, and is not overwritten.
    """
    path = project / FILE
    if not path.exists():
        return {}
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(data, Mapping) or data.get("version") != VERSION:
            raise ValueError(f"it is no lock file of version {VERSION}")
        return _approvals().validate_python(data.get("skills"))
    except (OSError, ValueError, ValidationError, RecursionError) as error:
        why = " ".join(str(error).split())
        raise ProjectError(
            f"{path} cannot be read, so no skill is used: {why[:200]}; take it from version control, or remove it and "
            "approve the skills anew"
        ) from None


def write_lock(project: Path, approvals: Mapping[str, SkillApproval]) -> Path:
    """Writes what is approved, whole or not at all; the path of the file."""
    path, new = project / FILE, project / f"{FILE}.new"
    listed = {"version": VERSION, "skills": _approvals().dump_python(dict(sorted(approvals.items())), mode="json")}
    new.write_text(json.dumps(listed, ensure_ascii=False, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    os.replace(new, path)
    return path


def keep_texts(folder: Path, files: tuple[SkillFile, ...]) -> None:
    """Keeps the texts that were approved, each under its hash, so that a later change can be shown."""
    folder.mkdir(parents=True, exist_ok=True)
    for each in files:
        if each.text is not None:
            (folder / each.sha256).write_text(each.text, encoding="utf-8", newline="")


def kept_text(folder: Path, digest: str) -> str | None:
    """The text that was approved under a hash; None where it was not kept on this machine."""
    path = folder / digest
    return path.read_bytes().decode() if digest.isalnum() and path.is_file() else None
