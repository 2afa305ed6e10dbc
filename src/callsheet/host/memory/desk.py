"""The memory desk: what an application may do with a subject's memories, for one session at a time (C2)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, overload

from ...core.memory.extraction import statements
from ...core.memory.superseding import known_at as by_then
from ...core.memory.writing import GRANTS
from ...drive.memory_files import MemoryTool
from ...edges.memory_tool.faces import anthropic_tools
from ...edges.stores import TenantStore
from ...errors import UsageError
from ...model.deletion import Certificate, Deletion
from ...model.evidence import Query
from ...model.grants import MEMORY
from ...model.memory import EVERYONE, Admission, Confirmation, MemoryRecord, MemoryWrite, Origin, Statement
from ...model.memory_policy import MemoryPolicy
from ...model.message import Message
from ...model.request import SHARED, RequestContext
from ...ports import Clock, Tools
from .checking import check_values
from .deletion import Deleting, may_delete
from .exporting import exported
from .files import MemoryRooms
from .writing import MemoryWriter


class MemoryDesk:
    """Memories of the session's tenant. The tenant is the session's, never a record's (C8).

    A session reads and writes what is kept of its own subject; the grant `memory` opens writing for every subject.
    """

    def __init__(
        self,
        stores: Callable[[RequestContext], TenantStore],
        policy: MemoryPolicy,
        clock: Clock,
        rooms: MemoryRooms,
        deleting: Deleting,
        tools: Tools,
    ) -> None:
        self._stores = stores
        self._deleting = deleting
        self._tools = tools
        self._clock = clock
        self._rooms = rooms
        self._policy = policy
        self._writer = MemoryWriter(stores, policy, clock, lambda: rooms.stores.open(SHARED))

    @overload
    def add(self, record: MemoryRecord, ctx: RequestContext, recalled: Iterable[str] = ()) -> MemoryRecord: ...
    @overload
    def add(self, record: MemoryWrite, ctx: RequestContext, recalled: Iterable[str] = ()) -> Admission: ...
    def add(
        self, record: MemoryRecord | MemoryWrite, ctx: RequestContext, recalled: Iterable[str] = ()
    ) -> MemoryRecord | Admission:
        """The record that an application vouches for, stored with its id; of a request, what the write policy says.

        Secrets and personal data are removed. A `MemoryWrite` is judged, with what its run was shown and the `recalled`
        texts, and its `Admission` has the record as stored. UsageError for a record of another tenant, without the
        grant `memory` for one of another subject, and for a field that could not be read again.
        """
        self._stores(ctx)  # a UsageError for what is no session
        if isinstance(record, MemoryWrite):
            check_values(record)
            return self._writer.write(record, ctx, recalled)
        if not isinstance(record, MemoryRecord):
            raise UsageError(f"the record is a {type(record).__name__}; pass a callsheet.MemoryRecord")
        if not record.subject_id:
            raise UsageError("the record names no subject, so that nobody could have it deleted; give subject_id")
        if record.tenant_id != ctx.tenant_id:
            raise UsageError(f"the record names tenant {record.tenant_id!r}, the session is of {ctx.tenant_id!r}")
        _check_subject(record.subject_id, ctx)
        check_values(record)
        needed = GRANTS.get(record.visibility)
        if needed is not None and needed not in ctx.grants:
            raise UsageError(
                f"a memory that {record.visibility!r} may see needs the grant {needed!r}, which the session lacks"
            )
        return self._writer.keep(self._writer.clean(record, ctx), ctx)

    def extract(
        self,
        messages: Sequence[Message],
        ctx: RequestContext,
        purpose: str,
        *,
        recalled: Iterable[str] = (),
        found: Iterable[Statement] | None = None,
        run_id: str = "",
        provenance: str = "",
    ) -> tuple[Admission, ...]:
        """What became of each statement that a conversation's user turns hold about the session's subject.

        `found` are the statements of another extractor, in place of those that the rules find. Their consent is the
        project's `basis`. UsageError where the session has no subject.
        """
        if ctx.subject_id is None:
            raise UsageError("this session has no subject that anything could be remembered of; name one")
        asked = [
            MemoryWrite(
                each.text, each.origin, ctx.subject_id, ctx.tenant_id, purpose,
                consent=self._policy.basis or None, relation=each.relation, kind=each.kind, run_id=run_id,
                provenance=provenance,
            )
            for each in (statements(messages) if found is None else found)
        ]  # fmt: skip
        shown = tuple(recalled)
        return tuple(self.add(each, ctx, shown) for each in asked)

    def confirm(self, record_id: str, ctx: RequestContext, by: Confirmation | None = None) -> Admission:
        """What became of a hypothesis by the subject's own word, or by that of a trusted tool or a grant's holder.

        `[memory] confirm` says whose word makes a fact of it; the fact names who it was. UnknownName for a record that
        is not of the session's subject, UsageError for a grant or a subject that is not the session's, and for a tool
        that is none of the project's own: a server's tool is a stranger.
        """
        chosen = by or Confirmation("subject", ctx.subject_id or "")
        if chosen.by == "grant" and chosen.name not in ctx.grants:
            raise UsageError(f"this session does not hold the grant {chosen.name!r}; confirm in one that does")
        if chosen.by == "subject" and chosen.name != ctx.subject_id:
            raise UsageError(f"the session is of subject {ctx.subject_id!r}; {chosen.name!r} confirms in its own")
        if chosen.by == "trusted_tool" and not self._is_own(chosen.name, ctx):
            raise UsageError(f"this project has no tool {chosen.name!r} of its own that could confirm; see tools.py")
        return self._writer.confirm(record_id, ctx, chosen)

    def _is_own(self, tool: str, ctx: RequestContext) -> bool:
        """Whether a tool is the project's own and the session may use it; one it may not use reads as none."""
        return any(
            each.name == tool and not each.server and ctx.may_see(each.scope) for each in self._tools.contracts()
        )

    def load(
        self, ctx: RequestContext, *, true_at: datetime | None = None, known_at: datetime | None = None
    ) -> tuple[MemoryRecord, ...]:
        """Every record that this session may see, whether or not it would load: its subject's own, then what others of
        its tenant and what all may see.

        With a time, those that by what was known at `known_at` (now) were true at `true_at` (then). UsageError for a
        time without a time zone.
        """
        stores = self._stores(ctx)
        if ctx.subject_id is None:
            return ()
        for name, moment in (("true_at", true_at), ("known_at", known_at)):
            if moment is not None and moment.tzinfo is None:
                raise UsageError(f"{name} has no time zone; write datetime(…, tzinfo=timezone.utc)")
        loaded = stores.memories.load(Query("memory", ctx.tenant_id, ctx.subject_id, ctx.grants))
        shared = self._rooms.stores.shared()
        if shared is not None:
            loaded += shared.memories.load(Query("memory", SHARED, EVERYONE))
        seen = tuple(each for each in loaded if ctx.may_see(each.scope))
        if true_at is None and known_at is None:
            return seen
        known = known_at or ctx.now or self._clock()
        return by_then(seen, true_at or known, known)

    def delete(
        self, subject_id: str | None = None, ctx: RequestContext | None = None, *, record: str = "", tenant: str = ""
    ) -> Deletion:
        """What became of all that is kept of a subject, of one record or of a whole tenant, with its certificate.

        A session deletes its own subject and its records; the grants `delete` and `memory` open those of every subject,
        `delete` alone the session's tenant. What absorbed it goes too or is written again without it, and of decisions
        stays their shape. UsageError where the session may not, UnknownName for a record that it may know nothing of.
        """
        if ctx is None or sum(each not in (None, "") for each in (subject_id, record, tenant)) != 1:
            raise UsageError("name one thing to delete, a subject, record= or tenant=, and the session")
        self._stores(ctx)  # a UsageError where the host is closed
        if record:
            return self._deleting.record(record, ctx)
        return self._deleting.tenant(tenant, ctx) if tenant else self._deleting.subject(subject_id or "", ctx)

    def certify(
        self, subject_id: str | None, ctx: RequestContext, texts: Iterable[str] = (), *, tenant: str = ""
    ) -> Certificate:
        """The signed certificate of a search for a subject, or for a tenant that was deleted, and for these texts,
        through everything the tenant keeps.

        UsageError where the session may not delete it, for a text of fewer than 6 characters, and where the package is
        missing that signs (`callsheet[certify]`); StoreError where something could not be searched.
        """
        if tenant and not subject_id:
            return self._deleting.tenant_certificate(tenant, ctx, texts)
        if tenant:
            raise UsageError("name one thing to look for, a subject or tenant=")
        return self._deleting.certificate(subject_id or "", ctx, texts, self._stores(ctx))

    def export(self, subject_id: str, ctx: RequestContext) -> Mapping[str, Any]:
        """All that is kept of a subject: `records` with where each was used, `files`, `state`, `events`, `requests`,
        `approvals`, `artifacts`. UsageError for another's subject without the grant `delete` or `memory`.
        """
        stores = self._stores(ctx)
        may_delete(subject_id, ctx)
        return exported(stores, self._rooms.areas(ctx.tenant_id, subject_id), subject_id, ctx, self._clock())

    def verify(self, certificate: bytes, ctx: RequestContext, public_key: str | None = None) -> Mapping[str, Any]:
        """Whether a certificate is `valid`, and `why` it is not: whole, unaltered, of this session's tenant, and signed
        by this data folder's key or by the one that is given.
        """
        self._stores(ctx)
        return self._deleting.certifying.checked(certificate, ctx.tenant_id, public_key)

    def files(self, ctx: RequestContext, origin: Origin = "model") -> MemoryTool:
        """The memory tool of this session: its `perform` takes the tool's arguments and gives what the model is told.

        What it writes is marked as the words of `origin`. Tenant and subject are the session's, whatever the arguments.
        """
        self._stores(ctx)  # a UsageError where the host is closed
        return self._rooms.tool(ctx, origin)

    def anthropic_tool(self, ctx: RequestContext, cache_control: Mapping[str, Any] | None = None) -> Any:
        """The session's memory tool for the Anthropic SDK's tool runner: a `BetaAbstractMemoryTool`.

        UsageError without the extra `callsheet[anthropic]`.
        """
        return anthropic_tools().tool(self.files(ctx).perform, cache_control)

    def async_anthropic_tool(self, ctx: RequestContext, cache_control: Mapping[str, Any] | None = None) -> Any:
        """As `anthropic_tool`, for the SDK's async client: a `BetaAsyncAbstractMemoryTool`."""
        return anthropic_tools().async_tool(self.files(ctx).perform, cache_control)


def _check_subject(subject_id: str, ctx: RequestContext) -> None:
    if subject_id != ctx.subject_id and MEMORY not in ctx.grants:
        raise UsageError(
            f"the memories of subject {subject_id!r} are not this session's, which is of {ctx.subject_id!r}; "
            f"work in that subject's session, or in one with the grant {MEMORY!r}"
        )
