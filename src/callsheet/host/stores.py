"""The stores of a host: which database the project asks for, opened, described and looked after (I1)."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from ..edges.project.settings import Settings
from ..edges.project.store_settings import StoreSettings
from ..edges.stores import SqliteStores, TenantStores
from ..edges.stores.sqlite import upkeep as folders
from ..errors import UsageError

_POSTGRES = "callsheet.edges.stores.postgres"
"""Loaded when a project keeps its records there: it brings the client library."""


def open_stores(store: StoreSettings, data_dir: Path, variables: Mapping[str, str]) -> TenantStores:
    """The stores that a project asks for, nothing of them touched yet.

    UsageError where the variable that names the database is not set, or the client library is not installed.
    """
    if store.kind == "sqlite":
        return SqliteStores(data_dir, durability=store.durability)
    url = _url(store.url_env, "url_env", variables)
    opened: TenantStores = _postgres("tenants").PostgresStores(
        url, connections=store.connections, durability=store.durability
    )
    return opened


def described(settings: Settings, variables: Mapping[str, str]) -> str:
    """The store in one line: its kind, version and place, and of PostgreSQL the role and what binds it.

    One of our errors where the engine could not, or must not, work in it.
    """
    store = settings.store
    if store.kind == "sqlite":
        number = len(folders.tenant_folders(settings.data_dir))
        power = " and a power cut" if store.durability == "power" else ""
        tenants = f"{number or 'no'} tenant{'' if number == 1 else 's'}"
        return f"SQLite {folders.VERSION} in {settings.data_dir}, {tenants}; a commit survives a killed process{power}"
    return str(_postgres("upkeep").described(_url(store.url_env, "url_env", variables)))


def migrate(settings: Settings, variables: Mapping[str, str]) -> tuple[int, int]:
    """The version of PostgreSQL's tables before and after they were made or changed, as their owner.

    UsageError for SQLite, which does so by itself.
    """
    store = settings.store
    if store.kind == "sqlite":
        raise UsageError("a database of SQLite is made and changed when it is opened; there is nothing to do")
    owner, engine = (_url(getattr(store, key), key, variables) for key in ("owner_url_env", "url_env"))
    done: tuple[int, int] = _postgres("migrate").migrate(owner, engine)
    return done


def back_up(settings: Settings, target: Path) -> Mapping[str, Any]:
    """Which tenants were copied into a new folder, each as it was at one moment, while others go on writing.

    UsageError for PostgreSQL, which has tools of its own.
    """
    if settings.store.kind == "postgresql":
        raise UsageError(
            "PostgreSQL is backed up by its own tools, as pg_dump run by a role that row-level security does not bind; "
            "docs/stores.md says what belongs to it"
        )
    return folders.back_up(settings.data_dir, target)


def findings(settings: Settings, variables: Mapping[str, str]) -> list[tuple[str, str, bool]]:
    """What a look through the whole store found: what was looked at, what was seen, and whether it is well."""
    if settings.store.kind == "sqlite":
        return folders.findings(settings.data_dir)
    return [("database", described(settings, variables), True)]


def erase(settings: Settings, variables: Mapping[str, str]) -> int:
    """How many tenants had deleted rows whose bytes still lay in the files, and now no longer do.

    In PostgreSQL it is done as the owner of the tables; each is locked for all tenants while it is rewritten. In SQLite
    deleting does it, and what was in its way then is tried again here: StoreError where it still is.
    """
    if settings.store.kind == "sqlite":
        return folders.erase(settings.data_dir)
    return int(_postgres("upkeep").erase(_url(settings.store.owner_url_env, "owner_url_env", variables)))


def _url(variable: str, key: str, variables: Mapping[str, str]) -> str:
    url = variables.get(variable)
    if not url:
        raise UsageError(
            f"the connection string of PostgreSQL is read from {variable}, which is not set; set it, as to "
            f"postgresql://ROLE:PASSWORD@HOST/DATABASE, or name another variable with [store] {key}"
        )
    return url


def _postgres(module: str) -> Any:
    try:
        return import_module(f"{_POSTGRES}.{module}")
    except ImportError as error:
        raise UsageError(
            f'[store] kind = "postgresql" needs packages that are not installed ({error}); '
            "run `pip install 'callsheet[postgres]'`"
        ) from error
