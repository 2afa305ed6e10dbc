"""What PostgreSQL adds to the contract: the wall between tenants, the roles that may work, and its tables' versions."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from callsheet.edges.indexes.index import TenantIndex
from callsheet.edges.indexes.memories import MemoryIndex
from callsheet.edges.indexes.rows import IndexRows
from callsheet.edges.stores import TenantStore, open_tenant
from callsheet.edges.stores.names import owner_name
from callsheet.edges.stores.postgres import schema
from callsheet.edges.stores.postgres.migrate import migrate
from callsheet.edges.stores.postgres.tenants import PostgresStores
from callsheet.edges.stores.postgres.upkeep import described, erase
from callsheet.errors import StoreError, UsageError
from callsheet.model.effect import Intend
from callsheet.model.evidence import Document
from callsheet.model.ingest import FileState
from callsheet.model.knowledge_policy import Ranking
from callsheet.model.memory import MemoryRecord
from callsheet.model.task import Task, TaskState
from callsheet.model.tool import ToolCall
from callsheet.testing import FakeEmbedder

from ...postgres import ENGINE, Server, Urls
from .store_strategies import NOW, POLICY, context
from .test_tenants import CANARY, fill

INDEXES = ("knowledge_", "memory_index_")
COLUMNS = """
    SELECT table_name, column_name FROM information_schema.columns
    WHERE table_schema = %s AND table_name <> 'version' ORDER BY table_name, ordinal_position
"""


@pytest.fixture
def own(postgres: Server) -> Urls:
    """A database of the test's own, with the tables in it."""
    database = postgres.database()
    migrate(database.owner, database.engine)
    return database


@pytest.fixture
def filled(own: Urls) -> Iterator[Urls]:
    """The same with two tenants in it, each with something in every store."""
    with closing(PostgresStores(own.engine)) as stores:
        for tenant in ("t1", "t2"):
            of = ("knowledge", "memories")
            for rows_of in (IndexRows(stores.index(tenant, each)) for each in of):
                index = TenantIndex(rows_of, tenant, Ranking(graph=0.3), FakeEmbedder())
                index.ingest([Document("d", "A canary of this tenant is called canary-5512, and it sings at noon.")])
                index.origins.touch("folder", [("d.md", FileState("1", "2", "3"))])
                index.embed()
        fill(stores.open("t1"))
        other = stores.open("t2")
        other.states.save("u1", TaskState(goal="another tenant's"))
        other.memories.add(MemoryRecord("u1", "t2", "support", "another tenant's", "user_stated"))
        for store in (stores.open("t1"), other):
            _followed(stores, store)
    yield own


def _followed(stores: PostgresStores, store: TenantStore) -> None:
    """Brings the index of a store's memories up to date."""
    index = TenantIndex(IndexRows(stores.index(store.tenant_id, "memories")), store.tenant_id)
    MemoryIndex(index, None, store.memory_log_in).catch_up(store.memory_log)


def rows(url: str, statement: str, tenant: str | None = None) -> list[tuple[object, ...]]:
    with psycopg.connect(url) as connection:
        if tenant is not None:
            connection.execute("SELECT set_config('callsheet.tenant', %s, true)", (tenant,))
        return connection.execute(statement).fetchall()


def tables(url: str) -> list[str]:
    return sorted({str(table) for table, _ in _columns(url, schema.TABLES)})


def _columns(url: str, of: str) -> list[tuple[str, str]]:
    with psycopg.connect(url) as connection:
        return connection.execute(COLUMNS, (of,)).fetchall()


def test_with_the_applications_filter_gone_row_level_security_alone_shows_no_other_tenants_row(filled):
    shown = set()
    for table in tables(filled.superuser):
        everyones = rows(filled.superuser, f"SELECT tenant FROM callsheet_rows.{table}")
        own = [row for row in everyones if row == ("t2",)]
        assert rows(filled.engine, f"SELECT tenant FROM callsheet_rows.{table}", "t2") == own
        assert rows(filled.engine, f"SELECT tenant FROM callsheet_rows.{table}", "t3") == []
        assert rows(filled.engine, f"SELECT tenant FROM callsheet_rows.{table}") == []
        assert rows(filled.owner, f"SELECT tenant FROM callsheet_rows.{table}") == []
        if len(everyones) > len(own):
            shown.add(table)
    empty = {"deliveries", "claims", "chores", "memory_files", "marks"}
    assert {each for each in tables(filled.superuser) if not each.startswith("knowledge_")} - shown == empty


