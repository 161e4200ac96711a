-- From a question to a context in one call: hybrid search, the sentences about the question, a budget of tokens.

create or replace function ragraph_private.context_sentences(
    query text,
    query_vector vector,
    model_name text,
    token_budget integer,
    scope jsonb,
    k integer,
    tuned boolean,
    explain boolean,
    per_document integer,
    min_relevance double precision
)
returns table (sentences jsonb, nodes_found integer, confidence double precision, largest_table integer)
language plpgsql
volatile
parallel unsafe -- as search_vector
rows 1
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set plan_cache_mode = auto -- restored when the function ends, whatever is set below
as $$
#variable_conflict use_column
declare
    -- bibliographic entries answer nothing and would displace answers
    answering constant ragraph.content_node_type[] := array(
        select t.type from unnest(enum_range(null::ragraph.content_node_type)) as t (type)
        where t.type not in ('PAGE_NUMBER', 'HEADING', 'SUBHEADING', 'TITLE', 'SUBTITLE', 'AUTHOR', 'BIBLIOGRAPHIC_ENTRY')
    );
    -- number of sentences passed to the budget: more than fit
    most constant integer := greatest(100, least(context_sentences.token_budget, 100000) / 5);
    -- nodes of a document that are read for each of its sentences; so many times more nodes are searched for that
    candidates constant integer := 5;
    wanted constant integer :=
        case when context_sentences.per_document is null then context_sentences.k else least(candidates * context_sentences.k, 1000) end;
    asked jsonb; -- conditions by name
    types_named boolean;
    hits ragraph_private.hit[];
    page_ranks integer[];
    only_document text;
    found jsonb;
    nodes integer;
    best_relevance double precision;
    tables jsonb; -- tables found: whether one fits into a quarter of the budget, and the rank of its page
    -- score that the best page adds to a row of a table; the n-th page adds 1/n of it. Chosen on the development half
    -- of bench/results/retrieval-pages.md.
    page_share double precision := 0.2;
    mode constant text := case when context_sentences.query_vector is null then 'text' else 'hybrid' end;
