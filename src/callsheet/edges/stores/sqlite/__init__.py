"""Stores in SQLite: one database, one folder of artifacts, one of keys and one of leases for each tenant."""

from .database import Durability
from .tenants import SqliteStores, open_tenant

__all__ = ["Durability", "SqliteStores", "open_tenant"]
