-- Tenants: row-level security by collection, for stores that more than one party uses.
--
-- Who sees what stands in ragraph.collection_grant. The policies are made of it and hold the names of the collections
-- as constants: nothing is looked up while a search runs, the planner knows how much a role sees and takes the index
-- that fits, and there is nothing for Citus to refuse. Whoever grants makes the policies of that role anew
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
'The tables whose rows belong to a collection: all that have a column of that name, but for the grants themselves';

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
'Whether roles see only the collections that they were granted: ragraph db tenants on';

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
'Whether no row of a table is hidden from the current role';

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
'Whether no row of the store is hidden from the current role: what looks over all of it, or moves it, asks first';

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
        return true; -- whoever sees all has looked
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
'Whether a document that is not in sight, with its publication, can have these ids: another tenant may have taken them';

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
'Name of the policy that lets a role do something: with a hash where that of the role is too long';

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
'Drops the policies that grants of collections made, of one role or of all';

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
    set local citus.multi_shard_modify_mode = 'sequential'; -- tables that hang together, one after the other
    perform ragraph_private.drop_policies(make_policies.role_name);
    -- a role that is gone sees nothing; the grant waits for it
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
        -- models are of all collections, and where they lie is where texts and queries of all are sent: only who may
        -- change all records one. Whoever ingests may record the one of the package, as it is.
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
'Makes the policies of a role what collection_grant says of it, on each table';

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
    -- without it no search by words takes its index where a policy is: it tells nothing of the rows that it compares
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
'Turns row-level security on for every table, those of a newer version too, and makes all policies anew';

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
            -- who owns the store goes on seeing it, until that is revoked
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
'Lets each role see only the collections that it was granted, on every table, the owner of the store too (who is granted
all at first); false lets all see all again and keeps the grants. Waits for those who write. For the owner of the store';

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
            message = 'the collection has no name, or may_write is null',
            hint = 'Name a collection, or * for all.';
    end if;
    select r.rolsuper or r.rolbypassrls into above from pg_roles as r where r.rolname = grant_collection.role_name;
    if not found then
        raise exception using
            errcode = 'RG016',
            message = format('there is no role %L', grant_collection.role_name),
            hint = 'Make it first: CREATE ROLE name LOGIN PASSWORD ''...''.';
    end if;
    if above then
        raise exception using
            errcode = 'RG005',
            message = format('role %L is above row-level security and sees all', grant_collection.role_name),
            hint = 'Use a role that is neither superuser nor has BYPASSRLS.';
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
'Lets a role see a collection, * for all, and with may_write change what is in it; the rights on the tables themselves come
from ragraph_reader or ragraph_writer. Holds at once where tenants are on. For the owner of the store. Raises RG005, RG016';

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
            message = format('there is no role %L', revoke_collection.role_name),
            hint = 'The table ragraph.collection_grant has who was granted what.';
    end if;
    if revoked > 0 and ragraph.tenants_on() then
        perform ragraph_private.make_policies(revoke_collection.role_name);
    end if;
    return revoked;
end
$$;
comment on function ragraph.revoke_collection(text, text) is
'Takes a grant of a collection back, of all collections by default; transactions that run see it still. Returns how many.
For the owner of the store. Raises RG016 for a role that is not there and was granted nothing';
