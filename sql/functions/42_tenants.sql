-- Tenants: row-level security by collection, for stores shared by several parties.
--
-- ragraph.collection_grant lists who may see what. The policies are generated from it and contain the names of the
-- collections as constants. So nothing is looked up during a search, the planner can estimate how much a role sees and
-- choose the right index, and Citus accepts the policies. A grant generates the policies of its role again
-- (docs/decisions/0020).

create or replace function ragraph_private.tenant_tables()
returns table (relation regclass)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return query
    select c.oid::regclass
    from pg_class as c
    inner join pg_attribute as a on c.oid = a.attrelid and a.attname = 'collection' and not a.attisdropped
    where c.relnamespace = 'ragraph'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'collection_grant'
    order by c.relname;
end
$$;
comment on function ragraph_private.tenant_tables() is
'Returns the tables whose rows belong to a collection, in the order of their names: all with a column of that name,
except the grants';

create or replace function ragraph.tenants_on()
returns boolean
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    found_on boolean;
begin
    select c.relrowsecurity into found_on from pg_class as c where c.oid = 'ragraph.collection_grant'::regclass;
    return found_on;
end
$$;
comment on function ragraph.tenants_on() is
'Returns true if roles see only the collections granted to them, as after ragraph db tenants on';

create or replace function ragraph_private.sees_whole(relation regclass)
returns boolean
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return not row_security_active(sees_whole.relation) or exists (
        select from pg_policy as p
        where
            p.polrelid = sees_whole.relation and p.polcmd = 'r' and pg_get_expr(p.polqual, p.polrelid) = 'true'
            and exists (select from unnest(p.polroles) as r (role) where pg_has_role(current_user, r.role, 'usage'))
    );
end
$$;
comment on function ragraph_private.sees_whole(regclass) is
'Returns true if no row of a table is hidden from the current role';

create or replace function ragraph_private.sees_all()
returns boolean
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    everything boolean;
begin
    select bool_and(ragraph_private.sees_whole(t.relation)) into everything
    from ragraph_private.tenant_tables() as t;
    return everything;
end
$$;
comment on function ragraph_private.sees_all() is
'Returns true if no row of the store is hidden from the current role. Operations that check or move the complete store
require it';

