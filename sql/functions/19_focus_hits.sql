-- Ranks the sentences of hits by how well they answer the query. A context of a few hundred tokens can hold the
-- relevant sentences of a dozen nodes, or three complete nodes; bench/results/retrieval.md has the figures.

create or replace function ragraph_private.passages(content text, shortest integer)
returns table (char_start integer, char_end integer, passage text)
language plpgsql
immutable
parallel safe
rows 10
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    uncut constant boolean := coalesce(ragraph_private.has_uncut_words(passages.content), false);
    letters integer;
    sentence record;
    rest text := passages.content; -- from the last passage on: to count to a place takes as long as the text before it
    began integer := 0; -- where the rest begins
begin
    for sentence in
        select s.char_start, s.char_end from ragraph_private.sentences(passages.content) as s order by s.char_start
    loop
        letters := char_end - char_start;
        if uncut then
            letters := letters + 2 * ragraph_private.uncut_letters(substr(passages.content, char_start + 1, letters));
        end if;
        -- "3.6 Fees." or "Results:" is meaningless without the sentence after it
        if letters < passages.shortest then
            char_end := sentence.char_end;
            continue;
        end if;
        if char_start is not null then
            rest := case when char_start > began then right(rest, began - char_start) else rest end;
            began := char_start;
            passage := left(rest, char_end - char_start);
            return next;
        end if;
        char_start := sentence.char_start;
        char_end := sentence.char_end;
    end loop;
    if char_start is not null then
        passage := left(case when char_start > began then right(rest, began - char_start) else rest end, char_end - char_start);
        return next;
    end if;
end
$$;
comment on function ragraph_private.passages(text, integer) is
'Returns the sentences of a text with their places, in characters from 0 and in order. A sentence shorter than shortest
characters is joined with the next one. A letter of an unspaced script such as Chinese counts as three';

