-- name: roles
-- Creates the roles for the store of this database if they are missing, and grants their rights. Run it again
-- after an upgrade to grant the rights on new objects. The current role must own the store and be able to create roles,
-- or be a superuser.
DO $$
declare
    old_owner constant name := (select nspowner::regrole::text from pg_namespace where nspname = 'ragraph');
    here constant name := current_database();
    wanted text;
    statement text;
begin
    foreach wanted in array array['ragraph_owner', 'ragraph_writer', 'ragraph_reader', 'ragraph_service'] loop
        if not exists (select from pg_roles where rolname = wanted) then
            execute format('create role %I nologin', wanted);
        end if;
    end loop;
    -- A writer may read, an owner may do both and grant these roles to others, even if someone else administers the
    -- server. The previous owner of the store remains an owner.
    for statement in
        select format('grant %I to %I', w.granted, w.member) || case when w.deciding then ' with admin option' else '' end
        from (
            values ('ragraph_reader'::name, 'ragraph_writer'::name, false),
            ('ragraph_writer', 'ragraph_owner', true),
            ('ragraph_reader', 'ragraph_owner', true),
            ('ragraph_service', 'ragraph_owner', true)
            union all
            select distinct 'ragraph_owner'::name, r.rolname, false
            from pg_roles as r
            where
                r.rolname not in ('ragraph_owner', 'ragraph_writer', 'ragraph_reader', 'ragraph_service') and not r.rolsuper
                and r.oid in (
                    (select datdba from pg_database where datname = here),
                    (select nspowner from pg_namespace where nspname = 'ragraph'),
                    current_user::regrole
                )
        ) as w (granted, member, deciding)
        where not exists (
            select from pg_auth_members as m
            where
                m.roleid = (select r.oid from pg_roles as r where r.rolname = w.granted)
                and m.member = (select r.oid from pg_roles as r where r.rolname = w.member)
                and (m.admin_option or not w.deciding)
                and (m.inherit_option or w.granted <> 'ragraph_owner')
        )
    loop
        execute statement;
    end loop;
    execute format('grant connect, create, temporary on database %I to ragraph_owner', here);
    execute format('grant connect, temporary on database %I to ragraph_writer', here);
    execute format('grant connect on database %I to ragraph_reader, ragraph_service', here);
    -- a reader may create nothing, not even a temporary table
    execute format('revoke temporary on database %I from public', here);
    revoke create on schema public from public;
    -- nor a large object, which PostgreSQL lets everybody create; those functions belong to the superuser
    if (select rolsuper from pg_roles where rolname = current_user) then
        revoke execute on function lo_create(oid), lo_creat(integer), lo_from_bytea(oid, bytea) from public;
        grant execute on function lo_create(oid), lo_creat(integer), lo_from_bytea(oid, bytea) to ragraph_writer;
    end if;
    for statement in
        select format('alter schema %I owner to ragraph_owner', n.nspname)
        from pg_namespace as n
        where n.nspname in ('ragraph', 'ragraph_private', 'ragraph_past')
        union all
        select format('alter table %s owner to ragraph_owner', c.oid::regclass)
        from pg_class as c
        where c.relnamespace in ('ragraph'::regnamespace, 'ragraph_past'::regnamespace) and c.relkind in ('r', 'p', 'v', 'm')
        union all
        select format('alter routine %s owner to ragraph_owner', p.oid::regprocedure)
        from pg_proc as p
        where p.pronamespace in ('ragraph'::regnamespace, 'ragraph_private'::regnamespace, 'ragraph_past'::regnamespace)
        union all
        select format('alter type %s owner to ragraph_owner', t.oid::regtype)
        from pg_type as t
        left join pg_class as c on t.typrelid = c.oid
        where
            t.typnamespace in ('ragraph'::regnamespace, 'ragraph_private'::regnamespace)
            and (t.typtype in ('e', 'd') or c.relkind = 'c')
    loop
        execute statement;
    end loop;
    for wanted in select distinct unnest(array['ragraph_owner'::name, old_owner]) loop
        execute format(
            'alter default privileges for role %I in schema ragraph grant select on tables to ragraph_reader', wanted
        );
        execute format(
            'alter default privileges for role %I in schema ragraph'
            ' grant insert, update, delete on tables to ragraph_writer', wanted
        );
        execute format(
            'alter default privileges for role %I in schema ragraph'
            ' grant usage on sequences to ragraph_writer', wanted
        );
    end loop;
    if current_setting('server_version_num')::int >= 170000 then
        grant maintain on all tables in schema ragraph to ragraph_writer;
    end if;
