-- Numbers, codes, units and citations of clauses in a query, which are searched by the letter, and texts that are no
-- answers by themselves.

create or replace function ragraph_private.codes(query text)
returns table (code text, pattern text, wording text)
language plpgsql
immutable
parallel safe
rows 1
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
#variable_conflict use_column
declare
    units constant text := '[%‰°]|°C|°F|[munkM]?g|µg|mcg|kg|[mµc]?[lL]|[nµmck]?m|km|[kMG]?Hz|[kMGT]i?B|[kM]?W|kWh|[kM]?Pa|[mk]?V|mA|mmol|mol|ppm|ms';
    -- the longest match from the left counts
    wanted constant text :=
        -- § 7.2(b)
        '§+\s*[0-9][0-9A-Za-z.]*(?:\([0-9A-Za-z]{1,4}\))*'
        -- $1,000,000; $ 5 million
        || '|[$€£¥₹]\s?[0-9][0-9.,]*(?:\s?(?:thousand|million|billion|bn|m|k)\M)?'
        -- p = 0.003; n=40; P < .05
        || '|\m[[:alpha:]]{1,3}\s?[=<>≤≥]\s?[-−]?[0-9]*[.,]?[0-9]+'
        -- SP 800-207; ISO 9001:2015
        || '|\m[A-Z]{2,}[ -][0-9][0-9A-Za-z]*(?:[-./:][0-9A-Za-z]+)*'
        -- 12.5 %; 40 mg
        || '|\m[0-9][0-9.,]*\s?(?:' || units || ')(?![[:alnum:]])'
        -- 12(b); 3.2.1; 1,000,000; 2020-03-01; NCT00338988
        || '|\m[0-9A-Za-z]+(?:[-./:,_][0-9A-Za-z]+)*(?:\([0-9A-Za-z]{1,4}\))*';
begin
    if codes.query !~ '[0-9]' then
        return;
    end if;
    for code in
        select distinct rtrim(m.found[1], '.,')
        from regexp_matches(codes.query, '(' || wanted || ')', 'g') as m (found)
        where m.found[1] ~ '[0-9]' and m.found[1] !~ '^[0-9]+[.,]?$'
    loop
        pattern := regexp_replace(code, '^§+\s*', '');
        pattern := regexp_replace(pattern, '([][\\.*+?(){}^$|])', '\\\1', 'g');
        pattern := regexp_replace(pattern, '\s*([=<>≤≥%‰])\s*', '\\s*\1\\s*', 'g');
        pattern := regexp_replace(pattern, '\s+', '\\s*', 'g');
        pattern := regexp_replace(pattern, '-', '[-‐‑‒–−]', 'g');
        wording := format('"%s"', code);
        -- 40mg is 40 mg
        if code ~ ('^[0-9][0-9.,]*\s?(?:' || units || ')$') then
            pattern := regexp_replace(pattern, '^([0-9.,\\]*[0-9])(?:\\s\*)?(?=[^0-9\\])', '\1\\s*');
            wording := regexp_replace(code, '^([0-9.,]*[0-9])\s?(.*)$', '"\1 \2" or "\1\2"');
        end if;
        pattern := case when code ~ '^[§[:alnum:]]' then '(?<![[:alnum:]])(?<![[:alnum:]][.,])' else '' end || pattern
            || case when code ~ '[[:alnum:]]$' then '(?![[:alnum:]]|[.,][0-9])' else '' end;
        return next;
    end loop;
end
$$;
comment on function ragraph_private.codes(text) is
'Returns the numbers, codes, amounts and citations of clauses in a query: tokens with a digit and something else
(12(b), 0.003, NCT00338988, SP 800-207), with the currency, unit, paragraph sign or name in front (p = 0.003). pattern is a
regular expression that finds a code in a text by the letter, apart from case, white space and the kind of hyphen, and
not within a longer number or word; wording is the query for the words of a code. A plain integer is a word like others';

create or replace function ragraph_private.rank_codes(
    query text, k integer, scope ragraph_private.scope, exact_limit integer
)
returns table (document_id text, node_id text, share double precision, rank integer)
language plpgsql
stable
parallel safe
rows 10
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    -- nodes with the words of a code that are read, because many may have these words but not the code itself
    most constant integer := least(10::bigint * rank_codes.k, 1000);
