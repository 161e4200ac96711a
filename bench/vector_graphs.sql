-- name: make
CREATE TABLE public.vector_graphs (id integer NOT NULL, embedding halfvec(384) NOT NULL);

-- name: fill
COPY public.vector_graphs (id, embedding) FROM STDIN;

-- name: prepare
DROP INDEX IF EXISTS public.vector_graph;
SELECT set_config('maintenance_work_mem', '2GB', TRUE);

-- name: build
-- The statement that builds one.
SELECT
    format(
        'CREATE INDEX vector_graph ON public.vector_graphs USING hnsw (embedding halfvec_cosine_ops)'
        ' WITH (m = %%s, ef_construction = %%s)',
        %(m)s::text,
        %(ef_construction)s::text
    ) AS built;

-- name: look
SELECT set_config('hnsw.ef_search', %(ef_search)s::text, TRUE);

-- name: ask
SELECT g.id
FROM public.vector_graphs AS g
ORDER BY g.embedding <=> %(vector)s::vector::halfvec(384)
LIMIT %(k)s;
