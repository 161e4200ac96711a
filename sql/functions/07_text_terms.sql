-- The words of a query as each configuration reads them, and where these words are in a content.

create or replace function ragraph_private.lexeme_query(lexeme text)
returns tsquery
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
begin
    -- in quotes, with quotes and backslashes doubled, any lexeme is a single operand
    return (
        '''' || replace(replace(lexeme_query.lexeme, '\', '\\'), '''', '''''') || ''''
        || case
            when octet_length(lexeme_query.lexeme) = length(lexeme_query.lexeme) then '' -- without the call
            when ragraph_private.is_lone_letter(lexeme_query.lexeme) then ':*'
            else ''
        end
    )::tsquery;
end
$$;
comment on function ragraph_private.lexeme_query(text) is
'Returns a query for exactly one lexeme, which no configuration changes. For a letter of an unspaced script such as
Chinese, it also matches the pairs that begin with the letter';

create or replace function ragraph_private.is_lone_letter(lexeme text)
returns boolean
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    -- a letter and its marks, at most four characters; cut_words returns a lone letter unchanged
    return length(is_lone_letter.lexeme) <= 4
        and ragraph_private.has_uncut_words(is_lone_letter.lexeme)
        and ragraph_private.cut_words(is_lone_letter.lexeme) = E'\x1f' || is_lone_letter.lexeme || E'\x1f';
end
$$;
comment on function ragraph_private.is_lone_letter(text) is
'Returns true if a lexeme is one letter of a script whose words are cut into pairs of letters';

create or replace function ragraph_private.with_pairs(query tsquery)
returns tsquery
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    printed text := with_pairs.query::text;
    letter text;
begin
    if not coalesce(ragraph_private.has_uncut_words(printed), false) then
        return with_pairs.query;
    end if;
    for letter in select distinct m.lexeme[1] from regexp_matches(printed, '''([^''\\]{1,4})''', 'g') as m (lexeme) loop
        if ragraph_private.is_lone_letter(letter) then
            printed := replace(printed, quote_literal(letter), quote_literal(letter) || ':*');
        end if;
    end loop;
    return printed::tsquery;
end
$$;
comment on function ragraph_private.with_pairs(tsquery) is
'Returns a query in which lone letters of unspaced scripts such as Chinese also match the pairs that begin with them';

create or replace function ragraph_private.signed_numbers(query text, out unsigned text, out numbers text)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    minus constant text := '(^|[\s("])[-\u2212\u2013\u2011\u2012]+(?=[$€£¥]?[.,]?[0-9])';
begin
    unsigned := regexp_replace(signed_numbers.query, minus, '\1', 'g');
    if unsigned <> signed_numbers.query then
        select string_agg('-' || m.found[2], ' ') into numbers
        from regexp_matches(signed_numbers.query, minus || '[$€£¥]?([.,]?[0-9][^\s"]*)', 'g') as m (found);
    end if;
end
$$;
comment on function ragraph_private.signed_numbers(text) is
'Returns a query in which a minus before a number does not exclude it (unsigned), and those numbers with a hyphen for
the minus, as the parser reads them (numbers); numbers is null if there are none';

create or replace function ragraph_private.with_signs(query tsquery, signed text[])
returns tsquery
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    printed text := with_signs.query::text;
    number text;
begin
    foreach number in array with_signs.signed loop
        printed := regexp_replace(
            printed,
            format('(^|[ (!])''%s''(?=$|[ )])', replace(substr(number, 2), '.', '\.')),
            format('\1( %L | %L )', substr(number, 2), number),
            'g'
        );
    end loop;
    return printed::tsquery;
end
$$;
comment on function ragraph_private.with_signs(tsquery, text[]) is
'Returns a query in which each of the given negative numbers also matches without its minus, because texts write both
−7 and (7)';

