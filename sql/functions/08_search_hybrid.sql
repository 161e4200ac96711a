-- Vector and full text search combined, together with the page around each node and the nodes that the graph connects
-- to the best hits of both.
--
-- score = sum over the methods: weight / (rrf_k + rank). This is reciprocal rank fusion: Cormack, Clarke and Buettcher,
-- Reciprocal Rank Fusion Outperforms Condorcet and Individual Rank Learning Methods (SIGIR 2009).
--
-- A page adds to its best node weight / (rrf_k + 1), as much as a first rank, times the fourth power of its share of
-- the score of the best page. If all pages match alike, this changes nothing. The other nodes of the page get a quarter
-- of that, an eighth, a twelfth and so on. So the right page moves up with its best node, while its other nodes do not
-- displace the best nodes of other pages.

create or replace function ragraph_private.rank_any_word(
    query text, k integer, scope ragraph_private.scope, exact_limit integer, running_heads boolean
)
returns ragraph_private.hit[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    fetched bigint := rank_any_word.k + 50::bigint;
    seen bigint;
    hits ragraph_private.hit[];
begin
    loop
        select
            count(*),
            array_agg(
                row(t.document_id, t.node_id, t.score, null, null, null, null, null)::ragraph_private.hit order by t.rank
            ) filter (
                -- a query that only excludes words matches many nodes but gives them no score
                where t.score > 0
                    and (rank_any_word.running_heads or coalesce(c.component_type not in ('HEADER', 'FOOTER'), true))
            )
        into seen, hits
        from ragraph_private.rank_text(
            rank_any_word.query,
            least(fetched, 2147483647)::integer,
            rank_any_word.scope,
            'any',
            rank_any_word.exact_limit
        ) as t
        inner join ragraph.content_node as n on t.document_id = n.document_id and t.node_id = n.id
        left join ragraph.document_component as c
            on n.document_id = c.document_id and n.parent_component_id = c.id;
        -- running heads are short and numerous: fetch more if they displace the text
        exit when seen < fetched or cardinality(hits) >= rank_any_word.k;
        fetched := fetched * 8;
    end loop;
    return coalesce(hits[:rank_any_word.k], '{}');
end
$$;
comment on function ragraph_private.rank_any_word(text, integer, ragraph_private.scope, integer, boolean) is
'Returns the k nodes of a scope that best match any word of a query, the best first, with or without running heads.
Raises RG005 for a wrong query, k or exact_limit';

create or replace function ragraph.search_hybrid(
    query text,
    query_vector vector,
    model_name text,
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
    vector_weight double precision default 1,
    text_weight double precision default 1,
    graph_weight double precision default 0,
    rrf_k integer default 60,
    candidates integer default null,
    page_weight double precision default null,
    entities text[] default null,
    boosted text[] default null,
    scope jsonb default null
)
returns table (
    document_id text,
    node_id text,
    score double precision,
    rank integer,
    vector_rank integer,
    vector_score double precision,
    text_rank integer,
    text_score double precision,
    graph_rank integer,
    part integer,
    char_start integer,
    char_end integer,
    page_rank integer
)
language plpgsql
volatile
parallel unsafe -- as search_vector
rows 10
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    -- nodes that are not embedded cannot be answers, unless their type is asked for
    body constant ragraph.content_node_type[] := array(
        select t.type from unnest(enum_range(null::ragraph.content_node_type)) as t (type)
        where t.type not in ('PAGE_NUMBER', 'HEADING', 'SUBHEADING', 'TITLE', 'SUBTITLE', 'AUTHOR')
    );
    wanted integer := coalesce(search_hybrid.candidates, least(greatest(4::bigint * search_hybrid.k, 50), 1000));
    -- maximum number of best nodes whose pages are ranked
    most_pages constant integer := 100;
    page_weight double precision := coalesce(search_hybrid.page_weight, 2 * search_hybrid.text_weight);
    boosted_identities text[]; -- entities whose nodes rank higher
    boosted_ids text[]; -- ids of these entities in documents
    bounds ragraph_private.scope;
    body_scope ragraph_private.scope; -- the scope of full text search and of the graph
    matching ragraph_private.hit[];
    found jsonb;
    seeds ragraph_private.hit[];
begin
    perform ragraph_private.check_limits(search_hybrid.k, search_hybrid.exact_limit);
    perform ragraph_private.check_query(search_hybrid.query);
    perform ragraph_private.search_model(search_hybrid.query_vector, search_hybrid.model_name);
    if not coalesce(
        least(search_hybrid.vector_weight, search_hybrid.text_weight, search_hybrid.graph_weight, page_weight) >= 0
        and page_weight <= 1e100
        and greatest(search_hybrid.vector_weight, search_hybrid.text_weight, search_hybrid.graph_weight)
        between 1e-100 and 1e100
        and num_nulls(search_hybrid.vector_weight, search_hybrid.text_weight, search_hybrid.graph_weight) = 0,
        false
    ) then
        raise exception using
            errcode = 'RG005',
            message = format(
                'the weights are %s for vector, %s for text, %s for graph, %s for page',
                coalesce(search_hybrid.vector_weight::text, 'null'),
                coalesce(search_hybrid.text_weight::text, 'null'),
                coalesce(search_hybrid.graph_weight::text, 'null'),
                coalesce(page_weight::text, 'null')
            ),
            hint = 'Give numbers of 0 or more; those of vector, text and graph must not all be 0.';
    end if;
    if search_hybrid.rrf_k is null or search_hybrid.rrf_k < 1 then
        raise exception using
            errcode = 'RG005',
            message = format('rrf_k is %s', coalesce(search_hybrid.rrf_k::text, 'null')),
            hint = 'Give 1 or more; 60 is the default.';
    end if;
    if wanted < 1 then
        raise exception using
            errcode = 'RG005', message = format('candidates is %s', wanted), hint = 'Give 1 or more; 4 * k is the default.';
    end if;
    wanted := greatest(wanted, search_hybrid.k);

    bounds := ragraph_private.search_scope(ragraph_private.asked_scope(
        ragraph_private.without_excluded(search_hybrid.scope, search_hybrid.query), search_hybrid.document_ids, search_hybrid.component_id, search_hybrid.component_ids,
        search_hybrid.node_types, search_hybrid.pages, search_hybrid.collection, search_hybrid.tags,
        search_hybrid.languages, search_hybrid.published, search_hybrid.filter, search_hybrid.entities
    ));
    if search_hybrid.boosted is not null then
        boosted_identities := ragraph_private.named_entities(search_hybrid.boosted);
        select array_agg(e.id) into boosted_ids from ragraph.entity as e where e.identity = any(boosted_identities);
    end if;
    if bounds.documents = '{}' then
        return;
    end if;
    body_scope := bounds;
    if bounds.node_types is null then
        body_scope.node_types := body;
        body_scope.on_node := bounds.on_node || ' and n.content_node_type = any($3)';
    end if;
    if search_hybrid.text_weight > 0 or search_hybrid.graph_weight > 0 then
        matching := ragraph_private.rank_any_word(
            search_hybrid.query, wanted, body_scope, search_hybrid.exact_limit, bounds.node_types is not null
        );
    end if;

    select jsonb_agg(jsonb_build_object(
        'document_id', f.document_id, 'node_id', f.node_id, 'vector_rank', f.vector_rank, 'vector_score', f.vector_score,
        'text_rank', f.text_rank, 'text_score', f.text_score, 'part', f.part, 'char_start', f.char_start,
        'char_end', f.char_end
    )) into found
    from (
        select
            coalesce(v.document_id, t.document_id) as document_id,
            coalesce(v.node_id, t.node_id) as node_id,
            v.rank as vector_rank,
            v.score as vector_score,
            t.ordinality as text_rank,
            t.score as text_score,
            v.part,
            v.char_start,
            v.char_end
        from ragraph_private.rank_vector(
            search_hybrid.query_vector, search_hybrid.model_name, wanted, bounds, search_hybrid.exact_limit
        ) as v
        full join unnest(matching) with ordinality as t on v.document_id = t.document_id and v.node_id = t.node_id
    ) as f;
    found := coalesce(found, '[]');

    if search_hybrid.graph_weight > 0 then
        -- seeds: the best hits of vector and text search, with equal weights if only the graph counts
        select array_agg(row(s.document_id, s.node_id, s.score, null, null, null, null, null)::ragraph_private.hit) into seeds
        from (
            select
                f.document_id,
                f.node_id,
                coalesce(
                    case when search_hybrid.vector_weight + search_hybrid.text_weight > 0
                        then search_hybrid.vector_weight else 1 end / (search_hybrid.rrf_k + f.vector_rank), 0
                ) + coalesce(
                    case when search_hybrid.vector_weight + search_hybrid.text_weight > 0
                        then search_hybrid.text_weight else 1 end / (search_hybrid.rrf_k + f.text_rank), 0
                ) as score
            from jsonb_to_recordset(found) as f (document_id text, node_id text, vector_rank integer, text_rank integer)
            order by 3 desc, f.document_id collate "C", f.node_id collate "C"
            limit greatest(search_hybrid.k, 10)
        ) as s;
    end if;

    return query
    with tied as (
        select
            g.document_id,
            g.node_id,
            row_number() over (order by g.score desc, g.document_id collate "C", g.node_id collate "C") as rank
        from ragraph_private.graph_scores(seeds, body_scope) as g
        where search_hybrid.graph_weight > 0
        order by g.score desc, g.document_id collate "C", g.node_id collate "C"
        limit wanted
    ), fused as materialized ( -- under row-level security a join on expressions cannot use an index
        select
            coalesce(f.document_id, g.document_id) as document_id,
            coalesce(f.node_id, g.node_id) as node_id,
            coalesce(search_hybrid.vector_weight / (search_hybrid.rrf_k + f.vector_rank), 0)
            + coalesce(search_hybrid.text_weight / (search_hybrid.rrf_k + f.text_rank), 0)
            + coalesce(search_hybrid.graph_weight / (search_hybrid.rrf_k + g.rank), 0) as score,
            f.vector_rank,
            f.vector_score,
            f.text_rank,
            f.text_score,
            g.rank::integer as graph_rank,
            f.part,
            f.char_start,
            f.char_end
        from jsonb_to_recordset(found) as f (
            document_id text, node_id text, vector_rank integer, vector_score double precision, text_rank integer,
            text_score double precision, part integer, char_start integer, char_end integer
        )
        full join tied as g on f.document_id = g.document_id and f.node_id = g.node_id
    ), placed as materialized (
        select
            f.*,
            n.first_page,
            row_number() over (
                order by f.score desc, f.vector_rank nulls last, f.document_id collate "C", f.node_id collate "C"
            ) as place,
            row_number() over (
                partition by f.document_id, n.first_page
                -- a picture without text should not represent its page
                order by
                    n.content = '' and n.description is null,
                    f.score desc,
                    f.vector_rank nulls last,
                    f.node_id collate "C"
            ) as place_on_page
        from fused as f
        inner join ragraph.content_node as n on f.document_id = n.document_id and f.node_id = n.id
    ), around as (
        select array_agg(p.document_id) as document_ids, array_agg(p.first_page) as pages
        from placed as p
        where p.place <= most_pages and p.first_page is not null
    ), mentioning as materialized (
        select distinct
            p.document_id,
            p.node_id
        from placed as p
        inner join ragraph.mention as m on p.document_id = m.document_id and p.node_id = m.node_id
        where m.entity_id = any(boosted_ids)
    ), paged as (
        select
            p.*,
            g.rank as page_rank,
            p.score + case when m.node_id is null then 0 else 1.0 / (search_hybrid.rrf_k + 1) end as by_itself,
            coalesce(
                page_weight / (search_hybrid.rrf_k + 1) * power(g.share, 4)
                * case when p.place_on_page = 1 then 1 else 0.25::double precision / (p.place_on_page - 1) end,
                0
            ) as by_page
        from placed as p
        left join mentioning as m on p.document_id = m.document_id and p.node_id = m.node_id
        left join (
            select r.*
            from around as a
            cross join lateral ragraph_private.rank_pages(search_hybrid.query, a.document_ids, a.pages) as r
            where page_weight > 0 and a.pages is not null
        ) as g on p.document_id = g.document_id and p.first_page = g.page
    ), slotted as (
        select p.*, row_number() over (order by p.by_itself desc, p.place) as slot from paged as p
    ), numbered as (
        select
            s.*,
            row_number() over (partition by s.first_page is null order by s.slot) as nth_slot,
            row_number() over (partition by s.first_page is null order by s.by_itself + s.by_page desc, s.place) as nth
        from slotted as s
    ), ranked as (
        -- pages reorder only the nodes that have a page: a node without one keeps its rank
        select
            p.*,
            s.slot::integer as rank,
            min(p.by_itself + p.by_page) over (order by s.slot) as with_page
        from numbered as p
        inner join numbered as s on (p.first_page is null) = (s.first_page is null) and p.nth = s.nth_slot
        order by s.slot
        limit search_hybrid.k
    )
    select
        r.document_id,
        r.node_id,
        r.with_page,
        r.rank,
        r.vector_rank,
        r.vector_score,
        r.text_rank,
        r.text_score,
        r.graph_rank,
        r.part,
        coalesce(r.char_start, n.char_start + lower(p.span)),
        coalesce(r.char_end, n.char_start + upper(p.span)),
        r.page_rank
    from ranked as r
    inner join ragraph.content_node as n on r.document_id = n.document_id and r.node_id = n.id
    left join lateral ragraph_private.text_passage(
        case when r.part is null and r.text_rank is not null then n.content else '' end, n.ts_config, search_hybrid.query
    ) as p (span) on true
    order by r.rank;
end
$$;
comment on function ragraph.search_hybrid(
    text, vector, text, integer, text[], text, text[], ragraph.content_node_type[], int4range, text, text[], text[], daterange,
    jsonb, integer, double precision, double precision, double precision, integer, integer, double precision,
    text[], text[], jsonb
) is
'Returns the k best nodes by weighted reciprocal rank fusion, the best first. It combines vector search, full text
search for any word of the query and, with graph_weight above 0, the nodes that relations or neighbourhood connect to the
best hits of both. The scope is that of search_vector. A word or "phrase" after a minus is in no hit.
score is the sum of weight / (rrf_k + rank) over the methods, plus what the page of the node adds. That is page_weight
(twice text_weight by default) / (rrf_k + 1), times the fourth power of the score of the page relative to the best page.
The second node of a page gets a quarter of that, the third an eighth and so on, nodes without words last. The pages are
those of the best 100 nodes. They are ranked by the words and pairs of words of all their nodes together. Pages reorder
only the nodes that have a page; a node without one keeps its rank. No score is above that of the rank before.
boosted names entities by name, alias or identity: nodes found that mention one get 1 / (rrf_k + 1) more, as much as a
first rank. The ranks and scores of each method are returned too, null if the method did not find the node.
part, char_start and char_end, in the text of the document, are those of the best part by vector, else of the best passage
by text. candidates is the number of nodes that each method passes to the fusion: by default 4 * k, between 50 and 1000.
Each method is exact under the same conditions as on its own. Never returns fewer than k nodes if k nodes of the scope are
embedded or contain a word of the query. Headings, titles, page numbers and running heads are left out unless node_types
includes them.
Raises RG001 or RG002 for an unknown document or component, RG004 for an unknown model, RG005 for a wrong argument, RG006
for a wrong number of dimensions, RG014 for an unknown entity';
