-- Reading order: computes the numbers of all nodes and components from the CONTINUES chain or from the stored order.

create or replace function ragraph_private.chain_order(document_id text, out ids text[], out ranks integer[])
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set enable_nestloop = off -- rows just written have no statistics, and a nested loop over them would be quadratic
as $$
#variable_conflict use_column
declare
    following integer[]; -- for each node the index of the node that continues it; 0 if there is no such node
    heads integer[];
    head integer;
    here integer;
    placed integer := 0;
    node_count integer;
    broken text;
begin
    select f.node_id into broken
    from (
        select r.target_node_id as node_id
        from ragraph.relation as r
        where r.document_id = chain_order.document_id
            and r.relation_type = 'CONTINUES'
            and r.target_node_id is not null
        group by r.target_node_id
        having count(distinct r.source_node_id) > 1
        union all
        select r.source_node_id
        from ragraph.relation as r
        where r.document_id = chain_order.document_id
            and r.relation_type = 'CONTINUES'
            and r.target_node_id is not null
        group by r.source_node_id
        having count(distinct r.target_node_id) > 1
    ) as f
    order by f.node_id
    limit 1;
    if found then
        raise exception using
            errcode = 'RG008',
            message = format('the CONTINUES chain of document %L branches at node %L', chain_order.document_id, broken),
            hint = 'A node may continue at most one node and be continued by at most one; delete the wrong relation.';
    end if;

    with numbered as materialized (
        select n.id, row_number() over (order by n.sequence_in_document, n.id) as i
        from ragraph.content_node as n
        where n.document_id = chain_order.document_id
    ),
    links as materialized (
        select distinct r.source_node_id, r.target_node_id
        from ragraph.relation as r
        where r.document_id = chain_order.document_id
            and r.relation_type = 'CONTINUES'
            and r.target_node_id is not null
    )
    select
        array_agg(n.id order by n.i),
        array_agg(coalesce(later.i, 0)::integer order by n.i),
        array_agg(n.i::integer order by n.i) filter (where back.source_node_id is null)
    into chain_order.ids, following, heads
    from numbered as n
    left join links as forth on n.id = forth.target_node_id
    left join numbered as later on forth.source_node_id = later.id
    left join links as back on n.id = back.source_node_id;

    node_count := coalesce(array_length(chain_order.ids, 1), 0);
    chain_order.ranks := array_fill(0, array[node_count]);
    -- chains and nodes outside any chain follow each other by the stored order of their first node
    foreach head in array coalesce(heads, '{}') loop
        here := head;
        while here > 0 loop
            chain_order.ranks[here] := placed;
            placed := placed + 1;
            here := following[here];
        end loop;
    end loop;
    if placed <> node_count then
        raise exception using
            errcode = 'RG008',
            message = format('the CONTINUES chain of document %L has a cycle', chain_order.document_id),
            hint = 'One node of the cycle must not continue another; delete the wrong relation.';
    end if;
end
$$;
comment on function ragraph_private.chain_order(text) is
'Returns the node ids of a document and, in ranks, the place of each by following CONTINUES, from 0. Linear in the
number of nodes. Raises RG008 if the chain branches or has a cycle';

create or replace function ragraph_private.reading_order(document_id text)
returns setof ragraph_private.place
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set enable_nestloop = off -- rows just written have no statistics, and a nested loop over them would be quadratic
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
    ids text[];
    ranks integer[];
