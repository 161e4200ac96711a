-- Ranks nodes by BM25.
--
-- score = sum over the words of the query: idf * (k1 + 1) * tf / (tf + k1 * (1 - b + b * length / mean length)), idf =
-- ln(1 + (N - n + 0.5) / (n + 0.5)), k1 = 1.2, b = 0.75. Source: Robertson and Zaragoza, The Probabilistic Relevance
-- Framework: BM25 and Beyond (2009); the idf that cannot be negative is that of Lucene.
--
-- Each document is searched with its own configuration. N, n and the mean length are therefore those of the nodes with
-- that configuration. For a small scope they are counted in the scope itself; for a large one they come from
-- ragraph.text_statistics (docs/decisions/0009).

create or replace function ragraph_private.rank_text(
    query text,
    k integer,
    scope ragraph_private.scope,
    match text,
    exact_limit integer
)
returns table (document_id text, node_id text, score double precision, rank integer, share double precision)
language plpgsql
stable
parallel safe
rows 10
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
#variable_conflict use_column
declare
    -- a large search with match any ranks only the nodes with the rarest words, which are in at most this many nodes
    -- together
    enough constant integer := 10000;
    -- number of nodes with the very rarest words that are ranked first: their scores show which nodes need not be
    -- looked up. Fewer nodes tell less, more cost more. If they do not tell, four times as many.
    first_nodes double precision := greatest(300, 10::bigint * rank_text.k);
    attempt integer; -- 0: the nodes with the very rarest words; 1: the best nodes; 2: all, if there is no such choice or it finds too few
    -- no search ranks more nodes than this per configuration
    most_nodes constant integer := 200000;
    item record;
    config regconfig := 0::oid::regconfig; -- zero sorts before all configurations
    only_document constant text := ragraph_private.only_one(scope.documents);
    place integer := 0;
    configs regconfig[]; -- $9
    all_configs boolean := true; -- whether configs are all configurations of the store, or of the only document
    words text[] := '{}'; -- lexemes of all configurations, one after the other; as queries they are $10
    word_configs integer[] := '{}'; -- the place in configs of each word
    befores integer[] := '{}'; -- number of words of the configurations before each
    mean_lengths double precision[] := '{}'; -- $11
    weights double precision[]; -- $12
    conditions tsquery[] := '{}'; -- $13: the condition on nodes
    best tsquery[] := '{}'; -- the condition for the best nodes, if it differs from conditions
    looked tsquery[]; -- $14: the part of it that this attempt looks up
    taken integer[] := '{}'; -- how many of the rarest words of each configuration were looked up so far
    lowest double precision; -- score of the last of the k nodes found so far
    phrases tsquery[] := '{}';
    excluded tsquery[] := '{}';
    alternatives integer[] := '{}';
    nodes double precision[] := '{}';
    frequencies double precision[] := '{}';
    queries tsquery[];
    in_scope text;
    size bigint; -- nodes in scope, counted up to just above exact_limit
    narrow boolean;
    by_index boolean := false; -- whether the nodes with each word are counted by the index
    few constant integer := 1000; -- the words of so few nodes are read at once
    few_times constant integer := 3; -- the store has at most so many times the nodes in scope
    branches text[]; -- the part of the statement for each configuration
    every_branch text; -- all of them
    best_branch text;
    found_documents text[];
    found_nodes text[];
    found_scores double precision[];
    found_mosts double precision[]; -- what the words of the query could give each
    found_texts bigint; -- number of them that are no bibliographic entries
    -- bibliographic entries come after text, unless types are named
    of_entries constant text :=
        case when scope.node_types is null then '(n.content_node_type = ''BIBLIOGRAPHIC_ENTRY'')' else 'false' end;
    began constant timestamptz := clock_timestamp();
    rare_alone boolean := false; -- whether nodes with the rarest words were sufficient
