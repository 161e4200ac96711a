-- name: doctor_database
-- Facts about the database and the current role.
SELECT
    current_setting('server_version') AS server_release,
    (SELECT e.extversion FROM pg_extension AS e WHERE e.extname = 'vector') AS pgvector,
    ragraph_private.half_vectors() AS half_vectors,
    pg_database_size(current_database()) AS bytes,
    (SELECT d.datctype FROM pg_database AS d WHERE d.datname = current_database()) AS ctype,
    current_setting('track_functions') <> 'none' AS functions_timed,
    current_user::text AS role_name,
    ragraph.tenants_on() AS tenants_on,
    ragraph_private.sees_all() AS sees_all,
    (
        SELECT NOT p.proleakproof FROM pg_proc AS p WHERE p.oid = 'pg_catalog.ts_match_vq(tsvector, tsquery)'::regprocedure
    ) AS words_leak,
    (
        SELECT count(*)
        FROM ragraph.document AS d
        INNER JOIN ragraph.publication AS p ON d.publication_id = p.id
        WHERE d.collection <> p.collection
    ) AS apart,
    has_table_privilege('ragraph.document', 'SELECT') AS may_read,
    has_table_privilege('ragraph.document', 'INSERT, UPDATE, DELETE') AS may_write,
    pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean AS only_reads,
    (
        SELECT array_agg(i.indexrelid::regclass::text ORDER BY i.indexrelid::regclass::text)
        FROM pg_index AS i
        INNER JOIN pg_class AS c ON i.indrelid = c.oid
        WHERE c.relnamespace = 'ragraph'::regnamespace AND NOT i.indisvalid
    ) AS broken_indexes,
    (
        SELECT count(*)
        FROM ragraph.text_statistics AS t
        WHERE t.nodes >= 1000 AND abs(t.nodes - t.sampled) > 0.1 * t.sampled
    ) AS stale_statistics;

-- name: doctor_documents
SELECT
    count(*) AS documents,
    count(*) FILTER (WHERE d.processing_status = 'failed') AS failed,
    count(*) FILTER (WHERE d.processing_status = 'processing') AS unfinished,
    count(*) FILTER (WHERE d.processing_status = 'completed' AND d.works_owed IS NOT NULL) AS owing
FROM ragraph.document AS d;

-- name: doctor_doubts
-- The pages that are likeliest read wrong, with how many there are. Pages that were left unread have no nodes; their
-- document's warnings name them.
SELECT
    x.document_id,
    x.page_pdf,
    x.doubt,
    count(*) OVER () AS pages
FROM ragraph.document_page AS x
WHERE
    x.doubt >= %(least)s
    AND EXISTS (
        SELECT 1
        FROM ragraph.content_node AS n
        WHERE n.document_id = x.document_id AND x.page_pdf BETWEEN n.first_page AND n.last_page
    )
ORDER BY x.doubt DESC, x.document_id ASC, x.page_pdf ASC
LIMIT %(limit)s;

-- name: doctor_orphans
-- Documents that are attached to a document which is not stored, as check_store() finds them.
SELECT DISTINCT v.document_id
FROM ragraph_private.check_files(NULL) AS v
WHERE v.rule = 'an attached document belongs to a stored one'
ORDER BY v.document_id;

-- name: doctor_models
-- For each model: how many documents were not embedded with it and have no vector of it (one of headings alone is
-- embedded without a vector), whether an index is missing, and whether an active run has dropped the index for the time
-- being.
WITH lacking AS MATERIALIZED (
    SELECT
        m.name,
        count(*) AS documents
    FROM ragraph.document AS d
    CROSS JOIN ragraph.embedding_model AS m
    WHERE
        NOT coalesce(d.ingested_with -> 'embedded' ? m.name, FALSE)
        AND EXISTS (SELECT 1 FROM ragraph.content_node AS n WHERE n.document_id = d.id AND n.content <> '')
        AND NOT EXISTS (
            SELECT 1 FROM ragraph.embedding AS e WHERE e.document_id = d.id AND e.model_name = m.name
        )
    GROUP BY m.name
)

SELECT
    m.name,
    m.location,
    ragraph_private.searched_index(m.name, m.index_kind) IS NULL
    AND (SELECT p.statement IS NOT NULL FROM ragraph_private.vector_index_plan(m.name, 10000, TRUE) AS p) AS index_lacks,
    NOT pg_try_advisory_xact_lock(hashtextextended(m.name, 8241982534023407620)) AS index_aside,
    m.index_kind::text AS index_kind,
    m.ef_search,
    m.index_recall,
    m.measured_vectors,
    (
        SELECT greatest(c.reltuples, 0)::bigint
        FROM pg_class AS c
        WHERE
            c.oid = to_regclass(
                'ragraph.'
                || ragraph_private.vector_index_name(m.name, NULL, ragraph_private.searched_index(m.name, m.index_kind))
            )
    ) AS index_holds,
    coalesce(l.documents, 0) AS documents_without
FROM ragraph.embedding_model AS m
LEFT JOIN lacking AS l ON m.name = l.name
ORDER BY m.created_at, m.name;

-- name: database_bytes
SELECT ragraph_private.database_bytes() AS bytes;

-- name: table_sizes
SELECT
    s.table_name,
    s.row_count,
    s.table_bytes,
    s.index_bytes
FROM ragraph_private.table_sizes() AS s
ORDER BY s.table_bytes + s.index_bytes DESC, s.table_name ASC;

-- name: index_sizes
SELECT
    s.index_name,
    s.access_method,
    s.is_valid,
    s.scans,
    s.index_bytes
FROM ragraph_private.index_sizes() AS s
ORDER BY s.index_bytes DESC, s.index_name ASC;

-- name: search_times
-- Times of searches and contexts since the server started counting.
SELECT
    f.funcname::text AS function_name,
    f.calls,
    f.total_time / f.calls AS mean_ms,
    f.total_time AS total_ms
FROM pg_stat_user_functions AS f
WHERE
    f.calls > 0
    AND (
        f.schemaname = 'ragraph'
        AND f.funcname IN (
            'search_vector', 'search_text', 'search_hybrid', 'search_context', 'rank_sections', 'focus_hits',
            'expand_hits', 'cite_nodes'
        )
        -- search_context, for a caller that may need a smaller budget
        OR f.schemaname = 'ragraph_private' AND f.funcname = 'context_sentences'
    )
ORDER BY f.total_time DESC, f.funcname ASC;
