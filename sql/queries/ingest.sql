-- name: ingest_lock
-- One writer per document at a time; held to the end of the transaction.
SELECT pg_advisory_xact_lock(hashtextextended(%(document_id)s, 0));

-- name: ingest_known
-- What is there of a document before it is written: its collection, and whether anything hangs on it.
SELECT
    d.collection,
    EXISTS (
        SELECT 1 FROM ragraph.content_node AS n
        WHERE n.document_id = d.id
    )
    OR EXISTS (
        SELECT 1 FROM ragraph.document_component AS c
        WHERE c.document_id = d.id
    )
    OR EXISTS (
        SELECT 1 FROM ragraph.document_page AS p
        WHERE p.document_id = d.id
    ) AS filled
FROM ragraph.document AS d
WHERE d.id = %(document_id)s;

-- name: ingest_ts_config
-- The oid of a text search configuration; of simple where the server lacks it.
SELECT t.oid AS ts_config
FROM pg_catalog.pg_ts_config AS t
WHERE t.cfgnamespace = 'pg_catalog'::regnamespace AND t.cfgname IN (%(ts_config)s, 'simple')
ORDER BY t.cfgname = 'simple'
LIMIT 1;

-- name: ingest_publication
-- What somebody set by hand stays.
INSERT INTO ragraph.publication AS p
(id, title, abstract, citation, authors, publication_date, source, source_url, uri, collection, tags, metadata)
VALUES
(
    %(id)s, %(title)s, %(abstract)s, %(citation)s, %(authors)s, %(publication_date)s, %(source)s, %(source_url)s,
    %(uri)s, %(collection)s, %(tags)s, %(metadata)s
)
ON CONFLICT (id) DO UPDATE SET
    title = CASE WHEN 'title' = any(p.set_by_hand) THEN p.title ELSE excluded.title END,
    abstract = CASE WHEN 'abstract' = any(p.set_by_hand) THEN p.abstract ELSE excluded.abstract END,
    citation = CASE WHEN 'citation' = any(p.set_by_hand) THEN p.citation ELSE excluded.citation END,
    authors = CASE WHEN 'authors' = any(p.set_by_hand) THEN p.authors ELSE excluded.authors END,
    publication_date = CASE
        WHEN 'publication_date' = any(p.set_by_hand) THEN p.publication_date ELSE excluded.publication_date
    END,
    source = CASE WHEN 'source' = any(p.set_by_hand) THEN p.source ELSE excluded.source END,
    source_url = CASE WHEN 'source_url' = any(p.set_by_hand) THEN p.source_url ELSE excluded.source_url END,
    uri = CASE WHEN 'uri' = any(p.set_by_hand) THEN p.uri ELSE excluded.uri END,
    tags = CASE WHEN excluded.tags = '{}' OR 'tags' = any(p.set_by_hand) THEN p.tags ELSE excluded.tags END,
    metadata = CASE WHEN 'metadata' = any(p.set_by_hand) THEN p.metadata ELSE excluded.metadata END,
    updated_at = now();

-- name: ingest_document
-- What a record said earlier of a document stays where the new row says nothing.
INSERT INTO ragraph.document
(
    id, publication_id, type, download_url, description, mime_type, charset, storage_url, file_size, language, version,
    collection, source_uri, sha256, page_count, ts_config, structure, ingested_with, processing_status, processed_at
)
VALUES
(
    %(id)s, %(publication_id)s, %(type)s::ragraph.document_type, %(download_url)s, %(description)s, %(mime_type)s,
    %(charset)s, %(storage_url)s, %(file_size)s, %(language)s, %(version)s, %(collection)s, %(source_uri)s, %(sha256)s,
    %(page_count)s, %(ts_config)s::oid::regconfig, %(structure)s, %(ingested_with)s,
    %(processing_status)s::ragraph.processing_status, now()
)
ON CONFLICT (id) DO UPDATE SET
    publication_id = excluded.publication_id,
    type = excluded.type,
    download_url = coalesce(excluded.download_url, document.download_url),
    description = coalesce(excluded.description, document.description),
    mime_type = coalesce(excluded.mime_type, document.mime_type),
    charset = coalesce(excluded.charset, document.charset),
    storage_url = coalesce(excluded.storage_url, document.storage_url),
    file_size = excluded.file_size,
    language = coalesce(excluded.language, document.language),
    version = coalesce(excluded.version, document.version),
    source_uri = coalesce(excluded.source_uri, document.source_uri),
    sha256 = excluded.sha256,
    page_count = excluded.page_count,
    ts_config = excluded.ts_config,
    structure = excluded.structure,
    ingested_with = excluded.ingested_with,
    processing_status = excluded.processing_status,
    error_message = NULL,
    updated_at = now(),
    processed_at = excluded.processed_at;

