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
#variable_conflict use_column
declare
    fetched bigint := rank_any_word.k + 50::bigint;
    seen bigint;
    hits ragraph_private.hit[];
    only_document text;
begin
    loop
        -- ranks first and reads the nodes afterwards, and only if it has to
        select
            count(*),
            array_agg(
                row(t.document_id, t.node_id, t.score, null, null, null, null, t.share)::ragraph_private.hit order by t.rank
                -- a query that only excludes words matches many nodes but gives them no score
            ) filter (where t.score > 0)
        into seen, hits
        from ragraph_private.rank_text(
            rank_any_word.query,
            least(fetched, 2147483647)::integer,
            rank_any_word.scope,
            'any',
            rank_any_word.exact_limit
        ) as t;
        if not rank_any_word.running_heads and hits is not null then
            only_document := ragraph_private.only_one(hits);
            select array_agg(
                row(h.document_id, h.node_id, h.score, null, null, null, null, h.text_score)::ragraph_private.hit order by h.ordinality
            )
            into hits
            from unnest(hits) with ordinality as h
            inner join ragraph.content_node as n on h.document_id = n.document_id and h.node_id = n.id
            left join ragraph.document_component as c
                on n.document_id = c.document_id and n.parent_component_id = c.id
            where coalesce(c.component_type not in ('HEADER', 'FOOTER'), true)
                and (only_document is null or n.document_id = only_document);
        end if;
        -- running heads are short and numerous: fetch more if they displace the text
        exit when seen < fetched or cardinality(hits) >= rank_any_word.k;
        fetched := fetched * 8;
    end loop;
    return coalesce(hits[:rank_any_word.k], '{}');
end
$$;
comment on function ragraph_private.rank_any_word(text, integer, ragraph_private.scope, integer, boolean) is
'Returns the k nodes of a scope that best match any word of a query, the best first, with or without running heads.
text_score is the share of what the words of the query could give.
Raises RG005 for a wrong query, k or exact_limit';

create or replace function ragraph_private.is_foreign(hits ragraph_private.hit[])
returns boolean
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    only_document constant text := ragraph_private.only_one(is_foreign.hits);
begin
    if coalesce(cardinality(is_foreign.hits), 0) = 0 then
        return false;
    end if;
    return (
        select coalesce(2 * count(*) filter (where d.language not like 'en%') > count(*), false)
        from unnest(is_foreign.hits) as h
        inner join ragraph.document as d on h.document_id = d.id
        where only_document is null or d.id = only_document
    );
end
$$;
comment on function ragraph_private.is_foreign(ragraph_private.hit[]) is
'Returns true if more than half of the hits are in documents of another language than English, the only one that the
packaged model knows';

create or replace function ragraph_private.nodes_mentioning(document_ids text[], node_ids text[], entity_ids text[])
returns table (document_id text, node_id text)
language plpgsql
stable
parallel safe
rows 10
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    only_document constant text := ragraph_private.only_one(nodes_mentioning.document_ids);
begin
    if nodes_mentioning.entity_ids is not null then
        return query
        select distinct m.document_id, m.node_id
        from unnest(nodes_mentioning.document_ids, nodes_mentioning.node_ids) as p (document_id, node_id)
        inner join ragraph.mention as m on p.document_id = m.document_id and p.node_id = m.node_id
        where m.entity_id = any(nodes_mentioning.entity_ids) and (only_document is null or m.document_id = only_document);
    end if;
end
$$;
comment on function ragraph_private.nodes_mentioning(text[], text[], text[]) is
'Returns those of the given nodes that mention any of the entities, unsorted; none if entity_ids is null';

create type ragraph_private.fused_node as (
    document_id text,
    node_id text,
    vector_rank integer,
    vector_score double precision,
    text_rank integer,
    text_score double precision,
    share double precision,
    part integer,
    char_start integer,
    char_end integer
);
comment on type ragraph_private.fused_node is
'A node that vector or full text search found, with its rank and score by each; null if that search did not find it.
share is the share of what the words of the query could give; part, char_start and char_end are those of its vector';

