-- Relations that may not go round: a note of a note is fine, a note that is its own note through others is not.

create or replace function ragraph_private.check_cycles(only_document text)
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
    -- texts cross-refer and cite in circles as they please; of a chain that goes round, sequencing tells
    types constant ragraph.relation_type[] := '{REFERENCES_NOTE,IS_CAPTIONED_BY,IS_SUPPLEMENTED_BY}';
    one text;
begin
    for one in
        -- few relations lead on from where another one leads to
        select distinct r.document_id
        from ragraph.relation as r
        inner join ragraph.relation as s
            on r.document_id = s.document_id and r.target_node_id = s.source_node_id and r.relation_type = s.relation_type
        where (check_cycles.only_document is null or r.document_id = check_cycles.only_document)
            and r.relation_type = any(types)
    loop
        return query
        with recursive edges as materialized (
            select r.relation_type, r.source_node_id, r.target_node_id
            from ragraph.relation as r
            where r.document_id = one and r.relation_type = any(types) and r.target_node_id is not null
        ),
        walk as (
            select e.relation_type, e.source_node_id as start, e.target_node_id as node
            from edges as e
            where exists (
                select 1 from edges as f
                where f.relation_type = e.relation_type and f.source_node_id = e.target_node_id
            )
            union
            select w.relation_type, w.start, e.target_node_id
            from walk as w
            inner join edges as e on w.relation_type = e.relation_type and w.node = e.source_node_id
            where w.node <> w.start
        )
        select
            one,
            'notes, captions and supplements do not go round',
            w.start,
            format('%s relations lead from it back to it', w.relation_type)
        from walk as w
        where w.node = w.start;
    end loop;
end
$$;
comment on function ragraph_private.check_cycles(text) is
'Nodes that are their own note, caption or supplement through others; of one document or, for null, of all';
