-- The scope that all searches share: checked, and turned into conditions for the statements that searches build.
--
-- Such a statement binds the scope as $1 to $8 and values of its own from $9 on. Documents of the scope are d,
-- publications p, nodes n.
--
-- From the caller to search_scope a scope is one value. A new condition therefore needs three things: a field in the
-- type below, its name among those that asked_scope knows, and its translation in search_scope. Its value is appended
-- to leaves, which the statements already bind.

create type ragraph_private.conditions as (
    document_ids text [],
    component_id text,
    component_ids text [],
    node_types ragraph.content_node_type [],
    pages int4range,
    collection text,
    tags text [],
    languages text [],
    published daterange,
    filter jsonb,
    entities text [],
    without text [],
    max_fault double precision
);
comment on type ragraph_private.conditions is
'The conditions of a search as requested: the keys that the scope of a search may have, with the types of their values';

create or replace function ragraph_private.asked_scope(
    scope jsonb,
    document_ids text[] default null,
    component_id text default null,
    component_ids text[] default null,
    node_types ragraph.content_node_type[] default null,
    pages int4range default null,
    collection text default null,
    tags text[] default null,
    languages text[] default null,
    published daterange default null,
    filter jsonb default null,
    entities text[] default null
)
returns jsonb
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    known constant text[] := '{document_ids,component_id,component_ids,node_types,pages,collection,tags,languages,published,filter,entities,without,max_fault}';
    -- A filter may contain nulls. As an argument it may also be a JSON null, which is refused like any other value that
    -- is no object.
    named constant jsonb := jsonb_strip_nulls(jsonb_build_object(
        'document_ids', asked_scope.document_ids, 'component_id', asked_scope.component_id,
        'component_ids', asked_scope.component_ids, 'node_types', asked_scope.node_types, 'pages', asked_scope.pages,
        'collection', asked_scope.collection, 'tags', asked_scope.tags, 'languages', asked_scope.languages,
        'published', asked_scope.published, 'entities', asked_scope.entities
    )) || case when asked_scope.filter is null then '{}' else jsonb_build_object('filter', asked_scope.filter) end;
    more jsonb;
    wrong text;
begin
    if asked_scope.scope is null then
        return named;
    end if;
    if jsonb_typeof(asked_scope.scope) <> 'object' then
        raise exception using
            errcode = 'RG005',
            message = format('scope is a JSON object, not %s', left(asked_scope.scope::text, 100)),
            hint = 'Give conditions by their names: {"document_ids": ["dl_1"]}.';
    end if;
    if asked_scope.scope - known <> '{}' then
        raise exception using
            errcode = 'RG005',
            message = format(
                'scope has no condition %s',
                (select to_json(k.name) from jsonb_object_keys(asked_scope.scope - known) as k (name) limit 1)
            ),
            hint = format('Use %s.', array_to_string(known, ', '));
    end if;
    more := jsonb_strip_nulls(asked_scope.scope - 'filter');
    if asked_scope.scope -> 'filter' <> 'null' then
        more := more || jsonb_build_object('filter', asked_scope.scope -> 'filter');
    end if;
    if named <> '{}' and more <> '{}' then
        select k.name into wrong from jsonb_object_keys(more) as k (name) where named ? k.name limit 1;
        if found then
            raise exception using
                errcode = 'RG005',
                message = format('%s is given both as an argument and in scope', wrong),
                hint = 'Give it once.';
        end if;
    end if;
    return named || more;
end
$$;
comment on function ragraph_private.asked_scope(
    jsonb, text[], text, text[], ragraph.content_node_type[], int4range, text, text[], text[], daterange, jsonb, text[]
) is
'Returns the conditions of a search by name, in one value: those given as arguments and those in scope. A null is no
condition. Raises RG005 if scope is no object, has an unknown key, or repeats an argument';

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
'Raises RG005 if k is below 1 or exact_limit is negative';

create or replace function ragraph_private.section_intervals(documents text[], component_ids text[])
returns table (document_ids text[], starts integer[], ends integer[])
language plpgsql
stable
parallel safe
rows 1
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    there text[];
    missing text;
begin
    there := array(
        select distinct c.id
        from ragraph.document_component as c
        where c.document_id = any(section_intervals.documents) and c.id = any(section_intervals.component_ids)
    );
    select w.id into missing
    from unnest(section_intervals.component_ids) as w (id)
    where w.id <> all(there)
    limit 1;
    if found then
        if cardinality(section_intervals.documents) = 1 then
            perform ragraph_private.require_component(section_intervals.documents[1], missing);
        end if;
        raise exception using
            errcode = 'RG002',
            message = format('none of the given documents has a component %L', missing),
            hint = 'List the components of a document: SELECT * FROM ragraph.table_of_contents(document_id).';
    end if;
    return query
    select
        coalesce(array_agg(m.document_id), '{}'),
        coalesce(array_agg(lower(m.span)), '{}'),
        coalesce(array_agg(upper(m.span) - 1), '{}')
    from (
        select c.document_id, unnest(range_agg(int4range(c.first_sequence, c.last_sequence, '[]'))) as span
        from ragraph.document_component as c
        where c.document_id = any(section_intervals.documents)
            and c.id = any(section_intervals.component_ids)
            and c.first_sequence is not null
        group by c.document_id
    ) as m;
