-- name: make
CREATE TABLE index_life (id integer PRIMARY KEY, embedding vector);

-- name: fill
COPY index_life (id, embedding) FROM STDIN WITH (FORMAT BINARY) -- noqa: PRS
;

-- name: index
SET LOCAL maintenance_work_mem = '1GB';
CREATE INDEX index_life_hnsw ON index_life USING hnsw ((embedding::halfvec(384)) halfvec_cosine_ops);

-- name: drop
DROP INDEX index_life_hnsw;
