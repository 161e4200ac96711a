-- The features of a sentence that a ranker fitted on judged questions uses, and the score that it computes.

create type ragraph_private.sentence as (
    document_id text,
    node_id text,
    ts_config regconfig,
    char_start integer,
    char_end integer,
    content text,
    first_page integer,
    last_page integer,
    features double precision [],
    lexemes text [],
    asked text []
);
comment on type ragraph_private.sentence is
'A sentence of a hit for a ranker: features in the order of sentence_feature_names(), its lexemes with digits as 0, and
the lexemes of the query in the same configuration';

create or replace function ragraph_private.sentence_feature_names()
returns text[]
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return array[
        'words', 'root of words', 'headings', 'nearness', 'vector', 'node words', 'place in document', 'its square',
        'place in section', 'place in node', 'first in node', 'length', 'numbers', 'has a number',
        'type PARAGRAPH', 'type LIST_ITEM', 'type TABLE', 'type CAPTION', 'type NOTE', 'type FIGURE',
        'type BLOCK_QUOTATION', 'type FORMULA', 'type BIBLIOGRAPHIC_ENTRY',
        'in ABSTRACT', 'in EXECUTIVE_SUMMARY', 'in INTRODUCTION', 'in CONCLUSION', 'in FRONT_MATTER', 'in BACK_MATTER',
        'in APPENDIX', 'in LIST', 'in TITLE_PAGE', 'in NOTES_SECTION', 'in BIBLIOGRAPHY'
    ];
end
$$;
comment on function ragraph_private.sentence_feature_names() is
'Returns the names of the features that sentence_features() returns, in their order; the weights of rankers refer to
these names. type ... is the type of the node, in ... that of a component above it';