create or replace function ragraph_private.passages_about(query text, hits ragraph_private.hit[], shortest integer)
returns table (
    document_id text,
    node_id text,
    component_id text,
    ts_config regconfig,
    char_start integer,
    char_end integer,
    words double precision,
    headings double precision,
    nearness double precision,
    vector double precision,
    node_words double precision,
    named double precision
)
language plpgsql
stable
parallel safe
rows 500
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
begin
    return query
    with given as (
        -- hits without scores are ranked by their positions
        select
            h.document_id,
            h.node_id,
            case when count(h.score) over () = count(*) over () then h.score else - h.ordinality::double precision end as score,
            h.vector_score,
            h.text_score
        from unnest(passages_about.hits) with ordinality as h
    ),
    hit as (
        -- parts of one node are one hit here, with the best score
        select
            b.document_id,
            b.node_id,
            coalesce((b.score - min(b.score) over ()) / nullif(max(b.score) over () - min(b.score) over (), 0), 1) as nearness,
            case when max(b.vector_score) over () is not null then coalesce(
                (b.vector_score - min(b.vector_score) over ())
                / nullif(max(b.vector_score) over () - min(b.vector_score) over (), 0),
                0
            ) end as vector,
            coalesce(b.text_score / nullif(max(b.text_score) over (), 0), 0) as node_words
        from (
            select
                g.document_id, g.node_id, max(g.score) as score, max(g.vector_score) as vector_score,
                max(g.text_score) as text_score
            from given as g
            group by g.document_id, g.node_id
        ) as b
    ),
    answering as materialized (
        select
            h.*,
            n.content || '' as content, -- decompressed once, and not for each sentence
            n.content_node_type, n.parent_component_id, n.ts_config, n.char_start, n.text_search,
            case when n.content_node_type = 'TABLE' then ragraph_private.table_head(n.content, n.data) end as head_end
        from hit as h
        inner join ragraph_private.nodes_of(
            (select array_agg(o.document_id) from hit as o), (select array_agg(o.node_id) from hit as o)
        ) as n on h.document_id = n.document_id and h.node_id = n.id
    ),
    above as materialized (
        select a.*
        from ragraph_private.ancestors(
            (select array_agg(h.document_id order by h.document_id, h.node_id) from answering as h),
            (select array_agg(h.parent_component_id order by h.document_id, h.node_id) from answering as h)
        ) as a
    ),
    -- A bibliographic entry repeats the words of the question but answers nothing. A line of a list of contents or of an
    -- index only says where the answer is.
    listing as materialized (
        select distinct a.document_id, a.component_id
        from above as a
        where a.component_type in (
            'BIBLIOGRAPHY', 'TABLE_OF_CONTENTS', 'LIST_OF_FIGURES', 'LIST_OF_TABLES', 'LIST_OF_BOXES', 'INDEX'
        )
    ),
    asked as materialized (
        select c.ts_config, ragraph_private.asked_words(passages_about.query, c.ts_config) as lexemes
        from (select distinct h.ts_config from answering as h) as c
    ),
    -- Every passage is about the subject of the title. Words of the query in the title distinguish documents, but not
    -- the passages of one document.
    -- The same holds for words that name the document anywhere in it, such as the parties of a contract.
    titled as materialized (
        select
            n.document_id,
            n.ts_config,
            x.words,
            -- only the words of the query
            ts_filter(setweight(x.words, 'A', a.lexemes), '{a}') as asked_words,
            -- Number of words. ts_rank is 1e-20 for two words that no text has, divided by it (2); to unnest the words
            -- takes eight times as long.
            case when length(x.words) > 0 then round(1e-20 / ts_rank(x.words, E'''\x01'' & ''\x02''', 2)) else 0 end as length,
            coalesce(n.share, 0) as named
        from ragraph_private.named_documents(
            passages_about.query,
            (select array_agg(a.document_id order by a.document_id, a.node_id) from answering as a),
            (select array_agg(a.node_id order by a.document_id, a.node_id) from answering as a)
        ) as n
        inner join asked as a on n.ts_config = a.ts_config
        cross join lateral (select n.title || coalesce(n.words, ''::tsvector) as words offset 0) as x
    ),
    -- sentences that were made when the text was written
    kept as materialized (
        select s.*, h.ts_config, h.char_start, h.text_search
        from ragraph_private.sentences_of(
            (select array_agg(o.document_id) from hit as o), (select array_agg(o.node_id) from hit as o)
        ) as s
        inner join answering as h on s.document_id = h.document_id and s.node_id = h.node_id
        where passages_about.shortest = 60 -- as kept_sentences
            and h.content_node_type <> 'TABLE'
            and s.stamp = ragraph_private.sentence_stamp(h.ts_config, h.content)
    ),
    split as materialized (
        select
            h.document_id,
            h.node_id,
            h.nearness,
            h.vector,
            h.node_words,
            h.char_start + s.char_start as char_start,
            h.char_start + s.char_end as char_end,
            h.parent_component_id as component_id,
            h.ts_config,
            k.node_id is not null as is_kept,
            case
                when k.node_id is null then s.passage
                -- needed for fragments alone; to count to a place takes as long as the text before it
                when s.char_end - s.char_start <= 60 then substr(h.content, s.char_start + 1, s.char_end - s.char_start)
            end as content,
            s.length,
            s.letters,
            h.content_node_type = 'TABLE' as is_row,
            s.char_end <= h.head_end as is_head,
            h.content_node_type = 'BIBLIOGRAPHIC_ENTRY' or l.component_id is not null as is_entry
        from answering as h
        left join listing as l on h.document_id = l.document_id and h.parent_component_id = l.component_id
        -- a full join, which adds no row here: the planner expects few nodes, and would compare each with each
        full join kept as k on h.document_id = k.document_id and h.node_id = k.node_id
        cross join lateral (
            select u.*, null as passage
            from unnest(k.starts, k.ends, k.lengths, k.letters) as u (char_start, char_end, length, letters)
            union all
            select c.char_start, c.char_end, null, null, c.passage
            from ragraph_private.passages(
                -- each row of a table is a passage and is returned with the head of the table
                h.content, case when h.content_node_type = 'TABLE' then 0 else passages_about.shortest end
            ) as c
            where k.node_id is null
        ) as s
    ),
    weighed as materialized (
        select
            s.*,
            -- a fragment has at most 60 characters: do not call the function for the others; a row counts by its cells
            s.is_entry or case
                when s.is_row then s.content !~ '[[:alnum:]]'
                when s.char_end - s.char_start <= 60 then ragraph_private.is_fragment(s.content, s.ts_config, passages_about.query)
                else false
            end as is_poor
        from split as s
    ),
    sentence as materialized (
        select w.* from weighed as w where not w.is_poor or not exists (select 1 from weighed as o where not o.is_poor)
    ),
    -- Text that a document repeats in the same words, as in abstract and body, is returned once. Rows of two tables may
    -- differ in meaning, and so may a short sentence such as "They rose in every year of it" under two headings.
    passage as materialized (
        select
            f.*,
            case when f.is_kept then t.asked_words else t.words end as title_words,
            t.length as title_length,
            case
                when f.is_kept then null
                -- as word_vector, without the call
                when octet_length(f.content) = length(f.content) then to_tsvector(f.ts_config, left(f.content, 100000))
                else ragraph_private.word_vector(f.ts_config, f.content)
            end as words,
            t.named
        from (
            select
                s.*,
                row_number() over (
                    partition by s.document_id, coalesce(case
                        when s.is_row then null
                        when s.is_kept then s.letters
                        else ragraph_private.letters_hash(s.content)
                    end::text, '#' || s.char_start)
                    order by s.nearness desc, s.char_start
                ) as time
            from sentence as s
        ) as f
        full join titled as t on f.document_id = t.document_id and f.ts_config = t.ts_config -- as below
        where coalesce(f.time, 0) = 1
    ),
    component as materialized (
        select p.document_id, p.component_id, array_agg(distinct p.ts_config) as ts_configs
        from passage as p
        group by p.document_id, p.component_id
    ),
    path as materialized (
        select a.document_id, a.component_id, string_agg(a.title, ' ' order by a.depth) as titles
        from above as a
        group by a.document_id, a.component_id
    ),
    -- the texts in which the words of the query are searched: passages, and the headings above them
    item as materialized (
        select i.kind, i.document_id, i.id, i.ts_config, l.*, avg(l.length) over (partition by i.kind) as mean_length
        from (
            select
                'passage' as kind, p.document_id, p.char_start::text as id, p.ts_config,
                case when p.is_kept then p.title_words else p.title_words || p.words end as words,
                case when p.is_kept then p.title_length + p.length end as length
            from passage as p
            union all
            select
                'path', a.document_id, a.component_id, l.ts_config, ragraph_private.word_vector(l.ts_config, a.titles), null
            from path as a
            inner join component as c on a.document_id = c.document_id and a.component_id = c.component_id
            cross join lateral unnest(c.ts_configs) as l (ts_config)
        ) as i
        inner join asked as k on i.ts_config = k.ts_config
        cross join lateral (
            select
                case
                    when i.length is not null then nullif(i.length, 0)
                    when length(i.words) > 0 then round(1e-20 / ts_rank(i.words, E'''\x01'' & ''\x02''', 2)) -- as above
                end as length,
                case when i.length is not null then i.words else ts_filter(setweight(i.words, 'A', k.lexemes), '{a}') end as words
        ) as l
    ),
    -- the words of the query that the sentences made earlier have; those of their titles are in item
    kept_word as materialized (
        select
            k.document_id, (k.char_start + k.starts[width_bucket(o.place::integer, k.firsts)])::text as id, w.lexeme,
            count(*) as frequency
        from kept as k
        inner join asked as a on k.ts_config = a.ts_config
        cross join lateral unnest(ts_filter(setweight(k.text_search, 'A', a.lexemes), '{a}')) as w
        cross join lateral unnest(w.positions) as o (place)
        group by 1, 2, 3
    ),
    matched as materialized (
        select
            f.kind, f.document_id, f.id, f.ts_config, f.lexeme,
            sum(f.frequency)::double precision as frequency,
            f.length / f.mean_length as length
        from (
            select i.*, w.lexeme, cardinality(w.positions) as frequency
            from item as i
            cross join lateral unnest(i.words) as w
            where i.words <> ''
            union all
            select i.*, w.lexeme, w.frequency
            from item as i
            inner join kept_word as w on i.kind = 'passage' and i.document_id = w.document_id and i.id = w.id
        ) as f
        group by f.kind, f.document_id, f.id, f.ts_config, f.lexeme, f.length, f.mean_length
    ),
    rarity as materialized (
        select
            k.kind, a.ts_config, a.lexeme,
            ln(1 + (k.items - coalesce(m.items, 0) + 0.5) / (coalesce(m.items, 0) + 0.5)) as idf
        from (select k.ts_config, w.lexeme from asked as k cross join lateral unnest(k.lexemes) as w (lexeme)) as a
        cross join (select i.kind, count(*) as items from item as i group by i.kind) as k
        left join (select o.kind, o.lexeme, count(*) as items from matched as o group by o.kind, o.lexeme) as m
            on k.kind = m.kind and a.lexeme = m.lexeme
    ),
    -- BM25, relative to the maximum that the words of the query could give
    ranked as materialized (
        select
            m.kind,
            m.document_id,
            m.id,
            m.ts_config,
            -- in one order, so that equal texts get equal sums
            sum(r.idf * m.frequency / (m.frequency + 0.9 * (0.25 + 0.75 * m.length)) order by m.lexeme) / t.idf as relevance
        from matched as m
        inner join rarity as r on m.kind = r.kind and m.ts_config = r.ts_config and m.lexeme = r.lexeme
        inner join (select o.kind, o.ts_config, sum(o.idf) as idf from rarity as o group by o.kind, o.ts_config) as t
            on m.kind = t.kind and m.ts_config = t.ts_config
        group by m.kind, m.document_id, m.id, m.ts_config, t.idf
    )
    select
        p.document_id,
        p.node_id,
        p.component_id,
        p.ts_config,
        p.char_start,
        p.char_end,
        coalesce(r.relevance, 0),
        coalesce(a.relevance / max(a.relevance) over (), 0),
        p.nearness,
        p.vector,
        p.node_words,
        p.named
    -- Full joins, which add no row here: each match is that of a passage. The planner expects few passages, and would
    -- compare each with each match in a left join.
    from passage as p
    full join (select k.* from ranked as k where k.kind = 'passage') as r
        on p.document_id = r.document_id and p.char_start::text = r.id
    full join (select k.* from ranked as k where k.kind = 'path') as a
        on p.document_id = a.document_id and p.component_id = a.id and p.ts_config = a.ts_config
    -- the head of a table says nothing alone, unless it is asked for by its words; it comes with each row
    where p.is_head is not true or r.relevance > 0;
