-- name: lock_publication
-- Only one process at a time writes a publication; publications are locked before documents.
SELECT pg_advisory_xact_lock(hashtextextended(%(publication_id)s, 1));

-- name: publication_collection
-- ``known`` lists the collections that its documents were ingested into, wherever they were moved.
WITH ingested AS MATERIALIZED (
    SELECT d.ingested_into
    FROM ragraph.document AS d
    WHERE d.publication_id = %(publication_id)s
)

SELECT
    p.collection,
    array(
        SELECT DISTINCT c.collection FROM ingested AS i CROSS JOIN LATERAL unnest(i.ingested_into) AS c (collection)
    ) AS known
FROM ragraph.publication AS p
WHERE p.id = %(publication_id)s;

-- name: document_owner
SELECT
    d.publication_id,
    d.collection,
    d.ingested_into
FROM ragraph.document AS d
WHERE d.id = %(document_id)s;

-- name: upsert_publication
-- Returns a row if one was inserted (added) or changed. Without tags the existing ones are retained, and columns set by
-- hand always are.
INSERT INTO ragraph.publication AS p
(
    id, title, abstract, citation, authors, publication_date, source, source_url, uri, collection, tags, metadata
)
VALUES
(
    %(id)s, %(title)s, %(abstract)s, %(citation)s, %(authors)s, %(publication_date)s, %(source)s, %(source_url)s,
    %(uri)s, %(collection)s, coalesce(%(tags)s::text[], '{}'), %(metadata)s
)
ON CONFLICT (id) DO UPDATE
    SET
        title = ragraph_private.by_hand(p.set_by_hand, 'title', p.title, excluded.title),
        abstract = ragraph_private.by_hand(p.set_by_hand, 'abstract', p.abstract, excluded.abstract),
        citation = ragraph_private.by_hand(p.set_by_hand, 'citation', p.citation, excluded.citation),
        authors = ragraph_private.by_hand(p.set_by_hand, 'authors', p.authors, excluded.authors),
        publication_date
        = ragraph_private.by_hand(p.set_by_hand, 'publication_date', p.publication_date, excluded.publication_date),
        source = ragraph_private.by_hand(p.set_by_hand, 'source', p.source, excluded.source),
        source_url = ragraph_private.by_hand(p.set_by_hand, 'source_url', p.source_url, excluded.source_url),
        uri = ragraph_private.by_hand(p.set_by_hand, 'uri', p.uri, excluded.uri),
        tags = CASE
            WHEN %(tags)s::text[] IS NULL THEN p.tags
            ELSE ragraph_private.by_hand(p.set_by_hand, 'tags', p.tags, excluded.tags)
        END,
        metadata = ragraph_private.by_hand(p.set_by_hand, 'metadata', p.metadata, excluded.metadata),
        updated_at = excluded.updated_at
    WHERE
    (
        p.title, p.abstract, p.citation, p.authors, p.publication_date, p.source, p.source_url, p.uri, p.tags,
        p.metadata
    )
    IS DISTINCT FROM
    (
        ragraph_private.by_hand(p.set_by_hand, 'title', p.title, excluded.title),
        ragraph_private.by_hand(p.set_by_hand, 'abstract', p.abstract, excluded.abstract),
        ragraph_private.by_hand(p.set_by_hand, 'citation', p.citation, excluded.citation),
        ragraph_private.by_hand(p.set_by_hand, 'authors', p.authors, excluded.authors),
        ragraph_private.by_hand(p.set_by_hand, 'publication_date', p.publication_date, excluded.publication_date),
        ragraph_private.by_hand(p.set_by_hand, 'source', p.source, excluded.source),
        ragraph_private.by_hand(p.set_by_hand, 'source_url', p.source_url, excluded.source_url),
        ragraph_private.by_hand(p.set_by_hand, 'uri', p.uri, excluded.uri),
        CASE
            WHEN %(tags)s::text[] IS NULL THEN p.tags
            ELSE ragraph_private.by_hand(p.set_by_hand, 'tags', p.tags, excluded.tags)
        END,
        ragraph_private.by_hand(p.set_by_hand, 'metadata', p.metadata, excluded.metadata)
    )
RETURNING p.created_at = p.updated_at AS added;

-- name: upsert_record_document
-- Writes the fields of a record about a document; MIME type and character set only until a file supplies them.
INSERT INTO ragraph.document AS d
(id, publication_id, type, download_url, description, mime_type, charset, collection, ingested_into)
VALUES
(
    %(id)s, %(publication_id)s, %(type)s::ragraph.document_type, %(download_url)s, %(description)s, %(mime_type)s,
    %(charset)s, %(collection)s, ARRAY[%(collection)s]
)
ON CONFLICT (id) DO UPDATE
    SET
        type = excluded.type,
        download_url = ragraph_private.by_hand(d.set_by_hand, 'download_url', d.download_url, excluded.download_url),
        description = ragraph_private.by_hand(d.set_by_hand, 'description', d.description, excluded.description),
        mime_type = CASE WHEN d.sha256 IS NULL THEN excluded.mime_type ELSE d.mime_type END,
        charset = CASE WHEN d.sha256 IS NULL THEN excluded.charset ELSE d.charset END,
        ingested_into = CASE
            WHEN d.ingested_into @> excluded.ingested_into THEN d.ingested_into
            ELSE d.ingested_into || excluded.ingested_into
        END,
        updated_at = excluded.updated_at
    WHERE
    (d.type, d.download_url, d.description) IS DISTINCT FROM
    (
        excluded.type,
        ragraph_private.by_hand(d.set_by_hand, 'download_url', d.download_url, excluded.download_url),
        ragraph_private.by_hand(d.set_by_hand, 'description', d.description, excluded.description)
    )
    OR NOT d.ingested_into @> excluded.ingested_into
    OR (
        d.sha256 IS NULL
        AND (d.mime_type, d.charset) IS DISTINCT FROM (excluded.mime_type, excluded.charset)
    )
