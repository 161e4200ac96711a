-- Statistics that BM25 needs of a large store: the number of nodes, their mean length, and the common words.
-- docs/decisions/0009 explains where they come from and how they are updated.

create or replace function ragraph_private.check_query(query text)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    if coalesce(btrim(check_query.query, E' \t\r\n'), '') = '' then
        raise exception using
            errcode = 'RG005', message = 'the query is empty', hint = 'Give at least one word to look for.';
    end if;
    if length(check_query.query) > 120000 then
        raise exception using
            errcode = 'RG005',
            message = format('the query has %s characters', length(check_query.query)),
            hint = 'Give at most 120,000 characters.';
    end if;
end
$$;
comment on function ragraph_private.check_query(text) is
'Raises RG005 if a query has no words or is longer than a text search vector can be';

create or replace function ragraph_private.count_text(collection text, recount boolean)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    seen jsonb;
    sizes jsonb;
begin
    -- two sessions that apply changes at once would wait for each other's rows; the key is "ragraph" followed by a two
    perform pg_advisory_xact_lock(8241982534023407618);
    if count_text.recount then
        -- One statement, so that both CTEs see the same documents. The changes that it saw are then subtracted instead
        -- of deleted, because a writer may have added to them since.
        with noted as materialized (
            select c.document_id, c.collection, c.ts_config, c.nodes
            from ragraph.text_change as c
            where count_text.collection is null or c.collection = count_text.collection
        ),
        counted as materialized (
            select n.collection, n.ts_config, count(*) as nodes
            from ragraph.content_node as n
            where count_text.collection is null or n.collection = count_text.collection
            group by n.collection, n.ts_config
        )
        select
            (select jsonb_agg(jsonb_build_array(n.document_id, n.collection, n.ts_config::oid, n.nodes)) from noted as n),
            (select jsonb_agg(jsonb_build_array(c.collection, c.ts_config::oid, c.nodes)) from counted as c)
        into seen, sizes;
        update ragraph.text_change as c
        set nodes = c.nodes - (n.row ->> 3)::integer
        from jsonb_array_elements(seen) as n (row)
        where c.document_id = n.row ->> 0
            and c.collection = n.row ->> 1
            and c.ts_config = (n.row ->> 2)::oid::regconfig;
        delete from ragraph.text_change as c
        where c.nodes = 0 and (count_text.collection is null or c.collection = count_text.collection);
        delete from ragraph.text_statistics as t
        where (count_text.collection is null or t.collection = count_text.collection)
            and (t.collection, t.ts_config::oid::bigint) not in (
                select s.row ->> 0, (s.row ->> 1)::bigint from jsonb_array_elements(sizes) as s (row)
            );
        insert into ragraph.text_statistics as t (collection, ts_config, nodes)
        select s.row ->> 0, (s.row ->> 1)::oid::regconfig, (s.row ->> 2)::bigint
        from jsonb_array_elements(sizes) as s (row)
        on conflict (collection, ts_config) do update set nodes = excluded.nodes
            where t.nodes <> excluded.nodes;
        return;
    end if;
    with noted as (
        delete from ragraph.text_change as c
        where count_text.collection is null or c.collection = count_text.collection
        returning c.collection, c.ts_config, c.nodes
    )
    insert into ragraph.text_statistics as t (collection, ts_config, nodes)
    select n.collection, n.ts_config, sum(n.nodes)
    from noted as n
    group by n.collection, n.ts_config
    having sum(n.nodes) <> 0
    order by n.collection, n.ts_config::oid
    on conflict (collection, ts_config) do update set nodes = t.nodes + excluded.nodes;
    delete from ragraph.text_statistics as t
    where (count_text.collection is null or t.collection = count_text.collection) and t.nodes <= 0;
end
$$;
comment on function ragraph_private.count_text(text, boolean) is
'Updates the numbers of nodes in text_statistics, from the changes noted since the last update or, with recount, by
counting all nodes';

