-- Finds violations that constraints cannot express, in one pass over the rows of a document or of the store, without
-- recursion. The reading order is a walk of the tree exactly if two conditions hold: it has no gaps, and under every
-- parent the intervals of the children follow each other in the order of the children without gaps.

create or replace function ragraph_private.check_tree(only_document text)
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
    with nodes as materialized (
        select
            n.document_id,
            n.id,
            n.parent_component_id as parent,
            n.content_node_type as type,
            n.sequence_in_parent_major as major,
            n.sequence_in_parent_minor as minor,
            n.sequence_in_document as sequence,
            n.first_page,
            n.last_page,
            n.char_start,
            n.char_end,
            length(n.content) as size,
            row_number() over in_order - 1 as place,
            coalesce(
                sum(length(n.content) + 2) over (in_order rows between unbounded preceding and 1 preceding), 0
            ) as true_start
        from ragraph.content_node as n
        where check_tree.only_document is null or n.document_id = check_tree.only_document
        window in_order as (partition by n.document_id order by n.sequence_in_document)
    ),
    components as materialized (
        select
            c.document_id,
            c.id,
            c.parent_component_id as parent,
            c.component_type as type,
            c.sequence_in_parent_major as major,
            c.sequence_in_parent_minor as minor,
            c.first_sequence,
            c.last_sequence,
            c.first_page,
            c.last_page
        from ragraph.document_component as c
        where check_tree.only_document is null or c.document_id = check_tree.only_document
    ),
    children as materialized (
        select
            n.document_id,
            n.parent,
            'node' as kind,
            n.id,
            n.major,
            n.minor,
            n.sequence as first_sequence,
            n.sequence as last_sequence,
            n.first_page,
            n.last_page,
            -- nodes without a component come after the tree
            n.parent is null as loose,
            false as furniture
        from nodes as n
        union all
        select
            c.document_id,
            c.parent,
            'component',
            c.id,
            c.major,
            c.minor,
            c.first_sequence,
            c.last_sequence,
            c.first_page,
            c.last_page,
            false,
            c.type in ('HEADER', 'FOOTER')
        from components as c
    ),
    in_line as (
        select
            c.*,
            -- the last place taken by the siblings before this one
            max(c.last_sequence) over (
                partition by c.document_id, c.parent
                order by c.loose, c.major, c.minor nulls first, c.kind, c.id collate "C"
                rows between unbounded preceding and 1 preceding
            ) as taken,
            count(*) over (partition by c.document_id, c.parent, c.loose, c.major, c.minor) as sharing,
            -- children without a minor number count from 0 without gaps
            count(*) filter (where c.minor is null) over (
                partition by c.document_id, c.parent, c.loose order by c.major range unbounded preceding
            ) - 1 as true_major
        from children as c
    ),
    hulls as (
        select
            c.document_id,
            c.parent,
            min(c.first_sequence) as first_sequence,
            max(c.last_sequence) as last_sequence,
            coalesce(sum(c.last_sequence - c.first_sequence + 1), 0) as nodes,
            min(c.first_page) as first_page,
            max(c.last_page) as last_page
        from children as c
        group by c.document_id, c.parent
    )
    select
        n.document_id,
        'reading order is dense',
        n.id,
        format('sequence_in_document is %s, place %s', n.sequence, n.place)
    from nodes as n
    where n.sequence <> n.place
    union all
    select
        n.document_id,
        'spans index the text of the document',
        n.id,
        format('span is %s to %s, content lies at %s to %s', n.char_start, n.char_end, n.true_start, n.true_start + n.size)
    from nodes as n
    where (n.char_start, n.char_end) is distinct from (n.true_start, n.true_start + n.size)
    union all
    select
        i.document_id,
        'reading order follows the tree',
        i.id,
        format('%s begins at %s, but a sibling before it ends at %s', i.kind, i.first_sequence, i.taken)
    from in_line as i
    where i.first_sequence <= i.taken
    union all
    select
        i.document_id,
        'siblings have different places',
        i.id,
        format('%s siblings at major %s, minor %s', i.sharing, i.major, coalesce(i.minor::text, 'none'))
    from in_line as i
    where i.sharing > 1
    union all
    select
        i.document_id,
        'sibling order is dense',
        i.id,
        format('major is %s, but %s siblings up to it have a major number of their own', i.major, i.true_major + 1)
    from in_line as i
    where i.major <> greatest(i.true_major, 0)
    union all
    select
        c.document_id,
        'intervals enclose their nodes',
        c.id,
        format(
            'interval is %s to %s, nodes below are at %s to %s',
            c.first_sequence, c.last_sequence, h.first_sequence, h.last_sequence
        )
    from components as c
    left join hulls as h on c.document_id = h.document_id and c.id = h.parent
    where (c.first_sequence, c.last_sequence) is distinct from (h.first_sequence, h.last_sequence)
        or h.last_sequence - h.first_sequence + 1 <> h.nodes
    union all
    select
        c.document_id,
        'pages of a component are those of its nodes',
        c.id,
        format('pages are %s to %s, nodes below are on %s to %s', c.first_page, c.last_page, h.first_page, h.last_page)
    from components as c
    inner join hulls as h on c.document_id = h.document_id and c.id = h.parent
    where h.first_page is not null
        and (c.first_page, c.last_page) is distinct from (h.first_page, h.last_page)
    union all
    select
        c.document_id,
        'only headers and footers have a minor number',
        c.id,
        format('component of type %s has minor %s', c.type, c.minor)
    from components as c
    where c.minor is not null and c.type not in ('HEADER', 'FOOTER');