end
$$;
comment on function ragraph_private.section_intervals(text[], text[]) is
'Returns components of documents as intervals of reading order, with the document of each. Overlapping and touching
intervals are merged. Raises RG001 or RG002 if a component does not exist';

create or replace function ragraph_private.typed_conditions(asked jsonb)
returns ragraph_private.conditions
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    lists constant text[] := '{document_ids,component_ids,node_types,tags,languages,entities,without}';
    item record;
begin
    for item in
        select
            e.key,
            e.value,
            case
                when e.key = 'max_fault' then jsonb_typeof(e.value) = 'number' and e.value between '0' and '1'
                when e.key <> all (lists) then jsonb_typeof(e.value) = 'string'
                when jsonb_typeof(e.value) <> 'array' then false
                else not exists (
                    -- lax, because an argument may be an array of arrays
                    select 1 from jsonb_path_query(e.value, 'lax $[*][*]') as v (value) where jsonb_typeof(v.value) <> 'string'
                )
            end as fits
        from jsonb_each(typed_conditions.asked) as e
        where e.key <> 'filter'
    loop
        if not item.fits then
            raise exception using
                errcode = 'RG005',
                message = format(
                    '%s in scope is a %s, not %s', item.key,
                    case
                        when item.key = any (lists) then 'list of texts'
                        when item.key = 'max_fault' then 'number from 0 to 1'
                        else 'text'
                    end, left(item.value::text, 100)
                ),
                hint = case when item.key = 'max_fault' then 'Give a number: {"max_fault": 0.5}.'
                    when item.key = any (lists) then format('Give a list: {"%s": ["..."]}.', item.key)
                    else format('Give a text: {"%s": "..."}.', item.key) end;
        end if;
        if item.key in ('pages', 'published', 'node_types') then
            begin
                perform jsonb_populate_record(null::ragraph_private.conditions, jsonb_build_object(item.key, item.value));
            exception when data_exception then
                raise exception using
                    errcode = 'RG005',
                    message = format('%s in scope cannot be %s', item.key, left(item.value::text, 100)),
                    hint = case item.key
                        when 'pages' then 'Give a range: {"pages": "[3,8]"}.'
                        when 'published' then 'Give a range of dates: {"published": "[2020-01-01,2024-12-31]"}.'
                        else 'Types of nodes are those of ragraph.content_node_type.'
                    end;
            end;
        end if;
    end loop;
    return jsonb_populate_record(null::ragraph_private.conditions, typed_conditions.asked);
end
$$;
comment on function ragraph_private.typed_conditions(jsonb) is
'Returns the conditions of a search with their types. Raises RG005 for a value of another type';

create or replace function ragraph_private.without_excluded(scope jsonb, query text)
returns jsonb
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    words text[];
begin
    if strpos(without_excluded.query, '-') = 0 then
        return without_excluded.scope;
    end if;
    words := array(
        select coalesce(m.token[2], m.token[3])
        from regexp_matches(
            (ragraph_private.signed_numbers(without_excluded.query)).unsigned,
            '(-*)(?:"([^"]*)"?|([^ \t\n\r\f\v"]+))', 'g'
        ) as m (token)
        where m.token[1] <> ''
        limit 100
    );
    if words = '{}' then
        return without_excluded.scope;
    end if;
    return coalesce(without_excluded.scope, '{}') || jsonb_build_object(
        'without', coalesce(nullif(without_excluded.scope -> 'without', 'null'), '[]') || to_jsonb(words)
    );
end
$$;
comment on function ragraph_private.without_excluded(jsonb, text) is
'Returns a scope with the words and phrases that a query excludes by a minus as a further condition (without)';

create or replace function ragraph_private.search_scope(asked jsonb)
returns ragraph_private.scope
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
#variable_conflict use_variable
declare
    -- up to this many documents are listed by id, more are joined
    listed_documents constant integer := 1000;
    conditions ragraph_private.conditions;
    scope ragraph_private.scope;
    given text[]; -- document_ids without duplicates
    there text[];
    missing text;
    made record;
    identities text[];
    entity_ids text[];
    naming text[]; -- documents that mention them
    config regconfig := 0::oid::regconfig; -- zero sorts before all configurations
    excluded tsquery;
    only_document text;
