"""Which format a transcript is in, by its content."""

from collections.abc import Iterator

from ...errors import UsageError
from ...model.transcript import Accounted, Event
from . import (
    atif,
    claude_code,
    codex,
    codex_exec,
    copilot,
    gemini_cli,
    inspect_log,
    langchain,
    ledger,
    mini_swe_agent,
    openai_chat,
    openhands,
    pi,
    pydantic_ai,
    recordings,
    spans,
    swe_agent,
    tau_bench,
    traces,
)
from .format import Format, Record, Sample, Shape
from .reading import Source

FORMATS: tuple[Format, ...] = (
    claude_code.FORMAT,
    pi.FORMAT,
    codex.FORMAT,
    codex_exec.FORMAT,
    copilot.FORMAT,
    gemini_cli.FORMAT,
    swe_agent.FORMAT,
    swe_agent.HISTORY,
    mini_swe_agent.FORMAT,
    openhands.FORMAT,
    tau_bench.FORMAT,
    inspect_log.FORMAT,
    atif.FORMAT,
    ledger.FORMAT,
    spans.FORMAT,
    traces.FORMAT,
    pydantic_ai.FORMAT,
    langchain.FORMAT,
    recordings.FORMAT,
    openai_chat.FORMAT,
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
