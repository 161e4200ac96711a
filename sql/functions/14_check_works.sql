-- Violations of works, and of CITES between documents, after statements of your own, or without constraints.

create or replace function ragraph_private.check_works(only_document text)
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
    select
        d.id,
        'citations of a document are resolved',
        d.id,
        'its bibliography or its publication was not read yet: the next ingest does it, or ragraph works --update'
    from ragraph.document as d
    where d.works_owed is not null
        and d.processing_status = 'completed'
        and (check_works.only_document is null or d.id = check_works.only_document);

    return query
    with settled as materialized (
        select d.id
        from ragraph.document as d
        where d.works_owed is null
            and d.processing_status = 'completed'
            and (check_works.only_document is null or d.id = check_works.only_document)
    )
    select
        n.document_id,
        'citations of a document are resolved',
        n.id,
        'work_entry has no row for this entry: run ragraph works --update'
    from ragraph.content_node as n
    left join ragraph.work_entry as e on n.document_id = e.document_id and n.id = e.node_id
    where n.content_node_type = 'BIBLIOGRAPHIC_ENTRY'
        and e.id is null
        and (check_works.only_document is null or n.document_id = check_works.only_document)
        and n.document_id in (select s.id from settled as s);

    return query
    with entries as materialized (
        select e.* from ragraph.work_entry as e
        where check_works.only_document is null or e.document_id = check_works.only_document
    ),
    nodes as materialized (
        select n.document_id, n.id, n.content_node_type
        from entries as e
        inner join ragraph.content_node as n on e.document_id = n.document_id and e.node_id = n.id
    ),
    -- counted once, because comparing each entry with each other one would be quadratic
    held as materialized (
        select o.identity, o.collection, k.key, count(*) as entries
        from ragraph.work_entry as o
        cross join lateral (select distinct u.key from unnest(o.keys) as u (key)) as k
        where o.identity in (select e.identity from entries as e)
        group by o.identity, o.collection, k.key
    )
    select e.document_id, v.rule, e.id, v.detail
    from entries as e
    left join nodes as n on e.document_id = n.document_id and e.node_id = n.id
    left join held as h
        on e.identity = h.identity and e.collection = h.collection and e.evidence ->> 'key' = h.key
    cross join lateral (
        values
        (
            'works are named by bibliographic entries',
            format('node %s is of type %s', e.node_id, n.content_node_type),
            n.content_node_type <> 'BIBLIOGRAPHIC_ENTRY'
        ),
        (
            'works set by hand are retained',
            format('it was set to %s but is %s', e.pinned, e.identity),
            e.pinned is not null and e.pinned <> e.identity
        ),
        (
            'an entry is matched by one of its keys',
            format('%s is not among its keys', coalesce(e.evidence ->> 'key', 'no key')),
            (e.evidence ? 'key' and e.evidence ->> 'key' <> all(e.keys))
            or e.evidence ->> 'rule' is null
        ),
        (
            'entries of one work share a key',
            format('no other row of %s has %s', e.identity, e.evidence ->> 'key'),
            -- apart from itself
            e.evidence ? 'key' and coalesce(h.entries, 0) - (e.evidence ->> 'key' = any(e.keys))::integer <= 0
        )
    ) as v (rule, detail, broken)
    where v.broken;

    return query
    with edges as materialized (
        select r.* from ragraph.document_relation as r
        where r.relation_type = 'CITES'
            and (check_works.only_document is null or r.document_id = check_works.only_document)
    ),
    named as materialized (
        select e.document_id, e.node_id, e.identity, e.collection
        from ragraph.work_entry as e
        where e.node_id is not null and e.document_id in (select r.document_id from edges as r)
    ),
    held as materialized (
        select e.document_id, e.identity, e.collection
        from ragraph.work_entry as e
        where e.node_id is null and e.document_id in (select r.target_document_id from edges as r)
    )
    select
        r.document_id,
        'a citation has an entry of the cited document',
        r.id,
        format('entry %s does not refer to document %s', r.source_node_id, r.target_document_id)
    from edges as r
    left join (
        select s.document_id, s.node_id, t.document_id as target
        from named as s
        inner join held as t on s.identity = t.identity and s.collection = t.collection
    ) as m on r.document_id = m.document_id and r.source_node_id = m.node_id and r.target_document_id = m.target
    where m.target is null;

    return query
    with named as materialized (
        select e.document_id, e.node_id, e.identity, e.collection
        from ragraph.work_entry as e
        where e.node_id is not null
            and (check_works.only_document is null or e.document_id = check_works.only_document)
    ),
    held as materialized (
        select e.document_id, e.identity, e.collection
        from ragraph.work_entry as e
        where e.node_id is null and e.identity in (select n.identity from named as n)
    ),
    edges as materialized (
        select r.document_id, r.source_node_id, r.target_document_id
        from ragraph.document_relation as r
        where r.relation_type = 'CITES'
            and (check_works.only_document is null or r.document_id = check_works.only_document)
    )
    select
        n.document_id,
        'an entry of a stored document cites it',
        n.node_id,
        format('there is no CITES to document %s', h.document_id)
    from named as n
    inner join held as h
        on n.identity = h.identity and n.collection = h.collection and n.document_id <> h.document_id
    left join edges as r
        on n.document_id = r.document_id and n.node_id = r.source_node_id and h.document_id = r.target_document_id
    where r.source_node_id is null;
end
$$;
comment on function ragraph_private.check_works(text) is
'Returns violations of works and of citations between documents, of one document or, for null, of all';
