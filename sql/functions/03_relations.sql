-- Relations between nodes, and the data that a citation of a node needs.

create or replace function ragraph.related_nodes(
    document_id text,
    inout node_id text,
    relation_types ragraph.relation_type[] default null,
    direction text default 'out',
    max_hops integer default 1,
    out relation_id text,
    out relation_type ragraph.relation_type,
    out marker_text text,
    out hop integer,
    out path text[]
)
returns setof record
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    visited text[] := array[related_nodes.node_id];
    frontier text[] := array[related_nodes.node_id];
    paths jsonb;
    steps jsonb;
    most constant integer := 100;
begin
    perform ragraph_private.require_node(related_nodes.document_id, related_nodes.node_id);
    if related_nodes.direction is null or related_nodes.direction not in ('out', 'in', 'both') then
        raise exception using
            errcode = 'RG005',
            message = format('direction is %L', related_nodes.direction),
            hint = 'Give out (from source to target), in (from target to source) or both.';
    end if;
    -- rows hold paths: those of a chain of notes have, without a limit, as many nodes as the square of its length
    if related_nodes.max_hops is null or related_nodes.max_hops not between 1 and most then
        raise exception using
            errcode = 'RG005',
            message = format('max_hops is %s', coalesce(related_nodes.max_hops::text, 'null')),
            hint = format('Give 1 for direct neighbours, up to %s for indirect ones.', most);
    end if;
    paths := jsonb_build_object(related_nodes.node_id, jsonb_build_array(related_nodes.node_id));
    -- Breadth first, each node once: linear in the number of edges, and safe on cycles. Enumerating paths is neither.
    for distance in 1..related_nodes.max_hops loop
        with edges as (
            select
                r.id, r.relation_type, r.marker_text, r.marker_start, r.source_node_id as near, r.target_node_id as far,
                f.place
            from unnest(frontier) with ordinality as f (id, place)
            inner join ragraph.relation as r on f.id = r.source_node_id
            where r.document_id = related_nodes.document_id
                and r.target_node_id is not null
                and related_nodes.direction in ('out', 'both')
                and (related_nodes.relation_types is null or r.relation_type = any(related_nodes.relation_types))
            union all
            select r.id, r.relation_type, r.marker_text, r.marker_start, r.target_node_id, r.source_node_id, f.place
            from unnest(frontier) with ordinality as f (id, place)
            inner join ragraph.relation as r on f.id = r.target_node_id
            where r.document_id = related_nodes.document_id
                and related_nodes.direction in ('in', 'both')
                and (related_nodes.relation_types is null or r.relation_type = any(related_nodes.relation_types))
        ),
        first_edges as (
            select distinct on (e.far) e.*
            from edges as e
            left join unnest(visited) as v (id) on e.far = v.id
            where v.id is null
            order by e.far, e.place, e.marker_start nulls last, e.id collate "C"
        ),
        placed as (
            select e.*, n.sequence_in_document as sequence
            from first_edges as e
            inner join ragraph.content_node as n
                on n.document_id = related_nodes.document_id and e.far = n.id
        )
        select
            jsonb_agg(
                jsonb_build_object(
                    'node', p.far,
                    'relation', p.id,
                    'type', p.relation_type,
                    'marker', p.marker_text,
                    'path', paths -> p.near || to_jsonb(array[p.far])
                )
                order by p.sequence
            ),
            array_agg(p.far order by p.sequence),
            jsonb_object_agg(p.far, paths -> p.near || to_jsonb(array[p.far]))
        into steps, frontier, paths
        from placed as p;
        exit when steps is null;
        return query
        select
            s.step ->> 'node',
            s.step ->> 'relation',
            (s.step ->> 'type')::ragraph.relation_type,
            s.step ->> 'marker',
            distance,
            array(select jsonb_array_elements_text(s.step -> 'path'))
        from jsonb_array_elements(steps) with ordinality as s (step, place)
        order by s.place;
        visited := visited || frontier;
    end loop;
end
$$;
comment on function ragraph.related_nodes(text, text, ragraph.relation_type[], text, integer) is
'Returns the nodes that relations lead to from a node, each once by its shortest path. The nearest come first, then the
order is reading order. relation_id, relation_type and marker_text describe the last relation of the path, hop counts
from 1, and path holds the node ids from the first node to this one. Raises RG001 if the document does not exist, RG003
if the node does not, RG005 for a wrong direction or max_hops, which is 1 to 100';

-- A statement that a cluster sends to one shard goes there with the functions that it calls, and none that queries tables
-- may run there. So a statement that calls such a function reads nodes by this one.
create or replace function ragraph_private.nodes_of(document_ids text[], node_ids text[])
returns setof ragraph.content_node
language plpgsql
stable
parallel safe
rows 200
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    only_document constant text := ragraph_private.only_one(nodes_of.document_ids);
begin
    if cardinality(nodes_of.document_ids) > 0 then
        return query
        select n.*
        from (
            select distinct u.document_id, u.node_id
            from unnest(nodes_of.document_ids, nodes_of.node_ids) as u (document_id, node_id)
        ) as w
        inner join ragraph.content_node as n on w.document_id = n.document_id and w.node_id = n.id
        where only_document is null or n.document_id = only_document;
    end if;
