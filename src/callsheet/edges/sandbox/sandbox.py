"""Running a program behind the walls: what it prints is collected, and nothing of it outlives its end."""

import json
import os
import secrets
import selectors
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from time import monotonic
from typing import Any

from ...errors import UsageError
from ...model.sandbox import Ended, Program, Ran, SandboxPolicy
from .walls import ENVIRONMENT, GIVEN, STRANGERS, bubblewrap, limited, missing, python, walled

INTERPRETERS: Mapping[str, tuple[str, ...]] = {".py": (), ".sh": ("/bin/sh",), ".bash": ("/bin/bash",)}
"""What runs a file of an ending; nothing for Python, which is the engine's own interpreter."""
OFTEN = 0.2
"""Seconds after which it is looked whether a silent program still runs."""
LONGEST_LINE = 1024 * 1024
"""Bytes of one message that a program may send."""
DEEPEST = 50
"""Objects and lists within each other in one message."""


@dataclass
class Sandbox:
    """Runs programs within a policy; nothing at all where the walls that it demands do not stand."""

    policy: SandboxPolicy = field(default_factory=SandboxPolicy)

    @cached_property
    def missing(self) -> str:
        """Why a program cannot be run here as the policy demands; empty where it can. Tried once."""
        if self.policy.isolation == "limits":
            return _LIMITS_NEED if os.name != "posix" or _superuser() else ""
        with _given(Program("", {})) as folder:
            return missing(self._wrapper, self.policy, Path(folder), _stranger())

    @cached_property
    def _wrapper(self) -> str | None:
        return bubblewrap()

    def begin(self, program: Program) -> "Running":
        """The program, running. UsageError where it cannot be run here, or its file is of no kind that is run."""
        if self.missing:
            raise UsageError(
                f"nothing is run: {self.missing}; or let programs run under limits alone, with [sandbox] "
                'isolation = "limits" in callsheet.toml, which keeps them from neither network nor files'
            )
        ending = PurePosixPath(program.main).suffix.lower()
        if ending not in INTERPRETERS:
            known = ", ".join(INTERPRETERS)
            raise UsageError(f"{program.main!r} is of no kind that is run: {known}")
        full = self.policy.isolation == "full"
        with _runnable(program):
            given = _given(program, work=not full)
            seen = GIVEN if full else given.name
            interpreter = INTERPRETERS[ending] or (python(), "-I", "-u")
            return self._started((*interpreter, f"{seen}/{program.main}", *program.arguments), program, given)

    def _started(
        self, command: tuple[str, ...], program: Program, given: "tempfile.TemporaryDirectory[str]"
    ) -> "Running":
        folder = Path(given.name)
        if self.policy.isolation == "full":
            assert self._wrapper is not None, "the walls were tried"
            behind = walled(self._wrapper, self.policy, folder, command, _stranger())
            return Running(behind, program, given, self.policy, folder)
        return Running(limited(self.policy, command), program, given, self.policy, folder / "work")


@contextmanager
def _runnable(program: Program) -> Iterator[None]:
    """UsageError where this system does not take a program's files or what it was called with."""
    try:
        yield
    except (OSError, ValueError) as error:
        why = " ".join(ascii(str(error))[1:-1].split())
        raise UsageError(f"{program.main!r} cannot be run with these files and arguments: {why}") from None


def _given(program: Program, work: bool = False) -> "tempfile.TemporaryDirectory[str]":
    """A folder of its own with the program's files, which it can read and not change.

    What is run is a copy of what was checked: nobody can change it in between.
    """
    folder = tempfile.TemporaryDirectory(prefix="callsheet-sandbox-", ignore_cleanup_errors=True)
    try:
        _laid_out(program, Path(folder.name), work)
    except BaseException:
        folder.cleanup()
        raise
    return folder


