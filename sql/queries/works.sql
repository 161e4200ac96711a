-- name: works_documents
-- Completed documents by collection, of those with the given ids or in the collection, or of all.
SELECT
    d.id,
    d.collection
FROM ragraph.document AS d
WHERE
    d.processing_status = 'completed'
    AND (%(document_ids)s::text[] IS NULL OR d.id = any(%(document_ids)s::text[]))
    AND (%(collection)s::text IS NULL OR d.collection = %(collection)s::text)
ORDER BY d.collection, d.created_at, d.id;

-- name: works_owed
-- Documents with pending works, including those of interrupted runs.
SELECT
    d.id,
    d.collection
FROM ragraph.document AS d
WHERE d.works_owed IS NOT NULL AND d.processing_status = 'completed'
ORDER BY d.collection, d.created_at, d.id;

-- name: works_of_publication
-- Documents that share a publication with this one, and so its fields as a work.
SELECT d.id
FROM ragraph.document AS d
WHERE d.publication_id = (SELECT o.publication_id FROM ragraph.document AS o WHERE o.id = %(document_id)s)
ORDER BY d.id;

-- name: works_owe
-- The publication has changed, and so have its documents as works.
UPDATE ragraph.document AS d
SET works_owed = '{}'
WHERE d.publication_id = %(publication_id)s AND d.works_owed IS NULL;

-- name: works_resolve_old_collection
-- Resolves, in the collection that a document leaves, the works that it left pending.
SELECT ragraph_private.resolve_works(%(collection)s, ragraph_private.works_with(%(collection)s, d.works_owed))
FROM ragraph.document AS d
WHERE d.id = %(document_id)s AND d.works_owed <> '{}';

-- name: works_claim
SELECT
    c.claimed,
    c.touched
FROM ragraph_private.claim_works(%(collection)s, %(document_ids)s::text[], %(wait)s) AS c;

-- name: works_lock
SELECT ragraph_private.lock_works(%(collection)s);

-- name: works_stale
-- Bibliographic entries that are new or changed since they were last parsed; the row of a document itself has no node.
WITH read AS MATERIALIZED (
    SELECT
        e.document_id,
        e.node_id,
        e.source_hash
    FROM ragraph.work_entry AS e
    WHERE e.document_id = any(%(document_ids)s::text[])
),

said AS MATERIALIZED (
    SELECT
        n.document_id,
        n.id AS node_id,
        n.content,
        jsonb_build_object('ids', n.data -> 'ids', 'entry', n.data -> 'entry') AS stated
    FROM ragraph.content_node AS n
    WHERE
        n.document_id = any(%(document_ids)s::text[])
        AND n.collection = %(collection)s
        AND n.content_node_type = 'BIBLIOGRAPHIC_ENTRY'
    UNION ALL
    SELECT
        d.id,
        NULL,
        p.title,
        jsonb_build_object(
            'authors', p.authors, 'year', extract(YEAR FROM p.publication_date), 'uri', p.uri, 'source', p.source,
            'ids', p.metadata -> 'ids', 'doi', p.metadata ->> 'doi', 'isbn', p.metadata ->> 'isbn'
        )
    FROM ragraph.document AS d
    INNER JOIN ragraph.publication AS p ON d.publication_id = p.id
    WHERE d.id = any(%(document_ids)s::text[]) AND d.collection = %(collection)s AND d.type = 'MAIN'
),

hashed AS (
    SELECT
        s.*,
        md5(concat_ws(chr(31), %(version)s::text, s.content, s.stated::text)) AS source_hash
    FROM said AS s
)

SELECT
    h.document_id,
    h.node_id,
    h.content,
    h.stated,
    h.source_hash
FROM hashed AS h
LEFT JOIN read AS r ON h.document_id = r.document_id AND coalesce(h.node_id, '') = coalesce(r.node_id, '')
WHERE r.source_hash IS DISTINCT FROM h.source_hash;

-- name: works_broken
-- Documents whose works violate the rules: another session resolved them while they were written, or somebody changed
-- them by hand.
SELECT DISTINCT c.document_id FROM ragraph_private.check_works(NULL) AS c;

-- name: works_of_documents
SELECT ragraph_private.document_works(%(document_ids)s::text[]);

-- name: lock_work_rows
SELECT ragraph_private.lock_work_rows(%(document_id)s, %(node_ids)s::text[]);

-- name: works_write
SELECT ragraph_private.write_works(%(collection)s, %(entries)s);

-- name: works_resolve
SELECT ragraph_private.resolve_works(%(collection)s, %(identities)s::text[]);

-- name: works_mend
SELECT ragraph_private.mend_works(%(collection)s, %(document_id)s, %(said)s);

-- name: list_works
SELECT * FROM
    ragraph.list_works(
        work => %(work)s,
        document_ids => %(document_ids)s::text[],
        collection => %(collection)s,
        k => %(k)s::integer,
        skip => %(skip)s::integer
    );

-- name: cited_works
SELECT * FROM ragraph.cited_works(%(document_id)s);

-- name: citing_documents
SELECT * FROM ragraph.citing_documents(%(document_id)s);

-- name: co_cited_works
SELECT * FROM ragraph.co_cited_works(%(document_id)s, %(k)s::integer);

-- name: coupled_documents
SELECT * FROM ragraph.coupled_documents(%(document_id)s, %(k)s::integer);

-- name: merge_works
SELECT ragraph.merge_works(%(works)s::text[]);

-- name: split_work
SELECT ragraph.split_work(%(work)s, %(document_id)s);

-- name: reset_work
SELECT ragraph.reset_work(%(work)s);

-- name: graph_citations
-- Citations among some documents, and the works that several of them cite but none of them is.
WITH named AS MATERIALIZED (
    SELECT
        e.document_id,
        e.node_id,
        e.identity,
        e.title,
        e.year
    FROM ragraph.work_entry AS e
    WHERE e.document_id = any(%(document_ids)s::text[])
),

shared AS (
    SELECT
        n.identity,
        min(n.title) AS title,
        min(n.year) AS work_year
    FROM named AS n
    GROUP BY n.identity
    HAVING count(DISTINCT n.document_id) > 1 AND bool_and(n.node_id IS NOT NULL)
)

SELECT
    n.node_id,
    t.document_id,
    n.identity,
    NULL AS title,
    NULL::integer AS work_year
FROM named AS n
INNER JOIN named AS t ON n.identity = t.identity AND n.document_id <> t.document_id AND t.node_id IS NULL
WHERE n.node_id IS NOT NULL
UNION ALL
SELECT
    n.node_id,
    NULL,
    s.identity,
    s.title,
    s.work_year
FROM named AS n
INNER JOIN shared AS s ON n.identity = s.identity
ORDER BY node_id, document_id, identity;
