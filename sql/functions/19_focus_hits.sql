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
    words_weight double precision default 2,
    rrf_k integer default 60
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
    if focus_hits.shortest is null or focus_hits.shortest < 0 or focus_hits.rrf_k is null or focus_hits.rrf_k < 1
        or focus_hits.words_weight is null or not focus_hits.words_weight between 0 and 1000 then
        raise exception using
            errcode = 'RG005',
            message = format(
                'shortest, words_weight, rrf_k are %s, %s, %s', coalesce(focus_hits.shortest::text, 'null'),
                coalesce(focus_hits.words_weight::text, 'null'), coalesce(focus_hits.rrf_k::text, 'null')
            ),
            hint = 'Give shortest 0 or more, words_weight 0 to 1000, rrf_k 1 or more.';
    end if;
    select * into found_hits from ragraph._hits(focus_hits.hits);
    if found_hits.node_ids is null then
        return;
    end if;
    return query
    with hit as (
        -- parts of one node are one hit here, at its best place
        select h.document_id, h.node_id, row_number() over (order by min(h.place)) as place
        from unnest(found_hits.document_ids, found_hits.node_ids) with ordinality as h (document_id, node_id, place)
        group by h.document_id, h.node_id
    ),
    passage as materialized (
        select
            h.document_id,
            h.node_id,
            h.place,
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
            1.0 / (focus_hits.rrf_k + p.place)
            + coalesce(
                focus_hits.words_weight / (focus_hits.rrf_k + rank() over (order by r.relevance desc nulls last)), 0
            ) * (r.relevance is not null)::integer as score
        from passage as p
        left join ranked as r on p.document_id = r.document_id and p.char_start = r.char_start
    )
    select
        f.document_id,
        f.node_id,
        f.score::double precision,
        (row_number() over (order by f.score desc, f.document_id collate "C", f.char_start))::integer,
        f.char_start,
        f.char_end
    from fused as f
    order by 4;
end
$$;
comment on function ragraph.focus_hits(text, jsonb, integer, double precision, integer) is
'The sentences of hits, best first: reciprocal rank fusion of the place of their node among the hits and of their rank
by BM25 over these sentences, which counts words_weight times. hits as of expand_hits, which takes what comes out of
here; sentences of fewer than shortest characters come together with what follows. char_start and char_end count the
text of the document. Raises RG001, RG003, RG005';
