"""The artifact index, folded over the events of a session or over plain messages (F2, F7)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from ....model.diagnosis import Artifacts, Part, Quote, TestRun, Unchanged
from ....model.message import CallBlock, Message, ResultBlock
from ....model.transcript import Began, Called, Ended, Event, Offered, Replaced, Said, Speaker
from .effect import Effect, full, kept
from .errors import error_lines
from .files import Files
from .patches import patched
from .result_text import (
    BACKGROUND,
    HEAD,
    HEADER,
    TAKEN_BACK,
    Content,
    content,
    exit_code,
    failed,
    lists_folder,
    refused,
    result_text,
)
from .shell import files_named
from .testing_output import test_command, test_run
from .tools import KINDS, OWN_FILES, Action, action_of, plain_name

LISTED = 1_000
"""How many test runs, errors and unchanged reads are kept one by one; and how many calls may wait for their answers."""
STILL = ("File unchanged since last read", "File content has not changed")
"""What a harness answers in place of a text that stands in the window already."""
SPEAKERS: Mapping[str, Speaker] = {"assistant": "model", "tool": "tool", "user": "person"}
PERSISTENT = frozenset(("execute_bash", "run"))
"""Shells that stay where the last command went; what others do is told by the harness, or begins anew each time."""
PATCH_MARKS = ("diff --git ", "--- a/", "--- /dev/null")


@dataclass(slots=True)
class Pending:
    """A call that waits for its answer, or for its turn: answers of parallel calls come in any order."""

    record: int
    name: str
    action: Action
    result: ResultBlock | None = None
    answered: int = -1
    facts: Mapping[str, Any] = field(default_factory=dict)
    tokens: int = 0
    message: int = 0
    alone: bool = True


@dataclass(slots=True)
class Thread:
    """One conversation: where it works, what its editor has open, its open calls, and what its window shows of files.

    `seen` knows by path and hash of the text where a read's answer stands: its record and its message's number.
    """

    folder: str = ""
    root: str = ""
    told: bool = False
    open_file: str = ""
    response: str = ""
    messages: int = 0
    pending: dict[str, Pending] = field(default_factory=dict)
    seen: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    read_by: dict[str, str] = field(default_factory=dict)


class ArtifactIndex:
    """Gathers, event by event, the files a session read, wrote, made and removed; `result` says what it knows so far.

    A call counts once it is answered, and not where the answer is an error or a person's no. What command lines do to
    files counts where they are all the agent has; beside tools for files a line that shows a file is no read, and one
    that writes counts for the agent's own text in the folder it works in (`Artifact.commands` names the others), and
    re-fetches are counted among the calls of those tools alone.
    """

    def __init__(self) -> None:
        self._files = Files()
        self._threads: dict[str, Thread] = {}
        self._own = False
        self._runs: list[TestRun] = []
        self._tests: dict[str, list[TestRun]] = {}
        self._errors: dict[str, Quote] = {}
        self._unchanged: list[Unchanged] = []

    @classmethod
    def of(cls, messages: Iterable[Message], folder: str = "") -> "ArtifactIndex":
        """The index of plain messages; records are their numbers, `folder` is where the agent works, if known."""
        index = cls()
        facts = {"cwd": folder} if folder else {}
        for record, message in enumerate(messages):
            index.take(Said(record=record, message=message, speaker=SPEAKERS.get(message.role, "harness"), facts=facts))
        return index

    def take(self, event: Event, window: object = None, parts: Sequence[Part] = ()) -> None:
        """Takes one event in; `parts`, as the event's window gave them, tell the tokens of repeated reads."""
        thread = self._threads.setdefault(event.thread, Thread())
        if isinstance(event, Said):
            self._say(event, thread, parts)
        elif isinstance(event, Called):
            self._settle(thread)
        elif isinstance(event, Replaced):
            self._settle(thread)
            thread.messages = min(thread.messages, event.kept)
            thread.seen = {key: place for key, place in thread.seen.items() if place[1] < event.kept}
        elif isinstance(event, Began):
            _placed(thread, event.facts)
        elif isinstance(event, Offered):
            self._offer(event)
        elif isinstance(event, Ended):
            self._end(event, thread)

    def _offer(self, event: Offered) -> None:
        for tool in event.tools or ():
            kind = KINDS.get(plain_name(str(tool.name or tool.type)))
            self._own = (
                self._own or kind in ("read", "write", "edit", "editor") or str(tool.type).startswith("text_editor")
            )

    def _say(self, event: Said, thread: Thread, parts: Sequence[Part]) -> None:
        if event.speaker == "model" and not event.again and (event.response != thread.response or not event.response):
            self._settle(thread)
            thread.response = event.response
        _placed(thread, event.facts)
        results = sum(isinstance(block, ResultBlock) for block in event.message.blocks)
        for at, block in enumerate(event.message.blocks):
            if isinstance(block, ResultBlock):
                tokens = next((part.tokens for part in parts if part.block == at), 0)
                self._answer(event, thread, block, tokens, results == 1)
            elif isinstance(block, CallBlock) and not event.again and not block.server:
                self._call(event, thread, block)
        thread.messages += 1

    def _call(self, event: Said, thread: Thread, call: CallBlock) -> None:
        action = action_of(call, thread.folder)
        self._own = self._own or action.files or call.name in OWN_FILES
        key = call.id or f"#{event.record}.{len(thread.pending)}"
        thread.pending.pop(key, None)
        thread.pending[key] = Pending(event.record, call.name, action)
        if len(thread.pending) > LISTED:
            del thread.pending[next(iter(thread.pending))]

    def _answer(self, event: Said, thread: Thread, result: ResultBlock, tokens: int, alone: bool) -> None:
        key = result.call_id or ""
        if event.again:
            if path := thread.read_by.get(key):
                thread.seen.setdefault((path, _digest(result_text(result))), (event.record, thread.messages))
            return
        if not key:
            waiting = (key for key, each in thread.pending.items() if each.result is None)
            key = next(waiting, "")
        if pending := thread.pending.get(key):
            pending.result, pending.answered, pending.facts = result, event.record, event.facts
            pending.tokens, pending.message, pending.alone = tokens, thread.messages, alone

    def _settle(self, thread: Thread) -> None:
        """Lets answered calls take effect, in the order they were made."""
        for key in [key for key, each in thread.pending.items() if each.result is not None]:
            self._done(thread, key, thread.pending.pop(key))

    def _done(self, thread: Thread, key: str, call: Pending) -> None:
        assert call.result is not None
        text, action = result_text(call.result), call.action
        results = call.facts.get("results")
        told = results.get(key) if isinstance(results, Mapping) else None
        command = bool(action.line)
        code = exit_code(call.result, text, call.facts.get("exit_code") if call.alone else None) if command else None
        bad = failed(call.result, text, code, command) or (isinstance(told, Mapping) and told.get("success") is False)
        back = text[:HEAD].lstrip().startswith(TAKEN_BACK)
        if not refused(text):
            self._note(call, text, bad or back, code)
        if bad and not back:
            return
        for effect in action.effects:
            self._apply(thread, key, call, replace(effect, undone=back), text, told)
        if command and not thread.told and plain_name(call.name) in PERSISTENT:
            thread.folder = action.folder

    def _note(self, call: Pending, text: str, bad: bool, code: int | None) -> None:
        """Notes a run of tests, and the words of errors."""
        tested = test_command(call.action.commands)
        if tested and not text.startswith((*BACKGROUND, "<tool_use_error>")) and len(self._runs) < LISTED:
            run = test_run(call.answered, tested, text, bad if bad or code is not None else None)
            self._runs.append(run)
            for path in dict.fromkeys(files_named((tested,))):
                self._tests.setdefault(full(path, call.action.folder), []).append(run)
        for line in error_lines(text, bad):
            if line not in self._errors and len(self._errors) < LISTED:
                self._errors[line] = Quote(call.answered, line, call.action.line[:200] or call.name)

    def _apply(self, thread: Thread, key: str, call: Pending, effect: Effect, text: str, told: Any) -> None:
        if effect.windowed:
            shown = _windowed(thread, effect, text, bool(call.action.line))
            if not shown:
                return
            effect, self._own = replace(effect, path=shown), True
            thread.open_file = shown
        ours = kept(effect.path, thread.root)
        if effect.kind in ("read", "look"):
            if not lists_folder(text):
                self._read(thread, key, call, effect, text, told)
        elif effect.kind == "delete":
            self._files.delete(effect.path, effect.tree)
        elif effect.kind in ("move", "copy"):
            self._files.move(effect.path, effect.to, call.record, effect, kept(effect.to, thread.root))
        else:
            file = self._files.write(effect.path, call.record, effect, ours, _before(told))
            if isinstance(told, Mapping) and told.get("userModified") is True:
                file.content = None
            if isinstance(told, Mapping) and told.get("type") == "update" and len(file.writes) == 1 and not file.reads:
                file.created = False

    def _read(self, thread: Thread, key: str, call: Pending, effect: Effect, text: str, told: Any) -> None:
        whole = content(text, told) if len(call.action.effects) == 1 else None
        file = self._files.read(effect.path, call.record, effect, whole)
        if effect.shell or effect.kind == "look" or len(call.action.effects) > 1:
            return
        digest = _digest(text)
        before = thread.seen.get((effect.path, digest))
        if before is None and text.startswith(STILL):
            before = next((place for (path, _), place in thread.seen.items() if path == effect.path), None)
        if before is not None:
            file.unchanged += 1
            if len(self._unchanged) < LISTED:
                instead = f"{effect.path}: already read, unchanged (record {before[0]}, sha256 {digest[:12]})"
                self._unchanged.append(Unchanged(effect.path, call.record, before[0], digest, instead, call.tokens))
            return
        thread.seen[effect.path, digest] = (call.answered, call.message)
        thread.read_by[key] = effect.path

    def _end(self, event: Ended, thread: Thread) -> None:
        self._settle(thread)
        for value in event.facts.values():
            if isinstance(value, str) and any(mark in value for mark in PATCH_MARKS):
                self._patch(event, thread, value.replace("\r\n", "\n"))
        del self._threads[event.thread]

    def _patch(self, event: Ended, thread: Thread, text: str) -> None:
        """Takes the final patch for what it is: the run changed these files, whatever its calls show."""
        for effect in patched(text):
            known = self._files.ending(effect.path)
            path = known.path if known else full(effect.path, thread.root)
            if effect.kind == "delete":
                self._files.delete(path, tree=False)
            elif effect.kind != "move" and not (known and known.writes):
                self._files.write(path, max(event.record, 0), replace(effect, path=path, content=None), True)
            elif known:
                known.functions.update(dict.fromkeys(effect.functions))

    def result(self) -> Artifacts:
        """The index as it stands, files in the order of their paths; calls without an answer do not count."""
        for thread in self._threads.values():
            self._settle(thread)
        own = self._own
        return Artifacts(
            tuple(
                each.artifact(own, self._tests.get(each.path, ()))
                for each in sorted(self._files, key=lambda file: file.path)
            ),
            self._files.refetches if own else self._files.all_refetches,
            tuple(self._runs),
            tuple(self._errors.values()),
            tuple(self._unchanged),
        )


def _placed(thread: Thread, facts: Mapping[str, Any]) -> None:
    folder, opened = facts.get("cwd"), facts.get("open_file")
    if isinstance(folder, str) and folder:
        thread.folder, thread.told = folder, True
        thread.root = thread.root or folder
    if isinstance(opened, str) and opened not in ("", "n/a"):
        thread.open_file = opened


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _before(told: Any) -> Content | None:
    before = told.get("originalFile") if isinstance(told, Mapping) else None
    return Content(before) if isinstance(before, str) else None


def _windowed(thread: Thread, effect: Effect, text: str, line: bool) -> str:
    """The file an editor of one window shows: named in its answer, by the call, or open before; "" for a mere word."""
    shown = HEADER.search(text[: HEAD * 4])
    if shown:
        return full(effect.path, thread.folder) if effect.path else full(shown[1], thread.folder)
    if line:
        return ""
    return full(effect.path or thread.open_file, thread.folder) if effect.path or thread.open_file else ""
