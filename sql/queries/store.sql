-- name: list_documents
-- Documents in the order of ingestion. If ids or a collection are null, they do not restrict the list. Each table is told
-- if there is one id only: a cluster then asks one shard.
SELECT
    d.id,
    d.publication_id,
    coalesce(d.title, p.title) AS title,
    CASE WHEN d.title IS NULL THEN p.authors ELSE d.authors END AS authors,
    coalesce(d.publication_date, p.publication_date) AS publication_date,
    d.type,
    d.collection,
    d.language,
    d.mime_type,
    d.source_uri,
    d.file_size,
    d.page_count,
    d.processing_status,
    d.error_message,
    d.processed_at,
    (
        SELECT count(*) FROM ragraph.content_node AS n
        WHERE
            n.document_id = d.id
            AND (coalesce(cardinality(%(document_ids)s::text[]), 0) <> 1 OR n.document_id = (%(document_ids)s::text[])[1])
    ) AS nodes
FROM ragraph.document AS d
INNER JOIN ragraph.publication AS p ON d.publication_id = p.id
WHERE
    (%(document_ids)s::text[] IS NULL OR d.id = any(%(document_ids)s))
    AND (coalesce(cardinality(%(document_ids)s::text[]), 0) <> 1 OR d.id = (%(document_ids)s::text[])[1])
    AND (%(collection)s::text IS NULL OR d.collection = %(collection)s)
ORDER BY d.created_at, d.id
LIMIT %(limit)s::bigint OFFSET %(offset)s::bigint;

-- name: store_is_empty
SELECT NOT EXISTS (SELECT d.id FROM ragraph.document AS d);

-- name: note_unknown_value
-- Raises a notice if no document has this value in a field.
SELECT ragraph_private.note_unknown_value(%(field)s, %(wanted)s);

-- name: document_details
-- Details of documents that the listing does not have; of all documents if the ids are null.
SELECT
    d.id,
    p.abstract,
    p.citation,
    p.source,
    p.source_url,
    p.uri,
    p.tags,
    p.metadata,
    d.ingested_with,
    d.ts_config::text AS ts_config,
    (
        SELECT count(*) FROM ragraph.document_component AS c
        WHERE
            c.document_id = d.id
            AND (coalesce(cardinality(%(document_ids)s::text[]), 0) <> 1 OR c.document_id = (%(document_ids)s::text[])[1])
    ) AS components,
    (
        SELECT count(*) FROM ragraph.relation AS r
        WHERE
            r.document_id = d.id
            AND (coalesce(cardinality(%(document_ids)s::text[]), 0) <> 1 OR r.document_id = (%(document_ids)s::text[])[1])
    ) AS relations,
    (
        SELECT count(*) FROM ragraph.relation AS r
        WHERE
            r.document_id = d.id AND r.target_node_id IS NULL
            AND (coalesce(cardinality(%(document_ids)s::text[]), 0) <> 1 OR r.document_id = (%(document_ids)s::text[])[1])
    ) AS unresolved_relations,
    (
        SELECT coalesce(jsonb_object_agg(e.model_name, e.vectors), '{}'::jsonb)
        FROM (
            SELECT m.model_name, count(*) AS vectors
            FROM ragraph.embedding AS m
            WHERE
                m.document_id = d.id
                AND (coalesce(cardinality(%(document_ids)s::text[]), 0) <> 1 OR m.document_id = (%(document_ids)s::text[])[1])
            GROUP BY m.model_name
        ) AS e
    ) AS embeddings
FROM ragraph.document AS d
INNER JOIN ragraph.publication AS p ON d.publication_id = p.id
WHERE
    (%(document_ids)s::text[] IS NULL OR d.id = any(%(document_ids)s))
    AND (coalesce(cardinality(%(document_ids)s::text[]), 0) <> 1 OR d.id = (%(document_ids)s::text[])[1]);

-- name: document_length
-- Length of the text of a document in characters and words, counted as for quotes; null for one without nodes.
SELECT
    max(n.char_end) AS characters,
    sum(ragraph_private.count_words(n.content)) AS words
FROM ragraph.content_node AS n
WHERE n.document_id = %(document_id)s;

-- name: table_of_contents
-- The table of contents of a document.
SELECT * FROM ragraph.table_of_contents(%(document_id)s, %(max_depth)s::integer);

