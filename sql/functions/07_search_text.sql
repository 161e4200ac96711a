-- Full text search ranked by BM25; 07_rank_text.sql has the formula.

create or replace function ragraph_private.rank_matching(
    query text, k integer, scope jsonb, match text, exact_limit integer, min_relevance double precision
)
returns table (
    document_id text, node_id text, score double precision, rank integer, relevance double precision, asked_query text
)
language plpgsql
stable
parallel safe
rows 10
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    bounds constant ragraph_private.scope := ragraph_private.search_scope(rank_matching.scope);
    asked text := rank_matching.query;
    matching text := rank_matching.match;
    near record;
    documents text[];
    nodes text[];
    scores double precision[];
    shares double precision[];
begin
    perform ragraph_private.check_relevance(rank_matching.min_relevance);
    for attempt in 1..2 loop
        -- ranks first and reads the content of the hits afterwards: a cluster cannot make an outer join with a table
        -- under a policy
        select
            array_agg(r.document_id order by r.rank),
            array_agg(r.node_id order by r.rank),
            array_agg(r.score order by r.rank),
            array_agg(r.share order by r.rank)
        into documents, nodes, scores, shares
        from ragraph_private.rank_text(asked, rank_matching.k, bounds, matching, rank_matching.exact_limit) as r;
        exit when documents is not null or attempt = 2;
        select n.* into near from ragraph_private.near_query(asked, bounds) as n;
        exit when near.near is null;
        perform ragraph_private.note_near(near.missing, near.taken, near.as_parts);
        asked := near.near;
        matching := 'any';
    end loop;
    return query
    select s.document_id, s.node_id, s.score, s.place::integer, s.relevance, asked
    from (
        select
            u.*,
            ragraph_private.relevance(null, null, null, u.share, max(u.share) over (), null) as relevance
        from unnest(documents, nodes, scores, shares) with ordinality as u (document_id, node_id, score, share, place)
    ) as s
    where rank_matching.min_relevance is null or s.relevance >= rank_matching.min_relevance
    order by s.place;
end
$$;
comment on function ragraph_private.rank_matching(text, integer, jsonb, text, integer, double precision) is
'Returns the rows of search_text in a scope as asked_scope returns it, without their passages. asked_query is the query
that was searched for: if no text matches, a query with words that texts have. Raises the errors of search_text';

create or replace function ragraph.search_text(
    query text,
    k integer default 10,
    document_ids text[] default null,
    component_id text default null,
    component_ids text[] default null,
    node_types ragraph.content_node_type[] default null,
    pages int4range default null,
    collection text default null,
    tags text[] default null,
    languages text[] default null,
    published daterange default null,
    filter jsonb default null,
    exact_limit integer default 10000,
    match text default 'all',
    entities text[] default null,
    scope jsonb default null,
    min_relevance double precision default null
)
returns table (
    document_id text,
    node_id text,
    score double precision,
    rank integer,
    char_start integer,
    char_end integer,
    relevance double precision
)
language plpgsql
stable
parallel safe
rows 10
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    documents text[];
    nodes text[];
    scores double precision[];
    ranks integer[];
    relevances double precision[];
    asked text;
begin
    -- before the join, which asks nothing if there are no nodes: a wrong scope is an error in an empty store too
    select
        array_agg(r.document_id), array_agg(r.node_id), array_agg(r.score), array_agg(r.rank), array_agg(r.relevance),
        max(r.asked_query)
    into documents, nodes, scores, ranks, relevances, asked
    from ragraph_private.rank_matching(
        search_text.query,
        search_text.k,
        ragraph_private.asked_scope(
            search_text.scope, search_text.document_ids, search_text.component_id, search_text.component_ids,
            search_text.node_types, search_text.pages, search_text.collection, search_text.tags, search_text.languages,
            search_text.published, search_text.filter, search_text.entities
        ),
        search_text.match,
        search_text.exact_limit,
        search_text.min_relevance
    ) as r;
    return query
    with said as materialized (
        select r.*, n.char_start, n.content, n.ts_config
        from unnest(documents, nodes, scores, ranks, relevances) as r (document_id, node_id, score, rank, relevance)
        inner join ragraph_private.nodes_of(documents, nodes) as n on r.document_id = n.document_id and r.node_id = n.id
    ),
    -- once, and not for each hit
    asked as materialized (
        select c.ts_config, t.condition, t.words
        from (select distinct s.ts_config from said as s) as c
        cross join lateral ragraph_private.text_terms(asked, c.ts_config, 'any') as t
    )
    select
        s.document_id,
        s.node_id,
        s.score,
        s.rank,
        s.char_start + lower(p.span),
        s.char_start + upper(p.span),
        s.relevance
    from said as s
    inner join asked as a on s.ts_config = a.ts_config
    cross join lateral ragraph_private.text_passage(s.content, s.ts_config, a.condition, a.words) as p (span)
    order by s.rank;
end
$$;
comment on function ragraph.search_text(
    text, integer, text[], text, text[], ragraph.content_node_type[], int4range, text, text[], text[], daterange, jsonb, integer,
    text, text[], jsonb, double precision
) is
'Returns the k nodes that match a query of words best, by BM25, the best first and ties by id; bibliographic entries come
after other text, unless node_types names types. char_start and char_end
are the best passage of a long content, as offsets in the text of the document; null if the passage is the whole
content. The scope is that of search_vector.
The query has the syntax of websearch_to_tsquery, read with the configuration of each document: "a phrase", -without,
one or other. A minus before a digit belongs to the number, which is found with and without it (-"2020" excludes a
number). match any makes the words alternatives.
Never returns fewer than k nodes if k match. With match any, in a scope of more than exact_limit nodes and without
components, words that are in more than 10,000 nodes find nodes on their own only if rarer words, phrases and pairs of
words find fewer than k. Words after the hundredth do not affect the rank, and with match any they find nothing.
If no text matches, words that no text of the scope has are replaced by words that have them as a part, in languages that
join words, or that are spelled alike, and a notice tells it; not in queries with quotes, exclusions or alternatives.
relevance is how likely the node answers the query, between 0 and 1, by the share of the words of the query that it has.
min_relevance leaves out hits below it.
Raises RG001 or RG002 for an unknown document or component, RG005 for a wrong argument, RG014 for an unknown entity';
