-- What in the hits answers the query: their sentences, ranked. A context of a few hundred tokens holds the sentences
-- that matter of a dozen nodes, or three nodes whole; docs/retrieval.md has the figures.

create or replace function ragraph_private.passages(content text, shortest integer)
returns table (char_start integer, char_end integer)
language plpgsql
immutable
parallel safe
rows 10
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    sentence record;
begin
    for sentence in
        select s.char_start, s.char_end from ragraph_private.sentences(passages.content) as s order by s.char_start
    loop
        -- "3.6 Fees." or "Results:" says nothing without what follows
        if char_end - char_start < passages.shortest then
            char_end := sentence.char_end;
            continue;
        end if;
        if char_start is not null then
            return next;
        end if;
        char_start := sentence.char_start;
        char_end := sentence.char_end;
    end loop;
    if char_start is not null then
        return next;
    end if;
end
$$;
comment on function ragraph_private.passages(text, integer) is
'The sentences of a text, each shorter than shortest characters together with what follows; in characters from 0';

create or replace function ragraph.focus_hits(
    query text,
    hits jsonb,
    shortest integer default 60,
    words_share double precision default 0.6,
    headings_share double precision default 0.15
)
returns table (
    document_id text,
    node_id text,
    score double precision,
    rank integer,
    char_start integer,
    char_end integer
)
language plpgsql
stable
parallel safe
rows 100
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    found_hits ragraph_private.hit[];
begin
    if coalesce(btrim(focus_hits.query, E' \t\r\n'), '') = '' then
        raise exception using
            errcode = 'RG005', message = 'the query is empty', hint = 'Say what the sentences should be about.';
    end if;
    if not coalesce(
        focus_hits.shortest >= 0
        and least(focus_hits.words_share, focus_hits.headings_share) >= 0
        and focus_hits.words_share + focus_hits.headings_share <= 1,
        false
    ) then
        raise exception using
            errcode = 'RG005',
            message = format(
                'shortest, words_share and headings_share are %s, %s and %s',
                coalesce(focus_hits.shortest::text, 'null'),
                coalesce(focus_hits.words_share::text, 'null'),
                coalesce(focus_hits.headings_share::text, 'null')
            ),
            hint = 'Give shortest 0 or more, and shares of 0 to 1 that are no more than 1 together.';
    end if;
    found_hits := ragraph_private.hits(focus_hits.hits);
    if found_hits = '{}' then
        return;
    end if;
    return query
    with given as (
        -- hits without scores are as far apart as their places
        select
            h.document_id,
            h.node_id,
            case when count(h.score) over () = count(*) over () then h.score else - h.ordinality::double precision end as score
        from unnest(found_hits) with ordinality as h
    ),
    hit as (
        -- parts of one node are one hit here, the best of them
        select
            g.document_id,
            g.node_id,
            coalesce(
                (max(g.score) - min(min(g.score)) over ())
                / nullif(max(max(g.score)) over () - min(min(g.score)) over (), 0),
                1
            ) as nearness
        from given as g
        group by g.document_id, g.node_id
    ),
    passage as materialized (
        select
            h.document_id,
            h.node_id,
            h.nearness,
            n.char_start + s.char_start as char_start,
            n.char_start + s.char_end as char_end,
            n.parent_component_id as component_id,
            n.ts_config,
            to_tsvector(n.ts_config, substr(n.content, s.char_start + 1, s.char_end - s.char_start)) as words
        from hit as h
        inner join ragraph.content_node as n on h.document_id = n.document_id and h.node_id = n.id
        cross join lateral ragraph_private.passages(n.content, focus_hits.shortest) as s
    ),
    component as materialized (
        select p.document_id, p.component_id, array_agg(distinct p.ts_config) as ts_configs
        from passage as p
        group by p.document_id, p.component_id
    ),
    path as materialized (
        select a.document_id, a.component_id, string_agg(a.title, ' ' order by a.depth) as titles
        from ragraph_private.ancestors(
            (select array_agg(c.document_id order by c.document_id, c.component_id) from component as c),
            (select array_agg(c.component_id order by c.document_id, c.component_id) from component as c)
        ) as a
        group by a.document_id, a.component_id
    ),
    -- what the words of the query are looked for in: passages, and the headings above them
    item as materialized (
        select 'passage' as kind, p.document_id, p.char_start::text as id, p.ts_config, p.words
        from passage as p
        union all
        select 'path', a.document_id, a.component_id, l.ts_config, to_tsvector(l.ts_config, a.titles)
        from path as a
        inner join component as c on a.document_id = c.document_id and a.component_id = c.component_id
        cross join lateral unnest(c.ts_configs) as l (ts_config)
    ),
    sized as materialized (
        select
            i.kind,
            i.document_id,
            i.id,
            i.ts_config,
            sum(cardinality(w.positions))::double precision as length,
            avg(sum(cardinality(w.positions))) over (partition by i.kind)::double precision as mean_length
        from item as i
        cross join lateral unnest(i.words) as w
        group by i.kind, i.document_id, i.id, i.ts_config
    ),
    asked as (
        select c.ts_config, w.lexeme
        from (select distinct p.ts_config from passage as p) as c
        cross join lateral unnest(to_tsvector(c.ts_config, focus_hits.query)) as w
    ),
    matched as materialized (
        select
            i.kind, i.document_id, i.id, i.ts_config, w.lexeme, cardinality(w.positions)::double precision as frequency,
            count(*) over (partition by i.kind, w.lexeme) as items
        from item as i
        cross join lateral unnest(i.words) as w
        inner join asked as a on i.ts_config = a.ts_config and w.lexeme = a.lexeme
    ),
    many as materialized (
        select i.kind, count(*) as items from item as i group by i.kind
    ),
    ranked as materialized (
        select r.*, r.relevance / max(r.relevance) over (partition by r.kind) as share
        from (
            select
                m.kind,
                m.document_id,
                m.id,
                m.ts_config,
                sum(
                    ln(1 + (a.items - m.items + 0.5) / (m.items + 0.5)) * 2.2 * m.frequency
                    / (m.frequency + 1.2 * (0.25 + 0.75 * s.length / s.mean_length))
                ) as relevance
            from matched as m
            inner join many as a on m.kind = a.kind
            inner join sized as s
                on m.kind = s.kind and m.document_id = s.document_id and m.id = s.id and m.ts_config = s.ts_config
            group by m.kind, m.document_id, m.id, m.ts_config
        ) as r
    ),
    fused as (
        select
            p.document_id,
            p.node_id,
            p.char_start,
            p.char_end,
            (1 - focus_hits.words_share - focus_hits.headings_share) * p.nearness
            + focus_hits.words_share * coalesce(r.share, 0)
            + focus_hits.headings_share * coalesce(a.share, 0) as score
        from passage as p
        left join ranked as r
            on r.kind = 'passage' and p.document_id = r.document_id and p.char_start::text = r.id
        left join ranked as a
            on a.kind = 'path' and p.document_id = a.document_id and p.component_id = a.id and p.ts_config = a.ts_config
    )
    select
        f.document_id,
        f.node_id,
        f.score,
        (row_number() over (order by f.score desc, f.document_id collate "C", f.char_start))::integer,
        f.char_start,
        f.char_end
    from fused as f
    order by 4;
end
$$;
comment on function ragraph.focus_hits(text, jsonb, integer, double precision, double precision) is
'The sentences of hits, best first, by three scores, each scaled to 0..1: BM25 over these sentences (counts words_share),
BM25 over the headings above them (headings_share), and the score of their node among the hits (the rest). hits as of
expand_hits, which takes what comes out of here; sentences of fewer than shortest characters come together with what
follows. char_start and char_end count the text of the document. Raises RG001, RG003, RG005';