begin
    if exists (
        select 1
        from ragraph.relation as r
        where r.document_id = reading_order.document_id
            and r.relation_type = 'CONTINUES'
            and r.target_node_id is not null
    ) then
        select c.ids, c.ranks into ids, ranks from ragraph_private.chain_order(reading_order.document_id) as c;
    else
        select array_agg(w.id), array_agg(w.sequence)
        into ids, ranks
        from ragraph.walk_document(reading_order.document_id) as w
        where w.kind = 'node';
    end if;

    return query
    with recursive nodes as materialized (
        select
            n.id,
            n.parent_component_id as parent,
            n.content_node_type as type,
            n.sequence_in_parent_major as major,
            n.sequence_in_parent_minor as minor,
            n.first_page,
            n.last_page,
            length(n.content) as size,
            o.rank
        from ragraph.content_node as n
        inner join unnest(ids, ranks) as o (id, rank) on n.id = o.id
        where n.document_id = reading_order.document_id
    ),
    components as materialized (
        select
            c.id,
            c.parent_component_id as parent,
            c.component_type as type,
            c.sequence_in_parent_major as major,
            c.sequence_in_parent_minor as minor
        from ragraph.document_component as c
        where c.document_id = reading_order.document_id
    ),
    -- each component with itself and each component above it
    ancestry as (
        select c.id, c.id as ancestor, c.type as ancestor_type, c.parent as next
        from components as c
        union all
        select a.id, c.id, c.type, c.parent
        from ancestry as a
        inner join components as c on a.next = c.id
    ),
    -- components whose notes have a place of their own: endnotes, chapter notes, notes of a bibliography
    settled as (
        select distinct a.id from ancestry as a where a.ancestor_type in ('NOTES_SECTION', 'BIBLIOGRAPHY')
    ),
    footnotes as materialized (
        select n.id
        from nodes as n
        left join settled as s on n.parent = s.id
        -- a note with a minor number was a footnote before: of an endnote, if it is among endnotes now
        where n.type = 'NOTE' and (s.id is null or n.minor is not null)
    ),
    mentions as materialized (
        select
            r.target_node_id as note,
            t.rank as note_rank,
            r.source_node_id as source,
            coalesce(r.marker_start, -1) as marker_start,
            f.id is not null as from_footnote
        from ragraph.relation as r
        inner join nodes as t on r.target_node_id = t.id
        inner join footnotes as g on r.target_node_id = g.id
        inner join nodes as s on r.source_node_id = s.id
        left join footnotes as f on r.source_node_id = f.id
        where r.document_id = reading_order.document_id and r.relation_type = 'REFERENCES_NOTE'
    ),
    in_text as (
        select distinct m.note from mentions as m where not m.from_footnote
    ),
    -- footnotes to which only footnotes refer
    from_notes as materialized (
        select m.note, m.note_rank, m.source, m.marker_start
        from mentions as m
        left join in_text as d on m.note = d.note
        where m.from_footnote and d.note is null
    ),
    -- footnotes that can be reached from the text, with the length of each path; one row per length, however many paths
    -- there are
    reachable as materialized (
        select d.note as id, 1 as hop from in_text as d
        union
        select f.note, r.hop + 1
        from reachable as r
        inner join from_notes as f on r.id = f.source
        where r.hop < 4
    ),
    attachable as materialized (
        select r.id, min(r.hop) as hop from reachable as r group by r.id
    ),
    flow as materialized (
        select n.* from nodes as n left join attachable as a on n.id = a.id where a.id is null
    ),
    -- the place of a component is the place of its first node
    component_rank as (
        select a.ancestor as id, min(p.rank) as rank
        from (select f.parent, min(f.rank) as rank from flow as f group by f.parent) as p
        inner join ancestry as a on p.parent = a.id
        group by a.ancestor
    ),
    siblings as (
        select 'node' as kind, f.id, f.parent, f.rank, f.major, f.minor, false as furniture,
            -- nodes without a component have an order of their own
            f.parent is null as loose
        from flow as f
        union all
        select 'component', c.id, c.parent, r.rank, c.major, c.minor, c.type in ('HEADER', 'FOOTER'), false
        from components as c
        left join component_rank as r on c.id = r.id
    ),
    -- furniture in front of all siblings moves behind the first
    lifted as (
        select
            s.*,
            case
                when s.furniture and s.rank is not null
                    then
                        greatest(
                            s.rank,
                            min(s.rank) filter (where not s.furniture) over (partition by s.parent, s.loose)
                        )
                else s.rank
            end as place
        from siblings as s
    ),
    -- a sibling without nodes stays behind the same sibling as before
    grouped as (
        select
            l.*,
            count(l.place) over (
                partition by l.parent order by l.major, l.minor nulls first, l.kind, l.id collate "C"
                rows unbounded preceding
            ) as group_number
        from lifted as l
    ),
    keyed as (
        select
            g.*,
            coalesce(
                g.place, max(g.place) over (partition by g.parent, g.group_number), -1
            ) as key
        from grouped as g
    ),
    placed as materialized (
        select
            k.kind,
            k.id,
            k.parent,
            k.furniture,
            -- order of furniture at one place: by appearance, components without nodes last
            row_number() over (
                partition by k.parent order by k.rank nulls last, k.major, k.minor nulls first, k.id collate "C"
            )::integer as appearance,
            greatest(count(*) filter (where not k.furniture) over sibling_order - 1, 0)::integer as major
        from keyed as k
        window sibling_order as (
            partition by k.parent, k.loose
            order by
                k.key,
                k.place nulls last,
                k.furniture and k.place is not null,
                k.rank,
                k.major,
                k.minor nulls first,
                k.kind,
                k.id collate "C"
            rows unbounded preceding
        )
    ),
    flow_tree as materialized (
        select p.id, array[p.major, case when p.furniture then p.appearance else -1 end] as path
        from placed as p
        where p.kind = 'component' and p.parent is null
        union all
        select p.id, t.path || array[p.major, case when p.furniture then p.appearance else -1 end]
        from flow_tree as t
        inner join placed as p on t.id = p.parent and p.kind = 'component'
    ),
    -- the text in its new order, which may differ from the stored one: it decides which node refers to a note first
    flow_order as materialized (
        select
            p.id,
            row_number() over (
                order by coalesce(t.path, array[2147483647, -1]) || array[p.major, -1], p.id collate "C"
            )::integer as rank
        from placed as p
        left join flow_tree as t on p.parent = t.id
        where p.kind = 'node'
    ),
    from_text as materialized (
        select distinct on (m.note)
            m.note,
            m.source as anchor,
            array[o.rank, m.marker_start, m.note_rank] as trail
        from mentions as m
        inner join flow_order as o on m.source = o.id
        where not m.from_footnote
        order by m.note, o.rank, m.marker_start
    ),
    -- a note is attached where its shortest path begins; of equally short paths, the one that begins first
    attached as materialized (
        select t.note as id, 1 as hop, t.anchor, t.trail from from_text as t
        union all
        select n.*
        from (
            select distinct on (f.note) f.note, a.hop + 1, a.anchor, a.trail || array[f.marker_start, f.note_rank]
            from attached as a
            inner join from_notes as f on a.id = f.source
            inner join attachable as r on f.note = r.id and a.hop + 1 = r.hop
            order by f.note, a.trail || array[f.marker_start, f.note_rank]
        ) as n
    ),
    notes as materialized (
        select
            a.id,
            p.parent,
            p.major,
            (row_number() over (partition by p.parent, p.major order by a.trail))::integer as minor
        from attached as a
        inner join placed as p on a.anchor = p.id and p.kind = 'node'
    ),
    note_counts as (
        select n.parent, n.major, count(*)::integer as notes from notes as n group by n.parent, n.major
    ),
    new_components as materialized (
        select
            p.id,
            p.parent,
            p.major,
            case
                when p.furniture
                    then
                        (
                            coalesce(c.notes, 0)
                            + row_number() over (partition by p.parent, p.major, p.furniture order by p.appearance)
                        )::integer
            end as minor
        from placed as p
        left join note_counts as c on p.parent = c.parent and p.major = c.major
        where p.kind = 'component'
    ),
    tree as materialized (
        select c.id, array[c.major, coalesce(c.minor, -1)] as path
        from new_components as c
        where c.parent is null
        union all
        select c.id, t.path || array[c.major, coalesce(c.minor, -1)]
        from tree as t
        inner join new_components as c on t.id = c.parent
    ),
    new_places as (
        select p.id, p.parent, p.major, null::integer as minor from placed as p where p.kind = 'node'
        union all
        select n.id, n.parent, n.major, n.minor from notes as n
    ),
    ordered as (
        select
            p.*,
            n.size,
            n.first_page,
            n.last_page,
            row_number() over (
                order by coalesce(t.path, array[2147483647, -1]) || array[p.major, coalesce(p.minor, -1)], p.id collate "C"
            ) - 1 as sequence
        from new_places as p
        inner join nodes as n on p.id = n.id
        left join tree as t on p.parent = t.id
    ),
    new_nodes as materialized (
        select
            o.*,
            coalesce(
                sum(o.size + 2) over (order by o.sequence rows between unbounded preceding and 1 preceding), 0
            )::integer as char_start
        from ordered as o
    ),
    intervals as (
        select
            a.ancestor as id,
            min(p.first_sequence)::integer as first_sequence,
            max(p.last_sequence)::integer as last_sequence,
            int4range(min(p.first_page), max(p.last_page), '[]') as page_range,
            min(p.first_page) is not null as has_pages
        from (
            select
                n.parent,
                min(n.sequence) as first_sequence,
                max(n.sequence) as last_sequence,
                min(n.first_page) as first_page,
                max(n.last_page) as last_page
            from new_nodes as n
            group by n.parent
        ) as p
        inner join ancestry as a on p.parent = a.id
        group by a.ancestor
    )
    select
        'node',
        n.id,
        n.parent,
        n.major,
        n.minor,
        n.sequence::integer,
        n.sequence::integer,
        n.char_start,
        n.char_start + n.size,
        null::int4range,
        true
    from new_nodes as n
    union all
    select
        'component',
        c.id,
        c.parent,
        c.major,
        c.minor,
        i.first_sequence,
        i.last_sequence,
        null,
        null,
        case when i.has_pages then i.page_range end,
        t.id is not null
    from new_components as c
    left join intervals as i on c.id = i.id
    left join tree as t on c.id = t.id;
