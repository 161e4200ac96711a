-- Nearest neighbours. A scope that is small by an estimate on indexes is searched exactly, filter first. A large scope
-- is searched through the HNSW index of the model, which stores half vectors or signs. If the index returns fewer than
-- k nodes, the search is repeated exactly. For a large k, comparing all vectors may cost less than the index, and misses
-- none.
--
-- Statements are built here and run by EXECUTE, so that each is planned for its actual values: a plan cached for
-- another scope returns too few rows. Values are bound; only numbers and the name of the model are written into the
-- text.

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
            message = 'the query vector is zero and has no direction',
            hint = 'Check that the query is not empty and that the model returns a vector for it.';
    end if;
    return model;
end
$$;
comment on function ragraph_private.search_model(vector, text) is
'Checks a query vector and returns the row of its model. Raises RG004 for an unknown model, RG005 for a null or zero
vector, RG006 for a wrong number of dimensions';

create or replace function ragraph_private.require_visible_vectors()
returns boolean
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    -- pg_class is read as of the transaction's snapshot, pg_relation_filenode as it is now. The table is not written as
    -- one, so that searches in earlier versions ask for it too and not for their view, which has no file.
    if exists (
        select from pg_class as c
        where c.relnamespace = 'ragraph'::regnamespace and c.relname = 'embedding' and c.relfilenode <> pg_relation_filenode(c.oid)
    ) then
        raise exception using
            errcode = 'serialization_failure',
            message = 'the vectors were rewritten after this transaction began, which cannot see them',
            hint = 'Run the transaction again.';
    end if;
    return true;
end
$$;
comment on function ragraph_private.require_visible_vectors() is
'Raises 40001 if the table of vectors was rewritten, as by store_vectors, since the snapshot of the transaction was
taken: rows of a rewritten table are invisible to older snapshots, so a search would find nothing. Otherwise returns
true. To be called once the transaction has a lock on embedding_model or embedding, which a rewrite holds to its end';

create or replace function ragraph_private.models_stamp()
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return (
        select md5(string_agg(
            row(m.name, m.location, m.dimensions, m.max_tokens, m.query_prefix, m.document_prefix, m.truncated_from, m.switched_at)::text,
            '' order by m.name collate "C"
        ))
        from ragraph.embedding_model as m
    );
end
$$;
comment on function ragraph_private.models_stamp() is
'Returns a hash that changes when a model is added, deleted, switched, or changed in a way that affects query vectors;
null without models';

create or replace function ragraph_private.model_as_known(model_name text, stamp text)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    if model_as_known.stamp <> ragraph_private.models_stamp() then
        return null;
    end if;
    return model_as_known.model_name;
end
$$;
comment on function ragraph_private.model_as_known(text, text) is
'Returns the name of a model for a caller who chose it while models_stamp returned the given stamp. If the stamp
differs by now it returns null, for which a search raises RG004. A null stamp is not checked';

create or replace function ragraph_private.usual_candidates()
returns integer
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return 200;
end
$$;
comment on function ragraph_private.usual_candidates() is
'Returns the number of candidates that a search reads from an index if the necessary number is not known';

