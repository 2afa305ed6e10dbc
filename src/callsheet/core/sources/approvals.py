"""Approvals: records made through their own channel; no text, no event and no memory is ever one of them (B3)."""

from collections.abc import Sequence

from ...model.effect import Found, Outage
from ...model.task import Approval


def approvals(found: Sequence[Found | Outage]) -> tuple[Approval, ...]:
    """The gathered approval records; none when their store could not answer: an outage approves nothing."""
    return tuple(approval for each in found if isinstance(each, Found) for approval in each.approvals)
