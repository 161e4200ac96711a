-- name: ingest_lock
-- Only one writer per document at a time; held to the end of the transaction.
SELECT pg_advisory_xact_lock(hashtextextended(%(document_id)s, 0));

-- name: ingest_lock_free
-- Locks, as ingest_lock does, those of some documents that nobody else is writing, and returns their ids.
SELECT wanted.id
FROM unnest(%(document_ids)s::text[]) AS wanted (id)
WHERE pg_try_advisory_xact_lock(hashtextextended(wanted.id, 0));

-- name: ingest_known
-- The state of a document before it is written: its collection, and whether it has any rows.
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
-- Oid of a text search configuration, or of simple if the server does not have it.
SELECT t.oid AS ts_config
FROM pg_catalog.pg_ts_config AS t
WHERE t.cfgnamespace = 'pg_catalog'::regnamespace AND t.cfgname IN (%(ts_config)s, 'simple')
ORDER BY t.cfgname = 'simple'
LIMIT 1;

-- name: ingest_known_ts_configs
-- The text search configurations of the documents of a collection whose language is known, of at most 1,000 that are
-- looked at, and how many have each; the usual one first.
SELECT
    s.ts_config::text AS ts_config,
    count(*) AS documents
FROM (
    SELECT d.ts_config
    FROM ragraph.document AS d
    WHERE d.collection = %(collection)s AND d.language IS NOT NULL
    ORDER BY d.id
    LIMIT 1000
) AS s
GROUP BY s.ts_config
ORDER BY count(*) DESC, s.ts_config::text ASC;

-- name: ingest_collections
-- The collections of some documents.
SELECT DISTINCT d.collection FROM ragraph.document AS d WHERE d.id = any(%(document_ids)s::text[]);

-- name: ingest_unusual_documents
-- The documents of a collection that have no language and none of some text search configurations.
SELECT d.id
FROM ragraph.document AS d
WHERE
    d.collection = %(collection)s
    AND d.language IS NULL
    AND NOT d.set_by_hand @> ARRAY['language']
    AND d.ts_config::text <> all(%(ts_configs)s::text[])
ORDER BY d.id;

-- name: ingest_as_usual
-- Sets the configuration of one of them, unless it has changed meanwhile.
UPDATE ragraph.document AS d
SET ts_config = %(ts_config)s::oid::regconfig
WHERE
    d.id = %(document_id)s
    AND d.collection = %(collection)s
    AND d.language IS NULL
    AND NOT d.set_by_hand @> ARRAY['language']
    AND d.ts_config <> %(ts_config)s::oid::regconfig
RETURNING d.id;

-- name: ingest_publication
-- Columns set by hand are retained.
INSERT INTO ragraph.publication AS p
(id, title, abstract, citation, authors, publication_date, source, source_url, uri, collection, tags, metadata)
VALUES
(
    %(id)s, %(title)s, %(abstract)s, %(citation)s, %(authors)s, %(publication_date)s, %(source)s, %(source_url)s,
    %(uri)s, %(collection)s, %(tags)s, %(metadata)s
)
ON CONFLICT (id) DO UPDATE SET
    title = ragraph_private.by_hand(p.set_by_hand, 'title', p.title, excluded.title),
    abstract = ragraph_private.by_hand(p.set_by_hand, 'abstract', p.abstract, excluded.abstract),
    citation = ragraph_private.by_hand(p.set_by_hand, 'citation', p.citation, excluded.citation),
    authors = ragraph_private.by_hand(p.set_by_hand, 'authors', p.authors, excluded.authors),
    publication_date = ragraph_private.by_hand(p.set_by_hand, 'publication_date', p.publication_date, excluded.publication_date),
    source = ragraph_private.by_hand(p.set_by_hand, 'source', p.source, excluded.source),
    source_url = ragraph_private.by_hand(p.set_by_hand, 'source_url', p.source_url, excluded.source_url),
    uri = ragraph_private.by_hand(p.set_by_hand, 'uri', p.uri, excluded.uri),
    tags = CASE WHEN excluded.tags = '{}' OR 'tags' = any(p.set_by_hand) THEN p.tags ELSE excluded.tags END,
    metadata = ragraph_private.by_hand(p.set_by_hand, 'metadata', p.metadata, excluded.metadata),
    updated_at = excluded.updated_at;

