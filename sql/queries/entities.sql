-- name: extraction_documents
-- Documents with nodes, of those with the given ids or in the collection, or of all.
SELECT d.id
FROM ragraph.document AS d
WHERE
    (%(document_ids)s::text[] IS NULL OR d.id = any(%(document_ids)s::text[]))
    AND (%(collection)s::text IS NULL OR d.collection = %(collection)s::text)
    AND EXISTS (SELECT 1 FROM ragraph.content_node AS n WHERE n.document_id = d.id)
ORDER BY d.created_at, d.id;

-- name: extraction_state
SELECT
    x.version,
    x.nodes
FROM ragraph.entity_extraction AS x
WHERE x.document_id = %(document_id)s AND x.extractor = %(extractor)s;

-- name: extraction_quote
-- Position of a quote without an ellipsis in a node, in characters from 0; null if the node does not have it.
SELECT
    CASE WHEN q.refusal IS NULL AND cardinality(q.pieces) = 1 THEN lower(q.pieces[1]) - 1 END AS char_start,
    CASE WHEN q.refusal IS NULL AND cardinality(q.pieces) = 1 THEN upper(q.pieces[1]) - 1 END AS char_end
FROM ragraph.content_node AS n
CROSS JOIN LATERAL ragraph_private.find_quote(n.content, %(quote)s, %(min_words)s::integer) AS q
WHERE n.document_id = %(document_id)s AND n.id = %(node_id)s;

-- name: extraction_totals
SELECT
    (
        SELECT count(*) FROM ragraph.entity AS e
        WHERE e.document_id = any(%(document_ids)s::text[]) AND e.extractor = %(extractor)s
    ) AS entities,
    (
        SELECT count(*)
        FROM ragraph.mention AS m
        INNER JOIN ragraph.entity AS e ON m.document_id = e.document_id AND m.entity_id = e.id
        WHERE m.document_id = any(%(document_ids)s::text[]) AND e.extractor = %(extractor)s
    ) AS mentions,
    (
        SELECT count(*) FROM ragraph.entity_relation AS r
        WHERE r.document_id = any(%(document_ids)s::text[]) AND r.extractor = %(extractor)s
    ) AS relations;

-- name: write_entities
SELECT
    ragraph_private.write_entities(
        %(document_id)s,
        %(extractor)s,
        %(version)s,
        %(entities)s,
        %(mentions)s,
        %(relations)s,
        %(nodes)s::text[],
        %(whole)s
    );

-- name: prune_entities
SELECT ragraph_private.prune_entities(%(document_id)s);

-- name: resolve_entities
SELECT ragraph_private.resolve_entities(%(document_id)s);

-- name: list_entities
SELECT * FROM
    ragraph.list_entities(
        entity => %(entity)s,
        document_ids => %(document_ids)s::text[],
        collection => %(collection)s,
        of_kinds => %(kinds)s::text[],
        k => %(k)s::integer,
        skip => %(skip)s::integer
    );

-- name: entity_mentions
-- Mentions of an entity with section and page, in one round trip.
WITH found AS MATERIALIZED (
    SELECT * FROM
        ragraph.entity_mentions(
            entity => %(entity)s,
            document_ids => %(document_ids)s::text[],
            collection => %(collection)s,
            k => %(k)s::integer
        ) WITH ORDINALITY
),

cited AS MATERIALIZED (
    SELECT DISTINCT ON (c.document_id, c.node_id) c.*
    FROM
        ragraph_private.cited_nodes(
            (SELECT array_agg(i.document_id ORDER BY i.ordinality) FROM found AS i),
            (SELECT array_agg(i.node_id ORDER BY i.ordinality) FROM found AS i)
        ) AS c
    ORDER BY c.document_id, c.node_id
)

SELECT
    f.identity,
    f.char_start AS mention_start,
    f.char_end AS mention_end,
    f.surface,
    f.defines,
    f.rule,
    c.*
FROM found AS f
LEFT JOIN cited AS c ON f.document_id = c.document_id AND f.node_id = c.node_id
ORDER BY f.ordinality;

-- name: entity_relations
-- Relations of an entity, whichever end it is.
WITH named AS MATERIALIZED (
    SELECT ragraph_private.named_entities(ARRAY[%(entity)s::text]) AS identities
)

SELECT
    r.document_id,
    r.node_id,
    s.name AS source_name,
    t.name AS target_name,
    r.relation_type,
    r.quote,
    r.char_start,
    r.char_end,
    r.extractor
FROM ragraph.entity_relation AS r
INNER JOIN ragraph.entity AS s ON r.document_id = s.document_id AND r.source_entity_id = s.id
INNER JOIN ragraph.entity AS t ON r.document_id = t.document_id AND r.target_entity_id = t.id
CROSS JOIN named AS g
WHERE
    (s.identity = any(g.identities) OR t.identity = any(g.identities))
    AND (%(document_ids)s::text[] IS NULL OR r.document_id = any(%(document_ids)s::text[]))
    AND (%(collection)s::text IS NULL OR r.collection = %(collection)s::text)
ORDER BY r.document_id, r.node_id, r.char_start, r.id;

-- name: merge_entities
SELECT ragraph.merge_entities(%(entities)s::text[]);

-- name: split_entity
SELECT ragraph.split_entity(%(entity)s, %(document_id)s);

-- name: reset_entities
SELECT ragraph.reset_entities(%(entity)s);
