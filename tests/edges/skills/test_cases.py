"""Skills on disk, each with what a scan has to say of it (`tests/cases`, or CALLSHEET_CASES)."""

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from callsheet.core.skills.rules import SCAN_RULES
from callsheet.core.skills.scan import scan, scan_all
from callsheet.edges.skills.reading import find_skills, read_skill
from callsheet.edges.skills.strict_yaml import load
from callsheet.model.skill import ScannedSkill

FOLDER = Path(os.environ.get("CALLSHEET_CASES") or Path(__file__).parents[2] / "cases")
PATH = FOLDER / "skill_cases.json"
CASES: list[dict[str, Any]] = json.loads(PATH.read_text(encoding="utf-8")) if PATH.is_file() else []
OURS = {
    "symlink": ("path-outside-skill", "link-inside-skill"),
    "symlinks": ("path-outside-skill", "link-inside-skill"),
    "symlink-outside-skill": ("path-outside-skill",),
    "symlink-escape": ("path-outside-skill",),
    "instructions-in-description": ("description-instructs",),
    "hidden-text": ("hidden-characters",),
    "secrets": ("secret-in-skill",),
    "secret": ("secret-in-skill",),
    "script": ("scripts",),
    "near-identical": ("near-identical-description",),
    "hash-mismatch": ("changed-since-approval",),
    "changed": ("changed-since-approval",),
    "invalid-front-matter": ("skill-format",),
    "unknown-field": ("skill-format",),
}
"""What a rule is called in a list, where that is another name than ours."""


def written(case: dict[str, Any], root: Path) -> list[ScannedSkill]:
    """The skills of a case, written and scanned."""
    for name, text in case.get("files", {}).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8", newline="")
    for name, large in case.get("generate", {}).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        text = large["head"] + large["repeat"] * (large["bytes"] // len(large["repeat"].encode()))
        (root / name).write_text(text, encoding="utf-8", newline="")
    for name, target in dict(case.get("symlinks", {})).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(target)
    roots = [root / each for each in case.get("roots", ["."])]
    folders = [each for one in roots for each in find_skills(one) or (one,)]
    return [scan(read_skill(each), load, approved(case, root, each)) for each in folders]


def approved(case: dict[str, Any], root: Path, folder: Path) -> dict[str, str] | None:
    """The hashes of a skill as they had been approved: those of the texts that the case gives, or hashes themselves."""
    name = folder.resolve().relative_to(root.resolve()).as_posix()
    locked: dict[str, Any] = case.get("locked", {})
    whole = locked.get(name, {})
    files = dict(whole) if isinstance(whole, dict) else {"SKILL.md": whole}
    files |= {each.removeprefix(f"{name}/"): said for each, said in locked.items() if each.startswith(f"{name}/")}
    return {each: hash_of(said) for each, said in files.items()} or None


def hash_of(said: str) -> str:
    bare = said.removeprefix("sha256:")
    is_hash = len(bare) == 64 and set(bare) <= set("0123456789abcdef")
    return bare if is_hash else sha256(said.encode()).hexdigest()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_scan_says_of_a_skill_what_the_list_says(case: dict[str, Any], tmp_path: Path) -> None:
    scanned = scan_all(written(case, tmp_path))
    outcomes = [each.outcome for each in scanned]
    outcome = next((each for each in ("refuse", "hold", "report") if each in outcomes), "allow")
    rules = {found.rule for each in scanned for found in each.findings if found.outcome == outcome}
    wanted = case["expected"]
    if case.get("expect_fail") and outcome != wanted["outcome"]:
        pytest.xfail(case["why"])
    assert outcome == wanted["outcome"], [found for each in scanned for found in each.findings]
    if rule := wanted.get("rule"):
        assert rules & set(OURS.get(rule, (rule,))), rules


def test_every_other_name_stands_for_a_rule_of_ours() -> None:
    assert {each for ours in OURS.values() for each in ours} <= set(SCAN_RULES)
