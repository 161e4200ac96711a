-- Renders a document or a part of it as linear text.

create or replace function ragraph_private.link_marks(html text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
begin
    -- the text of the markers was escaped together with the text around them
    return replace(
        regexp_replace(
            regexp_replace(
                link_marks.html, E'\uE000([^\uE001]+)\uE001([^\uE002]*)\uE002', '<sup><a href="#\1">\2</a></sup>', 'g'
            ),
            E'\uE000\uE001([^\uE002]*)\uE002', '<sup>\1</sup>', 'g'
        ),
        E'\uE003', '*'
    );
end
$$;
comment on function ragraph_private.link_marks(text) is
'Returns html in which the markers that with_marks inserted are superscript links to their notes';

create or replace function ragraph_private.render(
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
set standard_conforming_strings = on
as $body$
declare
    html constant boolean := render.format = 'html';
    markdown constant boolean := render.format = 'markdown';
    gap constant text := case when render.format = 'html' then E'\n' else E'\n\n' end;
    node record;
    pieces text[] := '{}';
    pending text[] := '{}'; -- notes to be printed at the end of their section
    pending_section text;
    piece text;
    body text; -- content with its markers inserted, not escaped
    marker text;
    page integer;
    depth integer;
    tag text;
    in_list boolean := false;
    open_lists text[] := '{}'; -- html elements of open lists, outermost first
    counters integer[] := '{}'; -- the last number used in each open list
    fence text;
begin
    for node in
        select *
        from ragraph_private.render_rows(render.document_id, render.from_sequence, render.to_sequence, render.furniture)
    loop
        continue when render.notes = 'none' and (node.type = 'NOTE' or node.endnotes);

        body := node.content;
        if not render.page_breaks and strpos(body, '[page break]') > 0 then
            body := btrim(regexp_replace(body, '\s*\[page break\]\s*', ' ', 'g'));
        end if;
        if node.marks is not null and body = node.content then
            body := ragraph_private.with_marks(body, node.marks, render.format, render.notes <> 'none');
        end if;
        continue when body = '' and node.type not in ('FIGURE', 'TABLE');

        -- pending notes are printed before another section begins
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

        -- consecutive list items belong to one list
        if node.type <> 'LIST_ITEM' and in_list and not (render.notes = 'section' and node.attached) then
            if html then
                pieces := array_append(pieces, E'\n' || array_to_string(array(
                    select '</' || o.name || '>' from unnest(open_lists) with ordinality as o (name, place) order by o.place desc
                ), ''));
            end if;
            in_list := false;
            open_lists := '{}';
            counters := '{}';
        end if;

        if render.page_breaks and node.first_page > page then
            pieces := array_append(
                pieces, gap || case when html then '<p class="page-break">[page break]</p>' else '[page break]' end
            );
        end if;
        page := greatest(page, case when render.page_breaks and strpos(body, '[page break]') = 0 then node.first_page else node.last_page end);

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
                -- an item can be at most one level deeper than the item before it
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
                -- html allows the end tag of an item to be omitted; a list within the item is then part of it
                piece := '<li id="' || ragraph_private.escape_html(node.id) || '">'
                    || case when tag = 'ol' and marker is not null then ragraph_private.escape_html(marker) || ' ' else '' end
                    || ragraph_private.link_marks(ragraph_private.inline_html(body));
            elsif markdown then
                piece := repeat('    ', depth - 1) || case
                    when tag = 'ul' then '- '
                    when coalesce(marker, '') ~ '^[0-9]{1,9}[.)]?$' then rtrim(marker, '.)') || '. '
                    when marker is not null then '- ' || ragraph_private.inline_markdown(marker) || ' '
                    else counters[depth] || '. '
                end || replace(ragraph_private.block_markdown(body), E'\n', E'\n' || repeat('    ', depth));
            else
                piece := repeat('  ', depth - 1) || coalesce(
                    marker, case when tag = 'ol' then counters[depth] || '.' else '-' end
                ) || ' ' || replace(ragraph_private.inline_text(body), E'\uE003', '*');
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
                    ragraph_private.escape_html(node.id), ragraph_private.inline_html(body)
                )
                when node.type = 'CODE' then
                    '<pre id="' || ragraph_private.escape_html(node.id) || '"><code>' || ragraph_private.escape_html(body) || '</code></pre>'
                when node.type = 'FORMULA' then
                    '<div id="' || ragraph_private.escape_html(node.id) || '" class="formula">' || ragraph_private.escape_html(body) || '</div>'
                when node.type = 'TABLE' then '<div id="' || ragraph_private.escape_html(node.id) || '" class="table">' || coalesce(
                    ragraph_private.render_table(node.data -> 'cells', ragraph_private.header_rows(node.data), 'html', node.data -> 'spans'),
                    '<pre>' || ragraph_private.escape_html(body) || '</pre>'
                ) || '</div>'
                when node.type = 'FIGURE' then '<figure id="' || ragraph_private.escape_html(node.id) || '">'
                    || coalesce(
                        '<img src="' || ragraph_private.escape_html(ragraph_private.safe_url(node.storage_url)) || '" alt="'
                        || ragraph_private.escape_html(coalesce(node.description, '')) || '">', ''
                    )
                    || case
                        when body <> '' then '<p>' || ragraph_private.inline_html(body) || '</p>'
                        when ragraph_private.safe_url(node.storage_url) is null and node.description <> ''
                            then '<p>[Figure: ' || ragraph_private.escape_html(node.description) || ']</p>'
                        else ''
                    end || '</figure>'
                when node.type = 'NOTE' then
                    '<aside id="' || ragraph_private.escape_html(node.id) || '" class="note">' || ragraph_private.inline_html(body) || '</aside>'
                when node.type = 'BLOCK_QUOTATION' then
                    '<blockquote id="' || ragraph_private.escape_html(node.id) || '">' || ragraph_private.inline_html(body) || '</blockquote>'
                else '<p id="' || ragraph_private.escape_html(node.id) || '"' || case
                    when node.type = 'PARAGRAPH' then ''
                    else ' class="' || replace(lower(node.type::text), '_', '-') || '"'
                end || '>' || case
                    when node.type = 'STANZA' then replace(ragraph_private.inline_html(body), E'\n', E'<br>\n')
                    else ragraph_private.inline_html(body)
                end || '</p>'
            end;
            if node.marks is not null then
                piece := ragraph_private.link_marks(piece);
            end if;
        elsif markdown then
            piece := case
                when node.type in ('TITLE', 'HEADING', 'SUBHEADING') then
                    repeat('#', case when node.type = 'TITLE' then 1 else least(node.heading_level, 6) end) || ' '
                    || regexp_replace(regexp_replace(ragraph_private.inline_markdown(body), '\s*\n\s*', ' ', 'g'), '(#+)$', '\\\1')
                when node.type = 'TABLE' then coalesce(
                    ragraph_private.render_table(node.data -> 'cells', ragraph_private.header_rows(node.data), 'markdown'),
                    ragraph_private.block_markdown(body)
                )
                when node.type = 'FIGURE' then concat_ws(
                    E'\n\n',
                    case
                        when ragraph_private.safe_url(node.storage_url) is not null then '![' || regexp_replace(
                            ragraph_private.inline_markdown(coalesce(node.description, '')), '[][\\\n]', ' ', 'g'
                        ) || '](' || ragraph_private.safe_url(node.storage_url) || ')'
                        when body = '' and node.description <> ''
                            then '\[Figure: ' || ragraph_private.inline_markdown(regexp_replace(node.description, '\s*\n\s*', ' ', 'g')) || ']'
                    end,
                    nullif(ragraph_private.block_markdown(body), '')
                )
                -- empty lines would end the formula, and "<" before a letter would begin a tag
                when node.type = 'FORMULA' then E'$$\n' || regexp_replace(
                    regexp_replace(replace(btrim(body, E'$ \t\n'), '$$', '$ $'), '\n\s*\n', E'\n', 'g'), '<(?=[A-Za-z/!?])', '< ', 'g'
                ) || E'\n$$'
                when node.type = 'BLOCK_QUOTATION' then '> ' || replace(ragraph_private.block_markdown(body), E'\n', E'\n> ')
                when node.type = 'STANZA' then replace(ragraph_private.block_markdown(body), E'\n', E'  \n')
                when node.type = 'NOTE' and node.label is not null then
                    '[^' || node.label || ']: ' || replace(ragraph_private.block_markdown(body), E'\n', E'\n    ')
                when node.type <> 'CODE' then ragraph_private.block_markdown(body)
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
                    ragraph_private.render_table(node.data -> 'cells', 0, 'text'), body
                )
                when node.type in ('CODE', 'FORMULA') then body
                when node.type = 'FIGURE' and body = '' then
                    case when node.description <> '' then '[Figure: ' || node.description || ']' end
                else replace(ragraph_private.inline_text(body), E'\uE003', '*')
            end;
        end if;
        continue when coalesce(piece, '') = '';

        if render.notes = 'section' and node.attached then
            pending := array_append(pending, piece);
            pending_section := node.section;
            continue;
        end if;
        pieces := array_append(pieces, gap || piece);
        if render.page_breaks and node.last_page > page then
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
comment on function ragraph_private.render(text, integer, integer, text, text, boolean, boolean) is
'Returns the nodes between two places of the reading order, both included, as linear text';