-- name: ingest_stage
-- Empty tables of the session, with the columns that the ingester writes.
DROP TABLE IF EXISTS
pg_temp.staged_page, pg_temp.staged_component, pg_temp.staged_node, pg_temp.staged_relation, pg_temp.before_write;
CREATE TEMPORARY TABLE before_write (kind text, id text, digest bigint) ON COMMIT DROP;
CREATE TEMPORARY TABLE staged_page ON COMMIT DROP AS
SELECT
    document_id,
    page_pdf,
    page_logical,
    width,
    height,
    collection
FROM ragraph.document_page WITH NO DATA;
CREATE TEMPORARY TABLE staged_component ON COMMIT DROP AS
SELECT
    document_id,
    id,
    component_type,
    title,
    parent_component_id,
    depth,
    sequence_in_parent_major,
    sequence_in_parent_minor,
    page_range,
    first_sequence,
    last_sequence,
    collection
FROM ragraph.document_component WITH NO DATA;
CREATE TEMPORARY TABLE staged_node ON COMMIT DROP AS
SELECT
    document_id,
    id,
    parent_component_id,
    content_node_type,
    content,
    storage_url,
    description,
    embedding_source,
    sequence_in_parent_major,
    sequence_in_parent_minor,
    sequence_in_document,
    positional_data,
    content_hash,
    token_count,
    char_start,
    char_end,
    data,
    ts_config,
    collection
FROM ragraph.content_node WITH NO DATA;
CREATE TEMPORARY TABLE staged_relation ON COMMIT DROP AS
SELECT
    document_id,
    id,
    source_node_id,
    target_node_id,
    relation_type,
    marker_text,
    marker_start,
    target_anchor,
    collection
FROM ragraph.relation WITH NO DATA;

-- name: ingest_analyze
ANALYZE pg_temp.staged_page, pg_temp.staged_component, pg_temp.staged_node, pg_temp.staged_relation;

-- name: ingest_remember
-- What the rows of a document say, before they are written. Type, content and the like are in the id already, and
-- places in the order are not part of it: a paragraph that another one pushed down has not changed.
INSERT INTO pg_temp.before_write (kind, id, digest)
SELECT
    'node' AS kind,
    n.id,
    hash_record_extended(row(n.storage_url, n.description, n.embedding_source, n.positional_data, n.data), 0) AS digest
FROM ragraph.content_node AS n
WHERE n.document_id = %(document_id)s
UNION ALL
SELECT
    'component' AS kind,
    c.id,
    hash_record_extended(row(c.parent_component_id, c.depth), 0) AS digest
FROM ragraph.document_component AS c
WHERE c.document_id = %(document_id)s
UNION ALL
SELECT
    'relation' AS kind,
    r.id,
    hash_record_extended(row(r.target_node_id, r.marker_start, r.target_anchor), 0) AS digest
FROM ragraph.relation AS r
WHERE r.document_id = %(document_id)s AND r.relation_type <> 'CONTINUES';

-- name: ingest_tally
-- Per kind how many rows the write added, changed, removed and left as they were.
SELECT
    coalesce(a.kind, b.kind) AS kind,
    count(*) FILTER (WHERE b.id IS NULL) AS added,
    count(*) FILTER (WHERE a.digest <> b.digest) AS changed,
    count(*) FILTER (WHERE a.id IS NULL) AS removed,
    count(*) FILTER (WHERE a.digest = b.digest) AS unchanged
