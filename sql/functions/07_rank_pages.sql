-- Ranks pages by the words of all their nodes together. Often a page answers a question although no single paragraph,
-- heading or table row of it has all the words.
--
-- The score is BM25 as in 07_rank_text.sql, with a page as the text. Pairs of neighbouring words of the query are terms
-- too: the sequential dependence model of Metzler and Croft, A Markov Random Field Model for Term Dependencies (SIGIR
-- 2005). docs/decisions/0015 has the figures.

create or replace function ragraph_private.page_terms(query text, config regconfig)
returns table (word text, condition tsquery, weight double precision)
language plpgsql
stable
parallel safe
rows 20
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    -- weight of a pair relative to an equally rare word; chosen on the development half of bench/results/retrieval-pages.md
    pair_weight constant double precision := 1.5;
    words text[];
begin
    select t.words into words from ragraph_private.text_terms(page_terms.query, page_terms.config, 'any') as t;
    return query
    select w.word, ragraph_private.lexeme_query(w.word), 1::double precision from unnest(words) as w (word)
    union all
    select distinct null, tsquery_phrase(
        ragraph_private.lexeme_query(p.lexeme), ragraph_private.lexeme_query(p.next_lexeme), p.next_position - p.position
    ), pair_weight
    from (
        select
            l.lexeme,
            l.position,
            lead(l.lexeme) over reading as next_lexeme,
            lead(l.position) over reading as next_position
        from (
            select u.lexeme, x.position
            from unnest(
                to_tsvector(page_terms.config, ragraph_private.cut_words(page_terms.query, asked => true))
            ) as u
            cross join lateral unnest(u.positions) as x (position)
            where u.lexeme = any(words)
        ) as l
        window reading as (order by l.position, l.lexeme)
    ) as p
    -- lexemes at the same position are two forms of one word
    where p.next_position > p.position;
end
$$;
comment on function ragraph_private.page_terms(text, regconfig) is
'Returns the terms that a query looks for on a page, in one configuration: its words, and its pairs of neighbouring
words (word is null). condition selects nodes with the term, weight is what the term counts';

create or replace function ragraph_private.nodes_on_first_pages(document_ids text[], pages integer[])
returns table (document_id text, first_page integer, ts_config regconfig, token_count integer, text_search tsvector)
language plpgsql
stable
parallel safe
rows 500
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    only_document constant text := ragraph_private.only_one(nodes_on_first_pages.document_ids);
begin
    return query
    select n.document_id, n.first_page, n.ts_config, n.token_count, n.text_search
    from (
        select distinct u.document_id, u.page
        from unnest(nodes_on_first_pages.document_ids, nodes_on_first_pages.pages) as u (document_id, page)
    ) as p
    inner join ragraph.content_node as n on p.document_id = n.document_id and p.page = n.first_page
    where only_document is null or n.document_id = only_document;
end
$$;
comment on function ragraph_private.nodes_on_first_pages(text[], integer[]) is
'Returns the nodes that begin on pages, for pairs of document and physical page, unsorted';

create or replace function ragraph_private.rank_pages(query text, document_ids text[], pages integer[])
returns table (document_id text, page integer, share double precision, rank integer)
language plpgsql
stable
parallel safe
rows 50
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    began constant timestamptz := clock_timestamp();
    ranked bigint;
begin
    return query
    with node as materialized (
        select n.* from ragraph_private.nodes_on_first_pages(rank_pages.document_ids, rank_pages.pages) as n
    ),
    page as materialized (
        select
            n.document_id,
            n.first_page,
            n.ts_config,
            sum(n.token_count) / nullif(avg(sum(n.token_count)) over (partition by n.ts_config), 0) as length,
            count(*) over (partition by n.ts_config) as pages
        from node as n
        group by n.document_id, n.first_page, n.ts_config
    ),
    term as materialized (
        select c.ts_config, t.*
        from (select distinct n.ts_config from node as n) as c
        cross join lateral ragraph_private.page_terms(rank_pages.query, c.ts_config) as t
    ),
    -- how often a page contains a word, and how many of its nodes contain a pair
    said as (
        select n.document_id, n.first_page, n.ts_config, t.condition, t.weight, sum(w.times)::double precision as frequency
        from node as n
        inner join term as t on n.ts_config = t.ts_config and n.text_search @@ t.condition
        cross join lateral (
            -- with all weights 1, ts_rank_cd is the number of occurrences
            select case when t.word is null then 1 else ts_rank_cd('{1,1,1,1}', n.text_search, t.condition) end as times
        ) as w
        group by n.document_id, n.first_page, n.ts_config, t.condition, t.weight
    ),
    rare as (
        select s.*, count(*) over (partition by s.ts_config, s.condition) as holding from said as s
    ),
    scored as (
        select
            p.document_id,
            p.first_page,
            sum(
                r.weight * ln(1 + (p.pages - r.holding + 0.5) / (r.holding + 0.5))
                * r.frequency / (r.frequency + 1.2 * (0.25 + 0.75 * coalesce(p.length, 1)))
            ) as score
        from rare as r
        inner join page as p
            on r.document_id = p.document_id and r.first_page = p.first_page and r.ts_config = p.ts_config
        group by p.document_id, p.first_page
    )
    select
        s.document_id,
        s.first_page,
        s.score / max(s.score) over (),
        (row_number() over (order by s.score desc, s.document_id collate "C", s.first_page))::integer
    from scored as s;
    get diagnostics ranked = row_count;
    perform ragraph_private.report_step('pages', began, jsonb_build_object('way', 'words of the page', 'rows', ranked));
end
$$;
comment on function ragraph_private.rank_pages(text, text[], integer[]) is
'Ranks the given pages (pairs of document and physical page) by how well the nodes that begin on each match a query
together, the best first and ties by document and page. share is the score of a page divided by that of the best page.
Pages without any word of the query are left out';
