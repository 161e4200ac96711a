-- The values of a store that a language model needs to write a filter of documents.

-- name: facets
-- Values to filter by, the most frequent first, and the keys of metadata with a few values each.
SELECT jsonb_build_object(
    'collections', (
        SELECT coalesce(jsonb_agg(c.collection), '[]')
        FROM (SELECT d.collection FROM ragraph.document AS d GROUP BY d.collection ORDER BY count(*) DESC LIMIT 20) AS c
    ),
    'languages', (
        SELECT coalesce(jsonb_agg(l.language), '[]')
        FROM (
            SELECT d.language FROM ragraph.document AS d
            WHERE d.language IS NOT NULL
            GROUP BY d.language
            ORDER BY count(*) DESC
            LIMIT 20
        ) AS l
    ),
    'tags', (
        SELECT coalesce(jsonb_agg(t.tag), '[]')
        FROM (
            SELECT u.tag FROM ragraph.publication AS p CROSS JOIN unnest(p.tags) AS u (tag)
            GROUP BY u.tag
            ORDER BY count(*) DESC
            LIMIT 50
        ) AS t
    ),
    'publication_dates', (
        SELECT jsonb_build_array(min(p.publication_date), max(p.publication_date)) FROM ragraph.publication AS p
    ),
    'metadata', (
        SELECT coalesce(jsonb_object_agg(m.key, m.examples), '{}')
        FROM (
            SELECT e.key, (array_agg(DISTINCT left(e.value, 60)))[1:5] AS examples
            FROM ragraph.publication AS p CROSS JOIN jsonb_each_text(p.metadata) AS e (key, value)
            WHERE jsonb_typeof(p.metadata) = 'object' AND jsonb_typeof(p.metadata -> e.key) IN ('string', 'number', 'boolean')
            GROUP BY e.key
            ORDER BY count(*) DESC
            LIMIT 40
        ) AS m
    )
);

-- name: filter_documents
SELECT * FROM ragraph.filter_documents(%(filter)s);
