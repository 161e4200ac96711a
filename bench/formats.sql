-- name: references
-- References that the format states (captions and continuations are made by the reader), and notes among them.
SELECT
    count(*) FILTER (WHERE r.relation_type NOT IN ('IS_CAPTIONED_BY', 'CONTINUES')),
    count(r.target_node_id) FILTER (WHERE r.relation_type NOT IN ('IS_CAPTIONED_BY', 'CONTINUES')),
    count(*) FILTER (WHERE r.relation_type = 'REFERENCES_NOTE'),
    count(r.target_node_id) FILTER (WHERE r.relation_type = 'REFERENCES_NOTE'),
    (SELECT count(*) FROM ragraph.content_node AS n WHERE n.document_id = %(document_id)s)
FROM ragraph.relation AS r
WHERE r.document_id = %(document_id)s;

-- name: headings
-- Titles of components with the nearest titled component above, then headings and titles that opened none.
WITH RECURSIVE tree AS (
    SELECT c.id, c.title, NULL::text AS parent
    FROM ragraph.document_component AS c
    WHERE c.document_id = %(document_id)s AND c.parent_component_id IS NULL
    UNION ALL
    SELECT c.id, c.title, coalesce(t.title, t.parent)
    FROM tree AS t
    INNER JOIN ragraph.document_component AS c
        ON c.document_id = %(document_id)s AND t.id = c.parent_component_id
)

SELECT t.title, t.parent FROM tree AS t WHERE t.title IS NOT NULL
UNION ALL
SELECT n.content, NULL::text
FROM ragraph.content_node AS n
WHERE
    n.document_id = %(document_id)s
    AND n.content_node_type IN ('TITLE', 'SUBTITLE', 'SUBHEADING', 'HEADING')
    AND NOT EXISTS (SELECT 1 FROM tree AS t WHERE t.title = n.content);
