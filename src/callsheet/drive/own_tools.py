"""What every tool of the engine's own is: a function of the call, the session, and the request it was proposed in."""

from collections.abc import Callable

from ..model.request import RequestContext
from ..model.tool import RawResult, ToolCall
from ..model.verdict import Verdict

OwnTool = Callable[[ToolCall, RequestContext, str], RawResult]
"""Performs a call for a session, in the request of this id. A refusal is a failure under its rule."""


def refusal(verdict: Verdict) -> RawResult:
    """A refusal as the result that the model is told of: under its rule, with the words that say why."""
    return RawResult(failure=verdict.rule, detail=verdict.why)