begin
    conditions := ragraph_private.typed_conditions(search_scope.asked);
    conditions.filter := search_scope.asked -> 'filter'; -- a JSON null is refused like any other filter that is no object
    if conditions.component_id is not null and coalesce(cardinality(conditions.document_ids), 0) <> 1 then
        raise exception using
            errcode = 'RG005',
            message = 'component_id is given without its document',
            hint = 'Give document_ids with exactly the one document that holds the component.';
    end if;
    if conditions.component_ids is not null and conditions.document_ids is null then
        raise exception using
            errcode = 'RG005',
            message = 'component_ids are given without their documents',
            hint = 'Give document_ids with the documents that hold the components.';
    end if;
    if conditions.component_id is not null and conditions.component_ids is not null then
        raise exception using
            errcode = 'RG005',
            message = 'component_id and component_ids are given',
            hint = 'Give component_ids alone; it takes one component or several.';
    end if;
    if conditions.document_ids is not null then
        there := array(select d.id from ragraph.document as d where d.id = any(conditions.document_ids));
        select w.id into missing
        from unnest(conditions.document_ids) as w (id)
        where w.id <> all(there)
        limit 1;
        if found then
            perform ragraph_private.require_document(missing);
        end if;
        given := array(select distinct w.id from unnest(conditions.document_ids) as w (id));
    end if;
    scope.documents := given;
    scope.leaves := '[]';
    scope.node_types := conditions.node_types;
    scope.pages := conditions.pages;
    scope.collection := conditions.collection;
    if
        conditions.collection is not null
        and not exists (select 1 from ragraph.document as d where d.collection = conditions.collection)
    then
        perform ragraph_private.note_unknown_value('collection', conditions.collection);
    end if;
    scope.on_document := '';
    scope.on_node := '';
    scope.in_sections := '';
    scope.of_entities := false;

    if num_nulls(conditions.component_id, conditions.component_ids) < 2 then
        select s.document_ids, s.starts, s.ends
        into scope.section_documents, scope.section_starts, scope.section_ends
        from ragraph_private.section_intervals(
            given, coalesce(conditions.component_ids, array[conditions.component_id])
        ) as s;
        -- Ranges of the index on reading order. For one range the planner can estimate its rows. Several ranges are
        -- joined, which costs less than a chain of alternatives; they do not overlap, so no node occurs twice.
        if cardinality(scope.section_documents) = 1 then
            scope.on_node := ' and n.document_id = $6[1] and n.sequence_in_document between $7[1] and $8[1]';
        else
            scope.in_sections :=
                ' inner join unnest($6, $7, $8) as s (document_id, first_sequence, last_sequence)'
                ' on n.document_id = s.document_id and n.sequence_in_document between s.first_sequence and s.last_sequence';
        end if;
        given := array(select distinct w.id from unnest(scope.section_documents) as w (id));
        scope.documents := given;
    end if;
    if conditions.node_types is not null then
        scope.on_node := scope.on_node || ' and n.content_node_type = any($3)';
    end if;
    if conditions.pages is not null then
        scope.on_node := scope.on_node
            || ' and n.first_page < coalesce(upper($4), 2147483647) and n.last_page >= coalesce(lower($4), 1)'
            ' and not isempty($4) and (n.first_page = n.last_page or ragraph_private.lies_on_pages(n.positional_data, $4))';
    end if;

    if conditions.max_fault is not null then
        -- what a reader does not say it of stays
        scope.on_node := scope.on_node || format(
            ' and case jsonb_typeof(n.data -> ''fault'') when ''number'''
            ' then (n.data ->> ''fault'')::double precision <= ($2 ->> %s)::double precision else true end',
            jsonb_array_length(scope.leaves)
        );
        scope.leaves := scope.leaves || jsonb_build_array(conditions.max_fault::text);
    end if;

    if conditions.entities is not null then
        -- Entities are looked up here, so that the statement compares ids. Ids of entities are per document, which also
        -- gives the documents.
        identities := ragraph_private.named_entities(conditions.entities);
        select coalesce(array_agg(e.id), '{}'), coalesce(array_agg(distinct e.document_id), '{}')
        into entity_ids, naming
        from ragraph.entity as e
        where e.identity = any(identities)
            and (given is null or e.document_id = any(given))
            and (conditions.collection is null or e.collection = conditions.collection);
        scope.of_entities := true;
        scope.on_node := scope.on_node || format(
            ' and exists (select 1 from ragraph.mention as m where m.document_id = n.document_id and m.node_id = n.id'
            ' and m.entity_id = any(($2 ->> %s)::text[]))',
            jsonb_array_length(scope.leaves)
        );
        scope.leaves := scope.leaves || jsonb_build_array(entity_ids::text);
        if cardinality(naming) <= listed_documents then
            given := naming;
            scope.documents := given;
        end if;
    end if;
    if conditions.without <> '{}' then
        only_document := ragraph_private.only_one(given);
        -- each configuration reads the words in its own way
        loop
            select n.ts_config into config
            from ragraph.content_node as n
            where n.ts_config > config and (only_document is null or n.document_id = only_document)
            order by n.ts_config
            limit 1;
            exit when not found;
            select string_agg('!(' || q.part::text || ')', ' & ')::tsquery into excluded
            from unnest(conditions.without) as w (words)
            cross join lateral ragraph_private.with_pairs(
                phraseto_tsquery(config, ragraph_private.cut_words(w.words))
            ) as q (part)
            where numnode(q.part) > 0;
            continue when excluded is null;
            scope.on_node := scope.on_node || format(
                ' and (n.ts_config <> %s::oid::regconfig or n.text_search @@ ($2 ->> %s)::tsquery)',
                config::oid, jsonb_array_length(scope.leaves)
            );
            scope.leaves := scope.leaves || jsonb_build_array(excluded::text);
        end loop;
    end if;
    if conditions.tags is not null then
        scope.on_document := scope.on_document
            || format(' and p.tags && ($2 ->> %s)::text[]', jsonb_array_length(scope.leaves));
        scope.leaves := scope.leaves || jsonb_build_array(conditions.tags::text);
    end if;
    if conditions.languages is not null then
        -- en also finds en-US; tags are ASCII, and a Turkish collation would make another letter of I
        scope.on_document := scope.on_document || format(
            ' and lower(d.language collate "C") like any (($2 ->> %s)::text[])', jsonb_array_length(scope.leaves)
        );
        scope.leaves := scope.leaves || jsonb_build_array(
            array(
                select p.pattern
                from unnest(conditions.languages) as l (tag)
                cross join lateral regexp_replace(lower(l.tag collate "C"), '([\\%_])', '\\\1', 'g') as e (escaped)
                cross join lateral (values (e.escaped), (e.escaped || '-%')) as p (pattern)
            )::text
        );
    end if;
    if conditions.published is not null then
        -- bounds, because no index serves <@
        scope.on_document := scope.on_document || ' and ' || ragraph_private.on_day(format(
            case
                when isempty(conditions.published) then 'false'
                when upper_inf(conditions.published) and lower_inf(conditions.published) then '%1$s is not null'
                when upper_inf(conditions.published) then '%1$s >= %2$s'
                when lower_inf(conditions.published) then '%1$s < %3$s'
                else '(%1$s >= %2$s and %1$s < %3$s)'
            end,
            ragraph_private.day(),
            format('($2 -> %s ->> 0)::date', jsonb_array_length(scope.leaves)),
            format('($2 -> %s ->> 1)::date', jsonb_array_length(scope.leaves))
        ));
        scope.leaves := scope.leaves
            || jsonb_build_array(jsonb_build_array(lower(conditions.published), upper(conditions.published)));
    end if;
    if conditions.filter is not null then
        select f.leaves, f.condition into made
        from ragraph_private.filter_condition(conditions.filter, scope.leaves) as f;
        perform ragraph_private.require_filter_fields(made.leaves);
        scope.leaves := made.leaves;
        scope.on_document := scope.on_document || ' and ' || made.condition;
    end if;
    if scope.on_document <> '' then
        if conditions.collection is not null then
            scope.on_document := scope.on_document || ' and d.collection = $5';
        end if;
        if scope.documents is not null then
            scope.on_document := scope.on_document || ' and d.id = any($1)';
        end if;
        execute
            'select array_agg(s.id) from (select d.id from ragraph.document as d'
            || ' inner join ragraph.publication as p on d.publication_id = p.id where true' || scope.on_document
            || ' limit $6 + 1) as s'
        into scope.documents
        using scope.documents, scope.leaves, null::text, null::text, scope.collection, listed_documents;
        scope.documents := coalesce(scope.documents, '{}');
        if scope.documents = '{}' then
            perform ragraph_private.note_unknown_value('tags', t.tag) from unnest(conditions.tags) as t (tag);
            perform ragraph_private.note_unknown_value('language', l.tag, begins => true) from unnest(conditions.languages) as l (tag);
            perform ragraph_private.note_kept_nothing(scope.leaves);
        end if;
        if cardinality(scope.documents) <= listed_documents then
            scope.on_document := '';
        else
            scope.documents := given;
        end if;
    end if;
    return scope;
end
$$;
comment on function ragraph_private.search_scope(jsonb) is
'Checks the conditions that asked_scope returns and turns them into a scope for statements. Raises RG001 or RG002 for
an unknown document or component, RG005 for a condition that is not valid, RG014 for an unknown entity';
