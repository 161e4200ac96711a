-- Leases: only one process at a time works on a file, whichever job lists it. Each new lease on a file has a higher
-- fencing token than the one before, and every transaction that writes for a file first checks that its token is still
-- the newest.

create or replace function ragraph_private.lease_key(collection text, source_uri text)
returns bigint
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
    return hashtextextended(jsonb_build_array(lease_key.collection, lease_key.source_uri)::text, 5);
end
$$;
comment on function ragraph_private.lease_key(text, text) is
'Returns the key of the advisory lock that a session writing for a file holds until the end of its transaction';

create or replace function ragraph_private.end_writer(key bigint)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
    perform pg_terminate_backend(l.pid)
    from pg_locks as l
    where l.locktype = 'advisory'
        and l.granted
        and l.objsubid = 1
        and l.classid = ((end_writer.key >> 32) & 4294967295)::oid
        and l.objid = (end_writer.key & 4294967295)::oid
        and l.database = (select d.oid from pg_database as d where d.datname = current_database())
        and l.pid <> pg_backend_pid();
exception
    when insufficient_privilege then
        null; -- a session of another role: only its own timeouts can end it
end
$$;
comment on function ragraph_private.end_writer(bigint) is
'Terminates the session that holds an advisory lock. Its process was stopped in the middle of a transaction and its
lease has expired. The transaction is rolled back';

