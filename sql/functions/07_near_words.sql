-- When no text has the words of a query: words of the store that are spelled alike or, in languages that join words, that
-- have them as a part.

create or replace function ragraph_private.edits(one text, other text, most integer)
returns integer
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    before integer[];
    previous integer[] := array(select generate_series(0, length(edits.other)));
    current integer[];
    same boolean;
begin
    if abs(length(edits.one) - length(edits.other)) > edits.most then
        return edits.most + 1;
    end if;
    for i in 1..length(edits.one) loop
        current := array[i];
        for j in 1..length(edits.other) loop
            same := substr(edits.one, i, 1) = substr(edits.other, j, 1);
            current[j + 1] := least(previous[j + 1] + 1, current[j] + 1, previous[j] + (not same)::integer);
            if i > 1 and j > 1 and substr(edits.one, i, 1) = substr(edits.other, j - 1, 1)
                and substr(edits.one, i - 1, 1) = substr(edits.other, j, 1)
            then
                current[j + 1] := least(current[j + 1], before[j - 1] + 1);
            end if;
        end loop;
        before := previous;
        previous := current;
    end loop;
    return previous[length(edits.other) + 1];
end
$$;
comment on function ragraph_private.edits(text, text, integer) is
'Returns how many letters must be inserted, deleted, replaced or exchanged with the next one to make one word of another
(Damerau 1964, optimal string alignment); words whose lengths differ by more than most give most + 1';