end
$$;
GRANT USAGE ON SCHEMA ragraph, ragraph_private TO ragraph_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA ragraph TO ragraph_reader;
GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ragraph TO ragraph_writer;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA ragraph TO ragraph_writer;
REVOKE INSERT, UPDATE, DELETE ON ragraph.alembic_version, ragraph.collection_grant FROM ragraph_writer;
-- Nobody but the owner reads tokens and the audit log. The service finds tokens and adds to the log; it has no right on
-- documents, and works as the role of each token (ragraph.database.tokens).
REVOKE ALL ON ragraph.access_token, ragraph.audit_event FROM ragraph_reader, ragraph_writer, ragraph_service;
GRANT USAGE ON SCHEMA ragraph, ragraph_private TO ragraph_service;
GRANT SELECT ON ragraph.alembic_version, ragraph.access_token TO ragraph_service;
GRANT INSERT ON ragraph.audit_event TO ragraph_service;
DO $$
begin
    -- on a second run the current role may own the store but not the roles
    if not exists (
        select from pg_roles where rolname = 'ragraph_reader' and 'statement_timeout=60s' = any(rolconfig)
    ) then
        alter role ragraph_reader set statement_timeout = '60s';
    end if;
end
$$;

-- name: connection_settings
-- Settings that each transaction of a connection applies. The server applies the settings of a role only at login, and
-- never those of roles that it is a member of. So a role assumed by SET ROLE gets its settings here, and a role that
-- only reads gets the time limit of ragraph_reader, unless it has a limit of its own. Settings that would change the
-- meaning of statements and results are the usual ones, whatever the database has. On a cluster a transaction may change
-- both distributed and reference tables: writers then process shards one after the other.
SELECT split_part(s.setting, '=', 1) AS setting_name, substr(s.setting, strpos(s.setting, '=') + 1) AS setting_value
FROM pg_roles AS r
CROSS JOIN LATERAL unnest(r.rolconfig) AS s (setting)
WHERE
    (r.rolname = current_user AND current_user <> session_user)
    OR (
        r.rolname = 'ragraph_reader' AND r.rolname <> current_user AND current_setting('statement_timeout') = '0'
        AND pg_has_role(r.oid, 'usage')
        AND NOT EXISTS (
            SELECT FROM pg_roles AS m
            WHERE
                (m.rolname = 'ragraph_writer' AND pg_has_role(m.oid, 'usage'))
                OR (m.rolname = current_user AND 'statement_timeout' = any(
                    SELECT split_part(o.setting, '=', 1) FROM unnest(m.rolconfig) AS o (setting)
                ))
        )
    )
UNION ALL
SELECT
    u.setting_name,
    u.setting_value
FROM (
    VALUES
    ('standard_conforming_strings', 'on'), ('quote_all_identifiers', 'off'), ('datestyle', 'ISO'), ('intervalstyle', 'postgres')
) AS u (setting_name, setting_value)
WHERE NOT starts_with(lower(current_setting(u.setting_name)), lower(u.setting_value))
UNION ALL
SELECT 'citus.multi_shard_modify_mode', 'sequential'
WHERE %(writes)s AND current_setting('citus.multi_shard_modify_mode', TRUE) IS NOT NULL;

-- name: set_locally
SELECT set_config(s.setting_name, s.setting_value, TRUE)
FROM unnest(%(names)s::text[], %(settings)s::text[]) AS s (setting_name, setting_value);

-- name: roles_made
-- True if the roles own this store: roles belong to the server and may exist for another store.
SELECT c.relowner::regrole::text = 'ragraph_owner' FROM pg_class AS c WHERE c.oid = 'ragraph.document'::regclass;

