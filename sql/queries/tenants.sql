-- name: rows_are_secured
-- Whether row-level security holds for this role: PostgreSQL refuses it COPY into a table then.
SELECT row_security_active('ragraph.content_node') AS secured;

-- name: temporary_table
SELECT to_regclass(quote_ident('pg_temp') || '.' || quote_ident(%(name)s)) AS made
WHERE to_regclass(quote_ident('pg_temp') || '.' || quote_ident(%(name)s)) IS NOT NULL;

-- name: tenants_on
SELECT ragraph.tenants_on();

-- name: sees_all
SELECT ragraph_private.sees_all();

-- name: renew_tenants
SELECT ragraph_private.renew_tenants();

-- name: enable_tenants
SELECT ragraph.enable_tenants(%(enable)s);

-- name: tenants_patience
-- Policies wait for whoever uses the tables, and everybody waits for them meanwhile: not for long.
SET LOCAL lock_timeout = '10s';

-- name: grant_collection
SELECT ragraph.grant_collection(%(role_name)s, %(collection)s, %(may_write)s);

-- name: revoke_collection
SELECT ragraph.revoke_collection(%(role_name)s, %(collection)s);

-- name: grants
SELECT
    g.role_name,
    g.collection,
    g.may_write,
    EXISTS (SELECT 1 FROM pg_roles AS r WHERE r.rolname = g.role_name) AS role_exists
FROM ragraph.collection_grant AS g
ORDER BY g.role_name, g.collection;