create or replace function ragraph_private.near_query(
    query text, scope ragraph_private.scope, out near text, out missing text[], out taken text[], out as_parts boolean
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
    -- nodes whose words are compared, and words taken for one
    most_nodes constant integer := 20000;
    most_words constant integer := 10;
    shortest constant integer := 5; -- letters of a word that is replaced, and of a part
    joining constant text[] := '{german,dutch,danish,swedish,norwegian,finnish,hungarian}';
    in_scope text;
    -- share of the tokens with which a configuration has most of the words, without reading these
    clear constant double precision := 0.9;
    words text; -- the statement that reads the words of the scope
    config regconfig; -- that of most words
    ignored regconfig;
    joins boolean; -- whether its language joins words
    known boolean; -- whether a word needs no other one
    spelled boolean; -- whether a text of the store has it
    vocabulary text[];
    token text;
    lexeme text;
    alike text[];
    surface text;
    best text;
begin
    missing := '{}';
    taken := '{}';
    as_parts := true;
    -- phrases, exclusions and alternatives are asked for as they are
    if near_query.query ~ '["]|(^|\s)-|\s(or|OR)\s' or length(near_query.query) > 200 then
        return;
    end if;
    in_scope := ' from ragraph.content_node as n' || scope.in_sections || ' where true'
        || case when scope.documents is not null then ' and n.document_id = any($1)' else '' end
        || case when scope.collection is not null then ' and n.collection = $5' else '' end || scope.on_node
        || case when scope.on_document <> ''
            then ' and n.document_id in (select d.id from ragraph.document as d'
                || ' inner join ragraph.publication as p on d.publication_id = p.id where true' || scope.on_document || ')'
            else '' end;
    words := 'select s.ts_config, array_agg(distinct w.word) from (select n.ts_config, n.text_search' || in_scope
        || ' limit $9) as s cross join lateral unnest(tsvector_to_array(s.text_search)) as w (word)'
        ' where length(w.word) >= $10 and w.word !~ ''[0-9]'' and ($11 is null or s.ts_config = $11)'
        ' group by s.ts_config order by count(*) desc limit 1';
    execute 'select t.ts_config from (select s.ts_config, sum(s.token_count) as tokens, sum(sum(s.token_count)) over () as whole'
        ' from (select n.ts_config, n.token_count' || in_scope || ' limit $9) as s group by s.ts_config) as t'
        ' where t.tokens >= $10 * t.whole'
    into config
    using scope.documents, scope.leaves, scope.node_types, scope.pages, scope.collection,
        scope.section_documents, scope.section_starts, scope.section_ends, most_nodes, clear;
    if config is null then
        execute words
        into config, vocabulary
        using scope.documents, scope.leaves, scope.node_types, scope.pages, scope.collection,
            scope.section_documents, scope.section_starts, scope.section_ends, most_nodes, shortest - 1, config;
    end if;
    if config is null then
        return;
    end if;
    joins := config::text = any(joining);
    near := '';
    for token in select t.token from regexp_split_to_table(btrim(near_query.query), '\s+') as t (token) loop
        lexeme := (tsvector_to_array(to_tsvector(config, token)))[1];
        known := lexeme is null or length(token) < shortest or lexeme ~ '[0-9]';
        -- a word that another text has is spelled as meant
        spelled := not known and exists (
            select 1 from ragraph.content_node as n
            where n.text_search @@ ragraph_private.lexeme_query(lexeme) and n.ts_config = config
        );
        known := known or spelled and not joins;
        if not known and vocabulary is null then
            -- to read the words of the scope takes most of the time
            execute words
            into ignored, vocabulary
            using scope.documents, scope.leaves, scope.node_types, scope.pages, scope.collection,
                scope.section_documents, scope.section_starts, scope.section_ends, most_nodes, shortest - 1, config;
            vocabulary := coalesce(vocabulary, '{}');
        end if;
        if known or lexeme = any(vocabulary) then
            near := near || ' ' || token;
            continue;
        end if;
        alike := '{}';
        if joins and length(lexeme) >= shortest then
            alike := array(
                select v.word from unnest(vocabulary) as v (word)
                where strpos(v.word, lexeme) > 0 order by length(v.word), v.word limit most_words
            );
        end if;
        if alike = '{}' and not spelled then
            as_parts := false;
            alike := array(
                select s.word
                from (
                    select v.word, ragraph_private.edits(lexeme, v.word, 2) as edits
                    from unnest(vocabulary) as v (word)
                    where left(v.word, 1) = left(lexeme, 1) and abs(length(v.word) - length(lexeme)) <= 2
                ) as s
                where s.edits <= case when length(lexeme) >= 9 then 2 else 1 end
                order by s.edits, s.word
                limit 1
            );
        end if;
        if alike = '{}' then
            near := near || ' ' || token;
            continue;
        end if;
        missing := missing || token;
        foreach best in array alike loop
            -- a word as a text has it, because the stem of a stem may be another one
            execute 'select m.word[1]' || replace(in_scope, ' where true', ' cross join lateral regexp_matches('
                'n.content, ''[[:alpha:]]{3,}'', ''g'') as m (word) where true')
                || ' and n.text_search @@ $9 and tsvector_to_array(to_tsvector($10, m.word[1])) = array[$11] limit 1'
            into surface
            using scope.documents, scope.leaves, scope.node_types, scope.pages, scope.collection,
                scope.section_documents, scope.section_starts, scope.section_ends, ragraph_private.lexeme_query(best), config, best;
            if surface is not null and surface <> all(taken) then
                taken := taken || surface;
                near := near || ' ' || surface;
            end if;
        end loop;
    end loop;
    near := case when taken <> '{}' then btrim(near) end;
end
$$;
comment on function ragraph_private.near_query(text, ragraph_private.scope) is
'Returns a query without results with words of the scope in place of those that no text has: words that have them as a
part, in languages that join words (German, Dutch, the Nordic languages, Hungarian), else the word that is spelled most
alike, unless a text outside the scope has the word itself. missing and taken hold the words of both. near is null if there
are none, and for queries with phrases, exclusions or alternatives. Only if a word may need another one it reads the words
of the scope, of at most 20,000 nodes';

create or replace function ragraph_private.note_near(missing text[], taken text[], as_parts boolean)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    raise notice using
        errcode = '01RG1',
        message = format(
            'no text has %s; searched for %s', array_to_string(note_near.missing, ', '), array_to_string(note_near.taken, ', ')
        ),
        hint = case when note_near.as_parts then 'These words have it as a part.' else 'Put a word in quotes to search for it only.' end;
end
$$;
comment on function ragraph_private.note_near(text[], text[], boolean) is
'Reports that a search used other words because no text has those of the query';
