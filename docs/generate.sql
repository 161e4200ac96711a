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