-- name: component_path
SELECT
    p.id AS component_id,
    p.component_type,
    p.title,
    p.depth
FROM ragraph.component_path(%(document_id)s, %(component_id)s) AS p;

-- name: nodes_on_page
SELECT * FROM ragraph.nodes_on_page(%(document_id)s, %(page)s::integer);

-- name: nodes_on_logical_page
SELECT * FROM ragraph.nodes_on_logical_page(%(document_id)s, %(label)s);

-- name: nodes_on_pages
SELECT * FROM ragraph.nodes_on_pages(%(document_id)s, %(pages)s::int4range);

-- name: nodes_in_component
SELECT * FROM ragraph.nodes_in_component(%(document_id)s, %(component_id)s);

-- name: components_named
-- Components of documents given by id, by title, by the title without its number, by the number or words at its
-- beginning; where a document has none, by the words of the title in other type, with or without the number of a chapter
-- ("XV: The Calculus." for "CHAPTER XV THE CALCULUS"); for each section and document the best matches first.
WITH wanted AS (
    SELECT
        s.section,
        lower(s.section) AS title,
        s.place
    FROM unnest(%(sections)s::text[]) WITH ORDINALITY AS s (section, place)
),

titled AS (
    SELECT
        c.document_id,
        c.id,
        c.title,
        c.depth,
        c.first_sequence,
        lower(c.title) AS lower_title,
        regexp_replace(lower(c.title), '^[0-9.]+\s+', '') AS without_number
    FROM ragraph.document_component AS c
    WHERE c.document_id = any(%(document_ids)s::text[])
),

written AS MATERIALIZED (
    SELECT
        w.section,
        w.place,
        t.document_id,
        t.id,
        t.depth AS nesting,
        t.first_sequence,
        CASE
            WHEN t.id = w.section THEN 0
            WHEN t.title = w.section THEN 1
            WHEN t.lower_title = w.title THEN 2
            WHEN t.without_number = w.title THEN 3
            ELSE 4
        END AS quality
    FROM titled AS t
    CROSS JOIN wanted AS w
    WHERE
        t.id = w.section
        OR t.lower_title = w.title
        OR t.without_number = w.title
        OR (starts_with(t.lower_title, w.title) AND substr(t.lower_title, length(w.title) + 1) ~ '^[.:)]?\s')
),

documents AS (
    SELECT DISTINCT t.document_id FROM titled AS t
),

lacking AS (
    SELECT
        w.section,
        w.title,
        w.place,
        d.document_id
    FROM wanted AS w
    CROSS JOIN documents AS d
    WHERE NOT EXISTS (
        SELECT 1 FROM written AS f
        WHERE f.place = w.place AND f.document_id = d.document_id
    )
),

compared AS (
    SELECT
        l.document_id,
        l.title,
        l.section,
        l.place,
        NULL AS id,
        NULL::integer AS nesting,
        NULL::integer AS first_sequence
    FROM lacking AS l
    UNION ALL
    SELECT
        t.document_id,
        t.lower_title,
        NULL,
        NULL,
        t.id,
        t.depth,
        t.first_sequence
    FROM titled AS t
    WHERE t.document_id IN (SELECT l.document_id FROM lacking AS l)
),

spelled AS (
    SELECT
        n.*,
        w.words,
        regexp_replace(
            w.words,
            '^((chapter|part|section|appendix|annex|article|book) )?'
            || '([0-9]+( [0-9]+)*|(xl|l?x{0,3})(ix|iv|v?i{0,3})|[a-z]) ',
            ''
        ) AS uncounted
    FROM compared AS n
    CROSS JOIN LATERAL trim(
        regexp_replace(n.title, '[[:punct:][:space:]“”‘’„«»–—…]+', ' ', 'g')
    ) AS w (words)
),

matched AS (
    SELECT * FROM written
    UNION ALL
    SELECT
        s.section,
        s.place,
        c.document_id,
        c.id,
        c.nesting,
        c.first_sequence,
        CASE WHEN c.words = s.words THEN 5 ELSE 6 END
    FROM spelled AS s
    INNER JOIN spelled AS c ON s.document_id = c.document_id AND s.uncounted = c.uncounted
    WHERE s.id IS NULL AND c.id IS NOT NULL AND s.uncounted <> ''
)

SELECT
    m.section,
    m.document_id,
    m.id,
    m.quality,
    m.nesting
