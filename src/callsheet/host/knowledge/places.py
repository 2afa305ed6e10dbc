"""Where the indexes of a host's tenants lie: a file in the tenant's folder, or rows beside its records."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from ...edges.stores import IndexOf, TenantStores
from ...edges.stores.files import make_folder, storing
from ...edges.stores.names import encode_name
from ...model.knowledge_policy import Ranking
from ...ports import Embedder, Reranker

if TYPE_CHECKING:
    from ...edges.indexes.index import TenantIndex
    from ...edges.indexes.kept import Kept

FILES: Mapping[IndexOf, str] = {"knowledge": "knowledge.db", "memories": "memory.db"}
"""The files of a tenant's indexes, where they are no rows."""
ENGINE = "callsheet.edges.indexes.index"
_ROWS = "callsheet.edges.indexes.rows"
"""Loaded when something is first searched: they bring numpy."""
_WRITTEN = "SELECT 1 FROM knowledge_state"


@dataclass
class Places:
    """Opens indexes where the tenants' stores are; what they keep between searches is bounded for all together."""

    data_dir: Path
    stores: TenantStores
    ranking: Ranking
    _kept: "Kept | None" = None

    def written(self, tenant_id: str, of: IndexOf = "knowledge") -> bool:
        """Whether anything was ever written there; asking loads no engine and makes nothing."""
        rows = self.stores.index(tenant_id, of)
        if rows is not None:
            with rows.reading() as connection:
                return connection.execute(_WRITTEN).fetchone() is not None
        path = self.path(tenant_id, of)
        with storing(path):
            return path.exists()

    def open(
        self,
        tenant_id: str,
        read_only: bool,
        embedder: Embedder | None,
        reranker: Reranker | None,
        of: IndexOf = "knowledge",
    ) -> "TenantIndex":
        """A tenant's index, made where there is none."""
        engine = import_module(ENGINE)
        self._kept = self._kept or engine.Kept()
        rows = self.stores.index(tenant_id, of)
        if rows is not None:
            database = import_module(_ROWS).IndexRows(rows, read_only)
            opened: TenantIndex = engine.TenantIndex(database, tenant_id, self.ranking, embedder, reranker, self._kept)
        else:
            path = self.path(tenant_id, of)
            with storing(path):
                make_folder(path.parent)
            opened = engine.open_index(path, tenant_id, read_only, self.ranking, embedder, reranker, self._kept)
        return opened

    def path(self, tenant_id: str, of: IndexOf = "knowledge") -> Path:
        """Where the file of a tenant's index lies, where it has one."""
        return self.data_dir / encode_name(tenant_id) / FILES[of]
