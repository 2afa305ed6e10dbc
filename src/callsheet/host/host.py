"""The host: a project folder opened for use. The only reader of the environment, the clock and the random source."""

import asyncio
import os
import secrets
from collections.abc import AsyncGenerator, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from ..core.decide import prepare
from ..core.text.redact import redact
from ..drive import adrive, drive
from ..drive.live import Happened, alive, live
from ..drive.outside import Outside
from ..edges.counters.estimate import Calibration
from ..edges.project.folder import ProjectFolder, read_project
from ..edges.project.session import read_session
from ..edges.stores import TenantStore
from ..errors import ProjectError, UsageError
from ..model.effect import Flow, RunResult
from ..model.evidence import Evidence
from ..model.grants import AUDIT
from ..model.policy import Policy
from ..model.prompt import Delta
from ..model.request import SHARED, RequestContext
from ..model.task import Task
from ..ports import Clock, Model, StoredRequest
from . import consent, inspection
from .knowledge.desk import Given, KnowledgeDesk
from .knowledge.embedding import Told
from .knowledge.rankers import OpenedRankers
from .memory import MemoryDesk
from .runs import begun, resumed
from .tenants import Tenants
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


class Host:
    """One project folder and its stores. A context manager; each method that waits has an `a…` twin.

    Without a `ctx` a method works in the session of callsheet.toml.
    """

    def __init__(self, folder: ProjectFolder, data_dir: Path, around: Surroundings, overrides: Overrides) -> None:
        self.folder = folder
        self.data_dir = data_dir
        self._around = around
        self._clock: Clock = overrides.clock or (lambda: datetime.now(UTC))
        self._token = overrides.token or (lambda: secrets.token_hex(4))
        self._model = overrides.model
        self._gate = overrides.gate
        self._profile = overrides.model.profile if overrides.model is not None else known_model(folder)
        check_fits(folder, self._profile)
        self._counter = open_counter(self._profile, own_weights(folder))
        tools, values = overrides.tools or folder.tools(), overrides.values or folder.values()
        counter = counting(folder.settings.model, self._counter, self._opened_model)
        rankers = OpenedRankers(folder.settings.rankers, around, self._clock, overrides.embedder, overrides.reranker)
        self._tenants = Tenants(folder, data_dir, tools, values, self._clock, counter, rankers)
        self.memory = MemoryDesk(self.stores)
        self.knowledge = KnowledgeDesk(self._tenants.indexes, folder.settings.ingest, self._clock)
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Frees the model and closes the stores; after that every method that asks them is a UsageError."""
        self._closed = True
        if self._model is not None:
            self._model.close()
        self._tenants.close()

    @cached_property
    def policy(self) -> Policy:
        """The project's policy; built when a request is made, because it counts the project's texts."""
        return build_policy(self.folder, self._profile, self._gate, self._counter)

    def session(self, file: Path | str | None = None) -> RequestContext:
        """The session of a file, else of `[session]` in callsheet.toml; UsageError where neither names one."""
        return read_session(self.folder.settings, Path(file) if file else None)

    def stores(self, ctx: RequestContext) -> TenantStore:
        """The stores of the session's tenant."""
        self._must_be_open()
        return self._tenants.store(ctx)

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
            return drive(flow, outside)

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
            return await adrive(flow, outside.perform)

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
            return (yield from live(flow, outside))

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
                    yield each

    def assemble(self, question: str, ctx: RequestContext | None = None, decision: str | None = None) -> StoredRequest:
        """The recorded request that the question's first decision would send; no model is called. Errors as `run`."""
        task, outside = self._task(question, decision), self._outside(ctx, None)
        drive(prepare(outside.ctx, task, self.policy), outside)
        return self.stores(outside.ctx).records.request(task.request_id)

    async def aassemble(
        self, question: str, ctx: RequestContext | None = None, decision: str | None = None
    ) -> StoredRequest:
        """As `assemble`, awaited."""
        task, outside = self._task(question, decision), self._outside(ctx, None)
        await adrive(prepare(outside.ctx, task, self.policy), outside.perform)
        return self.stores(outside.ctx).records.request(task.request_id)

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

    def search(self, query: str, ctx: RequestContext | None = None, k: int = 10) -> list[Evidence]:
        """The best `k` pieces of evidence in force that this session may see, best first.

        Of the tenant's own index and the shared one, joined by rank; scores lie in [0, 1].
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
        """How many sections have no vector of the project's embedder yet; searches find them by their words alone."""
        return self._tenants.indexes.lacking(SHARED if shared else self._session(ctx).tenant_id)

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

        A session forgets its own subject; the grant `delete` opens every subject of the tenant. Of its requests stays
        their shape, for the grant `audit`: ids, kinds, counts, reasons.
        """
        return self._tenants.forget(subject_id, self._session(ctx))

    def ready(self) -> str:
        """The name of the model that would answer. UsageError or WeightsError where it could not be called at all."""
        return self._opened_model().profile.name

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

    def _task(self, question: str, decision: str | None) -> Task:
        """The first task of a new run."""
        if not question.strip():
            raise UsageError("the question is empty; say what is asked")
        # A run id carries its second, so that ids sort by time; the rest keeps two runs of one second apart.
        run_id = f"{self._clock():%Y%m%d-%H%M%S}-{self._token()}"
        # Secrets leave the question before anything sees it, so that the words sent are the words stored.
        return Task(redact(question), run_id, decision=decision)

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
            yield flow, outside

    def _opened_model(self) -> Model:
        """The model, found before anything is recorded: absent weights must not look like a request that was sent."""
        self._must_be_open()
        if self._model is None:
            self._model = open_model(self.folder, self._profile, self._around, self._clock)
        return self._model


def open_host(
    project_dir: Path | str = ".", data_dir: Path | str | None = None, overrides: Overrides | None = None
) -> Host:
    """The host of a project folder; stores lie in `data_dir`, else where callsheet.toml says.

    ProjectError names the file, the line, the rule and the way out when the folder breaks its format.
    """
    folder = Path(project_dir)
    if not folder.is_dir():
        raise ProjectError(f"{folder} is no folder; run `callsheet init {folder} --template support` to make one")
    project = read_project(folder)
    around = surroundings()
    data = Path(data_dir) if data_dir is not None else project.settings.data_dir
    return Host(project, data, around, overrides or Overrides())


def surroundings() -> Surroundings:
    """What the environment says of models: the cache, the keys, the proxy."""
    return Surroundings(weights_cache(), os.environ, os.environ.get("HTTPS_PROXY"))


def weights_cache() -> Path:
    """The folder model weights are cached in: `CALLSHEET_CACHE`, else `callsheet` in the user's cache folder."""
    own = os.environ.get("CALLSHEET_CACHE")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / CACHE