create or replace function ragraph_private.note_text(document_id text, sign integer)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
begin
    insert into ragraph.text_change as c (document_id, collection, ts_config, nodes)
    select n.document_id, n.collection, n.ts_config, note_text.sign * count(*)
    from ragraph.content_node as n
    where n.document_id = note_text.document_id
    group by n.document_id, n.collection, n.ts_config
    on conflict (document_id, collection, ts_config) do update set nodes = c.nodes + excluded.nodes;
    if note_text.sign > 0 then
        perform ragraph_private.keep_sentences(note_text.document_id);
    end if;
end
$$;
comment on function ragraph_private.note_text(text, integer) is
'Notes the nodes of a document for text_statistics: with sign -1 before they are changed or deleted, with 1 after they
were written, which also makes their sentences. The cost depends on the document, not on the size of the store';

create or replace function ragraph_private.forget_words(collections text[], ts_configs oid[], lexemes text[])
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    words tsquery;
begin
    for place in 1..cardinality(forget_words.lexemes) loop
        words := ragraph_private.lexeme_query(forget_words.lexemes[place]);
        -- one query per word, because a cluster cannot run a query on its shards for each element of a list
        perform 1
        from ragraph.content_node as n
        where n.collection = forget_words.collections[place]
            and n.ts_config = forget_words.ts_configs[place]
            and n.text_search @@ words
        limit 1;
        if not found then
            update ragraph.text_statistics as t
            set shares = t.shares - forget_words.lexemes[place]
            where t.collection = forget_words.collections[place] and t.ts_config = forget_words.ts_configs[place];
        end if;
    end loop;
end
$$;
comment on function ragraph_private.forget_words(text[], oid[], text[]) is
'Removes words from text_statistics that no node has any more. Each place of the three lists describes one word: its
collection, its configuration and the lexeme';

create or replace function ragraph.ensure_text_statistics(
    collection text default null, minimum integer default 1000, recount boolean default true
)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    -- share by which the number of nodes may change before statistics are computed again
    tolerance constant double precision := 0.1;
    -- minimum number of nodes that are read: whole documents, chosen by the hash of their ids
    sample constant integer := 30000;
    -- words in a smaller share of the nodes are counted when they are searched for
    common constant double precision := 0.005;
    item record;
    mean double precision;
    common_words jsonb;
    made integer := 0;
begin
    if ensure_text_statistics.minimum is null then
        raise exception using
            errcode = 'RG005', message = 'minimum is null', hint = 'Give 0 for statistics of everything; 1000 is the default.';
    end if;
    perform ragraph_private.count_text(ensure_text_statistics.collection, ensure_text_statistics.recount);
    for item in
        select t.collection, t.ts_config
        from ragraph.text_statistics as t
        where (ensure_text_statistics.collection is null or t.collection = ensure_text_statistics.collection)
            and t.nodes >= ensure_text_statistics.minimum
            and abs(t.nodes - t.sampled) > tolerance * t.sampled
        order by t.collection, t.ts_config::oid
    loop
        with counted as (
            select n.document_id, count(*) as nodes
            from ragraph.content_node as n
            where n.collection = item.collection and n.ts_config = item.ts_config
            group by n.document_id
        ), drawn as materialized (
            select c.document_id
            from (
                select
                    d.document_id,
                    sum(d.nodes) over (order by md5(d.document_id), d.document_id) - d.nodes as before
                from counted as d
            ) as c
            where c.before < sample
        ), read as materialized (
            select n.text_search, greatest(n.token_count, length(n.text_search)) as length
            from drawn as d
            inner join ragraph.content_node as n
                on d.document_id = n.document_id and n.collection = item.collection and n.ts_config = item.ts_config
        ), size as (
            select count(*)::double precision as nodes, avg(r.length)::double precision as mean_length from read as r
        ), words as (
            select w.lexeme, count(*) as nodes
            from read as r
            -- without the positions of the words, which unnest(tsvector) would return as well at twice the cost
            cross join lateral unnest(tsvector_to_array(r.text_search)) as w (lexeme)
            group by w.lexeme
            having count(*) >= common * (select s.nodes from size as s)
        )
        select
            s.mean_length,
            (select coalesce(jsonb_object_agg(w.lexeme, round((w.nodes / s.nodes)::numeric, 5)), '{}') from words as w)
        into mean, common_words
        from size as s;
        update ragraph.text_statistics as t
        set sampled = t.nodes, mean_length = mean, shares = common_words, updated_at = now()
        where t.collection = item.collection and t.ts_config = item.ts_config;
        made := made + 1;
    end loop;
    return made;
