-- The HNSW index of each model; where tenants are on, large collections have one of their own beside it.

create or replace function ragraph_private.vector_index_name(model_name text, collection text default null)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return 'embedding_hnsw_' || md5(concat_ws(e'\n', vector_index_name.model_name, vector_index_name.collection));
end
$$;
comment on function ragraph_private.vector_index_name(text, text) is
'Name of the HNSW index of a model, or of a collection under it; a hash, since names of models are longer than names may be';

create or replace function ragraph_private.has_vector_index(model_name text, collection text default null)
returns boolean
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    valid boolean;
begin
    select i.indisvalid into valid
    from pg_index as i
    where i.indexrelid = to_regclass(format(
        'ragraph.%I', ragraph_private.vector_index_name(has_vector_index.model_name, has_vector_index.collection)
    ));
    return valid;
end
$$;
comment on function ragraph_private.has_vector_index(text, text) is
'Whether the HNSW index of a model, or of a collection under it, can be used: false while it is built, and after a build
that was cut off; null without one';

create or replace function ragraph_private.vector_index_plan(
    model_name text, minimum integer, concurrently boolean,
    out index_name text, out statement text, out remark text, out kilobytes bigint
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    model ragraph.embedding_model;
    embeddings bigint;
    tenant text; -- the collection that the index is for; null: all
begin
    if vector_index_plan.minimum is null then
        raise exception using
            errcode = 'RG005', message = 'minimum is null', hint = 'Give 0 to build the index at once; 10000 is the default.';
    end if;
    select m.* into model from ragraph.embedding_model as m where m.name = vector_index_plan.model_name;
    if not found then
        raise exception using
            errcode = 'RG004',
            message = format('no embedding model %L is registered', vector_index_plan.model_name),
            hint = 'List the models of the store: SELECT name FROM ragraph.embedding_model.';
    end if;
    -- an HNSW index holds halfvec up to 4,000 dimensions; longer vectors are searched exactly
    if model.dimensions > 4000 then
        return;
    end if;
    select count(*) into embeddings
    from (
        select 1 from ragraph.embedding as e
        where e.model_name = vector_index_plan.model_name
        limit vector_index_plan.minimum
    ) as s;
    if embeddings < vector_index_plan.minimum then
        return;
    end if;
    if ragraph_private.has_vector_index(vector_index_plan.model_name) is true then
        if not ragraph.tenants_on() then
            return;
        end if;
        -- of the common index a search for a part of it would throw most away
        select c.collection, c.held into tenant, embeddings
        from (
            select e.collection, count(*) as held, sum(count(*)) over () as total
            from ragraph.embedding as e
            where e.model_name = vector_index_plan.model_name
            group by e.collection
        ) as c
        where
            c.held >= greatest(vector_index_plan.minimum, 1) and c.held <= 0.5 * c.total
            and ragraph_private.has_vector_index(vector_index_plan.model_name, c.collection) is not true
        order by c.held desc, c.collection
        limit 1;
        if not found then
            return;
        end if;
    else
        select count(*) into embeddings from ragraph.embedding as e where e.model_name = vector_index_plan.model_name;
    end if;
    index_name := ragraph_private.vector_index_name(vector_index_plan.model_name, tenant);
    statement := format(
        'create index %s %I on ragraph.embedding using hnsw ((embedding_vector::halfvec(%s)) %s) where model_name = %L%s',
        case when vector_index_plan.concurrently then 'concurrently' end,
        index_name,
        model.dimensions,
        case model.distance
            when 'cosine' then 'halfvec_cosine_ops'
            when 'l2' then 'halfvec_l2_ops'
            else 'halfvec_ip_ops'
        end,
        vector_index_plan.model_name,
        case when tenant is not null then format(' and collection = %L', tenant) end -- null writes nothing
    );
    remark := format(
        'comment on index ragraph.%I is %L',
        index_name,
        'Nearest vectors of model ' || vector_index_plan.model_name || coalesce(' in collection ' || tenant, '')
    );
    -- one vector takes two bytes a dimension and about 800 for its links
    kilobytes := embeddings * (2 * model.dimensions + 1000) / 1024;
end
$$;
comment on function ragraph_private.vector_index_plan(text, integer, boolean) is
'The statement that builds the next HNSW index that a model lacks, the one that comments on it, and the kilobytes that its
graph takes in memory; nulls where there is nothing to build. First that of all its vectors, then, where tenants are on,
that of each collection of minimum vectors or more, and of half of all at most. Raises RG004, RG005';

create or replace function ragraph.ensure_vector_index(model_name text, minimum integer default 10000)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    -- kilobytes that building may take at most
    memory_limit constant bigint := 1048576;
    plan record;
    old_memory constant text := current_setting('maintenance_work_mem');
    old_workers constant text := current_setting('max_parallel_maintenance_workers');
    built boolean := false;
begin
    loop
        select p.* into plan
        from ragraph_private.vector_index_plan(ensure_vector_index.model_name, ensure_vector_index.minimum, false) as p;
        -- one that is being built by another session is left to it; the number is that of "ragraph" and a one
        if plan.statement is null or not pg_try_advisory_xact_lock(8241982534023407617) then
            return built;
        end if;
        execute format('drop index if exists ragraph.%I', plan.index_name); -- left by a build that was cut off
        -- a graph that does not fit into memory takes many times as long
        execute format(
            'set local maintenance_work_mem = %L',
            greatest(
                least(plan.kilobytes, memory_limit),
                (select s.setting::bigint from pg_settings as s where s.name = 'maintenance_work_mem')
            ) || 'kB'
        );
        begin
            execute plan.statement;
        exception when disk_full or out_of_memory then
            -- workers share that memory, and containers allow little of the kind; one process alone does without
            set local max_parallel_maintenance_workers = 0;
            execute plan.statement;
        end;
        execute format('set local maintenance_work_mem = %L', old_memory);
        execute format('set local max_parallel_maintenance_workers = %L', old_workers);
        execute plan.remark;
        built := true;
    end loop;
end
$$;
comment on function ragraph.ensure_vector_index(text, integer) is
'Builds the HNSW index of a model once it has at least minimum embeddings, where tenants are on those of large collections
too; true if this call built one. Other sessions
cannot write embeddings meanwhile; ragraph ingest and ragraph embed build it concurrently instead. Models of more than
4,000 dimensions get none and are searched exactly. The caller must own the table. Raises RG004, RG005';
