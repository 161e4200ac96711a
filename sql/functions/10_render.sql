-- A document or a part of it as linear text.

create or replace function ragraph._render_rows(
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
            (c.component_type not in ('FRONT_MATTER', 'BODY_MATTER', 'BACK_MATTER') and ragraph._is_section(c.component_type))::integer
                as level,
            ragraph._is_section(c.component_type) as is_section,
            (c.component_type = 'LIST')::integer as lists,
            c.component_type in ('HEADER', 'FOOTER') as furniture,
            c.component_type = 'NOTES_SECTION' as endnotes
        from ragraph.document_component as c
        where c.document_id = _render_rows.document_id and c.parent_component_id is null
        union all
        select
            c.id,
            case when ragraph._is_section(c.component_type) then c.id else t.section end,
            t.level
            + (c.component_type not in ('FRONT_MATTER', 'BODY_MATTER', 'BACK_MATTER') and ragraph._is_section(c.component_type))::integer,
            ragraph._is_section(c.component_type),
            t.lists + (c.component_type = 'LIST')::integer,
            t.furniture or c.component_type in ('HEADER', 'FOOTER'),
            t.endnotes or c.component_type = 'NOTES_SECTION'
        from tree as t
        inner join ragraph.document_component as c on c.parent_component_id = t.id
        where c.document_id = _render_rows.document_id
    ),
    nodes as materialized (
        select n.*
        from ragraph.content_node as n
        where n.document_id = _render_rows.document_id
            and n.sequence_in_document between _render_rows.from_sequence and _render_rows.to_sequence
    ),
    -- markers that are not in the content itself; those that are need no help
    detached as materialized (
        select
            r.source_node_id as source,
            r.marker_text as marker,
            r.marker_start as place,
            r.id,
            r.target_node_id as target,
            n.sequence_in_document as sequence,
            t.content_node_type = 'NOTE' as to_note
        from ragraph.relation as r
        inner join nodes as n on r.source_node_id = n.id
        left join nodes as t on r.target_node_id = t.id
        where r.document_id = _render_rows.document_id
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
        -- numbers that begin anew with each chapter stay apart: 1, 1-2, 1-3
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
                jsonb_build_array(d.place, d.marker, case when d.to_note then d.target end, l.label) order by d.place desc, d.id desc
            ) as marks
        from detached as d
        left join labels as l on d.target = l.target
        group by d.source
    ),
    -- a caption stands with its figure or table: above a table, below a figure
    captions as (
        select distinct on (r.target_node_id)
            r.target_node_id as id,
            n.sequence_in_document as sequence,
            case n.content_node_type when 'TABLE' then -1 else 1 end as side
        from ragraph.relation as r
        inner join nodes as n on r.source_node_id = n.id
        where r.document_id = _render_rows.document_id
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
    where _render_rows.furniture or not (n.content_node_type = 'PAGE_NUMBER' or coalesce(t.furniture, false))
    order by coalesce(c.sequence, n.sequence_in_document), coalesce(c.side, 0), n.sequence_in_document;
end
$$;
comment on function ragraph._render_rows(text, integer, integer, boolean) is
'The nodes between two places of the reading order in the order of rendering, with all that rendering needs to know of each';

create or replace function ragraph._with_marks(content text, marks jsonb, format text, with_notes boolean)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    result text := _with_marks.content;
    mark jsonb;
begin
    -- signs of private use stand for the marks, and for a star that is a mark, until the text around them is escaped
    for mark in select m.value from jsonb_array_elements(_with_marks.marks) as m loop
        if _with_marks.with_notes or mark ->> 2 is null then
            result := overlay(
                result placing case
                    when _with_marks.format = 'markdown' and mark ->> 3 is not null then '[^' || (mark ->> 3) || ']'
                    when _with_marks.format = 'html'
                        then E'\uE000' || coalesce(mark ->> 2, '') || E'\uE001' || replace(mark ->> 1, '*', E'\uE003') || E'\uE002'
                    when mark ->> 1 ~ '^[[({]' then mark ->> 1
                    when _with_marks.format = 'markdown' then '[' || replace(mark ->> 1, '*', '\*') || ']'
                    else '[' || replace(mark ->> 1, '*', E'\uE003') || ']'
                end
                from least((mark ->> 0)::integer, length(result)) + 1 for 0
            );
        end if;
    end loop;
    return result;
end
$$;
comment on function ragraph._with_marks(text, jsonb, text, boolean) is 'Content with its detached markers put back, last first';

create or replace function ragraph._link_marks(html text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    -- their text was escaped with the text around them
    return replace(
        regexp_replace(
            regexp_replace(
                _link_marks.html, E'\uE000([^\uE001]+)\uE001([^\uE002]*)\uE002', '<sup><a href="#\1">\2</a></sup>', 'g'
            ),
            E'\uE000\uE001([^\uE002]*)\uE002', '<sup>\1</sup>', 'g'
        ),
        E'\uE003', '*'
    );
end
$$;
comment on function ragraph._link_marks(text) is 'The marks that _with_marks left in html, as superscript links to their notes';

create or replace function ragraph._render(
    document_id text,
    from_sequence integer,
    to_sequence integer,
    format text,
    notes text,
    page_breaks boolean,
    furniture boolean
)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $body$
declare
    html constant boolean := _render.format = 'html';
    markdown constant boolean := _render.format = 'markdown';
    gap constant text := case when _render.format = 'html' then E'\n' else E'\n\n' end;
    node record;
    pieces text [] := '{}';
    pending text [] := '{}'; -- notes that wait for the end of their section
    pending_section text;
    piece text;
    body text; -- content, markers put back, not escaped
    marker text;
    page integer;
    depth integer;
    tag text;
    in_list boolean := false;
    open_lists text [] := '{}'; -- html elements that are open, outermost first
    counters integer [] := '{}'; -- numbers given so far in each open list
    fence text;
begin
    for node in
        select *
        from ragraph._render_rows(_render.document_id, _render.from_sequence, _render.to_sequence, _render.furniture)
    loop
        continue when _render.notes = 'none' and (node.type = 'NOTE' or node.endnotes);

        body := node.content;
        if not _render.page_breaks and strpos(body, '[page break]') > 0 then
            body := btrim(regexp_replace(body, '\s*\[page break\]\s*', ' ', 'g'));
        end if;
        if node.marks is not null and body = node.content then
            body := ragraph._with_marks(body, node.marks, _render.format, _render.notes <> 'none');
        end if;
        continue when body = '' and node.type not in ('FIGURE', 'TABLE');

        -- what waits is printed before another section begins
        if pending <> '{}' and node.section is distinct from pending_section then
            if in_list and html then
                pieces := array_append(pieces, E'\n' || array_to_string(array(
                    select '</' || o.name || '>' from unnest(open_lists) with ordinality as o (name, place) order by o.place desc
                ), ''));
            end if;
            in_list := false;
            open_lists := '{}';
            counters := '{}';
            pieces := array_append(pieces, gap || array_to_string(pending, gap));
            pending := '{}';
        end if;

        -- one list item after the other belongs to one list
        if node.type <> 'LIST_ITEM' and in_list and not (_render.notes = 'section' and node.attached) then
            if html then
                pieces := array_append(pieces, E'\n' || array_to_string(array(
                    select '</' || o.name || '>' from unnest(open_lists) with ordinality as o (name, place) order by o.place desc
                ), ''));
            end if;
            in_list := false;
            open_lists := '{}';
            counters := '{}';
        end if;

        if _render.page_breaks and node.first_page > page then
            pieces := array_append(
                pieces, gap || case when html then '<p class="page-break">[page break]</p>' else '[page break]' end
            );
        end if;
        page := greatest(page, case when _render.page_breaks and strpos(body, '[page break]') = 0 then node.first_page else node.last_page end);

        piece := null;
        marker := btrim(regexp_replace(node.data ->> 'marker', '\s+', ' ', 'g'));
        if node.type in ('BIBLIOGRAPHIC_ENTRY', 'NOTE') and marker <> '' and not (markdown and node.label is not null)
            and not starts_with(ltrim(body), marker) then
            body := marker || case when marker ~ '^[[:alnum:]]+$' then '. ' else ' ' end || body;
        end if;

        if node.type = 'LIST_ITEM' then
            depth := least(
                greatest(
                    coalesce(
                        case when jsonb_typeof(node.data -> 'depth') = 'number' then (node.data ->> 'depth')::numeric::integer end,
                        node.list_depth, 1
                    ), 1
                ),
                -- an item cannot be deeper than one step below the item before it
                coalesce(array_length(open_lists, 1), 0) + 1, 20
            );
            tag := case
                when node.data -> 'ordered' = 'true'::jsonb or marker ~ '^[[(]?([0-9]+|[[:alpha:]]|[ivxlc]+)[]).]' then 'ol' else 'ul'
            end;
            if array_length(open_lists, 1) > depth then
                if html then
                    pieces := array_append(pieces, E'\n' || array_to_string(array(
                        select '</' || o.name || '>'
                        from unnest(open_lists) with ordinality as o (name, place)
                        where o.place > depth
                        order by o.place desc
                    ), ''));
                end if;
                open_lists := open_lists[1:depth];
                counters := counters[1:depth];
            end if;
            if array_length(open_lists, 1) = depth and open_lists[depth] <> tag and html then
                pieces := array_append(pieces, E'\n</' || open_lists[depth] || '>');
                pieces := array_append(pieces, E'\n<' || tag || '>');
                counters[depth] := 0;
            elsif coalesce(array_length(open_lists, 1), 0) < depth then
                if html then
                    pieces := array_append(pieces, E'\n<' || tag || '>');
                end if;
                counters[depth] := 0;
            end if;
            open_lists[depth] := tag;
            counters[depth] := counters[depth] + 1;
            if html then
                -- the end tag of an item may be left out; a list within it is part of it then
                piece := '<li id="' || ragraph._escape_html(node.id) || '">'
                    || case when tag = 'ol' and marker is not null then ragraph._escape_html(marker) || ' ' else '' end
                    || ragraph._link_marks(ragraph._inline_html(body));
            elsif markdown then
                piece := repeat('    ', depth - 1) || case
                    when tag = 'ul' then '- '
                    when coalesce(marker, '') ~ '^[0-9]{1,9}[.)]?$' then rtrim(marker, '.)') || '. '
                    when marker is not null then '- ' || ragraph._inline_markdown(marker) || ' '
                    else counters[depth] || '. '
                end || replace(ragraph._block_markdown(body), E'\n', E'\n' || repeat('    ', depth));
            else
                piece := repeat('  ', depth - 1) || coalesce(
                    marker, case when tag = 'ol' then counters[depth] || '.' else '-' end
                ) || ' ' || replace(ragraph._inline_text(body), E'\uE003', '*');
            end if;
            pieces := array_append(pieces, case when in_list or html then E'\n' else gap end || piece);
            in_list := true;
            continue;
        end if;

        if html then
            piece := case
                when node.type in ('TITLE', 'HEADING', 'SUBHEADING') then format(
                    '<h%1$s id="%2$s">%3$s</h%1$s>',
                    case when node.type = 'TITLE' then 1 else least(node.heading_level, 6) end,
                    ragraph._escape_html(node.id), ragraph._inline_html(body)
                )
                when node.type = 'CODE' then
                    '<pre id="' || ragraph._escape_html(node.id) || '"><code>' || ragraph._escape_html(body) || '</code></pre>'
                when node.type = 'FORMULA' then
                    '<div id="' || ragraph._escape_html(node.id) || '" class="formula">' || ragraph._escape_html(body) || '</div>'
                when node.type = 'TABLE' then '<div id="' || ragraph._escape_html(node.id) || '" class="table">' || coalesce(
                    ragraph._render_table(node.data -> 'cells', coalesce((node.data ->> 'header_rows')::integer, 0), 'html'),
                    '<pre>' || ragraph._escape_html(body) || '</pre>'
                ) || '</div>'
                when node.type = 'FIGURE' then '<figure id="' || ragraph._escape_html(node.id) || '">'
                    || coalesce(
                        '<img src="' || ragraph._escape_html(ragraph._safe_url(node.storage_url)) || '" alt="'
                        || ragraph._escape_html(coalesce(node.description, '')) || '">', ''
                    )
                    || case
                        when body <> '' then '<p>' || ragraph._inline_html(body) || '</p>'
                        when ragraph._safe_url(node.storage_url) is null and node.description <> ''
                            then '<p>[Figure: ' || ragraph._escape_html(node.description) || ']</p>'
                        else ''
                    end || '</figure>'
                when node.type = 'NOTE' then
                    '<aside id="' || ragraph._escape_html(node.id) || '" class="note">' || ragraph._inline_html(body) || '</aside>'
                when node.type = 'BLOCK_QUOTATION' then
                    '<blockquote id="' || ragraph._escape_html(node.id) || '">' || ragraph._inline_html(body) || '</blockquote>'
                else '<p id="' || ragraph._escape_html(node.id) || '"' || case
                    when node.type = 'PARAGRAPH' then ''
                    else ' class="' || replace(lower(node.type::text), '_', '-') || '"'
                end || '>' || case
                    when node.type = 'STANZA' then replace(ragraph._inline_html(body), E'\n', E'<br>\n')
                    else ragraph._inline_html(body)
                end || '</p>'
            end;
            if node.marks is not null then
                piece := ragraph._link_marks(piece);
            end if;
        elsif markdown then
            piece := case
                when node.type in ('TITLE', 'HEADING', 'SUBHEADING') then
                    repeat('#', case when node.type = 'TITLE' then 1 else least(node.heading_level, 6) end) || ' '
                    || regexp_replace(regexp_replace(ragraph._inline_markdown(body), '\s*\n\s*', ' ', 'g'), '(#+)$', '\\\1')
                when node.type = 'TABLE' then coalesce(
                    ragraph._render_table(node.data -> 'cells', coalesce((node.data ->> 'header_rows')::integer, 0), 'markdown'),
                    ragraph._block_markdown(body)
                )
                when node.type = 'FIGURE' then concat_ws(
                    E'\n\n',
                    case
                        when ragraph._safe_url(node.storage_url) is not null then '![' || regexp_replace(
                            ragraph._inline_markdown(coalesce(node.description, '')), '[][\\\n]', ' ', 'g'
                        ) || '](' || ragraph._safe_url(node.storage_url) || ')'
                        when body = '' and node.description <> ''
                            then '\[Figure: ' || ragraph._inline_markdown(regexp_replace(node.description, '\s*\n\s*', ' ', 'g')) || ']'
                    end,
                    nullif(ragraph._block_markdown(body), '')
                )
                -- empty lines would end the formula, "<" a letter follows would begin a tag
                when node.type = 'FORMULA' then E'$$\n' || regexp_replace(
                    regexp_replace(replace(btrim(body, E'$ \t\n'), '$$', '$ $'), '\n\s*\n', E'\n', 'g'), '<(?=[A-Za-z/!?])', '< ', 'g'
                ) || E'\n$$'
                when node.type = 'BLOCK_QUOTATION' then '> ' || replace(ragraph._block_markdown(body), E'\n', E'\n> ')
                when node.type = 'STANZA' then replace(ragraph._block_markdown(body), E'\n', E'  \n')
                when node.type = 'NOTE' and node.label is not null then
                    '[^' || node.label || ']: ' || replace(ragraph._block_markdown(body), E'\n', E'\n    ')
                when node.type <> 'CODE' then ragraph._block_markdown(body)
            end;
            if node.type = 'CODE' then
                -- a fence longer than any run of backticks in the code
                fence := repeat('`', greatest(3, 1 + coalesce((
                    select max(length(m.run[1])) from regexp_matches(body, '(`+)', 'g') as m (run)
                ), 0)));
                piece := fence || coalesce((regexp_match(node.data ->> 'language', '^[[:alnum:]_+#.-]{1,40}$'))[1], '')
                    || E'\n' || body || E'\n' || fence;
            end if;
        else
            piece := case
                when node.type = 'TABLE' then coalesce(
                    ragraph._render_table(node.data -> 'cells', 0, 'text'), body
                )
                when node.type in ('CODE', 'FORMULA') then body
                when node.type = 'FIGURE' and body = '' then
                    case when node.description <> '' then '[Figure: ' || node.description || ']' end
                else replace(ragraph._inline_text(body), E'\uE003', '*')
            end;
        end if;
        continue when coalesce(piece, '') = '';

        if _render.notes = 'section' and node.attached then
            pending := array_append(pending, piece);
            pending_section := node.section;
            continue;
        end if;
        pieces := array_append(pieces, gap || piece);
        if _render.page_breaks and node.last_page > page then
            pieces := array_append(
                pieces, gap || case when html then '<p class="page-break">[page break]</p>' else '[page break]' end
            );
            page := node.last_page;
        end if;
    end loop;

    if in_list and html then
        pieces := array_append(pieces, E'\n' || array_to_string(array(
            select '</' || o.name || '>' from unnest(open_lists) with ordinality as o (name, place) order by o.place desc
        ), ''));
    end if;
    if pending <> '{}' then
        pieces := array_append(pieces, gap || array_to_string(pending, gap));
    end if;
    return ltrim(array_to_string(pieces, ''), E'\n');
end
$body$;
comment on function ragraph._render(text, integer, integer, text, text, boolean, boolean) is
'The nodes between two places of the reading order as linear text';

create or replace function ragraph._check_render_arguments(format text, notes text)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    if _check_render_arguments.format is null or _check_render_arguments.format not in ('markdown', 'html', 'text') then
        raise exception using
            errcode = 'RG005',
            message = format('format is %L', _check_render_arguments.format),
            hint = 'Give markdown, html or text.';
    end if;
    if _check_render_arguments.notes is null or _check_render_arguments.notes not in ('after', 'section', 'none') then
        raise exception using
            errcode = 'RG005',
            message = format('notes is %L', _check_render_arguments.notes),
            hint = 'Give after, section or none.';
    end if;
end
$$;
comment on function ragraph._check_render_arguments(text, text) is 'Raises RG005 for a format or a place of notes that does not exist';

create or replace function ragraph.render_document(
    document_id text,
    format text default 'markdown',
    notes text default 'after',
    page_breaks boolean default false,
    furniture boolean default false
)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    perform ragraph._check_render_arguments(render_document.format, render_document.notes);
    perform ragraph._require_document(render_document.document_id);
    return ragraph._render(
        render_document.document_id,
        0,
        2147483647,
        render_document.format,
        render_document.notes,
        coalesce(render_document.page_breaks, false),
        coalesce(render_document.furniture, false)
    );
end
$$;
comment on function ragraph.render_document(text, text, text, boolean, boolean) is
'A document as markdown, html or text in reading order. Headings from the depth of their component (matter does not count, the
title is the first level); notes after the node that refers to them, at the end of its section or left out; captions with their
figure or table; running heads and page numbers only as furniture; [page break] between pages on request. html: content is
escaped throughout. markdown: no raw html, no link but http, https, mailto and within the document, no node breaks out of its
block. Raises RG001, RG005';

create or replace function ragraph.render_component(
    document_id text,
    component_id text,
    format text default 'markdown',
    notes text default 'after',
    page_breaks boolean default false,
    furniture boolean default false
)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    component ragraph.document_component;
begin
    perform ragraph._check_render_arguments(render_component.format, render_component.notes);
    component := ragraph._require_component(render_component.document_id, render_component.component_id);
    return ragraph._render(
        render_component.document_id,
        component.first_sequence,
        component.last_sequence,
        render_component.format,
        render_component.notes,
        coalesce(render_component.page_breaks, false),
        coalesce(render_component.furniture, false)
    );
end
$$;
comment on function ragraph.render_component(text, text, text, text, boolean, boolean) is
'A component with all below it, as render_document has it; levels of headings are those in the document. Raises RG001, RG002, RG005';
