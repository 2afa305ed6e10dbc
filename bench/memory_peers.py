"""Other memories for `memory.py`: kept, loaded and searched by the packages' own calls, with no model and no embedder.

    python bench/memory_peers.py NAME RECORDS TENANTS CALLS FOLDER [DATABASE_URL]

prints the milliseconds of each call as one JSON document. It needs nothing of ours, so that another interpreter may run
it: CALLSHEET_PEERS names that of an environment with the peers in it. What is there before anything is measured is
filled in by many at once, as the packages allow it.
"""

import json
import os
import sys
import time
import uuid
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from memory_data import DIMENSION, Made, vector

OPEN = 50
"""Tenants that are asked in turn."""
AT_ONCE = 500
"""Records that are filled in at once."""

Row = tuple[str, str, str]
"""Tenant, subject, and what is added or asked."""
Times = dict[str, list[tuple[float, float]]]
"""Of each call the milliseconds on the clock, and those of this process's processor time."""


class Mem0:
    """mem0 with `infer=False`, its default vector store on disk, and vectors that are there already."""

    modules = ("mem0", "langchain_core")

    def __init__(self, folder: Path, url: str) -> None:
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder), "OPENAI_API_KEY": "none"}
        embeddings = type(
            "Embeddings",
            (import_module("langchain_core.embeddings").Embeddings,),
            {
                "embed_query": lambda self, text: vector(text),
                "embed_documents": lambda self, texts: [vector(text) for text in texts],
            },
        )
        store = {"path": str(folder / "qdrant"), "embedding_model_dims": DIMENSION, "on_disk": True}
        self._memory = import_module("mem0").Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "embedder": {"provider": "langchain", "config": {"model": embeddings()}},
                "history_db_path": str(folder / "history.db"),
            }
        )

    def fill(self, rows: Sequence[Row]) -> None:
        """Puts into the store what `add` would, without the history that it keeps beside it."""
        lemmatized = import_module("mem0.utils.lemmatization").lemmatize_for_bm25
        self._memory.vector_store.insert(
            vectors=[vector(text) for _, _, text in rows],
            ids=[str(uuid.uuid4()) for _ in rows],
            payloads=[
                {"user_id": f"{tenant}/{subject}", "data": text, "text_lemmatized": lemmatized(text)}
                for tenant, subject, text in rows
            ],
        )

    def add(self, tenant: str, subject: str, text: str) -> None:
        self._memory.add(text, user_id=f"{tenant}/{subject}", infer=False)

    def load(self, tenant: str, subject: str) -> int:
        return len(self._memory.get_all(filters={"user_id": f"{tenant}/{subject}"}, top_k=1_000)["results"])

    def search(self, tenant: str, subject: str, text: str) -> int:
        found = self._memory.search(text, filters={"user_id": f"{tenant}/{subject}"}, top_k=10)
        return len(found["results"])


class LangGraph:
    """A LangGraph store, searched by likeness, a namespace for each subject."""

    modules: tuple[str, ...] = ("langgraph.store.sqlite",)

    def __init__(self, folder: Path, url: str) -> None:
        self._store = self._opened(folder, url)
        self._store.setup()
        self._number = 0

    def _opened(self, folder: Path, url: str) -> Any:
        connection = import_module("sqlite3").connect(
            folder / "store.db", check_same_thread=False, isolation_level=None
        )
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        return import_module("langgraph.store.sqlite").SqliteStore(connection, index=self._index())

    def _index(self) -> dict[str, Any]:
        return {"dims": DIMENSION, "embed": lambda texts: [vector(text) for text in texts], "fields": ["text"]}

    def fill(self, rows: Sequence[Row]) -> None:
        put = import_module("langgraph.store.base").PutOp
        numbered = enumerate(rows, self._number + 1)
        self._store.batch([put((row[0], row[1]), str(number), {"text": row[2]}) for number, row in numbered])
        self._number += len(rows)

    def add(self, tenant: str, subject: str, text: str) -> None:
        self._number += 1
        self._store.put((tenant, subject), str(self._number), {"text": text})

    def load(self, tenant: str, subject: str) -> int:
        return len(self._store.search((tenant, subject), limit=1_000))

    def search(self, tenant: str, subject: str, text: str) -> int:
        return len(self._store.search((tenant, subject), query=text, limit=10))


class LangGraphPlain(LangGraph):
    """The same without likeness: records are put and listed."""

    def _index(self) -> Any:
        return None

    search = None  # type: ignore[assignment]


class LangGraphPostgres(LangGraph):
    """A LangGraph store on PostgreSQL with pgvector."""

    modules = ("langgraph.store.postgres", "psycopg")

    def _opened(self, folder: Path, url: str) -> Any:
        rows = import_module("psycopg.rows").dict_row
        connection = import_module("psycopg").connect(url, autocommit=True, prepare_threshold=0, row_factory=rows)
        return import_module("langgraph.store.postgres").PostgresStore(connection, index=self._index())


PEERS: dict[str, type] = {
    "mem0": Mem0,
    "langgraph_sqlite": LangGraph,
    "langgraph_sqlite_plain": LangGraphPlain,
    "langgraph_postgres": LangGraphPostgres,
}


def timed(call: Callable[..., object], rows: Sequence[tuple[str, ...]]) -> list[tuple[float, float]]:
    """The milliseconds of each call."""
    times = []
    for row in rows:
        begun, worked = time.perf_counter(), time.process_time()
        call(*row)
        times.append(((time.perf_counter() - begun) * 1_000, (time.process_time() - worked) * 1_000))
    return times


def measured(system: Any, made: Made, calls: int) -> Times:
    """The times of adding, loading and searching in a system that holds all records.

    `search` is of subjects that were searched before. A system of which it matters has `ready`, which brings its index
    up to date without a look at any subject, and `first`, the first search of a subject.
    """
    rows = made.rows()
    for start in range(0, len(rows), AT_ONCE):
        system.fill(rows[start : start + AT_ONCE])
    asked = made.asked(calls, OPEN)
    subjects = [(tenant, subject) for tenant, subject, _ in asked]
    times: Times = {"load": timed(system.load, subjects)}
    if hasattr(system, "ready"):
        times |= {
            "caught_up": system.ready(asked),
            "first": timed(system.search, list({row[:2]: row for row in asked}.values())),
        }
    if system.search is not None:
        times["search"] = timed(system.search, asked)
    return {**times, "add": timed(system.add, made.asked(calls, OPEN))}


def main() -> None:
    name, records, tenants, calls, folder, *url = sys.argv[1:]
    told = sys.stdout
    sys.stdout = sys.stderr  # packages greet there
    system = PEERS[name](Path(folder), *(url or [""]))
    told.write(json.dumps(measured(system, Made(int(records), int(tenants)), int(calls))))
    told.flush()
    os._exit(0)  # some of them hold threads


if __name__ == "__main__":
    main()
