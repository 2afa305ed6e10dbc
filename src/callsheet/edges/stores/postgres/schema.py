"""The tables in PostgreSQL, as the migrations that make them, and the wall between tenants, built anew each time.

Tables lie in the schema `callsheet_rows`, each with a column `tenant` that leads its keys, and row-level security is
forced on every one of them. The engine asks the views of the same names in the schema `callsheet`: they filter by
tenant as well and have the columns that the tables of SQLite have, so that one statement serves both.
"""

from .knowledge import KNOWLEDGE, MEMORIES, PREFIXES

TABLES = "callsheet_rows"
VIEWS = "callsheet"
TENANT = "callsheet.tenant"
"""The setting of a transaction that says whose rows it sees."""

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE blobs (hash bytea, owner text, stub bytea, data bytea, PRIMARY KEY (tenant, hash));
    CREATE INDEX blobs_by_owner ON blobs (tenant, owner);
    CREATE TABLE policies (fingerprint text, answer bytea NOT NULL, PRIMARY KEY (tenant, fingerprint));
    CREATE TABLE requests (
        run_id text, number integer, owner text, start bytea NOT NULL, policy text NOT NULL, created_at text NOT NULL,
        sending_at text, outcome text, input bigint, cached_read bigint, cache_write bigint, output bigint,
        PRIMARY KEY (tenant, run_id, number)
    );
    CREATE INDEX requests_by_owner ON requests (tenant, owner);
    CREATE TABLE entries (
        run_id text, sequence integer, number integer NOT NULL, effect text NOT NULL,
        call bytea, answer bytea, question bytea,
        PRIMARY KEY (tenant, run_id, sequence)
    );
    CREATE TABLE states (owner text, version integer NOT NULL, data bytea NOT NULL, PRIMARY KEY (tenant, owner));
    CREATE TABLE events (
        number bigint GENERATED ALWAYS AS IDENTITY, owner text NOT NULL, producer text NOT NULL, notice bytea NOT NULL,
        queued_at text NOT NULL, expires_at text, repeats integer NOT NULL DEFAULT 0, repeated_at text, expired_at text,
        place integer NOT NULL,
        PRIMARY KEY (tenant, number), UNIQUE (tenant, owner, place)
    );
    CREATE TABLE deliveries (
        number bigint, owner text, delivered_in text NOT NULL, delivered_at text NOT NULL,
        PRIMARY KEY (tenant, number, owner)
    );
    CREATE TABLE claims (
        number bigint, owner text, request_id text NOT NULL, claimed_at text NOT NULL,
        PRIMARY KEY (tenant, number, owner)
    );
    CREATE TABLE approvals (
        approval_id text, owner text NOT NULL, run_id text NOT NULL, request_id text NOT NULL, call_hash text NOT NULL,
        shown bytea NOT NULL, requested_at text NOT NULL, granted integer, decided_by text, decided_at text,
        rowid bigint GENERATED ALWAYS AS IDENTITY,
        PRIMARY KEY (tenant, approval_id)
    );
    CREATE TABLE memories (
        number bigint GENERATED ALWAYS AS IDENTITY, record_id text NOT NULL, owner text NOT NULL, data bytea NOT NULL,
        visibility text NOT NULL DEFAULT 'subject',
        PRIMARY KEY (tenant, number), UNIQUE (tenant, record_id)
    );
    CREATE INDEX memories_by_owner ON memories (tenant, owner);
    CREATE INDEX memories_by_visibility ON memories (tenant, visibility) WHERE visibility <> 'subject';
    CREATE TABLE artifacts (name text, owner text NOT NULL, data bytea NOT NULL, PRIMARY KEY (tenant, name));
    CREATE INDEX artifacts_by_owner ON artifacts (tenant, owner);
    CREATE TABLE chores (name text, PRIMARY KEY (tenant, name));
    CREATE TABLE keys (owner text, key bytea NOT NULL, PRIMARY KEY (tenant, owner));
    """,
    """
    CREATE TABLE memory_files (
        owner text NOT NULL, path text NOT NULL, size bigint NOT NULL, data bytea, origin bytea,
        PRIMARY KEY (tenant, owner, path)
    );
    """,
    KNOWLEDGE,
    """
    CREATE TABLE marks (name text, mark text NOT NULL, PRIMARY KEY (tenant, name));
    ALTER TABLE memories ADD COLUMN scope text DEFAULT '=';
    ALTER TABLE memories ALTER COLUMN scope DROP DEFAULT;
    ALTER TABLE memories ADD COLUMN standing integer NOT NULL DEFAULT 0;
    CREATE INDEX memories_newest ON memories (tenant, owner, number);
    CREATE INDEX memories_standing ON memories (tenant, owner, number) WHERE standing = 1;
    CREATE INDEX memories_standing_of_all ON memories (tenant, visibility, number) WHERE standing = 1;
    """,
    MEMORIES,
)
"""Each is applied once, in order; `callsheet_rows.version` counts those applied. Only ever append.

Every `CREATE TABLE` gets its column `tenant`, and text compares byte by byte as in SQLite. A column of a table stands
in its view in the same place; `rowid` of `approvals` is the order in which they were filed.
"""
_TENANT_COLUMN = f"tenant text COLLATE \"C\" NOT NULL DEFAULT current_setting('{TENANT}') CHECK (tenant <> ''), "


def statements(migration: str) -> tuple[str, ...]:
    """The statements of one migration as PostgreSQL is told them."""
    whole = migration.replace(" text", ' text COLLATE "C"')
    return tuple(_with_tenant(each.strip()) for each in whole.split(";") if each.strip())


def _with_tenant(statement: str) -> str:
    if not statement.startswith("CREATE TABLE"):
        return statement
    name, _, columns = statement.partition("(")
    return f"{name}({_TENANT_COLUMN}{columns}"


def wall(table: str, columns: str) -> tuple[str, ...]:
    """What parts the tenants of one table, by row-level security and by the view that the engine asks.

    The policy is built anew, so that one that somebody loosened does not stay. Where no tenant is set nothing is seen.
    """
    options = "security_invoker" if table.startswith(tuple(PREFIXES.values())) else "security_barrier, security_invoker"
    own = f"tenant = nullif(current_setting('{TENANT}', true), '')"
    return (
        f"ALTER TABLE {TABLES}.{table} ENABLE ROW LEVEL SECURITY",
        f"ALTER TABLE {TABLES}.{table} FORCE ROW LEVEL SECURITY",
        f"DROP POLICY IF EXISTS of_one_tenant ON {TABLES}.{table}",
        f"CREATE POLICY of_one_tenant ON {TABLES}.{table} USING ({own}) WITH CHECK ({own})",
        f"DROP VIEW IF EXISTS {VIEWS}.{table}",
        f"CREATE VIEW {VIEWS}.{table} WITH ({options}) AS SELECT {columns} FROM {TABLES}.{table} WHERE {own}",
    )