FROM (
    SELECT
        'node' AS kind,
        n.id,
        hash_record_extended(row(n.storage_url, n.description, n.embedding_source, n.positional_data, n.data), 0)
            AS digest
    FROM ragraph.content_node AS n
    WHERE n.document_id = %(document_id)s
    UNION ALL
    SELECT
        'component' AS kind,
        c.id,
        hash_record_extended(row(c.parent_component_id, c.depth), 0) AS digest
    FROM ragraph.document_component AS c
    WHERE c.document_id = %(document_id)s
    UNION ALL
    SELECT
        'relation' AS kind,
        r.id,
        hash_record_extended(row(r.target_node_id, r.marker_start, r.target_anchor), 0) AS digest
    FROM ragraph.relation AS r
    WHERE r.document_id = %(document_id)s AND r.relation_type <> 'CONTINUES'
) AS a
FULL JOIN pg_temp.before_write AS b ON a.kind = b.kind AND a.id = b.id
GROUP BY coalesce(a.kind, b.kind);

-- name: ingest_merge_relations_away
-- Edges that go, in the order of their keys, so that two writers never wait for each other.
WITH gone AS (
    SELECT r.id
    FROM ragraph.relation AS r
    WHERE
        r.document_id = %(document_id)s
        AND (
            NOT EXISTS (
                SELECT 1 FROM pg_temp.staged_relation AS s
                WHERE s.id = r.id
            )
            OR NOT EXISTS (
                SELECT 1 FROM pg_temp.staged_node AS s
                WHERE s.id = r.source_node_id
            )
            OR (
                r.target_node_id IS NOT NULL
                AND NOT EXISTS (
                    SELECT 1 FROM pg_temp.staged_node AS s
                    WHERE s.id = r.target_node_id
                )
            )
        )
    ORDER BY r.id
    FOR UPDATE
)

DELETE FROM ragraph.relation AS r
USING gone
WHERE r.document_id = %(document_id)s AND r.id = gone.id;

-- name: ingest_merge_pages
INSERT INTO ragraph.document_page AS p
(document_id, page_pdf, page_logical, width, height, collection)
SELECT
    s.document_id,
    s.page_pdf,
    s.page_logical,
    s.width,
    s.height,
    s.collection
FROM pg_temp.staged_page AS s
ON CONFLICT (document_id, page_pdf) DO UPDATE SET
    page_logical = excluded.page_logical,
    width = excluded.width,
    height = excluded.height
WHERE
(p.page_logical, p.width, p.height) IS DISTINCT FROM (excluded.page_logical, excluded.width, excluded.height);

-- name: ingest_merge_tree
-- Components and nodes in one statement: their foreign keys and orders are checked at its end, when all is in place.
WITH gone_components AS (
    DELETE FROM ragraph.document_component AS c
    WHERE
        c.document_id = %(document_id)s
        AND NOT EXISTS (
            SELECT 1 FROM pg_temp.staged_component AS s
            WHERE s.id = c.id
        )
),

kept_components AS (
    UPDATE ragraph.document_component AS c
    SET
        component_type = s.component_type,
        title = s.title,
        parent_component_id = s.parent_component_id,
        depth = s.depth,
        sequence_in_parent_major = s.sequence_in_parent_major,
        sequence_in_parent_minor = s.sequence_in_parent_minor,
        page_range = s.page_range,
        first_sequence = s.first_sequence,
        last_sequence = s.last_sequence
    FROM pg_temp.staged_component AS s
    WHERE
        c.document_id = %(document_id)s
        AND c.id = s.id
        AND (
            c.parent_component_id, c.depth, c.sequence_in_parent_major, c.sequence_in_parent_minor, c.page_range,
            c.first_sequence, c.last_sequence
        ) IS DISTINCT FROM (
            s.parent_component_id, s.depth, s.sequence_in_parent_major, s.sequence_in_parent_minor, s.page_range,
            s.first_sequence, s.last_sequence
        )
),

