-- Feedback: reviews of passages, and the log of queries.

create or replace function ragraph.review_node(
    document_id text,
    node_id text,
    verdict text,
    note text default null,
    reviewer text default null,
    question text default null
)
returns text
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    who constant text := coalesce(nullif(btrim(review_node.reviewer), ''), current_user);
    asked constant text := coalesce(btrim(review_node.question), '');
    remark constant text := nullif(btrim(review_node.note), '');
    made constant text := 'rv_' || left(
        encode(sha256(convert_to(jsonb_build_array(review_node.document_id, review_node.node_id, asked, who)::text, 'UTF8')), 'hex'),
        32
    );
begin
    perform ragraph_private.require_node(review_node.document_id, review_node.node_id);
    if review_node.verdict is null or review_node.verdict not in ('right', 'wrong', 'note') then
        raise exception using
            errcode = 'RG005',
            message = format('verdict is %L', left(review_node.verdict, 80)),
            hint = 'Give right, wrong, or note for a remark without a judgement.';
    end if;
    if review_node.verdict = 'note' and remark is null then
        raise exception using
            errcode = 'RG005',
            message = 'the note is empty',
            hint = 'Give its text, or right or wrong as the verdict.';
    end if;
    if length(who) > 200 or length(asked) > 10000 or length(remark) > 10000 then
        raise exception using
            errcode = 'RG005',
            message = 'the name, the question or the note of a review is too long',
            hint = 'A name has up to 200 characters, a question and a note 10,000.';
    end if;
    insert into ragraph.node_review as r (document_id, id, node_id, question, reviewer, verdict, note, collection)
    select d.id, made, review_node.node_id, asked, who, review_node.verdict, remark, d.collection
    from ragraph.document as d
    where d.id = review_node.document_id
    on conflict on constraint node_review_pkey do update
    set verdict = excluded.verdict, note = excluded.note, reviewed_at = now();
    return made;
end
$$;
comment on function ragraph.review_node(text, text, text, text, text, text) is
'Records what a person says of a node, and returns the id of the review. verdict is right, wrong, or note for a remark
without a judgement. reviewer is by default the current role. With a question, the node is judged as its answer. Each
reviewer has one review of a node and question, and a later one replaces it. Reviews are kept when the document is
ingested again. Raises RG001 or RG003 if document or node do not exist, RG005 for another verdict, a note without text
or texts that are too long';

create or replace function ragraph.withdraw_review(document_id text, review_id text)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    perform ragraph_private.require_document(withdraw_review.document_id);
    delete from ragraph.node_review as r
    where r.document_id = withdraw_review.document_id and r.id = withdraw_review.review_id;
    return found;
end
$$;
comment on function ragraph.withdraw_review(text, text) is
'Removes a review, and returns false if the document has none with this id. Raises RG001 if the document does not
exist';