create or replace function ragraph_private.rank_hybrid(
    query text,
    query_vector vector,
    model_name text,
    k integer,
    scope jsonb,
    exact_limit integer default 10000,
    vector_weight double precision default 1,
    text_weight double precision default 1,
    graph_weight double precision default 0,
    rrf_k integer default 60,
    candidates integer default null,
    page_weight double precision default null,
    boosted text[] default null,
    min_relevance double precision default null
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
    page_rank integer,
    relevance double precision
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
    wanted integer := coalesce(rank_hybrid.candidates, least(greatest(4::bigint * rank_hybrid.k, 50), 1000));
    -- maximum number of best nodes whose pages are ranked
    most_pages constant integer := 100;
    -- maximum number of best nodes of each method that tell which documents the query names, and of nodes of these
    -- documents that are added
    most_naming constant integer := 200;
    -- relevance was fitted on this model and so many nearest nodes; the similarities of others differ
    fitted_model constant text := 'all-MiniLM-L6-v2';
    usual_nodes constant integer := 50;
    -- what a rank among the nodes of the documents that the query names counts, relative to a rank among all
    named_factor constant double precision := 1;
    -- what a rank by vectors counts if most of the texts with words of the query are in languages that the model does not
    -- know; not measured beyond tests/test_multilingual.py
    unknown_factor constant double precision := 0.1;
    -- number of the best texts by words whose languages are looked at
    most_judged constant integer := 10;
    -- number of the best nodes by score that are read, besides those in the documents of the best most_pages: the k best
    -- are among these, unless nodes come last by their type or text, or first by their entities. Null for all.
    read_alone integer;
    vector_weight double precision := rank_hybrid.vector_weight;
    page_weight double precision := coalesce(rank_hybrid.page_weight, 2 * rank_hybrid.text_weight);
    boosted_identities text[]; -- entities whose nodes rank higher
    boosted_ids text[]; -- ids of these entities in documents
    bounds ragraph_private.scope;
    body_scope ragraph_private.scope; -- the scope of full text search and of the graph
    matching ragraph_private.hit[];
    found ragraph_private.fused_node[];
    seeds ragraph_private.hit[];
    usual record; -- the scores of all nodes found
    near record; -- words that are used because no text has those of the query
    names record; -- the documents that the query names
    named_scope ragraph_private.scope;
    rest text; -- the query without the names
    named jsonb := '[]'; -- the best nodes of these documents
    lines jsonb; -- tables with lines that the query names
    -- what the rank among these tables counts, relative to a rank by words; chosen on the development half of
    -- bench/results/retrieval-pages.md
    table_factor constant double precision := 2;
    exact jsonb; -- nodes with the codes of the query by the letter
    -- what these count: as much as a first rank of one more method, or more than all methods together
    exact_weight double precision;
begin
    perform ragraph_private.check_limits(rank_hybrid.k, rank_hybrid.exact_limit);
    perform ragraph_private.check_query(rank_hybrid.query);
    perform ragraph_private.check_relevance(rank_hybrid.min_relevance);
    if rank_hybrid.min_relevance is not null and rank_hybrid.model_name <> fitted_model then
        raise exception using
            errcode = 'RG005',
            message = format('relevance is not known for the model %s', rank_hybrid.model_name),
            hint = format('Leave out min_relevance, or search with %s or in mode text.', fitted_model);
    end if;
    perform ragraph_private.search_model(rank_hybrid.query_vector, rank_hybrid.model_name);
    if not coalesce(
        least(rank_hybrid.vector_weight, rank_hybrid.text_weight, rank_hybrid.graph_weight, page_weight) >= 0
        and page_weight <= 1e100
        and greatest(rank_hybrid.vector_weight, rank_hybrid.text_weight, rank_hybrid.graph_weight)
        between 1e-100 and 1e100
        and num_nulls(rank_hybrid.vector_weight, rank_hybrid.text_weight, rank_hybrid.graph_weight) = 0,
        false
    ) then
        raise exception using
            errcode = 'RG005',
            message = format(
                'the weights are %s for vector, %s for text, %s for graph, %s for page',
                coalesce(rank_hybrid.vector_weight::text, 'null'),
                coalesce(rank_hybrid.text_weight::text, 'null'),
                coalesce(rank_hybrid.graph_weight::text, 'null'),
                coalesce(page_weight::text, 'null')
            ),
            hint = 'Give numbers of 0 or more; those of vector, text and graph must not all be 0.';
    end if;
    if rank_hybrid.rrf_k is null or rank_hybrid.rrf_k < 1 then
        raise exception using
            errcode = 'RG005',
            message = format('rrf_k is %s', coalesce(rank_hybrid.rrf_k::text, 'null')),
            hint = 'Give 1 or more; 60 is the default.';
    end if;
    if wanted < 1 then
        raise exception using
            errcode = 'RG005', message = format('candidates is %s', wanted), hint = 'Give 1 or more; 4 * k is the default.';
    end if;
    wanted := greatest(wanted, rank_hybrid.k);

    bounds := ragraph_private.search_scope(rank_hybrid.scope);
    if rank_hybrid.boosted is not null then
        boosted_identities := ragraph_private.named_entities(rank_hybrid.boosted);
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
    if rank_hybrid.text_weight > 0 or rank_hybrid.graph_weight > 0 then
        matching := ragraph_private.rank_any_word(
            rank_hybrid.query, wanted, body_scope, rank_hybrid.exact_limit, bounds.node_types is not null
        );
        if matching = '{}' then
            select n.* into near from ragraph_private.near_query(rank_hybrid.query, body_scope) as n;
            if near.near is not null then
                perform ragraph_private.note_near(near.missing, near.taken, near.as_parts);
                matching := ragraph_private.rank_any_word(
                    near.near, wanted, body_scope, rank_hybrid.exact_limit, bounds.node_types is not null
                );
            end if;
        end if;
    end if;

    if rank_hybrid.text_weight > 0 and rank_hybrid.model_name = fitted_model and ragraph_private.is_foreign(matching[:most_judged]) then
        vector_weight := unknown_factor * vector_weight;
    end if;

    select array_agg(row(
        coalesce(v.document_id, t.document_id), coalesce(v.node_id, t.node_id), v.rank, v.score, t.ordinality, t.score,
        t.text_score, v.part, v.char_start, v.char_end
    )::ragraph_private.fused_node) into found
    from ragraph_private.rank_vector(
        rank_hybrid.query_vector, rank_hybrid.model_name, wanted, bounds, rank_hybrid.exact_limit
    ) as v
    full join unnest(matching) with ordinality as t on v.document_id = t.document_id and v.node_id = t.node_id;
    found := coalesce(found, '{}');
    -- a node that a method did not find among its candidates is no better by it than the last of these
    select
        min(f.vector_score) as lowest,
        -- in one order, so that equal searches get equal sums
        avg(f.vector_score order by f.vector_rank) filter (where f.vector_rank <= usual_nodes) as mean,
        count(*) filter (where f.vector_rank <= usual_nodes) as nodes,
        max(f.vector_score) as highest,
        min(f.share) as lowest_share, max(f.share) as best_share
    into usual
    from unnest(found) as f;
    if rank_hybrid.text_weight > 0 and bounds.section_documents is null then
        select
            array_agg(n.document_id) as ids,
            jsonb_object_agg(n.document_id, n.share) as shares,
            max(n.ts_config::oid)::regconfig as ts_config,
            string_agg(n.words::text, ' ')::tsvector as words
        into names
        from (
            select array_agg(f.document_id) as document_ids, array_agg(f.node_id) as node_ids
            from unnest(found) as f
            where least(f.vector_rank, f.text_rank) <= most_naming
            having count(distinct f.document_id) > 1
        ) as f
        cross join lateral ragraph_private.named_documents(rank_hybrid.query, f.document_ids, f.node_ids) as n
        where n.share is not null;
        if names.ids is not null then
            rest := ragraph_private.without_words(rank_hybrid.query, names.ts_config, names.words);
        end if;
        if rest is not null then
            named_scope := body_scope;
            named_scope.documents := names.ids;
            if bounds.documents is null then
                named_scope.on_document := '';
            end if;
            matching := ragraph_private.rank_any_word(
                rest, least(wanted, most_naming), named_scope, rank_hybrid.exact_limit, bounds.node_types is not null
            );
            select jsonb_agg(jsonb_build_object(
                'document_id', f.document_id, 'node_id', f.node_id, 'part', f.part, 'char_start', f.char_start,
                'char_end', f.char_end, 'named', f.named * (names.shares ->> f.document_id)::double precision,
                'vector_score', f.vector_score
            )) into named
            from (
                select
                    coalesce(v.document_id, t.document_id) as document_id,
                    coalesce(v.node_id, t.node_id) as node_id,
                    coalesce(vector_weight / (rank_hybrid.rrf_k + v.rank), 0)
                    + coalesce(rank_hybrid.text_weight / (rank_hybrid.rrf_k + t.ordinality), 0) as named,
                    v.score as vector_score,
                    v.part,
                    v.char_start,
                    v.char_end
                from ragraph_private.rank_vector(
                    rank_hybrid.query_vector, rank_hybrid.model_name, least(wanted, most_naming), named_scope,
                    rank_hybrid.exact_limit
                ) as v
                full join unnest(matching) with ordinality as t on v.document_id = t.document_id and v.node_id = t.node_id
            ) as f;
        end if;
    end if;
    if rank_hybrid.text_weight > 0 and rank_hybrid.query ~ '[0-9]' then
        select jsonb_agg(jsonb_build_object('document_id', c.document_id, 'node_id', c.node_id, 'share', c.share)) into exact
        from ragraph_private.rank_codes(rank_hybrid.query, wanted, body_scope, rank_hybrid.exact_limit) as c;
        exact_weight := case
            when not ragraph_private.codes_alone(rank_hybrid.query) then rank_hybrid.text_weight
            else 2 * (rank_hybrid.vector_weight + rank_hybrid.text_weight + rank_hybrid.graph_weight + page_weight)
        end;
    end if;

    if rank_hybrid.text_weight > 0 and coalesce('TABLE' = any(bounds.node_types), true)
        and (bounds.node_types = '{TABLE}' or ragraph_private.asks_for_figures(rank_hybrid.query))
    then
        select jsonb_agg(jsonb_build_object(
            'document_id', t.document_id, 'node_id', t.node_id,
            'score', table_factor * rank_hybrid.text_weight * t.share / (rank_hybrid.rrf_k + t.rank)
        )) into lines
        from ragraph_private.rank_tables(rank_hybrid.query, wanted, bounds, rank_hybrid.exact_limit) as t;
    end if;

    if rank_hybrid.graph_weight > 0 then
        -- seeds: the best hits of vector and text search, with equal weights if only the graph counts
        select array_agg(row(s.document_id, s.node_id, s.score, null, null, null, null, null)::ragraph_private.hit) into seeds
        from (
            select
                f.document_id,
                f.node_id,
                coalesce(
                    case when rank_hybrid.vector_weight + rank_hybrid.text_weight > 0
                        then rank_hybrid.vector_weight else 1 end / (rank_hybrid.rrf_k + f.vector_rank), 0
                ) + coalesce(
                    case when rank_hybrid.vector_weight + rank_hybrid.text_weight > 0
                        then rank_hybrid.text_weight else 1 end / (rank_hybrid.rrf_k + f.text_rank), 0
                ) as score
            from unnest(found) as f
            order by 3 desc, f.document_id collate "C", f.node_id collate "C"
            limit greatest(rank_hybrid.k, 10)
        ) as s;
    end if;

    if bounds.node_types is not null and boosted_ids is null then
        read_alone := greatest(rank_hybrid.k, most_pages);
    end if;

    return query
    with tied as (
        select
            g.document_id,
            g.node_id,
            row_number() over (order by g.score desc, g.document_id collate "C", g.node_id collate "C") as rank
        from ragraph_private.graph_scores(seeds, body_scope) as g
        where rank_hybrid.graph_weight > 0
        order by g.score desc, g.document_id collate "C", g.node_id collate "C"
        limit wanted
    ), fused as materialized ( -- under row-level security a join on expressions cannot use an index
        select
            coalesce(f.document_id, g.document_id) as document_id,
            coalesce(f.node_id, g.node_id) as node_id,
            coalesce(vector_weight / (rank_hybrid.rrf_k + f.vector_rank), 0)
            + coalesce(rank_hybrid.text_weight / (rank_hybrid.rrf_k + f.text_rank), 0)
            + coalesce(rank_hybrid.graph_weight / (rank_hybrid.rrf_k + g.rank), 0) as score,
            f.vector_rank,
            f.vector_score,
            f.text_rank,
            f.text_score,
            g.rank::integer as graph_rank,
            f.share,
            f.part,
            f.char_start,
            f.char_end
        from unnest(found) as f
        full join tied as g on f.document_id = g.document_id and f.node_id = g.node_id
    ), called as materialized (
        -- nodes of named documents, and nodes with the codes of the query, that no other method found are added
        select
            coalesce(f.document_id, m.document_id) as document_id,
            coalesce(f.node_id, m.node_id) as node_id,
            coalesce(f.score, 0) + coalesce(named_factor * m.named, 0) as score,
            f.vector_rank,
            coalesce(f.vector_score, m.vector_score) as vector_score,
            f.text_rank,
            f.text_score,
            f.graph_rank,
            f.share,
            coalesce(f.part, m.part) as part,
            coalesce(f.char_start, m.char_start) as char_start,
            coalesce(f.char_end, m.char_end) as char_end
        from fused as f
        full join jsonb_to_recordset(coalesce(named, '[]')) as m (
            document_id text, node_id text, part integer, char_start integer, char_end integer, named double precision,
            vector_score double precision
        ) on f.document_id = m.document_id and f.node_id = m.node_id
    ), lettered as materialized (
        select
            coalesce(c.document_id, e.document_id) as document_id,
            coalesce(c.node_id, e.node_id) as node_id,
            coalesce(c.score, 0) + coalesce(exact_weight * e.share / (rank_hybrid.rrf_k + 1), 0) as score,
            c.vector_rank,
            c.vector_score,
            c.text_rank,
            c.text_score,
            c.graph_rank,
            c.share,
            c.part,
            c.char_start,
            c.char_end
        from called as c
        full join jsonb_to_recordset(coalesce(exact, '[]')) as e (document_id text, node_id text, share double precision)
            on c.document_id = e.document_id and c.node_id = e.node_id
    ), lined as materialized (
        select
            coalesce(c.document_id, l.document_id) as document_id,
            coalesce(c.node_id, l.node_id) as node_id,
            coalesce(c.score, 0) + coalesce(l.score, 0) as score,
            c.vector_rank,
            c.vector_score,
            c.text_rank,
            c.text_score,
            c.graph_rank,
            c.share,
            c.part,
            c.char_start,
            c.char_end
        from lettered as c
        full join jsonb_to_recordset(coalesce(lines, '[]')) as l (document_id text, node_id text, score double precision)
            on c.document_id = l.document_id and c.node_id = l.node_id
    ), sorted as materialized (
        select
            l.*,
            row_number() over (
                order by l.score desc, l.vector_rank nulls last, l.document_id collate "C", l.node_id collate "C"
            ) as place
        from lined as l
    ), worth as materialized (
        -- the others cannot be among the best k: no page that is ranked has one of them
        select s.*
        from sorted as s
        where s.place <= coalesce(read_alone, s.place)
            or s.document_id in (select b.document_id from sorted as b where b.place <= most_pages)
    ), placed as materialized (
        select
            r.*,
            row_number() over (
                partition by r.document_id, r.first_page
                -- a picture without text should not represent its page
                order by r.wordless, r.score desc, r.vector_rank nulls last, r.node_id collate "C"
            ) as place_on_page
        from (
            select
                f.*,
                n.first_page,
                n.char_start as node_start,
                n.content = '' and n.description is null as wordless,
                -- these come after all others, unless their type is asked for
                bounds.node_types is null and (
                    n.content_node_type = 'BIBLIOGRAPHIC_ENTRY'
                    or n.content_node_type in ('PARAGRAPH', 'LIST_ITEM', 'NOTE', 'BLOCK_QUOTATION')
                    -- a fragment has at most 60 characters: do not call the function for the others
                    and octet_length(n.content) <= 240
                    and ragraph_private.is_fragment(n.content, n.ts_config, rank_hybrid.query)
                ) as late
            from worth as f
            inner join ragraph_private.nodes_of(
                (select array_agg(w.document_id) from worth as w), (select array_agg(w.node_id) from worth as w)
            ) as n on f.document_id = n.document_id and f.node_id = n.id
            offset 0 -- the contents are not sorted with the rest
        ) as r
    ), around as (
        select array_agg(p.document_id) as document_ids, array_agg(p.first_page) as pages
        from placed as p
        where p.place <= most_pages and p.first_page is not null
    ), mentioning as materialized (
        select m.document_id, m.node_id
        from ragraph_private.nodes_mentioning(
            (select array_agg(p.document_id) from placed as p), (select array_agg(p.node_id) from placed as p), boosted_ids
        ) as m
    ), paged as (
        select
            p.*,
            g.rank as page_rank,
            p.score + case when m.node_id is null then 0 else 1.0 / (rank_hybrid.rrf_k + 1) end as by_itself,
            coalesce(
                page_weight / (rank_hybrid.rrf_k + 1) * power(g.share, 4)
                * case when p.place_on_page = 1 then 1 else 0.25::double precision / (p.place_on_page - 1) end,
                0
            ) as by_page
        from placed as p
        left join mentioning as m on p.document_id = m.document_id and p.node_id = m.node_id
        left join (
            select r.*
            from around as a
            cross join lateral ragraph_private.rank_pages(rank_hybrid.query, a.document_ids, a.pages) as r
            where page_weight > 0 and a.pages is not null
        ) as g on p.document_id = g.document_id and p.first_page = g.page
    ), slotted as (
        select p.*, row_number() over (order by p.late, p.by_itself desc, p.place) as slot from paged as p
    ), numbered as (
        select
            s.*,
            row_number() over (partition by s.first_page is null order by s.slot) as nth_slot,
            row_number() over (partition by s.first_page is null order by s.late, s.by_itself + s.by_page desc, s.place) as nth
        from slotted as s
    ), ordered as (
        -- pages reorder only the nodes that have a page: a node without one keeps its rank
        select
            p.*,
            s.slot::integer as rank,
            min(p.by_itself + p.by_page) over (order by s.slot) as with_page
        from numbered as p
        inner join numbered as s on (p.first_page is null) = (s.first_page is null) and p.nth = s.nth_slot
        order by s.slot
        limit rank_hybrid.k
    ), judged as (
        select
            o.*,
            case when rank_hybrid.model_name = fitted_model then ragraph_private.relevance(
                coalesce(o.vector_score, usual.lowest, 0), usual.mean, usual.highest, coalesce(o.share, usual.lowest_share),
                usual.best_share, usual.nodes::double precision / usual_nodes
            ) end as relevance
        from ordered as o
    ), ranked as (
        select j.* from judged as j where rank_hybrid.min_relevance is null or j.relevance >= rank_hybrid.min_relevance
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
        r.node_start + r.char_start,
        r.node_start + r.char_end,
        r.page_rank,
        r.relevance
    from ranked as r
    order by r.rank;
end
$$;
comment on function ragraph_private.rank_hybrid(
    text, vector, text, integer, jsonb, integer, double precision, double precision, double precision, integer, integer,
    double precision, text[], double precision
) is
'Returns the rows of search_hybrid in a scope as asked_scope returns it, without the passages by text: char_start and
char_end are null for a node that was found by its words only. A caller who reads the complete nodes saves the time for
them. Raises the errors of search_hybrid';

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
    scope jsonb default null,
    min_relevance double precision default null
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
    page_rank integer,
    relevance double precision
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
    documents text[];
    nodes text[];
    scores double precision[];
    ranks integer[];
    vector_ranks integer[];
    vector_scores double precision[];
    text_ranks integer[];
    text_scores double precision[];
    graph_ranks integer[];
    parts integer[];
    starts integer[];
    ends integer[];
    page_ranks integer[];
    relevances double precision[];
begin
    -- before the join, which asks nothing if there are no nodes: a wrong scope is an error in an empty store too
    select
        array_agg(h.document_id), array_agg(h.node_id), array_agg(h.score), array_agg(h.rank), array_agg(h.vector_rank),
        array_agg(h.vector_score), array_agg(h.text_rank), array_agg(h.text_score), array_agg(h.graph_rank),
        array_agg(h.part), array_agg(h.char_start), array_agg(h.char_end), array_agg(h.page_rank), array_agg(h.relevance)
    into
        documents, nodes, scores, ranks, vector_ranks, vector_scores, text_ranks, text_scores, graph_ranks, parts, starts,
        ends, page_ranks, relevances
    from ragraph_private.rank_hybrid(
        search_hybrid.query,
        search_hybrid.query_vector,
        search_hybrid.model_name,
        search_hybrid.k,
        ragraph_private.asked_scope(
            ragraph_private.without_excluded(search_hybrid.scope, search_hybrid.query), search_hybrid.document_ids,
            search_hybrid.component_id, search_hybrid.component_ids, search_hybrid.node_types, search_hybrid.pages,
            search_hybrid.collection, search_hybrid.tags, search_hybrid.languages, search_hybrid.published,
            search_hybrid.filter, search_hybrid.entities
        ),
        search_hybrid.exact_limit,
        search_hybrid.vector_weight,
        search_hybrid.text_weight,
        search_hybrid.graph_weight,
        search_hybrid.rrf_k,
        search_hybrid.candidates,
        search_hybrid.page_weight,
        search_hybrid.boosted,
        search_hybrid.min_relevance
    ) as h;
    return query
    with said as materialized (
        select
            r.*, n.char_start as node_start, n.ts_config,
            case when r.part is null and r.text_rank is not null then n.content else '' end as content
        from unnest(
            documents, nodes, scores, ranks, vector_ranks, vector_scores, text_ranks, text_scores, graph_ranks, parts, starts,
            ends, page_ranks, relevances
        ) as r (
            document_id, node_id, score, rank, vector_rank, vector_score, text_rank, text_score, graph_rank, part, char_start,
            char_end, page_rank, relevance
        )
        inner join ragraph_private.nodes_of(documents, nodes) as n on r.document_id = n.document_id and r.node_id = n.id
    ),
    -- once, and not for each hit
    asked as materialized (
        select c.ts_config, t.condition, t.words
        from (select distinct s.ts_config from said as s) as c
        cross join lateral ragraph_private.text_terms(search_hybrid.query, c.ts_config, 'any') as t
    )
    select
        s.document_id,
        s.node_id,
        s.score,
        s.rank,
        s.vector_rank,
        s.vector_score,
        s.text_rank,
        s.text_score,
        s.graph_rank,
        s.part,
        coalesce(s.char_start, s.node_start + lower(p.span)),
        coalesce(s.char_end, s.node_start + upper(p.span)),
        s.page_rank,
        s.relevance
    from said as s
    inner join asked as a on s.ts_config = a.ts_config
    cross join lateral ragraph_private.text_passage(s.content, s.ts_config, a.condition, a.words) as p (span)
    order by s.rank;
end
$$;
comment on function ragraph.search_hybrid(
    text, vector, text, integer, text[], text, text[], ragraph.content_node_type[], int4range, text, text[], text[], daterange,
    jsonb, integer, double precision, double precision, double precision, integer, integer, double precision,
    text[], text[], jsonb, double precision
) is
'Returns the k best nodes by weighted reciprocal rank fusion, the best first. It combines vector search, full text
search for any word of the query and, with graph_weight above 0, the nodes that relations or neighbourhood connect to the
best hits of both. The scope is that of search_vector. A word or "phrase" after a minus is in no hit.
score is the sum of weight / (rrf_k + rank) over the methods, plus what the page of the node adds. That is page_weight
(twice text_weight by default) / (rrf_k + 1), times the fourth power of the score of the page relative to the best page.
The second node of a page gets a quarter of that, the third an eighth and so on, nodes without words last. The pages are
those of the best 100 nodes. They are ranked by the words and pairs of words of all their nodes together. Pages reorder
only the nodes that have a page; a node without one keeps its rank. No score is above that of the rank before.
A query to several documents may name one of them: words that at most a tenth of the documents found have, such as the
parties of a contract. The nodes of such documents are ranked once more, among themselves and by the other words of the
query, and get weight / (rrf_k + rank) for that too, times the share of these words that their document has. Nodes with a
number, code, amount or citation of a clause of the query by the letter (12(b), 0.003, SP 800-207) get text_weight /
(rrf_k + 1) more, and come first if the query has nothing else.
If the query asks for figures (a year, how much, a ratio), or node_types is TABLE alone, tables with lines that it names get
twice text_weight / (rrf_k + rank) more, times their share of the score of the best of them. Names of ratios stand for the
lines of financial statements that they are computed from, and a table of a parent company alone comes after a
consolidated one.
The packaged model knows English only. If most of the ten best texts by words are in documents of other languages,
vector_weight counts a tenth with it.
Bibliographic entries and fragments come last, unless node_types names types. A fragment is the mark of a list item, a rule
of signs, or fewer than four words that are no sentence, have no number and are not all in the query.
boosted names entities by name, alias or identity: nodes found that mention one get 1 / (rrf_k + 1) more, as much as a
first rank. The ranks and scores of each method are returned too, null if the method did not find the node.
relevance is how likely the node answers the query, between 0 and 1, by its nearness and its share of the words of the
query, fitted on judged questions; null for other models than the default one. min_relevance leaves out hits below it, so
fewer than k may remain.
part, char_start and char_end, in the text of the document, are those of the best part by vector, else of the best passage
by text. candidates is the number of nodes that each method passes to the fusion: by default 4 * k, between 50 and 1000.
Each method is exact under the same conditions as on its own. Never returns fewer than k nodes if k nodes of the scope are
embedded or contain a word of the query. Headings, titles, page numbers and running heads are left out unless node_types
includes them.
Raises RG001 or RG002 for an unknown document or component, RG004 for an unknown model, RG005 for a wrong argument, RG006
for a wrong number of dimensions, RG014 for an unknown entity';
