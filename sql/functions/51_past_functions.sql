-- Each function that reads the tables of a document, once more over the views of ragraph_past: made of the same text,
-- so that a version is rendered, searched and cited as a document is.
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
    -- types are printed with their schemas then
    perform set_config('search_path', 'pg_catalog', true);
    -- what reads a table that is a view there, or calls what does; what writes, or looks for errors, is of live rows
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
    -- What looks a few nodes up by their ids finds them one by one; the rest reads all of a document (read_as_of).
    alter function ragraph_past.cited_nodes(text[], text[], boolean) set enable_nestloop to on;
end
$body$;
