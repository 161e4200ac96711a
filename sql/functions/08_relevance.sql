-- Relevance: how likely a hit answers the query, between 0 and 1.
--
-- The score of a fused search only orders hits: the best hit of a question that the store cannot answer has a score as
-- high as any other. Relevance is logistic regression over numbers that a search has anyway. The weights are fitted by
-- `python -m bench.retrieval.relevance` on judged questions, and on questions to documents that do not answer them.

create or replace function ragraph_private.relevance(
    vector_score double precision,
    usual_vector_score double precision,
    best_vector_score double precision,
    share double precision,
    best_share double precision,
    compared double precision
)
returns double precision
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    -- intercept, nearness, margin, best margin, share, best share; fitted by bench/retrieval/relevance.py
    with_vectors constant double precision[] := '{-4.694,0.753,4.791,4.600,7.353,-3.966}'::double precision[];
    -- added to them, the more, the fewer nodes there are to compare with: margins of few nodes tell little
    of_few constant double precision[] := '{0.585,7.092,9.933,-25.635,11.008,-4.601}'::double precision[];
    few constant double precision := 1 - relevance.compared;
    -- intercept, share, best share
    words_alone constant double precision[] := '{-3.549,9.162,-2.137}'::double precision[];
    logit double precision;
begin
    if relevance.vector_score is null then
        logit := words_alone[1] + words_alone[2] * coalesce(relevance.share, 0) + words_alone[3] * coalesce(relevance.best_share, 0);
    else
        logit := with_vectors[1] + few * of_few[1] + (with_vectors[2] + few * of_few[2]) * relevance.vector_score
            + (with_vectors[3] + few * of_few[3]) * (relevance.vector_score - relevance.usual_vector_score)
            + (with_vectors[4] + few * of_few[4]) * (relevance.best_vector_score - relevance.usual_vector_score)
            + (with_vectors[5] + few * of_few[5]) * coalesce(relevance.share, 0)
            + (with_vectors[6] + few * of_few[6]) * coalesce(relevance.best_share, 0);
    end if;
    return 1 / (1 + exp(- logit));
end
$$;
comment on function ragraph_private.relevance(
    double precision, double precision, double precision, double precision, double precision, double precision
) is
'Returns the relevance of a hit, between 0 and 1, from its cosine similarity, the mean similarity of the nodes compared,
the highest one, its share of what the words of the query could give by BM25, the highest such share, and the number of
the nodes compared as a share of the usual number. Without a vector_score from the words alone';

create or replace function ragraph_private.confidence(best_relevance double precision, with_vectors boolean)
returns double precision
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    -- intercept and slope over the logit of the best relevance, fitted by bench/retrieval/relevance.py
    by_vectors constant double precision[] := '{4.307,1.792}';
    by_words constant double precision[] := '{8.229,3.262}';
    weights constant double precision[] := case when confidence.with_vectors then by_vectors else by_words end;
    best constant double precision := least(greatest(coalesce(confidence.best_relevance, 0), 1e-6), 1 - 1e-6);
begin
    if confidence.best_relevance is null then
        return null;
    end if;
    return 1 / (1 + exp(- (weights[1] + weights[2] * ln(best / (1 - best)))));
end
$$;
comment on function ragraph_private.confidence(double precision, boolean) is
'Returns how likely the documents answer a query, between 0 and 1, from the highest relevance of the hits';

create or replace function ragraph_private.check_relevance(min_relevance double precision)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    if not coalesce(check_relevance.min_relevance between 0 and 1, true) then
        raise exception using
            errcode = 'RG005',
            message = format('min_relevance is %s', check_relevance.min_relevance),
            hint = 'Give a number from 0 to 1.';
    end if;
end
$$;
comment on function ragraph_private.check_relevance(double precision) is
'Raises RG005 if a minimum relevance is not between 0 and 1';
