-- name: keys
-- The columns of the primary key of each table.
SELECT
    c.relname,
    array_agg(a.attname::text ORDER BY array_position(i.indkey::int2[], a.attnum)) AS key_columns
FROM pg_class AS c
INNER JOIN pg_index AS i ON c.oid = i.indrelid AND i.indisprimary
INNER JOIN pg_attribute AS a ON c.oid = a.attrelid AND a.attnum = any(i.indkey)
WHERE c.relnamespace = 'ragraph'::regnamespace AND c.relkind = 'r'
GROUP BY c.relname;

-- name: indexes
-- All indexes, and whether searches use them.
SELECT
    c.relname AS id,
    i.indisvalid,
    pg_get_indexdef(c.oid) AS definition
FROM pg_index AS i
INNER JOIN pg_class AS c ON i.indexrelid = c.oid
WHERE c.relnamespace = 'ragraph'::regnamespace
ORDER BY c.relname;
