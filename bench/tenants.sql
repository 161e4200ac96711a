-- name: publication
INSERT INTO ragraph.publication (id, title, collection) VALUES (%(id)s, %(title)s, %(collection)s);

-- name: statistics
SELECT ragraph.ensure_text_statistics();

-- name: analyze
ANALYZE;

-- name: vector
SELECT s.document_id, s.node_id
FROM ragraph.search_vector(%(vector)s, 'twins', %(k)s, collection => %(collection)s) AS s
ORDER BY s.rank;

-- name: text
SELECT s.document_id, s.node_id
FROM ragraph.search_text(%(query)s, %(k)s, collection => %(collection)s, match => 'any') AS s
ORDER BY s.rank;

-- name: hybrid
SELECT s.document_id, s.node_id
FROM ragraph.search_hybrid(%(query)s, %(vector)s, 'twins', %(k)s, collection => %(collection)s) AS s
ORDER BY s.rank;

-- name: nearest
-- All of a sight by exact distance, without any function of ours.
SELECT e.document_id, e.node_id
FROM ragraph.embedding AS e
WHERE e.collection = %(collection)s OR %(collection)s IS NULL
ORDER BY e.embedding_vector <=> %(vector)s, e.document_id, e.node_id
LIMIT %(k)s;

-- name: collections
SELECT d.id, d.collection FROM ragraph.document AS d;