begin
    perform ragraph_private.check_limits(rank_text.k, rank_text.exact_limit);
    if length(rank_text.query) > 10000 then
        -- the parser of queries recurses once per word
        raise exception using
            errcode = 'RG005',
            message = format('the query has %s characters', length(rank_text.query)),
            hint = 'Give at most 10,000 characters: a question, not a document.';
    end if;
    if rank_text.match is null or rank_text.match not in ('all', 'any') then
        raise exception using
            errcode = 'RG005',
            message = format('match is %s', coalesce(quote_literal(rank_text.match), 'null')),
            hint = 'Use all for nodes that match the whole query, any for nodes with any of its words.';
    end if;
    perform ragraph_private.check_query(rank_text.query);

    -- 1. The words of the query, in each configuration of the store, or of the only document.
    loop
        -- from one configuration to the next: two steps of an index if the store has only one
        select n.ts_config into config
        from ragraph.content_node as n
        where n.ts_config > config and (only_document is null or n.document_id = only_document)
        order by n.ts_config
        limit 1;
        exit when not found;
        select t.* into item from ragraph_private.text_terms(rank_text.query, config, rank_text.match) as t;
        all_configs := all_configs and item.condition is not null;
        continue when item.condition is null;
        place := place + 1;
        configs := array_append(configs, config);
        conditions := array_append(conditions, item.condition);
        phrases := array_append(phrases, item.phrases);
        excluded := array_append(excluded, item.excluded);
        alternatives := array_append(alternatives, item.alternatives);
        befores := array_append(befores, cardinality(words));
        words := words || item.words;
        word_configs := word_configs || array_fill(place, array[cardinality(item.words)]);
    end loop;
    if configs is null then
        return; -- stop words only
    end if;
    queries := array(
        select ragraph_private.lexeme_query(w.word) from unnest(words) with ordinality as w (word, place) order by w.place
    );

    -- 2. The scope. $1 to $9 are the same in every statement.
    in_scope := ' from ragraph.content_node as n' || scope.in_sections || ' where true'
        || case
            when scope.documents is null then ''
            when cardinality(scope.documents) = 1 then ' and n.document_id = $1[1]'
            else ' and n.document_id = any($1)'
        end
        || case when scope.collection is not null then ' and n.collection = $5' else '' end
        || scope.on_node
        || case when scope.on_document <> ''
            then ' and n.document_id in (select d.id from ragraph.document as d'
                || ' inner join ragraph.publication as p on d.publication_id = p.id where true' || scope.on_document || ')'
            else '' end;
    -- a search within sections is always exact, whatever their size
    narrow := scope.section_documents is not null;
    if not narrow then
        execute 'select count(*) from (select 1' || in_scope
            -- the index counts nodes by type without reading their configuration
            || case when scope.node_types is null or scope.collection is not null or not all_configs then ' and n.ts_config = any($9)' else '' end
            || ' limit $10::bigint + 1) as s'
        into size
        using scope.documents, scope.leaves, scope.node_types, scope.pages, scope.collection,
            scope.section_documents, scope.section_starts, scope.section_ends, configs, rank_text.exact_limit;
        narrow := size <= rank_text.exact_limit;
        -- the index counts the nodes with a word without reading their other words, but in the whole store; a policy
        -- prevents that
        by_index := size > few and scope.documents is null and scope.on_document = '' and scope.collection is null
            and coalesce((select sum(t.nodes) from ragraph.text_statistics as t) <= few_times * size, false)
            and ragraph_private.sees_whole('ragraph.content_node')
            and to_regclass('pg_catalog.pg_dist_partition') is null;
    end if;

    -- 3. How many nodes there are, how long they are, and how rare the words are.
    if narrow then
        execute
            'select array[' || (
                select string_agg(format('count(*) filter (where s.ts_config = $9[%s])', c.place), ', ' order by c.place)
                from generate_subscripts(configs, 1) as c (place)
            ) || ']::float8[], array[' || (
                select string_agg(format('avg(s.length) filter (where s.ts_config = $9[%s])', c.place), ', ' order by c.place)
                from generate_subscripts(configs, 1) as c (place)
            ) || ']::float8[], array[' || coalesce((
                select string_agg(
                    format(
                        case when by_index
                            then '(select count(*)' || in_scope || ' and n.ts_config = $9[%s] and n.text_search @@ $10[%s])'
                            else 'count(*) filter (where s.ts_config = $9[%s] and s.text_search @@ $10[%s])'
                        end,
                        w.config, w.place
                    ),
                    ', ' order by w.place
                )
                from unnest(word_configs) with ordinality as w (config, place)
            ), '') || ']::float8[]'
            ' from (select n.ts_config, n.text_search, greatest(n.token_count, length(n.text_search)) as length'
            || in_scope || ') as s'
        into nodes, mean_lengths, frequencies
        using scope.documents, scope.leaves, scope.node_types, scope.pages, scope.collection,
            scope.section_documents, scope.section_starts, scope.section_ends, configs, queries;
    else
        for config_place in 1..cardinality(configs) loop
            select s.nodes, s.mean_length, s.frequencies into item
            from ragraph_private.text_statistics(
                configs[config_place],
                scope.collection,
                array(
                    select w.word from unnest(words, word_configs) with ordinality as w (word, config, place)
                    where w.config = config_place order by w.place
                )
            ) as s;
            nodes := nodes || item.nodes;
            mean_lengths := mean_lengths || item.mean_length;
            frequencies := frequencies || item.frequencies;
            best := array_append(best, case when rank_text.match = 'any' then ragraph_private.best_words(
                queries[befores[config_place] + 1:befores[config_place] + alternatives[config_place]],
                item.frequencies[:alternatives[config_place]], phrases[config_place], excluded[config_place], enough,
                item.nodes
            ) end);
        end loop;
    end if;
    -- if only one configuration has such a selection, the others still need their condition
    if coalesce(array_remove(best, null), '{}') <> '{}' then
        best := array(
            select coalesce(b.condition, conditions[b.place]) from unnest(best) with ordinality as b (condition, place) order by b.place
        );
    end if;
    if by_index and rank_text.match = 'any' and (select sum(f.nodes) from unnest(frequencies) as f (nodes)) >= 3 * first_nodes then
        best := conditions; -- all nodes, but those that cannot be among the best are not read
    end if;
    weights := array(
        -- frequencies may slightly exceed the number of nodes if statistics are out of date
        select 2.2 * ln(1 + (greatest(nodes[w.config] - w.frequency, 0) + 0.5) / (w.frequency + 0.5))
        from unnest(word_configs, frequencies) with ordinality as w (config, frequency, place)
        order by w.place
    );

    -- 4. One branch of the statement for each configuration in scope.
    for config_place in 1..cardinality(configs) loop
        -- no node, or none with a word of the query, as in most languages of a few documents
        continue when nodes[config_place] = 0 or rank_text.match = 'any' and phrases[config_place] is null and (
            select max(w.frequency) from unnest(frequencies, word_configs) as w (frequency, config) where w.config = config_place
        ) = 0;
        branches[config_place] := format(
            'select n.document_id, n.id, n.late, %s::double precision as most, %s as score from ('
            -- the words of a node are decompressed once, by setweight
            -- the product of an integer and a plain 0.75 would be numeric, and a twentieth slower as a whole
            'select n.*, 1.2::float8 * (0.25::float8 + 0.75::float8 * greatest(n.token_count, length(n.vector)) / $11[%s]) as norm from ('
            'select n.document_id, n.id, ' || of_entries || ' as late, n.token_count, setweight(n.text_search, ''D'') as vector'
            '%s and n.ts_config = $9[%s] and {condition %s} limit $16) as n offset 0) as n',
            greatest((
                select sum(w.weight)
                from unnest(weights, word_configs) as w (weight, config)
                where w.config = config_place
            ), 1e-9),
            coalesce((
                -- For one word, ts_rank with all weights 1 is the sum of 1/j^2 for j = 1 .. tf, divided by pi^2/6;
                -- hence tf. A lone letter is several lexemes, whose ranks are added. ts_rank_cd counts their positions
                -- and takes half as long again. Most nodes have few of the words, and to ask for that takes a third.
                select string_agg(
                    format(
                        'case when n.vector @@ $10[%s] then $12[%s] * (1 - n.norm / (n.norm + '
                        || case when ragraph_private.is_lone_letter(w.word)
                            then 'ts_rank_cd(''{1,1,1,1}'', n.vector, $10[%s])'
                            else 'round(1 / (1.64493406685 - 1.64493406685 * ts_rank(''{1,1,1,1}'', n.vector, $10[%s])) - 0.5)'
                        end || ')) else 0::double precision end',
                        w.place, w.place, w.place
                    ),
                    ' + ' order by w.place
                )
                from unnest(words, word_configs) with ordinality as w (word, config, place)
                where w.config = config_place
            ), '0::double precision'),
            config_place, in_scope, config_place, config_place
        );
    end loop;
    if branches is null then
        return;
    end if;
    every_branch := array_to_string(branches, ' union all ');
    attempt := case
        when coalesce(array_remove(best, null), '{}') = '{}' then 2
        when (select sum(f.nodes) from unnest(frequencies) as f (nodes)) < 3 * first_nodes then 1
        else 0
    end;
    loop
        looked := best;
        best_branch := every_branch;
        if attempt = 0 or attempt = 1 and lowest is not null then
            best_branch := null;
            for config_place in 1..cardinality(configs) loop
                continue when branches[config_place] is null;
                select w.condition, w.taken, w.complete into item
                from ragraph_private.rarest_words(
                    queries[befores[config_place] + 1:befores[config_place] + alternatives[config_place]],
                    frequencies[befores[config_place] + 1:befores[config_place] + alternatives[config_place]],
                    weights[befores[config_place] + 1:coalesce(befores[config_place + 1], cardinality(weights))],
                    excluded[config_place], case attempt when 0 then first_nodes else enough end, lowest,
                    coalesce(taken[config_place], 0)
                ) as w;
                -- all nodes that may be among the best were looked at, or no further words are rare enough
                continue when item.condition is null and (attempt = 0 or item.complete);
                looked[config_place] := case
                    when attempt = 0 or item.complete then item.condition else coalesce(best[config_place] && item.condition, best[config_place])
                end;
                taken[config_place] := item.taken;
                best_branch := concat_ws(' union all ', best_branch, branches[config_place]);
            end loop;
            exit when attempt = 1 and best_branch is null;
            if lowest is not null then
                -- no bibliographic entry comes before those found
                best_branch := replace(best_branch, '{condition ', 'not ' || of_entries || ' and {condition ');
            end if;
            if found_nodes is not null then
                best_branch := best_branch || (
                    ' union all select f.document_id, f.id, f.place > $21, f.most, f.score'
                    ' from unnest($17, $18, $19, $20) with ordinality as f (document_id, id, most, score, place)'
                );
            end if;
        end if;
        best_branch := regexp_replace(best_branch, '\{condition (\d+)\}', 'n.text_search @@ $14[\1]', 'g');
        if best_branch is not null then
            execute
                'select array_agg(s.document_id order by s.late, s.score desc, s.document_id collate "C", s.id collate "C"),'
                ' array_agg(s.id order by s.late, s.score desc, s.document_id collate "C", s.id collate "C"),'
                ' array_agg(s.score order by s.late, s.score desc, s.document_id collate "C", s.id collate "C"),'
                ' array_agg(s.most order by s.late, s.score desc, s.document_id collate "C", s.id collate "C"),'
                ' count(*) filter (where not s.late)'
                ' from (select u.* from ('
                || case
                    when attempt < 2 then best_branch
                    when coalesce(array_remove(best, null), '{}') = '{}'
                        then regexp_replace(every_branch, '\{condition (\d+)\}', 'n.text_search @@ $13[\1]', 'g')
                    else best_branch || ' union all ' || regexp_replace(
                        every_branch,
                        '\{condition (\d+)\}',
                        '(n.text_search @@ $13[\1] and (n.text_search @@ $14[\1]) is not true)',
                        'g'
                    )
                end
                || ') as u order by u.late, u.score desc, u.document_id collate "C", u.id collate "C" limit $15) as s'
            into found_documents, found_nodes, found_scores, found_mosts, found_texts
            using scope.documents, scope.leaves, scope.node_types, scope.pages, scope.collection,
                scope.section_documents, scope.section_starts, scope.section_ends, configs, queries, mean_lengths, weights, conditions, looked,
                rank_text.k, most_nodes, found_documents, found_nodes, found_mosts, found_scores, found_texts;
        end if;
        rare_alone := attempt < 2 and cardinality(found_nodes) >= rank_text.k;
        exit when attempt = 2 or attempt = 1 and cardinality(found_nodes) >= rank_text.k;
        -- text with a lower score than that of an entry comes before it
        lowest := case when found_texts >= rank_text.k then found_scores[rank_text.k] end;
        first_nodes := 4 * first_nodes;
        if attempt > 0 or lowest is not null or first_nodes > enough then
            attempt := attempt + 1;
        end if;
    end loop;
    perform ragraph_private.report_step('words', began, jsonb_build_object(
        'way', case when narrow then 'counted in the scope' else 'by kept statistics' end
            || case when rare_alone then ', nodes with the rarest words' else '' end,
        'candidates', (select sum(n.nodes) from unnest(nodes) as n (nodes)),
        'rows', coalesce(cardinality(found_nodes), 0)
    ));
    return query
    select f.document_id, f.id, f.score, f.place::integer, f.score / f.most
    from unnest(found_documents, found_nodes, found_scores, found_mosts)
        with ordinality as f (document_id, id, score, most, place)
    order by f.place;
end
$$;
comment on function ragraph_private.rank_text(text, integer, ragraph_private.scope, text, integer) is
'Returns the k nodes of a scope that match a query best by BM25, the best first and ties by document and node id.
Bibliographic entries come last, unless the scope names types. share is the score as a share of what the words of the
query could give, between 0 and 1.
Raises RG005 for an empty or too long query, a wrong match, k or exact_limit';
