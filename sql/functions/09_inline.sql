-- The text of one node, as a format needs it. Content comes from files and is taken as hostile: whatever it holds,
-- html output has no markup but what is written here, and markdown output no raw html, no link with a scheme but
-- http, https and mailto, and no block that the node itself is not.

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
'Text for html, in elements and in quoted attributes';

create or replace function ragraph_private.inline_html(content text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    -- a destination may hold one level of brackets
    destination constant text := '[^()\s]*(?:\([^()\s]*\)[^()\s]*)*';
    html text := ragraph_private.escape_html(inline_html.content);
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
        -- any other link keeps its text alone
        html := regexp_replace(html, '\[([^][]*)\]\(' || destination || '\)', '\1', 'g');
    end if;
    return html;
end
$$;
comment on function ragraph_private.inline_html(text) is
'Content with inline markdown as html; everything else escaped, links only to http, https and mailto';

create or replace function ragraph_private.inline_text(content text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    plain text := inline_text.content;
begin
    if strpos(plain, '*') > 0 then
        plain := regexp_replace(plain, '\*\*([^*\s](?:[^*]*[^*\s])?)\*\*', '\1', 'g');
        plain := regexp_replace(plain, '(?<![[:alnum:]*])\*([^*\s](?:[^*]*[^*\s])?)\*(?![[:alnum:]*])', '\1', 'g');
    end if;
    if strpos(plain, '](') > 0 then
        plain := regexp_replace(plain, '!?\[([^][]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)', '\1', 'g');
    end if;
    return plain;
end
$$;
comment on function ragraph_private.inline_text(text) is
'Content without its inline markdown: emphasis and the destinations of links fall away';

create or replace function ragraph_private.inline_markdown(content text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    safe text := inline_markdown.content;
begin
    if strpos(safe, '<') > 0 then
        -- an entity, since a backslash could itself be escaped by one before it
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
'Content for markdown: no raw html, no links of other schemes than http, https and mailto';

create or replace function ragraph_private.block_markdown(content text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
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
'Content for a markdown block of its own: no line of it begins another kind of block';

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
'A URL for a picture in any format; null unless its scheme is known to be harmless';

create or replace function ragraph_private.render_table(cells jsonb, header_rows integer, format text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    width integer;
    lines text;
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
                            when r.place <= render_table.header_rows
                                then '<th>' || ragraph_private.inline_html(coalesce(e.cell, '')) || '</th>'
                            else '<td>' || ragraph_private.inline_html(coalesce(e.cell, '')) || '</td>'
                        end
                        -- an entity, since a backslash before it could be escaped itself
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
        -- a markdown table must have a header; without one it is empty
        when 'markdown' then case
            when render_table.header_rows > 0 then lines
            else '|' || repeat('   |', width) || E'\n|' || repeat(' --- |', width) || E'\n' || lines
        end
        else lines
    end;
end
$$;
comment on function ragraph_private.render_table(jsonb, integer, text) is
'A grid of cells as a table: rows of cells, as many header rows as said; null when the grid is none';
