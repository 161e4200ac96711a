-- name: vectors
-- As rank_hybrid asks for a context: four nodes for each of its 200.
SELECT
    v.document_id,
    v.node_id,
    v.score,
    v.rank
FROM
    ragraph_private.rank_vector(
        %(query_vector)s, %(model_name)s, 800, ragraph_private.search_scope(%(answering)s::jsonb), 10000
    ) AS v
ORDER BY v.rank;

-- name: words
SELECT h.hits::text
FROM ragraph_private.rank_any_word(
    %(query)s, 800, ragraph_private.search_scope(%(answering)s::jsonb), 10000, true
) AS h (hits);

-- name: found
SELECT
    array_agg(
        row(
            h.document_id, h.node_id, h.score, null::integer, null::integer, null::integer, h.vector_score, h.text_score
        )::ragraph_private.hit
        ORDER BY h.rank
    )::text
FROM ragraph_private.rank_hybrid(
    %(query)s, %(query_vector)s, %(model_name)s, 200, %(answering)s::jsonb
) AS h;

-- name: sentences
SELECT
    jsonb_path_query_array(
        jsonb_agg(
            jsonb_build_object(
                'document_id', s.document_id, 'node_id', s.node_id, 'score', s.score, 'char_start', s.char_start,
                'char_end', s.char_end
            )
            ORDER BY s.score DESC, s.document_id ASC, s.char_start ASC
        ),
        '$[0 to 399]'
    )::text
FROM ragraph_private.scored_sentences(
    %(query)s, %(found)s::ragraph_private.hit[], mode => 'hybrid', model_name => %(model_name)s
) AS s;

-- name: fitted
SELECT r.* FROM ragraph_private.context_rows(%(sentences)s::jsonb, 2000, true, false) AS r;

-- name: nearest
SELECT s.* FROM ragraph.search_vector(%(query_vector)s, %(model_name)s, %(k)s) AS s;

-- name: bare
-- With as many candidates as ragraph reads.
SELECT e.document_id, e.node_id
FROM ragraph.embedding AS e
WHERE e.model_name = %(model_name)s
ORDER BY e.embedding_vector::halfvec(384) <=> %(query_vector)s::vector::halfvec(384)
LIMIT %(k)s;

-- name: any
SELECT s.* FROM ragraph.search_text(%(query)s, %(k)s, match => 'any') AS s;

-- name: all
SELECT s.* FROM ragraph.search_text(%(few)s, %(k)s) AS s;