-- name: ingest_document
-- Values that a record supplied earlier are retained where the new row has none.
INSERT INTO ragraph.document
(
    id, publication_id, type, download_url, description, title, authors, publication_date, mime_type, charset,
    storage_url, file_size, language, version, collection, source_uri, sha256, page_count, ts_config, structure,
    ingested_with, processing_status, processed_at
)
VALUES
(
    %(id)s, %(publication_id)s, %(type)s::ragraph.document_type, %(download_url)s, %(description)s, %(title)s,
    %(authors)s, %(publication_date)s, %(mime_type)s, %(charset)s, %(storage_url)s, %(file_size)s, %(language)s,
    %(version)s, %(collection)s, %(source_uri)s, %(sha256)s, %(page_count)s, %(ts_config)s::oid::regconfig,
    %(structure)s, %(ingested_with)s, %(processing_status)s::ragraph.processing_status, now()
)
ON CONFLICT (id) DO UPDATE SET
    publication_id = excluded.publication_id,
    type = excluded.type,
    download_url = coalesce(excluded.download_url, document.download_url),
    description = coalesce(excluded.description, document.description),
    title = ragraph_private.by_hand(document.set_by_hand, 'title', document.title, excluded.title),
    authors = ragraph_private.by_hand(document.set_by_hand, 'authors', document.authors, excluded.authors),
    publication_date = ragraph_private.by_hand(
        document.set_by_hand, 'publication_date', document.publication_date, excluded.publication_date
    ),
    mime_type = coalesce(excluded.mime_type, document.mime_type),
    charset = excluded.charset,
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
    works_owed = coalesce(document.works_owed, '{}'),
    updated_at = excluded.updated_at,
    processed_at = excluded.processed_at;

-- name: ingest_digests_nodes
-- Digests of nodes without the type and content, which their id already covers. The position in reading order is not
-- included: a paragraph that another one moved down has not changed.
SELECT
    n.id,
    hash_record_extended(row(n.storage_url, n.description, n.embedding_source, n.positional_data, n.data), 0) AS digest
FROM ragraph.content_node AS n
WHERE n.document_id = %(document_id)s;

-- name: ingest_digests_components
SELECT
    c.id,
    hash_record_extended(row(c.parent_component_id, c.depth), 0) AS digest
FROM ragraph.document_component AS c
WHERE c.document_id = %(document_id)s;

-- name: ingest_digests_relations
SELECT
    r.id,
    hash_record_extended(row(r.target_node_id, r.marker_start, r.target_anchor), 0) AS digest,
    r.source_node_id,
    r.target_node_id,
    r.relation_type::text AS relation_type
FROM ragraph.relation AS r
WHERE r.document_id = %(document_id)s;

-- name: ingest_merge_relations_away
-- In the order of keys, so that two writers never deadlock.
WITH gone AS (
    SELECT r.id
    FROM ragraph.relation AS r
    WHERE r.document_id = %(document_id)s AND r.id = any(%(gone)s)
    ORDER BY r.id
    FOR UPDATE
)

DELETE FROM ragraph.relation AS r
USING gone
WHERE r.document_id = %(document_id)s AND r.id = gone.id;

-- name: ingest_merge_page
INSERT INTO ragraph.document_page AS p
(document_id, page_pdf, page_logical, width, height, doubt, collection)
VALUES
(
    %(document_id)s, %(page_pdf)s, %(page_logical)s::text, %(width)s::double precision, %(height)s::double precision,
    %(doubt)s::double precision, %(collection)s
)
ON CONFLICT (document_id, page_pdf) DO UPDATE SET
    page_logical = excluded.page_logical,
    width = excluded.width,
    height = excluded.height,
    doubt = excluded.doubt
WHERE
(p.page_logical, p.width, p.height, p.doubt)
IS DISTINCT FROM (excluded.page_logical, excluded.width, excluded.height, excluded.doubt);

-- name: ingest_merge_plan
-- Rows passed as a parameter have no statistics, and a nested loop over them would be quadratic.
SELECT set_config('citus.propagate_set_commands', 'local', TRUE); -- a setting without meaning on a single server

-- name: ingest_merge_plan_shards
SET LOCAL enable_nestloop = off;

-- name: ingest_merge_tree
-- Components and nodes in one statement: their foreign keys and orders are checked at its end, when all rows are in
-- place.
WITH gone_components AS (
    DELETE FROM ragraph.document_component AS c
    WHERE c.document_id = %(document_id)s AND c.id = any(%(gone_components)s)
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
    FROM
        json_to_recordset(%(components)s::json)
            AS s (
                id text,
                component_type ragraph.component_type,
                title text,
                parent_component_id text,
                depth integer,
                sequence_in_parent_major integer,
                sequence_in_parent_minor integer,
                page_range int4range,
                first_sequence integer,
                last_sequence integer
            )
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

gone_nodes AS (
    DELETE FROM ragraph.content_node AS n
    WHERE n.document_id = %(document_id)s AND n.id = any(%(gone_nodes)s)
)

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
FROM
    json_to_recordset(%(nodes)s::json)
        AS s (
            id text,
            parent_component_id text,
            storage_url text,
            description text,
            embedding_source ragraph.embedding_source,
            sequence_in_parent_major integer,
            sequence_in_parent_minor integer,
            sequence_in_document integer,
            positional_data jsonb,
            char_start integer,
            char_end integer,
            token_count integer,
            data jsonb
        )
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
    );

-- name: ingest_merge_language
-- A statement of its own, because setting the configuration parses the text of the row again.
UPDATE ragraph.content_node AS n
SET ts_config = %(ts_config)s::oid::regconfig
WHERE n.document_id = %(document_id)s AND n.ts_config <> %(ts_config)s::oid::regconfig;

