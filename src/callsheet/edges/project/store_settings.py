"""[store] of callsheet.toml: which database keeps records, where it is, and what a commit survives."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .text import Source

VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*", re.IGNORECASE)
_MOST_CONNECTIONS = 1_000
_MOST_DAYS = 36_500
_POSTGRESQL_ALONE = ("url_env", "owner_url_env", "connections", "backup_days")


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """[store]: `kind` of database, and what a commit survives: `process` means kill -9, `power` a power cut as well.

    `data` is the folder of records, relative to the project; of PostgreSQL, the folder of what is not kept there.
    `url_env` and `owner_url_env` name the variables that hold the connection strings of the engine's role and of the
    owner of the tables; no secret stands in the file. `backup_days` is for how many days backups and archived logs of
    the database are kept: so long what was deleted can still be restored from them.
    """

    data: str = ".callsheet"
    durability: Literal["process", "power"] = "process"
    kind: Literal["sqlite", "postgresql"] = "sqlite"
    url_env: str = "CALLSHEET_DATABASE_URL"
    owner_url_env: str = "CALLSHEET_OWNER_URL"
    connections: int = 10
    backup_days: int | None = None


def check_store(store: StoreSettings, written: Mapping[str, Any], source: Source) -> None:
    """A Problem for what no store could make sense of; `written` is the table as it stands in the file."""
    for key, why, fix in _mistakes(store, written):
        raise source.problem(("store", key), "invalid-value", why, fix)


def _mistakes(store: StoreSettings, written: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    if "\0" in store.data:
        yield "data", "store.data is no path", "name a folder"
    if store.kind == "sqlite":
        for key in _POSTGRESQL_ALONE:
            if key in written:
                yield key, f"store.{key} means nothing to kind 'sqlite'", 'remove the line, or set kind = "postgresql"'
    for key in ("url_env", "owner_url_env"):
        if not VARIABLE.fullmatch(getattr(store, key)):
            # It may well be the connection string itself, with its password, and is not said again.
            fix = f'put the connection string into a variable, and write its name, like {key} = "MY_DATABASE_URL"'
            yield key, f"store.{key} is no name of an environment variable", fix
    for key, most in (("connections", _MOST_CONNECTIONS), ("backup_days", _MOST_DAYS)):
        value = getattr(store, key)
        least = 1 if key == "connections" else 0
        if value is not None and not least <= value <= most:
            yield key, f"store.{key} = {value} lies outside {least} to {most}", "give a number in that range"
