"""The tool that reads a full output back: of this session's own calls, as far as it may see their tools still (C8)."""

from collections.abc import Mapping
from dataclasses import dataclass

from ..core.artifacts import READ_ARTIFACT, artifact_text, read_part
from ..errors import UnknownName
from ..model.request import RequestContext
from ..model.tool import RawResult, ToolCall, ToolContract
from ..model.verdict import Verdict
from ..ports import Artifacts, Records
from .observations import recorded, unknown
from .own_tools import OwnTool, refusal


@dataclass(frozen=True, slots=True)
class ArtifactTools:
    """The tool `read_artifact` of one tenant. A tool that needs a grant needs it for its old outputs too."""

    records: Records
    artifacts: Artifacts
    contracts: Mapping[str, ToolContract]

    def own(self) -> Mapping[str, OwnTool]:
        """The tool by its name."""
        return {READ_ARTIFACT: self._read}

    def _read(self, call: ToolCall, ctx: RequestContext, request_id: str) -> RawResult:
        reference = str(call.arguments["reference"])
        found = recorded(self.records, reference, ctx)
        if isinstance(found, Verdict):
            return refusal(found)
        contract = self.contracts.get(found.tool)
        try:
            data = self.artifacts.get(reference)
        except UnknownName:
            return refusal(unknown(reference))
        if contract is not None and not ctx.may_see(contract.scope):
            return refusal(unknown(reference))
        part = read_part(reference, *artifact_text(data), call.arguments)
        return RawResult(part, origins=(found.tool, *found.origins))
