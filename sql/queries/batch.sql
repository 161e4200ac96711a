-- name: check_lease
SELECT ragraph.check_lease(%(collection)s, %(source_uri)s, %(holder)s, %(fence)s);

-- name: claim_files
-- First releases leases that the process has without knowing it.
WITH freed AS MATERIALIZED (
    SELECT ragraph_private.release_unknown(%(job_id)s, %(holder)s, %(known)s) AS leases
)

SELECT c.*
FROM freed AS f
CROSS JOIN LATERAL ragraph.claim_files(%(job_id)s, %(holder)s, CASE WHEN f.leases >= 0 THEN %(most)s::integer END) AS c;

-- name: leases_in_the_way
-- Holders on the same machine of leases that this job waits for.
SELECT DISTINCT
    l.job_id,
    l.holder
FROM ragraph.ingest_file AS f
INNER JOIN ragraph.ingest_lease AS l ON f.collection = l.collection AND f.source_uri = l.source_uri
WHERE
    f.job_id = %(job_id)s
    AND f.status IN ('pending', 'processing')
    AND l.expires_at IS NOT NULL
    AND l.holder <> %(holder)s
    AND starts_with(l.holder, %(machine)s || ':');

-- name: renew_leases
SELECT * FROM ragraph.renew_leases(%(job_id)s, %(holder)s, %(stages)s);

-- name: finish_file
SELECT ragraph.finish_file(
    %(job_id)s, %(source_uri)s, %(collection)s, %(holder)s, %(fence)s,
    %(outcome)s, %(document_id)s, %(reason)s, %(stage_seconds)s
);

-- name: release_leases
SELECT ragraph.release_leases(%(job_id)s, %(holder)s);

-- name: close_job
SELECT ragraph.close_job(%(job_id)s, %(reason)s);

-- name: resume_job
SELECT ragraph.resume_job(%(job_id)s);

-- name: cancel_job
SELECT ragraph.cancel_job(%(job_id)s);

-- name: add_job
INSERT INTO ragraph.ingest_job (id, collection, asked, lease_seconds)
VALUES (%(job_id)s, %(collection)s, %(asked)s, %(lease_s)s)
ON CONFLICT (id) DO NOTHING;

-- name: drop_old_jobs
-- Jobs that ended long ago without failures are of no more use.
DELETE FROM ragraph.ingest_job AS j
WHERE j.status IN ('completed', 'cancelled') AND j.ended_at < now() - interval '30 days';

-- name: job_asked
SELECT
    j.id,
    j.collection,
    j.asked,
    j.lease_seconds
FROM ragraph.ingest_job AS j
WHERE j.id = %(job_id)s;

-- name: job_list
SELECT
    j.id,
    j.collection,
    j.asked,
    j.created_at,
    j.started_at,
    j.heartbeat_at,
    j.ended_at,
    j.error_message,
    s.*
FROM ragraph.ingest_job AS j
CROSS JOIN LATERAL ragraph.job_status(j.id) AS s
WHERE %(job_id)s::text IS NULL OR j.id = %(job_id)s
ORDER BY j.created_at DESC, j.id ASC
LIMIT %(limit)s;

-- name: require_job
-- Raises RG011 with the job that may be meant.
SELECT count(*) FROM ragraph.job_status(%(job_id)s);

-- name: job_files
SELECT
    f.source_uri,
    f.collection,
    f.place,
    f.name,
    f.bytes,
    f.status,
    f.stage,
    f.outcome,
    f.document_id,
    f.reason,
    f.stage_seconds,
    f.started_at,
    f.ended_at
FROM ragraph.ingest_file AS f
WHERE f.job_id = %(job_id)s AND (%(status)s::text IS NULL OR f.status = %(status)s)
ORDER BY f.place
LIMIT %(limit)s;

-- name: job_ended
-- Files that ended at or after a time; includes those of that very time again.
SELECT
    f.place,
    f.name,
    f.bytes,
    f.outcome,
    f.document_id,
    f.reason,
    f.ended_at
FROM ragraph.ingest_file AS f
WHERE f.job_id = %(job_id)s AND f.ended_at >= coalesce(%(since)s::timestamptz, '-infinity')
ORDER BY f.ended_at, f.place;

-- name: failed_files
-- Files whose last attempt, in whichever job, failed, as the newest of these attempts has them.
SELECT DISTINCT ON (f.source_uri)
    f.source_uri,
    f.name,
    f.record,
    f.collection,
    f.entry,
    f.bytes
FROM ragraph.ingest_file AS f
WHERE
    f.collection = %(collection)s
    AND f.status = 'failed'
    AND NOT EXISTS (
        SELECT 1
        FROM ragraph.ingest_file AS o
        WHERE
            o.collection = f.collection
            AND o.source_uri = f.source_uri
            AND o.status = 'completed'
            AND o.ended_at > f.ended_at
    )
ORDER BY f.source_uri ASC, f.ended_at DESC;

-- name: document_statuses
-- Number of documents by processing status.
SELECT
    d.processing_status::text AS status,
    count(*) AS documents
FROM ragraph.document AS d
GROUP BY d.processing_status;
