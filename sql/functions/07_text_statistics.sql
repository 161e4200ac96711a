-- What BM25 has to know of a large store: how many nodes there are, how long they are, which words are common.
-- docs/decisions/0009 says where the numbers come from and how they stay right.

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
            errcode = 'RG005', message = 'the query is empty', hint = 'Say what to look for.';
    end if;
    if length(check_query.query) > 120000 then
        raise exception using
            errcode = 'RG005',
            message = format('the query has %s characters', length(check_query.query)),
            hint = 'Give at most 120000.';
    end if;
end
$$;
comment on function ragraph_private.check_query(text) is
'Refuses a query without words, and one that is longer than what a text search vector holds. Raises RG005';

create or replace function ragraph.ensure_text_statistics(collection text default null, minimum integer default 1000)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    -- numbers may be off by that share before they are taken again
    tolerance constant double precision := 0.1;
    -- nodes that are read: whole documents, drawn by the hash of their ids
    sample constant integer := 30000;
    -- words in a smaller share of the nodes are counted when they are searched for
    common constant double precision := 0.005;
    item record;
    made integer := 0;
begin
    if ensure_text_statistics.minimum is null then
        raise exception using
            errcode = 'RG005', message = 'minimum is null', hint = 'Give 0 to take statistics of everything; 1000 is the default.';
    end if;
    delete from ragraph.text_statistics as t
    where (ensure_text_statistics.collection is null or t.collection = ensure_text_statistics.collection)
        and not exists (
            select 1 from ragraph.content_node as n where n.ts_config = t.ts_config and n.collection = t.collection
        );
    for item in
        select g.collection, g.ts_config, g.nodes
        from (
            select n.collection, n.ts_config, count(*) as nodes
            from ragraph.content_node as n
            where ensure_text_statistics.collection is null or n.collection = ensure_text_statistics.collection
            group by n.collection, n.ts_config
        ) as g
        left join ragraph.text_statistics as t on g.collection = t.collection and g.ts_config = t.ts_config
        where g.nodes >= ensure_text_statistics.minimum and abs(g.nodes - coalesce(t.nodes, 0)) > tolerance * coalesce(t.nodes, 0)
        order by g.collection, g.ts_config::oid
    loop
        insert into ragraph.text_statistics (collection, ts_config, nodes, mean_length, shares)
        with counted as (
            select n.document_id, count(*) as nodes
            from ragraph.content_node as n
            where n.collection = item.collection and n.ts_config = item.ts_config
            group by n.document_id
        ), drawn as (
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
            cross join lateral unnest(r.text_search) as w
            group by w.lexeme
            having count(*) >= common * (select s.nodes from size as s)
        )
        select
            item.collection,
            item.ts_config,
            item.nodes,
            s.mean_length,
            (select coalesce(jsonb_object_agg(w.lexeme, round((w.nodes / s.nodes)::numeric, 5)), '{}') from words as w)
        from size as s
        on conflict (collection, ts_config) do update
            set nodes = excluded.nodes,
                mean_length = excluded.mean_length,
                shares = excluded.shares,
                updated_at = now();
        made := made + 1;
    end loop;
    return made;
end
$$;
comment on function ragraph.ensure_text_statistics(text, integer) is
'Takes the statistics that full text search ranks by in large scopes, of each collection and configuration with at
least minimum nodes whose number of nodes has moved by more than a tenth since; returns how many were taken.
collection: only that one. Call it after loading or deleting; ingestion does. Raises RG005';

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
    -- nodes of a rare word that are counted at most
    most_counted constant integer := 10000;
    shares jsonb[];
    sizes double precision[];
    condition constant text := ' from ragraph.content_node as n where n.ts_config = $1'
        || case when text_statistics.collection is not null then ' and n.collection = $2' else '' end;
    one text;
    frequency double precision;
begin
    select array_agg(t.nodes::double precision), array_agg(t.shares), sum(t.nodes), sum(t.nodes * t.mean_length) / sum(t.nodes)
    into sizes, shares, nodes, mean_length
    from ragraph.text_statistics as t
    where t.ts_config = text_statistics.config
        and (text_statistics.collection is null or t.collection = text_statistics.collection);
    if nodes is null then
        -- nobody took any: counted now, the length on the first nodes that come
        execute 'select count(*)' || condition into nodes using text_statistics.config, text_statistics.collection;
        execute 'select avg(greatest(s.token_count, length(s.text_search))) from (select n.*' || condition || ' limit 1000) as s'
        into mean_length
        using text_statistics.config, text_statistics.collection;
    end if;
    frequencies := '{}';
    foreach one in array text_statistics.words loop
        select sum(s.size * (s.share ->> one)::double precision) into frequency
        from unnest(sizes, shares) as s (size, share);
        if frequency is null then
            execute 'select count(*) from (select 1' || condition || ' and n.text_search @@ $3 limit $4) as s'
            into frequency
            using text_statistics.config, text_statistics.collection, ragraph_private.lexeme_query(one), most_counted;
        end if;
        frequencies := frequencies || frequency;
    end loop;
end
$$;
comment on function ragraph_private.text_statistics(regconfig, text, text[]) is
'Number of nodes of a configuration, their mean length, and in how many of them each word is: common words from the
statistics, others counted through the index';
