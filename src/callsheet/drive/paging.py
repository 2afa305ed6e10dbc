"""The two tools that move observations between window and store: what is on record is found, measured, given back."""

from collections.abc import Mapping
from dataclasses import dataclass

from ..core.paging import PAGE_IN, PAGE_OUT, paged_in
from ..core.sources.conversation import observation_item
from ..model.request import RequestContext
from ..model.tool import Observation, RawResult, ToolCall, ToolContract
from ..model.verdict import Verdict
from ..ports import Counter, Records
from .observations import recorded, unknown
from .own_tools import OwnTool, refusal


@dataclass(frozen=True, slots=True)
class PagingTools:
    """The tools `page_out` and `page_in` of one tenant. A tool that needs a grant needs it for its old results too."""

    records: Records
    counter: Counter
    contracts: Mapping[str, ToolContract]

    def own(self) -> Mapping[str, OwnTool]:
        """Each tool by its name."""
        return {PAGE_OUT: self._out, PAGE_IN: self._in}

    def _out(self, call: ToolCall, ctx: RequestContext, request_id: str) -> RawResult:
        return RawResult({"reference": call.arguments["reference"]})  # the gate saw that it stands in the window

    def _in(self, call: ToolCall, ctx: RequestContext, request_id: str) -> RawResult:
        found = self._found(call.arguments["reference"], ctx)
        if isinstance(found, Verdict):
            return refusal(found)
        tokens = self.counter.count(observation_item(found, ctx, None).text)
        return RawResult(paged_in(found, tokens), origins=found.origins)

    def _found(self, reference: str, ctx: RequestContext) -> Observation | Verdict:
        found = recorded(self.records, reference, ctx)
        if isinstance(found, Verdict):
            return found
        if found.tool == PAGE_IN and found.status == "ok":
            return self._found(str(found.result["reference"]), ctx)
        contract = self.contracts.get(found.tool)
        if contract is not None and not ctx.may_see(contract.scope):
            return unknown(reference)
        return found