end
$$;
comment on function ragraph_private.nodes_of(text[], text[]) is
'Returns nodes by pairs of document and node, each once, unsorted; those that do not exist are left out';

create or replace function ragraph_private.cited_nodes(
    document_ids text[], node_ids text[], with_entities boolean default false
)
returns table (
    ordinality bigint,
    document_id text,
    node_id text,
    publication_id text,
    title text,
    authors text,
    publication_date date,
    citation text,
    source text,
    source_url text,
    uri text,
    document_type ragraph.document_type,
    download_url text,
    section_path text[],
    component_ids text[],
    pages integer[],
    logical_pages text[],
    boxes jsonb,
    char_start integer,
    char_end integer,
    content_node_type ragraph.content_node_type,
    content text,
    description text,
    entities text[]
)
language plpgsql
stable
parallel safe
rows 10
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    -- nodes by their place in the request, and the component above each that is read next
    places bigint[];
    documents text[];
    parents text[];
    level record;
    -- titled components above the nodes
    below bigint[];
    ids text[];
    titles text[];
    depths integer[];
    only_document constant text := ragraph_private.only_one(cited_nodes.document_ids);
    held jsonb; -- names of entities by document and node
begin
    if coalesce(cardinality(cited_nodes.document_ids), 0) = 0 then
        return;
    end if;
    -- Reads one level of components at a time, for all nodes at once. A recursion that carries document_id cannot be
    -- routed to a shard, and one recursion per document costs its start each time.
    select array_agg(w.place), array_agg(n.document_id), array_agg(n.parent_component_id)
    into places, documents, parents
    from unnest(cited_nodes.document_ids, cited_nodes.node_ids) with ordinality as w (document_id, node_id, place)
    inner join ragraph.content_node as n on w.document_id = n.document_id and w.node_id = n.id
    where only_document is null or n.document_id = only_document;
    while places is not null loop
        select
            array_agg(u.place) filter (where c.parent_component_id is not null) as places,
            array_agg(c.document_id) filter (where c.parent_component_id is not null) as documents,
            array_agg(c.parent_component_id) filter (where c.parent_component_id is not null) as parents,
            array_agg(u.place) filter (where c.title is not null) as below,
            array_agg(c.id) filter (where c.title is not null) as ids,
            array_agg(c.title) filter (where c.title is not null) as titles,
            array_agg(c.depth) filter (where c.title is not null) as depths
        into level
        from unnest(places, documents, parents) as u (place, document_id, parent)
        inner join ragraph.document_component as c on u.document_id = c.document_id and u.parent = c.id
        where only_document is null or c.document_id = only_document;
        places := level.places;
        documents := level.documents;
        parents := level.parents;
        below := below || level.below;
        ids := ids || level.ids;
        titles := titles || level.titles;
        depths := depths || level.depths;
    end loop;
    if cited_nodes.with_entities then
        select jsonb_agg(jsonb_build_object('document_id', h.document_id, 'node_id', h.node_id, 'names', h.names)) into held
        from ragraph.entities_in_nodes(cited_nodes.document_ids, cited_nodes.node_ids) as h;
    end if;
    -- Page numbers are grouped in a CTE of their own: a cluster cannot read a column of the nodes two subqueries
    -- further in.
    return query
    with sections as (
        select u.place, array_agg(u.title order by u.depth) as titles, array_agg(u.id order by u.depth) as ids
        from unnest(below, ids, titles, depths) as u (place, id, title, depth)
        group by u.place
    ),
    cited as materialized (
        select
            w.place,
            n.document_id,
            n.id as node_id,
            n.positional_data,
            n.char_start,
            n.char_end,
            n.content_node_type,
            n.content,
            n.description,
            d.type,
            d.download_url,
            p.id,
            coalesce(d.title, p.title) as title,
            case when d.title is null then p.authors else d.authors end as authors,
            coalesce(d.publication_date, p.publication_date) as publication_date,
            p.citation,
            p.source,
            p.source_url,
            p.uri
        from unnest(cited_nodes.document_ids, cited_nodes.node_ids) with ordinality as w (document_id, node_id, place)
        inner join ragraph.content_node as n on w.document_id = n.document_id and w.node_id = n.id
        inner join ragraph.document as d on n.document_id = d.id
        inner join ragraph.publication as p on d.publication_id = p.id
        where only_document is null or n.document_id = only_document
    ),
    numbers as (
        select c.place, (e.entry ->> 'page_pdf')::integer as page, min(e.entry ->> 'page_logical') as label
        from cited as c
        cross join lateral jsonb_array_elements(c.positional_data) as e (entry)
        group by 1, 2
    ),
    pages as (
        select
            q.place,
            array_agg(q.page order by q.page) as pages,
            coalesce(array_agg(q.label order by q.page) filter (where q.label is not null), '{}') as logical_pages
        from numbers as q
        group by q.place
    ),
    named as materialized (
        select h.document_id, h.node_id, h.names
        from jsonb_to_recordset(coalesce(held, '[]')) as h (document_id text, node_id text, names text[])
    )
    select
        c.place,
        c.document_id,
        c.node_id,
        c.id,
        c.title,
        c.authors,
        c.publication_date,
        c.citation,
        c.source,
        c.source_url,
        c.uri,
        c.type,
        c.download_url,
        coalesce(s.titles, '{}'),
        coalesce(s.ids, '{}'),
        coalesce(g.pages, '{}'),
        coalesce(g.logical_pages, '{}'),
        (
            select coalesce(jsonb_agg(b.entry order by b.place), '[]')
            from jsonb_array_elements(c.positional_data) with ordinality as b (entry, place)
            where jsonb_typeof(b.entry -> 'bbox') = 'object'
        ),
        c.char_start,
        c.char_end,
        c.content_node_type,
        c.content,
        c.description,
        e.names
    from cited as c
    left join sections as s on c.place = s.place
    left join pages as g on c.place = g.place
    left join named as e on c.document_id = e.document_id and c.node_id = e.node_id;