FROM matched AS m
ORDER BY m.place, m.document_id, m.quality, m.nesting, m.first_sequence;

-- name: nodes_of_document
-- All nodes of a document in reading order.
SELECT n.* FROM ragraph.content_node AS n
WHERE n.document_id = %(document_id)s
ORDER BY n.sequence_in_document;

-- name: tables_of_nodes
-- The tables among some nodes of a document: caption, cells without markup, number of header rows, spans, HTML.
SELECT
    n.id,
    ragraph_private.header_rows(n.data) AS header_rows,
    n.data -> 'spans' AS spans,
    (
        SELECT string_agg(c.content, E'\n' ORDER BY c.sequence_in_document)
        FROM ragraph.relation AS r
        INNER JOIN ragraph.content_node AS c ON r.document_id = c.document_id AND r.target_node_id = c.id
        WHERE
            r.document_id = %(document_id)s
            AND r.source_node_id = n.id
            AND r.relation_type = 'IS_CAPTIONED_BY'
    ) AS caption,
    (
        SELECT
            jsonb_agg(
                (
                    SELECT coalesce(jsonb_agg(ragraph_private.inline_text(coalesce(e.cell, '')) ORDER BY e.place), '[]')
                    FROM
                        jsonb_array_elements_text(
                            CASE jsonb_typeof(t.cells) WHEN 'array' THEN t.cells ELSE '[]' END
                        ) WITH ORDINALITY AS e (cell, place)
                )
                ORDER BY t.place
            )
        FROM
            jsonb_array_elements(
                CASE jsonb_typeof(n.data -> 'cells') WHEN 'array' THEN n.data -> 'cells' ELSE '[]' END
            ) WITH ORDINALITY AS t (cells, place)
    ) AS cells,
    ragraph_private.render_table(
        n.data -> 'cells', ragraph_private.header_rows(n.data), 'html', n.data -> 'spans'
    ) AS html
FROM ragraph.content_node AS n
WHERE n.document_id = %(document_id)s AND n.id = any(%(nodes)s::text[]);

-- name: related_nodes
-- The nodes that relations lead to, nearest first, with the last relation of the path. The nodes are read by a function,
-- because a cluster would send a statement that names their table, and both functions, to a shard.
WITH related AS MATERIALIZED (
    SELECT
        %(document_id)s::text AS document_id,
        r.*
    FROM
        ragraph.related_nodes(
            %(document_id)s,
            %(node_id)s,
            %(relation_types)s::ragraph.relation_type[],
            %(direction)s,
            %(max_hops)s::integer
        ) AS r
)

SELECT
    r.relation_id,
    r.relation_type,
    r.marker_text,
    r.hop,
    r.path,
    n.*
FROM related AS r
INNER JOIN ragraph_private.nodes_of(
    (SELECT array_agg(o.document_id) FROM related AS o), (SELECT array_agg(o.node_id) FROM related AS o)
) AS n ON r.document_id = n.document_id AND r.node_id = n.id
ORDER BY r.hop, n.sequence_in_document, r.relation_id;

-- name: node_citation
-- The citation of one node, with its text.
WITH cited AS MATERIALIZED (
    SELECT * FROM ragraph.node_citation(%(document_id)s, %(node_id)s)
)

SELECT
    c.*,
    n.content,
    n.content_node_type
FROM cited AS c
INNER JOIN ragraph_private.nodes_of(ARRAY[%(document_id)s], ARRAY[%(node_id)s]) AS n
    ON c.document_id = n.document_id AND c.node_id = n.id;

-- name: cite_quote
-- The citation of a quote; refused if the node does not have its words.
SELECT c.*
FROM ragraph.cite_quote(%(document_id)s, %(node_id)s, %(quote)s, %(min_words)s) AS c;

-- name: document_text
SELECT ragraph.document_text(%(document_id)s);

-- name: render_document
SELECT
    ragraph.render_document(%(document_id)s, %(format)s, %(notes)s, %(page_breaks)s, %(furniture)s);

-- name: render_component
SELECT
    ragraph.render_component(
        %(document_id)s, %(component_id)s, %(format)s, %(notes)s, %(page_breaks)s, %(furniture)s
    );

-- name: render_range
SELECT
    ragraph.render_range(
        %(document_id)s, %(first)s::integer, %(last)s::integer, %(format)s, %(notes)s, %(page_breaks)s, %(furniture)s
    );

