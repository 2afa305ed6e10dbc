"""Canonical task state, one record per subject, changed only over the version it was read at."""

from dataclasses import replace

from ...errors import StoreError
from ...model.task import TaskState
from .codec import decode, encode
from .database import Connection, Database
from .names import owner_name


class SqlStates:
    """The `States` port for one tenant."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def load(self, subject_id: str | None) -> TaskState:
        """The present state; an empty one of version 0 where there is none."""
        with self._database.reading() as connection:
            return present(connection, owner_name(subject_id))

    def save(self, subject_id: str | None, state: TaskState) -> TaskState:
        """The state as stored, its version one higher; StoreError when another writer was first."""
        owner = owner_name(subject_id)
        with self._database.writing() as connection:
            version = present(connection, owner).version
            if version != state.version:
                raise StoreError(
                    f"task state was read at version {state.version} and is now at {version}: load it again and repeat "
                    "the change"
                )
            saved = replace(state, version=version + 1)
            connection.execute("DELETE FROM states WHERE owner = ?", (owner,))
            connection.execute("INSERT INTO states VALUES (?, ?, ?)", (owner, saved.version, encode(saved)))
        return saved


def present(connection: Connection, owner: str) -> TaskState:
    """An owner's state; an empty one of version 0 where there is none."""
    row = connection.execute("SELECT data FROM states WHERE owner = ?", (owner,)).fetchone()
    state: TaskState = decode(TaskState, row[0]) if row else TaskState()
    return state