begin
    -- as expand_hits: planning takes a sixth of the time, and the plans do not depend on the question
    if to_regclass('pg_catalog.pg_dist_partition') is null then
        perform set_config('plan_cache_mode', 'force_generic_plan', true);
    end if;
    perform ragraph_private.expand_arguments(context_sentences.token_budget, null, 0, 0, 0, 0);
    if context_sentences.per_document < 1 then
        raise exception using
            errcode = 'RG005',
            message = format('per_document is %s', context_sentences.per_document),
            hint = 'Give 1 or more sentences per document.';
    end if;
    asked := context_sentences.scope;
    types_named := asked ? 'node_types';
    if not types_named then
        asked := asked || jsonb_build_object('node_types', answering);
    end if;
    -- without the passages of search_text and search_hybrid: the sentences are chosen below
    if context_sentences.query_vector is null then
        select
            array_agg(row(t.document_id, t.node_id, t.score, null, null, null, null, null)::ragraph_private.hit order by t.rank),
            max(t.relevance)
        into hits, best_relevance
        from ragraph_private.rank_matching(
            context_sentences.query, wanted, asked, 'any', 10000, context_sentences.min_relevance
        ) as t;
    else
        select
            array_agg(
                row(t.document_id, t.node_id, t.score, null, null, null, t.vector_score, t.text_score)::ragraph_private.hit
                order by t.rank
            ),
            array_agg(t.page_rank order by t.rank),
            max(t.relevance)
        into hits, page_ranks, best_relevance
        from ragraph_private.rank_hybrid(
            context_sentences.query, context_sentences.query_vector, context_sentences.model_name, wanted,
            ragraph_private.without_excluded(asked, context_sentences.query), min_relevance => context_sentences.min_relevance
        ) as t;
    end if;
    if hits is null then
        return;
    end if;
    only_document := ragraph_private.only_one(hits);
    -- running heads are only included if node_types names types
    select
        array_agg(
            row(h.document_id, h.node_id, h.score, null, null, null, h.vector_score, h.text_score)::ragraph_private.hit
            order by h.place
        ),
        count(*),
        jsonb_object_agg(h.document_id || ' ' || h.node_id, jsonb_build_object(
            'fits', coalesce(n.token_count <= context_sentences.token_budget / 4, true), 'page_rank', h.page_rank
        )) filter (where n.content_node_type = 'TABLE'),
        max(n.token_count) filter (
            where n.content_node_type = 'TABLE'
                and n.token_count <= context_sentences.token_budget / 4
                and context_sentences.per_document is null
        )
    into hits, nodes, tables, largest_table
    from (
        select
            c.*,
            row_number() over (order by c.ordinality) as place
        from (
            select
                f.*,
                row_number() over (partition by f.document_id order by f.ordinality) as time
            from unnest(hits, page_ranks) with ordinality as f (
                document_id, node_id, score, char_start, char_end, tokens, vector_score, text_score, page_rank, ordinality
            )
        ) as c
        where context_sentences.per_document is null or c.time <= candidates * context_sentences.per_document
    ) as h
    inner join ragraph.content_node as n on h.document_id = n.document_id and h.node_id = n.id
    left join ragraph.document_component as c on n.document_id = c.document_id and n.parent_component_id = c.id
    where
        h.place <= context_sentences.k
        and (types_named or coalesce(c.component_type not in ('HEADER', 'FOOTER'), true))
        and (only_document is null or n.document_id = only_document);
    if hits is null then
        return;
    end if;
    -- a ranker was fitted on what answers look like, also in tables
    if coalesce(context_sentences.tuned, true) and exists (select 1 from ragraph.sentence_ranker as r where r.active) and exists (
        select 1
        from ragraph_private.ranker_version(
            hits, mode,
            case when context_sentences.query_vector is not null then context_sentences.model_name end
        ) as r
        where r.version is not null
    ) then
        page_share := 0;
    end if;
    select jsonb_agg(jsonb_build_object(
        'document_id', f.document_id, 'node_id', f.node_id, 'score', f.total, 'char_start', f.char_start,
        'char_end', f.char_end, 'why', f.why || case
            when f.total <> f.score then jsonb_build_object('table', f.total - f.score) else '{}'
        end
    ) order by f.place) into found
    from (
        select
            b.*,
            row_number() over (order by b.total desc, b.score desc, b.document_id collate "C", b.char_start) as place,
            row_number() over (partition by b.document_id order by b.total desc, b.score desc, b.char_start) as time
        from (
            select
                a.*,
                -- the rows around the best one are needed for comparison; with few sentences per document it counts
                -- alone
                case
                    when context_sentences.per_document is null and (t.entry -> 'fits')::boolean
                        then max(a.score) over (partition by a.document_id, a.node_id)
                    else a.score
                end
                -- words that refer to a row are around its table: in the heading, in the text, in the line with the
                -- unit
                + coalesce(page_share / (t.entry ->> 'page_rank')::integer, 0) as total
            from ragraph_private.scored_sentences(
                context_sentences.query, hits, tuned => coalesce(context_sentences.tuned, true),
                explain => coalesce(context_sentences.explain, false), mode => mode,
                model_name => case when context_sentences.query_vector is not null then context_sentences.model_name end
            ) as a
            cross join lateral (select tables -> (a.document_id || ' ' || a.node_id) as entry) as t
        ) as b
    ) as f
    where case
        when context_sentences.per_document is null then f.place <= coalesce(most, 2147483647) else f.time <= context_sentences.per_document
    end;
    sentences := coalesce(found, '[]');
    nodes_found := nodes;
    confidence := ragraph_private.confidence(best_relevance, context_sentences.query_vector is not null);
    return next;
end
$$;
comment on function ragraph_private.context_sentences(
    text, vector, text, integer, jsonb, integer, boolean, boolean, integer, double precision
) is
'Returns the sentences that search_context passes to expand_hits, the best first, with its nodes_found and confidence, in
a scope as asked_scope returns it; no row if no node was found. largest_table is the number of tokens of the largest
table whose rows share a score because it fits into a quarter of token_budget; null without one, or with per_document. For a
smaller budget of at least twice as many tokens the sentences are the first budget / 5 of these, at least 100; all of
them with per_document. So nobody has to search again for it. Raises the errors of search_context';

