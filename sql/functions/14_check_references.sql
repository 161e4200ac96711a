-- Rows that refer to missing rows. Foreign keys prevent them, but a restore without constraints or a session that
-- disabled them may leave some. A test compares the list below with the catalog.

create or replace function ragraph_private.check_references(only_document text)
returns table (document_id text, rule text, object_id text, detail text)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    reference record;
begin
    for reference in
        select
            r.child,
            r.parent,
            string_agg(format('p.%I = c.%I', u.there, u.here), ' and ') as is_met,
            -- a reference with a null in one of its columns does not count
            string_agg(format('c.%I is not null', u.here), ' and ') as is_made,
            string_agg(format('%L || c.%I', u.here || ' ', u.here), ' || '', '' || ') as said
        from (
            values
            ('document', '{publication_id}', 'publication', '{id}'),
            ('document_page', '{document_id,collection}', 'document', '{id,collection}'),
            ('document_component', '{document_id,collection}', 'document', '{id,collection}'),
            ('document_component', '{document_id,parent_component_id,parent_depth}', 'document_component', '{document_id,id,depth}'),
            ('document_component', '{document_id,first_page}', 'document_page', '{document_id,page_pdf}'),
            ('document_component', '{document_id,last_page}', 'document_page', '{document_id,page_pdf}'),
            ('content_node', '{document_id,collection}', 'document', '{id,collection}'),
            ('content_node', '{document_id,parent_component_id}', 'document_component', '{document_id,id}'),
            ('content_node', '{document_id,first_page}', 'document_page', '{document_id,page_pdf}'),
            ('content_node', '{document_id,last_page}', 'document_page', '{document_id,page_pdf}'),
            ('relation', '{document_id,collection}', 'document', '{id,collection}'),
            ('relation', '{document_id,source_node_id}', 'content_node', '{document_id,id}'),
            ('relation', '{document_id,target_node_id}', 'content_node', '{document_id,id}'),
            ('document_relation', '{document_id,collection}', 'document', '{id,collection}'),
            ('document_relation', '{document_id,source_node_id}', 'content_node', '{document_id,id}'),
            ('document_version', '{document_id,collection}', 'document', '{id,collection}'),
            ('document_version_row', '{document_id,collection}', 'document', '{id,collection}'),
            ('embedding', '{document_id,collection}', 'document', '{id,collection}'),
            ('embedding', '{document_id,node_id}', 'content_node', '{document_id,id}'),
            ('embedding', '{model_name,dimensions,normalized}', 'embedding_model', '{name,dimensions,normalized}'),
            ('entity', '{document_id,collection}', 'document', '{id,collection}'),
            ('entity_extraction', '{document_id,collection}', 'document', '{id,collection}'),
            ('entity_relation', '{document_id,collection}', 'document', '{id,collection}'),
            ('entity_relation', '{document_id,node_id}', 'content_node', '{document_id,id}'),
            ('entity_relation', '{document_id,source_entity_id}', 'entity', '{document_id,id}'),
            ('entity_relation', '{document_id,target_entity_id}', 'entity', '{document_id,id}'),
            ('mention', '{document_id,collection}', 'document', '{id,collection}'),
            ('mention', '{document_id,node_id}', 'content_node', '{document_id,id}'),
            ('mention', '{document_id,entity_id}', 'entity', '{document_id,id}'),
            ('node_review', '{document_id,collection}', 'document', '{id,collection}'),
            ('node_sentences', '{document_id,collection}', 'document', '{id,collection}'),
            ('work_entry', '{document_id,collection}', 'document', '{id,collection}'),
            ('work_entry', '{document_id,node_id}', 'content_node', '{document_id,id}')
        ) as r (child, child_columns, parent, parent_columns)
        cross join unnest(r.child_columns::text[], r.parent_columns::text[]) as u (here, there)
        group by r.child, r.child_columns, r.parent
    loop
        return query execute format(
            'select c.%1$I, %2$L, c.%3$I::text, %4$L || %5$s from ragraph.%6$I as c'
            ' where ($1 is null or c.%1$I = $1) and %7$s'
            ' and not exists (select 1 from ragraph.%8$I as p where %9$s)',
            case reference.child when 'document' then 'id' else 'document_id' end,
            'references lead to existing rows',
            case reference.child
                when 'document_page' then 'page_pdf'
                when 'document_version' then 'version'
                when 'entity_extraction' then 'extractor'
                when 'mention' then 'entity_id'
                when 'node_sentences' then 'node_id'
                else 'id'
            end,
            format('%s has no %s: ', reference.child, reference.parent),
            reference.said,
            reference.child,
            reference.is_made,
            reference.parent,
            reference.is_met
        )
        using check_references.only_document;
    end loop;
end
$$;
comment on function ragraph_private.check_references(text) is
'Returns rows that refer to rows that do not exist, of one document or, for null, of all';
