-- Document filters in the syntax of MongoDB: {"year": {"$gte": 2020}, "$or": [...]}.
--
-- A filter becomes a condition on document d and publication p. The text of the condition contains no key or value of
-- the filter, only their places in a list. The list is bound as $2 of the statement, and every key and value is read
-- from it.

create or replace function ragraph_private.filter_error(message text, hint text)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    raise exception using errcode = 'RG005', message = filter_error.message, hint = filter_error.hint;
end
$$;
comment on function ragraph_private.filter_error(text, text) is
'Raises RG005 with the message and hint';

create or replace function ragraph_private.check_filter_operand(field text, kind text, operator text, operand jsonb)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    many constant boolean := check_filter_operand.operator in ('$in', '$nin');
    shown constant text := left(to_jsonb(check_filter_operand.field)::text, 100) || ' ' || check_filter_operand.operator;
    item jsonb;
    wanted constant text[] := case
        when check_filter_operand.kind in ('year', 'month') then '{number}'
        when check_filter_operand.kind <> 'metadata' then '{string}'
        when check_filter_operand.operator in ('$gt', '$gte', '$lt', '$lte') then '{string,number}'
        else '{string,number,boolean}'
    end;
begin
    if many and jsonb_typeof(check_filter_operand.operand) <> 'array' then
        perform ragraph_private.filter_error(
            format('the filter %s takes a list, not %s', shown, left(check_filter_operand.operand::text, 100)),
            'Give the values in brackets: {"year": {"$in": [2020, 2021]}}.'
        );
    end if;
    if check_filter_operand.kind in ('date', 'year', 'month') and check_filter_operand.operator = '$contains' then
        perform ragraph_private.filter_error(
            format('the filter %s compares a date, and dates have no $contains', shown), 'Use $gte and $lte for a range of dates.'
        );
    end if;
    for item in
        select v.value
        from jsonb_array_elements(
            case when many then check_filter_operand.operand else jsonb_build_array(check_filter_operand.operand) end
        ) as v
    loop
        if jsonb_typeof(item) <> all (wanted) then
            perform ragraph_private.filter_error(
                format(
                    'the filter %s takes a %s, not %s', shown, array_to_string(wanted, ' or a '), left(item::text, 100)
                ),
                'Use $in or $nin for a list of values, and an object of operators for any other condition.'
            );
        end if;
        if check_filter_operand.kind in ('year', 'month') and (
            (item #>> '{}')::numeric not between 1 and case check_filter_operand.kind when 'year' then 9999 else 12 end
            or trunc((item #>> '{}')::numeric) <> (item #>> '{}')::numeric
        ) then
            perform ragraph_private.filter_error(
                format('the filter %s takes a %s, not %s', shown, check_filter_operand.kind, left(item::text, 100)),
                'Years run from 1 to 9999, months from 1 to 12; both are those of publication_date.'
            );
        end if;
        if check_filter_operand.kind = 'date' then
            begin
                if item #>> '{}' !~ '^\d{4}-\d\d-\d\d$' or (item #>> '{}')::date is null then
                    raise datetime_field_overflow;
                end if;
            exception when data_exception then
                perform ragraph_private.filter_error(
                    format('the filter %s takes a date, not %s', shown, left(item::text, 100)),
                    'Write dates as "2024-12-31".'
                );
            end;
        end if;
    end loop;
end
$$;
comment on function ragraph_private.check_filter_operand(text, text, text, jsonb) is
'Raises RG005 if an operator does not accept this value for this kind of field';

create or replace function ragraph_private.metadata_paths(name text)
returns setof text[]
language plpgsql
immutable
parallel safe
rows 2
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    most constant integer := 5; -- maximum number of dots in a name; each dot doubles the possible readings
    parts constant text[] := string_to_array(metadata_paths.name, '.');
    path text[];
begin
    if cardinality(parts) - 1 > most then
        perform ragraph_private.filter_error(
            format('the filter names a key with %s dots: %s…', cardinality(parts) - 1, left(metadata_paths.name, 40)),
            format('A name may have up to %s dots.', most)
        );
    end if;
    for joined in 0..(1 << cardinality(parts) - 1) - 1 loop
        path := parts[1:1];
        for place in 2..cardinality(parts) loop
            if (joined >> place - 2) & 1 = 1 then
                path[cardinality(path)] := path[cardinality(path)] || '.' || parts[place];
            else
                path := path || parts[place];
            end if;
        end loop;
        return next path;
    end loop;
end
$$;
comment on function ragraph_private.metadata_paths(text) is
'Returns the possible readings of a name as paths into the metadata: each dot either leads into an object or belongs to
a key. Raises RG005 for more than five dots';

create or replace function ragraph_private.filter_key(value jsonb)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return case
        when jsonb_typeof(filter_key.value) = 'number' then trim_scale((filter_key.value #>> '{}')::numeric)::text
        else filter_key.value::text
    end;
end
$$;
comment on function ragraph_private.filter_key(jsonb) is
'Returns a JSON value as a text key that equal values share: 1 and 1.0 have the same key, 1 and "1" do not';

create or replace function ragraph_private.filter_has(keys jsonb, value jsonb)
returns boolean
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    if jsonb_typeof(filter_has.value) = 'array' then
        return exists (
            select 1 from jsonb_array_elements(filter_has.value) as v
            where filter_has.keys ? ragraph_private.filter_key(v.value)
        );
    end if;
    return coalesce(
        filter_has.keys ? case
            when jsonb_typeof(filter_has.value) = 'number' then ragraph_private.filter_key(filter_has.value)
            else filter_has.value::text -- as filter_key does; calling it takes longer than the rest of this function
        end,
        false
    );
end
$$;
comment on function ragraph_private.filter_has(jsonb, jsonb) is
'Returns true if a metadata value, or an element of a list value, has its filter_key among the keys of an object. This
is a function because a cluster cannot send a subquery over a list to its shards';

create or replace function ragraph_private.filter_metadata(
    path text[], operator text, operand jsonb, place integer, out condition text, out leaf jsonb
)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    at constant text := format('($2 -> %s)', filter_metadata.place);
    sign constant text := '{"$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}'::jsonb ->> filter_metadata.operator;
    object jsonb := filter_metadata.operand;
    list jsonb := jsonb_build_array(filter_metadata.operand);
    value_at text := 'p.metadata';
    values_at text; -- the value as a list, so that a list in the metadata matches if one of its elements does
    looked_up constant integer := 20; -- up to this many values are looked up in the index; more are compared with the value of each document
    objects jsonb[];
    keys jsonb;
begin
    if filter_metadata.operator = '$in' and jsonb_array_length(filter_metadata.operand) <= looked_up then
        select array_agg(v.value) || array_agg(jsonb_build_array(v.value)) into objects
        from jsonb_array_elements(filter_metadata.operand) as v;
    elsif filter_metadata.operator = '$in' then
        select jsonb_object_agg(ragraph_private.filter_key(v.value), true) into keys
        from jsonb_array_elements(filter_metadata.operand) as v;
    end if;
    for step in reverse cardinality(filter_metadata.path)..1 loop
        object := jsonb_build_object(filter_metadata.path[step], object);
        list := jsonb_build_object(filter_metadata.path[step], list);
        select array_agg(jsonb_build_object(filter_metadata.path[step], o.value)) into objects
        from unnest(objects) as o (value);
    end loop;
    for step in 1..cardinality(filter_metadata.path) loop
        value_at := value_at || format(' -> (%s -> ''path'' ->> %s)', at, step - 1);
    end loop;
    values_at := format('case jsonb_typeof(%1$s) when ''array'' then %1$s else jsonb_build_array(%1$s) end', value_at);
    leaf := jsonb_build_object(
        'value', filter_metadata.operand, 'path', filter_metadata.path, 'object', object, 'list', list,
        'objects', objects::text, 'keys', keys
    );
    condition := case
        -- containment, because the index on metadata supports it
        when filter_metadata.operator = '$eq'
            then format('(p.metadata @> (%1$s -> ''object'') or p.metadata @> (%1$s -> ''list''))', at)
        when objects is not null
            -- a value instead of a subquery: the planner can estimate its rows and does not read all documents for a
            -- join
            then format('p.metadata @> any((%s ->> ''objects'')::jsonb[])', at)
        when keys is not null then format('ragraph_private.filter_has(%s -> ''keys'', %s)', at, value_at)
        when filter_metadata.operator = '$in' then 'false' -- an empty list
        when filter_metadata.operator = '$contains' and jsonb_typeof(filter_metadata.operand) = 'string'
            then format(
                '(p.metadata @> (%1$s -> ''list'') or (jsonb_typeof(%2$s) = ''string'''
                ' and strpos((%2$s) #>> ''{}'', %1$s ->> ''value'') > 0))',
                at, value_at
            )
        when filter_metadata.operator = '$contains' then format('p.metadata @> (%s -> ''list'')', at)
        else format('jsonb_path_exists(%s, ''strict $[*] ? (@ %s $value)'', %s, true)', values_at, sign, at)
    end;
end
$$;
comment on function ragraph_private.filter_metadata(text[], text, jsonb, integer) is
'Returns the condition for one path into the metadata, and the leaf that the condition reads from the list bound as $2';

create or replace function ragraph_private.day()
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return 'coalesce(d.publication_date, p.publication_date)';
end
$$;
comment on function ragraph_private.day() is
'Returns the date of document d of publication p as an SQL expression: an attached document has a date of its own';

create or replace function ragraph_private.on_day(condition text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return format(
        '((%s or p.id = any(array(select o.publication_id from ragraph.document as o where %s))) and %s)',
        replace(on_day.condition, ragraph_private.day(), 'p.publication_date'),
        replace(on_day.condition, ragraph_private.day(), 'o.publication_date'),
        on_day.condition
    );
end
$$;
comment on function ragraph_private.on_day(text) is
'Returns a condition on the date of documents with what it means for publications alone, so that the indexes on the dates
of publications and of attached documents find the few that match';

create or replace function ragraph_private.filter_leaf(
    field text, operator text, operand jsonb, inout leaves jsonb, out condition text
)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
#variable_conflict use_variable
declare
    columns constant jsonb := '{
        "title": "coalesce(d.title, p.title)",
        "authors": "(case when d.title is null then p.authors else d.authors end)",
        "source": "p.source", "collection": "d.collection",
        "language": "d.language", "type": "d.type::text", "mime_type": "d.mime_type", "document_id": "d.id",
        "publication_id": "d.publication_id"}';
    column_name constant text := columns ->> filter_leaf.field;
    day constant text := ragraph_private.day();
    kind constant text := case
        when column_name is not null then 'text'
        when filter_leaf.field = 'publication_date' then 'date'
        when filter_leaf.field in ('year', 'month') then filter_leaf.field
        when filter_leaf.field = 'tags' then 'tags'
        else 'metadata'
    end;
    sign constant text := '{"$eq": "=", "$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}'::jsonb ->> filter_leaf.operator;
    at constant text := format('($2 -> %s)', jsonb_array_length(filter_leaf.leaves));
    path text[];
    leaf jsonb;
    made text;
    value_at text;
begin
    if jsonb_array_length(filter_leaf.leaves) >= 500 then
        perform ragraph_private.filter_error(
            'the filter has more than 500 conditions; each dot in the name of a key doubles them',
            'Use $in for many values of one field.'
        );
    end if;
    if filter_leaf.operator <> all ('{$eq,$ne,$gt,$gte,$lt,$lte,$in,$nin,$contains,$exists}') then
        perform ragraph_private.filter_error(
            format('the filter has no operator %s', left(to_jsonb(filter_leaf.operator)::text, 100)),
            'Use $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $contains, $exists, and $and, $or, $not around conditions.'
        );
    end if;
    if kind = 'metadata' and filter_leaf.field in ('', 'metadata.') then
        perform ragraph_private.filter_error('the filter has a field with an empty name', 'Give the name of a metadata key.');
    end if;
    if filter_leaf.operator = '$exists' or filter_leaf.operator in ('$eq', '$ne') and filter_leaf.operand = 'null' then
        -- as in MongoDB: a missing value equals null, and a key whose value is null exists
        if filter_leaf.operator = '$exists' and jsonb_typeof(filter_leaf.operand) <> 'boolean' then
            perform ragraph_private.filter_error(
                format(
                    'the filter %s $exists takes true or false, not %s', left(to_jsonb(filter_leaf.field)::text, 100),
                    left(filter_leaf.operand::text, 100)
                ),
                'Write it like {"year": {"$exists": true}}.'
            );
        end if;
        if kind = 'metadata' then
            for path in
                select m.path from ragraph_private.metadata_paths(regexp_replace(filter_leaf.field, '^metadata\.', '')) as m (path)
            loop
                value_at := 'p.metadata';
                for step in 1..cardinality(path) loop
                    value_at := value_at
                        || format(' -> ($2 -> %s -> ''path'' ->> %s)', jsonb_array_length(leaves), step - 1);
                end loop;
                made := case filter_leaf.operator
                    when '$exists' then format('(%s) is not null', value_at)
                    else format('coalesce(%s, ''null'') <> ''null''', value_at)
                end;
                leaf := jsonb_build_object('path', path);
                if not starts_with(filter_leaf.field, 'metadata.') then
                    leaf := leaf || jsonb_build_object('field', filter_leaf.field);
                end if;
                leaves := leaves || jsonb_build_array(leaf);
                condition := coalesce(condition || ' or ', '') || made;
            end loop;
            condition := '(' || condition || ')';
        else
            condition := case kind
                when 'text' then format('(%s is not null)', column_name)
                when 'tags' then '(p.tags <> ''{}'')'
                else format('(%s is not null)', day)
            end;
        end if;
        if filter_leaf.operator = '$eq' or filter_leaf.operand = 'false' then
            condition := condition || ' is not true';
        end if;
        return;
    end if;
    if filter_leaf.operator in ('$ne', '$nin') then
        -- as in MongoDB, a missing value counts as different
        perform ragraph_private.check_filter_operand(filter_leaf.field, kind, filter_leaf.operator, filter_leaf.operand);
        select f.leaves, f.condition into leaves, condition
        from ragraph_private.filter_leaf(
            filter_leaf.field,
            case filter_leaf.operator when '$ne' then '$eq' else '$in' end,
            filter_leaf.operand,
            filter_leaf.leaves
        ) as f;
        condition := '(' || condition || ') is not true';
        return;
    end if;
    perform ragraph_private.check_filter_operand(filter_leaf.field, kind, filter_leaf.operator, filter_leaf.operand);
    if kind = 'metadata' then
        for path in
            select m.path from ragraph_private.metadata_paths(regexp_replace(filter_leaf.field, '^metadata\.', '')) as m (path)
        loop
            select f.condition, f.leaf into made, leaf
            from ragraph_private.filter_metadata(
                path, filter_leaf.operator, filter_leaf.operand, jsonb_array_length(leaves)
            ) as f;
            if not starts_with(filter_leaf.field, 'metadata.') then
                leaf := leaf || jsonb_build_object('field', filter_leaf.field);
            end if;
            leaves := leaves || jsonb_build_array(leaf);
            condition := coalesce(condition || ' or ', '') || made;
        end loop;
        condition := '(' || condition || ')';
        return;
    end if;
    leaf := jsonb_build_object(
        'column', filter_leaf.field,
        'value',
        case
            when kind in ('year', 'month') and filter_leaf.operator = '$in' then to_jsonb(
                array(select trunc(v.value::numeric)::integer from jsonb_array_elements_text(filter_leaf.operand) as v)::text
            )
            when kind in ('year', 'month') then to_jsonb(trunc((filter_leaf.operand #>> '{}')::numeric)::integer)
            when filter_leaf.operator = '$in' then to_jsonb(
                array(select v.value from jsonb_array_elements_text(filter_leaf.operand) as v)::text
            )
            else filter_leaf.operand
        end
    );
    if
        kind in ('text', 'tags')
        and (filter_leaf.operator in ('$eq', '$in') or kind = 'tags' and filter_leaf.operator = '$contains')
    then
        -- values that documents should have exactly: if the filter matches nothing, values that no document has are
        -- reported
        leaf := leaf || jsonb_build_object(
            'whole',
            case filter_leaf.operator when '$in' then filter_leaf.operand else jsonb_build_array(filter_leaf.operand) end
        );
    elsif filter_leaf.field = 'authors' and filter_leaf.operator = '$contains' then
        leaf := leaf || jsonb_build_object('part', filter_leaf.operand);
    end if;

    if kind = 'text' then
        condition := case
            when filter_leaf.operator = '$eq' then format('%s = (%s ->> ''value'')', column_name, at)
            when filter_leaf.operator = '$in' then format('%s = any((%s ->> ''value'')::text[])', column_name, at)
            when filter_leaf.operator = '$contains' then format('strpos(%s, %s ->> ''value'') > 0', column_name, at)
            else format('(%s) collate "C" %s (%s ->> ''value'')', column_name, sign, at)
        end;
    elsif kind = 'date' then
        condition := case
            when filter_leaf.operator = '$in' then format('%s = any((%s ->> ''value'')::date[])', day, at)
            else format('%s %s (%s ->> ''value'')::date', day, sign, at)
        end;
    elsif kind in ('year', 'month') and (kind = 'month' or filter_leaf.operator = '$in') then
        condition := format('extract(%s from %s)::integer', kind, day) || case
            when filter_leaf.operator = '$in' then format(' = any((%s ->> ''value'')::integer[])', at)
            else format(' %s (%s ->> ''value'')::integer', sign, at)
        end;
    elsif kind = 'year' then
        -- a range of days, because it calls no function for each document
        condition := case filter_leaf.operator
            when '$eq' then '(%3$s >= %1$s and %3$s < %2$s)'
            when '$gt' then '%3$s >= %2$s'
            when '$gte' then '%3$s >= %1$s'
            when '$lt' then '%3$s < %1$s'
            else '%3$s < %2$s'
        end;
        condition := format(
            condition,
            format('make_date((%s ->> ''value'')::integer, 1, 1)', at),
            format('make_date((%s ->> ''value'')::integer + 1, 1, 1)', at),
            day
        );
    else -- tags
        condition := case
            when filter_leaf.operator in ('$eq', '$contains') then format('p.tags @> array[%s ->> ''value'']', at)
            when filter_leaf.operator = '$in' then format('p.tags && (%s ->> ''value'')::text[]', at)
            else format(
                'exists (select 1 from unnest(p.tags) as t (tag) where t.tag collate "C" %s (%s ->> ''value''))', sign, at
            )
        end;
    end if;
    if kind = 'date' or kind = 'year' and filter_leaf.operator <> '$in' then
        condition := ragraph_private.on_day(condition);
    end if;
    leaves := leaves || jsonb_build_array(leaf);
end
$$;
comment on function ragraph_private.filter_leaf(text, text, jsonb, jsonb) is
'Returns the condition for one field, operator and value, and appends the values that it reads to the list bound as $2.
Raises RG005 for an unknown operator or a value that it does not accept';

create or replace function ragraph_private.filter_condition(
    filter jsonb, inout leaves jsonb, depth integer default 1, out condition text
)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_variable
declare
    item record;
    inner_item record;
    part jsonb;
    parts text[];
    conditions text[] := '{}';
    made text;
begin
    if filter_condition.depth > 20 then
        perform ragraph_private.filter_error(
            'the filter is nested deeper than 20 levels', 'Combine conditions in one $and or $or.'
        );
    end if;
    if coalesce(jsonb_typeof(filter_condition.filter), 'null') <> 'object' then
        perform ragraph_private.filter_error(
            format('a filter is a JSON object, not %s', left(coalesce(filter_condition.filter::text, 'null'), 100)),
            'Write it like {"year": {"$gte": 2020}}.'
        );
    end if;
    for item in select e.key, e.value from jsonb_each(filter_condition.filter) as e loop
        if item.key in ('$and', '$or') then
            if jsonb_typeof(item.value) <> 'array' or jsonb_array_length(item.value) = 0 then
                perform ragraph_private.filter_error(
                    format('the filter %s takes a list of filters, not %s', item.key, left(item.value::text, 100)),
                    'Write it like {"$or": [{"year": 2020}, {"year": 2021}]}.'
                );
            end if;
            parts := '{}';
            for part in select v.value from jsonb_array_elements(item.value) as v loop
                select f.leaves, f.condition into leaves, made
                from ragraph_private.filter_condition(part, leaves, filter_condition.depth + 1) as f;
                parts := parts || made;
            end loop;
            conditions := conditions
                || ('(' || array_to_string(parts, case item.key when '$and' then ' and ' else ' or ' end) || ')');
        elsif item.key = '$not' then
            select f.leaves, f.condition into leaves, made
            from ragraph_private.filter_condition(item.value, leaves, filter_condition.depth + 1) as f;
            conditions := conditions || ('(' || made || ') is not true');
        elsif starts_with(item.key, '$') then
            perform ragraph_private.filter_error(
                format('the filter has %s in place of a field or $and, $or, $not', left(to_jsonb(item.key)::text, 100)),
                'Put operators below a field: {"year": {"$gte": 2020}}.'
            );
        elsif jsonb_typeof(item.value) = 'object' then
            if item.value = '{}' then
                perform ragraph_private.filter_error(
                    format('the filter on %s has no operator', left(to_jsonb(item.key)::text, 100)),
                    'Write it like {"year": {"$gte": 2020}}.'
                );
            end if;
            for inner_item in select e.key, e.value from jsonb_each(item.value) as e loop
                if inner_item.key = '$not' then
                    if jsonb_typeof(inner_item.value) <> 'object' then
                        perform ragraph_private.filter_error(
                            format('the filter $not takes operators, not %s', left(inner_item.value::text, 100)),
                            'Write it like {"year": {"$not": {"$gte": 2020}}}; for a single value use $ne.'
                        );
                    end if;
                    select f.leaves, f.condition into leaves, made
                    from ragraph_private.filter_condition(
                        jsonb_build_object(item.key, inner_item.value), leaves, filter_condition.depth + 1
                    ) as f;
                    conditions := conditions || ('(' || made || ') is not true');
                else
                    select f.leaves, f.condition into leaves, made
                    from ragraph_private.filter_leaf(item.key, inner_item.key, inner_item.value, leaves) as f;
                    conditions := conditions || made;
                end if;
            end loop;
        else
            select f.leaves, f.condition into leaves, made
            from ragraph_private.filter_leaf(item.key, '$eq', item.value, leaves) as f;
            conditions := conditions || made;
        end if;
    end loop;
    condition := coalesce(nullif(array_to_string(conditions, ' and '), ''), 'true');
end
$$;
comment on function ragraph_private.filter_condition(jsonb, jsonb, integer) is
'Returns a filter as a condition on document d and publication p, and appends its keys and values to the list that the
statement binds as $2. Raises RG005 for a filter that is not valid';

create or replace function ragraph_private.metadata_keys(looked_at integer)
returns text[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    most constant integer := 2000; -- names returned at most
begin
    return array(
        with recursive entry as (
            select e.key as name, e.value, 0 as dots
            from (select p.metadata from ragraph.publication as p limit looked_at) as p
            cross join lateral jsonb_each(case jsonb_typeof(p.metadata) when 'object' then p.metadata else '{}' end) as e
            union all
            select n.name || '.' || e.key, e.value, n.dots + 1
            from entry as n
            cross join lateral jsonb_each(case jsonb_typeof(n.value) when 'object' then n.value else '{}' end) as e
            where n.dots < 5 -- the number of dots that a filter may have
        )

        select n.name
        from entry as n
        where jsonb_typeof(n.value) <> 'object'
        group by n.name
        order by count(*) desc, n.name
        limit most
    );
end
$$;
comment on function ragraph_private.metadata_keys(integer) is
'Returns the metadata keys of up to looked_at publications, the most frequent first. Keys within objects are joined
with dots. Returns at most 2,000 keys';

create or replace function ragraph_private.note_unknown_value(field text, wanted text, begins boolean default false)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    looked_at constant integer := 2000; -- distinct values read at most
    listed constant integer := 10;
    columns constant jsonb := '{
        "title": "coalesce(d.title, p.title)",
        "authors": "(case when d.title is null then p.authors else d.authors end)",
        "source": "p.source", "collection": "d.collection",
        "language": "d.language", "tags": "t.tag", "mime_type": "d.mime_type", "document_id": "d.id",
        "publication_id": "p.id"}';
    rows constant text := format(
        ' from (select %s as known from ragraph.document as d inner join ragraph.publication as p'
        ' on d.publication_id = p.id %s) as v where v.known is not null',
        columns ->> note_unknown_value.field,
        case when note_unknown_value.field = 'tags' then 'cross join lateral unnest(p.tags) as t (tag)' end
    );
    called constant text := case when note_unknown_value.field = 'tags' then 'tag' else note_unknown_value.field end;
    there boolean;
    known text[];
    near text;
begin
    execute 'select exists (select 1' || rows || case
        when note_unknown_value.begins then ' and starts_with(lower(v.known collate "C") || ''-'', lower($1 collate "C") || ''-''))'
        else ' and v.known = $1)'
    end
    into there using note_unknown_value.wanted;
    -- an empty store gets a message of its own
    if there or not exists (select 1 from ragraph.document) then
        return;
    end if;
    -- ids resemble each other, and there are as many as documents: no suggestion and no list
    if note_unknown_value.field in ('document_id', 'publication_id') then
        raise notice using
            errcode = '01RG1',
            message = format('no document has the %s %L', called, left(note_unknown_value.wanted, 100));
        return;
    end if;
    execute 'select array(select v.known' || rows || ' group by v.known order by count(*) desc, v.known collate "C" limit $1)'
    into known using looked_at;
    near := ragraph_private.nearest_name(note_unknown_value.wanted, known);
    raise notice using
        errcode = '01RG1',
        message = format('no document has the %s %L', called, left(note_unknown_value.wanted, 100))
        || coalesce('; did you mean ' || quote_literal(left(near, 100)) || '?', ''),
        hint = case
            when cardinality(known) = 0 then format('No document has a %s.', called)
            when note_unknown_value.field in ('title', 'authors')
                then format('Use $contains for a part of it: {"%s": {"$contains": "..."}}.', note_unknown_value.field)
            else format(
                'Values are %s%s.',
                (select string_agg(format('%L', left(k.name, 60)), ', ') from unnest(known[1:listed]) as k (name)),
                case when cardinality(known) > listed then ' and more' end
            )
        end;
end
$$;
comment on function ragraph_private.note_unknown_value(text, text, boolean) is
'Raises a notice with SQLSTATE 01RG1 if no document has a value in a field. The notice suggests the most similar value
and lists those that exist. With begins, the value also matches if it is the beginning of a tag: en matches en-US';

create or replace function ragraph_private.note_unknown_author(wanted text)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    looked_at constant integer := 2000; -- distinct names read at most
    known text[];
    near text;
begin
    if
        not exists (select 1 from ragraph.document)
        or exists (select 1 from ragraph.publication as p where strpos(p.authors, note_unknown_author.wanted) > 0)
        or exists (select 1 from ragraph.document as d where strpos(d.authors, note_unknown_author.wanted) > 0)
    then
        return;
    end if;
    -- authors are searched by one of their names as often as by the full name
    known := array(
        select n.name
        from ragraph.publication as p
        cross join lateral regexp_split_to_table(p.authors, '\s*[,;]\s*') as w (whole)
        cross join lateral (
            select w.whole as name
            union
            select t.word from regexp_split_to_table(w.whole, '\s+') as t (word) where length(t.word) > 2
        ) as n
        where n.name <> ''
        group by n.name
        order by count(*) desc, n.name collate "C"
        limit looked_at
    );
    near := coalesce(
        (select k.name from unnest(known) as k (name) where lower(k.name) = lower(note_unknown_author.wanted) limit 1),
        ragraph_private.nearest_name(note_unknown_author.wanted, known)
    );
    raise notice using
        errcode = '01RG1',
        message = format('no document has an author %L', left(note_unknown_author.wanted, 100))
        || coalesce('; did you mean ' || quote_literal(left(near, 100)) || '?', ''),
        hint = case when cardinality(known) = 0 then 'No document has authors.' else 'Upper and lower case matter.' end;
end
$$;
comment on function ragraph_private.note_unknown_author(text) is
'Raises a notice with SQLSTATE 01RG1 if no publication has this text in its authors, and suggests the most similar
name';

create or replace function ragraph_private.note_kept_nothing(leaves jsonb)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    looked_at constant integer := 1000;
    name text;
    path text[];
    asked text;
    compared text[];
    kept text[];
    example text;
    most constant integer := 5; -- values reported at most
begin
    for name, asked in
        select distinct l.leaf ->> 'column', v.value
        from jsonb_array_elements(note_kept_nothing.leaves) as l (leaf)
        cross join lateral jsonb_array_elements_text(l.leaf -> 'whole') as v (value)
        where jsonb_typeof(l.leaf) = 'object' and l.leaf ? 'whole' and l.leaf ->> 'column' <> 'type'
            -- a metadata key of the same name is reported by the next notice
            and not exists (select 1 from ragraph.publication as p where p.metadata ? (l.leaf ->> 'column'))
        limit most
    loop
        perform ragraph_private.note_unknown_value(name, asked);
    end loop;
    for asked in
        select distinct l.leaf ->> 'part'
        from jsonb_array_elements(note_kept_nothing.leaves) as l (leaf)
        where jsonb_typeof(l.leaf) = 'object' and l.leaf ? 'part'
        limit most
    loop
        perform ragraph_private.note_unknown_author(asked);
    end loop;
    for name in
        select distinct l.leaf ->> 'column'
        from jsonb_array_elements(note_kept_nothing.leaves) as l (leaf)
        where jsonb_typeof(l.leaf) = 'object' and l.leaf ? 'column'
    loop
        if exists (select 1 from ragraph.publication as p where p.metadata ? name) then
            raise notice using
                errcode = '01RG1',
                message = format('the filter matches no document; %I in it is %s', name, case
                    when name in ('year', 'month') then 'that of publication_date' else 'the column'
                end),
                hint = format('The metadata also has a key of this name: use "metadata.%s" for it.', name);
        end if;
    end loop;
    for path, compared in
        select array(select jsonb_array_elements_text(l.leaf -> 'path')), array_agg(distinct jsonb_typeof(v.value))
        from jsonb_array_elements(note_kept_nothing.leaves) as l (leaf)
        cross join lateral jsonb_array_elements(
            case jsonb_typeof(l.leaf -> 'value') when 'array' then l.leaf -> 'value' else jsonb_build_array(l.leaf -> 'value') end
        ) as v
        where jsonb_typeof(l.leaf) = 'object' and l.leaf ? 'path' and l.leaf ? 'value'
        group by 1
    loop
        select array_agg(distinct jsonb_typeof(v.value)), min(v.value::text) into kept, example
        from (
            select p.metadata #> path as value from ragraph.publication as p where p.metadata ? path[1] limit looked_at
        ) as m
        cross join lateral jsonb_array_elements(
            case jsonb_typeof(m.value) when 'array' then m.value else jsonb_build_array(m.value) end
        ) as v
        where jsonb_typeof(v.value) in ('string', 'number', 'boolean');
        if cardinality(kept) = 1 and not compared && kept then
            raise notice using
                errcode = '01RG1',
                message = format(
                    'the filter matches no document; %s of the metadata is a %s, such as %s, but the filter compares it with a %s',
                    to_jsonb(array_to_string(path, '.')), kept[1], left(example, 50), array_to_string(compared, ' or a ')
                ),
                hint = format('Use a %s.', kept[1]);
        end if;
    end loop;
end
$$;
comment on function ragraph_private.note_kept_nothing(jsonb) is
'Raises notices with SQLSTATE 01RG1 that explain why a filter matches no document: values that no document has, columns
that are also metadata keys, and metadata keys whose values have another type than the filter compares them with';

create or replace function ragraph_private.require_filter_fields(leaves jsonb)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    columns constant text[] := '{title,authors,source,collection,language,type,mime_type,publication_date,year,month,'
        'tags,document_id,publication_id}';
    looked_at constant integer := 1000; -- publications whose keys are collected
    listed constant integer := 30; -- keys listed in the hint
    item record;
    types constant text[] := enum_range(null::ragraph.document_type)::text[];
    wrong text;
    keys text[];
    near text;
begin
    select v.value into wrong
    from jsonb_array_elements(require_filter_fields.leaves) as l (leaf)
    cross join lateral jsonb_array_elements_text(l.leaf -> 'whole') as v (value)
    where l.leaf ->> 'column' = 'type' and v.value <> all (types)
    limit 1;
    if found then
        near := ragraph_private.nearest_name(wrong, types);
        perform ragraph_private.filter_error(
            format('the filter names the type %L, which no document can have', left(wrong, 100))
            || coalesce('; did you mean ' || quote_literal(near) || '?', ''),
            format('Types of documents are %s; use node_types of a search for types of nodes.', array_to_string(types, ', '))
            || case
                when exists (select 1 from ragraph.publication as p where p.metadata ? 'type')
                    then ' The metadata also has a key of this name: use "metadata.type" for it.'
                else ''
            end
        );
    end if;
    for item in
        select
            l.leaf ->> 'field' as field,
            jsonb_agg(distinct l.leaf -> 'path') as paths
        from jsonb_array_elements(require_filter_fields.leaves) as l (leaf)
        where l.leaf ? 'field'
        group by l.leaf ->> 'field'
    loop
        continue when exists (
            select 1
            from ragraph.publication as p
            cross join lateral jsonb_array_elements(item.paths) as n (path)
            where p.metadata #> array(select s.step from jsonb_array_elements_text(n.path) as s (step)) is not null
        );
        -- in lax mode a JSON path continues into the elements of lists
        if exists (
            select 1
            from ragraph.publication as p
            cross join lateral jsonb_array_elements(item.paths) as n (path)
            where jsonb_path_exists(
                p.metadata,
                ('lax $' || (select string_agg('.' || s.step::text, '') from jsonb_array_elements(n.path) as s (step)))::jsonpath
            )
        ) then
            perform ragraph_private.filter_error(
                format(
                    'the filter names %s, which is in objects of a list; filters do not search these',
                    left(to_jsonb(item.field)::text, 100)
                ),
                'Store the value in a key of its own: as a value, or as a list of values.'
            );
        end if;
        keys := ragraph_private.metadata_keys(looked_at);
        near := ragraph_private.nearest_name(item.field, columns || keys);
        perform ragraph_private.filter_error(
            format('the filter names %s, which no publication has', left(to_jsonb(item.field)::text, 100))
            || coalesce('; did you mean ' || left(to_jsonb(near)::text, 100) || '?', ''),
            format(
                'Columns are %s; %s%s; use "metadata.%s" for a key that no publication has yet.',
                array_to_string(columns, ', '),
                coalesce(
                    'the metadata has the keys '
                    || (select string_agg(to_jsonb(left(k.key, 60))::text, ', ') from unnest(keys[1:listed]) as k (key)),
                    'no publication has metadata'
                ),
                case when cardinality(keys) > listed then format(' and %s more', cardinality(keys) - listed) end,
                left(item.field, 60)
            )
        );
    end loop;
end
$$;
comment on function ragraph_private.require_filter_fields(jsonb) is
'Raises RG005 for a bare name that is neither a column nor a metadata key of any publication, and for a type that no
document can have';

create or replace function ragraph.filter_documents(filter jsonb)
returns setof text
language plpgsql
stable
parallel safe
rows 100
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    made record;
begin
    select f.leaves, f.condition into made
    from ragraph_private.filter_condition(coalesce(filter_documents.filter, '{}'), '[]') as f;
    perform ragraph_private.require_filter_fields(made.leaves);
    return query execute
        'select d.id from ragraph.document as d inner join ragraph.publication as p on d.publication_id = p.id where '
        || made.condition || ' and $1 order by d.id collate "C"'
    using true, made.leaves;
    if not found then
        perform ragraph_private.note_kept_nothing(made.leaves);
    end if;
end
$$;
comment on function ragraph.filter_documents(jsonb) is
'Returns the ids of the documents that match a filter such as {"year": {"$gte": 2020}, "tags": {"$contains": "x"}}, in
the order of ids; null or {} matches all.
Operators: $eq (or the bare value), $ne, $gt, $gte, $lt, $lte, $in, $nin, $contains, $exists, and $and, $or, $not.
Fields: title, authors, source, collection, language, type, mime_type, publication_date with its year and month, tags,
document_id, publication_id. Any other name is a key of the metadata of publications and is refused if no publication
has it; metadata.name is such a key even if no publication has it. A dot in a name leads into an object or belongs to a
key, so dc.title matches {"dc.title": ...} and {"dc": {"title": ...}}. A name may have up to five dots.
Values compare within their JSON type. A list matches if one of its elements does. A missing value matches only null,
$ne, $nin, $not and $exists false. null also matches a key whose value is null. $contains matches an element of a list or a part of a string.
Raises RG005 for a filter that is not valid';
