"""Both kinds of indexes: a test of the contract takes `kind` and runs over SQLite and over PostgreSQL."""

import sqlite3
from abc import ABC, abstractmethod
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

from callsheet.edges.indexes.index import TenantIndex, open_index
from callsheet.edges.indexes.rows import IndexRows
from callsheet.edges.stores.names import encode_name
from callsheet.edges.stores.postgres.tenants import PostgresStores

from ...postgres import Urls

_numbers = count()


@dataclass
class Kind(ABC):
    """A kind of index at one place."""

    def new(self, tenant_id: str = "t1", **options: Any) -> TenantIndex:
        """An index with nothing in it."""
        return self.at(self.place(), tenant_id, **options)

    def place(self) -> str:
        """A place for an index where none is."""
        return f"index-{next(_numbers)}"

    @abstractmethod
    def at(self, place: str, tenant_id: str = "t1", read_only: bool = False, **options: Any) -> TenantIndex:
        """The index at a place, opened as another process would."""

    @abstractmethod
    def rows(self, place: str, query: str) -> list[tuple[Any, ...]]:
        """What the rows of the index at a place are."""


@dataclass
class Files(Kind):
    """Indexes in SQLite."""

    folder: Path
    name: str = "sqlite"

    def at(self, place: str, tenant_id: str = "t1", read_only: bool = False, **options: Any) -> TenantIndex:
        return open_index(self.folder / f"{place}.db", tenant_id, read_only, **options)

    def rows(self, place: str, query: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.folder / f"{place}.db")) as connection:
            return connection.execute(query).fetchall()


@dataclass
class Tables(Kind):
    """Indexes in PostgreSQL: each is a tenant, whatever name it answers to."""

    stores: PostgresStores
    urls: Urls
    name: str = "postgresql"
    opened: list[TenantIndex] = field(default_factory=list)

    def at(self, place: str, tenant_id: str = "t1", read_only: bool = False, **options: Any) -> TenantIndex:
        return TenantIndex(IndexRows(self.stores.index(place, "knowledge"), read_only), tenant_id, **options)

    def rows(self, place: str, query: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.urls.engine) as connection:
            connection.execute("SET search_path = callsheet")
            connection.execute("SELECT set_config('callsheet.tenant', %s, true)", (encode_name(place),))
            return connection.execute(query).fetchall()
