-- name: keeping_of
SELECT k.keep
FROM ragraph.version_keeping AS k
WHERE k.collection = %(collection)s;

-- name: has_versions
SELECT exists(
    SELECT 1 FROM ragraph.document_version AS v
    WHERE v.document_id = %(document_id)s AND v.head IS NOT NULL
) AS has_versions;

-- name: keep_versions
INSERT INTO ragraph.version_keeping AS k (collection, keep)
VALUES (%(collection)s, %(keep)s)
ON CONFLICT (
    collection) DO UPDATE SET keep = excluded.keep
WHERE k.keep IS DISTINCT FROM excluded.keep;

-- name: keep_no_versions
DELETE FROM ragraph.version_keeping AS k
WHERE k.collection = %(collection)s;

-- name: history
-- Earlier versions that are retained, followed by the live one.
SELECT
    v.version,
    v.ingested_at,
    v.superseded_at,
    v.head ->> 'sha256' AS sha256,
    (v.head ->> 'file_size')::bigint AS file_size,
    (
        SELECT coalesce(sum(pg_column_size(r.*)), 0)
        FROM ragraph.document_version_row AS r
        WHERE r.document_id = %(document_id)s AND r.version = v.version
    ) AS bytes
FROM ragraph.document_version AS v
WHERE v.document_id = %(document_id)s AND v.head IS NOT NULL
UNION ALL
SELECT
    1 + (
        SELECT coalesce(max(v.version), 0)
        FROM ragraph.document_version AS v
        WHERE v.document_id = %(document_id)s
    ),
    d.processed_at,
    NULL,
    d.sha256,
    d.file_size,
    0
FROM ragraph.document AS d
WHERE d.id = %(document_id)s
ORDER BY version;

-- name: note_version
-- A document whose file failed since is complete: only the last try failed.
INSERT INTO ragraph.document_version (document_id, version, head, ingested_at, superseded_at, collection)
SELECT
    d.id,
    (
        SELECT coalesce(max(v.version), 0) + 1
        FROM ragraph.document_version AS v
        WHERE v.document_id = d.id
    ),
    to_jsonb(d) - '{created_at, updated_at, processed_at, error_message, set_by_hand, ingested_into, works_owed}'::text[]
    || CASE WHEN d.processing_status = 'failed' THEN '{"processing_status": "completed"}'::jsonb ELSE '{}' END,
    d.processed_at,
    clock_timestamp(),
    d.collection
FROM ragraph.document AS d
WHERE d.id = %(document_id)s
RETURNING version;

-- name: note_version_vectors
INSERT INTO ragraph.document_version_row (document_id, version, kind, id, content, embedding_vector, collection)
SELECT
    e.document_id,
    %(version)s,
    'vector',
    e.id,
    to_jsonb(e) - '{embedding_vector, document_id, collection, dimensions, created_at}'::text[],
    e.embedding_vector,
    e.collection
FROM ragraph.embedding AS e
WHERE e.document_id = %(document_id)s AND e.node_id = any(%(gone)s);

-- name: note_version_rows
INSERT INTO ragraph.document_version_row (document_id, version, kind, id, content, collection)
SELECT
    %(document_id)s,
    %(version)s,
    s.kind,
    s.id,
    nullif(s.content, 'null'),
    %(collection)s
FROM jsonb_to_recordset(%(rows)s) AS s (kind text, id text, content jsonb);

-- name: forget_version
DELETE FROM ragraph.document_version AS v
WHERE v.document_id = %(document_id)s AND v.version = %(version)s;

-- name: prune_versions
-- The number of the last version is retained, so that no number is used twice.
WITH kept AS (
    SELECT
        coalesce(
            min(k.version),
            (
                SELECT max(v.version) + 1
                FROM ragraph.document_version AS v
                WHERE v.document_id = %(document_id)s
            )
        ) AS first_kept
    FROM (
        SELECT v.version
        FROM ragraph.document_version AS v
        WHERE v.document_id = %(document_id)s AND v.head IS NOT NULL
        ORDER BY v.version DESC
        LIMIT %(keep)s
    ) AS k
),

contents AS (
    DELETE FROM ragraph.document_version_row AS r
    USING kept
    WHERE r.document_id = %(document_id)s AND r.version < kept.first_kept
),

numbers AS (
    DELETE FROM ragraph.document_version AS v
    USING kept
    WHERE
        v.document_id = %(document_id)s
        AND v.version < kept.first_kept
        AND v.version < (SELECT max(m.version) FROM ragraph.document_version AS m WHERE m.document_id = %(document_id)s)
    RETURNING v.version
),

last AS (
    UPDATE ragraph.document_version AS v
    SET head = NULL
    FROM kept
    WHERE
        v.document_id = %(document_id)s
        AND v.head IS NOT NULL
        AND v.version < kept.first_kept
        AND v.version = (SELECT max(m.version) FROM ragraph.document_version AS m WHERE m.document_id = %(document_id)s)
    RETURNING v.version
)

