-- What in the hits answers the query: their sentences, ranked. A context of a few hundred tokens holds the sentences
-- that matter of a dozen nodes, or three nodes whole; docs/retrieval.md has the figures.

create or replace function ragraph._passages(content text, shortest integer)
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
        select s.char_start, s.char_end from ragraph._sentences(_passages.content) as s order by s.char_start
    loop
        -- "3.6 Fees." or "Results:" says nothing without what follows
        if char_end - char_start < _passages.shortest then
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
comment on function ragraph._passages(text, integer) is
'The sentences of a text, each shorter than shortest characters together with what follows; in characters from 0';

create or replace function ragraph.focus_hits(
    query text,
    hits jsonb,
    shortest integer default 60,
    words_share double precision default 0.7
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
    found_hits record;
begin
    if coalesce(btrim(focus_hits.query, E' \t\r\n'), '') = '' then
        raise exception using
            errcode = 'RG005', message = 'the query is empty', hint = 'Say what the sentences should be about.';
    end if;
    if focus_hits.shortest is null or focus_hits.shortest < 0
        or focus_hits.words_share is null or not focus_hits.words_share between 0 and 1 then
        raise exception using
            errcode = 'RG005',
            message = format(
                'shortest and words_share are %s and %s', coalesce(focus_hits.shortest::text, 'null'),
                coalesce(focus_hits.words_share::text, 'null')
            ),
            hint = 'Give shortest 0 or more, words_share 0 to 1.';
    end if;
    select * into found_hits from ragraph._hits(focus_hits.hits);
    if found_hits.node_ids is null then
        return;
    end if;
    return query
    with given as (
        -- hits without scores are as far apart as their places
        select
            h.document_id,
            h.node_id,
            case
                when array_position(found_hits.scores, null) is null then h.score
                else - h.place::double precision
            end as score
        from unnest(found_hits.document_ids, found_hits.node_ids, found_hits.scores)
            with ordinality as h (document_id, node_id, score, place)
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
            n.ts_config,
            to_tsvector(n.ts_config, substr(n.content, s.char_start + 1, s.char_end - s.char_start)) as words
        from hit as h
        inner join ragraph.content_node as n on h.document_id = n.document_id and h.node_id = n.id
        cross join lateral ragraph._passages(n.content, focus_hits.shortest) as s
    ),
    sized as materialized (
        select
            p.document_id,
            p.char_start,
            sum(cardinality(w.positions))::double precision as length
        from passage as p
        cross join lateral unnest(p.words) as w
        group by p.document_id, p.char_start
    ),
    asked as (
        select c.ts_config, w.lexeme
        from (select distinct p.ts_config from passage as p) as c
        cross join lateral unnest(to_tsvector(c.ts_config, focus_hits.query)) as w
    ),
    matched as materialized (
        select p.document_id, p.char_start, w.lexeme, cardinality(w.positions)::double precision as frequency
        from passage as p
        cross join lateral unnest(p.words) as w
        inner join asked as a on p.ts_config = a.ts_config and w.lexeme = a.lexeme
    ),
    weighed as (
        select
            m.lexeme,
            ln(1 + ((select count(*) from passage) - count(*) + 0.5) / (count(*) + 0.5)) as weight
        from matched as m
        group by m.lexeme
    ),
    ranked as (
        select
            m.document_id,
            m.char_start,
            sum(
                w.weight * 2.2 * m.frequency
                / (m.frequency + 1.2 * (0.25 + 0.75 * s.length / (select avg(z.length) from sized as z)))
            ) as relevance
        from matched as m
        inner join weighed as w on m.lexeme = w.lexeme
        inner join sized as s on m.document_id = s.document_id and m.char_start = s.char_start
        group by m.document_id, m.char_start
    ),
    fused as (
        select
            p.document_id,
            p.node_id,
            p.char_start,
            p.char_end,
            (1 - focus_hits.words_share) * p.nearness
            + focus_hits.words_share * coalesce(r.relevance / max(r.relevance) over (), 0) as score
        from passage as p
        left join ranked as r on p.document_id = r.document_id and p.char_start = r.char_start
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
comment on function ragraph.focus_hits(text, jsonb, integer, double precision) is
'The sentences of hits, best first, by the score of their node among the hits and by BM25 over these sentences, each
scaled to 0..1; words_share is what BM25 counts. hits as of expand_hits, which takes what comes out of here;
sentences of fewer than shortest characters come together with what follows. char_start and char_end count the text
of the document. Raises RG001, RG003, RG005';
