-- name: register_model
-- Inserts a model unless one with any of its keys exists: others may be registering it at the same time.
INSERT INTO ragraph.embedding_model
(name, location, dimensions, distance, max_tokens, query_prefix, document_prefix, normalized, truncated_from, index_kind)
VALUES
(
    %(name)s, %(location)s, %(dimensions)s, %(distance)s, %(max_tokens)s, %(query_prefix)s, %(document_prefix)s,
    %(normalized)s, %(truncated_from)s, %(index_kind)s
)
ON CONFLICT DO NOTHING;

-- name: embedding_models
-- All models of the store, in the order of registration.
SELECT
    m.name,
    m.location,
    m.dimensions,
    m.max_tokens,
    m.query_prefix,
    m.document_prefix,
    m.truncated_from,
    m.switched_at,
    ragraph_private.models_stamp() AS stamp
FROM ragraph.embedding_model AS m
ORDER BY m.created_at, m.name;

-- name: move_model
UPDATE ragraph.embedding_model AS m
SET location = %(location)s
WHERE m.name = %(name)s;

-- name: registered_model
SELECT
    m.name,
    m.location,
    m.dimensions,
    m.distance::text AS distance,
    m.max_tokens,
    m.query_prefix,
    m.document_prefix,
    m.normalized,
    m.truncated_from,
    m.index_kind::text AS index_kind
FROM ragraph.embedding_model AS m
WHERE m.name = %(name)s;

-- name: documents_to_embed
-- Documents with nodes, of those with the given ids, or of all.
SELECT d.id
FROM ragraph.document AS d
WHERE
    (%(document_ids)s::text[] IS NULL OR d.id = any(%(document_ids)s::text[]))
    AND EXISTS (SELECT 1 FROM ragraph.content_node AS n WHERE n.document_id = d.id)
ORDER BY d.created_at, d.id;

-- name: missing_documents
-- The given ids that no document has. A cluster looks them up all at once, but cannot do so next to a list.
WITH known AS MATERIALIZED (
    SELECT d.id
    FROM ragraph.document AS d
    WHERE d.id = any(%(document_ids)s::text[])
)

SELECT wanted.id
FROM unnest(%(document_ids)s::text[]) AS wanted (id)
LEFT JOIN known AS k ON wanted.id = k.id
WHERE k.id IS NULL;

-- name: embed_document
-- The data that the embedding plan of a document depends on; stamp changes whenever its nodes may have changed.
SELECT
    d.collection,
    d.language,
    d.processing_status::text AS status,
    d.ingested_with -> 'embedded' -> %(model_name)s::text AS embedded,
    concat_ws(' ', d.sha256, d.processed_at, d.collection, d.ingested_with - 'embedded') AS stamp
FROM ragraph.document AS d
WHERE d.id = %(document_id)s;

-- name: embed_unembedded
-- Documents without a vector of a model, of some documents, with the data that their plans depend on.
WITH embedded AS MATERIALIZED (
    SELECT DISTINCT e.document_id
    FROM ragraph.embedding AS e
    WHERE e.document_id = any(%(document_ids)s::text[]) AND e.model_name = %(model_name)s::text
)

SELECT
    d.id,
    concat_ws(' ', d.sha256, d.processed_at, d.collection, d.ingested_with - 'embedded') AS stamp
FROM ragraph.document AS d
LEFT JOIN embedded AS e ON d.id = e.document_id
WHERE d.id = any(%(document_ids)s::text[]) AND e.document_id IS NULL;

-- name: embed_components
SELECT
    c.id,
    c.component_type::text AS component_type,
    c.title,
    c.parent_component_id
FROM ragraph.document_component AS c
WHERE c.document_id = %(document_id)s
ORDER BY c.depth, c.sequence_in_parent_major, c.id;

-- name: embed_nodes
SELECT
    n.id,
    n.content_node_type::text AS content_node_type,
    n.content,
    n.description,
    n.embedding_source::text AS embedding_source,
    n.parent_component_id
FROM ragraph.content_node AS n
WHERE n.document_id = %(document_id)s
ORDER BY n.sequence_in_document;

-- name: embed_captions
-- Captions of tables and figures; several of one node are joined in reading order.
SELECT
    r.source_node_id,
    string_agg(n.content, ' ' ORDER BY n.sequence_in_document) AS caption
FROM ragraph.relation AS r
INNER JOIN ragraph.content_node AS n ON r.document_id = n.document_id AND r.target_node_id = n.id
WHERE r.document_id = %(document_id)s AND r.relation_type = 'IS_CAPTIONED_BY'
GROUP BY r.source_node_id;

-- name: embedded
-- Vectors of a document under a model: id and hash of the embedded text, and the vector itself if requested.
SELECT
    e.id,
    e.content_hash,
    CASE WHEN %(with_vectors)s THEN e.embedding_vector END AS embedding_vector
FROM ragraph.embedding AS e
WHERE
    e.document_id = %(document_id)s
    AND e.model_name = %(model_name)s
    AND ragraph_private.require_visible_vectors();

-- name: vectors_of_hashes
-- For hashes of texts, a vector that such a text has under a model in any document. Documents that brought their own
-- vectors are excluded: a program may have computed them from more than the text.
SELECT DISTINCT ON (e.content_hash)
    e.content_hash,
    e.embedding_vector
