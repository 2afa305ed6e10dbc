"""What the importers of agents' own logs share: times, texts, and ids remembered within bounds."""

import marshal
import math
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

from ....core.render.anthropic.reading import read_blocks
from ....core.render.fields import Drift
from ....model.message import Block, NativeBlock, TextBlock
from ....model.transcript import Accounted, Said
from ..format import Record

Value = TypeVar("Value")
REMEMBERED = 32_768
MOST_SECONDS = 10**11
OBJECTS = (dict, Mapping)
"""What an object of JSON is; most are the first, which is found out several times as fast."""
KEPT_BYTES = 16 * 2**20
KEPT_MESSAGES = 8_192
COMPARED = 131_072


class Recall(Generic[Value]):
    """What was last said under a name, for the latest `limit` names at least, and for twice as many at most.

    An agent looks back within one window; a log may have millions of rows.
    """

    def __init__(self, limit: int = REMEMBERED) -> None:
        self._limit = limit
        self._new: dict[str, Value] = {}
        self._old: dict[str, Value] = {}

    def get(self, name: Any) -> Value | None:
        """What is remembered under this name, or None."""
        if not isinstance(name, str):
            return None
        found = self._new.get(name)
        return self._old.get(name) if found is None else found

    def put(self, name: Any, value: Value) -> None:
        """Remembers a value; what is no name is not remembered."""
        if isinstance(name, str):
            self._new[name] = value
            if len(self._new) > self._limit:
                self._old, self._new = self._new, {}


class Copies:
    """Tells what stands in a file twice, as in a log that was appended to itself; keeps a number of each, no texts.

    An id alone does not say it: logs are published with their ids taken out. Known are the latest `limit` records at
    least, and twice as many at most.
    """

    def __init__(self, limit: int = COMPARED) -> None:
        self._limit = limit
        self._new: set[int] = set()
        self._old: set[int] = set()

    def has(self, name: Any, said: Any) -> bool:
        """Whether this JSON value came under this name before; what has no name is no copy of anything."""
        if not isinstance(name, str | int) or name == "":
            return False
        try:
            # Version 2 writes equal values equally, and large ones several times as fast as JSON.
            return self.seen(hash((name, marshal.dumps(said, 2))))
        except ValueError:  # nested too deep to be compared
            return False

    def seen(self, key: int) -> bool:
        """Whether this number came before."""
        if key in self._new or key in self._old:
            return True
        self._new.add(key)
        if len(self._new) > self._limit:
            self._old, self._new = self._new, set()
        return False


class Tail:
    """The latest messages of a window, for those that a compaction keeps: at most `limit` bytes of the file's rows."""

    def __init__(self, limit: int = KEPT_BYTES) -> None:
        self._limit = limit
        self._bytes = 0
        self._said: deque[tuple[int, Said, int]] = deque()

    def add(self, position: int, said: Said, size: int) -> None:
        """Remembers what was said as the window's message of this number, and forgets the oldest beyond the limit."""
        self._said.append((position, said, size))
        self._bytes += size
        while self._bytes > self._limit or len(self._said) > KEPT_MESSAGES:
            self._bytes -= self._said.popleft()[2]

    def cut(self, kept: int) -> None:
        """Forgets what is no longer in the window, which is cut back to its first `kept` messages."""
        while self._said and self._said[-1][0] >= kept:
            self._bytes -= self._said.pop()[2]

    def keep(self, wanted: Callable[[int], bool]) -> tuple[tuple[Said, int], ...]:
        """The messages whose numbers are wanted, with their sizes, in order."""
        return tuple((said, size) for position, said, size in self._said if wanted(position))


def seconds(stamp: Any) -> float | None:
    """Seconds since 1970 of an ISO 8601 time (UTC where it names no zone), or of a number; None for what is no time.

    A number's size tells whether it counts seconds, milli-, micro- or nanoseconds: beyond the year 5000 are no seconds.
    """
    if isinstance(stamp, str):
        try:
            moment = datetime.fromisoformat(stamp)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError, OSError):
            with suppress(ValueError):
                return seconds(float(stamp))
            return None
    found = number(stamp)
    if found is None or found <= 0:
        return None
    while found > MOST_SECONDS:
        found /= 1000
    return found


def number(value: Any) -> float | None:
    """The value as a number, where it is a finite one that a float can hold; else None."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def no_object(record: Record) -> Accounted:
    """What becomes of a record that is a JSON value and no object: it is kept, and no format knows it."""
    return Accounted(record=record.index, fate="unknown", type=type(record.value).__name__, detail="no object")


def mapping(value: Any) -> Mapping[str, Any]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, OBJECTS) else {}


def text(value: Any) -> str:
    """The value where it is a text, else an empty one."""
    return value if isinstance(value, str) else ""


def anthropic_blocks(content: Any) -> tuple[Block, ...]:
    """The blocks of a Messages content in a log, which may be damaged: what is no block is kept as a native one."""
    if isinstance(content, str):
        return (TextBlock(content),)
    if not isinstance(content, list):
        return ()
    return tuple(
        block
        for each in content
        for block in (
            read_blocks([each], "content", Drift())
            if isinstance(each, Mapping)
            else (NativeBlock(fields={"value": each}, known=False),)
        )
    )