SELECT (SELECT count(*) FROM numbers) + (SELECT count(*) FROM last) AS pruned;

-- name: version_head
SELECT v.head
FROM ragraph.document_version AS v
WHERE v.document_id = %(document_id)s AND v.version = %(version)s;

-- name: live_version
SELECT coalesce(max(v.version), 0) + 1 AS live_version
FROM ragraph.document_version AS v
WHERE v.document_id = %(document_id)s;

-- name: version_rows
-- Rows in which a version differs from the live state: each row as the first version from this one on recorded it.
SELECT DISTINCT ON (r.kind, r.id)
    r.kind,
    r.id,
    r.content,
    r.embedding_vector::text AS numbers
FROM ragraph.document_version_row AS r
WHERE r.document_id = %(document_id)s AND r.version >= %(version)s
ORDER BY r.kind, r.id, r.version;

-- name: vectors_of
SELECT e.id
FROM ragraph.embedding AS e
WHERE e.document_id = %(document_id)s;

-- name: rows_of_document
-- Number of rows that belong to a document or refer to it, by table; none may remain after a permanent deletion.
-- Relations of other documents that led to it belong to these.
SELECT t.table_name, t.row_count
FROM (
    SELECT 'document' AS table_name, count(*) AS row_count FROM ragraph.document AS x WHERE x.id = %(document_id)s
    UNION ALL
    SELECT 'document_page', count(*) FROM ragraph.document_page AS x WHERE x.document_id = %(document_id)s
    UNION ALL
    SELECT 'document_component', count(*) FROM ragraph.document_component AS x WHERE x.document_id = %(document_id)s
    UNION ALL
    SELECT 'content_node', count(*) FROM ragraph.content_node AS x WHERE x.document_id = %(document_id)s
    UNION ALL
    SELECT 'relation', count(*) FROM ragraph.relation AS x WHERE x.document_id = %(document_id)s
    UNION ALL
    SELECT 'document_relation', count(*) FROM ragraph.document_relation AS x WHERE x.document_id = %(document_id)s
    UNION ALL
    SELECT 'entity', count(*) FROM ragraph.entity AS x WHERE x.document_id = %(document_id)s
    UNION ALL
    SELECT 'mention', count(*) FROM ragraph.mention AS x WHERE x.document_id = %(document_id)s
    UNION ALL
    SELECT 'entity_relation', count(*) FROM ragraph.entity_relation AS x WHERE x.document_id = %(document_id)s
    UNION ALL
    SELECT 'entity_extraction', count(*) FROM ragraph.entity_extraction AS x WHERE x.document_id = %(document_id)s
    UNION ALL
    SELECT 'text_change', count(*) FROM ragraph.text_change AS x WHERE x.document_id = %(document_id)s
    UNION ALL
    SELECT 'ingest_file', count(*) FROM ragraph.ingest_file AS x WHERE x.document_id = %(document_id)s
    UNION ALL
    SELECT 'embedding', count(*) FROM ragraph.embedding AS x WHERE x.document_id = %(document_id)s
    UNION ALL
    SELECT 'work_entry', count(*) FROM ragraph.work_entry AS x WHERE x.document_id = %(document_id)s
    UNION ALL
    SELECT 'node_review', count(*) FROM ragraph.node_review AS x WHERE x.document_id = %(document_id)s
    UNION ALL
    SELECT 'node_sentences', count(*) FROM ragraph.node_sentences AS x WHERE x.document_id = %(document_id)s
    UNION ALL
    SELECT 'document_version', count(*) FROM ragraph.document_version AS x WHERE x.document_id = %(document_id)s
    UNION ALL
    SELECT 'document_version_row', count(*) FROM ragraph.document_version_row AS x WHERE x.document_id = %(document_id)s
) AS t
WHERE t.row_count > 0
ORDER BY t.table_name;

-- name: read_as_of
-- Until the end of the transaction a document is read as of a version. Views have no statistics, so rows are joined by
-- hash, not by nested loops.
SELECT
    set_config('ragraph.as_of_document', %(document_id)s, TRUE),
    set_config('ragraph.as_of_version', %(version)s::integer::text, TRUE),
    set_config('enable_nestloop', 'off', TRUE),
    set_config('jit', 'off', TRUE),
    ragraph_private.is_distributed() AS on_cluster;

-- name: past_names
-- Names of the views and functions that read a document as of a version, each in place of the one of the same name for
-- the live document.
SELECT c.relname::text AS made
FROM pg_class AS c
WHERE c.relnamespace = 'ragraph_past'::regnamespace AND c.relkind = 'v'
UNION
SELECT p.proname::text
FROM pg_proc AS p
WHERE p.pronamespace = 'ragraph_past'::regnamespace;
