-- name: nearest
-- The ten nearest nodes of all, with their text. The index is the one of the store; its name is that of the model.
SELECT
    n.document_id,
    n.id,
    n.content,
    n.first_page
FROM (
    SELECT
        e.document_id,
        e.node_id
    FROM ragraph.embedding AS e
    WHERE e.model_name = 'all-MiniLM-L6-v2'
    ORDER BY e.embedding_vector::halfvec(384) <=> %(vector)s::halfvec(384)
    LIMIT 10
) AS b
INNER JOIN ragraph.content_node AS n ON b.document_id = n.document_id AND b.node_id = n.id;
