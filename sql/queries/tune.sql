-- name: documents_collections
-- The collection of each document; documents that do not exist are left out.
SELECT
    d.id,
    d.collection
FROM ragraph.document AS d
WHERE d.id = any(%(document_ids)s);

-- name: documents_of
-- The documents of a collection, all or those with the given ids.
SELECT d.id
FROM ragraph.document AS d
WHERE d.collection = %(collection)s AND (%(document_ids)s::text[] IS NULL OR d.id = any(%(document_ids)s))
ORDER BY d.id;

-- name: whole_document
-- The complete text of a document, and its pages with text.
SELECT
    ragraph.document_text(%(document_id)s) AS body,
    array(
        SELECT DISTINCT g.place
        FROM ragraph.content_node AS n CROSS JOIN generate_series(n.first_page, n.last_page) AS g (place)
        WHERE n.document_id = %(document_id)s
    ) AS pages;

-- name: sentence_feature_names
SELECT ragraph_private.sentence_feature_names();

-- name: sentence_features
-- The sentences of hits with the features for a ranker.
SELECT
    s.document_id,
    s.node_id,
    s.char_start,
    s.char_end,
    s.content,
    s.first_page,
    s.last_page,
    s.features,
    s.lexemes,
    s.asked
FROM unnest(ragraph_private.sentence_features(%(query)s, ragraph_private.hits(%(hits)s::jsonb), 60)) AS s;

-- name: lock_rankers
LOCK TABLE ragraph.sentence_ranker IN SHARE ROW EXCLUSIVE MODE;

-- name: rest_rankers
-- Deactivates the rankers of the collection.
UPDATE ragraph.sentence_ranker AS r
SET active = FALSE
WHERE r.collection = %(collection)s AND r.active;

-- name: add_ranker
INSERT INTO ragraph.sentence_ranker (collection, version, active, intercept, weights, asked, fitted_on, figures)
SELECT
    %(collection)s,
    coalesce(max(r.version), 0) + 1,
    TRUE,
    %(intercept)s,
    %(weights)s::jsonb,
    %(asked)s::text[],
    %(fitted_on)s::jsonb,
    %(figures)s::jsonb
FROM ragraph.sentence_ranker AS r
WHERE r.collection = %(collection)s
RETURNING version;

-- name: add_ranker_words
INSERT INTO ragraph.sentence_ranker_word (collection, version, asked, word, idf, weight)
SELECT
    %(collection)s,
    %(version)s,
    w.asked,
    w.word,
    w.idf,
    w.weight
FROM
    unnest(
        %(askeds)s::text[], %(words)s::text[], %(idfs)s::double precision[], %(weights)s::double precision[]
    ) AS w (asked, word, idf, weight);

-- name: list_rankers
-- Rankers by collection, the newest first, with their most important words.
SELECT
    r.collection,
    r.version,
    r.active,
    r.weights,
    r.fitted_on,
    r.figures,
    r.created_at,
    (
        SELECT coalesce(jsonb_object_agg(t.word, t.gain), '{}'::jsonb)
        FROM (
            SELECT
                w.word,
                w.idf * w.weight AS gain
            FROM ragraph.sentence_ranker_word AS w
            WHERE w.collection = r.collection AND w.version = r.version AND w.asked = ''
            ORDER BY abs(w.idf * w.weight) DESC, w.word
            LIMIT 20
        ) AS t
    ) AS words
FROM ragraph.sentence_ranker AS r
ORDER BY r.collection ASC, r.version DESC;

-- name: forget_rankers
-- Without a version, all rankers of the collection.
DELETE FROM ragraph.sentence_ranker AS r
WHERE r.collection = %(collection)s AND (%(version)s::integer IS NULL OR r.version = %(version)s)
RETURNING r.version;

-- name: wake_ranker
-- Activates the newest remaining ranker if none is active.
UPDATE ragraph.sentence_ranker AS r
SET active = TRUE
WHERE
    r.collection = %(collection)s
    AND r.version = (SELECT max(o.version) FROM ragraph.sentence_ranker AS o WHERE o.collection = %(collection)s)
    AND NOT EXISTS (SELECT 1 FROM ragraph.sentence_ranker AS o WHERE o.collection = %(collection)s AND o.active);
