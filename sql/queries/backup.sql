-- name: backup_state
-- The state of the store that a backup records.
SELECT
    v.version_num AS revision,
    current_setting('server_version_num')::integer AS server_number,
    array(
        -- roles that rights and policies refer to, except the owner
        SELECT DISTINCT r.rolname::text AS role_name
        FROM (
            SELECT p.grantee
            FROM pg_class AS c
            CROSS JOIN LATERAL aclexplode(c.relacl) AS p
            WHERE c.relnamespace = 'ragraph'::regnamespace AND p.grantee <> c.relowner
            UNION ALL
            SELECT p.grantee
            FROM pg_proc AS f
            CROSS JOIN LATERAL aclexplode(f.proacl) AS p
            WHERE f.pronamespace = 'ragraph'::regnamespace AND p.grantee <> f.proowner
            UNION ALL
            SELECT p.grantee
            FROM pg_namespace AS n
            CROSS JOIN LATERAL aclexplode(n.nspacl) AS p
            WHERE n.nspname = 'ragraph' AND p.grantee <> n.nspowner
            UNION ALL
            SELECT g.grantee
            FROM pg_policy AS y
            INNER JOIN pg_class AS c ON y.polrelid = c.oid
            CROSS JOIN LATERAL unnest(y.polroles) AS g (grantee)
            WHERE c.relnamespace = 'ragraph'::regnamespace
        ) AS named
        INNER JOIN pg_roles AS r ON named.grantee = r.oid
        ORDER BY role_name
    ) AS role_names,
    ragraph_private.vector_schema() AS vector_schema
FROM ragraph.alembic_version AS v;

-- name: backup_snapshot
SELECT pg_export_snapshot() AS snapshot_id;

-- name: store_digests
SELECT
    s.table_name,
    s.document_id,
    s.row_count,
    s.digest
FROM ragraph.store_digests() AS s;

-- name: write_store_digests
-- The same for psql, with a last line without a table.
COPY (
    SELECT
        s.table_name,
        coalesce(s.document_id, '') AS document_id,
        s.row_count,
        s.digest
    FROM ragraph.store_digests() AS s
    UNION ALL
    SELECT
        '' AS table_name,
        '' AS document_id,
        0 AS row_count,
        '' AS digest
) TO STDOUT;

-- name: database_identity
-- The same for two URLs that lead to the same database.
SELECT
    current_database() AS database_name,
    c.system_identifier
FROM pg_control_system() AS c;

-- name: publications_there
-- How much there is to lose. Fails if the schema does not exist.
SELECT count(*) AS publications
FROM ragraph.publication;

-- name: roles_missing
SELECT n.role_name
FROM unnest(%(role_names)s::text[]) AS n (role_name)
WHERE NOT EXISTS (SELECT 1 FROM pg_roles AS r WHERE r.rolname = n.role_name);

-- name: forget_text_samples
-- Another version of the server may split words differently, so statistics are computed again.
UPDATE ragraph.text_statistics SET sampled = 0;

-- name: count_text_again
SELECT ragraph.ensure_text_statistics() AS counted;

-- name: models_to_verify
SELECT
    m.name,
    count(*) AS vectors
FROM ragraph.embedding_model AS m
INNER JOIN ragraph.embedding AS e ON m.name = e.model_name
WHERE ragraph_private.require_visible_vectors()
GROUP BY m.name
ORDER BY m.name;

-- name: index_recall
-- How many of the ten nodes nearest to some vectors of the store the usual search finds, counting nodes that are as
-- near.
WITH drawn AS MATERIALIZED (
    SELECT ragraph_private.full_vector(e.embedding_vector::text) AS embedding_vector
    FROM ragraph.embedding AS e
    WHERE e.model_name = %(model_name)s
    ORDER BY md5(e.document_id || e.id)
    LIMIT %(queries)s
),

asked AS (
    SELECT
        array(
            SELECT x.score
            FROM ragraph.search_vector(d.embedding_vector, %(model_name)s, 10, exact_limit => 2147483647) AS x
        ) AS exact_scores,
        array(SELECT u.score FROM ragraph.search_vector(d.embedding_vector, %(model_name)s, 10) AS u) AS usual_scores
    FROM drawn AS d
)

SELECT
    sum(cardinality(a.exact_scores))::bigint AS nearest,
    sum((
        SELECT count(*)
        FROM unnest(a.usual_scores) AS u (score)
        WHERE u.score >= (SELECT min(x.score) - 1e-9 FROM unnest(a.exact_scores) AS x (score))
    ))::bigint AS found
FROM asked AS a;
