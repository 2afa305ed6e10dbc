"""Requests to remember, judged by the write policy with all that is known of the subject, and stored (C4, C6)."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import chain

from ...core.memory.cleaning import cleaned
from ...core.memory.confirming import confirm
from ...core.memory.writing import admit
from ...edges.stores import TenantStore
from ...edges.stores.names import owner_name
from ...errors import UnknownName
from ...model.evidence import Query
from ...model.grants import PUBLISH
from ...model.memory import EVERYONE, Admission, Confirmation, MemoryRecord, MemoryWrite
from ...model.memory_policy import MemoryPolicy
from ...model.request import SHARED, RequestContext
from ...ports import Clock

_LEASE = "=memory {}"
"""The name that whoever writes of an owner holds: one of 256, since a process that is killed leaves it in a folder."""


@dataclass(frozen=True)
class MemoryWriter:
    """Judges and stores for the sessions of a host; whoever writes of a subject holds its memories alone meanwhile."""

    stores: Callable[[RequestContext], TenantStore]
    policy: MemoryPolicy
    clock: Clock
    shared: Callable[[], TenantStore]

    def write(self, asked: MemoryWrite, ctx: RequestContext, recalled: Iterable[str] = ()) -> Admission:
        """What became of a request: with the record as stored, or the rule that refuses it."""
        stores, now = self.stores(ctx), ctx.now or self.clock()
        # Who may not publish is refused by the policy, and learns nothing of what is shared.
        published = asked.visibility == "everyone" and PUBLISH in ctx.grants
        place, owner = (self.shared(), EVERYONE) if published else (stores, asked.subject_id)
        with held(place, owner_name(owner)):
            existing = _published(place, asked) if published else _existing(stores, ctx, asked.subject_id)
            known = tuple(chain(recalled, _shown(stores, asked.run_id)))
            said = admit(asked, ctx, now, existing, known, self.policy, _state(stores, asked.subject_id))
            return _kept(said, place)

    def keep(self, record: MemoryRecord, ctx: RequestContext) -> MemoryRecord:
        """The record of an application as stored: in the shared area where every tenant is to read it."""
        published = record.visibility == "everyone"
        return _add(record, (), self.shared() if published else self.stores(ctx))

    def confirm(self, record_id: str, ctx: RequestContext, by: Confirmation) -> Admission:
        """What became of a hypothesis of the session's subject by somebody's word; UnknownName where there is none."""
        stores, now = self.stores(ctx), ctx.now or self.clock()
        subject = ctx.subject_id or ""
        with held(stores, owner_name(subject)):
            existing = _existing(stores, ctx, subject)
            found = next((each for each in existing if (each.record_id, each.subject_id) == (record_id, subject)), None)
            if found is None:
                raise UnknownName(f"no memory {record_id!r} of this session's subject; `memory list` shows them")
            return _kept(confirm(found, by, now, existing, self.policy), stores)

    def clean(self, record: MemoryRecord, ctx: RequestContext) -> MemoryRecord:
        """The record without secrets, and without personal data that the project does not keep."""
        keep, locale = self.policy.keep, ctx.locale
        return replace(
            record,
            text=cleaned(record.text, keep, locale),
            provenance=cleaned(record.provenance, keep, locale),
        )


def held(stores: TenantStore, owner: str) -> AbstractContextManager[None]:
    """Holds the memories of one owner alone; whoever deletes them holds them too. The name tells of no owner."""
    number = blake2b(owner.encode("utf-8"), digest_size=1).hexdigest()
    return stores.leases.held(_LEASE.format(number), "the subject's memories", wait=True)


def _existing(stores: TenantStore, ctx: RequestContext, subject_id: str) -> Sequence[MemoryRecord]:
    """The records that the session may see: of any other nothing may be told, not even that it says otherwise."""
    loaded = stores.memories.load(Query("memory", ctx.tenant_id, subject_id or None, ctx.grants))
    return [each for each in loaded if ctx.may_see(each.scope)]


def _shown(stores: TenantStore, run_id: str) -> Iterable[str]:
    """The memories that a run's requests were given."""
    requests = stores.records.run(run_id) if run_id else ()
    items = chain.from_iterable(each.manifest.items for each in requests)
    return (item.record.text for item in items if isinstance(item.record, MemoryRecord))


def _state(stores: TenantStore, subject_id: str) -> Iterable[str]:
    """What the application's own state says of the subject anyway."""
    return (f"{name.replace('_', ' ')} {value}" for name, value in stores.states.load(subject_id or None).facts.items())


def _published(shared: TenantStore, asked: MemoryWrite) -> Sequence[MemoryRecord]:
    """What every tenant reads already, as if it were of the subject that the request names: it is compared with it."""
    records = shared.memories.load(Query("memory", SHARED, EVERYONE))
    return [replace(each, tenant_id=asked.tenant_id, subject_id=asked.subject_id) for each in records]


def _kept(said: Admission, stores: TenantStore) -> Admission:
    if said.record is None:
        return said
    return replace(said, record=_add(said.record, said.supersedes, stores))


def _add(record: MemoryRecord, supersedes: Sequence[str], stores: TenantStore) -> MemoryRecord:
    """The record as stored. What every tenant reads names neither tenant, subject nor run of whoever wrote it."""
    if stores.tenant_id == SHARED:
        record = replace(record, tenant_id=SHARED, subject_id=EVERYONE, run_id="")
    return stores.memories.add(record, supersedes)