-- name: one_node
SELECT n.* FROM ragraph.content_node AS n
WHERE n.document_id = %(document_id)s AND n.id = %(node_id)s;

-- name: relations_of
-- Relations of a document with a target, in reading order of their markers; of some nodes, or of all.
SELECT
    r.id,
    r.source_node_id,
    r.target_node_id,
    r.relation_type,
    r.marker_text,
    r.marker_start
FROM ragraph.relation AS r
INNER JOIN ragraph.content_node AS n ON n.document_id = %(document_id)s AND r.source_node_id = n.id
WHERE
    r.document_id = %(document_id)s
    AND r.target_node_id IS NOT NULL
    AND (
        %(nodes)s::text[] IS NULL
        OR r.source_node_id = any(%(nodes)s)
        OR r.target_node_id = any(%(nodes)s)
    )
ORDER BY n.sequence_in_document, r.marker_start NULLS LAST, r.id;

-- name: graph_components
SELECT c.id, c.component_type, c.title, c.parent_component_id, c.depth, c.first_page, c.last_page
FROM ragraph.document_component AS c
WHERE c.document_id = %(document_id)s
ORDER BY c.depth, c.sequence_in_parent_major, c.sequence_in_parent_minor NULLS FIRST;

-- name: graph_relations
SELECT r.id, r.source_node_id, r.target_node_id, r.relation_type, r.marker_text
FROM ragraph.relation AS r
WHERE r.document_id = %(document_id)s AND r.target_node_id IS NOT NULL
ORDER BY r.id;

-- name: delete_document
SELECT ragraph.delete_document(%(document_id)s);

-- name: attached_to
SELECT ragraph_private.attached_to(%(document_id)s) AS attached;

-- name: common_words_of
-- Words of a document whose share is stored in the statistics.
SELECT DISTINCT
    t.collection,
    t.ts_config::oid AS ts_config,
    l.lexeme
FROM ragraph.content_node AS n
CROSS JOIN LATERAL unnest(n.text_search) AS l
INNER JOIN ragraph.text_statistics AS t
    ON n.collection = t.collection AND n.ts_config = t.ts_config AND t.shares ? l.lexeme
WHERE n.document_id = %(document_id)s;

-- name: forget_words
SELECT ragraph_private.forget_words(%(collections)s::text[], %(ts_configs)s::oid[], %(lexemes)s::text[]);

-- name: forget_files
-- Deletes records of jobs about the file of a document, and its lease unless somebody is working on it.
WITH files AS (
    DELETE FROM ragraph.ingest_file AS f
    WHERE f.document_id = %(document_id)s AND f.status IN ('completed', 'failed')
    RETURNING f.source_uri
)

DELETE FROM ragraph.ingest_lease AS l
WHERE
    l.source_uri IN (SELECT f.source_uri FROM files AS f)
    AND l.expires_at IS NULL
    AND NOT EXISTS (
        SELECT 1
        FROM ragraph.ingest_file AS o
        WHERE o.source_uri = l.source_uri AND o.status IN ('pending', 'processing')
    );

-- name: check_document
SELECT * FROM ragraph.check_document(%(document_id)s);

-- name: check_store
SELECT * FROM ragraph.check_store();

-- name: document_original
-- Location and kind of the original of a document.
SELECT d.id, d.storage_url, d.source_uri, d.sha256, d.mime_type, d.page_count
FROM ragraph.document AS d
WHERE d.id = %(document_id)s;

-- name: node_picture
SELECT n.storage_url, n.positional_data
FROM ragraph.content_node AS n
WHERE n.document_id = %(document_id)s AND n.id = %(node_id)s;

-- name: pictured_nodes
-- Nodes whose picture is stored, or is in the original under a name, in reading order.
SELECT n.id
FROM ragraph.content_node AS n
WHERE
    n.document_id = %(document_id)s
    AND n.content_node_type IN ('FIGURE', 'TABLE', 'FORMULA')
    AND (starts_with(n.storage_url, 'asset:') OR (%(packed)s AND n.storage_url IS NOT NULL))
ORDER BY n.sequence_in_document;

-- name: document_pages
SELECT
    p.page_pdf,
    p.page_logical,
    p.width,
    p.height,
    p.doubt
