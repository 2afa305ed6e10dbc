"""The tenants of a host: stores, indexes and item caches of each, opened when first asked for (C8)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Lock

from ..core.memory.cleaning import without_private
from ..core.memory_files.commands import CONTRACT
from ..drive.artifacts import ArtifactTools
from ..drive.gather import Sources
from ..drive.in_time import Running
from ..drive.items import Items
from ..drive.own_tools import OwnTool
from ..drive.paging import PagingTools
from ..drive.restart import RestartTools
from ..drive.wired import Ports
from ..edges.project.folder import ProjectFolder
from ..edges.project.seed import read_seed
from ..edges.signing import SigningKey
from ..edges.stores import TenantStore, TenantStores
from ..edges.stores.folders import sweep
from ..model.request import SHARED, RequestContext
from ..ports import Clock, Counter, Model, Tools, Values
from .knowledge.experience import Learning
from .knowledge.indexes import Indexes
from .knowledge.places import Places
from .knowledge.rankers import OpenedRankers
from .memory.certifying import Certifying
from .memory.deletion import SEEDING, Deleting
from .memory.files import MemoryRooms, WithMemory
from .memory.recall import MemoryIndexes
from .programs import Programs


@dataclass
class Tenants:
    """Opens what belongs to a tenant, and nothing of another."""

    folder: ProjectFolder
    data_dir: Path
    tools: Tools
    values: Values
    clock: Clock
    counter: Counter
    rankers: OpenedRankers
    stores: TenantStores
    indexes: Indexes = field(init=False)
    memory: MemoryRooms = field(init=False)
    deleting: Deleting = field(init=False)
    recall: MemoryIndexes = field(init=False)
    programs: Programs = field(init=False)
    _finished: set[str] = field(default_factory=set)
    _running: Running = field(default_factory=Running)
    _items: dict[str, Items] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        settings = self.folder.settings
        self.memory = MemoryRooms(settings.memory_files, settings.memory.keep, self.data_dir, self.stores, self.clock)
        files = settings.memory_files.backend == "folder"
        certifying = Certifying(self.data_dir, settings.store, self.clock, SigningKey(self.data_dir), files)
        own = settings.session
        seeded = (own.tenant, own.subject) if own is not None else None
        self.deleting = Deleting(self.stores, self.memory, certifying, self._let_go, seeded)
        sweep(self.data_dir)
        if self.folder.offers_memory:
            self.tools = WithMemory(self.tools, self.memory.tool, CONTRACT)
        learning = Learning(settings, self.stores)
        places = Places(self.data_dir, self.stores, settings.knowledge.ranking)
        self.indexes = Indexes(self.folder, places, self.rankers, learning)
        self.programs = Programs(self.folder)
        self.recall = MemoryIndexes(self.stores, places, self.indexes)

    def close(self) -> None:
        """Closes every store and index, after the batch that is being embedded."""
        self.programs.close()
        self.recall.close()
        self.indexes.close()
        self.stores.close()

    def store(self, ctx: RequestContext) -> TenantStore:
        """The stores of the session's tenant, seeded where the project has a seed for this very session."""
        store = self.stores.open(ctx.tenant_id)
        if SHARED not in self._finished:
            self.deleting.finish_shared()
            self._finished.add(SHARED)
        if ctx.tenant_id not in self._finished:
            self.deleting.finish(store)
            self._finished.add(ctx.tenant_id)
        own = self.folder.settings.session
        if own is not None and (own.tenant, own.subject) == (ctx.tenant_id, ctx.subject_id):
            self._seed(store, ctx)
        return store

    def _seed(self, store: TenantStore, ctx: RequestContext) -> None:
        if ctx.subject_id is None or store.states.load(ctx.subject_id).version > 0:
            return
        seed = read_seed(self.folder.settings.folder, ctx.tenant_id, ctx.subject_id, self.clock())
        if seed.state is None or self.deleting.is_seeded(store, ctx.subject_id):
            return
        with store.leases.held(SEEDING, "the seed", wait=True):
            if store.states.load(ctx.subject_id).version > 0:
                return  # another process was first
            # The state goes last: it is the mark that the seed is whole.
            for record in seed.memories:
                store.memories.add(record)
            store.states.save(ctx.subject_id, seed.state)

    def _let_go(self, tenant_id: str) -> None:
        """Closes and forgets what is held of a tenant beside its stores."""
        self.indexes.let_go(tenant_id)
        self.recall.forget(tenant_id)
        with self._lock:
            self._items.pop(tenant_id, None)

    def items(self, tenant_id: str) -> Items:
        """The tenant's cache of rendered items."""
        with self._lock:
            return self._items.setdefault(tenant_id, Items(self.counter))

    def sources(self, ctx: RequestContext) -> Sources:
        """The sources of one session."""
        store = self.store(ctx)
        return Sources(
            ctx=ctx,
            items=self.items(ctx.tenant_id),
            indexes=self.indexes.of(ctx),
            memories=self.recall.of(ctx),
            states=store.states,
            events=store.events,
            approvals=store.approvals,
            values=self.values,
            clock=self.clock,
            stale_freshness=self.folder.settings.assembly.stale_freshness,
            excerpts=self.folder.settings.knowledge.excerpts,
        )

    def ports(self, ctx: RequestContext, model: Model | None) -> Ports:
        """Every port of one session; without a model nothing can be sent."""
        store = self.store(ctx)
        return Ports(
            model=model,
            counter=self.counter,
            sources=self.sources(ctx),
            tools=self.tools,
            artifacts=store.artifacts,
            ledger=store.ledger,
            events=store.events,
            approvals=store.approvals,
            uses=store.uses,
            clock=self.clock,
            own=self._own(store, ctx),
            running=self._running,
            code=self.programs.code(),
        )

    def _own(self, store: TenantStore, ctx: RequestContext) -> Mapping[str, OwnTool]:
        """The engine's own tools that this project allows, over the stores of one tenant."""
        keep, contracts = self.folder.settings.memory.keep, {each.name: each for each in self.folder.contracts()}
        project = self.folder.tools_file.contracts
        clean = partial(without_private, keep=keep, locale=ctx.locale)
        restart = RestartTools(store.states, store.approvals, store.records, project, clean, self.clock)
        paging = PagingTools(store.records, self.counter, contracts)
        artifacts = ArtifactTools(store.records, store.artifacts, contracts)
        own = {**restart.own(), **paging.own(), **artifacts.own(), **self.programs.own()}
        return {name: own[name] for name in self.folder.own_contracts if name in own}
