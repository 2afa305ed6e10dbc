"""Programs that nobody vouches for, and how far they may go: what is run, within which limits, and what came of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Isolation = Literal["full", "limits"]
Ended = Literal["ok", "failed", "out-of-time", "too-much-output", "stopped"]


@dataclass(frozen=True, slots=True)
class SandboxPolicy:
    """[sandbox]: how far a script of a skill, or code that a model wrote, may go.

    `isolation` "full" demands that network, files and processes of the machine are out of reach, and nothing is run
    where they are not; "limits" lets it run as the user who runs the engine, under the limits alone, after a person
    confirmed that very call. `seconds` are of the wall clock, without those that a tool takes; `memory`, `output` and
    `files` are bytes, memory of each process and files of all together; `calls` of tools a script of code may make.
    """

    isolation: Isolation = "full"
    seconds: float = 30.0
    cpu_seconds: int = 20
    memory: int = 512 * 2**20
    processes: int = 16
    open_files: int = 64
    files: int = 16 * 2**20
    output: int = 64 * 1024
    calls: int = 50


@dataclass(frozen=True, slots=True)
class Program:
    """A program to run: the file `main` of `files`, by path, which are all that it is given and which it cannot change.

    `speaks` gives it two pipes, one line of JSON a message, on which it may ask and is told.
    """

    main: str
    files: Mapping[str, bytes] = field(repr=False)
    arguments: tuple[str, ...] = ()
    speaks: bool = False


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a program: how it ended, and what it printed, as far as that is allowed."""

    ended: Ended
    output: str
    exit_code: int | None = None