end
$$;
comment on function ragraph_private.check_tree(text) is
'Returns violations of order, tree and pages, of one document or, for null, of all';

create or replace function ragraph_private.check_content(only_document text)
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
    select n.document_id, 'content_hash is that of the content', n.id, 'the content was changed but not its hash'
    from ragraph.content_node as n
    where (check_content.only_document is null or n.document_id = check_content.only_document)
        and n.content_hash <> encode(sha256(convert_to(n.content, 'UTF8')), 'hex');

    return query
    select n.document_id, 'tokens of a node are counted', n.id, format('token_count is 0 for %s characters', length(n.content))
    from ragraph.content_node as n
    where (check_content.only_document is null or n.document_id = check_content.only_document)
        and n.token_count = 0
        and n.content ~ '[[:alnum:]]';

    return query
    select
        n.document_id,
        'levels of headings are whole numbers from 1',
        n.id,
        format('level is %s', n.data -> 'level')
    from ragraph.content_node as n
    where (check_content.only_document is null or n.document_id = check_content.only_document)
        and n.data ? 'level'
        and jsonb_typeof(n.data -> 'level') <> 'null'
        and not jsonb_path_exists(n.data, '$.level ? (@.type() == "number" && @ >= 1 && @ == @.floor())');

    return query
    with positions as (
        select
            n.document_id,
            n.id,
            e.entry,
            p.width,
            p.height,
            p.page_pdf is not null as has_page,
            e.entry -> 'bbox' as box
        from ragraph.content_node as n
        cross join jsonb_array_elements(n.positional_data) as e (entry)
        left join ragraph.document_page as p
            on n.document_id = p.document_id and (e.entry ->> 'page_pdf')::numeric = p.page_pdf
        where check_content.only_document is null or n.document_id = check_content.only_document
    )
    select p.document_id, 'positions lie on pages of the document', p.id, format('there is no page %s', p.entry -> 'page_pdf')
    from positions as p
    where not p.has_page
    union all
    select p.document_id, 'boxes are rectangles on their page', p.id, format('page %s, box %s', p.entry -> 'page_pdf', p.box)
    from positions as p
    where jsonb_typeof(p.box) <> 'null'
        and case
            when jsonb_path_exists(
                p.box,
                '$ ? (@.x1.type() == "number" && @.x2.type() == "number" && @.y1.type() == "number" && @.y2.type() == "number")'
            )
                then
                    (p.box ->> 'x1')::numeric > (p.box ->> 'x2')::numeric
                    or (p.box ->> 'y1')::numeric > (p.box ->> 'y2')::numeric
                    -- one point of tolerance for line widths and rounding
                    or (p.box ->> 'x1')::numeric < -1
                    or (p.box ->> 'y1')::numeric < -1
                    or coalesce((p.box ->> 'x2')::numeric > p.width::numeric + 1, false)
                    or coalesce((p.box ->> 'y2')::numeric > p.height::numeric + 1, false)
            else true
        end;

    return query
    select
        e.document_id,
        'spans of embeddings lie within the text of their node',
        e.id,
        format('span is %s to %s of %s', e.char_start, e.char_end, e.embedding_source)
    from ragraph.embedding as e
    inner join ragraph.content_node as n on e.document_id = n.document_id and e.node_id = n.id
    where (check_content.only_document is null or e.document_id = check_content.only_document)
        and e.char_end > case e.embedding_source
            when 'TEXT_CONTENT' then length(n.content)
            when 'DESCRIPTION' then coalesce(length(n.description), 0)
            else 2147483647 -- a caption is the text of another node
        end;

    return query
    select
        r.document_id,
        'markers are within their node',
        r.id,
        format('marker_start is %s, the content has %s characters', r.marker_start, length(n.content))
    from ragraph.relation as r
    inner join ragraph.content_node as n on r.document_id = n.document_id and r.source_node_id = n.id
    where (check_content.only_document is null or r.document_id = check_content.only_document)
        and r.marker_start > length(n.content);

    return query
    select r.document_id, 'the CONTINUES chain does not branch', min(r.id), format('node %s: %s links', r.node, count(*))
    from (
        select c.document_id, c.id, 'from ' || c.source_node_id as node
        from ragraph.relation as c
        where (check_content.only_document is null or c.document_id = check_content.only_document)
            and c.relation_type = 'CONTINUES'
            and c.target_node_id is not null
        union all
        select c.document_id, c.id, 'to ' || c.target_node_id
        from ragraph.relation as c
        where (check_content.only_document is null or c.document_id = check_content.only_document)
            and c.relation_type = 'CONTINUES'
            and c.target_node_id is not null
    ) as r
    group by r.document_id, r.node
    having count(*) > 1;

    -- one table at a time, because the other document may be on another server than the relation
    return query
    with edges as materialized (
        select r.*
        from ragraph.document_relation as r
        where check_content.only_document is null or r.document_id = check_content.only_document
    ),
    documents as materialized (
        select d.id from ragraph.document as d where d.id in (select e.target_document_id from edges as e)
    ),
    nodes as materialized (
        select n.document_id, n.id
        from edges as e
        inner join ragraph.content_node as n on e.target_document_id = n.document_id and e.target_node_id = n.id
    )
    select
        e.document_id,
        'relations to other documents have a target',
        e.id,
        format('there is no node %L in document %L', coalesce(e.target_node_id, '(the document)'), e.target_document_id)
    from edges as e
    left join documents as d on e.target_document_id = d.id
    left join (select distinct n.document_id, n.id from nodes as n) as n
        on e.target_document_id = n.document_id and e.target_node_id = n.id
    where d.id is null or (e.target_node_id is not null and n.id is null);
