-- name: nodes
SELECT count(*) AS nodes
FROM ragraph.content_node;

-- name: read
-- What a reader asks: a node by its words, with its document and relations
SELECT
    d.source_uri,
    n.content,
    r.relation_type
FROM (
    SELECT
        x.document_id,
        x.id,
        x.content
    FROM ragraph.content_node AS x
    ORDER BY x.document_id
    LIMIT 1
) AS n
INNER JOIN ragraph.document AS d ON n.document_id = d.id
LEFT JOIN ragraph.relation AS r ON n.document_id = r.document_id AND n.id = r.source_node_id;