RETURNING d.created_at = d.updated_at AS added;

-- name: lock_content
-- Two processes that ingest the same bytes, or move their document to another collection, wait for each other; locked
-- before the document.
SELECT pg_advisory_xact_lock(hashtextextended(%(sha256)s, 2));

-- name: lock_document
SELECT pg_advisory_xact_lock(hashtextextended(%(document_id)s, 0));

-- name: lock_place
-- The same for a location; locked after the content.
SELECT pg_advisory_xact_lock(hashtextextended(%(source_uri)s, 3));

-- name: document_by_id
SELECT
    d.id,
    d.publication_id,
    d.type::text AS type, -- noqa: RF04
    d.download_url,
    d.description,
    d.mime_type,
    d.charset,
    d.language,
    d.version,
    d.collection,
    d.source_uri,
    d.storage_url,
    d.sha256,
    d.ingested_with,
    d.set_by_hand,
    d.ingested_into,
    d.processing_status::text AS status
FROM ragraph.document AS d
WHERE d.id = %(document_id)s;

-- name: documents_of_file
-- Candidates for the document of a file: those read from this location, the one whose id is the name of the file (from
-- a publication record), those with the same bytes. Includes documents moved out of the collection.
SELECT
    d.id,
    d.publication_id,
    d.type::text AS type, -- noqa: RF04
    d.download_url,
    d.description,
    d.mime_type,
    d.charset,
    d.language,
    d.version,
    d.collection,
    d.source_uri,
    d.storage_url,
    d.sha256,
    d.ingested_with,
    d.set_by_hand,
    d.ingested_into,
    d.processing_status::text AS status
FROM ragraph.document AS d
WHERE
    (d.source_uri = %(source_uri)s OR d.id = %(stem)s OR d.sha256 = %(sha256)s)
    AND (d.collection = %(collection)s OR %(collection)s = any(d.ingested_into));

-- name: same_content
-- A document of the collection with the same bytes.
SELECT d.id
FROM ragraph.document AS d
WHERE
    d.collection = %(collection)s
    AND d.sha256 = %(sha256)s
    AND d.id <> %(document_id)s
    AND (%(attached)s OR ragraph_private.file_around(d.source_uri) IS NULL)
ORDER BY d.created_at, d.id
LIMIT 1;

-- name: documents_below
-- Documents read from a folder, at any depth, including those moved out of the collection.
SELECT
    d.id,
    d.source_uri
FROM ragraph.document AS d
WHERE
    (d.collection = %(collection)s OR %(collection)s = any(d.ingested_into))
    AND (
        starts_with(d.source_uri, %(folder)s)
        OR starts_with(ragraph_private.file_around(d.source_uri), %(folder)s)
    );

-- name: attached_elsewhere
-- Documents that were read from inside the file of a publication's document and are no longer in it. Those whose bytes
-- are in it under another name stay: their file is found by its bytes.
SELECT d.id
FROM ragraph.document AS d
WHERE
    d.publication_id = %(publication_id)s
    AND (d.collection = %(collection)s OR %(collection)s = any(d.ingested_into))
    AND ragraph_private.file_around(d.source_uri) = %(source_uri)s
    AND NOT d.source_uri = any(%(addresses)s::text[])
    AND NOT coalesce(d.sha256 = any(%(contents)s::text[]), FALSE)
ORDER BY d.id;

-- name: publication_at
-- The publication of the document that was read from a location.
SELECT d.publication_id
FROM ragraph.document AS d
WHERE
    d.source_uri = %(source_uri)s
    AND (d.collection = %(collection)s OR %(collection)s = any(d.ingested_into))
ORDER BY d.collection <> %(collection)s, d.id
LIMIT 1;

-- name: adopt_attachments
-- Documents at these addresses that have a publication of their own become part of another one. Returns their own ones.
UPDATE ragraph.document AS d
SET
    publication_id = %(publication_id)s,
    type = 'SUPPLEMENTAL', -- noqa: RF04
    title = coalesce(d.title, own.title),
    authors = coalesce(d.authors, own.authors),
    publication_date = coalesce(d.publication_date, own.publication_date)
