"""A transcript format: how it is recognised by its content, and how its records become events."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ...model.transcript import Event, Skip

Shape = Literal["lines", "list", "object"]
"""How a file is written: a JSON value on each line, one JSON list, or one JSON object."""


@dataclass(frozen=True, slots=True)
class Record:
    """One record: its number, its JSON value, and the member of the document whose entry it is.

    `index` is the 0-based raw line, or the entry of the list; `part` is "" for lines and for a list, the member's name
    for an object's. A member that is no list, or that the format does not take apart, is one record with index -1,
    which is not counted. `skip` says why a record could not be read; `value` is None then. `size` is in bytes.
    """

    index: int
    value: Any
    part: str = ""
    skip: Skip | None = None
    detail: str = ""
    size: int = 0


@dataclass(frozen=True, slots=True)
class Sample:
    """The head of a file, for recognising its format: its shape, the first records, an object's members.

    `members` are an object's members, long lists and texts cut short. `name` is the file's name and `flaw` what could
    not be read of the head, both for messages only.
    """

    shape: Shape
    records: tuple[Any, ...] = ()
    members: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    flaw: str = ""


@dataclass(frozen=True, slots=True)
class Format:
    """One transcript format.

    `refuses` says in a few words why a sample is none of this format's, "" where it is. `entries` are the members of an
    object document whose entries are records of their own, so that a long one is read piece by piece; the document is
    one single record where it has none of them. `read` turns records into events; it gives one `Accounted` for each
    record whose index is not negative.
    """

    name: str
    title: str
    refuses: Callable[[Sample], str]
    read: Callable[[Iterable[Record]], Iterator[Event]]
    entries: tuple[str, ...] = ()
