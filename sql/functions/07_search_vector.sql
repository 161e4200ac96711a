-- Nearest neighbours. A scope that is small by an estimate on indexes is searched exactly, filter first; a wide one
-- through the HNSW index of the model; and where that brings fewer than k nodes, exactly after all.
--
-- Statements are built here and run by EXECUTE, so that each is planned for the values at hand (a plan kept from
-- another scope returns too few rows); values are bound, only numbers and the model's name are written into them.

create or replace function ragraph_private.vector_index_name(model_name text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return 'embedding_hnsw_' || md5(vector_index_name.model_name);
end
$$;
comment on function ragraph_private.vector_index_name(text) is
'Name of the HNSW index of a model; a hash, since names of models are longer than names may be';

create or replace function ragraph_private.has_vector_index(model_name text)
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
    where i.indexrelid = to_regclass(format('ragraph.%I', ragraph_private.vector_index_name(has_vector_index.model_name)));
    return valid;
end
$$;
comment on function ragraph_private.has_vector_index(text) is
'Whether the HNSW index of a model can be used: false while it is built, and after a build that was cut off; null without
one';

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
    if model.dimensions > 4000 or ragraph_private.has_vector_index(vector_index_plan.model_name) then
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
    select count(*) into embeddings from ragraph.embedding as e where e.model_name = vector_index_plan.model_name;
    index_name := ragraph_private.vector_index_name(vector_index_plan.model_name);
    statement := format(
        'create index %s %I on ragraph.embedding using hnsw ((embedding_vector::halfvec(%s)) %s) where model_name = %L',
        case when vector_index_plan.concurrently then 'concurrently' end,
        index_name,
        model.dimensions,
        case model.distance
            when 'cosine' then 'halfvec_cosine_ops'
            when 'l2' then 'halfvec_l2_ops'
            else 'halfvec_ip_ops'
        end,
        vector_index_plan.model_name
    );
    remark := format(
        'comment on index ragraph.%I is %L', index_name, 'Nearest vectors of model ' || vector_index_plan.model_name
    );
    -- one vector takes two bytes a dimension and about 800 for its links
    kilobytes := embeddings * (2 * model.dimensions + 1000) / 1024;
end
$$;
comment on function ragraph_private.vector_index_plan(text, integer, boolean) is
'The statement that builds the HNSW index of a model, the one that comments on it, and the kilobytes that its graph
takes in memory; nulls where there is nothing to build. Raises RG004, RG005';

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
begin
    select p.* into plan
    from ragraph_private.vector_index_plan(ensure_vector_index.model_name, ensure_vector_index.minimum, false) as p;
    -- one that is being built by another session is left to it; the number is that of "ragraph" and a one
    if plan.statement is null
        or not pg_try_advisory_xact_lock(8241982534023407617)
        or ragraph_private.has_vector_index(ensure_vector_index.model_name)
    then
        return false;
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
    return true;
end
$$;
comment on function ragraph.ensure_vector_index(text, integer) is
'Builds the HNSW index of a model once it has at least minimum embeddings; true if this call built it. Other sessions
cannot write embeddings meanwhile; ragraph ingest and ragraph embed build it concurrently instead. Models of more than
4,000 dimensions get none and are searched exactly. The caller must own the table. Raises RG004, RG005';

create or replace function ragraph_private.search_model(query_vector vector, model_name text)
returns ragraph.embedding_model
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    model ragraph.embedding_model;
begin
    if search_model.query_vector is null then
        raise exception using
            errcode = 'RG005', message = 'query_vector is null', hint = 'Embed the query with the model and give its vector.';
    end if;
    select m.* into model from ragraph.embedding_model as m where m.name = search_model.model_name;
    if not found then
        raise exception using
            errcode = 'RG004',
            message = format('no embedding model %L is registered', search_model.model_name),
            hint = 'List the models of the store: SELECT name FROM ragraph.embedding_model.';
    end if;
    if vector_dims(search_model.query_vector) <> model.dimensions then
        raise exception using
            errcode = 'RG006',
            message = format(
                'the query vector has %s dimensions, model %L has %s',
                vector_dims(search_model.query_vector), model.name, model.dimensions
            ),
            hint = 'Embed the query with the model that is searched.';
    end if;
    if model.distance = 'cosine' and vector_norm(search_model.query_vector) = 0 then
        raise exception using
            errcode = 'RG005',
            message = 'the query vector is zero, which has no direction',
            hint = 'Check that the query is not empty and the model gives a vector for it.';
    end if;
    return model;
end
$$;
comment on function ragraph_private.search_model(vector, text) is
'Checks a query vector and gives the row of its model. Raises RG004, RG005, RG006';

create or replace function ragraph.search_vector(
    query_vector vector,
    model_name text,
    k integer default 10,
    document_ids text[] default null,
    component_id text default null,
    node_types ragraph.content_node_type[] default null,
    pages int4range default null,
    collection text default null,
    tags text[] default null,
    languages text[] default null,
    published daterange default null,
    filter jsonb default null,
    exact_limit integer default 10000
)
returns table (
    document_id text,
    node_id text,
    score double precision,
    rank integer,
    part integer,
    char_start integer,
    char_end integer
)
language plpgsql
volatile
parallel unsafe -- SET LOCAL is refused in anything less
rows 10
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    model ragraph.embedding_model;
    scope record;
    operator text;
    on_embedding text; -- conditions on the embedding alone
    index_name text;
    size bigint; -- nodes or embeddings in scope, counted up to just above exact_limit
    narrow boolean;
    wide_sql text;
    exact_sql text;
    -- only the content is text of the document; a description or caption has no place of its own in it
    span constant text := 'case when e.embedding_source = ''TEXT_CONTENT'' then e.char_start end as char_start,'
        || ' case when e.embedding_source = ''TEXT_CONTENT'' then e.char_end end as char_end';
    wanted bigint;
    seen bigint;
    nodes_seen bigint;
    hits jsonb;
    old_scan text;
    old_ef text;
begin
    perform ragraph_private.check_limits(search_vector.k, search_vector.exact_limit);
    model := ragraph_private.search_model(search_vector.query_vector, search_vector.model_name);
    operator := case model.distance when 'cosine' then '<=>' when 'l2' then '<->' else '<#>' end;

    -- 1. the scope, as conditions; $1 to $9 are the same in every statement
    select s.* into scope
    from ragraph_private.search_scope(
        search_vector.document_ids, search_vector.component_id, search_vector.node_types, search_vector.pages,
        search_vector.collection, search_vector.tags, search_vector.languages, search_vector.published,
        search_vector.filter
    ) as s;
    on_embedding := format('e.model_name = %L', model.name)
        || case when search_vector.collection is not null then ' and e.collection = $5' else '' end
        || case
            when scope.documents is null then ''
            when cardinality(scope.documents) = 1 then ' and e.document_id = $1[1]'
            else ' and e.document_id = any($1)'
        end;

    -- 2. exact: all distances of the scope first, then the best part of each node, then the best nodes
    exact_sql :=
        'with candidates as materialized ('
        'select e.document_id, e.node_id, e.part, ' || span || ', e.embedding_vector ' || operator || ' $8 as distance'
        ' from ragraph.embedding as e'
        || case when scope.on_node <> ''
            then ' inner join ragraph.content_node as n on e.document_id = n.document_id and e.node_id = n.id'
                || case when cardinality(scope.documents) = 1 then ' and n.document_id = $1[1]' else '' end
            else '' end
        || ' where ' || on_embedding || scope.on_node
        || case when scope.on_document <> ''
            then ' and e.document_id in (select d.id from ragraph.document as d'
                || ' inner join ragraph.publication as p on d.publication_id = p.id where true' || scope.on_document || ')'
            else '' end
        || '), nearest as ('
        'select c.document_id, c.node_id, min(c.distance) as distance from candidates as c'
        ' group by c.document_id, c.node_id'
        ' order by min(c.distance), c.document_id collate "C", c.node_id collate "C" limit $9'
        '), best as ('
        'select distinct on (c.document_id, c.node_id) c.* from nearest as b'
        ' inner join candidates as c on b.document_id = c.document_id and b.node_id = c.node_id and b.distance = c.distance'
        ' order by c.document_id, c.node_id, c.part, c.char_start)'
        ' select b.document_id, b.node_id,'
        || case model.distance when 'cosine' then ' 1 - b.distance' else ' - b.distance' end
        || ', (row_number() over (order by b.distance, b.document_id collate "C", b.node_id collate "C"))::integer,'
        ' b.part, n.char_start + b.char_start, n.char_start + b.char_end'
        ' from best as b'
        ' inner join ragraph.content_node as n on b.document_id = n.document_id and b.node_id = n.id'
        ' order by 4';

    -- 3. wide or narrow? Without an index there is nothing to choose.
    index_name := ragraph_private.vector_index_name(model.name);
    -- Within a component the promise is exactness, whatever its size.
    narrow := ragraph_private.has_vector_index(model.name) is not true or search_vector.component_id is not null;
    if not narrow and scope.documents is null and scope.on_document = '' and scope.on_node = '' and search_vector.collection is null
        and not row_security_active('ragraph.embedding') then
        -- the whole model: the index knows about how many vectors it holds
        select coalesce(c.reltuples, 0) <= search_vector.exact_limit into narrow
        from pg_class as c
        where c.oid = to_regclass(format('ragraph.%I', index_name));
    elsif not narrow then
        execute
            'select count(*) from (select 1 from ragraph.embedding as e where ' || on_embedding || ' limit $9::bigint + 1) as s'
        into size
        using scope.documents, scope.leaves, search_vector.node_types, search_vector.pages, search_vector.collection,
            scope.first_sequence, scope.last_sequence, search_vector.query_vector, search_vector.exact_limit;
        narrow := size <= search_vector.exact_limit;
        if not narrow and search_vector.node_types is not null then
            execute
                'select count(*) from (select 1 from ragraph.content_node as n where true' || scope.on_node
                || case when scope.documents is not null then ' and n.document_id = any($1)' else '' end
                || case when search_vector.collection is not null then ' and n.collection = $5' else '' end
                || ' limit $9::bigint + 1) as s'
            into size
            using scope.documents, scope.leaves, search_vector.node_types, search_vector.pages, search_vector.collection,
            scope.first_sequence, scope.last_sequence, search_vector.query_vector, search_vector.exact_limit;
            narrow := size <= search_vector.exact_limit;
        end if;
    end if;

    -- 4. wide: candidates from the index by half vectors, ranked again by the whole ones
    if not narrow then
        old_scan := current_setting('hnsw.iterative_scan', true);
        old_ef := current_setting('hnsw.ef_search', true);
        -- literal SET LOCAL, so that Citus carries the settings to its shards; elsewhere the first has no effect
        set local citus.propagate_set_commands = 'local';
        set local hnsw.iterative_scan = 'relaxed_order';
        wide_sql :=
            'with candidates as materialized ('
            'select e.document_id, e.node_id, e.part, ' || span || ', e.embedding_vector ' || operator || ' $8 as distance'
            ' from ragraph.embedding as e where ' || on_embedding
            -- a subquery in brackets is a filter of the index scan; a join could be turned around and lose its order
            || case when scope.on_node <> ''
                then ' and (select true' || scope.on_node || ' from ragraph.content_node as n'
                    || ' where n.document_id = e.document_id and n.id = e.node_id)'
                else '' end
            || case when scope.on_document <> ''
                then ' and (select true' || scope.on_document || ' from ragraph.document as d'
                    || ' inner join ragraph.publication as p on d.publication_id = p.id where d.id = e.document_id)'
                else '' end
            || format(
                ' order by e.embedding_vector::halfvec(%s) %s $8::halfvec(%s) limit $9',
                model.dimensions, operator, model.dimensions
            )
            || '), nearest as ('
            'select distinct on (c.document_id, c.node_id) c.* from candidates as c'
            ' order by c.document_id, c.node_id, c.distance, c.part, c.char_start'
            '), ranked as ('
            'select n.*, row_number() over (order by n.distance, n.document_id collate "C", n.node_id collate "C") as rank'
            ' from nearest as n)'
            ' select (select count(*) from candidates), (select count(*) from nearest),'
            ' (select jsonb_agg(jsonb_build_array(r.document_id, r.node_id,'
            || case model.distance when 'cosine' then ' 1 - r.distance' else ' - r.distance' end
            || ', r.rank, r.part, r.char_start, r.char_end) order by r.rank) from ranked as r where r.rank <= $10)';
        wanted := least(greatest(4::bigint * search_vector.k, 40), search_vector.k + 1000::bigint);
        for attempt in 1..2 loop
            execute format('set local hnsw.ef_search = %s', least(greatest(wanted, 200), 1000));
            execute wide_sql into seen, nodes_seen, hits
            using scope.documents, scope.leaves, search_vector.node_types, search_vector.pages, search_vector.collection,
            scope.first_sequence, scope.last_sequence, search_vector.query_vector, wanted, search_vector.k;
            -- many parts of few nodes: look further once; a scan that ended early will not bring more
            exit when nodes_seen >= search_vector.k or seen < wanted;
            wanted := wanted * 8;
        end loop;
        execute format('set local hnsw.iterative_scan = %L', coalesce(nullif(old_scan, ''), 'off'));
        execute format('set local hnsw.ef_search = %L', coalesce(nullif(old_ef, ''), '40'));
        if nodes_seen >= search_vector.k then
            return query
            select
                h.hit ->> 0,
                h.hit ->> 1,
                (h.hit ->> 2)::double precision,
                (h.hit ->> 3)::integer,
                (h.hit ->> 4)::integer,
                n.char_start + (h.hit ->> 5)::integer,
                n.char_start + (h.hit ->> 6)::integer
            from jsonb_array_elements(hits) with ordinality as h (hit, place)
            inner join ragraph.content_node as n on h.hit ->> 0 = n.document_id and h.hit ->> 1 = n.id
            order by h.place;
            return;
        end if;
    end if;

    -- 5. exact, because the scope is narrow or the index came short of k (it does, with many equal vectors)
    return query execute exact_sql
    using scope.documents, scope.leaves, search_vector.node_types, search_vector.pages, search_vector.collection,
            scope.first_sequence, scope.last_sequence, search_vector.query_vector, search_vector.k;
end
$$;
comment on function ragraph.search_vector(
    vector, text, integer, text[], text, ragraph.content_node_type[], int4range, text, text[], text[], daterange, jsonb,
    integer
) is
'The k nodes nearest to a vector within a scope, one row per node (its best part), best first, ties by id. score =
cosine similarity, or the negative distance for models of another distance. char_start and char_end of the part count
the text of the document; null where a description or caption is embedded. Never fewer than k while the scope holds
k; exact where the scope is a component or has at most exact_limit nodes. tags: any of them; languages: en finds en-US; filter: as of
filter_documents. Raises RG001,
RG002, RG004, RG005, RG006';
