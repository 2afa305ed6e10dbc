"""Deleting a subject, a record or a tenant, so that nothing of it is left, and proving it (C2, C8, invariant 8).

A deletion is noted before it begins and struck off in the transaction that ends it: one that was killed is brought to
its end by whoever opens the tenant next, and nothing is reported before the bytes were searched.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...core.deletion.probes import MOST, SHORTEST, asked_for, probes
from ...core.deletion.rewriting import unsaid, without
from ...edges.memory_folder import FolderFiles
from ...edges.stores import TenantStore, TenantStores
from ...edges.stores.deleting import OF_TENANT, of_owner, of_record
from ...edges.stores.folders import drop_folder
from ...edges.stores.names import owner_name
from ...errors import UnknownName, UsageError
from ...model.deletion import Certificate, Deletion, Trace
from ...model.grants import DELETE, MEMORY, PUBLISH
from ...model.memory import MemoryRecord
from ...model.memory_file import MemoryPath
from ...model.request import SHARED, RequestContext
from ...model.task import TaskState
from ...ports import MemoryFiles
from .certifying import Certifying, Searched
from .files import MemoryRooms
from .writing import held

SEEDING = "=seed"
"""The name that whoever seeds a tenant holds, and whoever deletes in it; no run has it."""


@dataclass(frozen=True)
class Deleting:
    """Deletions in the tenants of a host.

    `let_go` closes what is open of a tenant beside its stores, and drops what is kept of it in memory. `seeded` are the
    tenant and subject that the project has a seed for.
    """

    stores: TenantStores
    rooms: MemoryRooms
    certifying: Certifying
    let_go: Callable[[str], None]
    seeded: tuple[str, str | None] | None = None

    def subject(self, subject_id: str, ctx: RequestContext) -> Deletion:
        """What became of all that is kept of a subject. UsageError for another's without a grant to delete it."""
        check_named(subject_id)
        may_delete(subject_id, ctx)
        store, owner = self.stores.open(ctx.tenant_id), owner_name(subject_id)
        with store.leases.held(SEEDING, "the tenant", wait=True):
            words = (*store.words_of(owner), *self._words_in_folder(ctx.tenant_id, owner))
            if (ctx.tenant_id, subject_id) == self.seeded:
                self._mark_seeded(store, subject_id)
            store.begin_deletion(of_owner(owner))
            destroyed, absorbed = self._owner(store, owner)
        searched = Searched("subject", subject_id, owner, probes(words), _of_all(ctx))
        return self._reported(searched, store, destroyed, absorbed)

    def record(self, record_id: str, ctx: RequestContext) -> Deletion:
        """What became of one record; of what every tenant reads, in a session that may publish.

        UnknownName where this session may delete none of that id.
        """
        store, found = self._deletable(record_id, ctx)
        with store.leases.held(SEEDING, "the tenant", wait=True):
            store.begin_deletion(of_record(record_id))
            destroyed, absorbed = self._record(store, record_id)
        searched = Searched("record", record_id, None, probes((found.text, found.provenance)), _of_all(ctx))
        return self._reported(searched, store, destroyed, absorbed)

    def tenant(self, tenant_id: str, ctx: RequestContext) -> Deletion:
        """What became of the session's whole tenant. UsageError for another one, and without the grant `delete`."""
        _check_tenant(tenant_id, ctx)
        store = self.stores.open(tenant_id)
        with store.leases.held(SEEDING, "the tenant", wait=True):
            store.begin_deletion(OF_TENANT)  # the lease lies in the folder that goes
        destroyed = self._tenant(tenant_id)
        searched = Searched("tenant", tenant_id, None, ())
        return self._reported(searched, self.stores.open(tenant_id), destroyed, ())

    def certificate(
        self, subject_id: str, ctx: RequestContext, texts: Iterable[str], store: TenantStore
    ) -> Certificate:
        """The signed certificate of a search for a subject, by its id, its keys and the given texts."""
        check_named(subject_id)
        may_delete(subject_id, ctx)
        searched = Searched("subject", subject_id, owner_name(subject_id), _pieces(texts), _of_all(ctx))
        self.let_go(store.tenant_id)  # a copy that cannot be read could not be searched
        return self.certifying.certificate(searched, store, must_sign=True)

    def tenant_certificate(self, tenant_id: str, ctx: RequestContext, texts: Iterable[str]) -> Certificate:
        """The signed certificate of a search for whatever is left of the session's tenant; errors as `tenant`.

        The tenant is not opened for it: its folder would be there again.
        """
        _check_tenant(tenant_id, ctx)
        searched = Searched("tenant", tenant_id, None, _pieces(texts))
        return self.certifying.certificate(searched, self.stores.open(tenant_id), must_sign=True)

    def finish_shared(self) -> None:
        """As `finish`, of what every tenant reads."""
        shared = self.stores.shared()
        if shared is not None and any(shared.unfinished()):
            self.finish(self.stores.open(SHARED))

    def finish(self, store: TenantStore) -> None:
        """Brings to their end the deletions of a tenant that a crash cut short."""
        if not any(store.unfinished()):
            return
        with store.leases.held(SEEDING, "the tenant", wait=True):
            left = store.unfinished()  # whoever held the lease may have done them
            for owner in left.owners:
                self._owner(store, owner)
            for record_id in left.records:
                self._record(store, record_id)
        if left.tenant:
            self._tenant(store.tenant_id)
        self.let_go(store.tenant_id)

    def is_seeded(self, store: TenantStore, subject_id: str) -> bool:
        """Whether a subject was deleted that the project has a seed for: it does not come back by itself."""
        return store.states.load(_marked(store, subject_id)).version > 0

    def _deletable(self, record_id: str, ctx: RequestContext) -> tuple[TenantStore, MemoryRecord]:
        """The record that a session may delete, and where it is kept; any other is unknown in the same words."""
        own = self.stores.open(ctx.tenant_id)
        found = own.record(record_id)
        if found is not None and _may_delete(found.subject_id, ctx) and ctx.may_see(found.scope):
            return own, found
        if PUBLISH in ctx.grants:
            shared = self.stores.open(SHARED)
            found = shared.record(record_id)
            if found is not None and ctx.may_see(found.scope):
                return shared, found
        raise UnknownName(f"no memory {record_id!r} that this session may delete; `memory list` shows what it may see")

    def _tenant(self, tenant_id: str) -> Mapping[str, int]:
        self.let_go(tenant_id)
        destroyed = self.stores.drop(tenant_id)
        drop_folder(self.rooms.data_dir, tenant_id)
        return destroyed

    def _owner(self, store: TenantStore, owner: str) -> tuple[Mapping[str, int], Sequence[Trace]]:
        with held(store, owner):
            absorbed = self._rewritten(store, store.records_of(owner), (None,))
            in_folder = self._clear_folder(store.tenant_id, owner)
            destroyed = dict(store.forget_owner(owner))
        destroyed["memory_files"] += in_folder
        return destroyed, absorbed

    def _record(self, store: TenantStore, record_id: str) -> tuple[Mapping[str, int], Sequence[Trace]]:
        found = store.record(record_id)
        if found is None:
            return store.remove(record_id)
        with held(store, owner_name(found.subject_id)):
            rewritten = self._rewritten(store, [found], (found.subject_id, None))
            destroyed, absorbed = store.remove(record_id)
        return destroyed, (*absorbed, *rewritten)

    def _rewritten(
        self, store: TenantStore, records: Iterable[MemoryRecord], subjects: Sequence[str | None]
    ) -> list[Trace]:
        """The files of some areas, and of the tenant's, without the lines that hold what one of these records says."""
        deleted = tuple(records)
        traces = []
        for subject_id in subjects:
            for area in self.rooms.areas(store.tenant_id, subject_id):
                traces += [Trace(f"memory file {'/'.join(path)}", "rewritten without the words", 1)
                           for path in _paths(area) if _rewrite(area, path, deleted)]  # fmt: skip
        return traces

    def _words_in_folder(self, tenant_id: str, owner: str) -> Sequence[str]:
        folder = self.rooms.folder(tenant_id, owner)
        if not folder.is_dir():
            return ()
        area = FolderFiles(folder)
        return tuple(area.look(path).text or "" for path in _paths(area))

    def _clear_folder(self, tenant_id: str, owner: str) -> int:
        folder = self.rooms.folder(tenant_id, owner)
        return FolderFiles(folder).clear() if folder.is_dir() else 0

    def _mark_seeded(self, store: TenantStore, subject_id: str) -> None:
        marked = _marked(store, subject_id)
        if store.states.load(marked).version == 0:
            store.states.save(marked, TaskState())

    def _reported(
        self, searched: Searched, store: TenantStore, destroyed: Mapping[str, int], absorbed: Sequence[Trace]
    ) -> Deletion:
        self.let_go(store.tenant_id)
        certificate = self.certifying.certificate(searched, store, destroyed)
        return Deletion(searched.whole, searched.subject, destroyed, tuple(absorbed), certificate)