begin
    return query
    with worded as materialized (
        select c.code, c.pattern, t.document_id, t.node_id, t.score
        from ragraph_private.codes(rank_codes.query) as c
        cross join lateral ragraph_private.rank_text(
            c.wording, most, rank_codes.scope, 'all', rank_codes.exact_limit
        ) as t
    ), found as (
        select w.code, w.document_id, w.node_id, w.score
        from worded as w
        inner join ragraph_private.nodes_of(
            (select array_agg(o.document_id) from worded as o), (select array_agg(o.node_id) from worded as o)
        ) as n on w.document_id = n.document_id and w.node_id = n.id
        where n.content ~* w.pattern
    ), held as (
        select f.document_id, f.node_id, count(*) as codes, sum(f.score) as score
        from found as f
        group by f.document_id, f.node_id
    )
    select
        h.document_id,
        h.node_id,
        h.codes::double precision / (select count(*) from ragraph_private.codes(rank_codes.query)),
        (row_number() over (order by h.codes desc, h.score desc, h.document_id collate "C", h.node_id collate "C"))::integer
    from held as h
    order by 4
    limit rank_codes.k;
end
$$;
comment on function ragraph_private.rank_codes(text, integer, ragraph_private.scope, integer) is
'Returns the k nodes of a scope that have most of the codes of a query by the letter, the best first by BM25, and the
share of the codes that they have. No rows if the query has no codes';

create or replace function ragraph_private.codes_alone(query text)
returns boolean
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    rest text := codes_alone.query;
    item text;
begin
    for item in select c.code from ragraph_private.codes(codes_alone.query) as c order by length(c.code) desc loop
        rest := replace(rest, item, ' ');
    end loop;
    return rest !~ '[[:alnum:]]';
end
$$;
comment on function ragraph_private.codes_alone(text) is 'Returns true if a query has nothing but codes, see codes()';

create or replace function ragraph_private.is_fragment(content text, config regconfig, query text)
returns boolean
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    -- a longer text has at least four words
    longest constant integer := 60;
    few constant integer := 4;
    bare constant text := btrim(is_fragment.content, E' \t\r\n.:;,-–—*|()[]');
    is_label boolean;
    words text[];
begin
    if length(is_fragment.content) > longest then
        return false;
    end if;
    -- (a) 12. iv) - *
    if is_fragment.content ~ '^\s*[([]?(?:[0-9]{1,3}|[[:alpha:]]|[ivxlcIVXLC]{1,6})?[.)\]:]*\s*$' and is_fragment.content !~ '^\s*[0-9]+\s*$' then
        return true;
    end if;
    if is_fragment.content !~ '[[:alnum:]]' then
        return true;
    end if;
    -- 12, - 12 -, Page 3 of 10, Table 3, Fig. A-1
    is_label := bare ~* '^(?:(?:pages?|pg|pp?)\.?\s*)?[0-9]{1,3}(?:\s+of\s+[0-9]{1,4})?$'
        or bare ~ '^\S+(?:\s\S+)?$' and bare ~ '[[:alpha:]§]' and coalesce((ragraph_private.label_key(bare)).kind, '') <> '';
    if not is_label and (
        is_fragment.content ~ '[0-9]'
        or ragraph_private.count_words(is_fragment.content) >= few
        -- a short sentence is none: "The heron waits."
        or is_fragment.content ~ '^\s*[^[:lower:][:punct:]][^\n]*\s[^\n]*[.!?。！？]["”’»)]*\s*$'
    ) then
        return false;
    end if;
    words := tsvector_to_array(ragraph_private.word_vector(is_fragment.config, is_fragment.content));
    return words = '{}' or not words <@ tsvector_to_array(ragraph_private.word_vector(is_fragment.config, is_fragment.query));
end
$$;
comment on function ragraph_private.is_fragment(text, regconfig, text) is
'Returns true if a text answers nothing by itself: the mark of a list item, a rule of signs, a number of up to three
digits such as that of a page, a label such as "Table 3", or fewer than four words that are no sentence and have no
number. All but marks and rules are no fragment if the query has all their words';
