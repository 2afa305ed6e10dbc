"""Running a task set: each case on its own copy of the project and a fresh store."""

from collections.abc import Iterator
from pathlib import Path
from time import monotonic

from ..host import open_host
from .score import Score, score
from .tasks import Case, stage


def evaluate(project: Path, cases: tuple[Case, ...], work: Path, session: Path | None = None) -> Iterator[Score]:
    """The score of each case as it ends. Case n leaves its project and its records in `work/n`, for looking them up."""
    for number, case in enumerate(cases, 1):
        place = work / str(number)
        place.mkdir(parents=True)
        folder = stage(project, case, place / "project")
        with open_host(folder, place / "data") as host:
            ctx = case.session(host.session(session))
            start = monotonic()
            result = host.run(case.input, ctx, decision=case.decision)
            seconds = monotonic() - start
            requests = [host.show(request_id, ctx) for request_id in result.request_ids]
        yield score(case, result, requests, seconds)
