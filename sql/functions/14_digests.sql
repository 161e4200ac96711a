-- Digests of the content of a store, to compare it with a copy: a backup, another server, another version.

create or replace function ragraph_private.digest_query(table_name name)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    columns text;
    of_document text;
begin
    select
        string_agg(format('t.%I', a.attname), ', ' order by a.attname collate "C"),
        coalesce(max(format('t.%I', a.attname)) filter (where a.attname = 'document_id'), 'null::text')
    into columns, of_document
    from pg_attribute as a
    where a.attrelid = format('ragraph.%I', digest_query.table_name)::regclass
        and a.attnum > 0
        and not a.attisdropped
        and a.attgenerated = ''; -- another version of the server may compute generated columns differently
    if digest_query.table_name = 'document' then
        of_document := 't.id';
    end if;
    return format(
        'select r.document_id, count(*), md5(string_agg(r.digest, '''' order by r.digest collate "C"))'
        ' from (select %s as document_id, md5(row(%s)::text) as digest from ragraph.%I as t) as r group by r.document_id',
        of_document, columns, digest_query.table_name
    );
end
$$;
comment on function ragraph_private.digest_query(name) is
'Returns a query for the number of rows of a table and their digest, per document if the table has documents. Columns
are in the order of their names, rows in the order of their digests';

create or replace function ragraph.store_digests()
returns table (table_name text, document_id text, row_count bigint, digest text)
language plpgsql
stable
parallel unsafe
rows 1000
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set timezone = 'UTC'
set datestyle = 'ISO, YMD'
set intervalstyle = 'postgres'
set extra_float_digits = 1
set bytea_output = 'hex'
set quote_all_identifiers = off
as $$
declare
    part record;
begin
    for part in
        select c.relname
        from pg_class as c
        where c.relnamespace = 'ragraph'::regnamespace
            and c.relkind in ('r', 'p')
            and not c.relispartition
            -- counts derived from the other tables, the revision of the schema, which an upgrade changes, and what only
            -- the owner may read
            and c.relname not in ('text_statistics', 'text_change', 'alembic_version', 'access_token', 'audit_event')
        order by c.relname
    loop
        table_name := part.relname;
        for document_id, row_count, digest in execute ragraph_private.digest_query(part.relname)
        loop
            return next;
        end loop;
    end loop;
end
$$;
comment on function ragraph.store_digests() is
'Returns the number of rows and an MD5 digest for each table and document; for tables without documents, for the
complete table (document_id is null). Tables are in the order of their names. Two stores with the same content return
the same rows, on any version of the server. Generated columns and the counts of words are left out';
