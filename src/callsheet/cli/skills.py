"""`skills`: Agent Skills, scanned before anybody installs them, approved by a person, listed."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from ..core.skills.rules import SCAN_RULES
from ..core.text.hidden import shown
from ..edges.project.session import read_session
from ..edges.project.settings import read_settings
from ..host.skills import ListedSkill, SkillDesk, scanned
from ..model.skill import ScannedSkill
from .group import Settings, Suggesting, common
from .output import emit, fail_unless, plain


@click.group(cls=Suggesting, short_help="Scan, install, approve and list Agent Skills.")
@common
def skills() -> None:
    """Agent Skills of the project: a run uses those alone that a person approved, as they were then."""


@skills.command(short_help="Look a skill through before it is installed; exit with 1 where it is refused or held.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH…")
@common
@click.pass_obj
def scan(settings: Settings, paths: tuple[Path, ...]) -> None:
    """Look every skill at or below PATH… through; exit with 1 where one is refused or held. Nothing is run."""
    found = scanned(paths)
    emit(settings, {"skills": [scanned_json(each) for each in found]}, print_scanned)
    fail_unless(all(each.outcome in ("allow", "report") for each in found))


@skills.command(name="list", short_help="List the project's skills, and what changed since they were approved.")
@common
@click.pass_obj
def list_(settings: Settings) -> None:
    """List the project's skills: approved, held because something changed, new, or refused."""
    emit(settings, {"skills": [listed_json(each) for each in _desk(settings).listed()]}, print_listed)


@skills.command(short_help="Copy a skill into the project, where the scan lets it.")
@click.argument("path", type=click.Path(path_type=Path), metavar="PATH")
@click.option("--held", is_flag=True, help="Copy one that is held, too, to look at it; it is not used before approval.")
@common
@click.pass_obj
def install(settings: Settings, path: Path, held: bool) -> None:
    """Scan the skill at PATH and copy it into the project; exit with 1 where it is refused or held. It is used once it
    is approved.
    """
    each, folder = _desk(settings).install(path, held)
    document = {"skills": [scanned_json(each)], "installed": str(folder) if folder is not None else None}
    emit(settings, document, print_scanned)
    fail_unless(folder is not None and each.outcome != "hold")


@skills.command(short_help="Approve skills as they lie in the project now.")
@click.argument("names", nargs=-1, required=True, metavar="NAME…")
@common
@click.pass_obj
def approve(settings: Settings, names: tuple[str, ...]) -> None:
    """Approve the skills NAME… as they lie there now, and write the hash of every file into skills.lock."""
    by = read_session(read_settings(settings.project), settings.session).actor
    approved = _desk(settings).approve(names, by, datetime.now(UTC))
    emit(settings, {"skills": [listed_json(each) for each in approved]}, print_listed)


def _desk(settings: Settings) -> SkillDesk:
    project = read_settings(settings.project)
    return SkillDesk(settings.project, settings.data or project.data_dir, project.skills)


def scanned_json(each: ScannedSkill) -> dict[str, Any]:
    """A scanned skill as it is printed."""
    name = each.skill.name if each.skill is not None else each.folder.directory
    findings = [plain(found) for found in each.findings]
    return {"name": name, "path": each.folder.place, "outcome": each.outcome, "rule": each.rule, "findings": findings}


def listed_json(each: ListedSkill) -> dict[str, Any]:
    """A skill of the project as it is printed."""
    approval = plain(each.approved) if each.approved is not None else None
    changed = [{"path": path, "diff": diff} for path, diff in each.changed]
    return {**scanned_json(each.scanned), "standing": each.standing, "approved": approval, "changed": changed}


def print_scanned(console: Console, document: dict[str, Any]) -> None:
    """Prints a line per skill, and one per finding."""
    for each in document["skills"]:
        console.print(f"{each['path']}: {each['outcome']}", markup=False)
        for found in each["findings"]:
            where = f"{shown(found['path'])}: " if found["path"] else ""
            meaning = SCAN_RULES[found["rule"]][1]
            console.print(f"  {found['outcome']}: {where}{found['why']}; {meaning} [{found['rule']}]", markup=False)
    if document.get("installed"):
        console.print(f"installed {document['installed']}; next: callsheet skills approve NAME", markup=False)


def print_listed(console: Console, document: dict[str, Any]) -> None:
    """Prints a line per skill, with who approved it, and the diff of what changed since."""
    for each in document["skills"]:
        by = f" by {each['approved']['by']} on {each['approved']['at'][:10]}" if each["approved"] else ""
        console.print(f"{each['name']} ({each['path']}): {each['standing']}{by}", markup=False)
        for changed in each["changed"]:
            console.print(f"  {shown(changed['path'])}\n{changed['diff']}", markup=False)
        if each["standing"] != "approved":
            for found in each["findings"]:
                where = shown(found["path"])
                console.print(f"  {found['outcome']}: {where}: {found['why']} [{found['rule']}]", markup=False)
