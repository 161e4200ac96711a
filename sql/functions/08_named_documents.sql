-- Which documents the words of a question name. A question to many documents has two parts: words that tell which
-- document is meant, such as the parties of a contract, and words that tell which passage of it.

create or replace function ragraph_private.named_documents(query text, document_ids text[], node_ids text[])
returns table (document_id text, ts_config regconfig, title tsvector, words tsvector, share double precision)
language plpgsql
stable
parallel safe
rows 100
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
#variable_conflict use_column
declare
    -- A word names documents if at most this share of the documents found have it. Chosen on the development documents
    -- of bench/results/retrieval.md.
    few constant double precision := 0.1;
    -- so no word can name one of fewer documents
    many constant boolean := (select count(distinct u.document_id) from unnest(named_documents.document_ids) as u (document_id)) * few >= 1;
    only_document constant text := ragraph_private.only_one(named_documents.document_ids);
begin
    return query
    with node as materialized (
        -- decompressed once by setweight, and not for each word
        select n.document_id, n.ts_config, case when many then setweight(n.text_search, 'D') end as text_search
        from unnest(named_documents.document_ids, named_documents.node_ids) as u (document_id, node_id)
        inner join ragraph.content_node as n on u.document_id = n.document_id and u.node_id = n.id
        where only_document is null or n.document_id = only_document
    ),
    titled as materialized (
        select
            w.document_id,
            w.ts_config,
            case
                -- as word_vector, without the call
                when octet_length(x.title) = length(x.title) then to_tsvector(w.ts_config, left(x.title, 100000))
                else ragraph_private.word_vector(w.ts_config, x.title)
            end as words
        from (select distinct n.document_id, n.ts_config from node as n) as w
        inner join ragraph.document as d on w.document_id = d.id
        inner join ragraph.publication as p on d.publication_id = p.id
        cross join lateral (select coalesce(d.title, p.title) as title) as x
        where only_document is null or d.id = only_document
    ),
    asked as materialized (
        select c.ts_config, w.lexeme, ragraph_private.lexeme_query(w.lexeme) as condition
        from (select distinct t.ts_config from titled as t) as c
        cross join lateral unnest(ragraph_private.asked_words(named_documents.query, c.ts_config)) as w (lexeme)
        where many
    ),
    holding as materialized (
        select n.document_id, n.ts_config, a.lexeme
        from node as n
        inner join asked as a on n.ts_config = a.ts_config and n.text_search @@ a.condition
        union
        select t.document_id, t.ts_config, a.lexeme
        from titled as t
        inner join asked as a on t.ts_config = a.ts_config and t.words @@ a.condition
    ),
    name as materialized (
        select
            h.lexeme,
            ln(1 + (max(d.documents) - count(distinct h.document_id) + 0.5::double precision) / (count(distinct h.document_id) + 0.5)) as idf
        from holding as h
        cross join (select count(distinct t.document_id) as documents from titled as t) as d
        group by h.lexeme
        having count(distinct h.document_id) <= max(d.documents) * few
    )
    select t.document_id, t.ts_config, t.words, h.words, h.share
    from titled as t
    -- a full join, which adds no row here: the planner expects few documents, and would compare each with each
    full join (
        select
            h.document_id,
            h.ts_config,
            string_agg('''' || replace(replace(h.lexeme, '\', '\\'), '''', '''''') || ''':1', ' ')::tsvector as words,
            sum(n.idf) / (select sum(a.idf) from name as a) as share
        from holding as h
        inner join name as n on h.lexeme = n.lexeme
        group by h.document_id, h.ts_config
    ) as h on t.document_id = h.document_id and t.ts_config = h.ts_config;
end
$$;
comment on function ragraph_private.named_documents(text, text[], text[]) is
'Returns the documents of the nodes found, with the words of their titles (title). A query names those with words that at
most a tenth of these documents have. words holds these words, as if they were in the title of the document; share is
their share of all such words by rarity, between 0 and 1. Both are null for the others, and for all of fewer than ten documents';

create or replace function ragraph_private.without_words(query text, config regconfig, words tsvector)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    names constant text[] := tsvector_to_array(without_words.words);
    rest text;
begin
    select string_agg(t.token, ' ' order by t.place) into rest
    from regexp_split_to_table(without_words.query, '\s+') with ordinality as t (token, place)
    cross join lateral (
        select tsvector_to_array(to_tsvector(without_words.config, ragraph_private.cut_words(t.token, asked => true))) as lexemes
    ) as w
    where w.lexemes = '{}' or not w.lexemes <@ names;
    return rest;
end
$$;
comment on function ragraph_private.without_words(text, regconfig, tsvector) is
'Returns a query without the tokens that consist of these words only';
