"""Observations of earlier requests, found on record again by their id, for the session that made them (C8)."""

import re

from ..errors import UnknownName
from ..model.request import RequestContext
from ..model.tool import Observation
from ..model.verdict import Verdict
from ..ports import Records

_REFERENCE = re.compile(r"toolrun://(.+)/([0-9]{1,6})")
UNSEEN = ("refused", "asked")
"""What never ran gave nothing to see."""


def recorded(records: Records, reference: str, ctx: RequestContext) -> Observation | Verdict:
    """The observation of this id that a request of this actor and subject settled with.

    A refusal under `page-unknown`, in the same words, for what is not there, not settled, or another session's.
    """
    found = _REFERENCE.fullmatch(reference)
    observation = _observation(records, found.group(1), reference, ctx) if found else None
    return unknown(reference) if observation is None else observation


def unknown(reference: str) -> Verdict:
    """The refusal of an id that is not there, or not for this session."""
    why = f"{reference[:100]!r} is on record nowhere for this session; name the source of an observation, toolrun://…"
    return Verdict("refuse", "page-unknown", why, subject=reference[:100])


def _observation(records: Records, request_id: str, reference: str, ctx: RequestContext) -> Observation | None:
    try:
        request = records.request(request_id)
    except UnknownName:
        return None
    if (request.ctx.actor, request.ctx.subject_id) != (ctx.actor, ctx.subject_id) or request.step is None:
        return None
    made = (each.observation for each in request.step.calls if each.observation.status not in UNSEEN)
    return next((each for each in made if each.artifact_ref == reference), None)