create or replace function ragraph.list_reviews(
    in_document text default null,
    of_node text default null,
    in_collection text default null,
    with_verdict text default null,
    for_question text default null,
    k integer default null,
    skip integer default 0
)
returns table (
    document_id text,
    review_id text,
    node_id text,
    verdict text,
    note text,
    reviewer text,
    question text,
    reviewed_at timestamptz,
    title text,
    content text
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set plan_cache_mode = force_custom_plan -- one document and the whole store need different plans
as $$
#variable_conflict use_column
begin
    if list_reviews.in_document is not null then
        perform ragraph_private.require_document(list_reviews.in_document);
    end if;
    return query
    select r.document_id, r.id, r.node_id, r.verdict, r.note, r.reviewer, r.question, r.reviewed_at, p.title, n.content
    from ragraph.node_review as r
    inner join ragraph.document as d on r.document_id = d.id
    inner join ragraph.publication as p on d.publication_id = p.id
    left join ragraph.content_node as n on r.document_id = n.document_id and r.node_id = n.id
    where (list_reviews.in_document is null or r.document_id = list_reviews.in_document)
        and (list_reviews.of_node is null or r.node_id = list_reviews.of_node)
        and (list_reviews.in_collection is null or r.collection = list_reviews.in_collection)
        and (list_reviews.with_verdict is null or r.verdict = list_reviews.with_verdict)
        and (list_reviews.for_question is null or r.question = list_reviews.for_question)
    order by r.reviewed_at desc, r.document_id collate "C", r.id collate "C"
    limit list_reviews.k offset list_reviews.skip;
end
$$;
comment on function ragraph.list_reviews(text, text, text, text, text, integer, integer) is
'Returns reviews of passages, the newest first: of a document, a node, a collection, with a verdict or for a question.
content is the text of the node; null if an ingest has removed the node since. An empty question selects reviews of the
passage alone. Raises RG001 if the document does not exist';

create or replace function ragraph.set_query_log(collection text default '*', days integer default 30)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    if coalesce(set_query_log.collection, '') = '' or set_query_log.days is null or set_query_log.days not between 0 and 36500 then
        raise exception using
            errcode = 'RG005',
            message = 'the collection is empty, or days is not from 0 to 36500',
            hint = 'Give the name of a collection, or * for all queries; 0 days turns the log off.';
    end if;
    if set_query_log.days = 0 then
        delete from ragraph.query_logging as l where l.collection = set_query_log.collection;
        return;
    end if;
    insert into ragraph.query_logging as l (collection, days)
    values (set_query_log.collection, set_query_log.days)
    on conflict on constraint query_logging_pkey do update set days = excluded.days where l.days <> excluded.days;
end
$$;
comment on function ragraph.set_query_log(text, integer) is
'Turns the log of queries on for a collection, or with * for all queries, and sets after how many days they are
deleted. 0 days turns it off; logged queries then stay until forget_queries() removes them. Nothing is logged by
default. Raises RG005 for an empty collection or another number of days';

create or replace function ragraph.log_query(
    question text,
    hits jsonb default '[]',
    options jsonb default '{}',
    seconds double precision default null,
    collection text default null,
    kind text default 'search'
)
returns text
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    made constant text := 'ql_' || replace(gen_random_uuid()::text, '-', '');
    documents text[];
    place text := log_query.collection;
    kept_days integer;
begin
    if log_query.question is null or jsonb_typeof(log_query.hits) is distinct from 'array'
        or jsonb_typeof(log_query.options) is distinct from 'object' or log_query.kind is null
        or log_query.kind not in ('search', 'context') or log_query.seconds < 0
    then
        raise exception using
            errcode = 'RG005',
            message = 'the question is null, hits is not an array, options is not an object, or kind or seconds is invalid',
            hint = 'Give hits as [{"document_id": ..., "node_id": ..., "score": ...}], kind as search or context.';
    end if;
    if place is null then
        documents := array(select h.hit ->> 'document_id' from jsonb_array_elements(log_query.hits) as h (hit))
            || case jsonb_typeof(log_query.options -> 'document')
                when 'string' then array[log_query.options ->> 'document']
                when 'array' then array(select jsonb_array_elements_text(log_query.options -> 'document'))
                else '{}'
            end;
        select case when count(distinct d.collection) = 1 then min(d.collection) else '*' end into place
        from ragraph.document as d
        where d.id = any(documents);
    end if;
    select l.days into kept_days
    from ragraph.query_logging as l
    where l.collection in (place, '*')
    order by l.collection = '*'
    limit 1;
    if kept_days is null then
        return null;
    end if;
    delete from ragraph.query_log as q where q.collection = place and q.asked_at < now() - make_interval(days => kept_days);
    insert into ragraph.query_log (id, kind, question, options, hits, seconds, collection)
    values (made, log_query.kind, log_query.question, log_query.options, log_query.hits, log_query.seconds, place);
    return made;
end
$$;
comment on function ragraph.log_query(text, jsonb, jsonb, double precision, text, text) is
'Logs a query if the log is on for its collection, and returns its id; else null. The collection is by default that of
all hits and of the documents in options, or * if there are several. Expired queries of the collection are deleted.
Raises RG005 for arguments of another form';

create or replace function ragraph.list_queries(
    in_collection text default null,
    since timestamptz default null,
    judged boolean default null,
    k integer default null,
    skip integer default 0
)
returns table (
    query_id text,
    kind text,
    question text,
    options jsonb,
    hits jsonb,
    seconds double precision,
    asked_at timestamptz,
    collection text,
    reviews bigint
)
language plpgsql
stable
parallel restricted
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
begin
    return query
    with judgements as materialized (
        select r.question, count(*) as reviews
        from ragraph.node_review as r
        where r.question <> '' and r.verdict <> 'note'
        group by r.question
    ),
    logged as materialized (
        select q.*
        from ragraph.query_log as q
        where (list_queries.in_collection is null or q.collection = list_queries.in_collection)
            and (list_queries.since is null or q.asked_at >= list_queries.since)
    )
    select
        q.id, q.kind, q.question, q.options, q.hits, q.seconds, q.asked_at, q.collection, coalesce(j.reviews, 0)::bigint
    from logged as q
    left join judgements as j on btrim(q.question) = j.question
    where list_queries.judged is null or list_queries.judged = (j.question is not null)
    order by q.asked_at desc, q.id collate "C"
    limit list_queries.k offset list_queries.skip;
end
$$;
comment on function ragraph.list_queries(text, timestamptz, boolean, integer, integer) is
'Returns logged queries, the newest first. reviews is the number of passages that were judged right or wrong for the
question. With judged, only queries with (true) or without (false) such reviews';

create or replace function ragraph.forget_queries(collection text default null, before timestamptz default null)
returns bigint
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    removed bigint;
begin
    delete from ragraph.query_log as q
    where (forget_queries.collection is null or q.collection = forget_queries.collection)
        and (forget_queries.before is null or q.asked_at < forget_queries.before);
    get diagnostics removed = row_count;
    return removed;
end
$$;
comment on function ragraph.forget_queries(text, timestamptz) is
'Removes logged queries, by default all: of a collection, or those asked before a moment. Returns how many';

create or replace function ragraph.judged_questions(in_collection text default null, document_ids text[] default null)
returns table (question text, document_id text, collection text, passages text[])
language plpgsql
stable
parallel restricted
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set plan_cache_mode = force_custom_plan -- as in list_reviews
as $$
#variable_conflict use_column
begin
    return query
    with votes as materialized (
        -- reviewers may disagree: a passage answers if more of them say so than say not
        select r.question, r.document_id, r.node_id, r.collection
        from ragraph.node_review as r
        where r.question <> ''
            and r.verdict <> 'note'
            and (judged_questions.in_collection is null or r.collection = judged_questions.in_collection)
            and (judged_questions.document_ids is null or r.document_id = any(judged_questions.document_ids))
        group by r.question, r.document_id, r.node_id, r.collection
        having sum(case r.verdict when 'right' then 1 else -1 end) > 0
    )
    select
        v.question,
        case when count(distinct v.document_id) = 1 then min(v.document_id) end,
        case when count(distinct v.collection) = 1 then min(v.collection) end,
        array_agg(n.content order by v.document_id collate "C", n.sequence_in_document)
    from votes as v
    inner join ragraph.content_node as n on v.document_id = n.document_id and v.node_id = n.id
    where n.content <> ''
    group by v.question
    order by v.question collate "C";
end
$$;
comment on function ragraph.judged_questions(text, text[]) is
'Returns the questions that passages were reviewed for, with the passages that more reviewers call right than wrong, for
tuning and evaluation. document_id and collection are null if the passages are of several. Passages that an ingest has
removed are left out';
