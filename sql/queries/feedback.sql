-- name: review_node
SELECT ragraph.review_node(
    document_id => %(document_id)s,
    node_id => %(node_id)s,
    verdict => %(verdict)s,
    note => %(note)s,
    reviewer => %(reviewer)s,
    question => %(question)s
);

-- name: withdraw_review
SELECT ragraph.withdraw_review(document_id => %(document_id)s, review_id => %(review_id)s);

-- name: list_reviews
SELECT r.*
FROM ragraph.list_reviews(
    in_document => %(document_id)s,
    of_node => %(node_id)s,
    in_collection => %(collection)s,
    with_verdict => %(verdict)s,
    for_question => %(question)s,
    k => %(k)s,
    skip => %(skip)s
) AS r;

-- name: query_log_is_on
SELECT count(*) > 0 AS is_on FROM ragraph.query_logging;

-- name: query_log_settings
SELECT
    l.collection,
    l.days
FROM ragraph.query_logging AS l
ORDER BY l.collection;

-- name: set_query_log
SELECT ragraph.set_query_log(collection => %(collection)s, days => %(days)s);

-- name: query_log_fast
-- The commit does not wait for the disk: after a crash of the server the last queries may be missing.
SELECT set_config('synchronous_commit', 'off', TRUE);

-- name: log_query
SELECT ragraph.log_query(
    question => %(question)s,
    hits => %(hits)s::jsonb,
    options => %(options)s::jsonb,
    seconds => %(seconds)s,
    collection => %(collection)s,
    kind => %(kind)s
);

-- name: list_queries
SELECT q.*
FROM ragraph.list_queries(
    in_collection => %(collection)s,
    since => %(since)s,
    judged => %(judged)s,
    k => %(k)s,
    skip => %(skip)s
) AS q;

-- name: forget_queries
SELECT ragraph.forget_queries(collection => %(collection)s, before => %(before)s);

-- name: judged_questions
SELECT q.*
FROM ragraph.judged_questions(in_collection => %(collection)s, document_ids => %(document_ids)s) AS q;

-- name: restore_reviews
-- Reviews of an exported document; a review that the store has already stays as it is.
INSERT INTO ragraph.node_review (
    document_id, id, node_id, question, reviewer, verdict, note, reviewed_at, collection
)
SELECT
    d.id AS document_id,
    r.review ->> 'id' AS review_id,
    r.review ->> 'node_id' AS node_id,
    r.review ->> 'question' AS question,
    r.review ->> 'reviewer' AS reviewer,
    r.review ->> 'verdict' AS verdict,
    r.review ->> 'note' AS note,
    (r.review ->> 'reviewed_at')::timestamptz AS reviewed_at,
    d.collection
FROM jsonb_array_elements(%(reviews)s::jsonb) AS r (review)
INNER JOIN ragraph.document AS d ON d.id = %(document_id)s
ON CONFLICT (document_id, id) DO NOTHING;
