"""PostgreSQL as the canaries need it: emptied for each world, and with row-level security as the only wall."""

import psycopg
from psycopg import sql

from callsheet.edges.stores.postgres.migrate import migrate
from callsheet.edges.stores.postgres.schema import TABLES, VIEWS

from ..postgres import Server, Urls

_NAMES = "SELECT relname::text FROM pg_class WHERE relnamespace = %s::regnamespace AND relkind = %s"


def made(postgres: Server) -> Urls:
    """A database of its own with the tables in it."""
    urls = postgres.database()
    migrate(urls.owner, urls.engine)
    return urls


def empty(urls: Urls) -> None:
    """Takes every row of every tenant away."""
    with psycopg.connect(urls.superuser) as connection:
        for (name,) in connection.execute(_NAMES, (TABLES, "r")).fetchall():
            if name != "version":
                connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(TABLES, name)))


def without_the_engines_filter(urls: Urls) -> int:
    """Shows the engine whole tables where its views filtered by tenant; gives the number of views.

    What it still sees of them is what row-level security lets its role see.
    """
    with psycopg.connect(urls.superuser) as connection:
        names = [name for (name,) in connection.execute(_NAMES, (VIEWS, "v")).fetchall()]
        for name in names:
            view = sql.Identifier(VIEWS, name)
            defined = connection.execute("SELECT pg_get_viewdef(%s::regclass)", (view.as_string(),)).fetchone()
            assert defined is not None and "WHERE" in defined[0]
            whole = sql.SQL(defined[0].partition("WHERE")[0])
            connection.execute(sql.SQL("CREATE OR REPLACE VIEW {} WITH (security_invoker) AS {}").format(view, whole))
    return len(names)


def without_row_level_security(urls: Urls) -> None:
    """Lets every role see every row: the other half of the wall alone."""
    with psycopg.connect(urls.superuser) as connection:
        for (name,) in connection.execute(_NAMES, (TABLES, "r")).fetchall():
            table = sql.Identifier(TABLES, name)
            connection.execute(sql.SQL("DROP POLICY IF EXISTS of_one_tenant ON {}").format(table))
            connection.execute(
                sql.SQL("CREATE POLICY of_one_tenant ON {} USING (true) WITH CHECK (true)").format(table)
            )