def test_with_row_level_security_gone_the_applications_filter_alone_shows_no_other_tenants_row(filled):
    for table in tables(filled.superuser):
        own = rows(filled.superuser, f"SELECT count(*) FROM callsheet_rows.{table} WHERE tenant = 't2'")
        assert rows(filled.superuser, f"SELECT count(*) FROM callsheet.{table}", "t2") == own
        assert rows(filled.superuser, f"SELECT count(*) FROM callsheet.{table}") == [(0,)]


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO callsheet_rows.states VALUES ('t1', 'u9', 1, '')",
        "INSERT INTO callsheet_rows.states (owner, version, data) VALUES ('u9', 1, '')",
        "UPDATE callsheet_rows.states SET tenant = 't1'",
    ],
)
def test_no_row_is_written_for_another_tenant_and_none_without_one(filled, statement):
    tenant = None if "(owner" in statement else "t2"
    with pytest.raises(psycopg.Error, match=r"row-level security|unrecognized configuration parameter"):
        rows(filled.engine, statement, tenant)
    for change in ("UPDATE callsheet_rows.states SET version = 9", "DELETE FROM callsheet_rows.states"):
        with psycopg.connect(filled.engine) as connection:
            connection.execute("SELECT set_config('callsheet.tenant', 't3', true)")
            assert connection.execute(change).rowcount == 0


def test_a_transaction_leaves_its_tenant_behind(filled):
    """A connection goes back into the pool: whoever gets it next sees nothing of the one before."""
    with closing(PostgresStores(filled.engine, connections=1)) as stores:
        stores.open("t1").states.load("u1")
        with stores.server._pool.connection() as connection:
            assert connection.execute("SELECT count(*) FROM callsheet_rows.states").fetchone() == (0,)
        assert stores.open("t2").states.load("u1").goal == "another tenant's"


def test_a_role_that_could_see_around_the_wall_is_refused_by_name_with_the_way_out(postgres, own):
    with psycopg.connect(own.superuser) as connection:
        name = connection.info.dbname
        for role, becomes in ((f"mighty_{name}", "BYPASSRLS"), (f"member_{name}", f"IN ROLE mighty_{name}")):
            connection.execute(f"CREATE ROLE {role} LOGIN {becomes}")
            connection.execute(f"GRANT {ENGINE} TO {role}")
        connection.execute(f"CREATE ROLE heir_{name} LOGIN IN ROLE callsheet_owner")
    said = {
        own.superuser: r"role 'postgres' may bypass row-level security",
        own.owner: r"role 'callsheet_owner' owns the tables",
        postgres.url(name, f"mighty_{name}"): rf"role 'mighty_{name}' may bypass row-level security",
        postgres.url(name, f"member_{name}"): rf"role 'member_{name}' may bypass .* by way of 'mighty_{name}'",
        postgres.url(name, f"heir_{name}"): rf"role 'heir_{name}' owns the tables",
    }
    for url, why in said.items():
        with closing(PostgresStores(url)) as stores, pytest.raises(UsageError, match=why) as caught:
            stores.open("t1").states.load("u1")
        assert "give the engine a role of its own" in str(caught.value)
    assert "role 'callsheet_engine' is bound by row-level security, which is forced on all" in described(own.engine)


@pytest.mark.parametrize("how", ["NO FORCE", "DISABLE"])
def test_a_table_whose_wall_was_opened_is_named_and_migrating_closes_it(own, how):
    with psycopg.connect(own.owner) as connection:
        connection.execute(f"ALTER TABLE callsheet_rows.blobs {how} ROW LEVEL SECURITY")
        connection.execute("DROP POLICY of_one_tenant ON callsheet_rows.states")
        connection.execute("CREATE POLICY of_one_tenant ON callsheet_rows.states USING (true)")
    with pytest.raises(StoreError, match=r"not forced on blobs; run `callsheet store migrate`"):
        described(own.engine)
    migrate(own.owner, own.engine)
    assert "server 18" in described(own.engine)
    with closing(PostgresStores(own.engine)) as stores:
        stores.open("t1").states.save("u1", TaskState(goal="own"))
    assert rows(own.engine, "SELECT owner FROM callsheet_rows.states", "t2") == []


def test_tables_are_made_once_by_however_many_processes_and_never_downwards(postgres):
    database = postgres.database()
    with closing(PostgresStores(database.engine)) as stores:
        with pytest.raises(StoreError, match=r"no tables of callsheet yet; run `callsheet store migrate`"):
            stores.open("t1").states.load("u1")
        with ThreadPoolExecutor(3) as pool:
            done = list(pool.map(lambda _: migrate(database.owner, database.engine), range(3)))
        newest = len(schema.MIGRATIONS)
        assert sorted(done) == [(0, newest), (newest, newest), (newest, newest)]
        assert stores.open("t1").states.load("u1") == TaskState()
    with psycopg.connect(database.owner) as connection:
        connection.execute("UPDATE callsheet_rows.version SET version = version + 1")
    for ask in (lambda: described(database.engine), lambda: migrate(database.owner, database.engine)):
        with pytest.raises(StoreError, match=r"written by a newer callsheet"):
            ask()


