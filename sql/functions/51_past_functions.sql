-- Creates each function that reads the tables of a document a second time over the views of ragraph_past, from the same
-- text. So a version is rendered, searched and cited like a document.
do $body$
declare
    past text[] := array(
        select format('ragraph.%s', c.relname)
        from pg_class as c
        where c.relnamespace = 'ragraph_past'::regnamespace and c.relkind = 'v'
    );
    before integer := 0;
    pattern text;
    made record;
begin
    -- types are then printed with their schemas
    perform set_config('search_path', 'pg_catalog', true);
    -- Functions that read a table with a view there, or call such a function. Functions that write or check for errors
    -- exist for live rows only.
    while cardinality(past) > before loop
        before := cardinality(past);
        pattern := '\m(' || replace(array_to_string(past, '|'), '.', '\.') || ')\M(?!\.)';
        past := past || array(
            select distinct format('%s.%s', p.pronamespace::regnamespace, p.proname)
            from pg_proc as p
            where
                p.pronamespace in ('ragraph'::regnamespace, 'ragraph_private'::regnamespace)
                and p.proname !~ '^check_'
                and p.prosrc !~ '(insert into|update|delete from) ragraph\.'
                and pg_get_functiondef(p.oid) ~ pattern
                and format('%s.%s', p.pronamespace::regnamespace, p.proname) <> all(past)
        );
    end loop;
    for made in
        select regexp_replace(pg_get_functiondef(p.oid), pattern, 'ragraph_past.\1', 'g') as definition
        from pg_proc as p
        where format('%s.%s', p.pronamespace::regnamespace, p.proname) = any(past)
    loop
        execute regexp_replace(made.definition, '\mragraph_past\.ragraph(_private)?\.', 'ragraph_past.', 'g');
    end loop;
    -- This function looks up a few nodes by their ids, one by one; the others read a complete document (read_as_of).
    alter function ragraph_past.cited_nodes(text[], text[], boolean) set enable_nestloop to on;
end
$body$;
