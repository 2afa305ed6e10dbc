"""What a deletion came to, and the certificate of a search for what may be left of it (C2, C8)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Whole = Literal["subject", "record", "tenant"]
"""What was deleted, or is looked for."""


@dataclass(frozen=True, slots=True)
class Looked:
    """One place that was searched: a file of the data folder, or a table of the tenant.

    `size` is in bytes: those of the file, or those of all values of the table with what was compressed unpacked; of a
    table `rows` counts too. `sha256` is that of the file as it was searched, empty for a table.
    """

    place: str
    kind: Literal["file", "table"]
    size: int
    rows: int = 0
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class FileHits:
    """A file that was searched, by its path below the tenant's folder, and the numbers of the pieces in its bytes.

    A folder with nothing in it has a path that ends with a slash.
    """

    path: str
    size: int
    sha256: str
    found: frozenset[int]


@dataclass(frozen=True, slots=True)
class TableHits:
    """A table that was searched, and the numbers of the pieces in its rows, by the owner of the rows.

    The owner is empty where a row's was deleted, and None where the table's rows are of no owner.
    """

    place: str
    rows: int
    size: int
    found: Mapping[str | None, frozenset[int]]


@dataclass(frozen=True, slots=True)
class Trace:
    """Something that was found: where, what it is, and how often. It never repeats the words that were looked for."""

    place: str
    what: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Certificate:
    """Where was looked for what is left of a subject, a record or a tenant, and what was found.

    `residue` is what should not be there. `held_by_others` are the same words in what belongs to somebody else, which a
    deletion does not touch. `waiting` is what still has to be done, and by whom; `ages_out` are copies that no process
    of the engine reaches, with the days until they are gone. `probes` counts the pieces of text that were looked for,
    each in every form of `forms`. `destroyed` counts what the deletion took, per store; a later search has none.
    `signature` is Ed25519 over the canonical JSON of all other fields, by the key whose public half is `public_key`;
    both in hexadecimal digits, and empty where it was not signed.
    """

    whole: Whole
    subject: str
    tenant: str
    made_at: str
    destroyed: Mapping[str, int]
    probes: int
    forms: tuple[str, ...]
    looked_in: tuple[Looked, ...]
    residue: tuple[Trace, ...]
    held_by_others: tuple[Trace, ...]
    waiting: tuple[str, ...] = ()
    ages_out: tuple[str, ...] = ()
    public_key: str = ""
    signature: str = ""
    format: int = 1


@dataclass(frozen=True, slots=True)
class Deletion:
    """What was deleted: the number of pieces per store, other records and texts that had absorbed it with the reason,
    and the certificate of the search that followed.
    """

    whole: Whole
    subject: str
    destroyed: Mapping[str, int]
    absorbed: tuple[Trace, ...]
    certificate: Certificate

    @property
    def total(self) -> int:
        """The number of pieces over all stores."""
        return sum(self.destroyed.values())