new_components AS (
    INSERT INTO ragraph.document_component
    (
        document_id, id, component_type, title, parent_component_id, depth, sequence_in_parent_major,
        sequence_in_parent_minor, page_range, first_sequence, last_sequence, collection
    )
    SELECT
        s.document_id,
        s.id,
        s.component_type,
        s.title,
        s.parent_component_id,
        s.depth,
        s.sequence_in_parent_major,
        s.sequence_in_parent_minor,
        s.page_range,
        s.first_sequence,
        s.last_sequence,
        s.collection
    FROM pg_temp.staged_component AS s
    WHERE
        NOT EXISTS (
            SELECT 1 FROM ragraph.document_component AS c
            WHERE c.document_id = %(document_id)s AND c.id = s.id
        )
),

gone_nodes AS (
    DELETE FROM ragraph.content_node AS n
    WHERE
        n.document_id = %(document_id)s
        AND NOT EXISTS (
            SELECT 1 FROM pg_temp.staged_node AS s
            WHERE s.id = n.id
        )
),

kept_nodes AS (
    UPDATE ragraph.content_node AS n
    SET
        parent_component_id = s.parent_component_id,
        storage_url = s.storage_url,
        description = s.description,
        embedding_source = s.embedding_source,
        sequence_in_parent_major = s.sequence_in_parent_major,
        sequence_in_parent_minor = s.sequence_in_parent_minor,
        sequence_in_document = s.sequence_in_document,
        positional_data = s.positional_data,
        char_start = s.char_start,
        char_end = s.char_end,
        token_count = coalesce(nullif(s.token_count, 0), n.token_count),
        data = s.data
    FROM pg_temp.staged_node AS s
    WHERE
        n.document_id = %(document_id)s
        AND n.id = s.id
        AND (
            n.parent_component_id, n.storage_url, n.description, n.embedding_source, n.sequence_in_parent_major,
            n.sequence_in_parent_minor, n.sequence_in_document, n.positional_data, n.char_start, n.char_end, n.token_count,
            n.data
        ) IS DISTINCT FROM (
            s.parent_component_id, s.storage_url, s.description, s.embedding_source, s.sequence_in_parent_major,
            s.sequence_in_parent_minor, s.sequence_in_document, s.positional_data, s.char_start, s.char_end,
            coalesce(nullif(s.token_count, 0), n.token_count), s.data
        )
)

INSERT INTO ragraph.content_node
(
    document_id, id, parent_component_id, content_node_type, content, storage_url, description, embedding_source,
    sequence_in_parent_major, sequence_in_parent_minor, sequence_in_document, positional_data, content_hash,
    token_count, char_start, char_end, data, ts_config, collection
)
SELECT
    s.document_id,
    s.id,
    s.parent_component_id,
    s.content_node_type,
    s.content,
    s.storage_url,
    s.description,
    s.embedding_source,
    s.sequence_in_parent_major,
    s.sequence_in_parent_minor,
    s.sequence_in_document,
    s.positional_data,
    s.content_hash,
    s.token_count,
    s.char_start,
    s.char_end,
    s.data,
    s.ts_config,
    s.collection
FROM pg_temp.staged_node AS s
WHERE NOT EXISTS (
    SELECT 1 FROM ragraph.content_node AS n
    WHERE n.document_id = %(document_id)s AND n.id = s.id
);

-- name: ingest_merge_language
-- On its own, since to set it is to parse the text of the row again.
UPDATE ragraph.content_node AS n
SET ts_config = s.ts_config
FROM pg_temp.staged_node AS s
WHERE n.document_id = %(document_id)s AND n.id = s.id AND n.ts_config <> s.ts_config;

-- name: ingest_merge_relations
WITH kept AS (
    UPDATE ragraph.relation AS r
    SET
        target_node_id = s.target_node_id,
        marker_start = s.marker_start,
        target_anchor = s.target_anchor
    FROM pg_temp.staged_relation AS s
    WHERE
        r.document_id = %(document_id)s
        AND r.id = s.id
        AND (r.target_node_id, r.marker_start, r.target_anchor)
        IS DISTINCT FROM (s.target_node_id, s.marker_start, s.target_anchor)
)

INSERT INTO ragraph.relation
(
    document_id, id, source_node_id, target_node_id, relation_type, marker_text, marker_start, target_anchor, collection
)
SELECT
    s.document_id,
    s.id,
    s.source_node_id,
    s.target_node_id,
    s.relation_type,
    s.marker_text,
    s.marker_start,
    s.target_anchor,
    s.collection
