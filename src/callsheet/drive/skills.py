"""The tools by which a model gets further into a skill: its instructions, its files, its scripts (D6)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from ..core.skills.references import inside
from ..core.skills.tools import LOAD, READ, RUN
from ..model.request import RequestContext
from ..model.sandbox import Program
from ..model.skill import Skill, SkillFile
from ..model.tool import RawResult, ToolCall
from ..ports import Sandbox
from .own_tools import OwnTool
from .programs import run_through

ReadFile = Callable[[str, str], bytes | None]
"""The bytes of a file of a skill, by the skill's name and the file's path; None where it is not there."""


@dataclass(frozen=True, slots=True)
class SkillTools:
    """The tools `load_skill`, `read_skill_file` and `run_skill_script`. The gate saw that the step may be taken.

    Whatever of a skill is used is what was approved: each file is held against its hash when it is read.
    """

    skills: Mapping[str, Skill]
    read: ReadFile
    sandbox: Sandbox

    def own(self) -> Mapping[str, OwnTool]:
        """Each tool by its name."""
        return {LOAD: self._load, READ: self._read, RUN: self._run}

    def _load(self, call: ToolCall, ctx: RequestContext, request_id: str) -> RawResult:
        skill = self.skills[call.arguments["skill"]]
        return RawResult({"skill": skill.name, "files": list(skill.pointed)})

    def _read(self, call: ToolCall, ctx: RequestContext, request_id: str) -> RawResult:
        skill, path = self.skills[call.arguments["skill"]], inside(call.arguments["path"])
        data = self._approved(skill, next(each for each in skill.files if each.path == path))
        if data is None:
            return _changed(skill)
        try:
            return RawResult({"skill": skill.name, "path": path, "text": data.decode()})
        except UnicodeDecodeError:
            return RawResult(failure="no-text", detail=f"{path} is no text")

    def _run(self, call: ToolCall, ctx: RequestContext, request_id: str) -> RawResult:
        skill, script = self.skills[call.arguments["skill"]], inside(call.arguments["script"])
        files: dict[str, bytes] = {}
        for each in skill.files:
            if each.link is None:
                data = self._approved(skill, each)
                if data is None:
                    return _changed(skill)
                files[each.path] = data
        return run_through(self.sandbox, Program(script or "", files, tuple(call.arguments.get("arguments", ()))))

    def _approved(self, skill: Skill, file: SkillFile) -> bytes | None:
        data = self.read(skill.name, file.path)
        return data if data is not None and sha256(data).hexdigest() == file.sha256 else None


def _changed(skill: Skill) -> RawResult:
    detail = f"a file of {skill.name!r} is not what was approved; `callsheet skills list` shows the change"
    return RawResult(failure="skill-changed", detail=detail)
