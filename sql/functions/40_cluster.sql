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
