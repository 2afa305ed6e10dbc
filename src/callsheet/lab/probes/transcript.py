"""A transcript's main conversation under several policies, asked by probes: what `callsheet compare --probes` runs."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from ...core.history.policies import POLICIES
from ...edges.project.folder import read_project
from ...edges.project.settings import FILE
from ...edges.providers.embedded import EmbeddedModel
from ...edges.providers.endpoint import utc_now
from ...edges.providers.weights import DEFAULT, find
from ...errors import UsageError
from ...host.counters import choose
from ...host.host import surroundings
from ...host.wiring import known_model, open_model
from ...model.history_policy import HistoryPolicy
from ...model.policy import ModelProfile
from ...ports import Model
from ...transcripts import artifacts, reading
from ..compare.timeline import recorded
from .answers import Answers
from .files import read_probes
from .made import made_probes
from .probe import Probe
from .results import Answer, Probed
from .run import Setting, control, run

WINDOW = 32_768
EMBEDDED = ModelProfile("Qwen2.5-Coder-0.5B-Instruct", "openai_chat", WINDOW, 512, "qwen")
"""What answers where no project says which model does."""
TIMEOUT = 1_800.0
"""Seconds for one answer: a full window is read at the pace of a processor."""


def probe_transcript(
    path: Path,
    names: Sequence[str],
    project: Path,
    *,
    probes: Path | None = None,
    answers: Path | None = None,
    window: int | None = None,
    tokenizer: str | None = None,
    recall: bool = False,
    told: Callable[[str, Answer], None] = lambda row, answer: None,
) -> Iterator[Probed]:
    """The control row, then one for each policy, as each is done.

    `probes` is a file of probes; without one they are made from the transcript. `answers` is the file that keeps what
    was answered, so that a run which is broken off goes on there. `window` is what a policy may fill, the model's own
    where it is not said. With `recall` the model may read originals again. It is that of the project folder, the
    embedded one where there is none. UsageError where the transcript has no conversation, or nothing to ask for.
    """
    count = choose(tokenizer).count
    with reading(path) as (_, events):
        held = recorded(events, count)
    if not held:
        raise UsageError(f"{path} has no answered call of a model, so there is nothing to probe")
    timeline = held[0].timeline
    asked: tuple[Probe, ...] = read_probes(probes) if probes else made_probes(timeline, artifacts(path))
    if not asked:
        raise UsageError(f"{path} states no exact value that stands in one place alone; write a file of probes for it")
    with closing(prober(project)) as model:
        embedded = isinstance(model, EmbeddedModel)
        setting = Setting(model, count, window or 0, answers=Answers(answers), warm=embedded, recall=recall, told=told)
        yield control(timeline, asked, setting)
        for name in names:
            yield run(timeline, POLICIES.get(name) or HistoryPolicy(name), asked, setting)


def prober(project: Path) -> Model:
    """The model that answers probes, not yet loaded: the project's own, or the embedded one where there is no project.

    WeightsError where the embedded one's weights are not there.
    """
    if (project / FILE).is_file():
        folder = read_project(project)
        return open_model(folder, known_model(folder), surroundings(), utc_now)
    weights = find(DEFAULT, surroundings().cache)
    return EmbeddedModel(weights, EMBEDDED, timeout=TIMEOUT, context=WINDOW)
