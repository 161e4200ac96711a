-- Content nodes by page. The GIN index on positional_data answers "@>" and "@?". The planner combines it with the index
-- on the document, depending on which returns fewer rows.

create or replace function ragraph.nodes_on_page(document_id text, page integer)
returns setof ragraph.content_node
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set plan_cache_mode = force_custom_plan -- the best index depends on the size of the document
as $$
begin
    perform ragraph_private.require_document(nodes_on_page.document_id);
    if nodes_on_page.page is null then
        raise exception using
            errcode = 'RG005', message = 'page is null', hint = 'Give the number of a physical page, from 1.';
    end if;
    return query
    select n.*
    from ragraph.content_node as n
    where n.document_id = nodes_on_page.document_id
        and n.positional_data @> jsonb_build_array(jsonb_build_object('page_pdf', nodes_on_page.page))
    order by n.sequence_in_document;
end
$$;
comment on function ragraph.nodes_on_page(text, integer) is
'Returns the content nodes that lie wholly or partly on a physical page (counted from 1), in reading order. Raises
RG001 if the document does not exist, RG005 if page is null';

create or replace function ragraph.nodes_on_logical_page(document_id text, label text)
returns setof ragraph.content_node
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set plan_cache_mode = force_custom_plan -- the best index depends on the size of the document
as $$
begin
    perform ragraph_private.require_document(nodes_on_logical_page.document_id);
    if nodes_on_logical_page.label is null then
        -- a null label would match every page without a label
        raise exception using
            errcode = 'RG005', message = 'label is null', hint = 'Give the label printed on the page, for example iii.';
    end if;
    return query
    select n.*
    from ragraph.content_node as n
    where n.document_id = nodes_on_logical_page.document_id
        and n.positional_data @> jsonb_build_array(jsonb_build_object('page_logical', nodes_on_logical_page.label))
    order by n.sequence_in_document;
end
$$;
comment on function ragraph.nodes_on_logical_page(text, text) is
'Returns the content nodes on the page with this printed or stated label (iii, 12, A-3), in reading order. If the
document starts counting from 1 more than once, nodes of all such pages are returned. Raises RG001 if the document does
not exist, RG005 if label is null';

create or replace function ragraph.nodes_on_pages(document_id text, pages int4range)
returns setof ragraph.content_node
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set plan_cache_mode = force_custom_plan -- the best index depends on the size of the document
as $$
declare
    -- int4range is canonical: lower inclusive, upper exclusive
    first_wanted integer := coalesce(lower(nodes_on_pages.pages), 1);
    last_wanted integer := coalesce(upper(nodes_on_pages.pages) - 1, 2147483647);
    wanted jsonpath;
begin
    perform ragraph_private.require_document(nodes_on_pages.document_id);
    if nodes_on_pages.pages is null then
        raise exception using
            errcode = 'RG005', message = 'pages is null', hint = 'Give a range of pages, for example ''[3,5]''.';
    end if;
    if isempty(nodes_on_pages.pages) then
        return;
    end if;
    if last_wanted::bigint - first_wanted < 16 then
        -- GIN can extract equalities joined by "or" from a jsonpath, but no ranges
        select ('$[*] ? (' || string_agg(format('@.page_pdf == %s', p), ' || ') || ')')::jsonpath into wanted
        from generate_series(first_wanted, last_wanted) as p;
        return query
        select n.*
        from ragraph.content_node as n
        where n.document_id = nodes_on_pages.document_id and n.positional_data @? wanted
        order by n.sequence_in_document;
    else
        return query
        select n.*
        from ragraph.content_node as n
        where n.document_id = nodes_on_pages.document_id
            and n.first_page <= last_wanted
            and n.last_page >= first_wanted
            and jsonb_path_exists(
                n.positional_data,
                '$[*] ? (@.page_pdf >= $low && @.page_pdf <= $high)',
                jsonb_build_object('low', first_wanted, 'high', last_wanted)
            )
        order by n.sequence_in_document;
    end if;
end
$$;
comment on function ragraph.nodes_on_pages(text, int4range) is
'Returns the content nodes on any physical page of the range, in reading order. An open end means the first or last
page. Raises RG001 if the document does not exist, RG005 if pages is null';

create or replace function ragraph_private.lies_on_pages(positional_data jsonb, pages int4range)
returns boolean
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return jsonb_path_exists(
        lies_on_pages.positional_data,
        '$[*] ? (@.page_pdf >= $low && @.page_pdf <= $high)',
        jsonb_build_object(
            'low', coalesce(lower(lies_on_pages.pages), 1),
            'high', coalesce(upper(lies_on_pages.pages) - 1, 2147483647)
        )
    );
end
$$;
comment on function ragraph_private.lies_on_pages(jsonb, int4range) is
'Returns true if any position lies on a page of the range';
