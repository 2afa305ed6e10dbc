"""The engine's own tools by which a model gets further into a skill, step by step, and who may take which step (D6)."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...model.sandbox import Isolation
from ...model.skill import Skill
from ...model.tool import ToolCall, ToolContract
from ...model.verdict import Verdict
from .references import inside

LOAD, READ, RUN = "load_skill", "read_skill_file", "run_skill_script"
NAMES = (LOAD, READ, RUN)
_TEXT = {"type": "string"}
_FAILURES = ("skill-changed",)


def _schema(properties: Mapping[str, Any], *required: str) -> Mapping[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def contracts(isolation: Isolation) -> dict[str, ToolContract]:
    """The contracts by name. Where no wall stands around a script, a person confirms each call of one."""
    walled = isolation == "full"
    return {
        LOAD: ToolContract(
            LOAD,
            "Loads the instructions of one of the listed skills; they stand in the next request.",
            _schema({"skill": _TEXT}, "skill"),
            {"properties": {"skill": _TEXT, "files": {"type": "array", "items": _TEXT}}},
            effects="none",
        ),
        READ: ToolContract(
            READ,
            "Reads a file that the instructions of a loaded skill point to.",
            _schema({"skill": _TEXT, "path": _TEXT}, "skill", "path"),
            {"properties": {"skill": _TEXT, "path": _TEXT, "text": _TEXT}},
            effects="none",
            failures=(*_FAILURES, "no-text"),
        ),
        RUN: ToolContract(
            RUN,
            "Runs a script that the instructions of a loaded skill point to, in a sandbox without network; gives what "
            "it printed.",
            _schema(
                {"skill": _TEXT, "script": _TEXT, "arguments": {"type": "array", "items": _TEXT}}, "skill", "script"
            ),
            {"properties": {"printed": _TEXT}},
            effects="none" if walled else "external",
            confirm=not walled,
            failures=(*_FAILURES, "not-run", "failed", "out-of-time", "too-much-output", "stopped"),
        ),
    }


def objection(call: ToolCall, skills: Sequence[Skill], loaded: Sequence[str]) -> Verdict | None:
    """The refusal of a step into a skill that is not offered, not loaded yet, or past what its instructions point to.

    A skill that does not exist, one that nobody approved and one that this actor may not use read the same.
    """
    if call.tool not in NAMES:
        return None
    name = str(call.arguments["skill"])
    skill = next((each for each in skills if each.name == name), None)
    if skill is None:
        return _refuse(call, "skill-not-offered", f"{name[:80]!r} is none of the skills that are listed")
    if call.tool == LOAD:
        return None
    if name not in loaded:
        return _refuse(call, "skill-not-loaded", f"the instructions of {name!r} come first; load them with {LOAD}")
    path = str(call.arguments["path" if call.tool == READ else "script"])
    if inside(path) not in skill.pointed:
        return _refuse(call, "skill-file-not-named", f"the instructions of {name!r} point to no file {path[:80]!r}")
    return None


def _refuse(call: ToolCall, rule: str, why: str) -> Verdict:
    return Verdict("refuse", rule, why, subject=call.tool)
