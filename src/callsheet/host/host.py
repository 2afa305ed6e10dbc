"""The host: a project folder opened for use. The only reader of the environment, the clock and the random source."""

import asyncio
import os
import secrets
from collections.abc import AsyncGenerator, Generator, Iterable, Iterator
from contextlib import ExitStack, aclosing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Self

from ..core.decide import prepare
from ..core.restart.tools import COMPLETE
from ..core.text.redact import redact
from ..drive import adrive, drive
from ..drive.live import Happened, alive, live
from ..drive.outside import Outside
from ..edges.project.folder import ProjectFolder, read_project
from ..errors import ProjectError, UsageError
from ..model.effect import Flow, RunResult
from ..model.evidence import Evidence
from ..model.ingest import Told
from ..model.policy import Policy
from ..model.prompt import Delta
from ..model.request import SHARED, RequestContext
from ..model.retrieval import SearchPlan
from ..model.task import Task
from ..ports import Clock, Model, StoredRequest
from .knowledge.desk import Given, KnowledgeDesk
from .knowledge.rankers import OpenedRankers
from .memory.after_run import AfterRun
from .memory.desk import MemoryDesk
from .recorded import Recorded
from .restart import RestartDesk, RunLog
from .runs import begun, resumed
from .skills import SkillDesk
from .stores import open_stores
from .tenants import Tenants
from .tools.desk import GatewayDesk
from .tools.sources import sourced, with_served
from .wiring import (
    Overrides,
    Surroundings,
    build_policy,
    check_fits,
    counting,
    known_model,
    open_counter,
    open_model,
    own_weights,
)

CACHE = "callsheet"
ASSEMBLED = SearchPlan(failed="a request is assembled without asking it")
"""What stands for the model's plan where none may be called: the rule decides then."""