FROM ragraph.document_page AS p
WHERE p.document_id = %(document_id)s AND (%(page)s::integer IS NULL OR p.page_pdf = %(page)s)
ORDER BY p.page_pdf;

-- name: asset_named
-- True if a document or a figure refers to an asset; the caller has locked its bytes.
SELECT
    EXISTS (
        SELECT 1 FROM ragraph.document AS d
        WHERE d.sha256 = %(sha256)s AND d.storage_url = %(storage_url)s
    )
    OR EXISTS (
        SELECT 1 FROM ragraph.content_node AS n
        WHERE n.content_node_type IN ('FIGURE', 'TABLE', 'FORMULA') AND n.storage_url = %(storage_url)s
    )
    OR EXISTS (
        SELECT 1 FROM ragraph.document_version AS v
        WHERE v.head ->> 'storage_url' = %(storage_url)s
    )
    OR EXISTS (
        SELECT 1 FROM ragraph.document_version_row AS r
        WHERE r.kind = 'node' AND r.content ->> 'storage_url' = %(storage_url)s
    ) AS named;

-- name: assets_named
SELECT d.storage_url
FROM ragraph.document AS d
WHERE starts_with(d.storage_url, 'asset:')
UNION
SELECT n.storage_url
FROM ragraph.content_node AS n
WHERE n.content_node_type IN ('FIGURE', 'TABLE', 'FORMULA') AND starts_with(n.storage_url, 'asset:')
UNION
SELECT v.head ->> 'storage_url'
FROM ragraph.document_version AS v
WHERE starts_with(v.head ->> 'storage_url', 'asset:')
UNION
SELECT r.content ->> 'storage_url'
FROM ragraph.document_version_row AS r
WHERE r.kind = 'node' AND starts_with(r.content ->> 'storage_url', 'asset:')
ORDER BY storage_url;

-- name: assets_of
-- Assets that a document or a retained version of it refers to: its original, the pictures of its figures.
SELECT d.storage_url
FROM ragraph.document AS d
WHERE d.id = %(document_id)s AND starts_with(d.storage_url, 'asset:')
UNION
SELECT n.storage_url
FROM ragraph.content_node AS n
WHERE
    n.document_id = %(document_id)s
    AND n.content_node_type IN ('FIGURE', 'TABLE', 'FORMULA')
    AND starts_with(n.storage_url, 'asset:')
UNION
SELECT v.head ->> 'storage_url'
FROM ragraph.document_version AS v
WHERE v.document_id = %(document_id)s AND starts_with(v.head ->> 'storage_url', 'asset:')
UNION
SELECT r.content ->> 'storage_url'
FROM ragraph.document_version_row AS r
WHERE r.document_id = %(document_id)s AND r.kind = 'node' AND starts_with(r.content ->> 'storage_url', 'asset:');

-- name: texts_of_program
-- Documents of a collection that a program wrote as one text each, with text and metadata, in the order of writing. Ids
-- that are null do not restrict the list. A text of more than a million characters has several nodes.
SELECT
    d.id,
    p.metadata,
    (
        SELECT string_agg(n.content, '' ORDER BY n.sequence_in_document)
        FROM ragraph.content_node AS n
        WHERE n.document_id = d.id
    ) AS full_text
FROM ragraph.document AS d
INNER JOIN ragraph.publication AS p ON d.publication_id = p.id
WHERE
    d.collection = %(collection)s
    AND d.ingested_with ->> 'reader' = %(reader)s
    AND (%(document_ids)s::text[] IS NULL OR d.id = any(%(document_ids)s))
ORDER BY d.created_at, d.id;

-- name: documents_of_others
-- Those of the ids that are documents, but not of this program and collection.
SELECT d.id FROM ragraph.document AS d
WHERE
    d.id = any(%(document_ids)s)
    AND NOT (d.collection = %(collection)s AND coalesce(d.ingested_with ->> 'reader' = %(reader)s, FALSE))
ORDER BY d.id;

-- name: collection_has_documents
-- A row if any document is in a collection.
SELECT 1 AS found
WHERE EXISTS (SELECT 1 FROM ragraph.document AS d WHERE d.collection = %(collection)s);

-- name: count_texts_of_program
-- The number of documents of a collection that a program wrote as one text each.
SELECT count(*) AS texts FROM ragraph.document AS d
WHERE d.collection = %(collection)s AND d.ingested_with ->> 'reader' = %(reader)s;
