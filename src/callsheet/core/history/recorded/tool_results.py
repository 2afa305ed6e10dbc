"""What is known of each tool result: what was called, whether calling it again shows it again, whether it says that
something failed, and whether it says the same as one before it (F2, F5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from json import dumps
from typing import Any

from ....model.history import Entry, Standing
from ....model.message import Block, CallBlock, ResultBlock, ToolChangeBlock
from ..artifacts.errors import error_lines
from ..artifacts.result_text import HEAD, TAKEN_BACK, exit_code, failed, result_text
from ..artifacts.testing_output import test_command, test_run
from ..artifacts.tools import Action, action_of
from .pairing import Place
from .repeatable import reads_only

SHORT = 120
LEAST = 200
"""The shortest text, in characters, that is worth a digest."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A tool's result at `place`, for the call at `call`: the tool, its arguments in short, and what it says.

    `repeatable` is True where the same call, made once more, shows it again. `path` is the one file it read. `digest`
    is the SHA-256 of its text where it only reads. `same` is the place of the last result before it with the same text
    for the same file or call. `defines` marks one that brings tool definitions in, which are whole or absent (F5).
    """

    place: Place
    call: Place
    tool: str
    short: str
    repeatable: bool
    path: str = ""
    digest: str = ""
    same: Place | None = None
    defines: bool = False


class ToolResults:
    """All results of a history, in its order, each looked at once; it only grows.

    `failing` has by call (`_key`) the place of the last result where that says that something failed: nothing later
    supersedes it, so it is the only evidence of that failure. `repeats` are those that say the same as one before.
    """

    def __init__(self) -> None:
        self.listed: list[ToolResult] = []
        self.by_place: dict[Place, ToolResult] = {}
        self.failing: dict[str, Place] = {}
        self.repeats: list[ToolResult] = []
        self._calls: dict[str, tuple[Place, CallBlock]] = {}
        self._seen: dict[tuple[str, str], Place] = {}
        self._read = 0
        self._open: tuple[Standing, int, list[ToolResult]] = (Standing(), 0, [])

    def open(self, standing: Standing) -> Sequence[ToolResult]:
        """The results that stand in the window as they were given, in order; only those that are new are looked at
        where the standing clears and covers the same as when last asked."""
        before, read, found = self._open
        same = before.cleared is standing.cleared and before.carried is standing.carried
        if not same or before.covered != standing.covered:
            read, found = 0, []
        for result in self.listed[read:]:
            number = result.place[0]
            shown = number >= standing.covered or (number in standing.carried and result.place not in standing.parted)
            if shown and result.place not in standing.cleared:
                found.append(result)
        self._open = standing, len(self.listed), found
        return found

    def read(self, entries: Sequence[Entry]) -> None:
        """Looks at the messages that are new. A result without its call, or an intermediate one, is none of them."""
        for entry in entries[self._read :]:
            for at, block in enumerate(entry.message.blocks):
                if isinstance(block, CallBlock) and block.id and not block.server:
                    self._calls[block.id] = (entry.number, at), block
                elif isinstance(block, ResultBlock) and not block.server and block.call_id not in entry.running:
                    called = self._calls.get(block.call_id or "")
                    if called is not None:
                        self._take((entry.number, at), block, *called)
        self._read = len(entries)

    def _take(self, place: Place, block: ResultBlock, where: Place, call: CallBlock) -> None:
        action, text = action_of(call, ""), result_text(block)
        key, reads = _key(call, action), reads_only(call.name, action, call.arguments)
        wrong = _failed(block, text, action, reads)
        if wrong:
            self.failing[key] = place
        else:
            self.failing.pop(key, None)
        repeatable = reads and not wrong
        path = action.effects[0].path if repeatable and len(action.effects) == 1 else ""
        digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest() if repeatable and len(text) >= LEAST else ""
        same = self._seen.get((path or key, digest)) if digest else None
        result = ToolResult(
            place, where, call.name, short(call), repeatable, path, digest, same, _defines(block.blocks)
        )
        if digest:
            self._seen[path or key, digest] = place
        if same is not None:
            self.repeats.append(result)
        self.listed.append(result)
        self.by_place[place] = result

    @property
    def evidence(self) -> frozenset[Place]:
        """The results that are the only evidence of a failure."""
        return frozenset(self.failing.values())


def short(call: CallBlock) -> str:
    """A call's arguments in short: name=value, cut off where they are long."""
    given = call.arguments
    if not isinstance(given, Mapping):
        text = call.written if call.written is not None else str(given or "")
    else:
        text = ", ".join(f"{name}={value if isinstance(value, str) else _json(value)}" for name, value in given.items())
    line = " ".join(text[: SHORT * 2].split())
    return line if len(line) <= SHORT and len(text) <= SHORT * 2 else line[:SHORT] + "…"


def _key(call: CallBlock, action: Action) -> str:
    """What later results of it supersede it: its tests, its command line, its file, else the call as it is."""
    if action.line:
        return test_command(action.commands) or action.line
    paths = [effect.path for effect in action.effects if effect.path]
    if paths:
        return " ".join((call.name, *paths))
    return call.name + (call.written if call.written is not None else _json(call.arguments))


def _failed(result: ResultBlock, text: str, action: Action, reads: bool) -> bool:
    """Whether a result is an error, a run of tests that did not pass, or shows a traceback that is not just read."""
    command = bool(action.line)
    code = exit_code(result, text, None) if command else None
    wrong = failed(result, text, code, command) or text[:HEAD].lstrip().startswith(TAKEN_BACK)
    if wrong or reads or not command:
        return wrong
    tested = test_command(action.commands)
    if tested and (run := test_run(0, tested, text, None)).failed:
        return bool(run.failed)
    return next(error_lines(text, False), None) is not None


def _defines(blocks: Sequence[Block]) -> bool:
    return any(isinstance(block, ToolChangeBlock) for block in blocks)


def _json(value: Any) -> str:
    return dumps(value, ensure_ascii=False, sort_keys=True, default=str)
