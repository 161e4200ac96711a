-- Full text search, ranked by BM25.
--
-- score = sum over the words of the query: idf * (k1 + 1) * tf / (tf + k1 * (1 - b + b * length / mean length)),
-- idf = ln(1 + (N - n + 0.5) / (n + 0.5)), k1 = 1.2, b = 0.75: Robertson and Zaragoza, The Probabilistic Relevance
-- Framework: BM25 and Beyond (2009); the idf that cannot be negative is that of Lucene.
--
-- Each document is searched with its own configuration, so N, n and the mean length are those of the nodes with that
-- configuration: in a small scope counted in the scope itself, in a wide one from ragraph.text_statistics
-- (docs/decisions/0009).

create or replace function ragraph_private.lexeme_query(lexeme text)
returns tsquery
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    -- quoted, with quotes and backslashes doubled, a lexeme is one operand whatever it holds
    return (
        '''' || replace(replace(lexeme_query.lexeme, '\', '\\'), '''', '''''') || ''''
    )::tsquery;
end
$$;
comment on function ragraph_private.lexeme_query(text) is
'A query for exactly one lexeme, which no configuration changes';

create or replace function ragraph_private.text_terms(
    query text, config regconfig, match text,
    out condition tsquery, out words text[], out alternatives integer, out phrases tsquery, out excluded tsquery
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set client_min_messages = warning -- a query of stop words alone is no reason for a notice
as $$
#variable_conflict use_variable
declare
    -- what an enormous query could cost is bounded: further words neither rank nor, where any word will do, match
    most_words constant integer := 100;
    token text[];
    part tsquery;
    plain text := '';
    quoted text := '';
begin
    -- as websearch_to_tsquery reads it: quotes make phrases, a minus before a word or phrase excludes it
    for token in
        select m.token
        from regexp_matches(text_terms.query, '(-*)(?:"([^"]*)"?|([^ \t\n\r\f\v"]+))', 'g') as m (token)
        where m.token[1] <> '' or m.token[2] is not null
        limit most_words
    loop
        part := phraseto_tsquery(text_terms.config, coalesce(token[2], token[3]));
        continue when numnode(part) = 0;
        if token[1] <> '' then
            excluded := coalesce(excluded && !!part, !!part);
        else
            phrases := coalesce(phrases || part, part);
            quoted := quoted || ' ' || token[2];
        end if;
    end loop;
    select coalesce(string_agg(m.token[3], ' '), '') into plain
    from regexp_matches(text_terms.query, '(-*)(?:"([^"]*)"?|([^ \t\n\r\f\v"]+))', 'g') as m (token)
    where m.token[1] = '' and lower(m.token[3]) <> 'or';
    words := array(
        select w.lexeme
        from unnest(to_tsvector(text_terms.config, plain)) as w
        order by w.positions[1], w.lexeme
        limit most_words
    );
    if text_terms.match = 'all' then
        condition := websearch_to_tsquery(text_terms.config, text_terms.query);
    else
        select string_agg(ragraph_private.lexeme_query(w.word)::text, ' | ' order by w.place)::tsquery into condition
        from unnest(words) with ordinality as w (word, place);
        condition := coalesce(condition || phrases, condition, phrases);
        condition := coalesce(condition && excluded, condition, excluded);
    end if;
    if numnode(condition) = 0 then
        condition := null;
    end if;
    -- words of phrases rank as other words do, but find nothing alone
    alternatives := cardinality(words);
    words := array(
        select u.word
        from (
            select w.word, w.place from unnest(words) with ordinality as w (word, place)
            union all
            select q.lexeme, most_words + coalesce(q.positions[1], 0)
            from unnest(to_tsvector(text_terms.config, quoted)) as q
        ) as u
        group by u.word
        order by min(u.place), u.word
        limit most_words
    );
end
$$;
comment on function ragraph_private.text_terms(text, regconfig, text) is
'A query of words as one configuration reads it: what a node must match (null when nothing is left of the query),
the words that rank it, and for matching any word how many of these do so, the phrases and the excluded words';

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
    -- words that are everywhere make pairs that are everywhere: how many nodes hold one is estimated by chance
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
'The part of a query for any word that finds the best nodes of a large store: its phrases, its rarest words while
they are in no more than enough nodes, and pairs of the six rarest others likewise; null when that is nothing';

create or replace function ragraph_private.rank_text(
    query text,
    k integer,
    document_ids text[],
    component_id text,
    node_types ragraph.content_node_type[],
    pages int4range,
    collection text,
    tags text[],
    languages text[],
    published daterange,
    filter jsonb,
    match text,
    exact_limit integer
)
returns table (document_id text, node_id text, score double precision, rank integer)
language plpgsql
stable
parallel safe
rows 10
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    -- a wide search for any word ranks the nodes with the rarest words, as long as these are in no more nodes than that
    enough constant integer := 10000;
    -- and no search ranks more nodes than that for each configuration
    most_nodes constant integer := 200000;
    scope record;
    item record;
    place integer := 0;
    configs regconfig[]; -- $8
    words text[] := '{}'; -- lexemes of all configurations, one after the other; as queries $9
    word_configs integer[] := '{}'; -- the place in configs of each
    mean_lengths double precision[] := '{}'; -- $10
    weights double precision[]; -- $11
    conditions tsquery[] := '{}'; -- $12: what a node must match
    best tsquery[] := '{}'; -- $13: what the best nodes match, where that is not all of it
    phrases tsquery[] := '{}';
    excluded tsquery[] := '{}';
    alternatives integer[] := '{}';
    nodes double precision[] := '{}';
    frequencies double precision[] := '{}';
    queries tsquery[];
    in_scope text;
    narrow boolean;
    every_branch text;
    best_branch text;
    found_documents text[];
    found_nodes text[];
    found_scores double precision[];
begin
    perform ragraph_private.check_limits(rank_text.k, rank_text.exact_limit);
    if length(rank_text.query) > 10000 then
        -- the parser of queries goes a level deeper with each word
        raise exception using
            errcode = 'RG005',
            message = format('the query has %s characters', length(rank_text.query)),
            hint = 'Ask in at most 10,000: a question, not a document.';
    end if;
    if rank_text.match is null or rank_text.match not in ('all', 'any') then
        raise exception using
            errcode = 'RG005',
            message = format('match is %s', coalesce(quote_literal(rank_text.match), 'null')),
            hint = 'Use all for nodes that match the whole query, any for nodes with any of its words.';
    end if;
    perform ragraph_private.check_query(rank_text.query);
    select s.* into scope
    from ragraph_private.search_scope(
        rank_text.document_ids, rank_text.component_id, rank_text.node_types, rank_text.pages,
        rank_text.collection, rank_text.tags, rank_text.languages, rank_text.published, rank_text.filter
    ) as s;

    -- 1. what the query says, in each configuration that the store has
    for item in
        select c.oid::regconfig as config, t.*
        from pg_ts_config as c
        cross join lateral ragraph_private.text_terms(rank_text.query, c.oid::regconfig, rank_text.match) as t
        where exists (select 1 from ragraph.content_node as n where n.ts_config = c.oid) and t.condition is not null
        order by c.oid
    loop
        place := place + 1;
        configs := array_append(configs, item.config);
        conditions := array_append(conditions, item.condition);
        phrases := array_append(phrases, item.phrases);
        excluded := array_append(excluded, item.excluded);
        alternatives := array_append(alternatives, item.alternatives);
        words := words || item.words;
        word_configs := word_configs || array_fill(place, array[cardinality(item.words)]);
    end loop;
    if configs is null then
        return; -- nothing but stop words
    end if;
    queries := array(
        select ragraph_private.lexeme_query(w.word) from unnest(words) with ordinality as w (word, place) order by w.place
    );

    -- 2. the scope; $1 to $8 are the same in every statement
    in_scope := ' from ragraph.content_node as n where true'
        || case
            when scope.documents is null then ''
            when cardinality(scope.documents) = 1 then ' and n.document_id = $1[1]'
            else ' and n.document_id = any($1)'
        end
        || case when rank_text.collection is not null then ' and n.collection = $5' else '' end
        || scope.on_node
        || case when scope.on_document <> ''
            then ' and n.document_id in (select d.id from ragraph.document as d'
                || ' inner join ragraph.publication as p on d.publication_id = p.id where true' || scope.on_document || ')'
            else '' end;
    narrow := rank_text.component_id is not null;
    if not narrow then
        execute 'select count(*) <= $9 from (select 1' || in_scope || ' and n.ts_config = any($8) limit $9::bigint + 1) as s'
        into narrow
        using scope.documents, scope.leaves, rank_text.node_types, rank_text.pages, rank_text.collection,
            scope.first_sequence, scope.last_sequence, configs, rank_text.exact_limit;
    end if;

    -- 3. how many nodes there are, how long, and how rare the words
    if narrow then
        execute
            'select array[' || (
                select string_agg(format('count(*) filter (where s.ts_config = $8[%s])', c.place), ', ' order by c.place)
                from generate_subscripts(configs, 1) as c (place)
            ) || ']::float8[], array[' || (
                select string_agg(format('avg(s.length) filter (where s.ts_config = $8[%s])', c.place), ', ' order by c.place)
                from generate_subscripts(configs, 1) as c (place)
            ) || ']::float8[], array[' || coalesce((
                select string_agg(
                    format('count(*) filter (where s.ts_config = $8[%s] and s.text_search @@ $9[%s])', w.config, w.place),
                    ', ' order by w.place
                )
                from unnest(word_configs) with ordinality as w (config, place)
            ), '') || ']::float8[]'
            ' from (select n.ts_config, n.text_search, greatest(n.token_count, length(n.text_search)) as length'
            || in_scope || ') as s'
        into nodes, mean_lengths, frequencies
        using scope.documents, scope.leaves, rank_text.node_types, rank_text.pages, rank_text.collection,
            scope.first_sequence, scope.last_sequence, configs, queries;
    else
        for config_place in 1..cardinality(configs) loop
            select s.nodes, s.mean_length, s.frequencies into item
            from ragraph_private.text_statistics(
                configs[config_place],
                rank_text.collection,
                array(
                    select w.word from unnest(words, word_configs) with ordinality as w (word, config, place)
                    where w.config = config_place order by w.place
                )
            ) as s;
            nodes := nodes || item.nodes;
            mean_lengths := mean_lengths || item.mean_length;
            frequencies := frequencies || item.frequencies;
            best := array_append(best, case when rank_text.match = 'any' then ragraph_private.best_words(
                array(
                    select w.query from unnest(queries, word_configs) with ordinality as w (query, config, place)
                    where w.config = config_place order by w.place limit alternatives[config_place]
                ),
                item.frequencies[:alternatives[config_place]], phrases[config_place], excluded[config_place], enough,
                item.nodes
            ) end);
        end loop;
    end if;
    weights := array(
        -- a little above the number of nodes where statistics lag behind
        select 2.2 * ln(1 + (greatest(nodes[w.config] - w.frequency, 0) + 0.5) / (w.frequency + 0.5))
        from unnest(word_configs, frequencies) with ordinality as w (config, frequency, place)
        order by w.place
    );

    -- 4. a branch of the statement for each configuration that the scope has
    for config_place in 1..cardinality(configs) loop
        continue when nodes[config_place] = 0;
        every_branch := concat_ws(' union all ', every_branch, format(
            'select n.document_id, n.id, %s as score from (select n.document_id, n.id, setweight(n.text_search, ''D'') as vector,'
            ' 1.2 * (0.25 + 0.75 * greatest(n.token_count, length(n.text_search)) / $10[%s]) as norm'
            '%s and n.ts_config = $8[%s] and {condition %s} limit $15) as n',
            coalesce((
                -- ts_rank of one word with all weights 1 is the sum of 1/j^2 for j = 1 .. tf, over pi^2/6: hence tf
                select string_agg(
                    format(
                        '$11[%s] * (1 - n.norm / (n.norm + round(1 / (1.64493406685 - 1.64493406685'
                        ' * ts_rank(''{1,1,1,1}'', n.vector, $9[%s])) - 0.5)))',
                        w.place, w.place
                    ),
                    ' + ' order by w.place
                )
                from unnest(word_configs) with ordinality as w (config, place)
                where w.config = config_place
            ), '0::double precision'),
            config_place, in_scope, config_place, config_place
        ));
    end loop;
    if every_branch is null then
        return;
    end if;
    for attempt in 1..2 loop
        -- first the best nodes of a wide search for any word; where that is not a choice, or too few, all
        continue when attempt = 1 and coalesce(array_remove(best, null), '{}') = '{}';
        best_branch := regexp_replace(every_branch, '\{condition (\d+)\}', 'n.text_search @@ $13[\1]', 'g');
        execute
            'select array_agg(s.document_id order by s.score desc, s.document_id collate "C", s.id collate "C"),'
            ' array_agg(s.id order by s.score desc, s.document_id collate "C", s.id collate "C"),'
            ' array_agg(s.score order by s.score desc, s.document_id collate "C", s.id collate "C")'
            ' from (select u.* from ('
            || case
                when attempt = 1 then best_branch
                when coalesce(array_remove(best, null), '{}') = '{}'
                    then regexp_replace(every_branch, '\{condition (\d+)\}', 'n.text_search @@ $12[\1]', 'g')
                else best_branch || ' union all ' || regexp_replace(
                    every_branch,
                    '\{condition (\d+)\}',
                    '(n.text_search @@ $12[\1] and (n.text_search @@ $13[\1]) is not true)',
                    'g'
                )
            end
            || ') as u order by u.score desc, u.document_id collate "C", u.id collate "C" limit $14) as s'
        into found_documents, found_nodes, found_scores
        using scope.documents, scope.leaves, rank_text.node_types, rank_text.pages, rank_text.collection,
            scope.first_sequence, scope.last_sequence, configs, queries, mean_lengths, weights, conditions, best,
            rank_text.k, most_nodes;
        exit when cardinality(found_nodes) >= rank_text.k;
    end loop;
    return query
    select f.document_id, f.id, f.score, f.place::integer
    from unnest(found_documents, found_nodes, found_scores) with ordinality as f (document_id, id, score, place)
    order by f.place;
end
$$;
comment on function ragraph_private.rank_text(
    text, integer, text[], text, ragraph.content_node_type[], int4range, text, text[], text[], daterange, jsonb, text, integer
) is
'The k nodes that match a query best by BM25. Raises RG001, RG002, RG005';

create or replace function ragraph_private.text_passage(content text, config regconfig, query text, out span int4range)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_variable
declare
    -- what is shorter is its own passage
    short constant integer := 400;
    near constant integer := 160;
    condition tsquery;
    passage text;
    before text;
    lead text;
    place integer;
begin
    if length(text_passage.content) <= short then
        return;
    end if;
    select t.condition into condition
    from ragraph_private.text_terms(text_passage.query, text_passage.config, 'any') as t;
    if condition is null then
        return;
    end if;
    passage := ts_headline(
        text_passage.config, text_passage.content, condition, 'StartSel="", StopSel="", MaxWords=60, MinWords=40'
    );
    -- it is cut out of the content, but where the content holds tags it leaves them out
    place := strpos(text_passage.content, passage);
    if place > 0 and passage <> '' then
        -- back to where its sentence begins, if that is near
        before := substr(text_passage.content, greatest(place - near, 1), least(place - 1, near));
        lead := regexp_replace(before, '^.*[.!?]["”’)]*\s+', '');
        if length(lead) = near then
            lead := '';
        end if;
        span := int4range(place - 1 - length(lead), place - 1 + length(passage));
    end if;
end
$$;
comment on function ragraph_private.text_passage(text, regconfig, text) is
'Where in a long content the words of a query stand closest together; null for a short content';

create or replace function ragraph.search_text(
    query text,
    k integer default 10,
    document_ids text[] default null,
    component_id text default null,
    node_types ragraph.content_node_type[] default null,
    pages int4range default null,
    collection text default null,
    tags text[] default null,
    languages text[] default null,
    published daterange default null,
    filter jsonb default null,
    exact_limit integer default 10000,
    match text default 'all'
)
returns table (
    document_id text, node_id text, score double precision, rank integer, char_start integer, char_end integer
)
language plpgsql
stable
parallel safe
rows 10
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
begin
    return query
    select
        r.document_id,
        r.node_id,
        r.score,
        r.rank,
        n.char_start + lower(p.span),
        n.char_start + upper(p.span)
    from ragraph_private.rank_text(
        search_text.query, search_text.k, search_text.document_ids, search_text.component_id, search_text.node_types,
        search_text.pages, search_text.collection, search_text.tags, search_text.languages, search_text.published,
        search_text.filter, search_text.match, search_text.exact_limit
    ) as r
    inner join ragraph.content_node as n on r.document_id = n.document_id and r.node_id = n.id
    cross join lateral ragraph_private.text_passage(n.content, n.ts_config, search_text.query) as p (span)
    order by r.rank;
end
$$;
comment on function ragraph.search_text(
    text, integer, text[], text, ragraph.content_node_type[], int4range, text, text[], text[], daterange, jsonb, integer, text
) is
'The k nodes that match a query of words best, by BM25, ties by id; char_start and char_end, in the text of
the document, are the best passage of a long content, null where it is the whole. The query is read as websearch_to_tsquery reads it, with the configuration
of each document: "a phrase", -without, one or other. match any makes its words alternatives. Never fewer than k while
k match; with match any in a scope of more than exact_limit nodes, words that are in more than 10,000 nodes find
nodes alone only where rarer words, phrases and pairs of words find fewer than k. Words beyond the hundredth do not
rank, and with match any do not match. Raises RG001, RG002, RG005';