end
$$;
comment on function ragraph_private.check_content(text) is
'Returns violations of hashes, positions, spans and relations, of one document or, for null, of all';

create or replace function ragraph_private.check_documents(only_document text)
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
    with documents as materialized (
        select d.*
        from ragraph.document as d
        where check_documents.only_document is null or d.id = check_documents.only_document
    ),
    pages as materialized (
        select p.document_id, count(*) as pages, max(p.page_pdf) as last_page
        from ragraph.document_page as p
        where check_documents.only_document is null or p.document_id = check_documents.only_document
        group by p.document_id
    ),
    nodes as materialized (
        select
            n.document_id,
            count(*) as nodes,
            count(*) filter (where n.parent_component_id is null) as loose,
            min(n.id) filter (where n.parent_component_id is null) as first_loose
        from ragraph.content_node as n
        where check_documents.only_document is null or n.document_id = check_documents.only_document
        group by n.document_id
    )
    select
        d.id,
        v.rule,
        v.object_id,
        v.detail
    from documents as d
    left join pages as p on d.id = p.document_id
    left join nodes as n on d.id = n.document_id
    cross join lateral (
        values
        (
            'page_count is the number of pages',
            d.id,
            format('page_count is %s, but there are %s pages, the last is %s', d.page_count, coalesce(p.pages, 0), p.last_page),
            coalesce(d.page_count, 0) <> coalesce(p.pages, 0) or p.pages <> p.last_page
        ),
        (
            'a completed document has a tree',
            n.first_loose,
            format('%s nodes have no parent', n.loose),
            d.processing_status = 'completed' and n.loose > 0
        ),
        (
            'a failed document has an error message',
            d.id,
            'error_message is null',
            d.processing_status = 'failed' and d.error_message is null
        ),
        (
            'a pending document has no nodes',
            d.id,
            format('%s nodes', n.nodes),
            d.processing_status = 'pending' and n.nodes > 0
        )
    ) as v (rule, object_id, detail, broken)
    where v.broken;
