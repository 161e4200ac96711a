-- The component tree: contents, subtree, breadcrumb, nodes of a component, and the tree walk that gives the reading
-- order. Recursions carry their path by hand and filter every table by the document, so that they run on any
-- PostgreSQL.

create or replace function ragraph.walk_document(document_id text)
returns table (
    kind text,
    id text,
    parent_component_id text,
    type text,
    depth integer,
    path integer[],
    sequence integer
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set enable_nestloop = off -- rows just written have no statistics, and a nested loop over them would be quadratic
as $$
#variable_conflict use_column
declare
    -- a place without a minor number comes before those with one
    before constant integer := -1;
    -- nodes without a parent component come after the tree
    behind constant integer := 2147483647;
begin
    perform ragraph_private.require_document(walk_document.document_id);
    return query
    with recursive tree as (
        select
            c.id,
            c.parent_component_id,
            c.component_type,
            0 as depth,
            array[c.sequence_in_parent_major, coalesce(c.sequence_in_parent_minor, before)] as path
        from ragraph.document_component as c
        where c.document_id = walk_document.document_id and c.parent_component_id is null
        union all
        select
            c.id,
            c.parent_component_id,
            c.component_type,
            t.depth + 1,
            t.path || array[c.sequence_in_parent_major, coalesce(c.sequence_in_parent_minor, before)]
        from tree as t
        inner join ragraph.document_component as c on c.parent_component_id = t.id
        where c.document_id = walk_document.document_id
    ),
    entries as (
        select
            'component' as kind,
            t.id,
            t.parent_component_id,
            t.component_type::text as type,
            t.depth,
            t.path
        from tree as t
        union all
        select
            'node',
            n.id,
            n.parent_component_id,
            n.content_node_type::text,
            coalesce(t.depth + 1, 0),
            coalesce(t.path, array[behind, before])
            || array[n.sequence_in_parent_major, coalesce(n.sequence_in_parent_minor, before)]
        from ragraph.content_node as n
        left join tree as t on n.parent_component_id = t.id
        where n.document_id = walk_document.document_id
    ),
    ordered as (
        select
            e.kind,
            e.id,
            e.parent_component_id,
            e.type,
            e.depth,
            e.path,
            row_number() over (order by e.path, e.kind, e.id collate "C") as place
        from entries as e
    )
    select
        o.kind,
        o.id,
        o.parent_component_id,
        o.type,
        o.depth,
        o.path,
        case
            when o.kind = 'node'
                then (count(*) filter (where o.kind = 'node') over (order by o.place rows unbounded preceding))::integer - 1
        end
    from ordered as o
    order by o.place;
end
$$;
comment on function ragraph.walk_document(text) is
'Returns the components and nodes of a document (kind) in a depth-first walk ordered by sequence_in_parent alone. path
holds the major and minor number of each step, with -1 if there is no minor number. sequence is the order of nodes from
0, null for components. Nodes without a parent come last. Raises RG001 if the document does not exist';

create or replace function ragraph.component_subtree(document_id text, component_id text)
returns table (
    id text,
    component_type ragraph.component_type,
    title text,
    parent_component_id text,
    depth integer,
    path integer[],
    page_range int4range,
    first_sequence integer,
    last_sequence integer
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
begin
    perform ragraph_private.require_component(component_subtree.document_id, component_subtree.component_id);
    return query
    with recursive tree as (
        select
            c.id,
            c.component_type,
            c.title,
            c.parent_component_id,
            c.depth,
            array[c.sequence_in_parent_major, coalesce(c.sequence_in_parent_minor, -1)] as path,
            c.page_range,
            c.first_sequence,
            c.last_sequence
        from ragraph.document_component as c
        where c.document_id = component_subtree.document_id and c.id = component_subtree.component_id
        union all
        select
            c.id,
            c.component_type,
            c.title,
            c.parent_component_id,
            c.depth,
            t.path || array[c.sequence_in_parent_major, coalesce(c.sequence_in_parent_minor, -1)],
            c.page_range,
            c.first_sequence,
            c.last_sequence
        from tree as t
        inner join ragraph.document_component as c on c.parent_component_id = t.id
        where c.document_id = component_subtree.document_id
    )
    select
        t.id,
        t.component_type,
        t.title,
        t.parent_component_id,
        t.depth,
        t.path,
        t.page_range,
        t.first_sequence,
        t.last_sequence
    from tree as t
    order by t.path, t.id collate "C";
end
$$;
comment on function ragraph.component_subtree(text, text) is
'Returns a component and all components below it, in reading order. depth counts from the top of the document, path
starts at the given component. Raises RG001 if the document does not exist, RG002 if the component does not';

create or replace function ragraph.component_path(document_id text, component_id text)
returns table (id text, component_type ragraph.component_type, title text, depth integer)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
begin
    perform ragraph_private.require_component(component_path.document_id, component_path.component_id);
    return query
    with recursive up as (
        select c.id, c.component_type, c.title, c.depth, c.parent_component_id
        from ragraph.document_component as c
        where c.document_id = component_path.document_id and c.id = component_path.component_id
        union all
        select c.id, c.component_type, c.title, c.depth, c.parent_component_id
        from up
        inner join ragraph.document_component as c on up.parent_component_id = c.id
        where c.document_id = component_path.document_id
    )
    select up.id, up.component_type, up.title, up.depth
    from up
    order by up.depth;
end
$$;
comment on function ragraph.component_path(text, text) is
'Returns the breadcrumb of a component: the components from the top down to it, itself included. Raises RG001 if the
document does not exist, RG002 if the component does not';

create or replace function ragraph.nodes_in_component(document_id text, component_id text)
returns setof ragraph.content_node
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    component ragraph.document_component;
begin
    component := ragraph_private.require_component(nodes_in_component.document_id, nodes_in_component.component_id);
    return query
    select n.*
    from ragraph.content_node as n
    where n.document_id = nodes_in_component.document_id
        and n.sequence_in_document between component.first_sequence and component.last_sequence
    order by n.sequence_in_document;
end
$$;
comment on function ragraph.nodes_in_component(text, text) is
'Returns the content nodes of a component and of all components below it, in reading order. Reads one range of an
index. Raises RG001 if the document does not exist, RG002 if the component does not';

create or replace function ragraph.table_of_contents(document_id text, max_depth integer default null)
returns table (
    component_id text,
    component_type ragraph.component_type,
    title text,
    parent_component_id text,
    depth integer,
    path text[],
    page_range int4range,
    first_page integer,
    last_page integer,
    logical_pages text[],
    nodes integer
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
begin
    perform ragraph_private.require_document(table_of_contents.document_id);
    if table_of_contents.max_depth < 0 then
        raise exception using
            errcode = 'RG005',
            message = format('max_depth is %s', table_of_contents.max_depth),
            hint = 'Give 0 for the top of the tree only, 1 for the chapters below it, null for all.';
    end if;
    return query
    with recursive tree as (
        select
            c.id,
            array[c.sequence_in_parent_major, coalesce(c.sequence_in_parent_minor, -1)] as place,
            array_remove(array[c.title], null) as titles
        from ragraph.document_component as c
        where c.document_id = table_of_contents.document_id and c.parent_component_id is null
        union all
        select
            c.id,
            t.place || array[c.sequence_in_parent_major, coalesce(c.sequence_in_parent_minor, -1)],
            t.titles || array_remove(array[c.title], null)
        from tree as t
        inner join ragraph.document_component as c on c.parent_component_id = t.id
        where c.document_id = table_of_contents.document_id
            and (table_of_contents.max_depth is null or c.depth <= table_of_contents.max_depth)
    )
    select
        c.id,
        c.component_type,
        c.title,
        c.parent_component_id,
        c.depth,
        t.titles,
        c.page_range,
        c.first_page,
        c.last_page,
        -- first pages often have no label: take the first and last labelled page within
        array(
            select l.label
            from (
                select
                    p.page_logical as label,
                    row_number() over (order by p.page_pdf) as from_start,
                    row_number() over (order by p.page_pdf desc) as from_end
                from ragraph.document_page as p
                where p.document_id = table_of_contents.document_id
                    and p.page_pdf between c.first_page and c.last_page
                    and p.page_logical is not null
            ) as l
            where l.from_start = 1 or l.from_end = 1
            order by l.from_start
        ),
        coalesce(c.last_sequence - c.first_sequence + 1, 0)
    from tree as t
    inner join ragraph.document_component as c
        on c.document_id = table_of_contents.document_id and t.id = c.id
    where ragraph_private.is_section(c.component_type)
    order by t.place, c.id collate "C";
end
$$;
comment on function ragraph.table_of_contents(text, integer) is
'Returns the sections of a document in reading order, down to max_depth (0 = front, body and back matter; null = all).
path holds the titles from the top down. page_range, first_page and last_page are physical pages. logical_pages holds
the labels of the first and the last labelled page. nodes counts the nodes below. Lists, boxes, containers, headers
and footers are left out, but sections below them are not. Raises RG001 if the document does not exist, RG005 if
max_depth is negative';

create or replace function ragraph.document_text(document_id text)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    perform ragraph_private.require_document(document_text.document_id);
    return (
        select coalesce(string_agg(n.content, E'\n\n' order by n.sequence_in_document), '')
        from ragraph.content_node as n
        where n.document_id = document_text.document_id
    );
end
$$;
comment on function ragraph.document_text(text) is
'Returns the canonical plain text: the content of all nodes in reading order, joined by an empty line. char_start and
char_end of nodes count its characters from 0. Raises RG001 if the document does not exist';
