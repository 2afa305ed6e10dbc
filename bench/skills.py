"""Whether skills are judged as `skills-ref` judges them, what their lines cost in a request, and what a scan says (D6).

The set `agent-skills` of CALLSHEET_DATA (bench/DATA.md): folders of SKILL.md files, and for each what `skills-ref`
0.1.1 found (`skills_ref_errors`). The reference itself is asked in the same run where it is installed. Tokens are
counted by the tokenizer of o200k; what is loaded at the start is a line a skill, and beside it stands every SKILL.md.
"""

import argparse
import importlib
import importlib.util
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from callsheet.core.skills.form import objections
from callsheet.core.skills.scan import scan, scan_all
from callsheet.core.sources.skills import body_item, skill_item
from callsheet.edges.counters.estimate import O200kCounter
from callsheet.edges.skills.reading import read_skill
from callsheet.edges.skills.strict_yaml import load
from callsheet.lab.stats import wilson
from callsheet.model.skill import ScannedSkill
from recordings import folder

REFERENCE = "skills_ref"


def rows(data: Path) -> list[dict[str, Any]]:
    text = (data / "agent-skills" / "index.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def placed(data: Path, row: dict[str, Any], root: Path) -> Path:
    """The skill of a row in a folder of the name that its author gave it."""
    target = root / row["dir"] / row["expected_dir_name"]
    shutil.copytree(data / "agent-skills" / "skills" / row["dir"], target)
    return target


def kinds(said: Sequence[str]) -> list[str]:
    """The objections; of broken YAML only that it is broken, which every reader says in words of its own."""
    return [each.partition(":")[0] if each.startswith("Invalid YAML") else each for each in said]


def said(path: Path) -> list[str]:
    text = (path / "SKILL.md").read_text(encoding="utf-8")
    return list(objections(text, path.name, load))


def agreement(data: Path, paths: Sequence[Path]) -> Iterator[tuple[str, Any]]:
    recorded = [row["skills_ref_errors"] for row in rows(data)]
    yield "agree_recorded", share([kinds(said(path)) == kinds(row) for path, row in zip(paths, recorded, strict=True)])
    if importlib.util.find_spec(REFERENCE) is not None:
        validate = importlib.import_module(f"{REFERENCE}.validator").validate
        yield "agree_measured", share([kinds(said(path)) == kinds(validate(path)) for path in paths])


def share(right: Sequence[bool]) -> dict[str, Any]:
    low, high = wilson(sum(right), len(right))
    return {
        "value": round(sum(right) / len(right), 4), "unit": "share", "n": len(right), "hits": sum(right),
        "low": round(low, 4), "high": round(high, 4), "limit": 1.0, "within": all(right),
    }  # fmt: skip


def tokens(scanned: Sequence[ScannedSkill]) -> Iterator[tuple[str, Any]]:
    count = O200kCounter().count
    skills = [each.skill for each in scanned if each.skill is not None and each.outcome != "refuse"]
    lines = [count(skill_item(each).text) for each in skills]
    whole = sum(count(body_item(each).text) for each in skills)
    yield "first_level", {
        "value": sum(lines), "unit": "tokens", "n": len(skills), "peer": whole,
        "peer_name": "every SKILL.md whole", "ratio": round(sum(lines) / whole, 4),
    }  # fmt: skip
    yield "first_level_per_skill", {"value": round(sum(lines) / len(lines), 1), "unit": "tokens", "n": len(lines)}


def found(scanned: Sequence[ScannedSkill], seconds: float) -> Iterator[tuple[str, Any]]:
    valid = [each for each in scanned if not any(one.rule == "skill-format" for one in each.findings)]
    for outcome in ("allow", "report", "hold", "refuse"):
        number = sum(each.outcome == outcome for each in valid)
        yield f"scan_{outcome}", {"value": number, "unit": "skills", "n": len(valid)}
    alike = sum(any(one.rule == "near-identical-description" for one in each.findings) for each in scanned)
    yield "near_identical", {"value": alike, "unit": "skills", "n": len(scanned)}
    yield "scan_time", {"value": round(1000 * seconds / len(scanned), 2), "unit": "ms a skill", "n": len(scanned)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    data, figures = folder("agent-skills"), {}
    if data is not None:
        with tempfile.TemporaryDirectory() as root:
            paths = [placed(data, row, Path(root)) for row in rows(data)]
            begun = process_time()
            scanned = scan_all([scan(read_skill(path), load) for path in paths])
            seconds = process_time() - begun
            figures = {**dict(agreement(data, paths)), **dict(tokens(scanned)), **dict(found(scanned, seconds))}
    if options.json:
        print(json.dumps({"bench": "skills", "figures": figures}))
        return
    for name, each in figures.items():
        beside = f"  beside {each['peer']} ({each['ratio']:.1%})" if "peer" in each else ""
        print(f"{name:<24} {each['value']:>8} {each['unit']}  n={each['n']}{beside}")


if __name__ == "__main__":
    main()
