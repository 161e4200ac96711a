-- name: sizes
-- Nodes, vectors, and what the tables of the store take on disk, indexes and long texts included.
SELECT
    (SELECT count(*) FROM ragraph.content_node) AS nodes,
    (SELECT count(*) FROM ragraph.embedding) AS vectors,
    (
        SELECT sum(pg_total_relation_size(c.oid))::bigint
        FROM pg_catalog.pg_class AS c
        WHERE c.relnamespace = 'ragraph'::regnamespace AND c.relkind = 'r'
    ) AS bytes;
