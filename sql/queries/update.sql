-- Changes that people make to a document, in one transaction: it is locked, changed, and moved with all its rows.

-- name: collection_exists
SELECT d.id FROM ragraph.document AS d
WHERE d.collection = %(collection)s
ORDER BY d.id
LIMIT 1;

-- name: update_lock
-- Locks a document and its publication until the end of the transaction.
SELECT
    d.publication_id,
    d.collection,
    d.sha256,
    d.source_uri,
    d.title AS own_title,
    p.tags,
    p.metadata
FROM ragraph.document AS d
INNER JOIN ragraph.publication AS p ON d.publication_id = p.id
WHERE d.id = %(document_id)s
FOR UPDATE;

-- name: require_document
-- Raises RG001 with the document that may be meant.
SELECT ragraph_private.require_document(%(document_id)s);

-- name: update_file
-- Bytes, location and collection of the file of a document, which must be locked before the document itself.
SELECT
    d.sha256,
    d.source_uri,
    d.collection
FROM ragraph.document AS d
WHERE d.id = %(document_id)s;

-- name: same_file
-- A document of a collection with the same bytes, or else from the same location. Attached documents may have the same
-- bytes.
SELECT
    d.id,
    coalesce(d.sha256 = %(sha256)s, FALSE) AS same_content
FROM ragraph.document AS d
WHERE
    d.collection = %(collection)s
    AND d.id <> %(document_id)s
    AND (
        (ragraph_private.file_around(%(source_uri)s) IS NULL AND d.sha256 = %(sha256)s)
        OR d.source_uri = %(source_uri)s
    )
ORDER BY same_content DESC, d.created_at ASC, d.id ASC
LIMIT 1;

-- name: update_publication
UPDATE ragraph.publication AS p
SET
    title = CASE WHEN g.given ? 'title' THEN g.given ->> 'title' ELSE p.title END,
    abstract = CASE WHEN g.given ? 'abstract' THEN g.given ->> 'abstract' ELSE p.abstract END,
    citation = CASE WHEN g.given ? 'citation' THEN g.given ->> 'citation' ELSE p.citation END,
    authors = CASE WHEN g.given ? 'authors' THEN g.given ->> 'authors' ELSE p.authors END,
    publication_date = CASE
        WHEN g.given ? 'publication_date' THEN (g.given ->> 'publication_date')::date ELSE p.publication_date
    END,
    source = CASE WHEN g.given ? 'source' THEN g.given ->> 'source' ELSE p.source END,
    source_url = CASE WHEN g.given ? 'source_url' THEN g.given ->> 'source_url' ELSE p.source_url END,
    uri = CASE WHEN g.given ? 'uri' THEN g.given ->> 'uri' ELSE p.uri END,
    metadata = CASE WHEN g.given ? 'metadata' THEN g.given -> 'metadata' ELSE p.metadata END,
    tags = coalesce(%(tags)s::text[], p.tags),
    set_by_hand = array(
        SELECT DISTINCT c.name FROM unnest(p.set_by_hand || %(columns)s::text[]) AS c (name) ORDER BY c.name
    ),
    updated_at = now()
FROM (SELECT %(given)s::jsonb AS given) AS g
WHERE p.id = %(publication_id)s;

-- name: update_document
UPDATE ragraph.document AS d
SET
    language = CASE WHEN g.given ? 'language' THEN g.given ->> 'language' ELSE d.language END,
    ts_config = CASE WHEN g.given ? 'language' THEN %(ts_config)s::oid::regconfig ELSE d.ts_config END,
    description = CASE WHEN g.given ? 'description' THEN g.given ->> 'description' ELSE d.description END,
    title = CASE WHEN g.given ? 'title' THEN g.given ->> 'title' ELSE d.title END,
    authors = CASE WHEN g.given ? 'authors' THEN g.given ->> 'authors' ELSE d.authors END,
    publication_date = CASE
        WHEN g.given ? 'publication_date' THEN (g.given ->> 'publication_date')::date ELSE d.publication_date
    END,
    version = CASE WHEN g.given ? 'version' THEN g.given ->> 'version' ELSE d.version END,
    download_url = CASE WHEN g.given ? 'download_url' THEN g.given ->> 'download_url' ELSE d.download_url END,
    set_by_hand = array(
        SELECT DISTINCT c.name FROM unnest(d.set_by_hand || %(columns)s::text[]) AS c (name) ORDER BY c.name
    ),
    updated_at = now()
FROM (SELECT %(given)s::jsonb AS given) AS g
WHERE d.id = %(document_id)s;

