-- name: count_what_is_written
CREATE TABLE public.written (document_id text, what text, number bigint);
CREATE FUNCTION public.count_written() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO public.written SELECT r.document_id, tg_table_name, count(*) FROM made AS r GROUP BY r.document_id;
    RETURN NULL;
END
$$;

-- name: count_nodes
CREATE TRIGGER count_written AFTER INSERT ON ragraph.content_node
REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION public.count_written();

-- name: count_vectors
CREATE TRIGGER count_written AFTER INSERT ON ragraph.embedding
REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION public.count_written();

-- name: rows_written_twice
-- Rows that were committed, less those that are there.
SELECT
    (SELECT coalesce(sum(w.number), 0)::bigint FROM public.written AS w)
    - (SELECT count(*) FROM ragraph.content_node)
    - (SELECT count(*) FROM ragraph.embedding);

-- name: files_not_done
SELECT count(*) FROM ragraph.ingest_file AS f
WHERE f.status <> 'completed';

-- name: reasons
SELECT
    f.status,
    coalesce(f.reason, '') AS reason,
    count(*)
FROM ragraph.ingest_file AS f
WHERE f.status <> 'completed'
GROUP BY f.status, f.reason;

-- name: documents_written_by_two
-- Files that more than one job has added.
SELECT count(*) FROM (
    SELECT f.source_uri
    FROM ragraph.ingest_file AS f
    WHERE f.outcome = 'added'
    GROUP BY f.source_uri
    HAVING count(*) > 1
) AS twice;

-- name: taken_over
-- Times that a file was taken, less once for each job.
SELECT sum(l.fence)::bigint - 3 * count(*) FROM ragraph.ingest_lease AS l;

-- name: beyond_a_lease
-- Seconds that a file of a job waits with a lease that has run out.
SELECT coalesce(extract(EPOCH FROM max(clock_timestamp() - l.expires_at)), 0)::float
FROM ragraph.ingest_lease AS l
INNER JOIN ragraph.ingest_file AS f ON l.collection = f.collection AND l.source_uri = f.source_uri
WHERE
    f.job_id = %(job_id)s
    AND f.status IN ('pending', 'processing')
    AND l.expires_at < clock_timestamp();

-- name: status
SELECT j.status FROM ragraph.ingest_job AS j
WHERE j.id = %(job_id)s;

-- name: sessions
-- What each session of the database does, and for what it waits.
SELECT
    a.pid,
    a.state,
    a.wait_event_type,
    a.wait_event,
    a.xact_start,
    left(a.query, 150) AS query,
    pg_blocking_pids(a.pid) AS blocked_by
FROM pg_stat_activity AS a
WHERE a.datname = current_database();

-- name: others
-- Other sessions of programs in this database.
SELECT
    a.pid,
    a.state,
    left(a.query, 150) AS query
FROM pg_stat_activity AS a
WHERE a.datname = current_database() AND a.backend_type = 'client backend' AND a.pid <> pg_backend_pid();
