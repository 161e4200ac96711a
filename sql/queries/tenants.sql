-- name: rows_are_secured
-- True if row-level security applies to this role. PostgreSQL then refuses COPY into a table, and a cluster also
-- statements that it executes as COPY. And true if vectors are stored in half precision.
SELECT
    row_security_active('ragraph.content_node') AS secured,
    row_security_active('ragraph.content_node') AND ragraph_private.is_distributed() AS spread,
    ragraph_private.half_vectors() AS half;

-- name: id_is_free
-- True if a document that this role cannot see can have an id: another tenant may have taken it.
SELECT ragraph_private.id_is_free(%(document_id)s, %(publication_id)s, %(collection)s);

-- name: temporary_table
SELECT to_regclass(quote_ident('pg_temp') || '.' || quote_ident(%(name)s)) AS made
WHERE to_regclass(quote_ident('pg_temp') || '.' || quote_ident(%(name)s)) IS NOT NULL;

-- name: tenants_on
SELECT ragraph.tenants_on();

-- name: writable_collections
-- The collections that this role may write; null for all.
SELECT ragraph_private.writable_collections();

-- name: sees_all
SELECT ragraph_private.sees_all();

-- name: renew_tenants
SELECT ragraph_private.renew_tenants();

-- name: enable_tenants
SELECT ragraph.enable_tenants(%(enable)s);

-- name: tenants_patience
-- Creating policies waits for all users of the tables, and meanwhile everybody waits for the policies: so not for long.
SET LOCAL lock_timeout = '10s';

-- name: grant_collection
SELECT ragraph.grant_collection(%(role_name)s, %(collection)s, %(may_write)s);

-- name: revoke_collection
SELECT ragraph.revoke_collection(%(role_name)s, %(collection)s);

-- name: grants
-- All grants, and whether their role exists.
SELECT
    g.role_name,
    g.collection,
    g.may_write,
    r.rolname IS NOT NULL AS role_exists
FROM ragraph.collection_grant AS g
LEFT JOIN pg_roles AS r ON g.role_name = r.rolname
ORDER BY g.role_name, g.collection;

-- name: half_vectors
SELECT ragraph_private.half_vectors();

-- name: store_vectors
SELECT ragraph_private.store_vectors(%(half)s);
