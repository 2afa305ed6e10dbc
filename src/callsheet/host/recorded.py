"""What is on record in a session's stores: shown, explained, replayed, decided on, forgotten."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..edges.counters.estimate import Calibration
from ..edges.project.folder import ProjectFolder
from ..edges.project.session import read_session
from ..edges.stores import TenantStore
from ..errors import UsageError
from ..model.grants import AUDIT
from ..model.policy import ModelProfile
from ..model.request import RequestContext
from ..ports import Clock, Counter, StoredRequest
from . import consent, inspection
from .tenants import Tenants


class Recorded:
    """The part of a host that asks its stores and calls no model."""

    def __init__(
        self, folder: ProjectFolder, tenants: Tenants, profile: ModelProfile, counter: Counter, clock: Clock
    ) -> None:
        self.folder = folder
        self._tenants, self._profile, self._counter, self._clock = tenants, profile, counter, clock
        self._closed = False

    def session(self, file: Path | str | None = None) -> RequestContext:
        """The session of a file, else of `[session]` in callsheet.toml; UsageError where neither names one."""
        return read_session(self.folder.settings, Path(file) if file else None)

    def stores(self, ctx: RequestContext) -> TenantStore:
        """The stores of the session's tenant; UsageError for what is no session."""
        return self._tenants.store(self._session(ctx))

    def show(self, request_id: str, ctx: RequestContext | None = None) -> StoredRequest:
        """The record of one request of this session; UnknownName for any other, in the same words."""
        own = self._session(ctx)
        return inspection.stored(self.stores(own).records, request_id, own)

    def recent(self, ctx: RequestContext | None = None, limit: int = 20) -> tuple[StoredRequest, ...]:
        """The newest requests of this session, newest first; with the grant `audit`, those of the whole tenant."""
        own = self._session(ctx)
        return inspection.recent(self.stores(own).records, own, limit)

    def calibration(self, ctx: RequestContext | None = None, limit: int = 1_000) -> Calibration:
        """How far the estimate falls short of what the model reported, over the newest requests `recent` gives."""
        return inspection.calibration(self.recent(ctx, limit), self._profile)

    def events(self, ctx: RequestContext | None = None) -> tuple[Mapping[str, Any], ...]:
        """The log of the notices to this session's subject or to the whole tenant; with the grant `audit`, of all."""
        own = self._session(ctx)
        subjects = () if AUDIT in own.grants else (own.subject_id,)
        return self.stores(own).events.log(*subjects)

    def why(
        self,
        request_id: str,
        ctx: RequestContext | None = None,
        *,
        byte: int | None = None,
        item: str | None = None,
        token: int | None = None,
    ) -> Mapping[str, Any]:
        """The item that put a byte into the body or a token into the prompt, or why an item is or is not there.

        `byte` is an offset into the body, `token` one into the prompt that the model's template made of it, from 0; one
        of the three is given. UnknownName for a request or an item that this session may not see, UsageError for a
        place outside, and for a token where no exact tokenizer counted.
        """
        found = self.show(request_id, ctx)
        if token is not None:
            return inspection.why_token(found, token, self._counter)
        return inspection.why(found, byte, item)

    def diff(self, first: str, second: str, ctx: RequestContext | None = None) -> Mapping[str, Any]:
        """What differs between two requests: items added, removed, moved, and the first byte at which they part."""
        return inspection.diff(self.show(first, ctx), self.show(second, ctx))

    def replay(self, request_id: str, ctx: RequestContext | None = None) -> Mapping[str, Any]:
        """Whether the recorded decision comes out `identical` once more, byte for byte, from its journal (A2).

        No model, tool or source is asked. Where content was deleted since, the `reason` says so.
        """
        return inspection.replayed(self.show(request_id, ctx), self.stores(self._session(ctx)).records)

    def blame(
        self, request_id: str, ctx: RequestContext | None = None, required: Sequence[str] = ()
    ) -> Mapping[str, Any]:
        """Which of evidence, freshness, authority, state or policy a failed decision was missing, by which signs (A5).

        `required` names sources it should have had.
        """
        return inspection.blamed(self.show(request_id, ctx), required)

    def approve(self, approval_id: str, ctx: RequestContext | None = None) -> Mapping[str, Any]:
        """What was approved: one waiting tool call, by the session's actor. UnknownName where it may not decide."""
        return self._decided(approval_id, ctx, granted=True)

    def refuse(self, approval_id: str, ctx: RequestContext | None = None) -> Mapping[str, Any]:
        """What was refused: one waiting tool call, by the session's actor. Errors as `approve`."""
        return self._decided(approval_id, ctx, granted=False)

    def waiting(self, ctx: RequestContext | None = None) -> tuple[Mapping[str, Any], ...]:
        """The tool calls that wait for this session's decision, oldest first, each with the question it came from.

        A session decides on calls for its own subject; the grant `approve` opens every call of the tenant.
        """
        own = self._session(ctx)
        return tuple(each for each in consent.filed(self.stores(own), own) if each["granted"] is None)

    def _decided(self, approval_id: str, ctx: RequestContext | None, granted: bool) -> Mapping[str, Any]:
        own = self._session(ctx)
        return consent.decided(self.stores(own), approval_id, own, granted, self._clock())

    def forget(self, subject_id: str, ctx: RequestContext | None = None) -> Mapping[str, int]:
        """How many pieces of a subject's content were destroyed, per store: everything that was ever kept of it.

        As `memory.delete`, without its report. Of the subject's requests stays their shape, for the grant `audit`: ids,
        kinds, counts, reasons.
        """
        return self._tenants.deleting.subject(subject_id, self._session(ctx)).destroyed

    def _must_be_open(self) -> None:
        if self._closed:
            raise UsageError("the host is closed; open the project again with open_host")

    def _session(self, ctx: RequestContext | None) -> RequestContext:
        self._must_be_open()
        if ctx is not None and not isinstance(ctx, RequestContext):
            raise UsageError(
                f"ctx is a {type(ctx).__name__}, not a callsheet.RequestContext; leave it out for [session]"
            )
        return (ctx or self.session()).at(self._clock())
