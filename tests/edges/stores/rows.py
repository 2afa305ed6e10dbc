"""A search of every row of a PostgreSQL database, whoever owns it."""

import psycopg

from callsheet.edges.stores.names import encode_name

from ...postgres import ENGINE


def rows_with(url: str, text: str) -> list[object]:
    """The rows of every table that hold a text, read as the superuser, content unpacked or not."""
    forms = [text.encode(), encode_name(text).strip("=").encode()]
    found: list[object] = []
    with psycopg.connect(url.replace(f"user={ENGINE}", "user=postgres")) as connection:
        tables = connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'callsheet_rows'::regnamespace AND relkind = 'r'"
        ).fetchall()
        for (table,) in tables:
            for row in connection.execute(f"SELECT * FROM callsheet_rows.{table}").fetchall():
                values = [value if isinstance(value, bytes) else str(value).encode() for value in row]
                if any(form in value for form in forms for value in values):
                    found.append((table, row))
    return found
