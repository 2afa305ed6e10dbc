"""A model sums up, piece by piece, so that every message is read whole; whatever goes wrong is said, not hidden."""

from dataclasses import replace

from ...core.history.summary.chunks import LEAST, Chunk, chunks
from ...core.history.summary.merge import merged
from ...core.history.summary.prompt import SCHEMA, instructions, material, read
from ...core.history.terms import Count
from ...model.history import Drafted, Line, Summarise, Summary
from ...model.item import Trust
from ...model.message import Message, TextBlock, Usage
from ...model.policy import ModelProfile
from ...model.prompt import OutputSchema, Prompt
from ...ports import Model
from .answer import answer

SPARE = 0.1
"""The share of the window that is left over, for what a count of single texts misses."""
WHOLE = ("stop", "")


class ModelSummariser:
    """Sums up with a model over any provider.

    The window of the model's profile bounds what it is given at once: a longer history goes to it in pieces, each with
    the lines so far. The draft fails where one of them did; what the calls cost is said all the same.
    """

    def __init__(self, model: Model, count: Count) -> None:
        self._model = model
        self._count = count

    def summarise(self, request: Summarise) -> Drafted:
        """The draft for exactly these messages; a failure is a `Drafted` with `error`, never an exception."""
        profile = self._model.profile
        reply = min(profile.max_output, max(request.limit * 2, LEAST))
        taken = self._count(instructions(request)) + request.limit * 2 + reply
        room = int(profile.window * (1 - SPARE)) - taken
        if room < LEAST:
            return Drafted(error=f"{profile.name}: a window of {profile.window} tokens has no room for a message")
        lines: tuple[Line, ...] = ()
        usage = Usage()
        for piece in chunks(request.entries, room, self._count):
            drafted = self._ask(replace(request, before=_so_far(request, lines)), piece, reply)
            usage = usage.plus(drafted.usage)
            if drafted.error:
                return Drafted(usage=usage, error=drafted.error, by=profile.name)
            lines = merged(lines, drafted.lines, 1)
        labelled = tuple(replace(line, trust=_label(line, request)) for line in lines)
        numbers = tuple(entry.number for entry in request.entries)
        return Drafted(labelled, usage=usage, read=numbers, by=profile.name)

    def _ask(self, request: Summarise, piece: Chunk, reply: int) -> Drafted:
        profile = self._model.profile
        prompt = _prompt(profile, instructions(request), material(request, piece), reply)
        response = answer(self._model, prompt)
        if isinstance(response, str):
            return Drafted(error=f"{profile.name}: {response}")
        if response.finish not in WHOLE:
            return Drafted(usage=response.usage, error=f"{profile.name}: the answer ended early ({response.finish})")
        numbers = [part.number for part in piece]
        return replace(read(response.message.text, request.sections, numbers), usage=response.usage)


def _so_far(request: Summarise, lines: tuple[Line, ...]) -> Summary | None:
    """The summary that the next piece goes on from: the standing one with the lines of the pieces before."""
    standing = request.before.lines if request.before else ()
    return Summary(merged(standing, lines, 1), domain=request.domain) if standing or lines else None


def _label(line: Line, request: Summarise) -> Trust:
    """The lowest label of the messages a line names; of all of them where it names none."""
    named = [entry for entry in request.entries if entry.number in line.numbers] or request.entries
    return "untrusted" if any(entry.trust == "untrusted" for entry in named) else "trusted"


def _prompt(profile: ModelProfile, task: str, said: str, reply: int) -> Prompt:
    blocks = profile.dialect in ("anthropic", "gemini")
    return Prompt(
        model=profile.name,
        messages=(Message("user", (TextBlock(text=said),), "text"),),
        system=(TextBlock(text=task),),
        system_form="blocks" if blocks else "text",
        output=OutputSchema(SCHEMA, name="summary") if profile.channel == "json-schema" else None,
        max_output=reply,
        max_output_key=profile.traits.max_output_key if profile.dialect == "openai_chat" else "",
        parameters=dict(profile.native),
    )
