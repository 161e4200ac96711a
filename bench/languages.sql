-- name: nodes
-- All texts of a document in reading order, with what they are and the depth of headings.
SELECT
    n.content,
    n.content_node_type::text AS kind,
    (n.data ->> 'level')::integer AS heading_level
FROM ragraph.content_node AS n
WHERE n.document_id = %(document)s
ORDER BY n.sequence_in_document;

-- name: paragraphs
-- The paragraphs of a collection.
SELECT
    n.id,
    n.content
FROM ragraph.content_node AS n
WHERE n.collection = %(collection)s AND n.content_node_type = 'PARAGRAPH'
ORDER BY n.document_id, n.sequence_in_document;
