"""A search for deleted text that knows nothing of the engine's own: every file by its bytes and its name, every SQLite
row and every zlib stream unpacked, in plain, UTF-16, JSON-escaped and base64 form.
"""

import base64
import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg


def written(needle: str) -> list[bytes]:
    """A text in the forms it may be stored in."""
    plain = needle.encode()
    codes = [
        base64.b64encode(b"\0" * before + plain)[(0, 2, 3)[before] :][: len(plain) * 8 // 6 - 3] for before in range(3)
    ]
    return [plain, needle.encode("utf-16-le"), needle.encode("utf-16-be"), json.dumps(needle)[1:-1].encode(), *codes]


def left_in(folder: Path, needles: Iterable[str]) -> list[str]:
    """Where one of the texts is found below a folder, and in which form of reading."""
    forms = [form for needle in needles for form in written(needle)]
    found = []
    for path in sorted(folder.rglob("*")):
        if any(form in str(path.relative_to(folder)).encode() for form in forms):
            found.append(f"the name {path}")
        if path.is_file():
            for how, data in (("bytes", path.read_bytes()), *_rows(path)):
                if any(form in piece for piece in (data, *_inflated(data)) for form in forms):
                    found.append(f"{how} of {path}")
    return found


def left_in_rows(url: str, needles: Iterable[str]) -> list[str]:
    """The tables of a PostgreSQL database, whoever's the rows are, that hold one of the texts."""
    forms = [form for needle in needles for form in written(needle)]
    found = []
    with psycopg.connect(url) as connection:
        names = connection.execute("SELECT schemaname, tablename FROM pg_tables WHERE schemaname LIKE 'callsheet%'")
        for schema, table in names.fetchall():
            for row in connection.execute(f'SELECT * FROM "{schema}"."{table}"').fetchall():  # type: ignore[arg-type]
                values = [each if isinstance(each, bytes) else str(each).encode() for each in row]
                pieces = [piece for each in values for piece in (each, *_inflated(each))]
                if any(form in piece for piece in pieces for form in forms):
                    found.append(table)
    return found


def _rows(path: Path) -> Iterator[tuple[str, bytes]]:
    if not path.read_bytes()[:16].startswith(b"SQLite format 3"):
        return
    with closing(sqlite3.connect(path)) as connection:
        connection.text_factory = bytes
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for row in connection.execute(f"SELECT * FROM [{table.decode()}]"):
                for value in row:
                    yield f"a row of {table.decode()}", value if isinstance(value, bytes) else str(value).encode()


def _inflated(data: bytes) -> Iterator[bytes]:
    begin = data.find(b"x\x01")
    while begin >= 0:
        inflater = zlib.decompressobj()
        made = b""
        try:
            for place in range(begin, len(data), 64):
                made += inflater.decompress(data[place : place + 64])
                if inflater.eof:
                    break
        except zlib.error:
            pass
        if made:
            yield made
        begin = data.find(b"x\x01", begin + 1)