def test_migrating_for_a_role_that_is_not_there_or_is_the_owner_says_how_to_make_one(postgres):
    database = postgres.database()
    for user, why in (("nobody_yet", "CREATE ROLE nobody_yet LOGIN"), ("callsheet_owner", "a role of its own")):
        with pytest.raises(UsageError, match=why):
            migrate(database.owner, database.engine.replace(ENGINE, user))
    with pytest.raises(UsageError, match="names no user"):
        migrate(database.owner, "dbname=x")
    assert tables(database.superuser) == []


def test_both_schemas_have_the_same_tables_with_the_same_columns(own, tmp_path: Path):
    with open_tenant(tmp_path, "t1") as store:
        store.states.save("u1", TaskState())
        with store.database.reading() as connection:
            names = connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
            )
            embedded = {
                table: [row[1] for row in connection.execute(f"PRAGMA table_info({table})").fetchall()]
                for (table,) in names.fetchall()
            }
    served: dict[str, list[str]] = {}
    for table, column in _columns(own.superuser, schema.VIEWS):
        if not table.startswith(INDEXES):  # which lie in a file of their own there
            served.setdefault(table, []).append(column)
    # What lies in files beside the embedded database, and the order of rows that SQLite keeps by itself.
    assert served.pop("keys") == ["owner", "key"]
    served["artifacts"].remove("data")
    served["approvals"].remove("rowid")
    assert {table: names for table, names in served.items() if table in embedded} == embedded
    assert all(table.startswith(INDEXES) for table in served.keys() - embedded.keys())


def test_a_connection_that_broke_while_it_lay_idle_is_replaced(filled):
    with closing(PostgresStores(filled.engine)) as stores:
        store = stores.open("t2")
        with store.leases.held("run-1", "run run-1"):
            before = store.states.load("u1")
            for _ in range(2):
                rows(filled.superuser, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                     f"WHERE usename = '{ENGINE}' AND datname = current_database()")  # fmt: skip
                assert store.states.load("u1") == before
            with pytest.raises(UsageError), store.leases.held("run-1", "run run-1"):
                pass
            with store.leases.held("run-2", "run run-2"):
                pass
            # The lock went with the connection that held it, and was taken again with the next use.
            with (
                closing(PostgresStores(filled.engine)) as others,
                pytest.raises(UsageError),
                others.open("t2").leases.held("run-1", "run run-1"),
            ):
                pass
        with store.leases.held("run-1", "run run-1"):
            pass


def test_a_connection_that_breaks_inside_a_write_is_an_outage_and_nothing_is_half_written(filled):
    with closing(PostgresStores(filled.engine)) as stores:
        store = stores.open("t2")
        before = store.states.load("u1")
        with pytest.raises(StoreError, match="still there"), store.database.writing() as connection:
            connection.execute("UPDATE states SET version = 99")
            rows(filled.superuser, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                 f"WHERE usename = '{ENGINE}' AND datname = current_database()")  # fmt: skip
            connection.execute("DELETE FROM states")
        assert store.states.load("u1") == before


def test_threads_beyond_the_connections_wait_their_turn_and_lose_nothing(own):
    with closing(PostgresStores(own.engine, connections=1)) as stores, ThreadPoolExecutor(8) as pool:
        one = stores.open("t1")
        list(pool.map(lambda number: one.events.push(f"job {number} finished", "jobs", "u1", NOW), range(40)))
        list(
            pool.map(lambda number: stores.open(f"t{number}").states.save("u1", TaskState(goal=str(number))), range(40))
        )
        assert len(one.events.pending("u1", NOW)) == 40
        assert [stores.open(f"t{number}").states.load("u1").goal for number in range(40)] == [str(n) for n in range(40)]


def test_a_server_that_is_not_there_is_named_without_the_password(own):
    with closing(PostgresStores("postgresql://someone:secret-7731@127.0.0.1:1/shop?connect_timeout=2")) as stores:
        with pytest.raises(StoreError, match=r"PostgreSQL database 'shop' at 127\.0\.0\.1") as caught:
            stores.open("t1").states.load("u1")
        assert "secret-7731" not in str(caught.value)
    with pytest.raises(StoreError, match="none that PostgreSQL understands") as caught:
        PostgresStores("postgresql://someone:secret-7731@[bad/shop")
    assert "secret-7731" not in str(caught.value)


