-- The text of one node for each format. Content comes from files and is treated as hostile. html output has no markup
-- other than that written here. markdown output has no raw html, no link with a scheme other than http, https and
-- mailto, and no block other than the node itself.

create or replace function ragraph_private.escape_html(content text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return replace(replace(replace(replace(replace(
        escape_html.content, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'), '''', '&#39;');
end
$$;
comment on function ragraph_private.escape_html(text) is
'Returns text escaped for html, in elements and in quoted attributes';

create or replace function ragraph_private.mask_escapes(content text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
begin
    if mask_escapes.content !~ '\\[\\*`]|\]\\\(|`[^`\n]*[][*][^`\n]*`' then
        return mask_escapes.content;
    end if;
    return (
        select string_agg(
            case
                when p.piece ~ '^\\[\\*`]$' or (p.piece = '\(' and p.before like '%]')
                    then translate(substr(p.piece, 2), '\*`(', E'\u0001\u0002\u0003\u0004')
                when p.piece like '`_%' then translate(p.piece, '*[]', E'\u0005\u0006\u000e')
                else p.piece
            end,
            '' order by p.place
        )
        from (
            select m.found[1] as piece, m.place, lag(m.found[1]) over (order by m.place) as before
            from regexp_matches(mask_escapes.content, '`[^`\n]+`|\\[\\*`(]|[^`\\]+|.', 'g')
                with ordinality as m (found, place)
        ) as p
    );
end
$$;
comment on function ragraph_private.mask_escapes(text) is
'Returns content with control characters in place of backslashes before *, `, \ and before ( after ], and of the sign
after each; code keeps them. The signs of marks in code are control characters, too';

create or replace function ragraph_private.are_escapes(masked text)
returns boolean
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    -- other programs see emphasis within a word too
    within_words constant text := '(?<!\*)\*([^*\s](?:[^*]*[^*\s])?)\*(?!\*)';
    marks constant text := regexp_replace(ragraph_private.marks_html(are_escapes.masked), within_words, '<i>\1</i>', 'g');
    bare constant text := ragraph_private.mask_escapes(
        translate(are_escapes.masked, E'\u0001\u0002\u0003\u0004', '\*`(')
    );
begin
    return translate(marks, E'\u0001\u0002\u0003\u0004\u0005\u0006\u000e', '\*`(*[]') <> ragraph_private.unmask_escapes(
        regexp_replace(ragraph_private.marks_html(bare), within_words, '<i>\1</i>', 'g'), bare
    );
end
$$;
comment on function ragraph_private.are_escapes(text) is
'Returns true if content, whose possible escapes are masked, would have other marks or signs without its backslashes';

create or replace function ragraph_private.unmask_escapes(shown text, masked text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
begin
    if unmask_escapes.masked !~ E'[\u0001-\u0006\u000e]' then
        return unmask_escapes.shown;
    end if;
    if unmask_escapes.masked ~ E'[\u0001-\u0004]' and ragraph_private.are_escapes(unmask_escapes.masked) then
        return translate(unmask_escapes.shown, E'\u0001\u0002\u0003\u0004\u0005\u0006\u000e', '\*`(*[]');
    end if;
    return replace(replace(replace(replace(
        translate(unmask_escapes.shown, E'\u0005\u0006\u000e', '*[]'),
        E'\u0001', '\\'), E'\u0002', '\*'), E'\u0003', '\`'), E'\u0004', '\(');
end
$$;
comment on function ragraph_private.unmask_escapes(text, text) is
'Returns what was made of masked content with signs in place of the masks: without backslashes if they are escapes, else
with them';

create or replace function ragraph_private.marks_html(content text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    -- a link destination may contain one level of parentheses
    destination constant text := '[^()\s]*(?:\([^()\s]*\)[^()\s]*)*';
    html text := marks_html.content;
begin
    if strpos(html, '`') > 0 then
        html := regexp_replace(html, '`([^`\n]+)`', '<code>\1</code>', 'g');
    end if;
    if strpos(html, '*') > 0 then
        html := regexp_replace(html, '\*\*([^*\s](?:[^*]*[^*\s])?)\*\*', '<strong>\1</strong>', 'g');
        html := regexp_replace(html, '(?<![[:alnum:]*])\*([^*\s](?:[^*]*[^*\s])?)\*(?![[:alnum:]*])', '<em>\1</em>', 'g');
    end if;
    if strpos(html, '](') > 0 then
        html := regexp_replace(html, '!\[([^][]*)\]\(' || destination || '\)', '\1', 'g');
        html := regexp_replace(
            html, '\[([^][]*)\]\(((?:https?://|mailto:)' || destination || ')\)', '<a href="\2">\1</a>', 'gi'
        );
        -- any other link is reduced to its text
        html := regexp_replace(html, '\[([^][]*)\]\(' || destination || '\)', '\1', 'g');
    end if;
    return html;
end
$$;
comment on function ragraph_private.marks_html(text) is
'Returns text with inline markdown as html; the rest stays as it is';

create or replace function ragraph_private.inline_html(content text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    masked constant text := ragraph_private.mask_escapes(inline_html.content);
begin
    return ragraph_private.unmask_escapes(ragraph_private.marks_html(ragraph_private.escape_html(masked)), masked);
end
$$;
comment on function ragraph_private.inline_html(text) is
'Returns content with inline markdown as html. Everything else is escaped; links lead only to http, https and mailto';

create or replace function ragraph_private.inline_text(content text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    masked constant text := ragraph_private.mask_escapes(inline_text.content);
    plain text := masked;
begin
    if strpos(plain, '*') > 0 then
        plain := regexp_replace(plain, '\*\*([^*\s](?:[^*]*[^*\s])?)\*\*', '\1', 'g');
        plain := regexp_replace(plain, '(?<![[:alnum:]*])\*([^*\s](?:[^*]*[^*\s])?)\*(?![[:alnum:]*])', '\1', 'g');
    end if;
    if strpos(plain, '](') > 0 then
        plain := regexp_replace(plain, '!?\[([^][]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)', '\1', 'g');
    end if;
    return ragraph_private.unmask_escapes(plain, masked);
end
$$;
comment on function ragraph_private.inline_text(text) is
'Returns content without its inline markdown: without emphasis and the destinations of links';

create or replace function ragraph_private.inline_markdown(content text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    safe text := inline_markdown.content;
begin
    if strpos(safe, '<') > 0 then
        -- an entity, because another backslash before it could escape a backslash
        safe := regexp_replace(safe, '<(?=[A-Za-z/!?])', '&lt;', 'g');
    end if;
    if strpos(safe, '](') > 0 then
        safe := regexp_replace(
            safe, '\]\((?!\s*(?:https?://|mailto:|[A-Za-z0-9_./?=%~+#-]+[\s)]|\)))', ']\\(', 'gi'
        );
    end if;
    return safe;
end
$$;
comment on function ragraph_private.inline_markdown(text) is
'Returns content for markdown: without raw html, and without links of schemes other than http, https and mailto';

create or replace function ragraph_private.block_markdown(content text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    block text := ragraph_private.inline_markdown(block_markdown.content);
begin
    if strpos(block, E'\n') = 0 and block ~ '^[[:alpha:]"''(]' then
        return block;
    end if;
    block := regexp_replace(block, '^[ \t]+', '', 'gn');
    -- a line that would begin a heading, quotation, list, fence, table, definition or rule
    block := regexp_replace(
        block,
        '^(#|>|[-+*](?=[ \t]|$)|=+[ \t]*$|--|:-|~~~|```|\||\[(?![^]\n]*\]\()|([*_])[ \t]*(?:\2[ \t]*){2,}$)',
        '\\\1',
        'gn'
    );
    return regexp_replace(block, '^([0-9]{1,9})([.)])(?=[ \t]|$)', '\1\\\2', 'gn');
end
$$;
comment on function ragraph_private.block_markdown(text) is
'Returns content for a markdown block of its own: none of its lines begins another kind of block';

create or replace function ragraph_private.safe_url(url text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    if safe_url.url is null
        or safe_url.url ~ '[[:cntrl:]]'
        or safe_url.url !~* '^(https?|s3|gs|file)://' and safe_url.url !~ '^[[:alnum:]_./-]+$' then
        return null;
    end if;
    return replace(replace(replace(replace(replace(
        safe_url.url, ' ', '%20'), '(', '%28'), ')', '%29'), '<', '%3C'), '>', '%3E');
end
$$;
comment on function ragraph_private.safe_url(text) is
'Returns a URL for a picture in any format; null unless its scheme is known to be harmless';

create or replace function ragraph_private.spans_of_table(cells jsonb, width integer, spans jsonb)
returns table (attributes jsonb, covered jsonb)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
begin
    return query
    with said as (
        select (m.span ->> 0)::integer as place, (m.span ->> 1)::integer as start, (m.span ->> 2)::integer as high, (m.span ->> 3)::integer as wide
        from jsonb_array_elements(
            case jsonb_typeof(spans_of_table.spans) when 'array' then spans_of_table.spans else '[]' end
        ) as m (span)
        where m.span::text ~ '^\[\d{1,6}, \d{1,6}, [1-9]\d{0,5}, [1-9]\d{0,5}\]$'
    ),
    fitting as (
        select s.*
        from said as s
        where s.place + s.high <= jsonb_array_length(spans_of_table.cells)
            and s.start + s.wide <= spans_of_table.width
            and s.high::bigint * s.wide > 1
            and spans_of_table.cells -> s.place -> s.start is not null
    ),
    places as (
        select
            f.*,
            r.place as other_row,
            o.place as other_column,
            (r.place, o.place) <> (f.place, f.start) as covered,
            count(*) over (partition by r.place, o.place) as spans
        from fitting as f
        cross join lateral generate_series(f.place, f.place + f.high - 1) as r (place)
        cross join lateral generate_series(f.start, f.start + f.wide - 1) as o (place)
        -- spans that cover more places than the table has overlap and are all dropped
        where (select sum(e.high::bigint * e.wide) from fitting as e)
            <= jsonb_array_length(spans_of_table.cells)::bigint * spans_of_table.width
    ),
    open as (
        select p.place, p.start, p.high, p.wide
        from places as p
        group by p.place, p.start, p.high, p.wide
        having bool_and(
            p.spans = 1
            and (not p.covered or btrim(coalesce(spans_of_table.cells -> p.other_row ->> p.other_column, '')) = '')
        )
    )
    select
        coalesce((
            select jsonb_object_agg(
                o.place || ',' || o.start,
                case when o.high > 1 then ' rowspan="' || o.high || '"' else '' end
                || case when o.wide > 1 then ' colspan="' || o.wide || '"' else '' end
            )
            from open as o
        ), '{}'),
        coalesce((
            select jsonb_object_agg(p.other_row || ',' || p.other_column, true)
            from open as o
            inner join places as p on o.place = p.place and o.start = p.start and p.covered
        ), '{}');
end
$$;
comment on function ragraph_private.spans_of_table(jsonb, integer, jsonb) is
'Returns the html attributes of cells that span rows or columns, and the empty places that they cover, both as objects
with keys row,column from 0. spans lists [row, column, rows, columns]. A span is dropped if it covers other text,
reaches out of the table, begins where there is no cell, or overlaps another. All are dropped if together they cover
more places than the table has';

create or replace function ragraph_private.header_rows(data jsonb)
returns integer
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
begin
    return case when header_rows.data ->> 'header_rows' ~ '^\d{1,6}$' then (header_rows.data ->> 'header_rows')::integer else 0 end;
end
$$;
comment on function ragraph_private.header_rows(jsonb) is
'Returns the number of header rows of a table, from its data; 0 unless that is a whole number of up to six digits';

create or replace function ragraph_private.render_table(cells jsonb, header_rows integer, format text, spans jsonb default null)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    width integer;
    lines text;
    attributes jsonb := '{}';
    covered jsonb := '{}';
begin
    if jsonb_typeof(render_table.cells) is distinct from 'array' then
        return null;
    end if;
    select max(case jsonb_typeof(r.cells) when 'array' then jsonb_array_length(r.cells) else 0 end)
    into width
    from jsonb_array_elements(render_table.cells) as r (cells);
    if coalesce(width, 0) = 0 then
        return null;
    end if;
    if render_table.format = 'html' and render_table.spans is not null then
        select s.attributes, s.covered
        into attributes, covered
        from ragraph_private.spans_of_table(render_table.cells, width, render_table.spans) as s;
    end if;
    select
        string_agg(
            case render_table.format
                when 'html' then '<tr>' || c.line || '</tr>'
                when 'markdown' then '| ' || c.line || repeat(' | ', width - c.cells) || ' |'
                    || case
                        when r.place = 1 and render_table.header_rows > 0 then E'\n|' || repeat(' --- |', width)
                        else ''
                    end
                else c.line
            end,
            E'\n' order by r.place
        )
    into lines
    from jsonb_array_elements(render_table.cells) with ordinality as r (cells, place)
    cross join lateral (
        select
            count(*)::integer as cells,
            coalesce(
                string_agg(
                    case render_table.format
                        when 'html' then case
                            when covered ? ((r.place - 1) || ',' || (e.place - 1)) then ''
                            when r.place <= render_table.header_rows and btrim(coalesce(e.cell, '')) <> '' -- not an empty corner
                                then '<th' || coalesce(attributes ->> ((r.place - 1) || ',' || (e.place - 1)), '') || '>'
                                    || ragraph_private.inline_html(coalesce(e.cell, '')) || '</th>'
                            else '<td' || coalesce(attributes ->> ((r.place - 1) || ',' || (e.place - 1)), '') || '>'
                                || ragraph_private.inline_html(coalesce(e.cell, '')) || '</td>'
                        end
                        -- an entity, because another backslash before it could escape a backslash
                        when 'markdown' then replace(
                            regexp_replace(ragraph_private.inline_markdown(btrim(coalesce(e.cell, ''))), '\s*\n\s*', ' ', 'g'), '|', '&#124;'
                        )
                        else regexp_replace(ragraph_private.inline_text(btrim(coalesce(e.cell, ''))), '\s*\n\s*', ' ', 'g')
                    end,
                    case render_table.format when 'html' then '' else ' | ' end order by e.place
                ),
                ''
            ) as line
        from jsonb_array_elements_text(
            case jsonb_typeof(r.cells) when 'array' then r.cells else '[]' end
        ) with ordinality as e (cell, place)
    ) as c;
    return case render_table.format
        when 'html' then E'<table>\n' || lines || E'\n</table>'
        -- a markdown table must have a header; without header rows it is empty
        when 'markdown' then case
            when render_table.header_rows > 0 then lines
            else '|' || repeat('   |', width) || E'\n|' || repeat(' --- |', width) || E'\n' || lines
        end
        else lines
    end;
end
$$;
comment on function ragraph_private.render_table(jsonb, integer, text, jsonb) is
'Returns a grid of cells as a table in a format, with the given number of header rows, and in html with cells that span
others; null if cells is not a grid';
