-- name: expand_hits
-- Spans of text with their citations, by document and in reading order, in one round trip.
WITH part AS MATERIALIZED (
    SELECT
        e.*,
        row_number() OVER (ORDER BY e.block, e.sequence_in_document, e.char_start) AS place
    FROM
        ragraph.expand_hits(
            hits => %(hits)s::jsonb,
            token_budget => %(token_budget)s::integer,
            sections => %(sections)s::boolean,
            merge_share => %(merge_share)s::double precision,
            sentences => %(sentences)s::integer,
            before => %(before)s::integer,
            after => %(after)s::integer,
            cross_sections => %(cross_sections)s::boolean,
            whole_nodes => %(whole_nodes)s::boolean,
            captions => %(captions)s::boolean,
            notes => %(notes)s::boolean,
            citations => %(citations)s::boolean,
            cross_references => %(cross_references)s::boolean,
            supplements => %(supplements)s::boolean,
            max_hops => %(max_hops)s::integer,
            breadcrumbs => %(breadcrumbs)s::boolean
        ) AS e
)

SELECT
    p.role,
    p.of_node_id,
    p.score,
    p.hop,
    p.char_start AS part_start,
    p.char_end AS part_end,
    p.tokens,
    p.breadcrumb_tokens,
    p.block,
    p.gap,
    p.cut,
    p.heading,
    c.*
FROM part AS p
INNER JOIN ragraph_private.cited_nodes(
    (SELECT array_agg(i.document_id ORDER BY i.place) FROM part AS i),
    (SELECT array_agg(i.node_id ORDER BY i.place) FROM part AS i)
) AS c ON p.place = c.ordinality
ORDER BY p.place;

-- name: search_context
-- From a question to the spans of a context, in one round trip. The first row also has the sentences that the context was
-- made of, for a context of them within a smaller budget.
WITH chosen AS MATERIALIZED (
    SELECT s.*
    FROM
        ragraph_private.context_sentences(
            query => %(query)s,
            query_vector => %(query_vector)s,
            model_name => ragraph_private.model_as_known(%(model_name)s, %(models_stamp)s::text),
            token_budget => %(token_budget)s::integer,
            scope => ragraph_private.asked_scope(%(scope)s::jsonb),
            k => %(k)s::integer,
            tuned => %(tuned)s::boolean,
            explain => %(explain)s::boolean,
            per_document => %(per_document)s::integer,
            min_relevance => %(min_relevance)s::double precision
        ) AS s
),

part AS MATERIALIZED (
    SELECT
        r.*,
        row_number() OVER (ORDER BY r.block, r.sequence_in_document, r.char_start) AS place
    FROM chosen AS s
    CROSS JOIN LATERAL ragraph_private.context_rows(
        sentences => s.sentences,
        token_budget => %(token_budget)s::integer,
        breadcrumbs => true,
        explain => %(explain)s::boolean
    ) AS r
)

SELECT
    p.role,
    p.of_node_id,
    p.score,
    p.hop,
    p.char_start AS part_start,
    p.char_end AS part_end,
    p.tokens,
    p.breadcrumb_tokens,
    p.block,
    p.gap,
    p.cut,
    p.heading,
    s.nodes_found,
    p.why,
    s.confidence,
    s.largest_table,
    CASE WHEN p.place = 1 THEN s.sentences::text END AS sentences,
    c.*
FROM chosen AS s
CROSS JOIN part AS p
INNER JOIN ragraph_private.cited_nodes(
    (SELECT array_agg(i.document_id ORDER BY i.place) FROM part AS i),
    (SELECT array_agg(i.node_id ORDER BY i.place) FROM part AS i)
) AS c ON p.place = c.ordinality
ORDER BY p.place;

-- name: focus_hits
-- The sentences of hits that are about the query, best first.
SELECT
    f.document_id,
    f.node_id,
    f.score,
    f.char_start,
    f.char_end,
    f.why
FROM
    ragraph.focus_hits(
        query => %(query)s,
        hits => %(hits)s::jsonb,
        words_share => %(words_share)s::double precision,
        headings_share => %(headings_share)s::double precision,
        tuned => %(tuned)s::boolean,
        explain => %(explain)s::boolean,
        mode => %(mode)s,
        model_name => %(model_name)s
    ) AS f
ORDER BY f.rank;

-- name: rank_sections
-- The sections that contain hits, best first.
SELECT r.* FROM ragraph.rank_sections(hits => %(hits)s::jsonb, k => %(k)s::integer) AS r ORDER BY r.rank;
