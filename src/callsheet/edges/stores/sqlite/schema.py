"""The tables of one tenant's database, as the migrations that make them."""

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE blobs (hash BLOB PRIMARY KEY, owner TEXT, stub BLOB, data BLOB);
    CREATE TABLE policies (fingerprint TEXT PRIMARY KEY, answer BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE requests (
        run_id TEXT NOT NULL, number INTEGER NOT NULL, owner TEXT, start BLOB NOT NULL, policy TEXT NOT NULL,
        created_at TEXT NOT NULL, sending_at TEXT, outcome TEXT,
        input INTEGER, cached_read INTEGER, cache_write INTEGER, output INTEGER,
        PRIMARY KEY (run_id, number)
    ) WITHOUT ROWID;
    CREATE TABLE entries (
        run_id TEXT NOT NULL, sequence INTEGER NOT NULL, number INTEGER NOT NULL, effect TEXT NOT NULL,
        call BLOB, answer BLOB, question BLOB,
        PRIMARY KEY (run_id, sequence)
    ) WITHOUT ROWID;
    CREATE TABLE states (owner TEXT PRIMARY KEY, version INTEGER NOT NULL, data BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE events (
        number INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, producer TEXT NOT NULL, notice BLOB NOT NULL,
        queued_at TEXT NOT NULL, expires_at TEXT, repeats INTEGER NOT NULL DEFAULT 0, repeated_at TEXT,
        delivered_in TEXT, delivered_at TEXT, expired_at TEXT
    );
    CREATE TABLE approvals (
        approval_id TEXT PRIMARY KEY, owner TEXT NOT NULL, run_id TEXT NOT NULL, request_id TEXT NOT NULL,
        call_hash TEXT NOT NULL, shown BLOB NOT NULL, requested_at TEXT NOT NULL,
        granted INTEGER, decided_by TEXT, decided_at TEXT
    );
    CREATE TABLE memories (
        number INTEGER PRIMARY KEY AUTOINCREMENT, record_id TEXT UNIQUE NOT NULL, owner TEXT NOT NULL,
        data BLOB NOT NULL
    );
    CREATE INDEX memories_by_owner ON memories (owner);
    CREATE TABLE artifacts (name TEXT PRIMARY KEY, owner TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE chores (name TEXT PRIMARY KEY) WITHOUT ROWID;
    """,
    """
    CREATE TABLE deliveries (
        number INTEGER NOT NULL, owner TEXT NOT NULL, delivered_in TEXT NOT NULL, delivered_at TEXT NOT NULL,
        PRIMARY KEY (number, owner)
    ) WITHOUT ROWID;
    INSERT INTO deliveries SELECT number, owner, delivered_in, delivered_at FROM events WHERE delivered_in IS NOT NULL;
    ALTER TABLE events DROP COLUMN delivered_in;
    ALTER TABLE events DROP COLUMN delivered_at;
    ALTER TABLE events ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
    UPDATE events SET place = (
        SELECT count(*) FROM events AS earlier WHERE earlier.owner = events.owner AND earlier.number <= events.number
    );
    CREATE UNIQUE INDEX events_by_place ON events (owner, place);
    """,
    """
    ALTER TABLE memories ADD COLUMN visibility TEXT NOT NULL DEFAULT 'subject';
    CREATE INDEX memories_by_visibility ON memories (visibility) WHERE visibility <> 'subject';
    """,
    """
    CREATE TABLE memory_files (
        owner TEXT NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL, data BLOB, origin BLOB,
        PRIMARY KEY (owner, path)
    ) WITHOUT ROWID;
    """,
    """
    CREATE TABLE claims (
        number INTEGER NOT NULL, owner TEXT NOT NULL, request_id TEXT NOT NULL, claimed_at TEXT NOT NULL,
        PRIMARY KEY (number, owner)
    ) WITHOUT ROWID;
    """,
    """
    CREATE TABLE marks (name TEXT PRIMARY KEY, mark TEXT NOT NULL) WITHOUT ROWID;
    ALTER TABLE memories ADD COLUMN scope TEXT;
    ALTER TABLE memories ADD COLUMN standing INTEGER NOT NULL DEFAULT 0;
    UPDATE memories SET scope = json_extract(CAST(data AS TEXT), '$.scope'),
        standing = coalesce(json_extract(CAST(data AS TEXT), '$.kind') IN ('procedural', 'working'), 0);
    CREATE INDEX memories_standing ON memories (owner) WHERE standing = 1;
    CREATE INDEX memories_standing_of_all ON memories (visibility) WHERE standing = 1;
    """,
)
"""Each is applied once, in order, in one transaction; `PRAGMA user_version` counts those applied. Only ever append.

`owner` is the name of the key that content is filed under (`names.owner_name`); NULL once that owner was deleted. A
blob's `stub` is what stays of an item then: its shape, no text. An event's `place` is its number among its owner's.
A memory file without `data` is a folder. A row in `chores` is work that a crash cut short. The scope of
a memory stands in its row, and whether it bears on every question, so that what a session may see is all it selects
from. A mark says of something that it was changed.
"""
