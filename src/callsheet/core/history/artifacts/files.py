"""The files a session knows: what was done to each, in order, and what is known of its text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from ....model.diagnosis import Artifact, TestRun
from .effect import Effect, below
from .functions import touched
from .result_text import Content

HELD = 8_000_000
"""How many characters of files' texts are kept in all; beyond that the hash of those longest untouched is lost."""
MOST_FUNCTIONS = 200


@dataclass(slots=True)
class File:
    """One file: records of what tools for files did, of what command lines did, and the state it was left in.

    Of `line_writes` those marked True are texts the agent wrote into its project by a command line.
    """

    path: str
    reads: list[int] = field(default_factory=list)
    writes: list[int] = field(default_factory=list)
    line_reads: list[int] = field(default_factory=list)
    line_writes: list[tuple[int, bool]] = field(default_factory=list)
    created: bool = False
    deleted: bool = False
    fresh: bool = False
    shown: bool = False
    content: Content | None = None
    functions: dict[str, None] = field(default_factory=dict)
    unchanged: int = 0

    @property
    def known(self) -> bool:
        """Whether anything was done to it before."""
        return bool(self.reads or self.writes or self.line_reads or self.line_writes)

    def artifact(self, own: bool, tests: Sequence[TestRun]) -> Artifact:
        """What is said of it; `own` where the agent has tools for files, beside which a command line is no read."""
        counted = [record for record, kept in self.line_writes if not own or kept or self.writes]
        reads = self.reads if own else self.reads + self.line_reads
        lines = {record for record, _ in self.line_writes} - set(counted)
        content = self.content
        exact = content is not None and content.exact and not self.deleted
        return Artifact(
            path=self.path,
            read=bool(reads),
            written=bool(self.writes or counted),
            created=self.created,
            deleted=self.deleted,
            hash=sha256(content.text.encode("utf-8", "surrogatepass")).hexdigest() if exact and content else None,
            tests=tuple(tests),
            reads=tuple(sorted(reads)),
            writes=tuple(sorted({*self.writes, *counted})),
            functions=tuple(self.functions),
            unchanged_reads=self.unchanged,
            commands=tuple(sorted(lines | (set(self.line_reads) if own else set()))),
        )


class Files:
    """All files by their full paths. `refetches` counts reads of a file already read and not written since.

    It is counted twice: among the calls of tools for files alone, and with command lines taken in.
    """

    def __init__(self) -> None:
        self.refetches, self.all_refetches = 0, 0
        self._files: dict[str, File] = {}
        self._held: dict[str, int] = {}
        self._size = 0

    def __iter__(self) -> Iterator[File]:
        return iter(self._files.values())

    def get(self, path: str) -> File | None:
        """The file at this path, where it is known."""
        return self._files.get(path)

    def ending(self, path: str) -> File | None:
        """The file whose path ends with this one, where there is exactly one."""
        found = [each for each in self._files.values() if each.path == path or each.path.endswith("/" + path)]
        return found[0] if len(found) == 1 else None

    def file(self, path: str) -> File:
        """The file at this path, new where it was not known."""
        return self._files.setdefault(path, File(path))

    def read(self, path: str, record: int, effect: Effect, content: Content | None) -> File:
        """Notes a read, and what it shows of the text."""
        file = self.file(path)
        self.all_refetches += file.shown and effect.kind == "read"
        file.shown = True
        if effect.shell:
            file.line_reads.append(record)
            return file
        self.refetches += file.fresh and effect.kind == "read"
        file.fresh = True
        if effect.kind == "read" or not file.reads:
            file.reads.append(record)
        if content is not None and not effect.part and (file.content is None or content.exact):
            self._hold(file, content)
        return file

    def write(self, path: str, record: int, effect: Effect, kept: bool, before: Content | None = None) -> File:
        """Notes a write or an edit; `before` is the text it was made on, where the harness says so."""
        file = self.file(path)
        before = before or file.content
        after = before if effect.undone else _after(effect, before)
        pieces = tuple(text for edit in effect.edits for text in (edit.old, edit.new) if text)
        if not file.known and (effect.kind != "edit" or effect.content == ""):
            file.created = True
        old = before.text if before else "" if file.created and not file.known else None
        names = effect.functions or touched(path, old, after.text if after else None, pieces)
        names = () if effect.undone else names
        for name in names[: MOST_FUNCTIONS - len(file.functions)]:
            file.functions[name] = None
        if effect.shell:
            file.line_writes.append((record, kept and effect.authored))
        else:
            file.writes.append(record)
            file.fresh = False
        file.shown = file.deleted = False
        self._hold(file, after)
        return file

    def delete(self, path: str, tree: bool) -> None:
        """Notes that a file is gone, or everything below a folder."""
        inside = [each for each in self._files.values() if below(each.path, path)] if tree else []
        for file in inside or ([] if tree else [self.file(path)]):
            file.deleted, file.fresh, file.shown = True, False, False
            self._hold(file, None)

    def move(self, path: str, to: str, record: int, effect: Effect, kept: bool) -> None:
        """Notes that a file, or all of a folder, stands elsewhere now, or twice."""
        if to.endswith("/") or any(below(each.path, to) and each.path != to for each in self._files.values()):
            to = to.rstrip("/") + "/" + path.rstrip("/").rpartition("/")[2]
        inside = [each for each in self._files.values() if below(each.path, path) and each.path != path]
        pairs = [(each.path, to + each.path[len(path) :]) for each in inside if not each.deleted] or [(path, to)]
        for old, new in pairs:
            source = self.get(old)
            content = source.content if source else None
            self.write(new, record, Effect("write", new, shell=effect.shell, authored=effect.authored), kept)
            self._hold(self.file(new), content)
            if effect.kind == "move":
                self.delete(old, tree=False)

    def _hold(self, file: File, content: Content | None) -> None:
        file.content = content
        self._size -= self._held.pop(file.path, 0)
        if content is not None:
            self._held[file.path] = len(content.text)
            self._size += len(content.text)
        while self._size > HELD:
            oldest = next(iter(self._held))
            self._size -= self._held.pop(oldest)
            self._files[oldest].content = None


def _after(effect: Effect, before: Content | None) -> Content | None:
    """The text after an effect, where it can be known."""
    if effect.append:
        return Content(before.text + effect.content, before.exact) if before and effect.content is not None else None
    if effect.kind == "write":
        return Content(effect.content) if effect.content is not None else None
    if before is None or not effect.edits:
        return None
    text = before.text
    for edit in effect.edits:
        if not edit.old or (text.count(edit.old) != 1 and not edit.every) or edit.old not in text:
            return None
        text = text.replace(edit.old, edit.new)
    return Content(text, before.exact)