-- name: ingest_merge_relations
-- Also sets the type: resolving turns notes that form a cycle into cross-references, and must start again from the
-- draft.
UPDATE ragraph.relation AS r
SET
    relation_type = s.relation_type,
    target_node_id = s.target_node_id,
    marker_start = s.marker_start,
    target_anchor = s.target_anchor
FROM
    json_to_recordset(%(relations)s::json)
        AS s (
            id text,
            relation_type ragraph.relation_type,
            target_node_id text,
            marker_start integer,
            target_anchor text
        )
WHERE
    r.document_id = %(document_id)s
    AND r.id = s.id
    AND (r.relation_type, r.target_node_id, r.marker_start, r.target_anchor)
    IS DISTINCT FROM (s.relation_type, s.target_node_id, s.marker_start, s.target_anchor);

-- name: ingest_merge_pages_away
DELETE FROM ragraph.document_page AS p
WHERE p.document_id = %(document_id)s AND p.page_pdf <> all(%(pages)s);

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
-- Inserts CONTINUES again, by the final reading order; the ids are those of ids.relation_id.
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
    p.height,
    p.doubt
FROM ragraph.document_page AS p
WHERE p.document_id = %(document_id)s
ORDER BY p.page_pdf;

-- name: ingest_load_nodes
-- Nodes in the order of the CONTINUES chain if there is one, else in the stored order.
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
-- All relations except the chain, which is deleted and inserted again when the document is sequenced.
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
-- For the statistics of full text search: -1 before nodes change, 1 after.
SELECT ragraph_private.note_text(%(document_id)s, %(sign)s);

-- name: ingest_note_texts
-- The same after several documents were written.
SELECT count(ragraph_private.note_text(written.id, 1)) FROM unnest(%(document_ids)s::text[]) AS written (id);

-- name: transaction_id
-- Id of this transaction, by which others can query its outcome, null if it has written nothing; and the start of this
-- run of the server. Statistics are reset after each crash, even of a single backend, while the postmaster continues.
SELECT
    pg_current_xact_id_if_assigned()::text AS transaction_id,
    pg_postmaster_start_time() AS server_since,
    pg_stat_get_bgwriter_stat_reset_time() AS statistics_since;

-- name: transaction_status
-- Null if the transaction is too old, or if the server may have crashed since: ids whose WAL was lost are assigned
-- again.
SELECT CASE
    WHEN
        pg_postmaster_start_time() = %(server_since)s
        AND pg_stat_get_bgwriter_stat_reset_time() = %(statistics_since)s
        THEN pg_xact_status(%(transaction_id)s::xid8)
END;

-- name: ingest_look_due
-- True if the number of nodes has tripled since they were last analysed; statistics of other sessions lag by a second.
-- Compares live rows, not changes, because analysing some columns does not reset the count of changes.
SELECT
    greatest(pg_stat_get_live_tuples(c.oid), %(nodes)s::bigint) >= greatest(500, 3 * c.reltuples)
    AND pg_has_role(c.relowner, 'USAGE')
    AND NOT ragraph_private.is_distributed() AS due
FROM pg_class AS c
WHERE c.oid = 'ragraph.content_node'::regclass;

-- name: ingest_look
-- The columns by which rows are found while a store is filled. A table that another session is analysing is skipped.
ANALYZE (SKIP_LOCKED) ragraph.document (id, collection), ragraph.document_page (document_id, page_pdf),
ragraph.document_component (document_id, id, parent_component_id, depth), ragraph.content_node (document_id, id),
ragraph.embedding (document_id, id, node_id, model_name, content_hash); -- noqa: PRS

-- name: readers_of_files
-- Which readers, of which version, have read the documents of files.
SELECT
    d.ingested_with ->> 'reader' AS reader,
    array_agg(d.id) AS documents
FROM ragraph.document AS d
WHERE d.source_uri = any(%(uris)s) AND d.ingested_with ->> 'reader' IS NOT NULL
GROUP BY d.ingested_with ->> 'reader'
ORDER BY d.ingested_with ->> 'reader';

-- name: seconds_of_reading
-- How many of these documents have a recorded time of reading, and its sum.
SELECT
    count(*)::integer AS documents,
    coalesce(sum(r.seconds), 0)::float AS seconds
FROM (
    SELECT DISTINCT ON (f.document_id) (f.stage_seconds ->> 'reading')::float AS seconds
    FROM ragraph.ingest_file AS f
    WHERE f.document_id = any(%(documents)s) AND f.stage_seconds ->> 'reading' IS NOT NULL
    ORDER BY f.document_id ASC, f.ended_at DESC
) AS r;

-- name: limit_transaction
-- Limits the statements of this transaction; lower limits stay, and those that this role may not set.
SELECT set_config(s.name, l.most::text, TRUE)
FROM pg_settings AS s
INNER JOIN (
    VALUES
    ('statement_timeout', %(milliseconds)s::bigint),
    ('work_mem', %(memory)s::bigint),
    ('temp_file_limit', %(files)s::bigint)
) AS l (name, most) ON s.name = l.name
WHERE
    (s.setting::bigint <= 0 OR s.setting::bigint > l.most)
    AND (s.context = 'user' OR has_parameter_privilege(s.name, 'SET'));