-- name: role_exists
SELECT count(*) > 0 FROM pg_roles AS r WHERE r.rolname = %(role_name)s;

-- name: role_has
-- True if a role has the rights of another one, directly or through membership.
SELECT pg_has_role(%(role_name)s::name, %(other)s::name, 'usage');

-- name: roles_again
-- Statements that create the roles of a server on another one: roles with their passwords, their settings here, and
-- memberships, in that order. Only for a superuser.
SELECT t.made_by
FROM (
    SELECT
        1 AS place,
        format(
            'CREATE ROLE %%I WITH %%s CONNECTION LIMIT %%s PASSWORD %%L VALID UNTIL %%L',
            a.rolname,
            concat_ws(
                ' ',
                CASE WHEN a.rolsuper THEN 'SUPERUSER' ELSE 'NOSUPERUSER' END,
                CASE WHEN a.rolinherit THEN 'INHERIT' ELSE 'NOINHERIT' END,
                CASE WHEN a.rolcreaterole THEN 'CREATEROLE' ELSE 'NOCREATEROLE' END,
                CASE WHEN a.rolcreatedb THEN 'CREATEDB' ELSE 'NOCREATEDB' END,
                CASE WHEN a.rolcanlogin THEN 'LOGIN' ELSE 'NOLOGIN' END,
                CASE WHEN a.rolreplication THEN 'REPLICATION' ELSE 'NOREPLICATION' END,
                CASE WHEN a.rolbypassrls THEN 'BYPASSRLS' ELSE 'NOBYPASSRLS' END
            ),
            a.rolconnlimit, a.rolpassword, coalesce(a.rolvaliduntil, 'infinity')
        ) AS made_by
    FROM pg_authid AS a
    WHERE a.rolname NOT LIKE 'pg\_%%' AND a.rolname NOT IN ('postgres', 'ragraph')
    UNION ALL
    SELECT
        2 AS place,
        format(
            'ALTER ROLE %%I %%s SET %%I TO %%s',
            a.rolname,
            CASE WHEN s.setdatabase <> 0 THEN format('IN DATABASE %%I', current_database()) END,
            split_part(c.setting, '=', 1),
            CASE
                -- lists of names are stored in the form in which they must be written
                WHEN split_part(c.setting, '=', 1) IN ('search_path', 'session_preload_libraries', 'temp_tablespaces')
                    THEN substr(c.setting, strpos(c.setting, '=') + 1)
                ELSE quote_literal(substr(c.setting, strpos(c.setting, '=') + 1))
            END
        ) AS made_by
    FROM pg_db_role_setting AS s
    INNER JOIN pg_authid AS a ON s.setrole = a.oid
    CROSS JOIN LATERAL unnest(s.setconfig) AS c (setting)
    WHERE s.setdatabase IN (0, (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database()))
    UNION ALL
    SELECT
        3 AS place,
        format(
            'GRANT %%I TO %%I WITH ADMIN %%s, INHERIT %%s, SET %%s',
            r.rolname, a.rolname,
            bool_or(m.admin_option)::text, bool_or(m.inherit_option)::text, bool_or(m.set_option)::text
        ) AS made_by
    FROM pg_auth_members AS m
    INNER JOIN pg_authid AS r ON m.roleid = r.oid
    INNER JOIN pg_authid AS a ON m.member = a.oid
    WHERE a.rolname NOT LIKE 'pg\_%%'
    GROUP BY r.rolname, a.rolname
) AS t
ORDER BY t.place, t.made_by;

-- name: relations_beside
-- Tables and views of the database that do not belong to the store.
SELECT c.oid::regclass::text AS relation_name
FROM pg_class AS c
INNER JOIN pg_namespace AS n ON c.relnamespace = n.oid
WHERE
    c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
    AND n.nspname NOT IN ('ragraph', 'ragraph_private', 'ragraph_past', 'information_schema') AND n.nspname NOT LIKE 'pg\_%%'
    AND NOT EXISTS (
        SELECT FROM pg_depend AS d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
    )
ORDER BY relation_name;
