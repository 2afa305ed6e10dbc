"""May this be remembered, and as what? One question after the other; the first that is answered no refuses (C4, C6,
C9).

What a person states and what a trusted tool reports become facts, what a model infers a hypothesis, foreign text a
quote. The label follows from where the words came from and from nothing else: not from what they say, nor from who
passes them on.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from ...model.grants import MEMORY, PUBLISH
from ...model.memory import Admission, MemoryRecord, MemoryWrite, Origin, Visibility
from ...model.memory_policy import MemoryPolicy
from ...model.request import RequestContext
from .cleaning import cleaned, emptied
from .days import dated, relative_day
from .lasting import passing
from .orders import grant, label, order
from .reusable import at_hand, one_off
from .sameness import repeats
from .superseding import place

GRANTS: Mapping[Visibility, str] = {"tenant": MEMORY, "everyone": PUBLISH}
"""What it takes to write for more than the subject itself (C5, C8)."""
LONGEST = 4_000
"""Characters of a statement, at most."""
SOURCES: Mapping[Origin, str] = {
    "user": "user_stated",
    "trusted_tool": "system_record",
    "model": "model_inferred",
    "knowledge_import": "foreign_text",
}
"""Who vouches for words of each origin that may be kept at all."""
_OUTCOMES: Mapping[str, Literal["fact", "hypothesis", "quote"]] = {
    "user_stated": "fact",
    "system_record": "fact",
    "model_inferred": "hypothesis",
    "foreign_text": "quote",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """One request to remember something, with all that it is judged by."""

    write: MemoryWrite
    ctx: RequestContext
    existing: tuple[MemoryRecord, ...]
    recalled: tuple[str, ...]
    at_hand: tuple[str, ...]
    now: datetime
    policy: MemoryPolicy
    text: str

    @property
    def own_words(self) -> bool:
        """True for what the person said itself."""
        return self.write.origin == "user"


Question = Callable[[Asked], tuple[str, str] | None]
"""Asks one thing of a request: the rule that refuses it and why, or None."""


def admit(
    write: MemoryWrite,
    ctx: RequestContext,
    now: datetime,
    existing: Iterable[MemoryRecord] = (),
    recalled: Iterable[str] = (),
    policy: MemoryPolicy = MemoryPolicy(),  # noqa: B008
    at_hand: Iterable[str] = (),
) -> Admission:
    """What becomes of a request to remember something in this session, and by which rule.

    `existing` are the subject's records, `recalled` the texts of those that the model was shown, `at_hand` what a tool,
    the state or the knowledge says anyway. Secrets and personal data are out of the record's text.
    """
    clean = cleaned(write.text[: LONGEST + 1], policy.keep, ctx.locale)
    asked = Asked(write, ctx, tuple(existing), tuple(recalled), tuple(at_hand), now, policy, clean)
    for question in QUESTIONS:
        refused = question(asked)
        if refused is not None:
            return Admission("refuse", *refused)
    return placed(made(asked), asked.existing, now)


def made(asked: Asked) -> MemoryRecord:
    """The record that a request becomes, its label computed and its end no later than its kind is kept."""
    write, text = asked.write, asked.text
    if write.kind == "episodic":
        text = dated(text, asked.now.date())
    days = asked.policy.retention.get(write.kind)
    ends = [each for each in (write.expires_at, None if days is None else asked.now + timedelta(days=days)) if each]
    return MemoryRecord(
        subject_id=write.subject_id,
        tenant_id=write.tenant_id,
        purpose=write.purpose,
        text=text,
        source=SOURCES[write.origin],
        expires_at=min(ends, default=None),
        kind=write.kind,
        provenance=cleaned(write.provenance, asked.policy.keep, asked.ctx.locale) or write.origin,
        consent=write.consent,
        scope=write.scope,
        created_at=asked.now,
        relation=cleaned(write.relation, asked.policy.keep, asked.ctx.locale),
        visibility=write.visibility,
        durability="run" if write.kind == "working" and write.run_id else write.durability,
        valid_from=write.valid_from,
        valid_until=write.valid_until,
        run_id=write.run_id,
    )


def placed(record: MemoryRecord, existing: Sequence[MemoryRecord], now: datetime) -> Admission:
    """The admission of a record: stored, merged with what says the same, or refused for a fact that it gainsays."""
    found, outcome = place(record, existing, now), _OUTCOMES[record.source]
    if found.merged is not None:
        why = f"a memory says the same: {found.merged.text!r}"
        return Admission(outcome, "duplicate-merged", why, merged=found.merged.record_id)
    if found.against is not None:
        why = f"a fact says {found.against.text!r}; only a fact may correct it"
        return Admission("refuse", "hypothesis-never-overwrites-fact", why)
    replaced = f", in place of {len(found.supersedes)}" if found.supersedes else ""
    kept = replace(record, derived_from=(*record.derived_from, *found.supersedes)) if found.supersedes else record
    return Admission(outcome, "ok", f"{record.source} is kept as a {outcome}{replaced}", kept, found.supersedes)


def _tenant(asked: Asked) -> tuple[str, str] | None:
    if asked.write.tenant_id == asked.ctx.tenant_id:
        return None
    return "tenant-from-session-only", f"the write names tenant {asked.write.tenant_id!r}; the session's is what counts"


def _subject(asked: Asked) -> tuple[str, str] | None:
    write = asked.write
    if not write.subject_id:
        return "not-attributable", "no subject is named, so that nobody could have it deleted"
    own = write.subject_id == asked.ctx.subject_id or MEMORY in asked.ctx.grants
    if own and write.origin != "other_subject":
        return None
    return "other-subject", f"the session is not of subject {write.subject_id!r}, or the words are another subject's"


def _trust(asked: Asked) -> tuple[str, str] | None:
    if asked.write.trust is not None:
        return "label-is-derived", f"trust is computed from the origin; {asked.write.trust!r} cannot be written"
    if found := label(asked.text):
        return "label-is-derived", f"the text says itself how far it may be trusted: {found!r}"
    return None


def _recalled(asked: Asked) -> tuple[str, str] | None:
    write = asked.write
    if write.origin == "recalled":
        return "recalled-text", "what was recalled is remembered already"
    for each in asked.recalled:
        # A person may confirm in own words what is only presumed; word for word it is the memory that was read back.
        again = each.strip().casefold() == write.text.strip().casefold()
        if again or (not asked.own_words and any(repeats(asked.text, part) for part in (each, *each.splitlines()))):
            return "recalled-text", f"the text repeats the memory {each!r} that the run was given"
    return None


def _provenance(asked: Asked) -> tuple[str, str] | None:
    if asked.write.origin in SOURCES:
        return None
    return "provenance-unknown", f"{asked.write.origin!r} is none of the origins that a memory can have"


def _ordering(asked: Asked) -> tuple[str, str] | None:
    beside = f"{asked.write.provenance}\n{asked.write.relation}"
    if found := order(asked.text, asked.own_words) or order(beside, own_words=True):
        rule = "instruction-from-untrusted"
        return rule, f"only a person's own words may ask for anything lasting; this orders: {found.strip()!r}"
    if found := grant(asked.text):
        return "permission-in-memory", f"no memory permits or approves anything: {found.strip()!r}"
    return None


def _visible(asked: Asked) -> tuple[str, str] | None:
    needed = GRANTS.get(asked.write.visibility)
    if needed is None or needed in asked.ctx.grants:
        return None
    why = f"what is seen by {asked.write.visibility!r} is written with the grant {needed!r}, which the session lacks"
    return "visibility-not-granted", why


def _left(asked: Asked) -> tuple[str, str] | None:
    """Is there anything left to store when secrets and personal data are out?"""
    taken = emptied(asked.text)
    return taken and (taken[0], f"without its {taken[1]} nothing is left to remember")


def _lasting(asked: Asked) -> tuple[str, str] | None:
    write = asked.write
    if write.expires_at is not None and write.expires_at <= asked.now:
        return "not-lasting", f"it ended on {write.expires_at:%Y-%m-%d %H:%M}"
    if write.valid_until is not None and write.valid_until <= asked.now and write.kind != "episodic":
        return "not-lasting", f"it was true until {write.valid_until:%Y-%m-%d %H:%M}"
    if write.kind == "working":
        return None  # it ends with its run
    if found := passing(asked.text, reported=write.origin == "trusted_tool"):
        return "not-lasting", f"{found!r} holds for the moment; a query answers it"
    if write.kind != "episodic" and (found := relative_day(asked.text)):
        return "not-lasting", f"{found!r} means another day tomorrow; name the day, or keep it as an event (episodic)"
    return None


def _reusable(asked: Asked) -> tuple[str, str] | None:
    if not asked.write.purpose.strip():
        return "not-reusable", "no purpose is named, so that no decision could use it"
    if len(asked.write.text) > LONGEST:
        return "not-reusable", f"a text of more than {LONGEST} characters is a document; ingest it as knowledge"
    if why := one_off(asked.text):
        return "not-reusable", why
    return None


def _cheap(asked: Asked) -> tuple[str, str] | None:
    if why := at_hand(asked.text):
        return "cheap-to-derive", why
    for each in asked.at_hand:
        if repeats(asked.text, each):
            return "cheap-to-derive", f"the application says so anyway: {each!r}"
    return None


def _required(asked: Asked) -> tuple[str, str] | None:
    write, policy = asked.write, asked.policy
    if "consent" in policy.require and not write.consent:
        return "consent-missing", "this project keeps nothing without a consent or another legal basis"
    kept = write.expires_at or policy.retention.get(write.kind)
    if "expiry" in policy.require and not kept:
        return (
            "expiry-missing",
            "this project keeps nothing without an end; give expires_at, or a retention of the kind",
        )
    return None


QUESTIONS: tuple[Question, ...] = (
    _tenant,
    _subject,
    _trust,
    _recalled,
    _provenance,
    _ordering,
    _visible,
    _left,
    _lasting,
    _reusable,
    _cheap,
    _required,
)
"""What is asked of every request, in this order; the last question of all, what is known already, is `placed`."""
