-- name: rows_secured
-- Whether tenants are on; asked of the catalog, since functions of another version may not know.
SELECT c.relrowsecurity FROM pg_class AS c WHERE c.oid = to_regclass('ragraph.collection_grant');

-- name: may_upgrade
-- Whether the role owns what there is of a store.
SELECT pg_has_role(c.relowner, 'usage') FROM pg_class AS c WHERE c.oid = to_regclass('ragraph.alembic_version');

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

-- name: private_schema_missing
SELECT to_regnamespace('ragraph_private') IS NULL AS missing;

-- name: private_schema_create
-- Public functions run with the rights of their caller, so whoever may use them has to reach what they are made of.
-- It reads and writes nothing that the caller may not.
CREATE SCHEMA ragraph_private;
GRANT USAGE ON SCHEMA ragraph_private TO public;
COMMENT ON SCHEMA ragraph_private IS 'What the functions of ragraph are made of; no interface, changes with any version';

-- name: past_drop
-- Views and functions of documents as they were hang on tables, and on functions that are made anew.
DROP SCHEMA IF EXISTS ragraph_past CASCADE;

-- name: schema_drop
DROP TABLE ragraph.alembic_version;
DROP SCHEMA ragraph;
DROP SCHEMA IF EXISTS ragraph_private;

-- name: extension_missing
SELECT count(*) = 0 AS missing
FROM pg_extension
WHERE extname = 'vector';

-- name: extension_create
CREATE EXTENSION vector WITH SCHEMA public;

-- name: schema_made
-- Functions and views of the schema as DROP takes them, and the transaction that made or replaced each.
SELECT
    'ROUTINE' AS kind,
    oid::regprocedure::text AS signature,
    xmin::text AS written_by
FROM pg_proc
WHERE pronamespace = 'ragraph'::regnamespace
UNION ALL
SELECT
    'VIEW',
    oid::regclass::text,
    xmin::text
FROM pg_class
WHERE relnamespace = 'ragraph'::regnamespace AND relkind = 'v'
ORDER BY 1, 2;

-- name: private_functions
-- Functions of the private schema as DROP takes them.
SELECT p.oid::regprocedure::text AS signature
FROM pg_proc AS p
INNER JOIN pg_namespace AS n ON p.pronamespace = n.oid
WHERE n.nspname = 'ragraph_private'
ORDER BY 1;

-- name: private_types
-- Composite types of the private schema as DROP takes them.
SELECT t.oid::regtype::text AS type_name
FROM pg_type AS t
INNER JOIN pg_namespace AS n ON t.typnamespace = n.oid
INNER JOIN pg_class AS c ON t.typrelid = c.oid
WHERE n.nspname = 'ragraph_private' AND c.relkind = 'c'
ORDER BY 1;
