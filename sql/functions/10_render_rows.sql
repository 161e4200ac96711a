-- The data that rendering reads: the nodes of a range with level, markers, label and caption, in one query.

create or replace function ragraph_private.render_rows(
    document_id text, from_sequence integer, to_sequence integer, furniture boolean
)
returns table (
    id text,
    type ragraph.content_node_type,
    content text,
    description text,
    storage_url text,
    data jsonb,
    first_page integer,
    last_page integer,
    attached boolean,
    endnotes boolean,
    section text,
    heading_level integer,
    list_depth integer,
    marks jsonb,
    label text
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set enable_nestloop = off -- rows just written have no statistics, and a nested loop over them would be quadratic
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
begin
    return query
    with recursive tree as (
        select
            c.id,
            c.id as section,
            (c.component_type not in ('FRONT_MATTER', 'BODY_MATTER', 'BACK_MATTER') and ragraph_private.is_section(c.component_type))::integer
                as level,
            ragraph_private.is_section(c.component_type) as is_section,
            (c.component_type = 'LIST')::integer as lists,
            c.component_type in ('HEADER', 'FOOTER') as furniture,
            c.component_type = 'NOTES_SECTION' as endnotes
        from ragraph.document_component as c
        where c.document_id = render_rows.document_id and c.parent_component_id is null
        union all
        select
            c.id,
            case when ragraph_private.is_section(c.component_type) then c.id else t.section end,
            t.level
            + (c.component_type not in ('FRONT_MATTER', 'BODY_MATTER', 'BACK_MATTER') and ragraph_private.is_section(c.component_type))::integer,
            ragraph_private.is_section(c.component_type),
            t.lists + (c.component_type = 'LIST')::integer,
            t.furniture or c.component_type in ('HEADER', 'FOOTER'),
            t.endnotes or c.component_type = 'NOTES_SECTION'
        from tree as t
        inner join ragraph.document_component as c on c.parent_component_id = t.id
        where c.document_id = render_rows.document_id
    ),
    nodes as materialized (
        select n.*
        from ragraph.content_node as n
        where n.document_id = render_rows.document_id
            and n.sequence_in_document between render_rows.from_sequence and render_rows.to_sequence
    ),
    -- markers that are not part of the content; the others need no treatment
    detached as materialized (
        select
            r.source_node_id as source,
            r.marker_text as marker,
            r.marker_start as place,
            r.id,
            r.target_node_id as target,
            n.sequence_in_document as sequence,
            t.sequence_in_document as target_sequence,
            t.content_node_type = 'NOTE' as to_note
        from ragraph.relation as r
        inner join nodes as n on r.source_node_id = n.id
        left join nodes as t on r.target_node_id = t.id
        where r.document_id = render_rows.document_id
            and r.marker_text <> ''
            and r.marker_start is not null
            and substr(n.content, r.marker_start + 1, length(r.marker_text)) <> r.marker_text
    ),
    first_marks as (
        select distinct on (d.target) d.target, d.sequence, d.place, regexp_replace(d.marker, '[^[:alnum:]]', '', 'g') as key
        from detached as d
        where d.to_note
        order by d.target, d.sequence, d.place
    ),
    labels as materialized (
        -- numbers that start again in each chapter are told apart by a suffix: 1, 1-2, 1-3
        select
            f.target,
            coalesce(nullif(f.key, ''), 'note')
            || case
                when row_number() over same_key > 1 then '-' || row_number() over same_key
                else ''
            end as label
        from first_marks as f
        window same_key as (partition by coalesce(nullif(f.key, ''), 'note') order by f.sequence, f.place, f.target collate "C")
    ),
    marked as (
        select
            d.source,
            jsonb_agg(
                jsonb_build_array(d.place, d.marker, case when d.to_note then d.target end, l.label)
                -- last first, so that places before a mark stay; marks at one place in the order of their targets
                order by d.place desc, d.target_sequence desc, d.id desc
            ) as marks
        from detached as d
        left join labels as l on d.target = l.target
        group by d.source
    ),
    -- a caption is placed directly above or below its figure or table, as in the document
    captions as (
        select distinct on (r.target_node_id)
            r.target_node_id as id,
            n.sequence_in_document as sequence,
            sign(c.sequence_in_document - n.sequence_in_document)::integer as side
        from ragraph.relation as r
        inner join nodes as n on r.source_node_id = n.id
        inner join nodes as c on r.target_node_id = c.id
        where r.document_id = render_rows.document_id
            and r.relation_type = 'IS_CAPTIONED_BY'
            and r.target_node_id is not null
        order by r.target_node_id, n.sequence_in_document
    )
    select
        n.id,
        n.content_node_type,
        n.content,
        n.description,
        n.storage_url,
        n.data,
        n.first_page,
        n.last_page,
        n.content_node_type = 'NOTE' and not coalesce(t.endnotes, false),
        coalesce(t.endnotes, false),
        t.section,
        case
            when coalesce(t.level, 0) = 0
                then 1 + coalesce(
                    case when jsonb_typeof(n.data -> 'level') = 'number' then (n.data ->> 'level')::numeric::integer end, 1
                )
            when t.is_section then 1 + t.level
            else 2 + t.level
        end + (n.content_node_type = 'SUBHEADING')::integer,
        coalesce(t.lists, 0),
        m.marks,
        l.label
    from nodes as n
    left join tree as t on n.parent_component_id = t.id
    left join marked as m on n.id = m.source
    left join labels as l on n.id = l.target
    left join captions as c on n.id = c.id
    where render_rows.furniture or not (n.content_node_type = 'PAGE_NUMBER' or coalesce(t.furniture, false))
    order by coalesce(c.sequence, n.sequence_in_document), coalesce(c.side, 0), n.sequence_in_document;
end
$$;
comment on function ragraph_private.render_rows(text, integer, integer, boolean) is
'Returns the nodes between two places of the reading order, in the order of rendering, with all data that rendering
needs';

create or replace function ragraph_private.with_marks(content text, marks jsonb, format text, with_notes boolean)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    result text := with_marks.content;
    mark jsonb;
begin
    -- private-use characters represent markers, and asterisks that are markers, until the surrounding text is escaped
    for mark in select m.value from jsonb_array_elements(with_marks.marks) as m loop
        if with_marks.with_notes or mark ->> 2 is null then
            result := overlay(
                result placing case
                    when with_marks.format = 'markdown' and mark ->> 3 is not null then '[^' || (mark ->> 3) || ']'
                    when with_marks.format = 'html'
                        then E'\uE000' || coalesce(mark ->> 2, '') || E'\uE001' || replace(mark ->> 1, '*', E'\uE003') || E'\uE002'
                    when mark ->> 1 ~ '^[[({]' then mark ->> 1
                    when with_marks.format = 'markdown' then '[' || replace(mark ->> 1, '*', '\*') || ']'
                    else '[' || replace(mark ->> 1, '*', E'\uE003') || ']'
                end
                from least((mark ->> 0)::integer, length(result)) + 1 for 0
            );
        end if;
    end loop;
    return result;
end
$$;
comment on function ragraph_private.with_marks(text, jsonb, text, boolean) is
'Returns content with its detached markers inserted, the last one first';