end
$$;
comment on function ragraph_private.cited_nodes(text[], text[], boolean) is
'Returns the rows of cite_nodes unsorted, with type, content and description of the nodes and, if with_entities, the
names of the entities that they mention';

create or replace function ragraph.cite_nodes(document_ids text[], node_ids text[])
returns table (
    ordinality bigint,
    document_id text,
    node_id text,
    publication_id text,
    title text,
    authors text,
    publication_date date,
    citation text,
    source text,
    source_url text,
    uri text,
    document_type ragraph.document_type,
    download_url text,
    section_path text[],
    component_ids text[],
    pages integer[],
    logical_pages text[],
    boxes jsonb,
    char_start integer,
    char_end integer
)
language plpgsql
stable
parallel safe
rows 10
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
begin
    if cardinality(cite_nodes.document_ids) is distinct from cardinality(cite_nodes.node_ids) then
        raise exception using
            errcode = 'RG005',
            message = format(
                '%s document ids but %s node ids',
                coalesce(cardinality(cite_nodes.document_ids)::text, 'null'),
                coalesce(cardinality(cite_nodes.node_ids)::text, 'null')
            ),
            hint = 'Give two arrays of the same length: each document id with its node id.';
    end if;
    return query
    select
        c.ordinality,
        c.document_id,
        c.node_id,
        c.publication_id,
        c.title,
        c.authors,
        c.publication_date,
        c.citation,
        c.source,
        c.source_url,
        c.uri,
        c.document_type,
        c.download_url,
        c.section_path,
        c.component_ids,
        c.pages,
        c.logical_pages,
        c.boxes,
        c.char_start,
        c.char_end
    from ragraph_private.cited_nodes(cite_nodes.document_ids, cite_nodes.node_ids) as c
    order by c.ordinality;
end
$$;
comment on function ragraph.cite_nodes(text[], text[]) is
'Returns a citation for each pair of document and node, in the given order (ordinality from 1). It holds the
publication, section_path and component_ids (titled components from the top down), physical pages, logical pages if
known, boxes (entries of positional_data), and the span in document_text(document_id). Pairs that are not in the store
are left out. Raises RG005 if the arrays differ in length';

create or replace function ragraph.node_citation(
    inout document_id text,
    inout node_id text,
    out publication_id text,
    out title text,
    out authors text,
    out publication_date date,
    out citation text,
    out source text,
    out source_url text,
    out uri text,
    out document_type ragraph.document_type,
    out download_url text,
    out section_path text[],
    out component_ids text[],
    out pages integer[],
    out logical_pages text[],
    out boxes jsonb,
    out char_start integer,
    out char_end integer
)
returns setof record
language plpgsql
stable
parallel safe
rows 1
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
begin
    perform ragraph_private.require_node(node_citation.document_id, node_citation.node_id);
    return query
    select
        c.document_id,
        c.node_id,
        c.publication_id,
        c.title,
        c.authors,
        c.publication_date,
        c.citation,
        c.source,
        c.source_url,
        c.uri,
        c.document_type,
        c.download_url,
        c.section_path,
        c.component_ids,
        c.pages,
        c.logical_pages,
        c.boxes,
        c.char_start,
        c.char_end
    from ragraph_private.cited_nodes(array[node_citation.document_id], array[node_citation.node_id]) as c;
end
$$;
comment on function ragraph.node_citation(text, text) is
'Returns the citation of one node in one row; see cite_nodes for the columns. Raises RG001 if the document does not
exist, RG003 if the node does not';
