"""The tables of the indexes, of knowledge and of memories: an edge of its own, given its transactions by the host."""

KNOWLEDGE = """
    CREATE TABLE knowledge_state (
        version integer NOT NULL, file text NOT NULL, generation bigint NOT NULL, PRIMARY KEY (tenant)
    );
    CREATE TABLE knowledge_partition (
        number bigint, scope text, generation bigint NOT NULL, sections integer NOT NULL,
        marked integer NOT NULL DEFAULT 0,
        PRIMARY KEY (tenant, number)
    );
    CREATE INDEX knowledge_partition_scope ON knowledge_partition (tenant, scope);
    CREATE TABLE knowledge_document (
        number bigint, partition bigint NOT NULL, document_id text NOT NULL,
        version text NOT NULL, digest text NOT NULL, effective text, review_by text,
        authority double precision NOT NULL, language text NOT NULL, first integer NOT NULL, sections integer NOT NULL,
        lengths bytea NOT NULL, embedder text, embedded integer NOT NULL DEFAULT 0, withdrawn text,
        supersedes text NOT NULL,
        PRIMARY KEY (tenant, number), UNIQUE (tenant, document_id, version, partition)
    );
    CREATE INDEX knowledge_document_partition ON knowledge_document (tenant, partition);
    CREATE TABLE knowledge_section (
        number bigint, document bigint NOT NULL, slug text NOT NULL, heading text NOT NULL, "text" text NOT NULL,
        start integer NOT NULL, "end" integer NOT NULL, terms text NOT NULL, counts bytea NOT NULL,
        PRIMARY KEY (tenant, number)
    );
    CREATE TABLE knowledge_alike (
        number bigint, signature bytea NOT NULL, duplicate_of text NOT NULL DEFAULT '', PRIMARY KEY (tenant, number)
    );
    CREATE TABLE knowledge_posting (
        partition bigint, term text, first bigint, sections bytea NOT NULL, PRIMARY KEY (tenant, partition, term, first)
    );
    CREATE TABLE knowledge_vector (
        document bigint, section integer, partition bigint NOT NULL, embedding halfvec NOT NULL,
        PRIMARY KEY (tenant, document, section)
    );
    CREATE TABLE knowledge_origin (
        origin text, document_id text, version text, partition bigint, path text NOT NULL,
        PRIMARY KEY (tenant, origin, document_id, version, partition)
    );
    CREATE INDEX knowledge_origin_document ON knowledge_origin (tenant, document_id, version);
    CREATE INDEX knowledge_origin_path ON knowledge_origin (tenant, path, origin);
    CREATE TABLE knowledge_file (
        origin text, path text, stamp text NOT NULL, digest text NOT NULL, given text NOT NULL,
        PRIMARY KEY (tenant, origin, path)
    );
    CREATE TABLE knowledge_relation (key text, document bigint, PRIMARY KEY (tenant, key, document));
    CREATE INDEX knowledge_relation_document ON knowledge_relation (tenant, document)
"""
"""A vector is a row here, in pgvector's type of half the size, so that the server itself can compare it."""

PREFIXES = {"knowledge": "knowledge_", "memories": "memory_index_"}
"""How the names of an index's tables begin. Whoever asks for them says `knowledge_`, whichever index it is.

Their statements join tables; a view that is a barrier would keep the planner from doing that by index, and what the
barrier is for, row-level security does beneath it.
"""

MEMORIES = f"""
    {KNOWLEDGE.strip().replace(PREFIXES["knowledge"], PREFIXES["memories"])};
    CREATE TABLE memory_index_place (
        number bigint NOT NULL, deletions text NOT NULL, record_id text NOT NULL, erase integer NOT NULL,
        PRIMARY KEY (tenant)
    )
"""
"""The same for the memories, and how far their index has come."""