create or replace function ragraph_private.masked(content text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return translate(masked.content, '123456789', '000000000');
end
$$;
comment on function ragraph_private.masked(text) is
'Returns a text with each digit as 0: the shape of a number says more than its value';

create or replace function ragraph_private.sentence_features(query text, hits ragraph_private.hit[], shortest integer)
returns ragraph_private.sentence[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
#variable_conflict use_column
declare
    names constant text[] := ragraph_private.sentence_feature_names();
    all_types constant text[] := array(select substr(n.name, 6) from unnest(names) with ordinality as n (name, place)
        where n.name like 'type %' order by n.place);
    all_kinds constant text[] := array(select substr(n.name, 4) from unnest(names) with ordinality as n (name, place)
        where n.name like 'in %' order by n.place);
    found ragraph_private.sentence[];
    only_document constant text := ragraph_private.only_one(sentence_features.hits);
begin
    -- first the part that queries tables by itself, then the part that reads them here: so both can be routed
    select array_agg(row(
        p.document_id, p.node_id, p.ts_config, p.char_start, p.char_end, null, null, null,
        array[p.words, sqrt(p.words), p.headings, p.nearness, coalesce(p.vector, 0), p.node_words], null, null
    )::ragraph_private.sentence order by p.document_id collate "C", p.char_start)
    into found
    from ragraph_private.passages_about(sentence_features.query, sentence_features.hits, sentence_features.shortest) as p;
    with given as materialized (
        select s.* from unnest(found) with ordinality as s
    ),
    node as materialized (
        select
            n.document_id,
            n.id,
            n.content,
            n.content_node_type::text as node_type,
            n.char_start,
            n.sequence_in_document as place,
            n.first_page,
            n.last_page,
            n.parent_component_id
        from (select distinct g.document_id, g.node_id from given as g) as w
        inner join ragraph.content_node as n on w.document_id = n.document_id and w.node_id = n.id
        where only_document is null or n.document_id = only_document
    ),
    above as materialized (
        select n.document_id, n.id, array_agg(distinct c.component_type::text) as kinds
        from node as n
        inner join ragraph.document_component as c
            on n.document_id = c.document_id and n.place between c.first_sequence and c.last_sequence
        where c.component_type::text = any(all_kinds) and (only_document is null or c.document_id = only_document)
        group by n.document_id, n.id
    ),
    described as materialized (
        select
            n.*,
            coalesce(n.place::double precision / nullif(l.place, 0), 0) as place_in_document,
            coalesce((n.place - c.first_sequence)::double precision / nullif(c.last_sequence - c.first_sequence, 0), 0)
                as place_in_section,
            array(
                select (t.name = n.node_type)::integer::double precision
                from unnest(all_types) with ordinality as t (name, place) order by t.place
            ) || array(
                select coalesce(t.name = any(a.kinds), false)::integer::double precision
                from unnest(all_kinds) with ordinality as t (name, place) order by t.place
            ) as kinds
        from node as n
        cross join lateral (
            select max(o.sequence_in_document) as place
            from ragraph.content_node as o
            where n.document_id = o.document_id and (only_document is null or o.document_id = only_document)
        ) as l
        left join ragraph.document_component as c
            on n.document_id = c.document_id and n.parent_component_id = c.id
            and (only_document is null or c.document_id = only_document)
        left join above as a on n.document_id = a.document_id and n.id = a.id
    ),
    asked as materialized (
        select
            c.ts_config,
            tsvector_to_array(to_tsvector(
                c.ts_config, ragraph_private.cut_words(ragraph_private.masked(sentence_features.query), asked => true)
            )) as lexemes
        from (select distinct g.ts_config from given as g) as c
    ),
    worded as materialized (
        select g.*, substr(d.content, g.char_start - d.char_start + 1, g.char_end - g.char_start) as words
        from given as g
        inner join node as d on g.document_id = d.document_id and g.node_id = d.id
    )
    select array_agg(row(
        w.document_id,
        w.node_id,
        w.ts_config,
        w.char_start,
        w.char_end,
        w.words,
        d.first_page,
        d.last_page,
        w.features || array[
            d.place_in_document,
            d.place_in_document ^ 2,
            d.place_in_section,
            (w.char_start - d.char_start)::double precision / greatest(length(d.content), 1),
            (w.char_start = d.char_start)::integer::double precision,
            ln(1.0::double precision + length(w.words)),
            regexp_count(w.words, '[0-9]+')::double precision / greatest(regexp_count(w.words, '\S+'), 1),
            (w.words ~ '[0-9]')::integer::double precision
        ] || d.kinds,
        tsvector_to_array(ragraph_private.word_vector(w.ts_config, ragraph_private.masked(w.words))),
        a.lexemes
    )::ragraph_private.sentence order by w.ordinality)
    into found
    from worded as w
    inner join described as d on w.document_id = d.document_id and w.node_id = d.id
    inner join asked as a on w.ts_config = a.ts_config;
    return coalesce(found, '{}');
end
$$;
comment on function ragraph_private.sentence_features(text, ragraph_private.hit[], integer) is
'Returns the sentences of hits with the features and words that a ranker uses, in the order of document and text: the
measures of passages_about, position, type of the node and of components above it, length, and numbers';

create or replace function ragraph_private.ranker_version(
    hits ragraph_private.hit[], mode text, model_name text, out collection text, out version integer
)
returns record
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_variable
declare
    collections text[];
    only_document constant text := ragraph_private.only_one(ranker_version.hits);
begin
    select array_agg(distinct d.collection) into collections
    from unnest(ranker_version.hits) as h
    inner join ragraph.document as d on h.document_id = d.id
    where only_document is null or d.id = only_document;
    if cardinality(collections) = 1 then
        select r.collection, r.version into collection, version
        from ragraph.sentence_ranker as r
        where r.collection = collections[1]
            and r.active
            and coalesce(ranker_version.mode, r.fitted_on ->> 'mode') = r.fitted_on ->> 'mode'
            and (
                ranker_version.model_name is null
                or coalesce(r.fitted_on ->> 'model', ranker_version.model_name) = ranker_version.model_name
            )
            -- hits of a hybrid search are recognised by their vector_score
            and (r.fitted_on ->> 'mode' in ('hybrid', 'graph'))
            = exists (select 1 from unnest(ranker_version.hits) as h where h.vector_score is not null);
    end if;
end
$$;
comment on function ragraph_private.ranker_version(ragraph_private.hit[], text, text) is
'Returns the active ranker if all hits are in one collection that has one, and it was fitted on hits of the same mode
and model, as far as these are given; else nulls';

create or replace function ragraph_private.tuned_sentences(
    sentences ragraph_private.sentence[], collection text, version integer, explain boolean
)
returns table (
    document_id text,
    node_id text,
    char_start integer,
    char_end integer,
    score double precision,
    why jsonb
)
language plpgsql
stable
parallel safe
rows 500
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    names constant text[] := ragraph_private.sentence_feature_names();
    most_words constant integer := 10; -- number of words named in an explanation
    ranker ragraph.sentence_ranker;
    weights double precision[];
begin
    select r.* into ranker
    from ragraph.sentence_ranker as r
    where r.collection = tuned_sentences.collection and r.version = tuned_sentences.version;
    weights := array(
        select coalesce((ranker.weights ->> n.name)::double precision, 0)
        from unnest(names) with ordinality as n (name, place) order by n.place
    );
    return query
    with given as materialized (
        select s.* from unnest(tuned_sentences.sentences) with ordinality as s
    ),
    asked as materialized (
        select
            c.ts_config,
            array(select a.word from unnest(c.asked) as a (word) where a.word = any(ranker.asked)) as words
        from (select distinct g.ts_config, g.asked from given as g) as c
    ),
    vocabulary as materialized (
        select w.asked, w.word, w.idf, w.weight
        from ragraph.sentence_ranker_word as w
        where w.collection = tuned_sentences.collection
            and w.version = tuned_sentences.version
            and w.asked = any(array(select '' union select u.word from asked as a cross join unnest(a.words) as u (word)))
    ),
    known as materialized (
        select
            g.ordinality,
            v.asked,
            v.word,
            v.idf,
            v.idf * v.weight / case when v.asked = '' then 1 else sqrt(cardinality(a.words)) end as gain
        from given as g
        inner join asked as a on g.ts_config = a.ts_config
        cross join lateral unnest(g.lexemes) as l (word)
        inner join vocabulary as v on l.word = v.word
        where v.asked = '' or v.asked = any(a.words)
    ),
    worded as materialized (
        select
            k.ordinality,
            sum(k.gain) as gain,
            -- so that a long sentence does not win only by having more words
            sqrt(sum(k.idf ^ 2) filter (where k.asked = '')) as norm
        from known as k
        group by k.ordinality
    ),
    -- Features shared by all candidates do not explain the score of one of them: an explanation starts at their mean.
    mean_word as materialized (
        select k.asked, k.word, sum(k.gain / w.norm) / cardinality(tuned_sentences.sentences) as gain
        from known as k
        inner join worded as w on k.ordinality = w.ordinality
        where tuned_sentences.explain
        group by k.asked, k.word
    ),
    mean_number as materialized (
        select f.place, avg(f.value * f.weight) as gain
        from given as g
        cross join lateral unnest(g.features, weights) with ordinality as f (value, weight, place)
        where tuned_sentences.explain
        group by f.place
    ),
    mean as materialized (
        select
            (select coalesce(sum(n.gain), 0) from mean_number as n) as numbers,
            (select coalesce(sum(n.gain), 0) from mean_word as n) as words
    ),
    explained as materialized (
        select
            r.ordinality,
            jsonb_object_agg(
                case when r.asked = '' then format('"%s"', r.word) else format('"%s" for "%s"', r.word, r.asked) end, r.gain
            ) as words,
            sum(r.gain) as gain
        from (
            select
                k.ordinality,
                k.asked,
                k.word,
                k.gain / w.norm - n.gain as gain,
                row_number() over (
                    partition by k.ordinality order by abs(k.gain / w.norm - n.gain) desc, k.word, k.asked
                ) as rank
            from known as k
            inner join worded as w on k.ordinality = w.ordinality
            inner join mean_word as n on k.asked = n.asked and k.word = n.word
        ) as r
        where r.rank <= most_words
        group by r.ordinality
    ),
    measured as materialized (
        select g.ordinality, sum(f.value * f.weight) as gain
        from given as g
        cross join lateral unnest(g.features, weights) as f (value, weight)
        group by g.ordinality
    )
    select
        g.document_id,
        g.node_id,
        g.char_start,
        g.char_end,
        ranker.intercept + m.gain + coalesce(w.gain / w.norm, 0),
        case when tuned_sentences.explain then
            jsonb_build_object(
                'ranker', tuned_sentences.version,
                'mean', ranker.intercept + a.numbers + a.words,
                'other words', coalesce(w.gain / w.norm, 0) - a.words - coalesce(e.gain, 0)
            )
            || (
                select
                    coalesce(
                        jsonb_object_agg(f.name, f.value * f.weight - n.gain) filter (where f.value * f.weight <> n.gain), '{}'
                    )
                from unnest(names, g.features, weights) with ordinality as f (name, value, weight, place)
                inner join mean_number as n on f.place = n.place
            )
            || coalesce(e.words, '{}')
        end
    from given as g
    cross join mean as a
    inner join measured as m on g.ordinality = m.ordinality
    left join worded as w on g.ordinality = w.ordinality
    left join explained as e on g.ordinality = e.ordinality;
end
$$;
comment on function ragraph_private.tuned_sentences(ragraph_private.sentence[], text, integer, boolean) is
'Returns sentences with the score of a ranker, unsorted: the fitted log odds that a sentence answers the question. With
explain, why holds mean, the score of the mean sentence among them, and the contributions of each feature and of the
ten words with the largest ones, relative to the mean sentence; they add up to the score';

create or replace function ragraph_private.scored_sentences(
    query text,
    hits ragraph_private.hit[],
    shortest integer default 60, -- as focus_hits
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
    char_start integer,
    char_end integer,
    score double precision,
    why jsonb
)
language plpgsql
stable
parallel safe
rows 500
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    -- what a document that has all names in the query gets; chosen on the development documents of
    -- bench/results/retrieval.md
    named_share constant double precision := 0.3;
    ranker record;
    found ragraph_private.sentence[];
begin
    if scored_sentences.tuned then
        select r.* into ranker from ragraph_private.ranker_version(
            scored_sentences.hits, scored_sentences.mode, scored_sentences.model_name
        ) as r;
        if ranker.version is not null then
            found := ragraph_private.sentence_features(
                scored_sentences.query, scored_sentences.hits, scored_sentences.shortest
            );
            return query
            select t.*
            from ragraph_private.tuned_sentences(found, ranker.collection, ranker.version, scored_sentences.explain) as t;
            return;
        end if;
    end if;
    return query
    with passage as (
        select
            p.*,
            -- half of what the words could give counts as the maximum
            scored_sentences.words_share * 2 * p.words as of_words,
            scored_sentences.headings_share * p.headings as of_headings,
            (1 - scored_sentences.words_share - scored_sentences.headings_share)
            * (p.nearness + coalesce(p.vector, p.nearness)) / 2 as of_node,
            named_share * p.named as of_document
        from ragraph_private.passages_about(
            scored_sentences.query, scored_sentences.hits, scored_sentences.shortest
        ) as p
    )
    select
        p.document_id,
        p.node_id,
        p.char_start,
        p.char_end,
        p.of_words + p.of_headings + p.of_node + p.of_document,
        case when scored_sentences.explain then
            jsonb_build_object('words', p.of_words, 'headings', p.of_headings, 'nearness', p.of_node)
            || case when p.of_document > 0 then jsonb_build_object('document', p.of_document) else '{}' end
        end
    from passage as p;
end
$$;
comment on function ragraph_private.scored_sentences(
    text, ragraph_private.hit[], integer, double precision, double precision, boolean, boolean, text, text
) is
'Returns the sentences of hits with their scores, unsorted: by the ranker of their collection if tuned and there is
one, else by words_share, headings_share, the score of their node and the names in the query. With explain, why holds the parts of each score';
