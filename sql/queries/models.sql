-- name: model_list
-- The models of the store with the number of vectors, of complete documents, and of documents to embed. Counts are
-- materialized first, because a cluster cannot count within a join.
WITH texts AS MATERIALIZED (
    SELECT
        d.id,
        d.ingested_with -> 'embedded' AS made
    FROM ragraph.document AS d
    WHERE EXISTS (SELECT 1 FROM ragraph.content_node AS n WHERE n.document_id = d.id AND n.content <> '')
),

held AS MATERIALIZED (
    SELECT
        e.document_id,
        e.model_name,
        count(*) AS vectors
    FROM ragraph.embedding AS e
    WHERE ragraph_private.require_visible_vectors()
    GROUP BY e.document_id, e.model_name
),

counted AS (
    SELECT
        h.model_name,
        sum(h.vectors)::bigint AS vectors,
        count(*) FILTER (WHERE coalesce(t.made ? h.model_name, FALSE)) AS complete
    FROM held AS h
    LEFT JOIN texts AS t ON h.document_id = t.id
    GROUP BY h.model_name
)

SELECT
    m.name,
    m.location,
    m.dimensions,
    m.distance::text AS distance,
    m.max_tokens,
    m.query_prefix,
    m.document_prefix,
    m.created_at,
    m.switched_at,
    coalesce(c.vectors, 0) AS vectors,
    m.truncated_from,
    m.index_kind::text AS index_kind,
    ragraph_private.searched_index(m.name, m.index_kind) IS NOT NULL AS indexed,
    m.ef_search,
    m.index_recall,
    m.measured_vectors,
    coalesce(c.complete, 0) AS complete,
    (SELECT count(*) FROM texts) AS documents
FROM ragraph.embedding_model AS m
LEFT JOIN counted AS c ON m.name = c.model_name
ORDER BY m.created_at, m.name;

-- name: model_lacks
-- True if a document is not complete under a model.
SELECT
    exists(
        SELECT 1 FROM ragraph.document AS d
        WHERE
            NOT coalesce(d.ingested_with -> 'embedded' ? %(model_name)s::text, FALSE)
            AND EXISTS (SELECT 1 FROM ragraph.content_node AS n WHERE n.document_id = d.id AND n.content <> '')
    ) AS lacks;

-- name: switch_model
-- The time of the statement, not of the transaction: the later of two switches counts. A cluster does not accept
-- clock_timestamp().
UPDATE ragraph.embedding_model AS m
SET switched_at = statement_timestamp()
WHERE m.name = %(model_name)s;

-- name: documents_of_model
-- Documents with vectors or other traces of a model.
SELECT d.id
FROM ragraph.document AS d
WHERE
    coalesce(d.ingested_with -> 'embedded' ? %(model_name)s::text, FALSE)
    OR EXISTS (SELECT 1 FROM ragraph.embedding AS e WHERE e.document_id = d.id AND e.model_name = %(model_name)s)
ORDER BY d.id;

-- name: delete_vectors_of_model
DELETE FROM ragraph.embedding AS e
WHERE e.document_id = %(document_id)s AND e.model_name = %(model_name)s;

-- name: forget_model_of
UPDATE ragraph.document AS d
SET ingested_with = d.ingested_with #- ARRAY['embedded', %(model_name)s::text]
WHERE d.id = %(document_id)s AND coalesce(d.ingested_with -> 'embedded' ? %(model_name)s::text, FALSE);

-- name: delete_model
DELETE FROM ragraph.embedding_model AS m
WHERE m.name = %(model_name)s;

-- name: set_index_kind
-- The measured values belong to an index of the other kind.
UPDATE ragraph.embedding_model AS m
SET index_kind = %(index_kind)s::ragraph.index_kind, ef_search = NULL, index_recall = NULL, measured_vectors = NULL
WHERE m.name = %(model_name)s AND m.index_kind <> %(index_kind)s::ragraph.index_kind;

-- name: index_measured
-- Values last measured for an index, and its approximate number of vectors. No row without an index that searches use,
-- and for one of signs, where the candidates ranked by full vectors matter. No row either for roles that see only a
-- part of the store, or that may not store what they measure.
SELECT
    m.distance::text AS distance,
    m.ef_search,
    m.index_recall,
    m.measured_vectors,
    greatest(c.reltuples, 0)::bigint AS held
FROM ragraph.embedding_model AS m
INNER JOIN pg_class AS c
    ON c.oid = to_regclass(
        format(
            'ragraph.%%I',
            ragraph_private.vector_index_name(m.name, NULL, m.index_kind)
        )
    )
WHERE
    m.name = %(model_name)s
    AND m.index_kind = 'halfvec'
    AND ragraph_private.has_vector_index(m.name, NULL, m.index_kind)
    AND ragraph_private.sees_whole('ragraph.embedding')
    AND has_table_privilege('ragraph.embedding_model', 'UPDATE');

-- name: count_vectors
SELECT count(*) AS vectors FROM ragraph.embedding AS e WHERE e.model_name = %(model_name)s;

-- name: some_vectors
-- One vector out of every so many, chosen by its id, so that a second sample is the same.
SELECT e.embedding_vector
FROM ragraph.embedding AS e
WHERE e.model_name = %(model_name)s AND mod(hashtext(e.id), %(one_of)s) = 0
ORDER BY e.id
LIMIT %(most)s;

-- name: all_vectors
SELECT
    e.document_id,
    e.node_id,
    e.embedding_vector
FROM ragraph.embedding AS e
WHERE e.model_name = %(model_name)s;

-- name: look_at
-- For this transaction, searches read this many candidates in an index, even if comparing all vectors would cost less.
SELECT
    set_config('ragraph.ef_search', %(ef_search)s::text, TRUE) AS ef_search,
    set_config('enable_seqscan', 'off', TRUE) AS compared;

-- name: scores_by_index
SELECT s.score
FROM ragraph.search_vector(%(vector)s, %(model_name)s, %(k)s, exact_limit => 0) AS s;

-- name: usual_candidates
SELECT ragraph_private.usual_candidates();

-- name: note_measured
UPDATE ragraph.embedding_model AS m
SET ef_search = %(ef_search)s, index_recall = %(index_recall)s, measured_vectors = %(measured_vectors)s
WHERE m.name = %(model_name)s;

-- name: vector_indexes_of
-- HNSW indexes of a model, of every kind: the one of all its vectors, and those of collections.
SELECT i.index_name
FROM ragraph_private.vector_indexes(%(model_name)s) AS i;

-- name: spare_vector_indexes
-- Indexes of a kind that the model is no longer set to, once searches can use the right one.
SELECT i.index_name
FROM ragraph.embedding_model AS m
CROSS JOIN LATERAL ragraph_private.vector_indexes(m.name) AS i
WHERE
    m.name = %(model_name)s AND i.index_kind <> m.index_kind
    AND ragraph_private.searched_index(m.name, m.index_kind) = m.index_kind;
