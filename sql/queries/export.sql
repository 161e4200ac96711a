-- name: export_document
-- All rows of a document except its vectors, in the form of ragraph.ingest.graph_rows; parent components first. Reviews
-- are null if there are none. The parts are json, because a jsonb array takes many times the memory, 256 MB at most.
SELECT
    json_build_object(
        'graph',
        json_build_object(
            'publication',
            to_jsonb(p) - '{created_at, updated_at, set_by_hand}'::text[],
            'document',
            to_jsonb(d) - '{created_at, updated_at, processed_at, error_message, set_by_hand, ingested_into, works_owed}'::text[],
            'pages',
            (
                SELECT coalesce(json_agg(to_jsonb(x) - '{document_id, collection}'::text[] ORDER BY x.page_pdf), '[]')
                FROM ragraph.document_page AS x
                WHERE x.document_id = %(document_id)s
            ),
            'components',
            (
                SELECT
                    coalesce(
                        json_agg(
                            to_jsonb(x) - '{document_id, collection, first_page, last_page, parent_depth}'::text[]
                            || jsonb_build_object(
                                'page_range',
                                CASE
                                    WHEN x.page_range IS NOT NULL
                                        THEN jsonb_build_array(lower(x.page_range), upper(x.page_range) - 1)
                                END
                            )
                            ORDER BY x.depth, x.sequence_in_parent_major, x.id
                        ),
                        '[]'
                    )
                FROM ragraph.document_component AS x
                WHERE x.document_id = %(document_id)s
            ),
            'nodes',
            (
                SELECT
                    coalesce(
                        json_agg(
                            to_jsonb(x)
                            - '{document_id, collection, first_page, last_page, ts_config, text_search}'::text[]
                            ORDER BY x.sequence_in_document
                        ),
                        '[]'
                    )
                FROM ragraph.content_node AS x
                WHERE x.document_id = %(document_id)s
            ),
            'relations',
            (
                SELECT coalesce(json_agg(to_jsonb(x) - '{document_id, collection}'::text[] ORDER BY x.id), '[]')
                FROM ragraph.relation AS x
                WHERE x.document_id = %(document_id)s
            )
        ),
        'by_hand',
        json_build_object(
            'publication', p.set_by_hand, 'document', d.set_by_hand, 'ingested_into', d.ingested_into
        ),
        'reviews',
        (
            SELECT json_agg(to_jsonb(x) - '{document_id, collection}'::text[] ORDER BY x.id)
            FROM ragraph.node_review AS x
            WHERE x.document_id = %(document_id)s
        )
    ) AS held
FROM ragraph.document AS d
INNER JOIN ragraph.publication AS p ON d.publication_id = p.id
WHERE d.id = %(document_id)s;

-- name: export_vectors
SELECT
    e.model_name,
    e.id,
    e.node_id,
    e.embedding_source::text AS embedding_source,
    e.part,
    e.char_start,
    e.char_end,
    e.content_hash,
    e.embedding_vector::text AS numbers
FROM ragraph.embedding AS e
WHERE e.document_id = %(document_id)s AND ragraph_private.require_visible_vectors()
ORDER BY e.model_name, e.id;

-- name: restore_document_by_hand
-- Columns set by hand stay so, and files are known in the collections that they were ingested into.
UPDATE ragraph.document AS d
SET set_by_hand = %(document)s, ingested_into = %(ingested_into)s
WHERE
    d.id = %(document_id)s
    AND (d.set_by_hand, d.ingested_into) IS DISTINCT FROM (%(document)s::text[], %(ingested_into)s::text[]);

-- name: restore_publication_by_hand
-- A query of its own: a cluster has publications on every node, but documents on one.
UPDATE ragraph.publication AS p
SET set_by_hand = %(publication)s
WHERE p.id = %(publication_id)s AND p.set_by_hand IS DISTINCT FROM %(publication)s::text[];
