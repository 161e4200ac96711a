-- Entities: the things that documents name. They are written by extractors, resolved to identities, and looked up by
-- name.
--
-- An entity is a row of its document. Rows that mean the same thing share an identity. The identity is derived from the
-- rows of one document only (docs/decisions/0024): two documents agree on it without being compared, nothing outlives
-- its document, and no row of another document changes. Identities set by people (rule hand) are retained.

create or replace function ragraph_private.fold_name(name text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set standard_conforming_strings = on
as $$
begin
    return lower(regexp_replace(
        btrim(regexp_replace(
            translate(normalize(fold_name.name, nfkc), '’‘“”"', ''''''), '[[:space:]‐‑‒–—―−-]+', ' ', 'g'
        )),
        '([[:alpha:]]*[[:alpha:]][^usi''[:space:][:digit:]])s$', '\1'
    ));
end
$$;
comment on function ragraph_private.fold_name(text) is
'Returns a name as it is looked up: without case, hyphens, quotation marks, repeated spaces and a plural s';

create or replace function ragraph_private.name_keys(name text, aliases text[])
returns text[]
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return array(
        select k.key
        from unnest(array[name_keys.name] || name_keys.aliases) with ordinality as g (given, place)
        cross join lateral (select ragraph_private.fold_name(g.given) as key) as k
        group by k.key
        having k.key <> ''
        order by min(g.place)
    );
end
$$;
comment on function ragraph_private.name_keys(text, text[]) is
'Returns the keys by which an entity is looked up, the key of its name first';

create or replace function ragraph_private.entity_hash(prefix text, parts text[])
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
    return entity_hash.prefix
        || left(encode(sha256(convert_to(to_jsonb(entity_hash.parts)::text, 'UTF8')), 'hex'), 24);
end
$$;
comment on function ragraph_private.entity_hash(text, text[]) is
'Returns an id derived from its parts';

create or replace function ragraph_private.resolve_entities(document_id text)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    changed integer;
begin
    with named as materialized (
        select
            e.*,
            case
                when e.shared
                    then
                        ragraph_private.entity_hash(
                            'ent_',
                            array[
                                e.collection,
                                case when e.kind in ('acronym', 'glossary', 'index', 'term') then '' else e.kind end,
                                e.keys[1]
                            ]
                        )
                else ragraph_private.entity_hash('ent_', array[e.document_id, 'own', e.keys[1]])
            end as own
        from ragraph.entity as e
        where e.document_id = resolve_entities.document_id
    ),
    ruled as (
        select
            n.id,
            coalesce(d.own, n.own) as identity,
            case
                when d.own is not null then jsonb_build_object('rule', 'alias', 'entity', d.id, 'name', d.name)
                when n.shared then jsonb_build_object('rule', 'name', 'key', n.keys[1])
                else jsonb_build_object('rule', 'own')
            end as evidence
        from named as n
        left join lateral (
            -- the meaning that the document itself gives for the name, if there is exactly one
            select min(o.own) as own, min(o.id) as id, min(o.name) as name
            from named as o
            where o.kind in ('acronym', 'term') and n.kind not in ('acronym', 'term') and n.keys[1] = any(o.keys)
            having count(distinct o.own) = 1
        ) as d on true
    )
    update ragraph.entity as e
    set identity = r.identity, evidence = r.evidence
    from ruled as r
    where e.document_id = resolve_entities.document_id
        and e.id = r.id
        and coalesce(e.evidence ->> 'rule', '') <> 'hand'
        and (e.identity, e.evidence) is distinct from (r.identity, r.evidence);
    get diagnostics changed = row_count;
    return changed;
end
$$;
comment on function ragraph_private.resolve_entities(text) is
'Computes the identity of each entity of a document by the rules, except those set by people. Returns how many changed';

create or replace function ragraph_private.write_entities(
    document_id text, extractor text, version text, entities jsonb, mentions jsonb, relations jsonb, nodes text[], whole boolean
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    collection text;
    ids jsonb; -- position in the given list, to id
    twins jsonb; -- id, to the entries of the list with that id
    known jsonb; -- id, to the aliases that are already stored and stay
    rows jsonb;
begin
    select d.collection into collection from ragraph.document as d where d.id = write_entities.document_id;
    if not found then
        perform ragraph_private.require_document(write_entities.document_id);
    end if;
    if write_entities.whole then
        delete from ragraph.entity_relation as r
        where r.document_id = write_entities.document_id and r.extractor = write_entities.extractor;
        delete from ragraph.mention as m
        where m.document_id = write_entities.document_id
            and m.entity_id = any(array(
                select e.id from ragraph.entity as e
                where e.document_id = write_entities.document_id and e.extractor = write_entities.extractor
            ));
    end if;
    select coalesce(jsonb_object_agg(g.place, g.id), '{}') into ids
    from (
        select
            f.place,
            ragraph_private.entity_hash(
                'en_',
                array[
                    write_entities.document_id, write_entities.extractor, f.kind, ragraph_private.fold_name(f.name)
                ]
            ) as id
        from jsonb_to_recordset(write_entities.entities) as f (place integer, kind text, name text)
        where ragraph_private.fold_name(f.name) <> ''
    ) as g;
    select coalesce(jsonb_object_agg(g.id, g.named), '{}') into twins
    from (
        select ids ->> f.place::text as id, jsonb_agg(jsonb_build_object('name', f.name, 'aliases', f.aliases)) as named
        from jsonb_to_recordset(write_entities.entities) as f (place integer, name text, aliases text[])
        where ids ? f.place::text
        group by 1
    ) as g;
    -- Rows are computed first and then written by statements that read no table: on a cluster these run on the
    -- coordinator.
    select coalesce(jsonb_agg(g), '[]') into rows
    from (
        select distinct on (f.id)
            f.id,
            f.kind,
            f.name,
            f.shared,
            array_remove(f.called, f.name) as aliases
        from (
            select
                o.*,
                ids ->> o.place::text as id,
                -- two names with the same key, such as a plural, are one entity
                array(
                    select distinct a.alias collate "C"
                    from unnest(coalesce(o.aliases, '{}') || same.names) as a (alias)
                    where btrim(a.alias) <> ''
                    order by 1
                ) as called
            from jsonb_to_recordset(write_entities.entities) as o (
                place integer, kind text, name text, aliases text[], shared boolean
            )
            inner join lateral (
                select coalesce(array_agg(b.alias), '{}') as names
                from jsonb_to_recordset(twins -> (ids ->> o.place::text)) as t (name text, aliases text[])
                cross join unnest(t.aliases || t.name) as b (alias)
            ) as same on true
            where ids ? o.place::text
        ) as f
        order by f.id, f.place
    ) as g;
    if not write_entities.whole then
        select coalesce(jsonb_object_agg(e.id, to_jsonb(e.aliases)), '{}') into known
        from ragraph.entity as e
        where e.document_id = write_entities.document_id and e.extractor = write_entities.extractor;
    end if;
    insert into ragraph.entity as e (
        document_id, id, extractor, kind, name, aliases, keys, shared, identity, collection
    )
    select
        write_entities.document_id,
        g.id,
        write_entities.extractor,
        g.kind,
        g.name,
        g.called,
        ragraph_private.name_keys(g.name, g.called),
        g.shared,
        g.id, -- until it is resolved below
        collection
    from (
        select
            r.*,
            array(
                select distinct a.alias collate "C"
                from (
                    select unnest(r.aliases)
                    union all
                    select jsonb_array_elements_text(known -> r.id)
                ) as a (alias)
                order by 1
            ) as called
        from jsonb_to_recordset(rows) as r (id text, kind text, name text, shared boolean, aliases text[])
    ) as g
    on conflict on constraint entity_pkey do update
    set name = excluded.name, aliases = excluded.aliases, keys = excluded.keys, shared = excluded.shared;
    select coalesce(jsonb_agg(g), '[]') into rows
    from (
        select distinct on (ids ->> f.place::text, n.id, f.char_start)
            n.document_id,
            ids ->> f.place::text as entity_id,
            n.id as node_id,
            f.char_start,
            f.char_end,
            substr(n.content, f.char_start + 1, f.char_end - f.char_start) as surface,
            f.defines,
            n.collection
        from ragraph.content_node as n
        inner join jsonb_to_recordset(write_entities.mentions) as f (
            place integer, node_id text, char_start integer, char_end integer, defines boolean
        ) on n.id = f.node_id
        where n.document_id = write_entities.document_id and ids ? f.place::text
        order by ids ->> f.place::text, n.id, f.char_start, f.char_end desc, f.defines desc
    ) as g;
    insert into ragraph.mention (
        document_id, entity_id, node_id, char_start, char_end, surface, defines, collection
    )
    select r.document_id, r.entity_id, r.node_id, r.char_start, r.char_end, r.surface, r.defines, r.collection
    from jsonb_to_recordset(rows) as r (
        document_id text, entity_id text, node_id text, char_start integer, char_end integer, surface text, defines boolean,
        collection text
    )
    on conflict on constraint mention_pkey do nothing;
    select coalesce(jsonb_agg(g), '[]') into rows
    from (
        select distinct on (f.relation_type, source_id, target_id, n.id, f.char_start)
            n.document_id,
            ids ->> f.source::text as source_id,
            ids ->> f.target::text as target_id,
            f.relation_type,
            n.id as node_id,
            substr(n.content, f.char_start + 1, f.char_end - f.char_start) as quote,
            f.char_start,
            f.char_end,
            n.collection
        from ragraph.content_node as n
        inner join jsonb_to_recordset(write_entities.relations) as f (
            source integer, target integer, relation_type text, node_id text, char_start integer, char_end integer
        ) on n.id = f.node_id
        where n.document_id = write_entities.document_id
            and ids ->> f.source::text <> ids ->> f.target::text
        order by f.relation_type, source_id, target_id, n.id, f.char_start, f.char_end desc
    ) as g;
    insert into ragraph.entity_relation (
        document_id, id, source_entity_id, target_entity_id, relation_type, node_id, quote, char_start, char_end, extractor,
        collection
    )
    select
        r.document_id,
        ragraph_private.entity_hash(
            'er_',
            array[
                r.document_id, write_entities.extractor, r.source_id, r.target_id, r.relation_type, r.node_id,
                r.char_start::text
            ]
        ),
        r.source_id,
        r.target_id,
        r.relation_type,
        r.node_id,
        r.quote,
        r.char_start,
        r.char_end,
        write_entities.extractor,
        r.collection
    from jsonb_to_recordset(rows) as r (
        document_id text, source_id text, target_id text, relation_type text, node_id text, quote text, char_start integer,
        char_end integer, collection text
    )
    on conflict on constraint entity_relation_pkey do nothing;
    perform ragraph_private.prune_entities(write_entities.document_id);
    perform ragraph_private.resolve_entities(write_entities.document_id);
    insert into ragraph.entity_extraction as x (document_id, extractor, version, nodes, collection)
    values (
        write_entities.document_id, write_entities.extractor, write_entities.version, write_entities.nodes, collection
    )
    on conflict on constraint entity_extraction_pkey do update
    set version = excluded.version, nodes = excluded.nodes, updated_at = excluded.updated_at;
end
$$;
comment on function ragraph_private.write_entities(text, text, text, jsonb, jsonb, jsonb, text[], boolean) is
'Writes what an extractor found in a document. With whole, earlier findings of the extractor are deleted. The caller
must hold the lock of the document. Raises RG001 if the document does not exist';

create or replace function ragraph_private.prune_entities(document_id text)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    pruned integer;
begin
    -- an entity that the document itself defines needs the place of its definition
    delete from ragraph.entity as e
    where e.document_id = prune_entities.document_id
        and not exists (
            select 1 from ragraph.mention as m
            where m.document_id = prune_entities.document_id and m.entity_id = e.id
                and (m.defines or e.kind not in ('acronym', 'term', 'glossary', 'index'))
        );
    get diagnostics pruned = row_count;
    return pruned;
end
$$;
comment on function ragraph_private.prune_entities(text) is
'Deletes the entities of a document that no mention supports any more. Returns how many';

create or replace function ragraph_private.named_entities(entities text[])
returns text[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    wanted text;
    found_here text[];
    identities text[] := '{}';
    near text;
begin
    foreach wanted in array named_entities.entities loop
        found_here := array(
            select distinct e.identity
            from ragraph.entity as e
            where e.identity = wanted or e.keys @> array[ragraph_private.fold_name(wanted)]
        );
        if found_here = '{}' then
            near := ragraph_private.nearest_name(
                wanted, array(select n.name from (select distinct e.name from ragraph.entity as e limit 2000) as n)
            );
            raise exception using
                errcode = 'RG014',
                message = format('no document mentions an entity %L', left(wanted, 200)),
                hint = case when near is null then '' else format('Did you mean %L?', left(near, 200)) end
                    || 'List them: SELECT * FROM ragraph.list_entities().';
        end if;
        identities := identities || found_here;
    end loop;
    return identities;
end
$$;
comment on function ragraph_private.named_entities(text[]) is
'Returns the identities of entities given by name, alias or identity; a name may have several. Raises RG014 for a name
that no entity has';

create or replace function ragraph.list_entities(
    entity text default null,
    document_ids text[] default null,
    collection text default null,
    of_kinds text[] default null,
    k integer default null,
    skip integer default 0
)
returns table (identity text, name text, kinds text[], aliases text[], documents bigint, mentions bigint)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    identities text[];
begin
    if list_entities.entity is not null then
        identities := ragraph_private.named_entities(array[list_entities.entity]);
    end if;
    return query
    with counted as materialized (
        select m.document_id, m.entity_id, count(*) as mentions
        from ragraph.mention as m
        where (list_entities.document_ids is null or m.document_id = any(list_entities.document_ids))
            and (list_entities.collection is null or m.collection = list_entities.collection)
        group by m.document_id, m.entity_id
    ),
    kept as materialized (
        select e.*
        from ragraph.entity as e
        where (list_entities.document_ids is null or e.document_id = any(list_entities.document_ids))
            and (list_entities.collection is null or e.collection = list_entities.collection)
            and (list_entities.of_kinds is null or e.kind = any(list_entities.of_kinds))
            and (identities is null or e.identity = any(identities))
    )
    select
        s.identity,
        mode() within group (order by s.name),
        array_agg(distinct s.kind),
        array(
            select distinct a.alias collate "C"
            from kept as o cross join unnest(o.aliases) as a (alias)
            where o.identity = s.identity order by 1
        ),
        count(distinct s.document_id),
        sum(c.mentions)::bigint
    from kept as s
    inner join counted as c on s.document_id = c.document_id and s.id = c.entity_id
    group by s.identity
    order by 6 desc, 2, 1
    limit list_entities.k offset list_entities.skip;
end
$$;
comment on function ragraph.list_entities(text, text[], text, text[], integer, integer) is
'Returns the entities that documents mention, one row per identity, the most mentioned first and ties by name. entity
restricts the list to those with this name, alias or identity. Raises RG014 if no entity has this name';

create or replace function ragraph.entity_mentions(
    entity text, document_ids text[] default null, collection text default null, k integer default null
)
returns table (
    identity text,
    document_id text,
    node_id text,
    entity_id text,
    char_start integer,
    char_end integer,
    surface text,
    defines boolean,
    rule text
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    identities constant text[] := ragraph_private.named_entities(array[entity_mentions.entity]);
begin
    return query
    select
        e.identity,
        m.document_id,
        m.node_id,
        m.entity_id,
        m.char_start,
        m.char_end,
        m.surface,
        m.defines,
        e.evidence ->> 'rule'
    from ragraph.entity as e
    inner join ragraph.mention as m on e.document_id = m.document_id and e.id = m.entity_id
    inner join ragraph.content_node as n on m.document_id = n.document_id and m.node_id = n.id
    where e.identity = any(identities)
        and (entity_mentions.document_ids is null or e.document_id = any(entity_mentions.document_ids))
        and (entity_mentions.collection is null or e.collection = entity_mentions.collection)
    order by m.document_id collate "C", n.sequence_in_document, m.char_start, m.entity_id collate "C"
    limit entity_mentions.k;
end
$$;
comment on function ragraph.entity_mentions(text, text[], text, integer) is
'Returns the mentions of an entity, by document and in reading order. char_start and char_end count the content of the
node. rule says how the mention came to have this identity: name, alias, own (a term of that document only) or hand.
Raises RG014 if no entity has this name';

create or replace function ragraph.entities_in_nodes(document_ids text[], node_ids text[])
returns table (document_id text, node_id text, names text[], identities text[])
language plpgsql
stable
parallel safe
rows 10
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    only_document constant text := ragraph_private.only_one(entities_in_nodes.document_ids);
begin
    return query
    select m.document_id, m.node_id, array_agg(distinct e.name), array_agg(distinct e.identity)
    from unnest(entities_in_nodes.document_ids, entities_in_nodes.node_ids) as g (document_id, node_id)
    inner join ragraph.mention as m on g.document_id = m.document_id and g.node_id = m.node_id
    inner join ragraph.entity as e on m.document_id = e.document_id and m.entity_id = e.id
    where only_document is null or m.document_id = only_document
    group by m.document_id, m.node_id;
end
$$;
comment on function ragraph.entities_in_nodes(text[], text[]) is
'Returns the entities that nodes mention, for pairs of document and node such as the hits of a search, unsorted. Names
and identities are each sorted; nodes without mentions are left out';

create or replace function ragraph.merge_entities(entities text[])
returns text
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    identities constant text[] := ragraph_private.named_entities(merge_entities.entities);
    into_identity constant text := identities[1];
    because constant jsonb := jsonb_build_object('rule', 'hand', 'merged', to_jsonb(merge_entities.entities));
begin
    if cardinality(merge_entities.entities) < 2 then
        raise exception using
            errcode = 'RG005', message = 'only one entity is given', hint = 'Give two or more entities that are the same.';
    end if;
    update ragraph.entity as e
    set
        identity = into_identity,
        evidence = because || jsonb_object(array['was', e.identity])
    where e.identity = any(identities);
    return into_identity;
end
$$;
comment on function ragraph.merge_entities(text[]) is
'Merges entities, given by name, alias or identity, and returns the identity that they share from now on;
reset_entities undoes it. Raises RG005 for fewer than two, RG014 if no entity has one of the names';

create or replace function ragraph.split_entity(entity text, document_id text)
returns text
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    identities constant text[] := ragraph_private.named_entities(array[split_entity.entity]);
    own constant text := ragraph_private.entity_hash('ent_', array[split_entity.document_id, 'split'] || identities);
    because constant jsonb := jsonb_build_object('rule', 'hand', 'split', split_entity.entity);
begin
    perform ragraph_private.require_document(split_entity.document_id);
    update ragraph.entity as e
    set identity = own, evidence = because || jsonb_object(array['was', e.identity])
    where e.document_id = split_entity.document_id and e.identity = any(identities);
    if not found then
        raise exception using
            errcode = 'RG014',
            message = format('document %L does not mention the entity %L', split_entity.document_id, split_entity.entity),
            hint = 'List its mentions: SELECT * FROM ragraph.entity_mentions(entity).';
    end if;
    return own;
end
$$;
comment on function ragraph.split_entity(text, text) is
'Gives an entity in one document an identity of its own, because the name means something else there, and returns that
identity; reset_entities undoes it. Raises RG001 if the document does not exist, RG014 if it does not mention the
entity';

create or replace function ragraph.reset_entities(entity text)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    identities constant text[] := ragraph_private.named_entities(array[reset_entities.entity]);
    documents text[];
    document text;
    changed integer := 0;
begin
    documents := array(
        select distinct e.document_id from ragraph.entity as e
        where e.identity = any(identities) and e.evidence ->> 'rule' = 'hand'
    );
    update ragraph.entity as e
    set evidence = '{}'
    where e.identity = any(identities) and e.evidence ->> 'rule' = 'hand';
    foreach document in array documents loop
        changed := changed + ragraph_private.resolve_entities(document);
    end loop;
    return changed;
end
$$;
comment on function ragraph.reset_entities(text) is
'Undoes what people merged or split of an entity, so that the rules apply again. Returns how many rows changed. Raises
RG014 if no entity has this name';
