-- name: rows_secured
-- True if tenants are on. Reads the catalog, because functions of another version may be missing.
SELECT c.relrowsecurity FROM pg_class AS c WHERE c.oid = to_regclass('ragraph.collection_grant');

-- name: database_ctype
SELECT d.datctype FROM pg_database AS d WHERE d.datname = current_database();

-- name: may_upgrade
-- True if the role owns the existing store.
SELECT pg_has_role(c.relowner, 'usage') FROM pg_class AS c WHERE c.oid = to_regclass('ragraph.alembic_version');

-- name: schema_state
-- Revision of the tables, digest of the functions, and the schema of pgvector, which the functions name. Fails if the
-- schema of ragraph does not exist.
SELECT
    version_num,
    obj_description('ragraph.alembic_version'::regclass, 'pg_class') AS digest,
    (
        SELECT quote_ident(n.nspname) AS place
        FROM pg_extension AS e
        INNER JOIN pg_namespace AS n ON e.extnamespace = n.oid
        WHERE e.extname = 'vector'
    ) AS vector_schema
FROM ragraph.alembic_version;

-- name: schema_begin
-- Every change of the schema begins with these statements. The lock makes changes wait for each other (its key is the
-- eight bytes of "ragraph" and a zero, so that no other program uses it by chance). Settings of the database or the
-- role do not change the meaning of the statements. On Citus shards are processed one after the other, as mixed
-- statements require; elsewhere the setting has no effect.
SELECT pg_advisory_xact_lock(8241982534023407616);
SET LOCAL standard_conforming_strings TO on;
SET LOCAL quote_all_identifiers TO off;
SELECT set_config('citus.multi_shard_modify_mode', 'sequential', TRUE);

-- name: vector_path
-- The search path of a change of the schema: it finds what pgvector brings, wherever that is, and nothing else.
SELECT
    set_config('search_path', coalesce(quote_ident(max(n.nspname)), 'public'), TRUE) AS set_path,
    quote_ident(max(n.nspname)) AS vector_schema
FROM pg_extension AS e
INNER JOIN pg_namespace AS n ON e.extnamespace = n.oid
WHERE e.extname = 'vector';

-- name: schema_missing
SELECT to_regnamespace('ragraph') IS NULL AS missing;

-- name: schema_create
CREATE SCHEMA ragraph;
COMMENT ON SCHEMA ragraph IS 'Graph-structured document store; created and changed by ragraph db upgrade only';

-- name: private_schema_missing
SELECT to_regnamespace('ragraph_private') IS NULL AS missing;

-- name: private_schema_create
-- Public functions run with the rights of their caller, so the caller needs access to the private functions too. These
-- read and write nothing that the caller may not.
CREATE SCHEMA ragraph_private;
GRANT USAGE ON SCHEMA ragraph_private TO public;
COMMENT ON SCHEMA ragraph_private IS 'Internal functions and types of ragraph: no public interface, may change with any version';

-- name: past_drop
-- Views and functions for earlier versions depend on tables, and on functions that are created again.
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
-- In public, or in a schema of its own in a database without one.
DO $$
BEGIN
    IF to_regnamespace('public') IS NULL THEN
        CREATE SCHEMA IF NOT EXISTS extensions;
        CREATE EXTENSION vector WITH SCHEMA extensions;
    ELSE
        CREATE EXTENSION vector WITH SCHEMA public;
    END IF;
END
$$;

-- name: schema_made
-- Functions and views of the schema in the form that DROP accepts, and the transaction that created or replaced each.
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
-- Functions of the private schema in the form that DROP accepts.
SELECT p.oid::regprocedure::text AS signature
FROM pg_proc AS p
INNER JOIN pg_namespace AS n ON p.pronamespace = n.oid
WHERE n.nspname = 'ragraph_private'
ORDER BY 1;

-- name: private_types
-- Composite types of the private schema in the form that DROP accepts.
SELECT t.oid::regtype::text AS type_name
FROM pg_type AS t
INNER JOIN pg_namespace AS n ON t.typnamespace = n.oid
INNER JOIN pg_class AS c ON t.typrelid = c.oid
WHERE n.nspname = 'ragraph_private' AND c.relkind = 'c'
ORDER BY 1;
