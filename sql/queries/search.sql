-- name: search_vector
-- Nearest nodes with where they stand, best first, in one round trip. Every hit has its node and citation; inner joins
-- would not ask the search, which checks the scope, where a store has no nodes yet.
WITH hit AS MATERIALIZED (
    SELECT * FROM
        ragraph.search_vector(
            query_vector => %(query_vector)s::vector,
            model_name => ragraph_private.model_as_known(%(model_name)s, %(models_stamp)s::text),
            k => %(k)s::integer,
            document_ids => %(document_ids)s,
            component_ids => %(component_ids)s,
            node_types => %(node_types)s::ragraph.content_node_type[],
            pages => %(pages)s::int4range,
            collection => %(collection)s,
            tags => %(tags)s,
            languages => %(languages)s,
            published => %(published)s::daterange,
            filter => %(filter)s::jsonb,
            entities => %(entities)s::text[]
        )
),

cited AS MATERIALIZED (
    SELECT * FROM
        ragraph.cite_nodes(
            (SELECT array_agg(i.document_id ORDER BY i.rank) FROM hit AS i),
            (SELECT array_agg(i.node_id ORDER BY i.rank) FROM hit AS i)
        )
),

node AS MATERIALIZED (
    SELECT
        n.document_id,
        n.id,
        n.content_node_type,
        n.content
    FROM hit AS h
    INNER JOIN ragraph.content_node AS n ON h.document_id = n.document_id AND h.node_id = n.id
),

held AS MATERIALIZED (
    SELECT * FROM
        ragraph.entities_in_nodes(
            (SELECT array_agg(i.document_id ORDER BY i.rank) FROM hit AS i),
            (SELECT array_agg(i.node_id ORDER BY i.rank) FROM hit AS i)
        )
)

SELECT
    h.score,
    h.char_start AS part_start,
    h.char_end AS part_end,
    jsonb_build_object('vector', h.rank) AS ranks,
    n.content_node_type,
    n.content,
    e.names AS entities,
    c.*
FROM hit AS h
LEFT JOIN cited AS c ON h.document_id = c.document_id AND h.node_id = c.node_id
LEFT JOIN node AS n ON h.document_id = n.document_id AND h.node_id = n.id
LEFT JOIN held AS e ON h.document_id = e.document_id AND h.node_id = e.node_id
ORDER BY h.rank;

-- name: search_text
-- Nodes that match the words best, with where they stand.
WITH hit AS MATERIALIZED (
    SELECT * FROM
        ragraph.search_text(
            query => %(query)s,
            k => %(k)s::integer,
            document_ids => %(document_ids)s,
            component_ids => %(component_ids)s,
            node_types => %(node_types)s::ragraph.content_node_type[],
            pages => %(pages)s::int4range,
            collection => %(collection)s,
            tags => %(tags)s,
            languages => %(languages)s,
            published => %(published)s::daterange,
            filter => %(filter)s::jsonb,
            entities => %(entities)s::text[],
            match => %(match)s
        )
),

cited AS MATERIALIZED (
    SELECT * FROM
        ragraph.cite_nodes(
            (SELECT array_agg(i.document_id ORDER BY i.rank) FROM hit AS i),
            (SELECT array_agg(i.node_id ORDER BY i.rank) FROM hit AS i)
        )
),

node AS MATERIALIZED (
    SELECT
        n.document_id,
        n.id,
        n.content_node_type,
        n.content
    FROM hit AS h
    INNER JOIN ragraph.content_node AS n ON h.document_id = n.document_id AND h.node_id = n.id
),

held AS MATERIALIZED (
    SELECT * FROM
        ragraph.entities_in_nodes(
            (SELECT array_agg(i.document_id ORDER BY i.rank) FROM hit AS i),
            (SELECT array_agg(i.node_id ORDER BY i.rank) FROM hit AS i)
        )
)