FROM pg_temp.staged_relation AS s
WHERE NOT EXISTS (
    SELECT 1 FROM ragraph.relation AS r
    WHERE r.document_id = %(document_id)s AND r.id = s.id
);

-- name: ingest_merge_pages_away
DELETE FROM ragraph.document_page AS p
WHERE
    p.document_id = %(document_id)s
    AND NOT EXISTS (
        SELECT 1 FROM pg_temp.staged_page AS s
        WHERE s.page_pdf = p.page_pdf
    );

-- name: ingest_resolve
SELECT ragraph.resolve_relations(%(document_id)s);

-- name: ingest_unresolved
SELECT count(*) AS unresolved
FROM ragraph.relation AS r
WHERE r.document_id = %(document_id)s AND r.target_node_id IS NULL;

-- name: ingest_sequence
SELECT ragraph.sequence_document(%(document_id)s);

-- name: ingest_number_pages
SELECT ragraph.number_pages(%(document_id)s);

-- name: ingest_chain
-- CONTINUES anew, by the final reading order; the ids are those that ids.relation_id gives.
INSERT INTO ragraph.relation
(document_id, id, source_node_id, target_node_id, relation_type, collection)
SELECT
    f.document_id,
    'rel_' || left(
        encode(
            sha256(
                convert_to(f.document_id, 'UTF8') || '\x00'::bytea || convert_to(f.id, 'UTF8')
                || '\x00'::bytea || convert_to('CONTINUES', 'UTF8') || '\x0000'::bytea || convert_to('0', 'UTF8')
            ),
            'hex'
        ),
        24
    ) AS id,
    f.id AS source_node_id,
    f.earlier AS target_node_id,
    'CONTINUES' AS relation_type,
    f.collection
FROM (
    SELECT
        n.document_id,
        n.id,
        n.collection,
        lag(n.id) OVER (ORDER BY n.sequence_in_document) AS earlier
    FROM ragraph.content_node AS n
    WHERE n.document_id = %(document_id)s
) AS f
WHERE f.earlier IS NOT NULL;

-- name: ingest_load_document
SELECT
    d.id,
    d.publication_id,
    d.type::text AS document_type,
    d.collection,
    d.structure,
    d.ts_config::text AS ts_config
FROM ragraph.document AS d
WHERE d.id = %(document_id)s;

-- name: ingest_load_pages
SELECT
    p.page_pdf,
    p.page_logical,
    p.width,
    p.height
FROM ragraph.document_page AS p
WHERE p.document_id = %(document_id)s
ORDER BY p.page_pdf;

-- name: ingest_load_nodes
-- Nodes in the order of the CONTINUES chain if there is one, else in the order stored.
SELECT
    n.id,
    n.content_node_type::text AS content_node_type,
    n.content,
    n.content_hash,
    n.sequence_in_document,
    n.sequence_in_parent_major,
    n.sequence_in_parent_minor,
    n.parent_component_id,
    n.storage_url,
    n.description,
    n.embedding_source::text AS embedding_source,
    n.positional_data,
    n.char_start,
    n.char_end,
    n.data
FROM ragraph_private.chain_order(%(document_id)s) AS o
CROSS JOIN LATERAL unnest(o.ids, o.ranks) AS ordered (id, place)
INNER JOIN ragraph.content_node AS n ON ordered.id = n.id
WHERE n.document_id = %(document_id)s
ORDER BY ordered.place;

-- name: ingest_load_relations
-- All edges but the chain, which stage two drops and makes anew.
SELECT
    r.id,
    r.source_node_id,
    r.relation_type::text AS relation_type,
    r.target_node_id,
    r.marker_text,
    r.marker_start,
    r.target_anchor
FROM ragraph.relation AS r
WHERE r.document_id = %(document_id)s AND r.relation_type <> 'CONTINUES'
ORDER BY r.id;

-- name: ingest_note_text
-- For the statistics of text search: -1 before nodes change, 1 after.
SELECT ragraph_private.note_text(%(document_id)s, %(sign)s);
