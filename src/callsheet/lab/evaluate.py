"""Running a task set: each case on its own copy of the project and a fresh store."""

import json
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

from ..host.host import open_host
from ..model.request import RequestContext
from .score import Score, score
from .tasks import Case, known_evidence, only_new, stage

PROJECT, DATA, SESSION = "project", "data", "session.json"
"""What case n leaves in `work/n`: its copy of the project, its records, and who asked."""


def evaluate(project: Path, cases: tuple[Case, ...], work: Path, session: Path | None = None) -> Iterator[Score]:
    """The score of each case as it ends. Case n leaves its project and its records in `work/n`, for looking them up.

    UsageError where `work` is not empty: what an earlier evaluation left there is not written over.
    """
    only_new(work)
    known = known_evidence(project)
    for number, case in enumerate(cases, 1):
        place = work / str(number)
        place.mkdir(parents=True)
        folder = stage(project, case, place / PROJECT)
        with open_host(folder, place / DATA) as host:
            ctx = case.session(host.session(session))
            (place / SESSION).write_text(_written(ctx), encoding="utf-8")
            start = monotonic()
            result = host.run(case.input, ctx, decision=case.decision)
            seconds = monotonic() - start
            tools = [each.name for each in host.folder.contracts()]
            requests = [host.show(request_id, ctx) for request_id in result.request_ids]
        yield score(case, result, requests, seconds, known, tools)


def _written(ctx: RequestContext) -> str:
    """A session as the file that `--session` reads."""
    named = {"tenant": ctx.tenant_id, "actor": ctx.actor, "subject": ctx.subject_id, "locale": ctx.locale}
    now = {"now": ctx.now.isoformat()} if ctx.now is not None else {}
    return json.dumps({**named, "grants": list(ctx.grants), **now}, ensure_ascii=False, indent=2) + "\n"
