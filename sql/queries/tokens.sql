-- name: service_role_made
-- True if `ragraph db roles` made the role of the service.
SELECT to_regrole('ragraph_service') IS NOT NULL;

-- name: is_tenant
-- True if a role was granted collections and has no rights above those of a writer.
SELECT count(*) > 0
FROM ragraph.collection_grant AS g
INNER JOIN pg_roles AS r ON g.role_name = r.rolname
WHERE
    r.rolname = %(role_name)s AND NOT r.rolsuper AND NOT r.rolbypassrls
    AND NOT pg_has_role(r.oid, 'ragraph_owner', 'member');

-- name: add_token
INSERT INTO ragraph.access_token (
    id, name, secret_hash, kind, role_name, tenant, collections, requests_per_minute, upload_bytes_per_day,
    concurrent_requests, expires_at
)
VALUES (
    %(id)s, %(name)s, %(secret_hash)s, %(kind)s, %(role_name)s, %(tenant)s, %(collections)s, %(requests_per_minute)s,
    %(upload_bytes_per_day)s, %(concurrent_requests)s, now() + make_interval(days => %(days)s::integer)
);

-- name: tokens
-- All tokens, and whether the service accepts them: a token of some collections needs row-level security.
SELECT
    t.id,
    t.name,
    t.kind,
    t.role_name,
    t.tenant,
    t.collections,
    t.requests_per_minute,
    t.upload_bytes_per_day,
    t.concurrent_requests,
    t.created_at,
    t.expires_at,
    t.secret_hash IS NULL AS signs_in,
    coalesce(t.expires_at <= now(), FALSE) AS expired
FROM ragraph.access_token AS t
ORDER BY t.name;

-- name: token_of
-- The row of a token by its public part, or of a user by name. Without row-level security its role would see everything.
-- After a restore on another server its role may be missing.
SELECT
    t.id,
    t.name,
    t.secret_hash,
    t.kind,
    t.role_name,
    t.tenant,
    t.requests_per_minute,
    t.upload_bytes_per_day,
    t.concurrent_requests,
    (t.expires_at IS NULL OR t.expires_at > now()) AND to_regrole(quote_ident(t.role_name)) IS NOT NULL AS is_current,
    '*' = any(t.collections) OR ragraph.tenants_on() AS confined
FROM ragraph.access_token AS t
WHERE t.id = %(id)s OR (t.name = %(name)s AND t.secret_hash IS NULL);

-- name: remove_token
DELETE FROM ragraph.access_token AS t
WHERE t.name = %(name)s
RETURNING t.role_name, t.tenant;

-- name: add_audit_event
-- Without a target, which would need the right to read: a line whose answer was lost is sent again.
INSERT INTO ragraph.audit_event (
    id, token_id, token_name, role_name, address, action, documents, document_count, status, query
)
VALUES (
    %(id)s, %(token_id)s, %(token_name)s, %(role_name)s, %(address)s, %(action)s, %(documents)s, %(document_count)s,
    %(status)s, %(query)s
)
ON CONFLICT DO NOTHING;

-- name: audit_events
-- Events from a time on, the oldest first; the newest ones if there are more than the limit.
SELECT e.*
FROM (
    SELECT
        a.id,
        a.at,
        a.token_id,
        a.token_name,
        a.role_name,
        a.address,
        a.action,
        a.documents,
        a.document_count,
        a.status,
        a.query
    FROM ragraph.audit_event AS a
    WHERE
        (%(since)s::timestamptz IS NULL OR a.at >= %(since)s)
        AND (%(token)s::text IS NULL OR a.token_name = %(token)s)
        AND (%(document)s::text IS NULL OR %(document)s = any(a.documents))
    ORDER BY a.at DESC, a.id DESC
    LIMIT %(most)s
) AS e
ORDER BY e.at, e.id;

-- name: prune_audit
DELETE FROM ragraph.audit_event AS a WHERE a.at < now() - make_interval(days => %(days)s);