FROM ragraph.embedding AS e
INNER JOIN ragraph.document AS d ON e.document_id = d.id AND e.collection = d.collection
WHERE
    e.model_name = %(model_name)s
    AND e.content_hash = any(%(hashes)s::text[])
    AND ragraph_private.require_visible_vectors()
    AND NOT coalesce(d.ingested_with #> ARRAY['embedded', %(model_name)s::text, 'backends'] ? 'given', FALSE)
ORDER BY e.content_hash;

-- name: embedded_hashes_of
-- Id and hash of some vectors of a document.
SELECT
    e.id,
    e.content_hash
FROM ragraph.embedding AS e
WHERE e.document_id = %(document_id)s AND e.id = any(%(ids)s::text[]);

-- name: delete_embeddings
DELETE FROM ragraph.embedding AS e
WHERE e.document_id = %(document_id)s AND e.id = any(%(ids)s::text[]);

-- name: lock_embed_document
-- The same lock as for writing the graph of a document, so that its nodes do not change until the end of the
-- transaction.
SELECT pg_advisory_xact_lock(hashtextextended(%(document_id)s, 0));

-- name: finish_embedding
-- A document with all its vectors is complete; how they were computed is stored with it, per model.
UPDATE ragraph.document AS d
SET
    processing_status = CASE WHEN d.processing_status = 'processing' THEN 'completed' ELSE d.processing_status END,
    ingested_with = jsonb_set(
        d.ingested_with,
        '{embedded}',
        coalesce(d.ingested_with -> 'embedded', '{}') || jsonb_build_object(%(model_name)s::text, %(made_with)s::jsonb)
    )
WHERE
    d.id = %(document_id)s
    AND (
        d.processing_status = 'processing'
        OR d.ingested_with -> 'embedded' -> %(model_name)s::text IS DISTINCT FROM %(made_with)s::jsonb
    );

-- name: lock_vector_index
-- Only one session builds at a time; the lock is released with the connection. The same lock as in ensure_vector_index.
SELECT pg_try_advisory_lock(8241982534023407617) AS taken;

-- name: lock_index_of_model
-- Refused while a run that has dropped the index of the model for the time being is writing; the lock is released with
-- the connection.
SELECT pg_try_advisory_lock(hashtextextended(%(model_name)s::text, 8241982534023407620)) AS taken;

-- name: lock_index_in_transaction
-- The same for a build within a transaction.
SELECT pg_try_advisory_xact_lock(hashtextextended(%(model_name)s::text, 8241982534023407620)) AS taken;

-- name: ensure_vector_index
SELECT ragraph.ensure_vector_index(%(model_name)s, %(minimum)s::integer) AS built;

-- name: lock_measuring
-- Only one session measures the index of a model at a time.
SELECT pg_try_advisory_xact_lock(hashtextextended(%(model_name)s::text, 8241982534023407621)) AS taken;

-- name: let_go_of_index
-- Immediately: a closed session holds its locks until the server notices.
SELECT pg_advisory_unlock_all();

-- name: hold_index_aside
-- For a run that drops the index of a model for the time being; several runs may. Refused while the index is built.
SELECT pg_try_advisory_lock_shared(hashtextextended(%(model_name)s::text, 8241982534023407620)) AS taken;

-- name: vectors_in_index
-- Approximate number of vectors in the index of a model, by its own statistics; no row without an index that searches
-- use.
SELECT c.reltuples::bigint AS held
FROM ragraph.embedding_model AS m
INNER JOIN pg_class AS c
    ON c.oid = to_regclass(
        format(
            'ragraph.%%I',
            ragraph_private.vector_index_name(m.name, NULL, ragraph_private.searched_index(m.name, m.index_kind))
        )
    )
WHERE m.name = %(model_name)s AND ragraph_private.searched_index(m.name, m.index_kind) IS NOT NULL;

-- name: vector_index_plan
SELECT
    p.index_name,
    p.statement,
    p.remark,
    p.kilobytes
FROM ragraph_private.vector_index_plan(%(model_name)s, %(minimum)s, TRUE) AS p;

-- name: maintenance_memory
SELECT s.setting::bigint AS kilobytes
FROM pg_settings AS s
WHERE s.name = 'maintenance_work_mem';

-- name: documents_in_other_languages
-- Number of documents by language, of some documents, without the languages that a model knows.
SELECT
    split_part(d.language, '-', 1) AS primary_language,
    count(*) AS documents
FROM ragraph.document AS d
WHERE
    d.id = any(%(document_ids)s::text[])
    AND d.language IS NOT NULL
    AND lower(split_part(d.language, '-', 1)) <> all(%(known)s::text[])
GROUP BY split_part(d.language, '-', 1)
ORDER BY count(*) DESC, split_part(d.language, '-', 1);

-- name: analyze_due
-- True if a run wrote so much that plans based on the earlier statistics are far off.
SELECT %(written)s::bigint >= greatest(1000, c.reltuples / 10) AS due
FROM pg_class AS c
WHERE c.oid = 'ragraph.content_node'::regclass;

-- name: analyze
-- Indexes are skipped: removing dead rows from a vector index may take long, and autovacuum does it. Since that is
-- postponed, settle_words processes the pending entries of full text indexes.
VACUUM (ANALYZE, INDEX_CLEANUP FALSE)
ragraph.publication, ragraph.document, ragraph.document_page, ragraph.document_component, ragraph.content_node,
ragraph.relation, ragraph.embedding;

-- name: settle_words
-- Entries of new rows wait in a list that every search scans; this moves them into the index. Only an owner may do so,
-- and no read replica; the indexes of the shards of a cluster are left to its workers.
SELECT gin_clean_pending_list(i.indexrelid) AS pages
FROM pg_index AS i
INNER JOIN pg_class AS c ON i.indexrelid = c.oid
INNER JOIN pg_am AS a ON c.relam = a.oid
WHERE
    a.amname = 'gin'
    AND i.indisvalid
    AND c.relkind = 'i'
    AND c.relnamespace = 'ragraph'::regnamespace
    AND pg_has_role(c.relowner, 'USAGE')
    AND NOT pg_is_in_recovery();
