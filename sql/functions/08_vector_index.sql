-- The HNSW index of each model. If tenants are on, large collections have indexes of their own in addition.

create or replace function ragraph_private.vector_index_name(
    model_name text, collection text default null, index_kind ragraph.index_kind default 'halfvec'
)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return case vector_index_name.index_kind when 'bit' then 'embedding_hnsw_bit_' else 'embedding_hnsw_' end
        || md5(concat_ws(e'\n', vector_index_name.model_name, vector_index_name.collection));
end
$$;
comment on function ragraph_private.vector_index_name(text, text, ragraph.index_kind) is
'Returns the name of the HNSW index of a model, or of a collection under it. The name is a hash, because names of
models may be longer than identifiers';

create or replace function ragraph_private.vector_schema()
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return (
        select quote_ident(n.nspname)
        from pg_extension as e inner join pg_namespace as n on e.extnamespace = n.oid
        where e.extname = 'vector'
    );
end
$$;
comment on function ragraph_private.vector_schema() is
'Returns the schema of pgvector, quoted if necessary';

create or replace function ragraph_private.has_vector_index(
    model_name text, collection text default null, index_kind ragraph.index_kind default 'halfvec'
)
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
    where i.indexrelid = to_regclass(format('ragraph.%I', ragraph_private.vector_index_name(
        has_vector_index.model_name, has_vector_index.collection, has_vector_index.index_kind
    )));
    return valid;
end
$$;
comment on function ragraph_private.has_vector_index(text, text, ragraph.index_kind) is
'Returns true if the HNSW index of a model, or of a collection under it, can be used; false while it is built and after
an interrupted build; null if it does not exist';

create or replace function ragraph_private.searched_index(model_name text, index_kind ragraph.index_kind)
returns ragraph.index_kind
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    other constant ragraph.index_kind := case searched_index.index_kind when 'bit' then 'halfvec' else 'bit' end;
begin
    if ragraph_private.has_vector_index(searched_index.model_name, null, searched_index.index_kind) is true then
        return searched_index.index_kind;
    end if;
    if ragraph_private.has_vector_index(searched_index.model_name, null, other) is true then
        return other;
    end if;
    return null;
end
$$;
comment on function ragraph_private.searched_index(text, ragraph.index_kind) is
'Returns the kind of index that searches under a model use: the kind set for the model, or the other one until that is
built; null if neither can be used';

create or replace function ragraph_private.vector_indexes(model_name text)
returns table (index_name text, index_kind ragraph.index_kind)
language plpgsql
stable
parallel safe
rows 1
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    collections constant text[] := array(select distinct d.collection from ragraph.document as d);
begin
    return query
    select n.name, n.kind
    from (
        select
            ragraph_private.vector_index_name(vector_indexes.model_name, h.collection, k.kind) as name,
            k.kind
        from unnest(array[null] || collections) as h (collection)
        cross join unnest(enum_range(null::ragraph.index_kind)) as k (kind)
    ) as n
    inner join pg_class as c on n.name = c.relname
    inner join pg_index as i on c.oid = i.indexrelid
    where i.indrelid = 'ragraph.embedding'::regclass
    order by n.name;
end
$$;
comment on function ragraph_private.vector_indexes(text) is
'Returns the HNSW indexes of a model, usable or not, in the order of their names: the index of all its vectors, those
of collections, and both kinds while the model changes from one to the other';

create or replace function ragraph_private.vector_index_options(embeddings bigint)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    many constant bigint := 100000;
begin
    -- with 200,000 vectors, a graph built with pgvector's default of 64 finds .98 of the nearest, however many
    -- candidates are read
    return case when vector_index_options.embeddings >= many then ' with (ef_construction = 128)' end;
end
$$;
comment on function ragraph_private.vector_index_options(bigint) is
'Returns the WITH clause of CREATE INDEX for a graph of this many vectors; null if the defaults of pgvector are
sufficient';

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
    tenant text; -- the collection that the index is for; null for all
    -- the statement runs outside of this function, with any search path
    place constant text := ragraph_private.vector_schema();
