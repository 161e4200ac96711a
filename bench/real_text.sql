-- name: long
SELECT s.document_id, s.node_id
FROM ragraph.search_vector(%(vector)s, %(model)s, %(k)s, document_ids => ARRAY[%(document_id)s]) AS s;

-- name: long_bare
-- The nearest of one document, one by one.
SELECT e.document_id, e.node_id
FROM ragraph.embedding AS e
WHERE e.document_id = %(document_id)s AND e.model_name = 'synthetic'
ORDER BY e.embedding_vector <=> %(vector)s::vector
LIMIT %(k)s;
