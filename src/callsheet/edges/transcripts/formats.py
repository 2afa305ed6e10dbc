"""Which format a transcript is in, by its content."""

from collections.abc import Iterator

from ...errors import UsageError
from ...model.transcript import Accounted, Event
from .atif import FORMAT as ATIF
from .claude_code.session import FORMAT as CLAUDE_CODE
from .codex.exec import FORMAT as CODEX_EXEC
from .codex.rollout import FORMAT as CODEX
from .copilot import FORMAT as COPILOT
from .format import Format, Record, Sample, Shape
from .gemini_cli import FORMAT as GEMINI_CLI
from .inspect_log.log import FORMAT as INSPECT_LOG
from .langchain import FORMAT as LANGCHAIN
from .ledger import FORMAT as LEDGER
from .mini_swe_agent import FORMAT as MINI_SWE_AGENT
from .openai_chat import FORMAT as OPENAI_CHAT
from .openhands.conversation import FORMAT as OPENHANDS
from .pi import FORMAT as PI
from .pydantic_ai import FORMAT as PYDANTIC_AI
from .reading.records import Source
from .recordings.recordings import FORMAT as RECORDINGS
from .spans.spans import FORMAT as SPANS
from .swe_agent.trajectory import FORMAT as SWE_AGENT
from .swe_agent.trajectory import HISTORY as SWE_AGENT_HISTORY
from .tau_bench import FORMAT as TAU_BENCH
from .traces import FORMAT as TRACES

FORMATS: tuple[Format, ...] = (
    CLAUDE_CODE,
    PI,
    CODEX,
    CODEX_EXEC,
    COPILOT,
    GEMINI_CLI,
    SWE_AGENT,
    SWE_AGENT_HISTORY,
    MINI_SWE_AGENT,
    OPENHANDS,
    TAU_BENCH,
    INSPECT_LOG,
    ATIF,
    LEDGER,
    SPANS,
    TRACES,
    PYDANTIC_AI,
    LANGCHAIN,
    RECORDINGS,
    OPENAI_CHAT,
)
"""In the order of asking: the more particular ones first."""


def recognise(source: Source) -> tuple[Format, Shape]:
    """The format of a transcript and the shape it is read in.

    UsageError where it is none of them: it says which were tried and why not.
    """
    samples = source.samples()
    if not samples:
        raise UsageError(
            f"{source.name}: no JSON was found in it, and every transcript format that is known is JSON or JSON Lines; "
            "name the session file itself"
        )
    for sample in samples:
        for each in FORMATS:
            if not each.refuses(sample):
                return each, sample.shape
    if any(sample.flaw for sample in samples) or not any(sample.records or sample.members for sample in samples):
        raise UsageError(
            f"{source.name} begins like JSON, but is cut off or is not JSON all through, and what can be read of it is "
            "in no transcript format that is known; name a whole session file"
        )
    raise UsageError(_refusals(source.name, samples[0]))


def events(source: Source, form: Format, shape: Shape) -> Iterator[Event]:
    """The events of a transcript; records that could not be read are accounted for here, whatever the format."""
    unread: list[Accounted] = []

    def readable() -> Iterator[Record]:
        for record in source.records(shape, form.entries):
            if record.skip is None:
                yield record
            else:
                unread.append(Accounted(record=record.index, fate="skipped", reason=record.skip, detail=record.detail))

    for event in form.read(readable()):
        yield from unread
        unread.clear()
        yield event
    yield from unread


def _refusals(name: str, sample: Sample) -> str:
    tried = "; ".join(f"{each.title} ({each.refuses(sample)})" for each in FORMATS)
    return f"{name} is in none of the transcript formats that are known; tried: {tried}"