begin
    if vector_index_plan.minimum is null then
        raise exception using
            errcode = 'RG005', message = 'minimum is null', hint = 'Give 0 to build the index immediately; 10000 is the default.';
    end if;
    select m.* into model from ragraph.embedding_model as m where m.name = vector_index_plan.model_name;
    if not found then
        raise exception using
            errcode = 'RG004',
            message = format('no embedding model %L is registered', vector_index_plan.model_name),
            hint = 'List the models of the store: SELECT name FROM ragraph.embedding_model.';
    end if;
    -- an HNSW index holds halfvec up to 4,000 dimensions and bit up to 64,000; longer vectors are searched exactly
    if model.index_kind = 'halfvec' and model.dimensions > 4000 then
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
    if ragraph_private.has_vector_index(vector_index_plan.model_name, null, model.index_kind) is true then
        if not ragraph.tenants_on() then
            return;
        end if;
        -- a search for a small part of the common index would discard most of its candidates
        select c.collection, c.held into tenant, embeddings
        from (
            select e.collection, count(*) as held, sum(count(*)) over () as total
            from ragraph.embedding as e
            where e.model_name = vector_index_plan.model_name
            group by e.collection
        ) as c
        where
            c.held >= greatest(vector_index_plan.minimum, 1) and c.held <= 0.5 * c.total
            and ragraph_private.has_vector_index(vector_index_plan.model_name, c.collection, model.index_kind) is not true
        order by c.held desc, c.collection
        limit 1;
        if not found then
            return;
        end if;
    else
        select count(*) into embeddings from ragraph.embedding as e where e.model_name = vector_index_plan.model_name;
    end if;
    index_name := ragraph_private.vector_index_name(vector_index_plan.model_name, tenant, model.index_kind);
    statement := format(
        'create index %s %I on ragraph.embedding using hnsw ((%s) %s.%s)%s where model_name = %L%s',
        case when vector_index_plan.concurrently then 'concurrently' end,
        index_name,
        format(
            case model.index_kind
                when 'bit' then '%s.binary_quantize(embedding_vector)::bit(%s)'
                else 'embedding_vector::%s.halfvec(%s)'
            end,
            place,
            model.dimensions
        ),
        place,
        case
            when model.index_kind = 'bit' then 'bit_hamming_ops'
            when model.distance = 'cosine' then 'halfvec_cosine_ops'
            when model.distance = 'l2' then 'halfvec_l2_ops'
            else 'halfvec_ip_ops'
        end,
        ragraph_private.vector_index_options(embeddings),
        vector_index_plan.model_name,
        case when tenant is not null then format(' and collection = %L', tenant) end -- null adds nothing
    );
    remark := format(
        'comment on index ragraph.%I is %L',
        index_name,
        'Nearest vectors of model ' || vector_index_plan.model_name || coalesce(' in collection ' || tenant, '')
    );
    -- a vector takes two bytes or one bit per dimension, and about 800 bytes for its links
    kilobytes := embeddings * (case model.index_kind when 'bit' then model.dimensions / 8 else 2 * model.dimensions end + 1000) / 1024;
end
$$;
comment on function ragraph_private.vector_index_plan(text, integer, boolean) is
'Returns the statement that builds the next missing HNSW index of a model, the statement that comments on it, and the
kilobytes of memory that its graph takes; nulls if no index is missing. The index of all vectors comes first. If
tenants are on, it is followed by those of collections with at least minimum vectors and at most half of all. Raises
RG004 for an unknown model, RG005 if minimum is null';

create or replace function ragraph.ensure_vector_index(model_name text, minimum integer default 10000)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    -- maximum memory for building an index, in kilobytes
    memory_limit constant bigint := 1048576;
    plan record;
    spare text; -- an index of the kind that the model is no longer set to
    old_memory constant text := current_setting('maintenance_work_mem');
    old_workers constant text := current_setting('max_parallel_maintenance_workers');
    built boolean := false;
begin
    loop
        select p.* into plan
        from ragraph_private.vector_index_plan(ensure_vector_index.model_name, ensure_vector_index.minimum, false) as p;
        -- an index that another session is building is left to that session; the key is "ragraph" followed by a one
        if not pg_try_advisory_xact_lock(8241982534023407617) then
            return built;
        end if;
        if plan.statement is null then
            for spare in
                select i.index_name
                from ragraph.embedding_model as m
                cross join lateral ragraph_private.vector_indexes(m.name) as i
                where m.name = ensure_vector_index.model_name and i.index_kind <> m.index_kind
                    and ragraph_private.searched_index(m.name, m.index_kind) = m.index_kind
            loop
                execute format('drop index ragraph.%I', spare);
            end loop;
            return built;
        end if;
        execute format('drop index if exists ragraph.%I', plan.index_name); -- left over from an interrupted build
        -- building a graph that does not fit into memory takes many times as long
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
            -- parallel workers need shared memory, which containers limit; a single process does not
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
'Builds the HNSW index of a model once it has at least minimum embeddings, and if tenants are on also those of large
collections. Returns true if this call built an index. Other sessions cannot write embeddings meanwhile; ragraph ingest
and ragraph embed build indexes concurrently instead. Models of more than 4,000 dimensions have no index unless it
stores only signs; they are searched exactly. The caller must own the table. Raises RG004 for an unknown model, RG005
if minimum is null';
