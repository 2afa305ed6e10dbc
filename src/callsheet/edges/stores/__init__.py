"""The embedded stores: one SQLite database, one folder of artifacts and one of keys per tenant."""

from .database import Durability
from .tenant import TenantStore, TenantStores, open_tenant

__all__ = ["Durability", "TenantStore", "TenantStores", "open_tenant"]