class Host(Recorded):
    """One project folder and its stores. A context manager; each method that waits has an `a…` twin.

    Without a `ctx` a method works in the session of callsheet.toml.
    """

    def __init__(self, folder: ProjectFolder, data_dir: Path, around: Surroundings, overrides: Overrides) -> None:
        folder = with_served(folder)
        self.data_dir = data_dir
        self._around = around
        self._token = overrides.token or (lambda: secrets.token_hex(4))
        self._model = overrides.model
        self._gate = overrides.gate
        clock: Clock = overrides.clock or (lambda: datetime.now(UTC))
        profile = overrides.model.profile if overrides.model is not None else known_model(folder)
        check_fits(folder, profile)
        estimate = open_counter(profile, own_weights(folder))
        counter = counting(folder.settings.model, estimate, self._opened_model)
        self._closing = ExitStack()
        tools = overrides.tools or sourced(folder, around.keys, self._closing)
        values = overrides.values or folder.values()
        rankers = OpenedRankers(folder.settings.rankers, around, clock, overrides.embedder, overrides.reranker)
        stores = open_stores(folder.settings.store, data_dir, around.keys)
        tenants = Tenants(folder, data_dir, tools, values, clock, counter, rankers, stores)
        super().__init__(folder, tenants, profile, estimate, clock)
        self.memory = MemoryDesk(self.stores, folder.settings.memory, clock, tenants.memory, tenants.deleting, tools)
        self.restart = RestartDesk(self.stores, clock, folder.settings.memory.keep)
        self._run_log = RunLog(self.stores, clock, COMPLETE in folder.own_contracts)
        self._after_run = AfterRun(self.memory, folder.settings.memory, self.stores, overrides.extractor)
        self.knowledge = KnowledgeDesk(tenants.indexes, folder.settings.ingest, clock)
        self.gateway = GatewayDesk(
            folder.settings.mcp,
            folder.settings.folder,
            around.keys,
            lambda: self.policy,
            self.stores,
            clock,
            self._token,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Frees the model and closes the stores; after that every method that asks them is a UsageError."""
        self._closed = True
        if self._model is not None:
            self._model.close()
        self._closing.close()
        self._tenants.close()

    @cached_property
    def policy(self) -> Policy:
        """The project's policy; built when a request is made, because it counts the project's texts."""
        return build_policy(self.folder, self._profile, self._gate, self._counter)

    def run(
        self,
        question: str = "",
        ctx: RequestContext | None = None,
        *,
        decision: str | None = None,
        resume: str | None = None,
    ) -> RunResult:
        """The result of a question taken through whole decisions, or of the run `resume`, from where it stopped.

        `decision` names the kind to start with in the planner's place. What the model, a tool or a source failed at is
        an `outcome` of the result, with the rule in `why`. UsageError for an empty question and a run that somebody
        works on, UnknownName for a run or kind that is not there, WeightsError where no model could be called,
        InputTooLarge where required items alone do not fit, StoreError where nothing can be written down.
        """
        with self._started(question, ctx, decision, resume) as (flow, outside):
            return self._ended(drive(flow, outside), outside)

    async def arun(
        self,
        question: str = "",
        ctx: RequestContext | None = None,
        *,
        decision: str | None = None,
        resume: str | None = None,
    ) -> RunResult:
        """As `run`, awaited: sources are asked together, and cancelling it breaks the model call off.

        What `resume` finds open from an earlier process is brought to its end before the first await.
        """
        with self._started(question, ctx, decision, resume) as (flow, outside):
            return await asyncio.to_thread(self._ended, await adrive(flow, outside.perform), outside)

    def stream(
        self,
        question: str = "",
        ctx: RequestContext | None = None,
        *,
        decision: str | None = None,
        resume: str | None = None,
    ) -> Generator[Happened | Delta, None, RunResult]:
        """Each effect with its answer as it happens; the generator's return value is the run's result.

        Where the project asks for streamed replies, each piece of one comes before its `Call`: the model's raw words,
        which nobody has judged yet. The run is held, and nobody else can resume it, from the first effect until the
        generator ends or is closed.
        """
        self._must_be_open()
        return self._walked(question, ctx, decision, resume)

    def _walked(
        self, question: str, ctx: RequestContext | None, decision: str | None, resume: str | None
    ) -> Generator[Happened | Delta, None, RunResult]:
        with self._started(question, ctx, decision, resume) as (flow, outside):
            return self._ended((yield from live(flow, outside)), outside)

    async def astream(
        self,
        question: str = "",
        ctx: RequestContext | None = None,
        *,
        decision: str | None = None,
        resume: str | None = None,
    ) -> AsyncGenerator[Happened | Delta | RunResult, None]:
        """As `stream`, awaited: the pieces, each effect with its answer, and last the run's result."""
        with self._started(question, ctx, decision, resume) as (flow, outside):
            async with aclosing(alive(flow, outside)) as steps:
                async for each in steps:
                    if isinstance(each, RunResult):
                        await asyncio.to_thread(self._ended, each, outside)
                    yield each

    def assemble(self, question: str, ctx: RequestContext | None = None, decision: str | None = None) -> StoredRequest:
        """The recorded request that the question's first decision would send; no model is called. Errors as `run`.

        Where the model is to choose the route, it is the one after that, with the route by rule.
        """
        task, outside = self._task(question, decision, ASSEMBLED), self._outside(ctx, None)
        drive(prepare(outside.ctx, task, self.policy), outside)
        return self.stores(outside.ctx).records.request(task.request_id)

    async def aassemble(
        self, question: str, ctx: RequestContext | None = None, decision: str | None = None
    ) -> StoredRequest:
        """As `assemble`, awaited."""
        task, outside = self._task(question, decision, ASSEMBLED), self._outside(ctx, None)
        await adrive(prepare(outside.ctx, task, self.policy), outside.perform)
        return self.stores(outside.ctx).records.request(task.request_id)

    def search(self, query: str, ctx: RequestContext | None = None, k: int = 10) -> list[Evidence]:
        """The best `k` pieces of evidence in force that this session may see, best first.

        Of the tenant's own index and the shared one, joined by rank and relevance; scores lie in [0, 1].
        """
        return list(self.knowledge.search(query, self._session(ctx), k).evidence)

    async def asearch(self, query: str, ctx: RequestContext | None = None, k: int = 10) -> list[Evidence]:
        """As `search`, awaited."""
        return await asyncio.to_thread(self.search, query, ctx, k)

    def section_ids(self, ctx: RequestContext | None = None) -> frozenset[str]:
        """The ids of the documents that this session may see, and of their sections as `document#section`."""
        return self._tenants.indexes.section_ids(self._session(ctx))

    def ingest(self, documents: Iterable[Given], ctx: RequestContext | None = None, shared: bool = False) -> int:
        """How many sections were written: into the tenant's own knowledge, or with `shared` into that of all.

        A document is a path, a mapping with `id` and `text`, or a noun. It is found by its words at once; where the
        project names an embedder, vectors follow in the background until the host is closed, and the next host goes on.
        UsageError for one that cannot be read, and for shared knowledge where the session does not hold the grant
        `publish`.
        """
        return self.knowledge.ingest(documents, self._session(ctx), shared=shared).sections

    async def aingest(self, documents: Iterable[Given], ctx: RequestContext | None = None, shared: bool = False) -> int:
        """As `ingest`, awaited."""
        return await asyncio.to_thread(self.ingest, documents, ctx, shared)

    def embed(self, ctx: RequestContext | None = None, shared: bool = False, told: Told | None = None) -> int:
        """How many sections got the vectors that they lacked, of the tenant's own knowledge or of that of all.

        `told` hears how many are done, of how many. UsageError as `ingest`, and where the project names no embedder;
        OutageError where it failed: what it did until then stays.
        """
        return self._tenants.indexes.embed(self._session(ctx), shared, told)

    async def aembed(self, ctx: RequestContext | None = None, shared: bool = False, told: Told | None = None) -> int:
        """As `embed`, awaited."""
        return await asyncio.to_thread(self.embed, ctx, shared, told)

    def lacking_vectors(self, ctx: RequestContext | None = None, shared: bool = False) -> int:
        """How many sections that the session sees have no vector yet; searches find them by their words alone."""
        session = self._session(ctx)
        return self._tenants.indexes.lacking(SHARED if shared else session.tenant_id, session.grants)

    def ready(self) -> str:
        """The name of the model that would answer. UsageError or WeightsError where it could not be called at all."""
        return self._opened_model().profile.name

    def _task(self, question: str, decision: str | None, planned: SearchPlan | None = None) -> Task:
        """The first task of a new run."""
        if not question.strip():
            raise UsageError("the question is empty; say what is asked")
        # A run id carries its second, so that ids sort by time; the rest keeps two runs of one second apart.
        run_id = f"{self._clock():%Y%m%d-%H%M%S}-{self._token()}"
        # Secrets leave the question before anything sees it, so that the words sent are the words stored.
        return Task(redact(question), run_id, decision=decision, search_plan=planned)

    def _outside(self, ctx: RequestContext | None, model: Model | None) -> Outside:
        own = self._session(ctx)
        return Outside(own, self.policy, self._tenants.ports(own, model))

    @contextmanager
    def _started(
        self, question: str, ctx: RequestContext | None, decision: str | None, resume: str | None
    ) -> Iterator[tuple[Flow[RunResult], Outside]]:
        """The flow of a run and its outside; the run is held for as long as they are used."""
        model = self._opened_model()
        task = self._task(question, decision) if resume is None else None
        outside = self._outside(ctx, model)
        stores = self.stores(outside.ctx)
        with begun(task, outside, stores) if task is not None else resumed(resume or "", outside, stores) as flow:
            earlier = 0 if task is not None else len(stores.records.run(resume or ""))
            self._run_log.began(task.run_id if task is not None else resume or "", outside.ctx, earlier)
            try:
                yield flow, outside
            finally:
                outside.close()

    def _ended(self, result: RunResult, outside: Outside) -> RunResult:
        """The result of a run, after it was logged and what was said in it remembered, where the project wants that."""
        self._run_log.ended(result, outside.ctx)
        self._after_run(outside, result.run_id)
        return result

    def _opened_model(self) -> Model:
        """The model, found before anything is recorded: absent weights must not look like a request that was sent."""
        self._must_be_open()
        if self._model is None:
            self._model = open_model(self.folder, self._profile, self._around, self._clock)
        return self._model


def open_host(
    project_dir: Path | str = ".", data_dir: Path | str | None = None, overrides: Overrides | None = None
) -> Host:
    """The host of a project folder; stores lie in `data_dir`, as SQLite, else where callsheet.toml says.

    ProjectError names the file, the line, the rule and the way out when the folder breaks its format.
    """
    folder = Path(project_dir)
    if not folder.is_dir():
        raise ProjectError(f"{folder} is no folder; run `callsheet init {folder} --template support` to make one")
    project = read_project(folder)
    around = surroundings()
    project = replace(project, settings=project.settings.kept_in(data_dir))
    data = Path(data_dir) if data_dir is not None else project.settings.data_dir
    approved = SkillDesk(folder, data, project.settings.skills).approved()
    return Host(replace(project, skills=approved), data, around, overrides or Overrides())


def surroundings() -> Surroundings:
    """What the environment says of models: the cache, the keys, the proxy."""
    return Surroundings(weights_cache(), os.environ, os.environ.get("HTTPS_PROXY"))


def weights_cache() -> Path:
    """The folder model weights are cached in: `CALLSHEET_CACHE`, else `callsheet` in the user's cache folder."""
    own = os.environ.get("CALLSHEET_CACHE")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / CACHE