create or replace function ragraph_private.rank_vector(
    query_vector vector, model_name text, k integer, scope ragraph_private.scope, exact_limit integer
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
parallel unsafe -- SET LOCAL is refused in a function marked as more parallel safe
rows 10
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    model ragraph.embedding_model;
    operator text;
    on_embedding text; -- conditions on the embedding only
    index_kind ragraph.index_kind; -- kind of the usable index; null without one
    near text; -- expression by which the index orders vectors
    size bigint; -- nodes or embeddings in scope, counted up to just above exact_limit
    held double precision; -- number of embeddings in the index, by its own statistics
    narrow boolean;
    steps double precision; -- vectors that the index has to visit if those in scope are scattered randomly
    -- exact_limit applies to searches for up to this many nodes, and grows with k: a search for 800 nodes reads 3,200
    -- candidates from the index. Of 150,000 vectors that took as long as comparing all, and missed some.
    nodes_at_limit constant double precision := 50;
    all_cheaper boolean := false; -- the index would cost more than comparing all vectors of the complete model
    sampled constant double precision := 1200; -- number of vectors that tell how near the nearest ones are
    edge double precision; -- a distance within which more vectors are expected than are needed; null for any
    few boolean := false; -- a restriction to node types leaves few enough nodes to compare one by one, but the index is cheaper still
    vectors text; -- candidates, for both strategies
    all_of constant text :=
        ') select array_agg(c.document_id), array_agg(c.node_id), array_agg(c.part), array_agg(c.char_start),'
        ' array_agg(c.char_end), array_agg(c.distance), max(c.distance), count(*) from candidates as c';
    wide_sql text;
    exact_sql text;
    -- only the content is text of the document; a description or caption has no position in it
    span constant text := 'case when e.embedding_source = ''TEXT_CONTENT'' then e.char_start end as char_start,'
        || ' case when e.embedding_source = ''TEXT_CONTENT'' then e.char_end end as char_end';
    wanted bigint; -- number of candidates
    found_documents text[]; -- found_documents to distances: for each candidate its document, node, part, position and distance
    found_nodes text[];
    found_parts integer[];
    found_starts integer[];
    found_ends integer[];
    distances double precision[];
    furthest double precision;
    seen bigint;
    nodes_seen bigint;
    nearer bigint; -- nodes that are nearer than the last candidate, so that no unread node can be among them
    found_wide boolean := false;
    came_short bigint; -- number of candidates of an index that returned too few
    old_scan text;
    old_memory text;
    old_tuples text;
    old_workers text;
    old_ef text;
    own_look constant text := nullif(current_setting('ragraph.ef_search', true), ''); -- the setting of the caller, which takes precedence over the measured value
    own_ef integer;
    measured integer; -- number of candidates measured as sufficient for searches of the complete model
    look integer; -- minimum number of candidates that the index reads
    began constant timestamptz := clock_timestamp();
begin
    perform ragraph_private.check_limits(rank_vector.k, rank_vector.exact_limit);
    model := ragraph_private.search_model(rank_vector.query_vector, rank_vector.model_name);
    perform ragraph_private.require_visible_vectors();
    if model.distance = 'cosine' and vector_norm(rank_vector.query_vector) not between 0.01 and 100 then
        query_vector := l2_normalize(rank_vector.query_vector); -- half precision lacks very small and great numbers
    end if;
    operator := case model.distance when 'cosine' then '<=>' when 'l2' then '<->' else '<#>' end;
    if own_look !~ '^[1-9][0-9]{0,2}$|^1000$' then
        raise exception using
            errcode = 'RG005',
            message = format('ragraph.ef_search is %L', left(own_look, 40)),
            hint = 'Set it to a number from 1 to 1000, or RESET it.';
    end if;
    own_ef := own_look;

    -- 1. Conditions. $1 to $10 are the same in every statement.
    on_embedding := format('e.model_name = %L', model.name)
        || case when scope.collection is not null then ' and e.collection = $5' else '' end
        || case
            when scope.documents is null then ''
            when cardinality(scope.documents) = 1 then ' and e.document_id = $1[1]'
            else ' and e.document_id = any($1)'
        end;

    -- 2. The common part of both strategies. It is planned at each search, so everything else is left to static
    -- statements (6).
    vectors :=
        'with candidates as materialized ('
        'select e.document_id, e.node_id, e.part, ' || span || ', e.embedding_vector ' || operator || ' $9 as distance'
        ' from ragraph.embedding as e';

    -- 3. Large or small scope? Without an index there is no choice.
    index_kind := ragraph_private.searched_index(model.name, model.index_kind);
    -- A search within sections is always exact, whatever their size.
    narrow := index_kind is null or scope.section_documents is not null;
    if not narrow and scope.documents is null and scope.on_document = '' and scope.collection is null
        and ragraph_private.sees_whole('ragraph.embedding') then
        -- the complete model: the index knows roughly how many vectors it holds, unless it is only the parent of
        -- indexes on shards; the view of an earlier version has no index
        select c.reltuples into held
        from pg_class as c
        inner join pg_index as i on c.oid = i.indexrelid
        where i.indrelid = 'ragraph.embedding'::regclass and c.oid = to_regclass(
            format('ragraph.%I', ragraph_private.vector_index_name(model.name, null, index_kind))
        );
        held := nullif(greatest(held, 0), 0);
        narrow := coalesce(held <= rank_vector.exact_limit, false);
    end if;
    if not narrow and held is null then
        execute
            'select count(*) from (select 1 from ragraph.embedding as e where ' || on_embedding || ' limit $10::bigint + 1) as s'
        into size
        using scope.documents, scope.leaves, scope.node_types, scope.pages, scope.collection,
            scope.section_documents, scope.section_starts, scope.section_ends, rank_vector.query_vector, rank_vector.exact_limit;
        narrow := size <= rank_vector.exact_limit;
    end if;
    if not narrow and (scope.node_types is not null or scope.of_entities) then
        execute
            'select count(*) from (select 1 from ragraph.content_node as n where true' || scope.on_node
            || case when scope.documents is not null then ' and n.document_id = any($1)' else '' end
            || case when scope.collection is not null then ' and n.collection = $5' else '' end
            || ' limit $10::bigint + 1) as s'
        into size
        using scope.documents, scope.leaves, scope.node_types, scope.pages, scope.collection,
            scope.section_documents, scope.section_starts, scope.section_ends, rank_vector.query_vector, rank_vector.exact_limit;
        narrow := size <= rank_vector.exact_limit;
        -- Comparing a node costs about a quarter of a step in the index. For each node that it finds, the index takes
        -- as many steps as there are vectors per node in scope, plus some more; at most 1000 (hnsw.ef_search).
        steps := 1.6 * 2 * rank_vector.k * held / greatest(size, 1);
        few := narrow and index_kind = 'halfvec' and held is not null and not scope.of_entities and size > 4 * steps and steps <= 1000;
        narrow := narrow and not few;
    end if;
    if not narrow and not few and held is not null and index_kind = 'halfvec' and own_ef is null then
        -- all vectors: those of other models are read too
        select greatest(c.reltuples, held) <= rank_vector.exact_limit * (rank_vector.k / nodes_at_limit) into all_cheaper
        from pg_class as c where c.oid = 'ragraph.embedding'::regclass;
    end if;

    -- 4. Large scope: candidates from the index by half vectors or signs, then ranked by the full vectors.
    if not narrow and not all_cheaper then
        near := format(
            case index_kind
                when 'bit' then 'binary_quantize(e.embedding_vector)::bit(%1$s) <~> binary_quantize($9)::bit(%1$s)'
                else 'e.embedding_vector::halfvec(%1$s) %2$s $9::halfvec(%1$s)'
            end,
            model.dimensions, operator
        );
        wanted := case index_kind
            -- signs distinguish vectors far less
            when 'bit' then least(greatest(30::bigint * rank_vector.k, 300), 4 * rank_vector.k + 1000::bigint)
            else least(greatest(4::bigint * rank_vector.k, 40), rank_vector.k + 3000::bigint)
        end;
        -- The measured number, if lower than the usual one, is used only for searches of the complete model: a filter
        -- discards most candidates.
        measured := case index_kind when 'halfvec' then model.ef_search end;
        look := coalesce(own_ef, greatest(
            measured,
            case when measured is null or scope.on_node || scope.on_document <> ''
                or scope.documents is not null or scope.collection is not null
                or not ragraph_private.sees_whole('ragraph.embedding') then ragraph_private.usual_candidates() end
        ));
        old_scan := current_setting('hnsw.iterative_scan', true);
        old_ef := current_setting('hnsw.ef_search', true);
        old_memory := current_setting('hnsw.scan_mem_multiplier', true);
        old_tuples := current_setting('hnsw.max_scan_tuples', true);
        -- literal SET LOCAL, so that Citus passes the settings to its shards; elsewhere the first one has no effect
        set local citus.propagate_set_commands = 'local';
        set local hnsw.iterative_scan = 'relaxed_order';
        if rank_vector.k > 100 then
            -- with a large k the last nodes are far from the query: with pgvector's limits one in twelve of 1,000 was
            -- missed
            set local hnsw.scan_mem_multiplier = 4;
            set local hnsw.max_scan_tuples = 60000;
        end if;
        if few then
            -- a single scan: if the nodes in scope are far from the query, it does not find that many
            set local hnsw.iterative_scan = 'off';
            wanted := 2 * rank_vector.k;
        end if;
        wide_sql :=
            vectors || ' where ' || on_embedding
            -- a subquery in brackets is a filter of the index scan; the planner could reverse a join and lose its order
            || case when scope.on_node <> ''
                then ' and (select true' || scope.on_node || ' from ragraph.content_node as n'
                    || ' where n.document_id = e.document_id and n.id = e.node_id)'
                else '' end
            || case when scope.on_document <> ''
                then ' and (select true' || scope.on_document || ' from ragraph.document as d'
                    || ' inner join ragraph.publication as p on d.publication_id = p.id where d.id = e.document_id)'
                else '' end
            || ' order by ' || near || ' limit $10' || all_of;
        for attempt in 1..2 loop
            execute format('set local hnsw.ef_search = %s', least(greatest(look, case when own_ef is null then wanted end, ceil(steps)::bigint), 1000));
            execute wide_sql
            into found_documents, found_nodes, found_parts, found_starts, found_ends, distances, furthest, seen
            using scope.documents, scope.leaves, scope.node_types, scope.pages, scope.collection,
            scope.section_documents, scope.section_starts, scope.section_ends, rank_vector.query_vector, wanted;
            nodes_seen := (
                select count(*)
                from (select distinct u.document_id, u.node_id from unnest(found_documents, found_nodes) as u (document_id, node_id)) as s
            );
            -- many parts of few nodes: scan once more with a larger limit; a scan that ended early cannot return more
            exit when few or nodes_seen >= rank_vector.k or seen < wanted;
            wanted := wanted * 8;
        end loop;
        execute format('set local hnsw.iterative_scan = %L', coalesce(nullif(old_scan, ''), 'off'));
        execute format('set local hnsw.ef_search = %L', coalesce(nullif(old_ef, ''), '40'));
        if rank_vector.k > 100 then
            execute format('set local hnsw.scan_mem_multiplier = %L', coalesce(nullif(old_memory, ''), '1'));
            execute format('set local hnsw.max_scan_tuples = %L', coalesce(nullif(old_tuples, ''), '20000'));
        end if;
        found_wide := nodes_seen >= rank_vector.k and (seen >= wanted or not few);
    end if;

    -- 5. Exact, because the scope is small, because that costs less, or because the index returned fewer than k nodes (it
    -- does with many equal vectors).
    if not found_wide then
        came_short := seen;
        exact_sql :=
            vectors
            || case when scope.on_node <> '' or scope.in_sections <> ''
                then ' inner join ragraph.content_node as n on e.document_id = n.document_id and e.node_id = n.id'
                    || case when cardinality(scope.documents) = 1 then ' and n.document_id = $1[1]' else '' end
                else '' end
            || scope.in_sections
            || ' where ' || on_embedding || scope.on_node
            || case when scope.on_document <> ''
                then ' and e.document_id in (select d.id from ragraph.document as d'
                    || ' inner join ragraph.publication as p on d.publication_id = p.id where true' || scope.on_document || ')'
                else '' end
            || ' order by distance limit $10';
        old_workers := current_setting('max_parallel_workers_per_gather');
        if all_cheaper then
            -- two workers took as long for a store of 50,000 nodes as none, and half as much processor time again
            set local max_parallel_workers_per_gather = 0;
        end if;
        -- Nodes have few vectors each and few vectors are equal: sorting only the nearest is usually enough and by far
        -- the cheapest. If k is large, most nodes have one vector and a second read of all vectors is rare. It takes
        -- place if few of the nearest are of the node types in scope; some more of them suffice then.
        foreach wanted in array array[
            case when all_cheaper then 5 * rank_vector.k::bigint / 2 + 100 else 4 * rank_vector.k::bigint + 40 end,
            12 * rank_vector.k::bigint + 120, 256 * rank_vector.k::bigint + 2560, null
        ] loop
            edge := null;
            if all_cheaper and wanted < held then
                -- To sort a vector, a row is made of it. So a few vectors tell first how near the nearest ones are, and
                -- the others are not sorted. If the few mislead, it takes longer.
                execute format(
                    'select percentile_disc($2) within group (order by e.embedding_vector %s $1)'
                    ' from ragraph.embedding as e tablesample system (%s) repeatable (0) where %s',
                    operator, least(100 * sampled / held, 100), on_embedding
                )
                into edge
                using rank_vector.query_vector, wanted / held;
            end if;
            execute case
                when wanted is null -- reads all candidates, which may be many, but returns only the best k nodes
                    then exact_sql || '), part as ('
                        'select distinct on (c.document_id, c.node_id) c.* from candidates as c'
                        ' order by c.document_id, c.node_id, c.distance, c.part, c.char_start'
                        '), best as ('
                        'select p.* from part as p order by p.distance, p.document_id collate "C", p.node_id collate "C" limit $11'
                        || replace(all_of, 'from candidates', 'from best')
                -- most vectors are in scope: look up the nodes of the nearest ones only, one after the other (a join
                -- would be one of all nodes)
                when edge is not null
                    then 'with candidates as materialized (select c.* from (' || replace(vectors, 'with candidates as materialized (', '')
                        || ' where ' || on_embedding || ' and e.embedding_vector ' || operator || ' $9 <= $12 order by distance offset 0) as c'
                        || case when scope.on_node <> ''
                            then ' where (select true' || scope.on_node || ' from ragraph.content_node as n'
                                || ' where n.document_id = c.document_id and n.id = c.node_id)'
                            else '' end
                        || ' order by c.distance limit $10' || all_of
                else exact_sql || all_of
            end
            into found_documents, found_nodes, found_parts, found_starts, found_ends, distances, furthest, seen
            using scope.documents, scope.leaves, scope.node_types, scope.pages, scope.collection,
            scope.section_documents, scope.section_starts, scope.section_ends, rank_vector.query_vector,
            wanted, rank_vector.k, edge;
            if seen < wanted then
                furthest := coalesce(edge, furthest); -- no nearer node is unread
            end if;
            select count(*), count(*) filter (where s.distance < furthest) into nodes_seen, nearer
            from (
                select min(u.distance) as distance
                from unnest(found_documents, found_nodes, distances) as u (document_id, node_id, distance)
                group by u.document_id, u.node_id
            ) as s;
            exit when edge is null and seen < wanted or nearer >= rank_vector.k;
        end loop;
        if all_cheaper then
            execute format('set local max_parallel_workers_per_gather = %L', old_workers);
        end if;
    end if;

    -- 6. The best part of each node, and the best nodes.
    return query
    select
        l.document_id,
        l.node_id,
        case model.distance when 'cosine' then 1 - l.distance else - l.distance end,
        l.place::integer,
        l.part,
        l.char_start,
        l.char_end
    from (
        select
            n.*,
            row_number() over (order by n.distance, n.document_id collate "C", n.node_id collate "C") as place
        from (
            select distinct on (u.document_id, u.node_id) u.*
            from unnest(found_documents, found_nodes, found_parts, found_starts, found_ends, distances)
                as u (document_id, node_id, part, char_start, char_end, distance)
            order by u.document_id, u.node_id, u.distance, u.part, u.char_start
        ) as n
    ) as l
    where l.place <= rank_vector.k
    order by l.place;
    perform ragraph_private.report_step('vectors', began, jsonb_build_object(
        'way', case
            when found_wide then 'index'
            when narrow and scope.section_documents is not null then 'exact: within sections'
            when all_cheaper then 'exact: cheaper than the index'
            when narrow and index_kind is null then 'exact: the model has no index'
            when narrow then 'exact: the scope is small'
            else 'exact: the index came short'
        end,
        'candidates', case when found_wide then seen when narrow or all_cheaper then coalesce(size, held::bigint) else came_short end,
        'rows', least(nodes_seen, rank_vector.k)
    ));
end
$$;
comment on function ragraph_private.rank_vector(vector, text, integer, ragraph_private.scope, integer) is
'Returns the k nodes of a scope that are nearest to a vector, one row per node (its best part), the best first and ties
by id. char_start and char_end are offsets in the content of the node. Raises RG004 for an unknown model, RG005 for a
wrong argument or setting, RG006 for a wrong number of dimensions';
