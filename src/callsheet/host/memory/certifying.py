"""Looking through everything that a tenant keeps for what should be gone, and signing what was found (C2, C8)."""

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

from ...core.deletion.certificate import document, read_certificate, signed_bytes
from ...core.deletion.judging import judged, looked_in, looked_in_by_the_subject
from ...core.deletion.probes import FORMS, forms, named
from ...edges.project.store_settings import StoreSettings
from ...edges.signing import SigningKey, available, verified
from ...edges.stores import TenantStore
from ...edges.stores.files import temporary_prefix
from ...edges.stores.names import encode_name
from ...edges.stores.sqlite.database import FILE
from ...model.deletion import Certificate, FileHits, TableHits, Trace, Whole
from ...model.request import SHARED
from ...ports import Clock

SEARCH = "callsheet.edges.residue.searching"
"""Loaded when something is searched: it brings numpy."""


@dataclass(frozen=True, slots=True)
class Searched:
    """What is looked for: of which subject, record or tenant, under which owner's name, by which pieces of text.

    `by_operator` is False where whoever reads the certificate may know of no other subject of the tenant.
    """

    whole: Whole
    subject: str
    owner: str | None
    pieces: tuple[str, ...]
    by_operator: bool = True


@dataclass(frozen=True)
class Certifying:
    """Certificates of one data folder; `files` says that memory files lie in folders there, whatever the store is."""

    data_dir: Path
    settings: StoreSettings
    clock: Clock
    key: SigningKey
    files: bool = False

    def certificate(
        self,
        searched: Searched,
        store: TenantStore,
        destroyed: Mapping[str, int] | None = None,
        must_sign: bool = False,
    ) -> Certificate:
        """The certificate of a search made now; unsigned where the package is not there, unless it must be signed."""
        names = named(searched.subject) if searched.whole == "subject" else ()
        pieces = [*(forms(each) for each in searched.pieces), *((names,) if names else ())]
        folder = self.data_dir / encode_name(store.tenant_id)
        rows = ((each.table, each.owner, each.data) for each in store.contents())
        files, tables = import_module(SEARCH).search(folder, store.tables(), rows, pieces)
        its_own = _of_owner(searched)
        residue, others = judged(files, tables, searched.owner, its_own)
        residue += tuple(_unfinished(store, tables, folder if searched.whole == "tenant" else None))
        if not folder.exists():
            files = [FileHits(f"{folder.name}/, which is not there", 0, "", frozenset())]
        now = self.clock()
        made = Certificate(
            whole=searched.whole,
            subject=searched.subject,
            tenant=store.tenant_id,
            made_at=now.isoformat(),
            destroyed=dict(destroyed or {}),
            probes=len(pieces),
            forms=FORMS,
            looked_in=looked_in(files, tables)
            if searched.by_operator
            else looked_in_by_the_subject(files, tables, its_own),
            residue=residue,
            held_by_others=others if searched.by_operator else (),
            waiting=(*self._waiting(store), *self._in_sqlite(searched, folder, residue)),
            ages_out=self._ages_out(now),
        )
        return self._signed(made) if must_sign or available() else made

    def checked(self, data: bytes, tenant_id: str, public_key: str | None = None) -> Mapping[str, Any]:
        """Whether a document is a certificate of this tenant that is as it was signed, and `why` it is not.

        It must be signed by the key of this data folder, or by the one that is given.
        """
        written, why = read_certificate(data)
        if not why:
            why = self._flaw(written, tenant_id, public_key or self.key.public_key())
        told = {name: written.get(name) for name in ("whole", "subject", "tenant", "made_at", "residue")}
        return {"valid": not why, "why": why, **({} if why else told)}

    def _flaw(self, written: Mapping[str, Any], tenant_id: str, public_key: str) -> str:
        if written["public_key"] != public_key:
            return "it was signed by another key"
        if not verified(signed_bytes(written), written["signature"], public_key):
            return "it is not what was signed"
        return "" if written["tenant"] in (tenant_id, SHARED) else "it is of another tenant"

    def _signed(self, made: Certificate) -> Certificate:
        named_key = replace(made, public_key=self.key.public_key())
        return replace(named_key, signature=self.key.sign(signed_bytes(plain(document(named_key)))))

    def _waiting(self, store: TenantStore) -> tuple[str, ...]:
        if not store.erasing():
            return ()
        if self.settings.kind == "postgresql":
            return (
                "deleted rows can no longer be read; their bytes lie in the files of the tables until their owner runs "
                "`callsheet store erase`, which rewrites each (VACUUM FULL)",
            )
        return (
            "a full disk or another reader kept the bytes of deleted rows in the files: run `callsheet store erase`",
        )

    def _in_sqlite(self, searched: Searched, folder: Path, residue: Sequence[Trace]) -> tuple[str, ...]:
        """How to delete what a folder of SQLite's still has, of the time before the project named PostgreSQL."""
        if self.settings.kind == "sqlite" or not residue or not (folder / FILE).exists():
            return ()
        words = "--record R` for each that `memory list` shows there to say it"
        of = words if searched.whole == "record" else f"{shlex.quote(searched.subject)}`"
        return (
            f"the data folder still has {FILE}, a database of SQLite, which this store does not open: run "
            f"`callsheet --data FOLDER memory delete {of}, with the folder that `data` of [store] names",
        )

    def _ages_out(self, now: Any) -> tuple[str, ...]:
        if self.settings.kind == "sqlite":
            return ("copies made by `callsheet store backup` or by other programs: until you delete them",)
        days = self.settings.backup_days
        until = (
            f"on {(now + timedelta(days=days)).date()}, {days} days from now"
            if days is not None
            else "when you delete them; say after how many days that is, with backup_days of [store]"
        )
        elsewhere = "data folders of engine processes on other machines: run `callsheet memory certify` on each"
        return (f"write-ahead logs and backups of the database: {until}", *([elsewhere] if self.files else []))


def _unfinished(store: TenantStore, tables: Iterable[TableHits], folder: Path | None) -> Iterator[Trace]:
    """What a deletion left undone; with the folder of a tenant that is to be gone, whatever is left of it."""
    left = store.unfinished()
    if number := len(left.owners) + len(left.records) + left.tenant + left.memories:
        yield Trace("chores", "a deletion that was begun and is not done", number)
    if folder is not None and folder.exists():
        yield Trace(folder.name, "the tenant's folder")
    if folder is not None:
        yield from (Trace(each.place, "rows of the tenant", each.rows) for each in tables
                    if each.rows and each.place != "chores")  # fmt: skip


def plain(value: Any) -> Any:
    """A value as JSON gives it back: tuples are lists."""
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, Sequence) and not isinstance(value, str) else value


def _of_owner(searched: Searched) -> Callable[[str], bool]:
    """Says of a path whether its name gives the subject away: its folder or its key."""
    if searched.owner is None:
        return lambda path: False
    owner, unfinished = searched.owner, temporary_prefix(searched.owner)
    return lambda path: any(part == owner or part.startswith(unfinished) for part in path.split("/"))
