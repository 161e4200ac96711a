-- name: publication
INSERT INTO ragraph.publication (id, title, collection) VALUES (%(id)s, 'Synthetic', %(collection)s);

-- name: live_bytes
SELECT sum(t.bytes)::bigint AS bytes
FROM (
    SELECT sum(pg_column_size(x.*)) AS bytes FROM ragraph.document_page AS x WHERE x.document_id = %(document_id)s
    UNION ALL
    SELECT sum(pg_column_size(x.*)) FROM ragraph.document_component AS x WHERE x.document_id = %(document_id)s
    UNION ALL
    SELECT sum(pg_column_size(x.*)) FROM ragraph.content_node AS x WHERE x.document_id = %(document_id)s
    UNION ALL
    SELECT sum(pg_column_size(x.*)) FROM ragraph.relation AS x WHERE x.document_id = %(document_id)s
    UNION ALL
    SELECT sum(pg_column_size(x.*)) FROM ragraph.embedding AS x WHERE x.document_id = %(document_id)s
) AS t;

-- name: noted_rows
SELECT r.kind, count(*) FILTER (WHERE r.content IS NOT NULL)
FROM ragraph.document_version_row AS r
WHERE r.document_id = %(document_id)s
GROUP BY r.kind;