end
$$;
comment on function ragraph_private.reading_order(text) is
'Returns the place of each node and component of a document, by the CONTINUES chain if there is one, else as stored.
reached is false for a component that cannot be reached from the top. Changes nothing. Raises RG001 if the document
does not exist, RG008 if the chain branches or has a cycle';

create or replace function ragraph.sequence_document(document_id text)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set enable_nestloop = off -- rows just written have no statistics, and a nested loop over them would be quadratic
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
    places ragraph_private.place[];
    unreached integer;
    detached boolean;
    moved integer;
    changed integer := 0;
    -- upper bound: the loop ends by itself, because each round but the last detaches a note
    most_rounds constant integer := 20;
begin
    perform ragraph_private.require_document(sequence_document.document_id);
    -- two runs on one document wait for each other; foreign key checks by others do not wait
    perform 1 from ragraph.document as d where d.id = sequence_document.document_id for no key update;
    for round in 1..most_rounds loop
        select array_agg(p), count(*) filter (where not p.reached)
        into places, unreached
        from ragraph_private.reading_order(sequence_document.document_id) as p;
        if unreached > 0 then
            raise exception using
                errcode = 'RG007',
                message = format(
                    '%s components of document %L cannot be reached from the top', unreached, sequence_document.document_id
                ),
                hint = 'SELECT * FROM ragraph.check_document(document_id) names what is wrong; read the document again.';
        end if;

        -- a note that is no longer attached becomes a note of its own, which may change the notes attached to it
        select exists (
            select 1
            from unnest(places) as p
            inner join ragraph.content_node as n on p.id = n.id
            where n.document_id = sequence_document.document_id
                and p.kind = 'node'
                and p.minor is null
                and n.sequence_in_parent_minor is not null
        ) into detached;

        with changed_nodes as (
            update ragraph.content_node as n
            set
                parent_component_id = p.parent_component_id,
                sequence_in_parent_major = p.major,
                sequence_in_parent_minor = p.minor,
                sequence_in_document = p.first_sequence,
                char_start = p.char_start,
                char_end = p.char_end
            from unnest(places) as p
            where n.document_id = sequence_document.document_id
                and p.kind = 'node'
                and n.id = p.id
                and (
                    n.parent_component_id,
                    n.sequence_in_parent_major,
                    n.sequence_in_parent_minor,
                    n.sequence_in_document,
                    n.char_start,
                    n.char_end
                ) is distinct from (p.parent_component_id, p.major, p.minor, p.first_sequence, p.char_start, p.char_end)
            returning 1
        ),
        changed_components as (
            update ragraph.document_component as c
            set
                sequence_in_parent_major = p.major,
                sequence_in_parent_minor = p.minor,
                first_sequence = p.first_sequence,
                last_sequence = p.last_sequence,
                -- a component that has just lost its last node has no pages; one that never had nodes retains the
                -- stated pages
                page_range = case
                    when p.first_sequence is not null then p.page_range
                    when c.first_sequence is null then c.page_range
                end
            from unnest(places) as p
            where c.document_id = sequence_document.document_id
                and p.kind = 'component'
                and c.id = p.id
                and (
                    c.sequence_in_parent_major,
                    c.sequence_in_parent_minor,
                    c.first_sequence,
                    c.last_sequence,
                    c.page_range
                ) is distinct from (
                    p.major,
                    p.minor,
                    p.first_sequence,
                    p.last_sequence,
                    case
                        when p.first_sequence is not null then p.page_range
                        when c.first_sequence is null then c.page_range
                    end
                )
            returning 1
        )
        select (select count(*) from changed_nodes) + (select count(*) from changed_components) into moved;
        changed := changed + moved;
        exit when not detached;
    end loop;
    return changed;
end
$$;
comment on function ragraph.sequence_document(text) is
'Stores the reading order of a document and returns how many rows changed; 0 if run again. Places among siblings count
from 0 without gaps, by the CONTINUES chain if there is one, else in the stored order. A footnote is placed behind the
node that first refers to it: it takes the parent and major number of that node, and a minor number from 1. Sets
sequence_in_document, char_start and char_end of nodes, and first_sequence, last_sequence and page_range of components.
Also works on a document without components. Raises RG001 if the document does not exist, RG007 if a component cannot
be reached from the top, RG008 if the chain branches or has a cycle';
