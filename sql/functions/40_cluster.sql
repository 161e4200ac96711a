-- More than one machine: the tables on the nodes of a Citus cluster. Names of Citus appear only in strings, because
-- these functions are also created on servers without it.

create or replace function ragraph_private.cluster_tables()
returns table (table_name text, kind text)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return query
    select
        c.relname::text,
        case
            when c.relname = 'document' or a.attname is not null then 'distributed'
            -- jobs are a queue that one server hands out, and the log is written by the server that answers
            when c.relname in ('alembic_version', 'audit_event', 'query_log') or starts_with(c.relname, 'ingest_') then 'local'
            else 'reference'
        end
    from pg_class as c
    inner join pg_index as i on c.oid = i.indrelid and i.indisprimary
    left join pg_attribute as a on c.oid = a.attrelid and a.attname = 'document_id' and a.attnum = any(i.indkey)
    where c.relnamespace = 'ragraph'::regnamespace and c.relkind in ('r', 'p')
    order by 2, c.relname <> 'document', 1;
end
$$;
comment on function ragraph_private.cluster_tables() is
'Returns the kind of each table of the store on a cluster: distributed by document, a reference table on every node, or
local to the coordinator. Distributed tables come first, document before all others';

create or replace function ragraph_private.is_distributed()
returns boolean
language plpgsql
stable
parallel restricted
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    distributed boolean := false;
begin
    if to_regclass('pg_catalog.pg_dist_partition') is not null then
        execute 'select exists (select from pg_catalog.pg_dist_partition as p where p.logicalrelid = $1)'
        into distributed using 'ragraph.document'::regclass;
    end if;
    return distributed;
end
$$;
comment on function ragraph_private.is_distributed() is
'Returns true if documents are distributed over the nodes of a cluster, where some forms of statements do not work';

create or replace function ragraph.cluster_status()
returns table (table_name text, kind text, shards integer, bytes bigint)
language plpgsql
stable
parallel restricted
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    if to_regclass('pg_catalog.pg_dist_partition') is null then
        return query
        select t.table_name, 'local'::text, 0, pg_total_relation_size(format('ragraph.%I', t.table_name)::regclass)
        from ragraph_private.cluster_tables() as t;
        return;
    end if;
    -- static SQL would be resolved when the function is created
    return query execute $query$
        select
            t.table_name,
            case p.partmethod when 'h' then 'distributed' when 'n' then 'reference' else 'local' end,
            (select count(*)::integer from pg_catalog.pg_dist_shard as s where s.logicalrelid = p.logicalrelid),
            case
                when p.logicalrelid is null then pg_total_relation_size(format('ragraph.%I', t.table_name)::regclass)
                else citus_total_relation_size(p.logicalrelid)
            end
        from ragraph_private.cluster_tables() as t
        left join pg_catalog.pg_dist_partition as p
            on p.logicalrelid = format('ragraph.%I', t.table_name)::regclass
        order by 2, 1
    $query$;
end
$$;
comment on function ragraph.cluster_status() is
'Returns the state of each table of the store on a Citus cluster: distributed, reference or local, its number of
shards, and its bytes on all nodes, in the order of kind and name. All are local if the database has no Citus';

create or replace function ragraph_private.table_sizes()
returns table (table_name text, row_count bigint, table_bytes bigint, index_bytes bigint)
language plpgsql
stable
parallel restricted
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    -- Of a shard, by its own name. The server estimates its rows; what it counted is lost in a crash.
    sizes constant text := 'select concat_ws('' '', coalesce(nullif(pg_stat_get_live_tuples(c.oid), 0), greatest(c.reltuples, 0)::bigint),'
        ' pg_table_size(c.oid), pg_indexes_size(c.oid)) from pg_class as c where c.oid = ''%s''::regclass';
begin
    if not ragraph_private.is_distributed() then
        return query
        select
            c.relname::text, coalesce(nullif(pg_stat_get_live_tuples(c.oid), 0), greatest(c.reltuples, 0)::bigint),
            pg_table_size(c.oid), pg_indexes_size(c.oid)
        from pg_class as c
        where c.relnamespace = 'ragraph'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition;
        return;
    end if;
    return query execute $query$
        select
            c.relname::text,
            coalesce(s.rows, greatest(pg_stat_get_live_tuples(c.oid), 0)),
            coalesce(s.bytes, pg_table_size(c.oid)),
            coalesce(s.index_bytes, pg_indexes_size(c.oid))
        from pg_class as c
        left join lateral (
            select
                sum(split_part(r.result, ' ', 1)::bigint)::bigint as rows,
                sum(split_part(r.result, ' ', 2)::bigint)::bigint as bytes,
                sum(split_part(r.result, ' ', 3)::bigint)::bigint as index_bytes
            from run_command_on_shards(c.oid::regclass, $1) as r
            where r.success
        ) as s on exists (select 1 from pg_catalog.pg_dist_partition as p where p.logicalrelid = c.oid)
        where c.relnamespace = 'ragraph'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    $query$ using sizes;
end
$$;
comment on function ragraph_private.table_sizes() is
'Returns the estimated rows of each table, and its bytes without and of its indexes; on a cluster those of all shards that
answer';

create or replace function ragraph_private.index_sizes()
returns table (index_name text, access_method text, is_valid boolean, scans bigint, index_bytes bigint)
language plpgsql
stable
parallel restricted
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    -- of a shard: the names of its indexes end with its number
    sizes constant text := 'select jsonb_agg(jsonb_build_object('
        '''name'', regexp_replace(c.relname, ''_[0-9]+$'', ''''), ''valid'', i.indisvalid,'
        ' ''scans'', pg_stat_get_numscans(c.oid), ''bytes'', pg_relation_size(c.oid)))'
        ' from pg_index as i inner join pg_class as c on i.indexrelid = c.oid where i.indrelid = ''%s''::regclass';