def _laid_out(program: Program, root: Path, work: bool) -> None:
    for name, data in program.files.items():
        path = root / name
        assert path.resolve().is_relative_to(root.resolve()), f"{name} is no path of the program's own"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    if work:
        (root / "work").mkdir(exist_ok=True)
    for path in (root, *root.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


_LIMITS_NEED = "limits alone need POSIX, and another user than the superuser, for whom they do not hold"


def _superuser() -> bool:
    return os.name == "posix" and os.geteuid() == 0


def _stranger() -> int:
    """As whom a program of the superuser runs, another user each time: limits on processes count those of a user."""
    return secrets.choice(STRANGERS) if _superuser() else 0


class Running:
    """A program that runs: ask what it says line by line, answer it, and in the end what came of it."""

    def __init__(
        self,
        command: tuple[str, ...],
        program: Program,
        given: "tempfile.TemporaryDirectory[str]",
        policy: SandboxPolicy,
        cwd: Path,
    ) -> None:
        self._policy, self._given = policy, given
        self._left = policy.seconds
        self._printed, self._said = bytearray(), bytearray()
        self._ended: Ended | None = None
        asks, answers = os.pipe(), os.pipe()
        inside = (asks[1], answers[0]) if program.speaks else ()
        env = {**ENVIRONMENT, "HOME": str(cwd), "TMPDIR": str(cwd)} if policy.isolation == "limits" else {}
        spoken = tuple(map(str, inside))
        try:
            self._process = subprocess.Popen(
                (*command, *spoken),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=inside,
                cwd=cwd,
                env=env,
                start_new_session=True,
            )
        except BaseException:
            for end in (*asks, *answers):
                os.close(end)
            given.cleanup()
            raise
        os.close(asks[1])
        os.close(answers[0])
        self._asks, self._answers = asks[0], answers[1]
        os.set_blocking(self._answers, False)
        self._open = selectors.DefaultSelector()
        assert self._process.stdout is not None
        self._open.register(self._process.stdout, selectors.EVENT_READ, self._printed)
        if program.speaks:
            self._open.register(self._asks, selectors.EVENT_READ, self._said)

    def heard(self) -> Any | None:
        """The next message of the program; None once it has ended, or has been ended for breaking a limit.

        Its time runs only while this waits. ValueError for a message that is no JSON or too long; then it has ended.
        """
        until = monotonic() + self._left
        while self._ended is None:
            line, found, rest = bytes(self._said).partition(b"\n")
            if found:
                self._said[:] = rest
                self._left = max(0.0, until - monotonic())
                return self._message(line)
            if len(self._said) > LONGEST_LINE:
                return self._message(b"")
            self._read(until)
        return None

    def _message(self, line: bytes) -> Any:
        try:
            message = json.loads(line)
            if not _deeper(message, DEEPEST):
                return message
        except (ValueError, RecursionError):
            pass
        self._end("stopped")
        raise ValueError("the program sent something that is no message")

    def _read(self, until: float) -> None:
        """Takes in what has come; ends the program where its time is over, its output too long, or all is said."""
        if not self._open.get_map():
            return self._end(None)
        if (left := until - monotonic()) <= 0:
            return self._end("out-of-time")
        ready = self._open.select(min(left, OFTEN))
        if not ready and self._process.poll() is not None:
            return self._end(None)  # what it left behind holds the pipe open
        for key, _ in ready:
            if key.data is None:
                continue  # it may be told more
            data = os.read(key.fd, 65_536)
            if not data:
                self._open.unregister(key.fileobj)
            key.data.extend(data)
        if len(self._printed) > self._policy.output:
            self._end("too-much-output")
        elif len(self._said) > 2 * LONGEST_LINE:
            self._end("stopped")  # it asks on and on, and does not wait for an answer
        return None

    def tell(self, message: Any) -> None:
        """Answers the program, within its time. One that no longer listens is not told."""
        data = json.dumps(message, ensure_ascii=True).encode() + b"\n"
        until = monotonic() + self._left
        with suppress(BrokenPipeError):
            while data and self._ended is None:
                try:
                    data = data[os.write(self._answers, data) :]
                except BlockingIOError:
                    self._heeded(until)
        self._left = max(0.0, until - monotonic())

    def _heeded(self, until: float) -> None:
        """Waits until the program takes more in, and takes in what it says meanwhile: it may wait for us to listen."""
        self._open.register(self._answers, selectors.EVENT_WRITE)
        self._read(until)
        if self._ended is None:
            self._open.unregister(self._answers)

    def stop(self) -> Ran:
        """Ends the program where it still runs, and everything that it began; what came of it until then."""
        if self._ended is None:
            self._end("stopped")
        assert self._ended is not None
        printed = bytes(self._printed[: self._policy.output]).decode(errors="replace")
        return Ran(self._ended, printed, self._process.returncode)

    def _end(self, why: Ended | None) -> None:
        if why is None:
            try:  # both its pipes are closed: it has ended, or plays dead
                self._process.wait(min(1.0, self._left + 0.01))
            except subprocess.TimeoutExpired:
                why = "stopped"
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        code = self._process.wait()
        self._ended = why or ("ok" if code == 0 else "failed")
        self._open.close()
        assert self._process.stdout is not None
        self._process.stdout.close()
        os.close(self._asks)
        os.close(self._answers)
        self._given.cleanup()


def _deeper(value: Any, most: int) -> bool:
    """Whether more objects and lists than so many stand within each other."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return most < 0 or any(_deeper(each, most - 1) for each in inner)
