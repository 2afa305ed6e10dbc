"""The summariser without a model, behind the port."""

from ...core.history.summary.by_rule import draft
from ...model.history import Drafted, Summarise


class RuleSummariser:
    """Sums up by rule; it costs nothing and never fails, so it is the default."""

    def summarise(self, request: Summarise) -> Drafted:
        """The draft for exactly these messages."""
        return draft(request)
