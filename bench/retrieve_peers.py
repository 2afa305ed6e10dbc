"""Other engines for `retrieve.py`, each in one table with the tenant as a filter, as its guide has it."""

import os
import sqlite3
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

DIMENSION = 384
CONSTANT = 60
"""Of reciprocal rank fusion, where a peer leaves the fusion to its caller (Cormack et al., SIGIR 2009)."""


class Peer:
    """An engine that stands beside ours: `most` is the size from which on it takes too long to build."""

    name = ""
    module = ""
    most = 1_000_000

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def here(cls) -> bool:
        """True where it is installed; else stderr is told."""
        found = find_spec(cls.module) is not None
        if not found:
            print(f"{cls.name} is left out: {cls.module} is not installed (requirements/bench.txt)", file=sys.stderr)
        return found


class LanceDb(Peer):
    """Hybrid search with its own fusion by rank, the tenant as a filter before both."""

    name, module = "lancedb", "lancedb"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        os.environ.setdefault("LANCEDB_LOG", "error")  # it warns of a coming version at each search
        arrow = import_module("pyarrow")
        fields = [("id", arrow.int64()), ("tenant", arrow.int64()), ("text", arrow.string())]
        schema = arrow.schema([*fields, ("vector", arrow.list_(arrow.float32(), DIMENSION))])
        self._arrow, self._schema = arrow, schema
        self._table = import_module("lancedb").connect(str(folder)).create_table("sections", schema=schema)
        self._rows: list[Any] = []

    def add(self, tenant: int, texts: list[str], vectors: Any) -> None:
        numbers = range(len(texts))
        packed = self._arrow.FixedSizeListArray.from_arrays(self._arrow.array(vectors.ravel()), DIMENSION)
        columns = [
            self._arrow.array(numbers),
            self._arrow.array([tenant] * len(texts)),
            self._arrow.array(texts),
            packed,
        ]
        self._rows.append(self._arrow.Table.from_arrays(columns, schema=self._schema))

    def ready(self) -> None:
        self._table.add(self._arrow.concat_tables(self._rows))
        self._rows = []
        self._table.create_fts_index("text")
        self._table.create_scalar_index("tenant")

    def ask(self, tenant: int, text: str, vector: Any) -> list[int]:
        search = self._table.search(query_type="hybrid").vector(vector).text(text)
        rows = search.where(f"tenant = {tenant}", prefilter=True).select(["id", "text"]).limit(10).to_list()
        return [row["id"] for row in rows]


class Tantivy(Peer):
    """BM25 alone; statistics of all tenants together."""

    name, module = "tantivy", "tantivy"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._engine = import_module("tantivy")
        builder = self._engine.SchemaBuilder()
        builder.add_integer_field("id", stored=True)
        builder.add_text_field("tenant", tokenizer_name="raw")
        builder.add_text_field("text", stored=True)
        self._index = self._engine.Index(builder.build(), path=str(folder))
        self._writer = self._index.writer()

    def add(self, tenant: int, texts: list[str], vectors: Any) -> None:
        for number, text in enumerate(texts):
            self._writer.add_document(self._engine.Document(id=number, tenant=str(tenant), text=text))

    def ready(self) -> None:
        self._writer.commit()
        self._writer.wait_merging_threads()
        self._index.reload()
        self._searcher = self._index.searcher()

    def ask(self, tenant: int, text: str, vector: Any) -> list[int]:
        query = self._index.parse_query(f"+tenant:{tenant} +({text})", ["text"])
        found = [self._searcher.doc(address) for _, address in self._searcher.search(query, 10).hits]
        return [each["id"][0] for each in found]


