"""The stores: every store port over one small protocol of a database, and what stands behind that protocol."""

from .sqlite import Durability, SqliteStores, open_tenant
from .tenant import IndexOf, TenantStore, TenantStores

__all__ = ["Durability", "IndexOf", "SqliteStores", "TenantStore", "TenantStores", "open_tenant"]
