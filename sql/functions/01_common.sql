-- Helpers of the other files. What lies in the schema ragraph_private is not an interface.

create or replace function ragraph_private.require_document(document_id text)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    if not exists (
        select 1 from ragraph.document as d where d.id = require_document.document_id
    ) then
        raise exception using
            errcode = 'RG001',
            message = format('there is no document %L', require_document.document_id),
            hint = 'List the documents of the store: SELECT id FROM ragraph.document.';
    end if;
end
$$;
comment on function ragraph_private.require_document(text) is
'Raises RG001 unless the document is there';

create or replace function ragraph_private.require_component(document_id text, component_id text)
returns ragraph.document_component
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    component ragraph.document_component;
begin
    select c.* into component
    from ragraph.document_component as c
    where c.document_id = require_component.document_id and c.id = require_component.component_id;
    if not found then
        perform ragraph_private.require_document(require_component.document_id);
        raise exception using
            errcode = 'RG002',
            message = format(
                'document %L has no component %L', require_component.document_id, require_component.component_id
            ),
            hint = 'List the components of the document: SELECT * FROM ragraph.table_of_contents(document_id).';
    end if;
    return component;
end
$$;
comment on function ragraph_private.require_component(text, text) is
'The row of a component; raises RG001 or RG002 when the document or the component is missing';

create or replace function ragraph_private.require_node(document_id text, node_id text)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    if not exists (
        select 1
        from ragraph.content_node as n
        where n.document_id = require_node.document_id and n.id = require_node.node_id
    ) then
        perform ragraph_private.require_document(require_node.document_id);
        raise exception using
            errcode = 'RG003',
            message = format('document %L has no content node %L', require_node.document_id, require_node.node_id),
            hint = 'Ids of nodes come from a search or from ragraph.walk_document(document_id).';
    end if;
end
$$;
comment on function ragraph_private.require_node(text, text) is
'Raises RG001 or RG003 when the document or the node is missing';

create or replace function ragraph_private.is_section(component_type ragraph.component_type)
returns boolean
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return is_section.component_type not in ('LIST', 'TEXT_BOX', 'HEADER', 'FOOTER', 'CONTAINER');
end
$$;
comment on function ragraph_private.is_section(ragraph.component_type) is
'Whether a component belongs into a table of contents: matter and sections do, lists, boxes and furniture do not';
