-- Documents whose order is consistent, but differs from the order that sequencing gives.

create or replace function ragraph_private.unsettled_documents(only_document text)
returns setof text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set plan_cache_mode = force_custom_plan -- one document and the whole store need different plans
as $$
begin
    return query
    -- notes move behind the text that refers to them
    select r.document_id
    from ragraph.relation as r
    where r.relation_type = 'REFERENCES_NOTE'
        and (unsettled_documents.only_document is null or r.document_id = unsettled_documents.only_document)
    union
    select n.document_id
    from ragraph.content_node as n
    where n.sequence_in_parent_minor is not null
        and (unsettled_documents.only_document is null or n.document_id = unsettled_documents.only_document)
    union
    -- a component without nodes stays behind the sibling before it
    select c.document_id
    from ragraph.document_component as c
    where c.first_sequence is null
        and (unsettled_documents.only_document is null or c.document_id = unsettled_documents.only_document)
    union
    -- running heads behind one sibling are numbered from 1
    select c.document_id
    from ragraph.document_component as c
    where c.component_type in ('HEADER', 'FOOTER')
        and (unsettled_documents.only_document is null or c.document_id = unsettled_documents.only_document)
    group by c.document_id, c.parent_component_id, c.sequence_in_parent_major
    having count(c.sequence_in_parent_minor) < count(*)
        or min(c.sequence_in_parent_minor) <> 1
        or max(c.sequence_in_parent_minor) <> count(*);
end
$$;
comment on function ragraph_private.unsettled_documents(text) is
'Returns the documents, of one or, for null, of all, that sequence_document() may change although check_tree() reports
no violation. In the others each node and component has the place that its siblings before it leave to it';

create or replace function ragraph_private.check_order(only_document text, broken text[])
returns table (document_id text, rule text, object_id text, detail text)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set plan_cache_mode = force_custom_plan -- one document and the whole store need different plans
as $$
#variable_conflict use_column
declare
    one text;
    places ragraph_private.place[];
    unsettled constant text[] := array(select u from ragraph_private.unsettled_documents(check_order.only_document) as u);
begin
    for one in
        select d.id
        from ragraph.document as d
        where (check_order.only_document is null or d.id = check_order.only_document)
            and d.processing_status = 'completed'
            and d.id <> all(check_order.broken)
            -- a CONTINUES chain may branch or form a cycle and then has no order
            and not exists (
                select 1 from ragraph.relation as r where r.document_id = d.id and r.relation_type = 'CONTINUES'
            )
            and d.id = any(unsettled)
        order by d.id collate "C"
    loop
        select array_agg(p) into places from ragraph_private.reading_order(one) as p;
        return query
        select one, 'sequencing again changes nothing', p.id, format('node belongs in %s at %s', p.parent_component_id, p.first_sequence)
        from unnest(places) as p
        inner join ragraph.content_node as n on p.id = n.id
        where n.document_id = one
            and p.kind = 'node'
            and (
                n.parent_component_id, n.sequence_in_parent_major, n.sequence_in_parent_minor, n.sequence_in_document
            ) is distinct from (p.parent_component_id, p.major, p.minor, p.first_sequence)
        union all
        select one, 'sequencing again changes nothing', p.id, format('component belongs at major %s, minor %s', p.major, coalesce(p.minor::text, 'none'))
        from unnest(places) as p
        inner join ragraph.document_component as c on p.id = c.id
        where c.document_id = one
            and p.kind = 'component'
            and (c.sequence_in_parent_major, c.sequence_in_parent_minor) is distinct from (p.major, p.minor);
    end loop;
end
$$;
comment on function ragraph_private.check_order(text, text[]) is
'Returns the nodes and components that sequence_document() would move, in documents without another violation, of one
document or, for null, of all';
