"""Which step into a skill a call may take."""

import pytest

from callsheet.core.skills.tools import contracts, objection
from callsheet.model.skill import Skill
from callsheet.model.tool import ToolCall

PDF = Skill("pdf", "Reads.", "Read form.md.", pointed=("form.md", "scripts/fill.py"))


@pytest.mark.parametrize(
    ("tool", "arguments", "loaded", "rule"),
    [
        ("load_skill", {"skill": "pdf"}, (), None),
        ("load_skill", {"skill": "docx"}, (), "skill-not-offered"),
        ("read_skill_file", {"skill": "docx", "path": "form.md"}, ("docx",), "skill-not-offered"),
        ("read_skill_file", {"skill": "pdf", "path": "form.md"}, (), "skill-not-loaded"),
        ("read_skill_file", {"skill": "pdf", "path": "./form.md"}, ("pdf",), None),
        ("read_skill_file", {"skill": "pdf", "path": "../form.md"}, ("pdf",), "skill-file-not-named"),
        ("run_skill_script", {"skill": "pdf", "script": "scripts/other.py"}, ("pdf",), "skill-file-not-named"),
        ("run_skill_script", {"skill": "pdf", "script": "scripts/fill.py"}, ("pdf",), None),
        ("another_tool", {}, (), None),
    ],
)
def test_a_step_is_refused_by_its_rule(
    tool: str, arguments: dict[str, str], loaded: tuple[str, ...], rule: str | None
) -> None:
    verdict = objection(ToolCall(tool, arguments), (PDF,), loaded)
    assert (verdict.rule if verdict is not None else None) == rule


def test_without_walls_a_person_confirms_each_script() -> None:
    assert not contracts("full")["run_skill_script"].confirm
    bare = contracts("limits")["run_skill_script"]
    assert bare.confirm and not bare.changes_nothing