create or replace function ragraph_private.writable_collections()
returns text[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    found_names text[] := '{}';
    said text;
    names text;
begin
    if not row_security_active('ragraph.document') then
        return null;
    end if;
    for said in
        select pg_get_expr(p.polwithcheck, p.polrelid)
        from pg_policy as p
        where
            p.polrelid = 'ragraph.document'::regclass and p.polcmd = 'a'
            and exists (select from unnest(p.polroles) as r (role) where pg_has_role(current_user, r.role, 'usage'))
    loop
        if said = 'true' then
            return null;
        end if;
        -- (collection = 'a'::text), or (collection = ANY ('{a,b}'::text[])); see make_policies
        names := replace((regexp_match(said, '''((?:[^'']|'''')*)''::text'))[1], '''''', '''');
        found_names := found_names || case when said like '%::text[]%' then names::text[] else array[names] end;
    end loop;
    return found_names;
end
$$;
comment on function ragraph_private.writable_collections() is
'Returns the names of the collections that the current role may write; null for all';

create or replace function ragraph_private.id_is_free(document_id text, publication_id text, collection text)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    made integer;
begin
    if not row_security_active('ragraph.document') then
        return true; -- a role that sees everything has already checked
    end if;
    begin
        insert into ragraph.publication (id, title, collection)
        select id_is_free.publication_id, '', id_is_free.collection
        where not exists (select 1 from ragraph.publication as p where p.id = id_is_free.publication_id);
        get diagnostics made = row_count;
        insert into ragraph.document (id, publication_id, collection)
        values (id_is_free.document_id, id_is_free.publication_id, id_is_free.collection);
    exception
        when unique_violation then
            return false;
    end;
    delete from ragraph.document as d where d.id = id_is_free.document_id;
    if made > 0 then
        delete from ragraph.publication as p where p.id = id_is_free.publication_id;
    end if;
    return true;
end
$$;
comment on function ragraph_private.id_is_free(text, text, text) is
'Returns true if a document that the current role cannot see, and its publication, can have these ids: another tenant
may have taken them';

create or replace function ragraph_private.policy_name(command text, role_name text)
returns name
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    plain constant text := 'tenant ' || policy_name.command || ' ' || policy_name.role_name;
begin
    return case
        when octet_length(plain) < 64 then plain else 'tenant ' || policy_name.command || ' ' || md5(policy_name.role_name)
    end;
end
$$;
comment on function ragraph_private.policy_name(text, text) is
'Returns the name of the policy for a role and a command; with a hash if the name of the role is too long';

create or replace function ragraph_private.drop_policies(role_name text)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    made record;
begin
    for made in
        select p.polrelid::regclass as relation, p.polname
        from pg_policy as p
        inner join pg_class as c on p.polrelid = c.oid and c.relnamespace = 'ragraph'::regnamespace
        where
            starts_with(p.polname, 'tenant ')
            and (drop_policies.role_name is null or p.polname in (
                select ragraph_private.policy_name(m.command, drop_policies.role_name)
                from unnest(array['select', 'insert', 'update', 'delete']) as m (command)
            ))
    loop
        execute format('drop policy %I on %s', made.polname, made.relation);
    end loop;
end
$$;
comment on function ragraph_private.drop_policies(text) is
'Drops the policies generated from grants of collections, those of one role or of all';

create or replace function ragraph_private.make_policies(role_name text)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    command text;
    relation regclass;
    policy name;
    collections text[];
    sight text;
begin
    set local citus.multi_shard_modify_mode = 'sequential'; -- related tables, one after the other
    perform ragraph_private.drop_policies(make_policies.role_name);
    -- a role that does not exist sees nothing; its grant stays until it exists
    if not exists (select from pg_roles as r where r.rolname = make_policies.role_name) then
        return;
    end if;
    foreach command in array array['select', 'insert', 'update', 'delete'] loop
        collections := array(
            select g.collection from ragraph.collection_grant as g
            where g.role_name = make_policies.role_name and (command = 'select' or g.may_write)
            order by g.collection
        );
        continue when collections = '{}';
        policy := ragraph_private.policy_name(command, make_policies.role_name);
        sight := case
            when '*' = any(collections) then 'true'
            when cardinality(collections) = 1 then format('collection = %L', collections[1])
            else format('collection = any (%L::text[])', collections)
        end;
        for relation in select t.relation from ragraph_private.tenant_tables() as t loop
            execute format('create policy %I on %s for %s to %I', policy, relation, command, make_policies.role_name)
                || case when command <> 'insert' then format(' using (%s)', sight) else '' end
                || case when command in ('insert', 'update') then format(' with check (%s)', sight) else '' end;
        end loop;
        -- Models are shared by all collections, and the texts and queries of all are sent to their location. Therefore
        -- only roles that may change all collections can register a model. Any role that ingests may register the
        -- packaged model, unchanged.
        if sight = 'true' and command <> 'select' then
            execute format(
                'create policy %I on ragraph.embedding_model for %s to %I', policy, command, make_policies.role_name
            )
                || case when command <> 'insert' then ' using (true)' else '' end
                || case when command in ('insert', 'update') then ' with check (true)' else '' end;
        elsif command = 'insert' then
            execute format(
                'create policy %I on ragraph.embedding_model for insert to %I with check ('
                'name = %L and location is null and dimensions = 384 and distance = ''cosine'' and max_tokens = 256'
                ' and query_prefix || document_prefix = '''' and normalized and truncated_from is null'
                ' and index_kind = ''halfvec'' and switched_at is null and ef_search is null)',
                policy, make_policies.role_name, 'all-MiniLM-L6-v2'
            );
        end if;
    end loop;
end
$$;
comment on function ragraph_private.make_policies(text) is
'Generates the policies of a role from collection_grant, on each table';

create or replace function ragraph_private.renew_tenants()
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    relation regclass;
    role_name text;
begin
    perform ragraph_private.drop_policies(null);
    for relation in
        select t.relation from ragraph_private.tenant_tables() as t
        union all
        select unnest(array['ragraph.collection_grant', 'ragraph.embedding_model']::regclass[])
    loop
        execute format('alter table %s enable row level security, force row level security', relation);
    end loop;
    execute format(
        'create policy "tenant grants" on ragraph.collection_grant to %s using (true) with check (true)',
        (select c.relowner::regrole::text from pg_class as c where c.oid = 'ragraph.collection_grant'::regclass)
    );
    -- Without this, full text search does not use its index under a policy. The function reveals nothing of the rows
    -- that it compares.
    if (select r.rolsuper from pg_roles as r where r.rolname = current_user) then
        alter function pg_catalog.ts_match_vq(tsvector, tsquery) leakproof;
    end if;
    create policy "tenant models" on ragraph.embedding_model for select to public using (true);
    for role_name in select distinct g.role_name from ragraph.collection_grant as g order by 1 loop
        perform ragraph_private.make_policies(role_name);
    end loop;
end
$$;
comment on function ragraph_private.renew_tenants() is
'Turns on row-level security for every table, including those that a newer version added, and generates all policies
again';

create or replace function ragraph.enable_tenants(enable boolean default true)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    made record;
begin
    set local citus.multi_shard_modify_mode = 'sequential'; -- as in make_policies
    if enable_tenants.enable is not false then
        if not ragraph.tenants_on() then
            -- the owner of the store continues to see it, until that is revoked
            insert into ragraph.collection_grant (role_name, collection, may_write)
            select r.rolname, '*', true
            from pg_class as c
            inner join pg_roles as r on c.relowner = r.oid
            where c.oid = 'ragraph.collection_grant'::regclass and not r.rolsuper
            on conflict (role_name, collection) do nothing;
        end if;
        perform ragraph_private.renew_tenants();
        return;
    end if;
    perform ragraph_private.drop_policies(null);
    for made in
        select c.oid::regclass as relation
        from pg_class as c
        where c.relnamespace = 'ragraph'::regnamespace and c.relkind in ('r', 'p') and c.relrowsecurity
    loop
        execute format('alter table %s disable row level security, no force row level security', made.relation);
    end loop;
end
$$;
comment on function ragraph.enable_tenants(boolean) is
'Restricts each role to the collections granted to it, on every table. This includes the owner of the store, who is
granted all collections at first. With false all roles see everything again; the grants are retained. Waits for
transactions that write. Only for the owner of the store';

create or replace function ragraph.grant_collection(role_name text, collection text, may_write boolean default false)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    above boolean;
begin
    if coalesce(grant_collection.collection, '') = '' or grant_collection.may_write is null then
        raise exception using
            errcode = 'RG005',
            message = 'collection is empty or may_write is null',
            hint = 'Give the name of a collection, or * for all.';
    end if;
    select r.rolsuper or r.rolbypassrls into above from pg_roles as r where r.rolname = grant_collection.role_name;
    if not found then
        raise exception using
            errcode = 'RG016',
            message = format('role %L does not exist', grant_collection.role_name),
            hint = 'Create it first: CREATE ROLE name LOGIN PASSWORD ''...''.';
    end if;
    if above then
        raise exception using
            errcode = 'RG005',
            message = format('role %L bypasses row-level security and sees everything', grant_collection.role_name),
            hint = 'Use a role without SUPERUSER and BYPASSRLS.';
    end if;
    insert into ragraph.collection_grant as g (role_name, collection, may_write)
    values (grant_collection.role_name, grant_collection.collection, grant_collection.may_write)
    on conflict on constraint collection_grant_pkey do update set may_write = excluded.may_write
    where g.may_write <> excluded.may_write;
    if found and ragraph.tenants_on() then
        perform ragraph_private.make_policies(grant_collection.role_name);
    end if;
end
$$;
comment on function ragraph.grant_collection(text, text, boolean) is
'Grants a role the right to see a collection, or all with *, and with may_write to change its content. The rights on
the tables themselves come from ragraph_reader or ragraph_writer. Takes effect immediately if tenants are on. Only for
the owner of the store. Raises RG005 for an empty collection or a role that bypasses row-level security, RG016 if the
role does not exist';

create or replace function ragraph.revoke_collection(role_name text, collection text default null)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    revoked integer;
begin
    delete from ragraph.collection_grant as g
    where
        g.role_name = revoke_collection.role_name
        and (revoke_collection.collection is null or g.collection = revoke_collection.collection);
    get diagnostics revoked = row_count;
    if revoked = 0 and not exists (select from pg_roles as r where r.rolname = revoke_collection.role_name) then
        raise exception using
            errcode = 'RG016',
            message = format('role %L does not exist', revoke_collection.role_name),
            hint = 'The table ragraph.collection_grant lists all grants.';
    end if;
    if revoked > 0 and ragraph.tenants_on() then
        perform ragraph_private.make_policies(revoke_collection.role_name);
    end if;
    return revoked;
end
$$;
comment on function ragraph.revoke_collection(text, text) is
'Revokes the grant of a collection, by default of all collections, and returns how many; running transactions still see
them. Only for the owner of the store. Raises RG016 if the role does not exist and had no grants';
