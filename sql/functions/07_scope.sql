-- The scope that all searches share: checked, and turned into conditions for the statements that they build.
--
-- Such a statement binds the scope as $1 to $7 and its own values from $8 on; documents of the scope are d,
-- publications p, nodes n.

create or replace function ragraph_private.check_limits(k integer, exact_limit integer)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    if check_limits.k is null or check_limits.k < 1 then
        raise exception using
            errcode = 'RG005',
            message = format('k is %s', coalesce(check_limits.k::text, 'null')),
            hint = 'Ask for at least one node.';
    end if;
    if check_limits.exact_limit is null or check_limits.exact_limit < 0 then
        raise exception using
            errcode = 'RG005',
            message = format('exact_limit is %s', coalesce(check_limits.exact_limit::text, 'null')),
            hint = 'Give 0 or more; 10000 is the default.';
    end if;
end
$$;
comment on function ragraph_private.check_limits(integer, integer) is
'Refuses a k below 1 and a negative exact_limit. Raises RG005';

create or replace function ragraph_private.search_scope(
    document_ids text[],
    component_id text,
    node_types ragraph.content_node_type[],
    pages int4range,
    collection text,
    tags text[],
    languages text[],
    published daterange,
    filter jsonb,
    out documents text[], -- $1: the scope as ids, null when it is not that narrow
    out leaves jsonb, -- $2: what the conditions on documents read; $3 node_types, $4 pages, $5 collection
    out first_sequence integer, -- $6
    out last_sequence integer, -- $7
    out on_document text, -- conditions on d and p that documents do not hold yet; '' when there are none
    out on_node text -- conditions on n: type, pages, section; '' when there are none
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_variable
declare
    -- more documents than this are joined, not listed
    listed_documents constant integer := 1000;
    given text[]; -- document_ids, each once
    missing text;
    component ragraph.document_component;
    made record;
begin
    if search_scope.component_id is not null and coalesce(cardinality(search_scope.document_ids), 0) <> 1 then
        raise exception using
            errcode = 'RG005',
            message = 'component_id is given without its document',
            hint = 'Give document_ids with exactly the one document that holds the component.';
    end if;
    if search_scope.document_ids is not null then
        select w.id into missing
        from unnest(search_scope.document_ids) as w (id)
        where not exists (select 1 from ragraph.document as d where d.id = w.id)
        limit 1;
        if found then
            perform ragraph_private.require_document(missing);
        end if;
        given := array(select distinct w.id from unnest(search_scope.document_ids) as w (id));
    end if;
    documents := given;
    leaves := '[]';
    on_document := '';
    on_node := '';

    if search_scope.component_id is not null then
        component := ragraph_private.require_component(documents[1], search_scope.component_id);
        first_sequence := component.first_sequence;
        last_sequence := component.last_sequence;
        on_node := ' and n.sequence_in_document between $6 and $7';
    end if;
    if search_scope.node_types is not null then
        on_node := on_node || ' and n.content_node_type = any($3)';
    end if;
    if search_scope.pages is not null then
        on_node := on_node || ' and n.first_page < coalesce(upper($4), 2147483647) and n.last_page >= coalesce(lower($4), 1)'
            || ' and not isempty($4) and (n.first_page = n.last_page or ragraph_private.lies_on_pages(n.positional_data, $4))';
    end if;

    if search_scope.tags is not null then
        on_document := on_document
            || format(' and p.tags && ($2 ->> %s)::text[]', jsonb_array_length(leaves));
        leaves := leaves || jsonb_build_array(search_scope.tags::text);
    end if;
    if search_scope.languages is not null then
        -- en finds en-US too
        on_document := on_document || format(
            ' and exists (select 1 from unnest(($2 ->> %s)::text[]) as l (tag) where lower(d.language) = lower(l.tag)'
            ' or starts_with(lower(d.language), lower(l.tag) || ''-''))',
            jsonb_array_length(leaves)
        );
        leaves := leaves || jsonb_build_array(search_scope.languages::text);
    end if;
    if search_scope.published is not null then
        on_document := on_document
            || format(' and p.publication_date <@ ($2 ->> %s)::daterange', jsonb_array_length(leaves));
        leaves := leaves || jsonb_build_array(search_scope.published::text);
    end if;
    if search_scope.filter is not null then
        select f.leaves, f.condition into made
        from ragraph_private.filter_condition(search_scope.filter, leaves) as f;
        perform ragraph_private.require_filter_fields(made.leaves);
        leaves := made.leaves;
        on_document := on_document || ' and ' || made.condition;
    end if;
    if on_document <> '' then
        if search_scope.collection is not null then
            on_document := on_document || ' and d.collection = $5';
        end if;
        if documents is not null then
            on_document := on_document || ' and d.id = any($1)';
        end if;
        execute
            'select array_agg(s.id) from (select d.id from ragraph.document as d'
            || ' inner join ragraph.publication as p on d.publication_id = p.id where true' || on_document
            || ' limit $6 + 1) as s'
        into documents
        using documents, leaves, null::text, null::text, search_scope.collection, listed_documents;
        documents := coalesce(documents, '{}');
        if cardinality(documents) <= listed_documents then
            on_document := '';
        else
            documents := given;
        end if;
    end if;
end
$$;
comment on function ragraph_private.search_scope(
    text[], text, ragraph.content_node_type[], int4range, text, text[], text[], daterange, jsonb
) is
'Checks the scope of a search and turns it into conditions. Raises RG001, RG002, RG005';
