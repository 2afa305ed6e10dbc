"""Which format a transcript is in, by its content."""

from collections.abc import Iterator
from importlib import import_module

from ...errors import UsageError
from ...model.transcript import Accounted, Event
from .format import Format, Record, Sample, Shape
from .reading.records import Source

FORMATS = (
    "claude_code.session:FORMAT",
    "pi:FORMAT",
    "codex.rollout:FORMAT",
    "codex.exec:FORMAT",
    "copilot:FORMAT",
    "gemini_cli:FORMAT",
    "swe_agent.trajectory:FORMAT",
    "swe_agent.trajectory:HISTORY",
    "mini_swe_agent:FORMAT",
    "openhands.conversation:FORMAT",
    "tau_bench:FORMAT",
    "inspect_log.log:FORMAT",
    "atif:FORMAT",
    "ledger:FORMAT",
    "spans.spans:FORMAT",
    "traces:FORMAT",
    "pydantic_ai:FORMAT",
    "langchain:FORMAT",
    "recordings.recordings:FORMAT",
    "openai_chat:FORMAT",
)
"""Where each format is (module:name), in the order of asking: the more particular ones first."""


def formats() -> Iterator[Format]:
    """The formats in the order of asking; the room of each is loaded when it is asked."""
    for where in FORMATS:
        module, _, name = where.partition(":")
        each = getattr(import_module(f"{__package__}.{module}"), name)
        assert isinstance(each, Format)
        yield each


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
        for each in formats():
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
    tried = "; ".join(f"{each.title} ({each.refuses(sample)})" for each in formats())
    return f"{name} is in none of the transcript formats that are known; tried: {tried}"