FROM (
    SELECT
        o.id,
        o.publication_id,
        p.title,
        p.authors,
        p.publication_date
    FROM ragraph.document AS o
    INNER JOIN ragraph.publication AS p ON o.publication_id = p.id
    WHERE
        o.source_uri = any(%(addresses)s::text[])
        AND (o.collection = %(collection)s OR %(collection)s = any(o.ingested_into))
        AND o.publication_id = 'pub_' || regexp_replace(o.id, '^dl_', '')
        AND o.publication_id <> %(publication_id)s
    FOR UPDATE OF o
) AS own
WHERE d.id = own.id
RETURNING own.publication_id;

-- name: publications_in_use
-- Returns those of some publications that have a document. A cluster joins no table of all nodes to their absence.
SELECT DISTINCT d.publication_id
FROM ragraph.document AS d
WHERE d.publication_id = any(%(publication_ids)s::text[]);

-- name: drop_publications
-- Deletes publications, which have no document.
DELETE FROM ragraph.publication AS p
WHERE p.id = any(%(publication_ids)s::text[]);

-- name: tag_publication
-- Adds the tags of this run to those of the publication.
UPDATE ragraph.publication AS p
SET
    tags = p.tags || (
        SELECT array_agg(wanted.tag)
        FROM unnest(%(tags)s::text[]) AS wanted (tag)
        WHERE NOT wanted.tag = any(p.tags)
    )
WHERE p.id = %(publication_id)s AND NOT p.tags @> %(tags)s::text[];

-- name: describe_publication
-- Adds the keys of a manifest to the metadata, unless somebody set the metadata by hand.
UPDATE ragraph.publication AS p
SET metadata = p.metadata || %(metadata)s::jsonb, updated_at = now()
WHERE
    p.id = %(publication_id)s
    AND NOT 'metadata' = any(p.set_by_hand)
    AND p.metadata || %(metadata)s::jsonb <> p.metadata;

-- name: complete_document
-- For runs without embedding, and for a file that is again as it was before it failed.
UPDATE ragraph.document AS d
SET processing_status = 'completed', error_message = NULL
WHERE d.id = %(document_id)s AND d.processing_status IN ('processing', 'failed') AND d.sha256 IS NOT NULL;

-- name: fail_document
-- The existing content stays and can be read.
UPDATE ragraph.document AS d
SET processing_status = 'failed', error_message = %(reason)s
WHERE
    d.id = %(document_id)s
    AND (d.processing_status, d.error_message) IS DISTINCT FROM ('failed', %(reason)s);

-- name: move_document
-- Stores the present location of the file of a document, and that ingesting into this collection matched it.
UPDATE ragraph.document AS d
SET
    source_uri = %(source_uri)s,
    -- an attachment without a title is called like its file
    title = CASE WHEN d.title = %(name)s THEN %(title)s ELSE d.title END,
    description = CASE WHEN d.title IS NOT NULL AND d.description = %(name)s THEN %(title)s ELSE d.description END,
    storage_url = CASE WHEN starts_with(d.storage_url, 'asset:') THEN d.storage_url ELSE %(source_uri)s END,
    ingested_into = CASE
        WHEN %(collection)s = any(d.ingested_into) THEN d.ingested_into ELSE d.ingested_into || %(collection)s
    END
WHERE
    d.id = %(document_id)s
    AND (d.source_uri IS DISTINCT FROM %(source_uri)s OR NOT %(collection)s = any(d.ingested_into));

-- name: keep_original
-- The original with these bytes is now stored.
UPDATE ragraph.document AS d
SET storage_url = %(storage_url)s
WHERE d.id = %(document_id)s AND d.sha256 = %(sha256)s;

-- name: retitle_publication
-- A publication named after its file is renamed with the file.
UPDATE ragraph.publication AS p
SET title = %(title)s, updated_at = now()
WHERE
    p.id = %(publication_id)s AND p.title = %(name)s AND %(title)s <> %(name)s
    AND NOT 'title' = any(p.set_by_hand);

-- name: clear_place
-- A location has one document in a collection. An earlier one keeps its content, and its file may turn up elsewhere. If
-- the document was moved out of the collection that is ingested into, it is the only one there too.
UPDATE ragraph.document AS d
SET source_uri = NULL, storage_url = CASE WHEN starts_with(d.storage_url, 'asset:') THEN d.storage_url END
WHERE
    d.source_uri = %(source_uri)s
    AND d.id <> %(document_id)s
    AND (
        d.collection IN (%(collection)s, %(own_collection)s)
        OR (%(own_collection)s <> %(collection)s AND %(collection)s = any(d.ingested_into))
    )
RETURNING d.id;

-- name: document_counts
SELECT
    (
        SELECT count(*) FROM ragraph.content_node AS n
        WHERE n.document_id = %(document_id)s
    ) AS nodes,
    (
        SELECT count(*) FROM ragraph.document_component AS c
        WHERE c.document_id = %(document_id)s
    ) AS components,
    (
        SELECT count(*) FROM ragraph.relation AS r
        WHERE r.document_id = %(document_id)s
    ) AS relations;

-- name: ensure_text_statistics
SELECT ragraph.ensure_text_statistics(recount => FALSE);