create or replace function ragraph.claim_files(job_id text, holder text, most integer default 1)
returns table (
    source_uri text,
    collection text,
    place integer,
    name text,
    record boolean,
    entry jsonb,
    bytes bigint,
    fence bigint
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    job constant ragraph.ingest_job := ragraph_private.require_job(claim_files.job_id);
    duration constant interval := job.lease_seconds * interval '1 second';
    open_file record;
    key bigint;
    taken bigint;
    number integer := 0;
begin
    if coalesce(claim_files.most, 0) < 1 or coalesce(claim_files.holder, '') = '' then
        raise exception using
            errcode = 'RG005',
            message = 'holder is empty or most is below 1',
            hint = 'Give holder a name that no other process has, and most 1 or more.';
    end if;
    if job.status <> 'running' then
        return;
    end if;
    perform pg_advisory_xact_lock(8241982534023407619); -- one claim at a time, so that a claim is not mistaken for a writer
    -- also a heartbeat: it renews leases that this process has, so that they are not claimed again
    update ragraph.ingest_lease as l
    set expires_at = clock_timestamp() + duration
    where l.holder = claim_files.holder and l.expires_at is not null;
    for open_file in
        select f.*
        from ragraph.ingest_file as f
        left join ragraph.ingest_lease as l on f.collection = l.collection and f.source_uri = l.source_uri
        where f.job_id = claim_files.job_id
            and f.status in ('pending', 'processing')
            and (l.expires_at is null or l.expires_at < clock_timestamp())
            and (
                f.record -- publication records come before the files that they describe
                or not exists (
                    select 1
                    from ragraph.ingest_file as r
                    where r.job_id = claim_files.job_id and r.record and r.status in ('pending', 'processing')
                )
            )
        order by f.place
        limit 10 * claim_files.most -- writers whose lease has expired are skipped
    loop
        key := ragraph_private.lease_key(open_file.collection, open_file.source_uri);
        if not pg_try_advisory_xact_lock(key) then
            if exists ( -- not renewed in the meantime
                select 1 from ragraph.ingest_lease as l
                where l.collection = open_file.collection
                    and l.source_uri = open_file.source_uri
                    and l.expires_at < clock_timestamp()
            ) then
                perform ragraph_private.end_writer(key);
            end if;
            continue;
        end if;
        insert into ragraph.ingest_lease as l (collection, source_uri, fence, holder, job_id, expires_at)
        values (
            open_file.collection, open_file.source_uri, 1, claim_files.holder, claim_files.job_id,
            clock_timestamp() + duration
        )
        on conflict (collection, source_uri) do update
            set
                fence = l.fence + 1,
                holder = excluded.holder,
                job_id = excluded.job_id,
                expires_at = excluded.expires_at
            where l.expires_at is null or l.expires_at < clock_timestamp()
        returning l.fence into taken;
        continue when taken is null;
        update ragraph.ingest_file as f
        set status = 'processing', stage = null, started_at = clock_timestamp()
        where f.job_id = claim_files.job_id
            and f.collection = open_file.collection
            and f.source_uri = open_file.source_uri
            and f.status in ('pending', 'processing');
        if not found then -- another process has just finished it
            update ragraph.ingest_lease as l
            set expires_at = null
            where l.collection = open_file.collection and l.source_uri = open_file.source_uri;
            continue;
        end if;
        source_uri := open_file.source_uri;
        collection := open_file.collection;
        place := open_file.place;
        name := open_file.name;
        record := open_file.record;
        entry := open_file.entry;
        bytes := open_file.bytes;
        fence := taken;
        return next;
        number := number + 1;
        exit when number = claim_files.most;
    end loop;
end
$$;
comment on function ragraph.claim_files(text, text, integer) is
'Claims up to most files of a running job that nobody else is working on, publication records first and then in the
order of the job, and returns them with the fencing tokens of their leases. Others cannot claim them until the lease
expires, unless renew_leases extends it. A session that holds the lock of a file whose lease has expired is terminated.
Returns no row if the job is not running, nothing is left, or others are working on the rest. Raises RG005 without a
holder or with most below 1, RG011 if the job does not exist';

create or replace function ragraph.renew_leases(job_id text, holder text, stages jsonb default '{}')
returns table (status text, open_files bigint)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
begin
    perform ragraph_private.require_job(renew_leases.job_id);
    update ragraph.ingest_job as j
    set heartbeat_at = clock_timestamp()
    where j.id = renew_leases.job_id and j.status = 'running';
    update ragraph.ingest_lease as l
    set expires_at = clock_timestamp() + j.lease_seconds * interval '1 second'
    from ragraph.ingest_job as j
    where j.id = renew_leases.job_id and l.holder = renew_leases.holder and l.expires_at is not null;
    update ragraph.ingest_file as f
    set stage = s.value
    from jsonb_each_text(renew_leases.stages) as s
    inner join ragraph.ingest_lease as l on l.source_uri = s.key and l.holder = renew_leases.holder and l.expires_at is not null
    where f.job_id = renew_leases.job_id
        and f.collection = l.collection
        and f.source_uri = s.key
        and f.status = 'processing'
        and f.stage is distinct from s.value;
    return query
    select
        j.status,
        (
            select count(*) from ragraph.ingest_file as f
            where f.job_id = j.id and f.status in ('pending', 'processing')
        )
    from ragraph.ingest_job as j
    where j.id = renew_leases.job_id;
end
$$;
comment on function ragraph.renew_leases(text, text, jsonb) is
'Sends a heartbeat: extends all leases that a holder still has, and stores the stage of its files by source_uri.
Returns the status of the job and how many of its files are not done. A process ends when the status is no longer
running. Raises RG011 if the job does not exist';

create or replace function ragraph.check_lease(collection text, source_uri text, holder text, fence bigint)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    -- held to the end of the transaction: nobody can claim the file in between, unless this session is terminated
    perform pg_advisory_xact_lock(ragraph_private.lease_key(check_lease.collection, check_lease.source_uri));
    if not exists (
        select 1
        from ragraph.ingest_lease as l
        where l.collection = check_lease.collection
            and l.source_uri = check_lease.source_uri
            and l.holder = check_lease.holder
            and l.fence = check_lease.fence
            and l.expires_at is not null
    ) then
        raise exception using
            errcode = 'RG010',
            message = format('the lease on %L was taken over by another process', left(check_lease.source_uri, 200)),
            hint = 'Write nothing more for this file; the new holder does.';
    end if;
end
$$;
comment on function ragraph.check_lease(text, text, text, bigint) is
'Must be the first statement of a transaction that writes for a file. Raises RG010 if another process has taken over
the file, and prevents others from doing so until the transaction ends';

create or replace function ragraph.finish_file(
    job_id text,
    source_uri text,
    collection text,
    holder text,
    fence bigint,
    outcome text,
    document_id text default null,
    reason text default null,
    stage_seconds jsonb default null
)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    update ragraph.ingest_lease as l
    set expires_at = null
    where l.collection = finish_file.collection
        and l.source_uri = finish_file.source_uri
        and l.holder = finish_file.holder
        and l.fence = finish_file.fence
        and l.expires_at is not null;
    if not found then
        return false;
    end if;
    update ragraph.ingest_file as f
    set
        status = case when finish_file.outcome = 'failed' then 'failed' else 'completed' end,
        stage = null,
        outcome = finish_file.outcome,
        document_id = finish_file.document_id,
        reason = finish_file.reason,
        stage_seconds = finish_file.stage_seconds,
        ended_at = clock_timestamp()
    where f.job_id = finish_file.job_id
        and f.collection = finish_file.collection
        and f.source_uri = finish_file.source_uri;
    return true;
end
$$;
comment on function ragraph.finish_file(text, text, text, text, bigint, text, text, text, jsonb) is
'Stores the outcome of a file and releases its lease. Returns false, and stores nothing, if another process has taken
over the file';

create or replace function ragraph.release_leases(job_id text, holder text)
returns bigint
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    given_back bigint;
begin
    update ragraph.ingest_file as f
    set status = 'pending', stage = null
    from ragraph.ingest_lease as l
    where f.job_id = release_leases.job_id
        and l.holder = release_leases.holder
        and l.expires_at is not null
        and f.collection = l.collection
        and f.source_uri = l.source_uri
        and f.status = 'processing';
    update ragraph.ingest_lease as l
    set expires_at = null
    where l.holder = release_leases.holder and l.expires_at is not null;
    get diagnostics given_back = row_count;
    return given_back;
end
$$;
comment on function ragraph.release_leases(text, text) is
'Releases all leases of a process that ends, so that others need not wait for them; returns how many';

create or replace function ragraph_private.release_unknown(job_id text, holder text, known jsonb)
returns bigint
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    given_back bigint;
begin
    with unknown as (
        update ragraph.ingest_lease as l
        set expires_at = null
        where l.holder = release_unknown.holder
            and l.expires_at is not null
            and not release_unknown.known @> jsonb_build_array(jsonb_build_array(l.collection, l.source_uri, l.fence))
        returning l.collection, l.source_uri
    ), freed as (
        update ragraph.ingest_file as f
        set status = 'pending', stage = null
        from unknown as u
        where f.job_id = release_unknown.job_id
            and f.collection = u.collection
            and f.source_uri = u.source_uri
            and f.status = 'processing'
    )
    select count(*) into given_back from unknown;
    return given_back;
end
$$;
comment on function ragraph_private.release_unknown(text, text, jsonb) is
'Releases leases of a process that it does not know of because the answer of claim_files was lost; otherwise it would
renew them for ever. known holds [collection, source_uri, fence] of each lease that it knows. Returns how many it
released';