create or replace function ragraph_private.context_rows(
    sentences jsonb, token_budget integer, breadcrumbs boolean, explain boolean
)
returns table (
    document_id text,
    node_id text,
    role text,
    of_node_id text,
    score double precision,
    hop integer,
    char_start integer,
    char_end integer,
    tokens integer,
    breadcrumb_tokens integer,
    sequence_in_document integer,
    block integer,
    gap boolean,
    cut boolean,
    heading text,
    why jsonb
)
language plpgsql
stable
parallel safe
rows 50
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
begin
    return query
    select e.*, f.why
    from ragraph.expand_hits(
        context_rows.sentences, context_rows.token_budget, whole_nodes => false, captions => false, notes => false,
        supplements => false, breadcrumbs => context_rows.breadcrumbs
    ) as e
    left join jsonb_to_recordset(context_rows.sentences) as f (
        document_id text, node_id text, char_start integer, char_end integer, why jsonb
    ) on context_rows.explain
        and e.document_id = f.document_id and e.node_id = f.node_id
        and e.char_start >= f.char_start and e.char_end <= f.char_end;
end
$$;
comment on function ragraph_private.context_rows(jsonb, integer, boolean, boolean) is
'Returns the rows of search_context for sentences that context_sentences returned';

create or replace function ragraph.search_context(
    query text,
    query_vector vector default null,
    model_name text default null,
    token_budget integer default 2000,
    document_ids text[] default null,
    component_ids text[] default null,
    node_types ragraph.content_node_type[] default null,
    pages int4range default null,
    collection text default null,
    tags text[] default null,
    languages text[] default null,
    published daterange default null,
    filter jsonb default null,
    k integer default 200,
    breadcrumbs boolean default true,
    tuned boolean default true,
    explain boolean default false,
    entities text[] default null,
    per_document integer default null,
    scope jsonb default null,
    min_relevance double precision default null
)
returns table (
    document_id text,
    node_id text,
    role text,
    of_node_id text,
    score double precision,
    hop integer,
    char_start integer,
    char_end integer,
    tokens integer,
    breadcrumb_tokens integer,
    sequence_in_document integer,
    block integer,
    gap boolean,
    cut boolean,
    heading text,
    nodes_found integer,
    why jsonb,
    confidence double precision
)
language plpgsql
volatile
parallel unsafe -- as search_vector
rows 50
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
begin
    return query
    select r.document_id, r.node_id, r.role, r.of_node_id, r.score, r.hop, r.char_start, r.char_end, r.tokens,
        r.breadcrumb_tokens, r.sequence_in_document, r.block, r.gap, r.cut, r.heading, s.nodes_found, r.why, s.confidence
    from ragraph_private.context_sentences(
        search_context.query, search_context.query_vector, search_context.model_name, search_context.token_budget,
        ragraph_private.asked_scope(
            search_context.scope, search_context.document_ids, null, search_context.component_ids,
            search_context.node_types, search_context.pages, search_context.collection, search_context.tags,
            search_context.languages, search_context.published, search_context.filter, search_context.entities
        ),
        search_context.k, search_context.tuned, search_context.explain, search_context.per_document,
        search_context.min_relevance
    ) as s
    cross join lateral ragraph_private.context_rows(
        s.sentences, search_context.token_budget, search_context.breadcrumbs, search_context.explain
    ) as r;
end
$$;
comment on function ragraph.search_context(
    text, vector, text, integer, text[], text[], ragraph.content_node_type[], int4range, text, text[], text[], daterange, jsonb,
    integer, boolean, boolean, boolean, text[], integer, jsonb, double precision
) is
'Returns a context for a question within token_budget, in the form of expand_hits: the sentences about the question
(focus_hits, with tuned and explain) among the k nodes that hybrid search finds, or text search without a query_vector.
If a table fits into a quarter of the budget, its rows share the score of the best one, so that they are returned together.
Rows of tables on the pages that match best get up to 0.2 more (table in why), unless a ranker is used. nodes_found is
the number of nodes that were read. confidence is how likely the documents answer the question, between 0 and 1;
min_relevance leaves out nodes below it.
per_document limits the number of sentences of each document, chosen from nodes of more documents. Headings, titles,
page numbers, running heads and bibliographic entries are left out unless node_types includes them. Raises RG001 or
RG002 for an unknown document or component, RG004 for an unknown model, RG005 for a wrong argument, RG006 for a wrong
number of dimensions, RG014 for an unknown entity';