end
$$;
comment on function ragraph_private.passages_about(text, ragraph_private.hit[], integer) is
'Returns the sentences of hits with their relation to a query, unsorted; each measure is between 0 and 1. words is BM25
among these sentences, with the title of the document in front of each, relative to the maximum that the words of the
query could give. headings is BM25 of the headings above, relative to the best. nearness (its score), vector (null if
no hit has a vector score) and node_words are those of the node, each scaled over the hits. Sentences shorter than
shortest are joined with the next one; each row of a table is a sentence. named is the share of the names in the query
that the document has (named_documents). Bibliographic entries, lists of contents, figures and tables, indexes and
fragments are left out unless there is nothing else';

create or replace function ragraph.focus_hits(
    query text,
    hits jsonb,
    shortest integer default 60,
    words_share double precision default 0.7,
    headings_share double precision default 0.1,
    tuned boolean default true,
    explain boolean default false,
    mode text default null,
    model_name text default null
)
returns table (
    document_id text,
    node_id text,
    score double precision,
    rank integer,
    char_start integer,
    char_end integer,
    why jsonb
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
            errcode = 'RG005', message = 'the query is empty', hint = 'Give a query that the sentences should be about.';
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
            hint = 'Give shortest 0 or more, and shares between 0 and 1 whose sum is at most 1.';
    end if;
    found_hits := ragraph_private.hits(focus_hits.hits);
    if found_hits = '{}' then
        return;
    end if;
    return query
    select
        s.document_id,
        s.node_id,
        s.score,
        (row_number() over (order by s.score desc, s.document_id collate "C", s.char_start))::integer,
        s.char_start,
        s.char_end,
        s.why
    from ragraph_private.scored_sentences(
        focus_hits.query,
        found_hits,
        focus_hits.shortest,
        focus_hits.words_share,
        focus_hits.headings_share,
        coalesce(focus_hits.tuned, true),
        coalesce(focus_hits.explain, false),
        focus_hits.mode,
        focus_hits.model_name
    ) as s
    order by 4;
end
$$;
comment on function ragraph.focus_hits(text, jsonb, integer, double precision, double precision, boolean, boolean, text, text) is
'Returns the sentences of hits, the best first, ties by document and position. The score is a sum of three parts. The
first is BM25 over these sentences, with the title of the document in front of each; half of what the words of the
query could give counts as 1, times words_share. The second is BM25 over the headings above, scaled to 0..1, times
headings_share. The rest is the score of the node among the hits, scaled; half of it is the vector_score if hits have
one. Words of the query that at most a tenth of the documents have count in each sentence of these documents, as if they
were in the title; such a document gets up to 0.3 more, its share of these words by rarity.
If all hits are in one collection that has a ranker of its own (ragraph tune), the score is that of the ranker. It is
not used if tuned is false, or if it was fitted on other hits: of another mode or model_name, if these are given, or
without vector_score.
explain returns in why the parts that add up to the score of each sentence. hits is as for expand_hits, or the rows of
a search as JSON objects; the result is valid input for expand_hits. Sentences of fewer than shortest characters are
joined with the next one. Bibliographic entries, lists of contents, figures and tables, indexes and fragments are left
out unless there is nothing else. Text that a document repeats in the same words is returned once. char_start and
char_end count the text of the document.
Raises RG001 if a document does not exist, RG003 if a node does not, RG005 for a query, hit or number that is not
valid';
