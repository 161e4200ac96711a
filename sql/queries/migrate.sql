-- name: schema_state
-- Revision of the tables and digest of the functions; fails where the schema is not there yet.
SELECT
    version_num,
    obj_description('ragraph.alembic_version'::regclass, 'pg_class') AS digest
FROM ragraph.alembic_version;

-- name: schema_begin
-- What every change of the schema starts with: changes come one at a time, wait for each other at the lock
-- (the eight bytes of "ragraph" and a zero, so that no other program uses the number by chance), find the type
-- vector in public, and run on Citus one shard after the other, as mixed statements must (elsewhere no effect).
SELECT pg_advisory_xact_lock(8241982534023407616);
SET LOCAL search_path TO public;
SELECT set_config('citus.multi_shard_modify_mode', 'sequential', TRUE);

-- name: schema_missing
SELECT to_regnamespace('ragraph') IS NULL AS missing;

-- name: schema_create
CREATE SCHEMA ragraph;
COMMENT ON SCHEMA ragraph IS 'Graph-structured document store; made and changed by ragraph db upgrade only';

-- name: schema_drop
DROP TABLE ragraph.alembic_version;
DROP SCHEMA ragraph;

-- name: extension_missing
SELECT count(*) = 0 AS missing
FROM pg_extension
WHERE extname = 'vector';

-- name: extension_create
CREATE EXTENSION vector WITH SCHEMA public;

-- name: schema_functions
-- Functions of the schema as DROP takes them, and the transaction that made or replaced each.
SELECT
    oid::regprocedure::text AS signature,
    xmin::text AS written_by
FROM pg_proc
WHERE pronamespace = 'ragraph'::regnamespace
ORDER BY 1;