def test_text_that_the_server_keeps_not_is_refused_and_said(own):
    with closing(PostgresStores(own.engine)) as stores:
        store = stores.open("t1")
        for bad in ("a\0b", "half \ud800"):
            with pytest.raises(StoreError, match="no text with a NUL character or half a character"):
                store.events.push("job finished", bad, "u1", NOW) if "\0" in bad else store.approvals.decide(
                    bad, True, "mara", NOW
                )
        assert store.events.log() == ()


def test_an_intention_is_committed_to_disk_where_the_role_is_set_not_to_wait_for_it(own):
    def setting(store: TenantStore, full: bool) -> str:
        with store.database.writing(full=full) as connection:
            return str(connection.execute("SHOW synchronous_commit").fetchone()[0])

    with psycopg.connect(own.superuser) as connection:
        name = connection.info.dbname
        connection.execute(f"ALTER ROLE {ENGINE} IN DATABASE {name} SET synchronous_commit = off")
    with (
        closing(PostgresStores(own.engine)) as process,
        closing(PostgresStores(own.engine, durability="power")) as power,
    ):
        lax, strict = process.open("t1"), power.open("t1")
        assert [setting(lax, False), setting(lax, True), setting(strict, False)] == ["off", "on", "on"]
        seen: list[bool] = []
        writing = lax.database.writing
        lax.database.writing = lambda *, full=False: seen.append(full) or writing(full=full)  # type: ignore[method-assign]
        lax.ledger.begin(context(), Task("Why?", "run-1"), POLICY, "b2:policy")
        lax.ledger.intend("run-1.1", Intend("run-1.1", ToolCall("rotate", {}), "b2:call", False))
    assert seen == [False, True]


def test_a_key_that_is_gone_is_named_and_none_is_made_in_its_place(filled):
    with psycopg.connect(filled.superuser) as connection:
        connection.execute("DELETE FROM callsheet_rows.keys WHERE tenant = 't1'")
    with closing(PostgresStores(filled.engine)) as stores:
        with pytest.raises(StoreError, match=r"the key of '=tenant' in callsheet_rows\.keys is gone.*from a backup"):
            stores.open("t1").artifacts.get("toolrun://run-1.1/1")
        with pytest.raises(StoreError, match=r"is gone"):
            stores.open("t1").events.push("job finished", "jobs", f"u1 {CANARY}", NOW)
    assert rows(filled.superuser, "SELECT owner FROM callsheet_rows.keys WHERE tenant = 't1'") == []


def test_erasing_as_the_owner_leaves_no_byte_of_what_was_deleted_in_the_files_of_the_tables(postgres, filled):
    def held() -> bool:
        with psycopg.connect(filled.superuser, autocommit=True) as connection:
            connection.execute("CHECKPOINT")
        folder = Path(str(rows(filled.superuser, "SHOW data_directory")[0][0])) / "base"
        oid = rows(filled.superuser, "SELECT oid FROM pg_database WHERE datname = current_database()")[0][0]
        return any(b"canary-7731" in file.read_bytes() for file in (folder / str(oid)).iterdir())

    assert held() and erase(filled.owner) == 0
    with psycopg.connect(filled.superuser, autocommit=True) as connection:
        connection.execute("ANALYZE")  # as the server does by itself: it keeps samples of what stands in columns
    with closing(PostgresStores(filled.engine)) as stores:
        stores.open("t1").forget(f"u1 {CANARY}")
        assert rows(filled.superuser, "SELECT tenant, name FROM callsheet_rows.chores ORDER BY name") == [
            ("t1", "erase"),
            ("t1", "forget in the index"),
        ]
        assert owner_name(f"u1 {CANARY}") not in str(rows(filled.superuser, "SELECT owner FROM callsheet_rows.keys"))
        assert held()
        assert (erase(filled.owner), erase(filled.owner)) == (1, 0)
        assert held()  # in the index of memories, which is yet to forget
        _followed(stores, stores.open("t1"))
        stores.open("t1").forgotten(erased=False)
        assert (erase(filled.owner), erase(filled.owner)) == (1, 0)
        assert not held()
        assert stores.open("t2").states.load("u1").goal == "another tenant's"
    assert "forced on all" in described(filled.engine)


def test_erasing_without_leave_for_the_servers_own_samples_says_so_and_is_not_done(filled):
    with psycopg.connect(filled.superuser, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {connection.info.dbname} OWNER TO postgres")
    with closing(PostgresStores(filled.engine)) as stores:
        stores.open("t1").forget("u1")
    with pytest.raises(StoreError, match=r"pg_statistic.*have the database's owner, or a superuser, erase"):
        erase(filled.owner)
    assert erase(filled.superuser) == 1