-- name: update_node_language
UPDATE ragraph.content_node AS n
SET ts_config = %(ts_config)s::oid::regconfig
WHERE n.document_id = %(document_id)s AND n.ts_config <> %(ts_config)s::oid::regconfig;

-- name: update_note_text
SELECT ragraph_private.note_text(%(document_id)s, %(sign)s);

-- name: update_collection
-- One statement, because the foreign keys that bind every row to the collection of its document are checked at its end.
WITH pages AS (
    UPDATE ragraph.document_page AS p
    SET collection = %(collection)s
    WHERE p.document_id = %(document_id)s
),

components AS (
    UPDATE ragraph.document_component AS c
    SET collection = %(collection)s
    WHERE c.document_id = %(document_id)s
),

nodes AS (
    UPDATE ragraph.content_node AS n
    SET collection = %(collection)s
    WHERE n.document_id = %(document_id)s
),

relations AS (
    UPDATE ragraph.relation AS r
    SET collection = %(collection)s
    WHERE r.document_id = %(document_id)s
),

document_relations AS (
    UPDATE ragraph.document_relation AS r
    SET collection = %(collection)s
    WHERE r.document_id = %(document_id)s
),

embeddings AS (
    UPDATE ragraph.embedding AS e
    SET collection = %(collection)s
    WHERE e.document_id = %(document_id)s
),

entities AS (
    UPDATE ragraph.entity AS e
    SET collection = %(collection)s
    WHERE e.document_id = %(document_id)s
),

mentions AS (
    UPDATE ragraph.mention AS m
    SET collection = %(collection)s
    WHERE m.document_id = %(document_id)s
),

entity_relations AS (
    UPDATE ragraph.entity_relation AS r
    SET collection = %(collection)s
    WHERE r.document_id = %(document_id)s
),

extractions AS (
    UPDATE ragraph.entity_extraction AS x
    SET collection = %(collection)s
    WHERE x.document_id = %(document_id)s
),

works AS (
    UPDATE ragraph.work_entry AS e
    SET collection = %(collection)s
    WHERE e.document_id = %(document_id)s
),

sentences AS (
    UPDATE ragraph.node_sentences AS s
    SET collection = %(collection)s
    WHERE s.document_id = %(document_id)s
),

reviews AS (
    UPDATE ragraph.node_review AS r
    SET collection = %(collection)s
    WHERE r.document_id = %(document_id)s
),

versions AS (
    UPDATE ragraph.document_version AS v
    SET collection = %(collection)s
    WHERE v.document_id = %(document_id)s
),

version_rows AS (
    UPDATE ragraph.document_version_row AS r
    SET collection = %(collection)s
    WHERE r.document_id = %(document_id)s
)

UPDATE ragraph.document AS d
SET collection = %(collection)s, updated_at = now()
WHERE d.id = %(document_id)s;

-- name: publication_has_others
-- True if a publication has documents in another collection.
SELECT count(*) > 0 AS has_others
FROM ragraph.document AS d
WHERE d.publication_id = %(publication_id)s AND d.collection <> %(collection)s;

-- name: update_publication_collection
UPDATE ragraph.publication AS p
SET collection = %(collection)s
WHERE p.id = %(publication_id)s;

-- name: undescribed_figures
-- Figures that no model has described, or all of them with ``again``; a description by the format itself is retained.
SELECT
    n.document_id,
    n.id AS node_id,
    (
        SELECT string_agg(c.content, ' ' ORDER BY c.sequence_in_document)
        FROM ragraph.relation AS r
        INNER JOIN ragraph.content_node AS c ON r.document_id = c.document_id AND r.target_node_id = c.id
        WHERE r.document_id = n.document_id AND r.source_node_id = n.id AND r.relation_type = 'IS_CAPTIONED_BY'
    ) AS caption
FROM ragraph.content_node AS n
WHERE
    n.content_node_type = 'FIGURE'
    AND (%(document_ids)s::text[] IS NULL OR n.document_id = any(%(document_ids)s::text[]))
    AND (n.description IS NULL OR (%(again)s AND n.data ? 'described_by'))
ORDER BY n.document_id, n.sequence_in_document;

-- name: describe_figure
-- The description by a model becomes the embedded text of a figure; `ragraph embed` finds that it has changed.
WITH described AS (
    UPDATE ragraph.content_node AS n
    SET
        description = %(description)s,
        embedding_source = 'DESCRIPTION',
        data = n.data || jsonb_build_object('described_by', %(model)s::text)
    WHERE n.document_id = %(document_id)s AND n.id = %(node_id)s
    RETURNING n.document_id
)

UPDATE ragraph.document AS d
SET ingested_with = d.ingested_with - 'embedded', processed_at = now()
FROM described AS f
WHERE d.id = f.document_id;
