"""Looking at recorded decisions: show, why, diff, replay and blame, over one tenant's records."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..core.decide import decide, prepare
from ..core.diagnose.blame import Blamed, blame
from ..core.record import explain
from ..core.record.difference import agrees, difference, first_difference
from ..drive import ReplayMismatch, replay
from ..edges.counters.estimate import Calibration, calibrate
from ..edges.counters.places import place
from ..edges.counters.prompt import TemplateCounter
from ..edges.stores.records import SqlRecords
from ..errors import UnknownName, UsageError
from ..model.effect import Consult, Effect, Record
from ..model.grants import AUDIT
from ..model.policy import ModelProfile
from ..model.request import RequestContext
from ..ports import Counter, Records, StoredRequest
from .wiring import open_counter


def stored(records: Records, request_id: str, ctx: RequestContext) -> StoredRequest:
    """One request of this actor's tenant and subject; UnknownName in the same words for any other.

    The grant `audit` opens every request of the tenant.
    """
    found = records.request(request_id)
    if not _may_read(found.ctx, ctx):
        raise UnknownName(f"no request {request_id!r}; `callsheet run` prints the ids of its requests")
    return found


def recent(records: SqlRecords, ctx: RequestContext, limit: int) -> tuple[StoredRequest, ...]:
    """The newest requests that this session may read, newest first."""
    return records.recent(limit, lambda asker: _may_read(asker, ctx))


def _may_read(asker: RequestContext, ctx: RequestContext) -> bool:
    return (asker.actor, asker.subject_id) == (ctx.actor, ctx.subject_id) or AUDIT in ctx.grants


def calibration(found: Iterable[StoredRequest], profile: ModelProfile) -> Calibration:
    """The factor between this model's reported prompts and the plain estimate of the same bodies.

    Bodies are estimated anew, so that neither an earlier factor nor a provider's own count of them is measured. What
    was deleted, and what the model never reported a prompt of, says nothing.
    """
    counter = open_counter(replace(profile, calibration=1.0))
    mine = (each for each in found if each.manifest.model == profile.name and each.usage and not each.deleted)
    return calibrate(
        (counter.count_prompt(each.wire.body, each.wire.dialect).tokens, each.usage.prompt)
        for each in mine
        if each.usage is not None
    )


def why(found: StoredRequest, byte: int | None, item: str | None) -> Mapping[str, Any]:
    """The item behind a byte, or the reason behind an item's presence or absence."""
    if byte is not None:
        return explain.why_byte(found.manifest, found.wire, byte)
    return explain.why_item(found.manifest, found.wire, item or "")


def why_token(found: StoredRequest, token: int, counter: Counter) -> Mapping[str, Any]:
    """The item behind a token of the prompt that the model's own template made of the body.

    UsageError where that template or the tokenizer is not known here, and for a token beyond the last.
    """
    manifest = found.manifest
    if not isinstance(counter, TemplateCounter) or not manifest.token_basis.startswith(counter.name):
        raise UsageError(
            f"request {manifest.request_id} was counted by {manifest.token_basis}: the tokens of its prompt are not "
            "known one by one; ask with --byte"
        )
    placed = place(counter, found.wire)
    count = len(placed.tokens.ids)
    if not 0 <= token < count:
        raise UsageError(f"the prompt of {manifest.request_id} has tokens 0 to {count - 1}; {token} is outside of them")
    span = next(each for each in placed.spans if each.start <= token < each.end)
    start, end = placed.tokens.span(token)
    return {
        "request_id": manifest.request_id,
        "item_id": span.item_id,
        "span": {"start": span.start, "end": span.end},
        "reason": explain.why_owner(manifest, span.item_id),
        "text": placed.prompt.encode()[start:end].decode("utf-8", "replace"),
    }


def diff(first: StoredRequest, second: StoredRequest) -> Mapping[str, Any]:
    """What differs between two requests, in items and in the first byte; `identical` where nothing does.

    `provider` is what the second's provider said kept it out of the cache, and whether that agrees with our own first
    difference (None: it cannot be compared); only where the provider compared it with the first.
    """
    found = difference((first.manifest, first.wire), (second.manifest, second.wire))
    earlier = first.step.response_id if first.step else ""
    reports = second.step.reports if second.step and earlier and second.task.previous_response == earlier else ()
    said = [
        {"reason": each.reason, "tokens": each.tokens, "agrees": agrees(each, found["first_difference"])}
        for each in reports
        if each.kind.startswith("cache_miss")
    ]
    return {"identical": not any(found.values()), **found, "provider": said}


def replayed(found: StoredRequest, records: Records) -> Mapping[str, Any]:
    """Whether the journal and the stored policy give the same bytes and the same verdicts once more (A2).

    Where content was deleted nobody can say, unless it was only of candidates that were left out: the decision is then
    made again without them, and what is `deleted` stands in the report.
    """
    request_id = found.manifest.request_id
    base = {"request_id": request_id, "status": found.status, "bytes": len(found.wire.body)}
    gone = {**base, "identical": False, "reason": "content deleted", "deleted": list(found.deleted)}
    if not {"task", "journal", *(item.item_id for item in found.manifest.items)}.isdisjoint(found.deleted):
        return gone
    policy = records.policy(found.policy)
    try:
        if found.step is None:
            _, asked = replay(prepare(found.ctx, found.task, policy), found.entries)
            verdicts = True
        else:
            step, asked = replay(decide(found.ctx, found.task, policy), found.entries)
            verdicts = step.verdicts == found.step.verdicts and _consulted(asked) == _answered(found)
    except ReplayMismatch as error:
        return gone if found.deleted else {**base, "identical": False, "reason": str(error)}
    record = next(effect for effect in asked if isinstance(effect, Record))
    same = record.wire.body == found.wire.body
    if found.deleted and not (same and verdicts):
        return gone
    report = {**base, "identical": same and verdicts, "body_identical": same, "verdicts_identical": verdicts}
    if found.deleted:
        report["deleted"] = list(found.deleted)
    if not same:
        report["first_difference"] = first_difference((found.manifest, found.wire), (record.manifest, record.wire))
    return report


def _consulted(asked: Sequence[Effect[Any]]) -> list[bytes]:
    """What the judge was asked, to the byte."""
    return [each.body for each in asked if isinstance(each, Consult)]


def _answered(found: StoredRequest) -> list[bytes]:
    return [each.answer.body for each in found.entries if each.effect == "Consult"]


def blamed(found: StoredRequest, required: Sequence[str] = ()) -> Mapping[str, Any]:
    """Which of the five was missing when this decision failed, the signs of it (A5), and every verdict against it."""
    step = found.step
    verdicts = (*step.verdicts, *(each.verdict for each in step.calls)) if step is not None else ()
    against = dict.fromkeys(verdict for verdict in verdicts if verdict.outcome != "allow")
    return {
        **blame(Blamed(found.manifest, step, tuple(required))),
        "outcome": step.outcome if step is not None else None,
        "verdicts": [
            {"outcome": each.outcome, "rule": each.rule, "why": each.why, "subject": each.subject} for each in against
        ],
    }