end
$$;
comment on function ragraph_private.check_documents(text) is
'Returns violations of status and page count, of one document or, for null, of all';

create or replace function ragraph_private.violations(only_document text)
returns table (document_id text, rule text, object_id text, detail text)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
begin
    return query
    with plain as materialized (
        select t.* from ragraph_private.check_references(violations.only_document) as t
        union all
        select t.* from ragraph_private.check_documents(violations.only_document) as t
        union all
        select t.* from ragraph_private.check_tree(violations.only_document) as t
        union all
        select t.* from ragraph_private.check_content(violations.only_document) as t
        union all
        select t.* from ragraph_private.check_vectors(violations.only_document) as t
        union all
        select t.* from ragraph_private.check_cycles(violations.only_document) as t
        union all
        select t.* from ragraph_private.check_files(violations.only_document) as t
        union all
        select t.* from ragraph_private.check_entities(violations.only_document) as t
        union all
        select t.* from ragraph_private.check_works(violations.only_document) as t
    )
    select v.*
    from (
        select p.* from plain as p
        union all
        select t.*
        from ragraph_private.check_order(
            violations.only_document, array(select distinct p.document_id from plain as p)
        ) as t
    ) as v
    order by v.document_id collate "C", v.rule collate "C", v.object_id collate "C";
end
$$;
comment on function ragraph_private.violations(text) is
'Returns all violations, of one document or, for null, of all, in the order of document, rule and object';

create or replace function ragraph.check_document(
    inout document_id text, out rule text, out object_id text, out detail text
)
returns setof record
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
begin
    perform ragraph_private.require_document(check_document.document_id);
    return query select c.* from ragraph_private.violations(check_document.document_id) as c;
end
$$;
comment on function ragraph.check_document(text) is
'Returns every violation of the model in a document, including those that constraints normally prevent: the rule, the
id of the object that violates it, and details; no rows if there is no violation. Rows are in the order of rule and
object. A relation without a target is no violation. Raises RG001 if the document does not exist';

create or replace function ragraph.check_store()
returns table (document_id text, rule text, object_id text, detail text)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
begin
    return query select c.* from ragraph_private.violations(null) as c;
end
$$;
comment on function ragraph.check_store() is
'Returns the violations of check_document for all documents in one pass, in the order of document, rule and object; no
rows if there is no violation';