create or replace function ragraph_private.check_render_arguments(format text, notes text)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    if check_render_arguments.format is null or check_render_arguments.format not in ('markdown', 'html', 'text') then
        raise exception using
            errcode = 'RG005',
            message = format('format is %L', check_render_arguments.format),
            hint = 'Give markdown, html or text.';
    end if;
    if check_render_arguments.notes is null or check_render_arguments.notes not in ('after', 'section', 'none') then
        raise exception using
            errcode = 'RG005',
            message = format('notes is %L', check_render_arguments.notes),
            hint = 'Give after, section or none.';
    end if;
end
$$;
comment on function ragraph_private.check_render_arguments(text, text) is
'Raises RG005 for an unknown format or an unknown position of notes';

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
    return ragraph.render_range(
        render_document.document_id,
        null,
        null,
        render_document.format,
        render_document.notes,
        render_document.page_breaks,
        render_document.furniture
    );
end
$$;
comment on function ragraph.render_document(text, text, text, boolean, boolean) is
'Returns a document as markdown, html or text in reading order. The level of a heading is the depth of its component;
front, body and back matter do not count, and the title has level 1. notes are placed after the node that refers to
them (after), at the end of its section (section) or left out (none). Captions are placed with their figure or table.
furniture includes running heads and page numbers, page_breaks prints [page break] between pages.
html escapes all content. markdown has no raw html and no links except http, https, mailto and within the document, and
no node can end its block. Raises RG001 if the document does not exist, RG005 for an unknown format or position of
notes';

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
    perform ragraph_private.check_render_arguments(render_component.format, render_component.notes);
    component := ragraph_private.require_component(render_component.document_id, render_component.component_id);
    return ragraph_private.render(
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
'Returns a component with everything below it, rendered like render_document. Levels of headings are those in the
document. Raises RG001 if the document does not exist, RG002 if the component does not, RG005 for an unknown format or
position of notes';

create or replace function ragraph.render_range(
    document_id text,
    first_sequence integer,
    last_sequence integer,
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
    perform ragraph_private.check_render_arguments(render_range.format, render_range.notes);
    perform ragraph_private.require_document(render_range.document_id);
    return ragraph_private.render(
        render_range.document_id,
        coalesce(render_range.first_sequence, 0),
        coalesce(render_range.last_sequence, 2147483647),
        render_range.format,
        render_range.notes,
        coalesce(render_range.page_breaks, false),
        coalesce(render_range.furniture, false)
    );
end
$$;
comment on function ragraph.render_range(text, integer, integer, text, text, boolean, boolean) is
'Returns the nodes from one place of the reading order to another, both included, rendered like render_document: a
page, or a part of a long section. first_sequence and last_sequence are values of sequence_in_document; null is an open
end. Raises RG001 if the document does not exist, RG005 for an unknown format or position of notes';
