-- name: make
DROP TABLE IF EXISTS bare_vector;
CREATE TABLE bare_vector (id integer PRIMARY KEY, words text, embedding vector);

-- name: fill
INSERT INTO bare_vector (id, words, embedding)
SELECT
    v.id,
    v.words,
    v.embedding
FROM unnest(%(ids)s::integer[], %(texts)s::text[], %(vectors)s::vector[]) AS v (id, words, embedding);

-- name: index
ALTER TABLE bare_vector ALTER COLUMN embedding TYPE vector(384);
SET LOCAL maintenance_work_mem = '1GB';
CREATE INDEX bare_vector_hnsw ON bare_vector USING hnsw (embedding vector_cosine_ops);

-- name: search
SELECT v.words FROM bare_vector AS v
ORDER BY v.embedding <=> %(vector)s::vector LIMIT %(k)s;

-- name: analyze
ANALYZE bare_vector;
