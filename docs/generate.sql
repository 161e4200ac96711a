-- name: functions
-- Public functions of the schema, by name.
SELECT
    p.proname,
    pg_get_function_arguments(p.oid),
    pg_get_function_result(p.oid),
    coalesce(obj_description(p.oid, 'pg_proc'), '')
FROM pg_proc AS p
WHERE p.pronamespace = 'ragraph'::regnamespace
ORDER BY p.proname;

-- name: views
-- Columns of the views of the schema, in order, with what they and their views mean.
SELECT
    c.relname,
    obj_description(c.oid, 'pg_class'),
    a.attname,
    format_type(a.atttypid, a.atttypmod),
    col_description(c.oid, a.attnum)
FROM pg_class AS c
INNER JOIN pg_attribute AS a ON c.oid = a.attrelid
WHERE c.relnamespace = 'ragraph'::regnamespace AND c.relkind = 'v' AND a.attnum > 0
ORDER BY c.relname, a.attnum;

-- name: enumerations
-- Enumerations of the schema, their values in order and what they mean.
SELECT
    t.typname,
    array(SELECT e.enumlabel FROM pg_enum AS e WHERE e.enumtypid = t.oid ORDER BY e.enumsortorder),
    obj_description(t.oid, 'pg_type')
FROM pg_type AS t
WHERE t.typnamespace = 'ragraph'::regnamespace AND t.typtype = 'e'
ORDER BY t.typname;