end
$$;
comment on function ragraph.ensure_text_statistics(text, integer, boolean) is
'Computes the statistics that full text search uses to rank in large scopes, and returns for how many pairs of
collection and configuration it did so. Statistics are computed for those with at least minimum nodes whose number of
nodes has changed by more than a tenth since the last time.
collection restricts this to one collection. recount counts all nodes, which is required for rows written by statements
of your own; false uses the changes noted by ingestion and delete_document(), at a cost that does not grow with the
store. Call this function after loading or deleting; ragraph ingest and ragraph delete do. Raises RG005 if minimum is
null';

create or replace function ragraph_private.text_statistics(
    config regconfig, collection text, words text[],
    out nodes double precision, out mean_length double precision, out frequencies double precision[]
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_variable
declare
    -- nodes of a rare word counted at most
    most_counted constant integer := 10000;
    -- nodes for which no statistics are kept (ensure_text_statistics)
    few constant integer := 1000;
    shares jsonb[];
    sizes double precision[];
    condition constant text := ' from ragraph.content_node as n where n.ts_config = $1'
        || case when text_statistics.collection is not null then ' and n.collection = $2' else '' end;
    one text;
    frequency double precision;
    counted double precision;
begin
    select array_agg(t.nodes::double precision), array_agg(t.shares), sum(t.nodes), sum(t.nodes * t.mean_length) / sum(t.nodes)
    into sizes, shares, nodes, mean_length
    from ragraph.text_statistics as t
    where t.ts_config = text_statistics.config
        and t.shares is not null
        and (text_statistics.collection is null or t.collection = text_statistics.collection);
    if nodes is null then
        execute 'select count(*) from (select 1' || condition || ' limit $3 + 1) as s' into nodes
        using text_statistics.config, text_statistics.collection, few;
        if nodes <= few then
            -- a statement for each word would take longer than to read the nodes
            execute
                'select avg(greatest(s.token_count, length(s.text_search))), array[' || coalesce((
                    select string_agg(format('count(*) filter (where s.text_search @@ $3[%s])', w.place), ', ' order by w.place)
                    from generate_subscripts(text_statistics.words, 1) as w (place)
                ), '') || ']::float8[] from (select n.*' || condition || ') as s'
            into mean_length, frequencies
            using text_statistics.config, text_statistics.collection, array(
                select ragraph_private.lexeme_query(w.word)
                from unnest(text_statistics.words) with ordinality as w (word, place) order by w.place
            );
            return;
        end if;
        -- no statistics yet: count now, and take the mean length of the first nodes that are read
        execute 'select count(*)' || condition into nodes using text_statistics.config, text_statistics.collection;
        execute 'select avg(greatest(s.token_count, length(s.text_search))) from (select n.*' || condition || ' limit 1000) as s'
        into mean_length
        using text_statistics.config, text_statistics.collection;
    end if;
    frequencies := '{}';
    foreach one in array text_statistics.words loop
        select sum(s.size * (s.share ->> one)::double precision) into frequency
        from unnest(sizes, shares) as s (size, share);
        -- for a lone letter the statistics only know its occurrences on its own, not the pairs that begin with it
        if frequency is null or ragraph_private.is_lone_letter(one) then
            execute 'select count(*) from (select 1' || condition || ' and n.text_search @@ $3 limit $4) as s'
            into counted
            using text_statistics.config, text_statistics.collection, ragraph_private.lexeme_query(one), most_counted;
            frequency := greatest(frequency, counted);
        end if;
        frequencies := frequencies || frequency;
    end loop;
end
$$;
comment on function ragraph_private.text_statistics(regconfig, text, text[]) is
'Returns the number of nodes of a configuration, their mean length, and in how many of them each word is, in the order
of words. Common words come from the statistics, others are counted through the index, at most 10,000 nodes each';