create or replace function ragraph_private.idle_words(words text[], config regconfig)
returns text[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    other regconfig := 0::oid::regconfig;
    idle text[] := '{}';
begin
    -- other configurations have stop words of their own
    if idle_words.config <> 'pg_catalog.simple'::regconfig then
        return idle;
    end if;
    loop
        select n.ts_config into other
        from ragraph.content_node as n
        where n.ts_config > other
        order by n.ts_config
        limit 1;
        exit when not found;
        continue when other = idle_words.config;
        idle := idle || array(
            select w.word from unnest(idle_words.words) as w (word) where w.word ~ '^[[:alpha:]'']+$' and to_tsvector(other, w.word) = ''
        );
    end loop;
    return case when idle_words.words <@ idle then '{}' else idle end;
end
$$;
comment on function ragraph_private.idle_words(text[], regconfig) is
'Returns those words of a query that are stop words in a language of the store, for documents whose language is not
known: there they would count as rare words. Empty if the query has no other words';

create or replace function ragraph_private.other_forms(query text)
returns text[]
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    bare text := other_forms.query;
    swapped text;
    parsed text := bare;
begin
    -- as the parser reads texts: <int> is a tag and &D; an entity, which it leaves out; "about ~5" is "about 5"
    if bare ~ '[<&~]' then
        parsed := translate(regexp_replace(bare, '</?[[:alpha:]][^<>]*>|&#?[[:alnum:]]+;', ' ', 'g'), '~', ' ');
    end if;
    if octet_length(bare) = length(bare) then
        return case when parsed <> bare then array[parsed] else '{}' end;
    end if;
    -- Turkish: the parser writes I as i, so capitals are compared without marks
    if bare ~ '[ıİ]' then
        select string_agg(
            case when t.token ~ '[ıİ]'
                then translate(normalize(regexp_replace(normalize(t.token, nfd), '[\u0300-\u036F]', '', 'g'), nfc), 'ıİ', 'ii')
                else t.token
            end,
            ' ' order by t.place
        ) into bare
        from regexp_split_to_table(bare, '\s+') with ordinality as t (token, place);
    end if;
    -- Arabic: alif is written with and without hamza, and the last letter of many words in two ways
    if bare ~ '[\u0621-\u064A]' then
        bare := translate(bare, 'أإآٱ', 'اااا');
        select string_agg(
            case right(t.token, 1)
                when 'ه' then left(t.token, -1) || 'ة'
                when 'ة' then left(t.token, -1) || 'ه'
                when 'ي' then left(t.token, -1) || 'ى'
                when 'ى' then left(t.token, -1) || 'ي'
                else t.token
            end,
            ' ' order by t.place
        ) into swapped
        from regexp_split_to_table(bare, '\s+') with ordinality as t (token, place);
    end if;
    return array(
        select distinct f.form
        from unnest(array[bare, swapped, parsed] || ragraph_private.han_forms(other_forms.query)) as f (form)
        where f.form <> other_forms.query
        order by f.form
    );
end
$$;
comment on function ragraph_private.other_forms(text) is
'Returns a query as texts also write its words: Turkish words with dotless or dotted i as they are in capitals, Arabic
words with another alif and another last letter, Chinese in simplified and traditional letters; and as the parser reads
what looks like a tag, an entity or a file name. Empty if there is no other way';

create or replace function ragraph_private.asked_words(query text, config regconfig)
returns text[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    words text[] := tsvector_to_array(
        to_tsvector(asked_words.config, ragraph_private.cut_words(asked_words.query, asked => true))
    );
    idle constant text[] := ragraph_private.idle_words(words, asked_words.config);
begin
    return array(
        select w.word from unnest(words) as w (word) where w.word <> all(idle)
        union
        select unnest(tsvector_to_array(to_tsvector(asked_words.config, ragraph_private.cut_words(f.form, asked => true))))
        from unnest(ragraph_private.other_forms(asked_words.query)) as f (form)
    );
end
$$;
comment on function ragraph_private.asked_words(text, regconfig) is
'Returns the distinct words of a query as one configuration reads them, without stop words of any language of the store,
and with their other forms';

create or replace function ragraph_private.text_terms(
    query text, config regconfig, match text,
    out condition tsquery, out words text[], out alternatives integer, out phrases tsquery, out excluded tsquery
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
set client_min_messages = warning -- suppresses the notice about a query of stop words only
as $$
#variable_conflict use_variable
declare
    -- bounds the cost of a very long query: further words do not affect the rank and, with match any, find nothing
    most_words constant integer := 100;
    token text[];
    part tsquery;
    plain text := '';
    quoted text := '';
    asked text; -- the query without the minus of its numbers
    numbers text;
    signed text[] := '{}'; -- lexemes of the numbers with a minus
    idle text[];
    forms text[];
    form text;
begin
    select s.unsigned, s.numbers into asked, numbers from ragraph_private.signed_numbers(text_terms.query) as s;
    -- a dash between spaces excludes nothing, and several exclude as one does
    asked := regexp_replace(asked, '(^|[\s(])-+(?=[\s)]|$)', '\1', 'g');
    asked := regexp_replace(asked, '(^|[\s(])-{2,}(?=[^\s-])', '\1-', 'g');
    if numbers is not null then
        signed := array(
            select w.lexeme from unnest(to_tsvector(text_terms.config, numbers)) as w where w.lexeme ~ '^-[0-9.]+$'
        );
    end if;
    -- read as websearch_to_tsquery does: quotes make phrases, a minus before a word or phrase excludes it; a minus
    -- before a digit belongs to the number
    for token in
        select m.token
        from regexp_matches(asked, '(-*)(?:"([^"]*)"?|([^ \t\n\r\f\v"]+))', 'g') as m (token)
        where m.token[1] <> '' or m.token[2] is not null
        limit most_words
    loop
        part := ragraph_private.with_pairs(
            phraseto_tsquery(text_terms.config, ragraph_private.cut_words(coalesce(token[2], token[3])))
        );
        part := ragraph_private.with_signs(part, signed);
        continue when numnode(part) = 0;
        if token[1] <> '' then
            excluded := coalesce(excluded && !!part, !!part);
        else
            phrases := coalesce(phrases || part, part);
            quoted := quoted || ' ' || token[2];
        end if;
    end loop;
    select coalesce(string_agg(m.token[3], ' '), '') into plain
    from regexp_matches(asked, '(-*)(?:"([^"]*)"?|([^ \t\n\r\f\v"]+))', 'g') as m (token)
    where m.token[1] = '' and lower(m.token[3]) <> 'or';
    words := array(
        select w.lexeme
        from unnest(to_tsvector(text_terms.config, ragraph_private.cut_words(plain, asked => true))) as w
        order by w.positions[1], w.lexeme
        limit most_words
    );
    words := (words || signed)[:most_words];
    forms := ragraph_private.other_forms(asked);
    if forms <> '{}' then
        words := (words || array(
            select distinct w.lexeme
            from unnest(ragraph_private.other_forms(plain)) as f (form)
            cross join lateral unnest(
                to_tsvector(text_terms.config, ragraph_private.cut_words(f.form, asked => true))
            ) as w
            where w.lexeme <> all(words)
            order by w.lexeme
        ))[:most_words];
    end if;
    idle := ragraph_private.idle_words(words, text_terms.config);
    words := array(select w.word from unnest(words) with ordinality as w (word, place) where w.word <> all(idle) order by w.place);
    if text_terms.match = 'all' then
        begin
            condition := websearch_to_tsquery(text_terms.config, ragraph_private.cut_words(asked));
        exception when internal_error then -- its stack has place for some dozens of signs
            raise exception using
                errcode = 'RG005',
                message = 'the query has too many minus signs in a row',
                hint = 'Write one minus before a word or phrase.';
        end;
        condition := ragraph_private.with_signs(ragraph_private.with_pairs(condition), signed);
        foreach form in array forms loop
            condition := condition || ragraph_private.with_pairs(
                websearch_to_tsquery(text_terms.config, ragraph_private.cut_words(form))
            );
        end loop;
    else
        select string_agg(ragraph_private.lexeme_query(w.word)::text, ' | ' order by w.place)::tsquery into condition
        from unnest(words) with ordinality as w (word, place);
        condition := coalesce(condition || phrases, condition, phrases);
        condition := coalesce(condition && excluded, condition, excluded);
    end if;
    if numnode(condition) = 0 then
        condition := null;
    end if;
    -- words of phrases affect the rank as other words do, but find nothing on their own
    alternatives := cardinality(words);
    words := array(
        select u.word
        from (
            select w.word, w.place from unnest(words) with ordinality as w (word, place)
            union all
            select q.lexeme, most_words + coalesce(q.positions[1], 0)
            from unnest(to_tsvector(text_terms.config, ragraph_private.cut_words(quoted, asked => true))) as q
        ) as u
        group by u.word
        order by min(u.place), u.word
        limit most_words
    );
end
$$;
comment on function ragraph_private.text_terms(text, regconfig, text) is
'Returns a query of words as one configuration reads it: the condition that nodes must match (null if the query has
only stop words), and the words that affect the rank. For match any it also returns how many of these words find nodes
(alternatives), the phrases and the excluded words';

create or replace function ragraph_private.best_words(
    words tsquery[], frequencies double precision[], phrases tsquery, excluded tsquery, enough integer, nodes double precision
)
returns tsquery
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    rare tsquery := best_words.phrases;
    common tsquery[] := '{}';
    shares double precision[] := '{}';
    covered double precision := 0;
    item record;
begin
    for item in
        select w.word, w.frequency
        from unnest(best_words.words, best_words.frequencies) with ordinality as w (word, frequency, place)
        order by w.frequency, w.place
    loop
        covered := covered + item.frequency;
        if covered <= best_words.enough then
            rare := coalesce(rare || item.word, item.word);
        elsif cardinality(common) < 6 then
            common := common || item.word;
            shares := shares || item.frequency / greatest(best_words.nodes, 1);
        end if;
    end loop;
    -- pairs of very common words may be in very many nodes too: their number is estimated as if words were independent
    covered := 0;
    for item in
        select common[a.place] && common[b.place] as pair, shares[a.place] * shares[b.place] * best_words.nodes as frequency
        from generate_subscripts(common, 1) as a (place)
        inner join generate_subscripts(common, 1) as b (place) on a.place < b.place
        order by 2, a.place, b.place
    loop
        covered := covered + item.frequency;
        exit when covered > best_words.enough and rare is not null;
        rare := coalesce(rare || item.pair, item.pair);
    end loop;
    return coalesce(rare && best_words.excluded, rare);
end
$$;
comment on function ragraph_private.best_words(tsquery[], double precision[], tsquery, tsquery, integer, double precision) is
'Returns the part of a query with match any that finds the best nodes of a large store: its phrases, its rarest words
as long as these are in no more than enough nodes, and pairs of the six rarest other words likewise. Null if no part
qualifies';

create or replace function ragraph_private.rarest_words(
    words tsquery[],
    frequencies double precision[],
    weights double precision[],
    excluded tsquery,
    enough double precision,
    lowest double precision,
    seen integer,
    out condition tsquery,
    out taken integer,
    out complete boolean
)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_variable
declare
    -- a word adds less than its weight to a score, apart from rounding
    margin constant double precision := 1.01;
    sorted tsquery[]; -- the words, the rarest first
    counts double precision[];
    gains double precision[]; -- the most that each adds to a score
    others double precision; -- the most that the other terms add
    rests double precision[]; -- the most that each word, those after it and the other terms add together
    rest double precision;
    covered double precision;
    -- the index compares each node with all operands
    most_operands constant integer := 60;
    -- in a query of very many words the rarest find nodes alone: the pairs would cost more than the few nodes they spare
    most_pairs constant integer := 150;
    size integer := 0;
    partners tsquery;
    thirds tsquery;
begin
    select
        array_agg(w.word order by w.frequency, w.place),
        array_agg(w.frequency order by w.frequency, w.place),
        array_agg(w.weight * margin order by w.frequency, w.place)
    into sorted, counts, gains
    from unnest(rarest_words.words, rarest_words.frequencies, rarest_words.weights[:cardinality(rarest_words.words)])
        with ordinality as w (word, frequency, weight, place);
    select coalesce(sum(w.weight), 0) * margin into others
    from unnest(rarest_words.weights[cardinality(rarest_words.words) + 1:]) as w (weight);
    rests := array_fill(others, array[coalesce(cardinality(sorted), 0) + 1]);
    for place in reverse coalesce(cardinality(sorted), 0)..1 loop
        rests[place] := rests[place + 1] + gains[place];
    end loop;
    taken := rarest_words.seen;
    select coalesce(sum(c.nodes), 0) into covered from unnest(counts[:taken]) as c (nodes);
    while taken < cardinality(sorted) loop
        exit when rests[taken + 1] < rarest_words.lowest;
        covered := covered + counts[taken + 1];
        exit when covered > rarest_words.enough;
        taken := taken + 1;
    end loop;
    complete := coalesce(rests[taken + 1] < rarest_words.lowest, false);
    -- from the most common word on, whose nodes are most: these should need other words first
    for place in reverse case when rarest_words.lowest is null then taken else cardinality(sorted) end..rarest_words.seen + 1 loop
        continue when rests[place] < rarest_words.lowest;
        -- the other terms alone may reach lowest, without any of the words
        exit when others >= rarest_words.lowest;
        rest := rarest_words.lowest - gains[place];
        if coalesce(others >= rest, true) or size >= most_pairs then
            condition := coalesce(sorted[place] || condition, sorted[place]);
            continue;
        end if;
        partners := null;
        for second in reverse cardinality(sorted)..place + 1 loop
            continue when rests[second] < rest;
            thirds := null;
            if others < rest - gains[second] and size < most_operands then
                for third in second + 1..cardinality(sorted) loop
                    exit when rests[third] < rest - gains[second];
                    thirds := coalesce(thirds || sorted[third], sorted[third]);
                    size := size + 1;
                end loop;
                continue when thirds is null;
            end if;
            size := size + 1;
            partners := coalesce(coalesce(sorted[second] && thirds, sorted[second]) || partners, sorted[second] && thirds, sorted[second]);
        end loop;
        condition := coalesce((sorted[place] && partners) || condition, sorted[place] && partners, condition);
    end loop;
    for place in 1..rarest_words.seen loop
        condition := case
            when condition is not null then condition && !!sorted[place]
            when others >= rarest_words.lowest then !!sorted[place]
        end;
    end loop;
    condition := coalesce(condition && excluded, condition);
end
$$;
comment on function ragraph_private.rarest_words(
    tsquery[], double precision[], double precision[], tsquery, double precision, double precision, integer
) is
'Returns a query for the rarest words of a query with match any, and how many these are (taken); condition is null if
there is nothing to look for. It takes as few words as exclude no node with a score of lowest, and no more than are in
enough nodes together. complete is true if no such node is excluded; without lowest it is false. The first words (seen)
were looked up before: nodes with one of them are left out. With lowest, condition selects by all other words, taken or
not: a word finds a node only together with others that may bring it to lowest. weights holds the weights of the words,
followed by those of other terms that affect the rank; if these alone may reach lowest, condition only leaves nodes out';

create or replace function ragraph_private.text_passage(
    content text, config regconfig, condition tsquery, words text[], out span int4range
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
#variable_conflict use_variable
declare
    -- a shorter content has no passage of its own
    short constant integer := 400;
    near constant integer := 160;
    passage text;
    before text;
    lead text;
    place integer;
begin
    if length(text_passage.content) <= short or text_passage.condition is null then
        return;
    end if;
    if ragraph_private.has_uncut_words(text_passage.content) then
        -- ts_headline finds no words there: take the sentence with most of the words of the query
        select int4range(s.char_start, least(s.char_end, s.char_start + short)) into span
        from (
            select
                c.char_start,
                c.char_end,
                ragraph_private.word_vector(text_passage.config, substr(content, c.char_start + 1, c.char_end - c.char_start)) as said
            from ragraph_private.sentences(text_passage.content) as c
        ) as s
        cross join lateral (
            select count(*) as found from unnest(text_passage.words) as w (word) where s.said @@ ragraph_private.lexeme_query(w.word)
        ) as f
        where f.found > 0
        order by f.found desc, s.char_start
        limit 1;
        return;
    end if;
    passage := ts_headline(
        text_passage.config, text_passage.content, text_passage.condition, 'StartSel="", StopSel="", MaxWords=60, MinWords=40'
    );
    -- the passage is a part of the content, unless the content has tags: ts_headline removes them
    place := strpos(text_passage.content, passage);
    if place > 0 and passage <> '' then
        -- back to the beginning of its sentence if that is near
        before := substr(text_passage.content, greatest(place - near, 1), least(place - 1, near));
        lead := regexp_replace(before, '^.*[.!?]["”’)]*\s+', '');
        if length(lead) = near then
            lead := '';
        end if;
        span := int4range(place - 1 - length(lead), place - 1 + length(passage));
    end if;
end
$$;
comment on function ragraph_private.text_passage(text, regconfig, tsquery, text[]) is
'Returns the place in a long content where the words of a query are closest together, in characters; null for a content
of up to 400 characters or without any of the words. condition and words are those of text_terms, with match any';