def check_named(subject_id: object) -> None:
    """UsageError where no subject is named: what is kept of nobody is the whole tenant's."""
    if not (isinstance(subject_id, str) and subject_id):
        raise UsageError(f"{subject_id!r} names no subject; give the id of one")


def may_delete(subject_id: str, ctx: RequestContext) -> None:
    """UsageError where what is kept of a subject is not a session's to delete, to search for or to export."""
    if not _may_delete(subject_id, ctx):
        raise UsageError(
            f"what is kept of subject {subject_id!r} is not this session's, which is of {ctx.subject_id!r}; that "
            f"needs the grant {DELETE!r} or the grant {MEMORY!r}, or that subject's session"
        )


def _check_tenant(tenant_id: str, ctx: RequestContext) -> None:
    if tenant_id != ctx.tenant_id:
        raise UsageError(f"the session is of tenant {ctx.tenant_id!r}; {tenant_id!r} is deleted in one of its own")
    if DELETE not in ctx.grants:
        raise UsageError(f"a tenant is deleted in a session with the grant {DELETE!r}; this one does not hold it")


def _pieces(texts: Iterable[str]) -> tuple[str, ...]:
    """What to look for of texts that somebody names: each of them, or a UsageError."""
    pieces, short = asked_for(texts)
    if short:
        raise UsageError(
            f"{short[0]!r} is too short to be looked for: other bytes hold it by chance; give at least {SHORTEST} "
            "characters"
        )
    if len(pieces) > MOST:
        raise UsageError(f"{len(pieces)} pieces of text are to be looked for, at most {MOST} at once; give fewer")
    return pieces


def _may_delete(subject_id: str, ctx: RequestContext) -> bool:
    return subject_id == ctx.subject_id or _of_all(ctx)


def _of_all(ctx: RequestContext) -> bool:
    """True for a session that deletes what is kept of every subject."""
    return DELETE in ctx.grants or MEMORY in ctx.grants


def _marked(store: TenantStore, subject_id: str) -> str:
    return f"=deleted {store.mark(subject_id)}"


def _paths(area: MemoryFiles) -> list[MemoryPath]:
    return [path for path, entry in area.look(()).entries.items() if entry.kind == "file"]


def _rewrite(area: MemoryFiles, path: MemoryPath, deleted: Sequence[MemoryRecord]) -> bool:
    """Whether a file held the text of one of the records; it no longer does.

    What stood there before the record was made has it from elsewhere: else anybody could take a line from what all
    share, by remembering it and having that deleted.
    """
    tree = area.look(path)
    written = tree.written_at
    texts = [each.text for each in deleted if not (written and each.created_at and written < each.created_at)]
    if tree.text is None or without(tree.text, texts) is None:
        return False
    area.change(path, lambda tree: unsaid(tree, path, texts))
    return True