SELECT
    h.score,
    h.char_start AS part_start,
    h.char_end AS part_end,
    jsonb_build_object('text', h.rank) AS ranks,
    n.content_node_type,
    n.content,
    e.names AS entities,
    c.*
FROM hit AS h
LEFT JOIN cited AS c ON h.document_id = c.document_id AND h.node_id = c.node_id
LEFT JOIN node AS n ON h.document_id = n.document_id AND h.node_id = n.id
LEFT JOIN held AS e ON h.document_id = e.document_id AND h.node_id = e.node_id
ORDER BY h.rank;

-- name: search_hybrid
-- The best nodes of vector and text search, fused, with where they stand.
WITH hit AS MATERIALIZED (
    SELECT * FROM
        ragraph.search_hybrid(
            query => %(query)s,
            query_vector => %(query_vector)s::vector,
            model_name => ragraph_private.model_as_known(%(model_name)s, %(models_stamp)s::text),
            k => %(k)s::integer,
            document_ids => %(document_ids)s,
            component_ids => %(component_ids)s,
            node_types => %(node_types)s::ragraph.content_node_type[],
            pages => %(pages)s::int4range,
            collection => %(collection)s,
            tags => %(tags)s,
            languages => %(languages)s,
            published => %(published)s::daterange,
            filter => %(filter)s::jsonb,
            entities => %(entities)s::text[],
            vector_weight => %(vector_weight)s::double precision,
            text_weight => %(text_weight)s::double precision,
            graph_weight => %(graph_weight)s::double precision,
            page_weight => %(page_weight)s::double precision,
            boosted => %(boosted)s::text[]
        )
),

cited AS MATERIALIZED (
    SELECT * FROM
        ragraph.cite_nodes(
            (SELECT array_agg(i.document_id ORDER BY i.rank) FROM hit AS i),
            (SELECT array_agg(i.node_id ORDER BY i.rank) FROM hit AS i)
        )
),

node AS MATERIALIZED (
    SELECT
        n.document_id,
        n.id,
        n.content_node_type,
        n.content
    FROM hit AS h
    INNER JOIN ragraph.content_node AS n ON h.document_id = n.document_id AND h.node_id = n.id
),

held AS MATERIALIZED (
    SELECT * FROM
        ragraph.entities_in_nodes(
            (SELECT array_agg(i.document_id ORDER BY i.rank) FROM hit AS i),
            (SELECT array_agg(i.node_id ORDER BY i.rank) FROM hit AS i)
        )
)

SELECT
    h.score,
    h.char_start AS part_start,
    h.char_end AS part_end,
    jsonb_strip_nulls(
        jsonb_build_object('vector', h.vector_rank, 'text', h.text_rank, 'graph', h.graph_rank, 'page', h.page_rank)
    ) AS ranks,
    jsonb_strip_nulls(jsonb_build_object('vector', h.vector_score, 'text', h.text_score)) AS scores,
    n.content_node_type,
    n.content,
    e.names AS entities,
    c.*
FROM hit AS h
LEFT JOIN cited AS c ON h.document_id = c.document_id AND h.node_id = c.node_id
LEFT JOIN node AS n ON h.document_id = n.document_id AND h.node_id = n.id
LEFT JOIN held AS e ON h.document_id = e.document_id AND h.node_id = e.node_id
ORDER BY h.rank;

-- name: check_scope
-- Raises what a search of this scope would raise.
SELECT true AS sound
FROM ragraph_private.search_scope(
    %(document_ids)s::text[],
    null::text,
    %(component_ids)s::text[],
    %(node_types)s::ragraph.content_node_type[],
    %(pages)s::int4range,
    %(collection)s::text,
    %(tags)s::text[],
    %(languages)s::text[],
    %(published)s::daterange,
    %(filter)s::jsonb,
    %(entities)s::text[]
);

-- name: explain_on
-- For this transaction, searches tell how they go by notices.
SELECT set_config('ragraph.explain', 'on', true);
