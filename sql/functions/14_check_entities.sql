-- Violations of entities after statements of your own, or without constraints.

create or replace function ragraph_private.check_entities(only_document text)
returns table (document_id text, rule text, object_id text, detail text)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set plan_cache_mode = force_custom_plan -- one document and the whole store need different plans
as $$
#variable_conflict use_column
begin
    return query
    with entities as materialized (
        select e.* from ragraph.entity as e
        where check_entities.only_document is null or e.document_id = check_entities.only_document
    ),
    supported as materialized (
        select m.document_id, m.entity_id, bool_or(m.defines) as defined
        from ragraph.mention as m
        where check_entities.only_document is null or m.document_id = check_entities.only_document
        group by m.document_id, m.entity_id
    )
    select e.document_id, 'an entity is mentioned', e.id, format('no mention of %L in the document', left(e.name, 100))
    from entities as e
    left join supported as s on e.document_id = s.document_id and e.id = s.entity_id
    where s.entity_id is null
    union all
    select
        e.document_id,
        'entities that a document defines have a defining mention',
        e.id,
        format('no mention of %L defines it', left(e.name, 100))
    from entities as e
    inner join supported as s on e.document_id = s.document_id and e.id = s.entity_id
    where not s.defined and e.kind in ('acronym', 'term', 'glossary', 'index')
    union all
    select
        e.document_id,
        'entities are found by their names',
        e.id,
        format('keys are %s, those of its names %s', e.keys, ragraph_private.name_keys(e.name, e.aliases))
    from entities as e
    where e.keys <> ragraph_private.name_keys(e.name, e.aliases);

    return query
    with mentions as materialized (
        select m.*, n.content, n.id as known_node, e.id as known_entity
        from ragraph.mention as m
        left join ragraph.content_node as n on m.document_id = n.document_id and m.node_id = n.id
        left join ragraph.entity as e on m.document_id = e.document_id and m.entity_id = e.id
        where check_entities.only_document is null or m.document_id = check_entities.only_document
    )
    select
        m.document_id,
        v.rule,
        m.entity_id,
        format('node %s, characters %s to %s', m.node_id, m.char_start, m.char_end)
    from mentions as m
    cross join lateral (
        values
        ('mentions have a node and an entity', m.known_node is null or m.known_entity is null),
        (
            'mentions hold the words of their node',
            m.known_node is not null
            and substr(m.content, m.char_start + 1, m.char_end - m.char_start) is distinct from m.surface
        )
    ) as v (rule, broken)
    where v.broken;

    return query
    with edges as materialized (
        select r.*, n.content, n.id as known_node
        from ragraph.entity_relation as r
        left join ragraph.content_node as n on r.document_id = n.document_id and r.node_id = n.id
        where check_entities.only_document is null or r.document_id = check_entities.only_document
    ),
    entities as materialized (
        select e.document_id, e.id from ragraph.entity as e
        where check_entities.only_document is null or e.document_id = check_entities.only_document
    )
    select r.document_id, v.rule, r.id, v.detail
    from edges as r
    left join entities as s on r.document_id = s.document_id and r.source_entity_id = s.id
    left join entities as t on r.document_id = t.document_id and r.target_entity_id = t.id
    cross join lateral (
        values
        (
            'relations of entities have both ends',
            format('from %s to %s', r.source_entity_id, r.target_entity_id),
            s.id is null or t.id is null or r.known_node is null
        ),
        (
            'relations of entities quote their node',
            format('node %s does not have %L at %s', r.node_id, left(r.quote, 100), r.char_start),
            r.known_node is not null
            and substr(r.content, r.char_start + 1, r.char_end - r.char_start) is distinct from r.quote
        )
    ) as v (rule, detail, broken)
    where v.broken;
end
$$;
comment on function ragraph_private.check_entities(text) is
'Returns violations of entities, mentions and relations of entities, of one document or, for null, of all';
