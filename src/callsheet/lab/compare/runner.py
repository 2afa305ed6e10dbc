"""Many transcripts under many policies, in processes of their own; what is finished is kept, and not made again."""

import json
import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from ...core.history.policies import POLICIES
from ...errors import UsageError
from .compared import RECORDED, compared, ready
from .row import Row, read, written

BEGINS = '{"key":'
"""How a line of kept results begins."""
SMALL = 300_000
"""Bytes of transcripts that are compared sooner than a process is started."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One piece of work: a transcript under some policies, with a window in tokens, where one is named."""

    path: Path
    policies: tuple[str, ...]
    window: int | None = None
    tokenizer: str | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of a piece of work: rows in the order asked for, and what is told of the transcript; or why not."""

    path: Path
    rows: tuple[Row, ...] = ()
    about: Mapping[str, Any] | None = None
    why: str = ""


def chosen(names: str | None) -> tuple[str, ...]:
    """The policies of a list with commas, in its order; the recording itself and all there are where none is named.

    UsageError for a name that is not known.
    """
    if names is None:
        return (RECORDED, *POLICIES)
    asked = tuple(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))
    unknown = [name for name in asked if name not in POLICIES and name != RECORDED]
    if unknown or not asked:
        known = ", ".join((RECORDED, *POLICIES))
        raise UsageError(f"no policy is called {', '.join(unknown) or repr(names)}; name some of: {known}")
    return asked


def compare(
    paths: Sequence[Path],
    policies: tuple[str, ...],
    *,
    window: int | None = None,
    tokenizer: str | None = None,
    kept: Path | None = None,
    version: str = "",
    jobs: int = 1,
    small: int = SMALL,
    told: Callable[[int, int], None] | None = None,
) -> Iterator[Answered]:
    """What came of each transcript, as it is finished.

    With `kept`, each is appended to that file as a line of JSON, and one that is in it already (the same bytes,
    policies and settings, the same `version` of this package) is not made again. `told` hears how many of how many are
    done. Fewer bytes of transcripts than `small` are compared in this process, whatever `jobs` says. UsageError where
    that file is no file of results.
    """
    known = _known(kept) if kept is not None else {}
    keys = {path: _key(path, policies, window, tokenizer, version) for path in paths} if kept is not None else {}
    asked = [Asked(path, policies, window, tokenizer) for path in dict.fromkeys(paths)]
    found = [each.path for each in asked if keys.get(each.path) in known]
    for path in found:
        yield _restored(path, known[keys[path]])
    new = [each for each in asked if each.path not in found]
    for done, answer in enumerate(_made(new, jobs, small), len(found) + 1):
        if kept is not None and not answer.why:
            _append(kept, keys[answer.path], answer)
        if told is not None:
            told(done, len(asked))
        yield answer


def _made(asked: Sequence[Asked], jobs: int, small: int) -> Iterator[Answered]:
    sizes = {each.path: each.path.stat().st_size if each.path.is_file() else 0 for each in asked}
    if jobs < 2 or len(asked) < 2 or sum(sizes.values()) < small:
        yield from map(answered, asked)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, len(asked)), context, _deaf) as pool:
        with _blocked():
            running = [pool.submit(answered, each) for each in sorted(asked, key=lambda each: -sizes[each.path])]
        try:
            yield from (each.result() for each in as_completed(running))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def _blocked() -> Iterator[None]:
    """Ctrl-C waits, where the system can hold it back: a process that begins in here never hears it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _deaf() -> None:
    """Ctrl-C is the parent's to hear: what a process has begun, it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def answered(asked: Asked) -> Answered:
    """One piece of work, done in this process."""
    try:
        rows = tuple(compared(asked.path, each, asked.window, asked.tokenizer) for each in asked.policies)
        return Answered(asked.path, rows, ready(asked.path, asked.window, asked.tokenizer).about)
    except UsageError as error:
        return Answered(asked.path, why=str(error))


def _key(path: Path, policies: Iterable[str], *settings: object) -> str:
    """What a result rests on; two that rest on the same are the same."""
    made = sha256(path.read_bytes() if path.is_file() else str(path).encode())
    made.update(repr(([(each, POLICIES.get(each)) for each in policies], settings)).encode())
    return made.hexdigest()


def _known(kept: Path) -> dict[str, Any]:
    """The results in a file, by key. A line of ours that was cut off is no result, and made again."""
    if not kept.exists():
        return {}
    found = {}
    for number, line in enumerate(kept.read_text(encoding="utf-8").splitlines(), 1):
        try:
            result = json.loads(line)
            found[str(result["key"])] = result
        except (ValueError, KeyError, TypeError):
            if not line.startswith(BEGINS[: len(line)]):
                raise UsageError(f"{kept}, line {number}, is no kept result; name another file with --keep") from None
    return found


def _append(kept: Path, key: str, answer: Answered) -> None:
    """Adds a line to the results, on a line of its own whatever stood there."""
    line = json.dumps({"key": key, "rows": list(map(written, answer.rows)), "about": answer.about})
    with kept.open("ab+") as stream:
        if stream.tell():
            stream.seek(-1, 2)
            line = line if stream.read(1) == b"\n" else f"\n{line}"
        stream.write(f"{line}\n".encode())


def _restored(path: Path, known: Mapping[str, Any]) -> Answered:
    return Answered(path, tuple(map(read, known["rows"])), known["about"])
