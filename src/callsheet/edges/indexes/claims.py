"""Which origins claim which documents, as one transaction that writes sees it; what it will ask of is read at once."""

from collections.abc import Iterable

from .database import Connection, among

Place = tuple[str, str, int]
"""A document's id, its version, and the partition it stands in."""
_AT = "document_id = ? AND version = ? AND partition = ?"
_ROWS = "SELECT document_id, version, partition, origin, path FROM knowledge_origin WHERE"


class Claims:
    """The claims of a transaction, which nobody else changes meanwhile; nothing is whole before `finish`."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._new: list[tuple[str, str, str, int, str]] = []
        self._of_document: dict[str, dict[tuple[str, int, str], str]] = {}
        self._of_path: dict[tuple[str, str], set[Place]] = {}

    def expect(self, document_ids: Iterable[str]) -> None:
        """Looks up who claims some documents, all at once."""
        new = sorted({each for each in document_ids if each not in self._of_document})
        self._of_document.update((each, {}) for each in new)
        for document_id, version, partition, origin, path in among(self.connection, f"{_ROWS} document_id", new):
            self._of_document[document_id][version, partition, origin] = path

    def expect_paths(self, origin: str, paths: Iterable[str]) -> None:
        """Looks up which documents of an origin have come from some paths, all at once."""
        new = sorted({each for each in paths if (origin, each) not in self._of_path})
        self._of_path.update(((origin, each), set()) for each in new)
        for document_id, version, partition, _, path in among(
            self.connection, f"{_ROWS} origin = ? AND path", new, origin
        ):
            self._of_path[origin, path].add((document_id, version, partition))

    def paths(self, origin: str, document_id: str, version: str) -> set[str]:
        """The paths of an origin that have a document, in whichever scope."""
        return {path for (of, _, by), path in self._of(document_id).items() if (of, by) == (version, origin)}

    def origins(self, place: Place) -> set[str]:
        """Who claims what stands at a place."""
        return {by for version, at, by in self._of(place[0]) if (version, at) == place[1:]}

    def elsewhere(self, origin: str, place: Place) -> set[Place]:
        """Where else an origin has this version of a document."""
        document_id, version, partition = place
        return {
            (document_id, of, at)
            for of, at, by in self._of(document_id)
            if (of, by) == (version, origin) and at != partition
        }

    def places(self, origin: str, path: str) -> set[Place]:
        """What an origin has from a path."""
        self.expect_paths(origin, [path])
        return set(self._of_path[origin, path])

    def claim(self, origin: str, place: Place, path: str) -> None:
        """From now on an origin has what stands at a place from this path, and from no other."""
        key = (place[1], place[2], origin)
        before = self._of(place[0]).get(key)
        if before is None:
            self._new.append((origin, *place, path))
        elif before != path:
            self.finish()
            update = f"UPDATE knowledge_origin SET path = ? WHERE origin = ? AND {_AT}"
            self.connection.execute(update, (path, origin, *place))
            self._of_path.get((origin, before), set()).discard(place)
        self._of_document[place[0]][key] = path
        self._of_path.get((origin, path), set()).add(place)

    def release(self, origin: str, place: Place) -> None:
        """From now on an origin does not have what stands at a place."""
        before = self._of(place[0]).pop((place[1], place[2], origin), None)
        if before is not None:
            self.finish()
            self.connection.execute(f"DELETE FROM knowledge_origin WHERE origin = ? AND {_AT}", (origin, *place))
            self._of_path.get((origin, before), set()).discard(place)

    def finish(self) -> None:
        """Writes the new claims that were gathered; many at once take little longer than one."""
        made = "INSERT INTO knowledge_origin (origin, document_id, version, partition, path) VALUES (?, ?, ?, ?, ?)"
        self.connection.executemany(made, self._new)
        self._new.clear()

    def _of(self, document_id: str) -> dict[tuple[str, int, str], str]:
        self.expect([document_id])
        return self._of_document[document_id]