begin
    if not ragraph_private.is_distributed() then
        return query
        select
            i.indexrelid::regclass::text, a.amname::text, i.indisvalid, pg_stat_get_numscans(i.indexrelid),
            pg_relation_size(i.indexrelid)
        from pg_index as i
        inner join pg_class as c on i.indexrelid = c.oid
        inner join pg_class as t on i.indrelid = t.oid
        inner join pg_am as a on c.relam = a.oid
        where t.relnamespace = 'ragraph'::regnamespace;
        return;
    end if;
    return query execute $query$
        with held as materialized (
            select
                t.oid as of_table,
                u.item ->> 'name' as name,
                bool_and((u.item -> 'valid')::boolean) as valid,
                sum((u.item ->> 'scans')::bigint)::bigint as scans,
                sum((u.item ->> 'bytes')::bigint)::bigint as bytes
            from pg_class as t
            inner join pg_catalog.pg_dist_partition as p on t.oid = p.logicalrelid
            cross join lateral run_command_on_shards(t.oid::regclass, $1) as r
            cross join lateral jsonb_array_elements(case when r.success then r.result::jsonb else '[]' end) as u (item)
            where t.relnamespace = 'ragraph'::regnamespace
            group by 1, 2
        )
        select
            i.indexrelid::regclass::text,
            a.amname::text,
            coalesce(h.valid, i.indisvalid),
            coalesce(h.scans, pg_stat_get_numscans(i.indexrelid)),
            coalesce(h.bytes, pg_relation_size(i.indexrelid))
        from pg_index as i
        inner join pg_class as c on i.indexrelid = c.oid
        inner join pg_class as t on i.indrelid = t.oid
        inner join pg_am as a on c.relam = a.oid
        left join held as h on i.indrelid = h.of_table and c.relname = h.name
        where t.relnamespace = 'ragraph'::regnamespace
    $query$ using sizes;
end
$$;
comment on function ragraph_private.index_sizes() is
'Returns each index with its method, validity, scans and bytes; on a cluster those of all shards that answer';

create or replace function ragraph_private.database_bytes()
returns bigint
language plpgsql
stable
parallel restricted
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    bytes bigint := pg_database_size(current_database());
begin
    if ragraph_private.is_distributed() then
        execute 'select sum(r.result::bigint) filter (where r.success)'
            ' from run_command_on_all_nodes(''select pg_database_size(current_database())'', true, false) as r'
        into bytes;
    end if;
    return bytes;
end
$$;
comment on function ragraph_private.database_bytes() is
'Returns the bytes of the database; on a cluster those of all nodes that answer';

create or replace function ragraph.distribute_store(shards integer default 4)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    named record;
    waiting jsonb;
    done boolean;
begin
    if distribute_store.shards is null or distribute_store.shards < 1 then
        raise exception using
            errcode = 'RG005', message = 'shards must be at least 1',
            hint = 'Give about as many as the workers have processor cores: a search of the complete store queries each shard.';
    end if;
    if to_regclass('pg_catalog.pg_dist_partition') is null then
        raise exception using
            errcode = 'RG005', message = format('database %s has no Citus', current_database()),
            hint = 'Connect to the coordinator of a cluster, in a database where CREATE EXTENSION citus was run.';
    end if;
    execute $query$
        select bool_and(p.logicalrelid is not null)
        from ragraph_private.cluster_tables() as t
        left join pg_catalog.pg_dist_partition as p
            on p.logicalrelid = format('ragraph.%I', t.table_name)::regclass
        where t.kind <> 'local'
    $query$ into done;
    if done then
        return false;
    end if;
    perform set_config('citus.multi_shard_modify_mode', 'sequential', true);
    -- A table that becomes a reference table takes along the tables that its foreign keys refer to, and document could
    -- then no longer be distributed. So foreign keys are dropped first and created again at the end.
    select coalesce(
        jsonb_agg(jsonb_build_object('name', k.conname, 'on', k.conrelid::regclass::text, 'is', pg_get_constraintdef(k.oid))),
        '[]'
    ) into waiting
    from pg_constraint as k
    where k.contype = 'f' and k.conparentid = 0 and k.connamespace = 'ragraph'::regnamespace;
    for named in select k.* from jsonb_to_recordset(waiting) as k (name text, "on" text) loop
        execute format('alter table %s drop constraint %I', named."on", named.name);
    end loop;
    for named in select t.* from ragraph_private.cluster_tables() as t where t.kind = 'reference' loop
        execute format('select create_reference_table(%L)', format('ragraph.%I', named.table_name));
    end loop;
    for named in select t.* from ragraph_private.cluster_tables() as t where t.kind = 'distributed' loop
        if named.table_name = 'document' then
            execute format(
                'select create_distributed_table(%L, %L, colocate_with => %L, shard_count => %s)',
                'ragraph.document', 'id', 'none', distribute_store.shards
            );
        else
            execute format(
                'select create_distributed_table(%L, %L, colocate_with => %L)',
                format('ragraph.%I', named.table_name), 'document_id', 'ragraph.document'
            );
        end if;
    end loop;
    for named in select k.* from jsonb_to_recordset(waiting) as k (name text, "on" text, "is" text) loop
        execute format('alter table %s add constraint %I %s', named."on", named.name, named."is");
    end loop;
    return true;
end
$$;
comment on function ragraph.distribute_store(integer) is
'Distributes the store over the nodes of a Citus cluster: documents with all their rows by document id into this many
shards, and shared tables to every node. Runs in one transaction. Returns false if the store is already distributed.
Build vector indexes afterwards, which is faster. Raises RG005 for fewer than one shard or without Citus';