class Fts5(Peer):
    """The BM25 of SQLite, the tenant as a term of the index."""

    name, module = "fts5", "sqlite3"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._database = sqlite3.connect(folder / "k.db", isolation_level=None)
        self._database.execute("PRAGMA journal_mode=WAL")
        self._database.execute(
            "CREATE VIRTUAL TABLE section USING fts5(tenant, text, number UNINDEXED, tokenize='porter')"
        )
        self._database.execute("BEGIN")

    def add(self, tenant: int, texts: list[str], vectors: Any) -> None:
        rows = [(f"tenant{tenant}", text, number) for number, text in enumerate(texts)]
        self._database.executemany("INSERT INTO section VALUES (?, ?, ?)", rows)

    def ready(self) -> None:
        self._database.execute("COMMIT")

    def ask(self, tenant: int, text: str, vector: Any) -> list[int]:
        words = " OR ".join(dict.fromkeys(text.split()))
        query = "SELECT number, text FROM section WHERE section MATCH ? ORDER BY bm25(section, 0, 1) LIMIT 10"
        return [row[0] for row in self._database.execute(query, (f"tenant:tenant{tenant} AND text:({words})",))]


class SqliteVec(Fts5):
    """The same with vectors of sqlite-vec, a tenant a partition, fused by rank."""

    name, module = "fts5_sqlite_vec", "sqlite_vec"
    most = 100_000

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._database.execute("COMMIT")
        self._database.enable_load_extension(True)
        import_module("sqlite_vec").load(self._database)
        kind = f"vec0(tenant INTEGER PARTITION KEY, vector float[{DIMENSION}] distance_metric=cosine, +number INTEGER)"
        self._database.execute(f"CREATE VIRTUAL TABLE made USING {kind}")
        self._database.execute("BEGIN")

    @classmethod
    def here(cls) -> bool:
        loads = hasattr(sqlite3.Connection, "enable_load_extension")
        if not loads:
            print(f"{cls.name} is left out: this Python's sqlite3 loads no extensions", file=sys.stderr)
        return loads and super().here()

    def add(self, tenant: int, texts: list[str], vectors: Any) -> None:
        super().add(tenant, texts, vectors)
        rows = [(tenant, vector.tobytes(), number) for number, vector in enumerate(vectors)]
        self._database.executemany("INSERT INTO made (tenant, vector, number) VALUES (?, ?, ?)", rows)

    def ask(self, tenant: int, text: str, vector: Any) -> list[int]:
        query = "SELECT number FROM made WHERE vector MATCH ? AND k = 50 AND tenant = ? ORDER BY distance"
        alike = [row[0] for row in self._database.execute(query, (vector.tobytes(), tenant))]
        scores: dict[int, float] = {}
        for found in (super().ask(tenant, text, vector), alike):
            for rank, number in enumerate(found, 1):
                scores[number] = scores.get(number, 0.0) + 1 / (CONSTANT + rank)
        return sorted(scores, key=lambda number: -scores[number])[:10]


class Chroma(Peer):
    """Vectors alone, the tenant as a filter on metadata."""

    name, module = "chroma", "chromadb"
    most = 10_000

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        settings = import_module("chromadb.config").Settings(anonymized_telemetry=False)
        client = import_module("chromadb").PersistentClient(str(folder), settings=settings)
        self._collection = client.create_collection("sections", embedding_function=None)

        self._rows: list[tuple[str, Any, str, dict[str, int]]] = []

    def add(self, tenant: int, texts: list[str], vectors: Any) -> None:
        for number, (text, vector) in enumerate(zip(texts, vectors, strict=True)):
            self._rows.append((f"{tenant}-{number}", vector, text, {"tenant": tenant}))

    def ready(self) -> None:
        for start in range(0, len(self._rows), 5_000):
            names, vectors, texts, marks = zip(*self._rows[start : start + 5_000], strict=True)
            self._collection.add(
                ids=list(names), embeddings=list(vectors), documents=list(texts), metadatas=list(marks)
            )
        self._rows = []

    def ask(self, tenant: int, text: str, vector: Any) -> list[int]:
        found = self._collection.query(query_embeddings=[vector], n_results=10, where={"tenant": tenant})
        return [int(name.split("-")[1]) for name in found["ids"][0]]


PEERS: tuple[type[Peer], ...] = (LanceDb, Tantivy, Fts5, SqliteVec, Chroma)
