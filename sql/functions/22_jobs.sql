-- Batch jobs: their progress and their end. 22_leases.sql prevents two processes from working on the same file.

create or replace function ragraph_private.require_job(job_id text)
returns ragraph.ingest_job
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    job ragraph.ingest_job;
    near text;
begin
    select j.* into job from ragraph.ingest_job as j where j.id = require_job.job_id;
    if not found then
        -- ids are random: the letter pairs of two ids may be similar by chance, their ends are not
        near := ragraph_private.nearest_name(
            require_job.job_id,
            array(
                select j.id
                from ragraph.ingest_job as j
                where starts_with(j.id, left(require_job.job_id, 8)) or right(j.id, 4) = right(require_job.job_id, 4)
                order by j.created_at desc
                limit 1000
            )
        );
        raise exception using
            errcode = 'RG011',
            message = format('there is no job %L', left(require_job.job_id, 200))
            || coalesce('; did you mean ' || quote_literal(near) || '?', ''),
            hint = 'List the jobs of the store: SELECT id FROM ragraph.ingest_job.';
    end if;
    return job;
end
$$;
comment on function ragraph_private.require_job(text) is
'Returns the row of a job; raises RG011 if it does not exist';

create or replace function ragraph.job_status(job_id text)
returns table (
    status text,
    files bigint,
    pending bigint,
    processing bigint,
    completed bigint,
    failed bigint,
    bytes bigint,
    bytes_done bigint,
    seconds double precision,
    files_per_second double precision,
    bytes_per_second double precision,
    seconds_left double precision,
    stages jsonb,
    stage_seconds jsonb,
    outcomes jsonb,
    workers bigint
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    job constant ragraph.ingest_job := ragraph_private.require_job(job_status.job_id);
    at_work bigint;
    began timestamptz := job.started_at;
    done_since bigint;
    bytes_since bigint;
    bytes_open bigint;
begin
    select
        count(*), count(*) filter (where f.status = 'pending'), count(*) filter (where f.status = 'processing'),
        count(*) filter (where f.status = 'completed'), count(*) filter (where f.status = 'failed'),
        coalesce(sum(f.bytes), 0), coalesce(sum(f.bytes) filter (where f.ended_at is not null), 0),
        count(*) filter (where f.ended_at >= began), coalesce(sum(f.bytes) filter (where f.ended_at >= began), 0)
    into files, pending, processing, completed, failed, bytes, bytes_done, done_since, bytes_since
    from ragraph.ingest_file as f
    where f.job_id = job_status.job_id;
    bytes_open := bytes - bytes_done;
    select coalesce(jsonb_object_agg(s.stage, s.number), '{}') into stages
    from (
        select coalesce(f.stage, 'reading') as stage, count(*) as number
        from ragraph.ingest_file as f
        where f.job_id = job_status.job_id and f.status = 'processing'
        group by 1
    ) as s;
    select coalesce(jsonb_object_agg(s.stage, s.spent), '{}') into stage_seconds
    from (
        select e.key as stage, round(sum(e.value::numeric), 1) as spent
        from ragraph.ingest_file as f
        cross join lateral jsonb_each_text(f.stage_seconds) as e
        where f.job_id = job_status.job_id
        group by 1
    ) as s;
    select coalesce(jsonb_object_agg(s.outcome, s.number), '{}') into outcomes
    from (
        select f.outcome, count(*) as number
        from ragraph.ingest_file as f
        where f.job_id = job_status.job_id and f.outcome is not null
        group by 1
    ) as s;
    if job.totals is not null then -- rows of unchanged files have been deleted
        -- null for a job without files
        outcomes := coalesce(nullif(job.totals -> 'outcomes', 'null'), '{}');
        files := coalesce((job.totals ->> 'files')::bigint, 0);
        completed := files - failed;
        bytes := coalesce((job.totals ->> 'bytes')::bigint, 0);
        bytes_done := bytes;
        done_since := coalesce((job.totals ->> 'done')::bigint, 0);
        bytes_since := coalesce((job.totals ->> 'bytes_done')::bigint, 0);
    end if;
    select count(distinct l.holder) into workers
    from ragraph.ingest_lease as l
    where l.job_id = job_status.job_id and l.expires_at > clock_timestamp();
    -- a process without a file at the moment still sends heartbeats
    at_work := greatest(workers, (job.heartbeat_at + job.lease_seconds * interval '1 second' > clock_timestamp())::int);
    status := case when job.status = 'running' and at_work = 0 then 'interrupted' else job.status end;
    seconds := extract(epoch from coalesce(job.ended_at, clock_timestamp()) - began);
    if seconds > 0 and done_since > 0 then
        files_per_second := done_since / seconds;
        bytes_per_second := bytes_since / seconds;
        if status = 'running' then
            seconds_left := case
                when bytes_since > 0 and bytes_open > 0 then bytes_open / bytes_per_second
                else (pending + processing) / files_per_second
            end;
        end if;
    end if;
    return next;
end
$$;
comment on function ragraph.job_status(text) is
'Returns the progress of a job in one row: files by status and by outcome, bytes of its files and of
those done. The seconds count from its start or last resumption; the rates and the remaining seconds are computed from
them. For each stage the row has the files in it now, and the seconds it took over all files. The row also has the
number of processes at work. A running job without a recent heartbeat has the status interrupted. Raises RG011 if the job does not exist';

create or replace function ragraph.cancel_job(job_id text)
returns text
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    perform ragraph_private.require_job(cancel_job.job_id);
    update ragraph.ingest_job as j
    set status = 'cancelled', ended_at = clock_timestamp()
    where j.id = cancel_job.job_id and j.status in ('running', 'ended');
    return (select j.status from ragraph.ingest_job as j where j.id = cancel_job.job_id);
end
$$;
comment on function ragraph.cancel_job(text) is
'Cancels a job that is not completed. Its processes end at their next heartbeat; documents already ingested stay.
Returns the status of the job. Raises RG011 if the job does not exist';

create or replace function ragraph.resume_job(job_id text)
returns bigint
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    left_open bigint;
begin
    perform ragraph_private.require_job(resume_job.job_id);
    select count(*) into left_open
    from ragraph.ingest_file as f
    where f.job_id = resume_job.job_id and f.status in ('pending', 'processing');
    if left_open > 0 then
        update ragraph.ingest_job as j
        set
            status = 'running', ended_at = null, error_message = null, heartbeat_at = clock_timestamp(),
            started_at = case
                -- another process works on it: this one joins
                when j.status = 'running' and j.heartbeat_at + j.lease_seconds * interval '1 second' > clock_timestamp()
                    then j.started_at
                else clock_timestamp()
            end
        where j.id = resume_job.job_id;
    end if;
    return left_open;
end
$$;
comment on function ragraph.resume_job(text) is
'Resumes a job that ended early, was cancelled or interrupted; returns how many of its files are not done. Raises RG011
if the job does not exist';

create or replace function ragraph.close_job(job_id text, error_message text default null)
returns text
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    job ragraph.ingest_job;
begin
    perform ragraph_private.require_job(close_job.job_id);
    select j.* into job from ragraph.ingest_job as j where j.id = close_job.job_id for update;
    if job.status <> 'running' then
        return job.status;
    end if;
    if exists (
        select 1 from ragraph.ingest_file as f
        where f.job_id = close_job.job_id and f.status in ('pending', 'processing')
    ) then
        if exists ( -- another process continues
            select 1 from ragraph.ingest_lease as l
            where l.job_id = close_job.job_id and l.expires_at > clock_timestamp()
        ) then
            return 'running';
        end if;
        update ragraph.ingest_job as j
        set status = 'ended', ended_at = clock_timestamp(), error_message = close_job.error_message
        where j.id = close_job.job_id;
        return 'ended';
    end if;
    update ragraph.ingest_job as j
    set
        status = 'completed',
        ended_at = clock_timestamp(),
        error_message = close_job.error_message,
        totals = (
            select jsonb_build_object(
                'files', sum(o.files), 'bytes', sum(o.bytes), 'done', sum(o.done), 'bytes_done', sum(o.bytes_done),
                'outcomes', jsonb_object_agg(o.outcome, o.files)
            )
            from (
                select
                    f.outcome, count(*) as files, coalesce(sum(f.bytes), 0) as bytes,
                    count(*) filter (where f.ended_at >= job.started_at) as done,
                    coalesce(sum(f.bytes) filter (where f.ended_at >= job.started_at), 0) as bytes_done
                from ragraph.ingest_file as f
                where f.job_id = close_job.job_id
                group by f.outcome
            ) as o
        )
    where j.id = close_job.job_id;
    delete from ragraph.ingest_file as f
    where f.job_id = close_job.job_id
        and f.outcome = 'unchanged'
        and not exists ( -- the row shows that a file which failed in another job no longer fails
            select 1
            from ragraph.ingest_file as o
            where o.collection = f.collection and o.source_uri = f.source_uri and o.status = 'failed'
        );
    return 'completed';
end
$$;
comment on function ragraph.close_job(text, text) is
'Marks that a process of a job has finished, and returns the status of the job: completed if all its files are done,
ended if some are not and no other process is at work, else running. When the job completes, its totals are stored and
the rows of unchanged files are deleted. Raises RG011 if the job does not exist';
