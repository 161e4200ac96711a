-- name: register_model
-- A model under its name, unless one is there.
INSERT INTO ragraph.embedding_model
(name, location, dimensions, distance, max_tokens, query_prefix, document_prefix, normalized)
VALUES
(
    %(name)s, %(location)s, %(dimensions)s, %(distance)s, %(max_tokens)s, %(query_prefix)s, %(document_prefix)s,
    %(normalized)s
)
ON CONFLICT (name) DO NOTHING;

-- name: registered_model
SELECT
    m.name,
    m.location,
    m.dimensions,
    m.distance::text AS distance,
    m.max_tokens,
    m.query_prefix,
    m.document_prefix,
    m.normalized
FROM ragraph.embedding_model AS m
WHERE m.name = %(name)s;
