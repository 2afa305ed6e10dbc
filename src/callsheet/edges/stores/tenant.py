"""One tenant's stores over one database, whichever that is."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, Protocol, Self

from ...model.deletion import Trace
from ...model.memory import MemoryRecord
from ...ports import Leases
from .approvals import SqlApprovals
from .contents import Content, contents_of
from .database import Connection, Database, Opened
from .deleting import ERASE, FORGET, Begun, begin, begun, destroy_owner, done, of_record
from .events import SqlEvents
from .keys import Keys, keyed_hash
from .ledger import SqlLedger
from .memories import SqlMemories
from .memory_files import SqlMemoryFiles
from .memory_log import SqlMemoryLog
from .names import TENANT, owner_name
from .owned import OwnedArtifacts, owned_records, owned_requests, owned_words
from .records import SqlRecords
from .removing import found_record, remove_record
from .states import SqlStates
from .tool_uses import SqlToolUses

IndexOf = Literal["knowledge", "memories"]
"""What an index is of."""


class TenantStore:
    """Every store port of one tenant. Nothing is touched before the first use; a closed store opens itself again."""

    def __init__(
        self, tenant_id: str, database: Database, keys: Keys, artifacts: OwnedArtifacts, leases: Leases
    ) -> None:
        self.tenant_id = tenant_id
        self.database = database
        self.artifacts = artifacts
        self.leases = leases
        self.ledger = SqlLedger(database, keys, tenant_id)
        self.records = SqlRecords(database, tenant_id)
        self.states = SqlStates(database)
        self.events = SqlEvents(database, keys)
        self.approvals = SqlApprovals(database)
        self.uses = SqlToolUses(database)
        self.memories = SqlMemories(database, tenant_id)
        self.memory_log = SqlMemoryLog(database, tenant_id)
        self._keys = keys

    def memory_files(self, subject_id: str | None) -> SqlMemoryFiles:
        """The files of one subject; those that the tenant shares where there is no subject."""
        return SqlMemoryFiles(self.database, owner_name(subject_id))

    def forget(self, subject_id: str) -> Mapping[str, int]:
        """Destroys a subject's key and all content under it, and gives the number of pieces destroyed per store.

        What stays of its requests is their shape: ids, kinds, counts, reasons. Returns once the rest can no longer be
        read; where its bytes are gone from disk by then, `Database.erase` says.
        """
        return self.forget_owner(owner_name(subject_id))

    def forget_owner(self, owner: str) -> Mapping[str, int]:
        """As `forget`, by the name that the subject's content is filed under."""
        with self.database.writing(full=True) as connection:
            destroyed = destroy_owner(connection, owner)
            self.artifacts.remove(owner)
            self._keys.destroy(connection, owner)
        self.ledger.forget()
        self.database.erase()
        return destroyed

    def remove(self, record_id: str) -> tuple[Mapping[str, int], Sequence[Trace]]:
        """Destroys one memory record, with what was made of it and the content of requests that it entered.

        The number of pieces per store, and what had absorbed it, with the reason; nothing where there is none.
        """
        with self.database.writing(full=True) as connection:
            record = found_record(connection, record_id)
            if record is None:
                done(connection, of_record(record_id))
                return {}, ()
            destroyed, absorbed = remove_record(connection, self._keys, self.artifacts, record)
        self.ledger.forget()
        self.database.erase()
        return destroyed, absorbed

    def record(self, record_id: str) -> MemoryRecord | None:
        """The memory record of this id, whosoever's it is; None where the tenant has none."""
        with self.database.reading() as connection:
            return found_record(connection, record_id)

    def begin_deletion(self, chore: str) -> None:
        """Notes durably that a deletion was begun: whoever opens the tenant after a crash finds it `unfinished`."""
        with self.database.writing(full=True) as connection:
            begin(connection, chore)

    def unfinished(self) -> Begun:
        """The deletions that were begun and not ended."""
        with self.database.reading() as connection:
            return begun(connection)

    def erasing(self) -> bool:
        """True where the bytes of deleted rows still lie in the database's files."""
        with self.database.reading() as connection:
            return connection.execute("SELECT 1 FROM chores WHERE name = ?", (ERASE,)).fetchone() is not None

    def memory_log_in(self, connection: Connection) -> SqlMemoryLog:
        """The memory log as a transaction that is open already sees it."""
        return SqlMemoryLog(Opened(connection), self.tenant_id)

    def forgotten(self, erased: bool) -> None:
        """Notes that the index of memories has forgotten, too, what was deleted; its bytes may be still to erase."""
        with self.database.writing() as connection:
            connection.execute("DELETE FROM chores WHERE name = ?", (FORGET,))
            if not erased:
                begin(connection, ERASE)

    def records_of(self, owner: str) -> Sequence[MemoryRecord]:
        """The memory records of an owner, oldest first."""
        with self.database.reading() as connection:
            return owned_records(connection, owner)

    def requests_of(self, owner: str) -> Sequence[str]:
        """The ids of an owner's requests that were recorded, oldest first."""
        with self.database.reading() as connection:
            return owned_requests(connection, owner)

    def outputs_of(self, owner: str) -> Sequence[tuple[str, bytes]]:
        """The names and bytes of an owner's tool outputs."""
        with self.database.reading() as connection:
            return tuple(self.artifacts.owned(connection, owner))

    def words_of(self, owner: str) -> tuple[str, ...]:
        """Every text that is kept of an owner, so that it can be looked for once it is gone."""
        with self.database.reading() as connection:
            return tuple(owned_words(connection, self.artifacts, owner))

    def mark(self, text: str) -> str:
        """A name for a text that says nothing of it without the tenant's key."""
        with self.database.writing() as connection:
            return keyed_hash(text.encode("utf-8", "surrogatepass"), self._keys.of(connection, TENANT)).hex()

    def tables(self) -> tuple[str, ...]:
        """The names of the tables that hold rows of the tenant."""
        with self.database.reading() as connection:
            return self.database.tables(connection)

    def contents(self) -> Iterator[Content]:
        """Every value of every row of the tenant, unpacked, with the table and the owner of the row."""
        with self.database.reading() as connection:
            for table in self.database.tables(connection):
                yield from contents_of(connection, table)

    def close(self) -> None:
        """Closes the database."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class TenantStores(Protocol):
    """The stores of every tenant of a host."""

    def open(self, tenant_id: str) -> TenantStore:
        """The tenant's stores: the same object for as long as anybody holds it."""

    def shared(self) -> TenantStore | None:
        """What every tenant may read, opened read-only; None where nothing was ever written there."""

    def drop(self, tenant_id: str) -> Mapping[str, int]:
        """Destroys the rows of a tenant, and gives their number per table.

        Rows of a file in the tenant's folder go with the folder, which is the caller's to delete.
        """

    def index(self, tenant_id: str, of: IndexOf) -> Database | None:
        """Where the rows of a tenant's index go, whose writers wait for no others; None where it has a file."""

    def close(self) -> None:
        """Closes whatever is open."""
