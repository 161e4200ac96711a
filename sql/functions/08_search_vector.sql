-- Nearest neighbours within a scope; 08_rank_vector.sql has the strategies.

create or replace function ragraph.search_vector(
    query_vector vector,
    model_name text,
    k integer default 10,
    document_ids text[] default null,
    component_id text default null,
    component_ids text[] default null,
    node_types ragraph.content_node_type[] default null,
    pages int4range default null,
    collection text default null,
    tags text[] default null,
    languages text[] default null,
    published daterange default null,
    filter jsonb default null,
    exact_limit integer default 10000,
    entities text[] default null,
    scope jsonb default null
)
returns table (
    document_id text,
    node_id text,
    score double precision,
    rank integer,
    part integer,
    char_start integer,
    char_end integer
)
language plpgsql
volatile
parallel unsafe -- as rank_vector
rows 10
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    documents text[];
    nodes text[];
    scores double precision[];
    ranks integer[];
    parts integer[];
    starts integer[];
    ends integer[];
    only_document text;
begin
    -- ranks first and reads the nodes afterwards: so a cluster can route both
    select
        array_agg(v.document_id), array_agg(v.node_id), array_agg(v.score), array_agg(v.rank), array_agg(v.part),
        array_agg(v.char_start), array_agg(v.char_end)
    into documents, nodes, scores, ranks, parts, starts, ends
    from ragraph_private.rank_vector(
        search_vector.query_vector,
        search_vector.model_name,
        search_vector.k,
        ragraph_private.search_scope(ragraph_private.asked_scope(
            search_vector.scope, search_vector.document_ids, search_vector.component_id, search_vector.component_ids,
            search_vector.node_types, search_vector.pages, search_vector.collection, search_vector.tags,
            search_vector.languages, search_vector.published, search_vector.filter, search_vector.entities
        )),
        search_vector.exact_limit
    ) as v;
    if documents is null then
        return;
    end if;
    only_document := ragraph_private.only_one(documents);
    return query
    select r.document_id, r.node_id, r.score, r.rank, r.part, n.char_start + r.char_start, n.char_start + r.char_end
    from unnest(documents, nodes, scores, ranks, parts, starts, ends) as r (
        document_id, node_id, score, rank, part, char_start, char_end
    )
    inner join ragraph.content_node as n on r.document_id = n.document_id and r.node_id = n.id
    where only_document is null or n.document_id = only_document
    order by r.rank;
end
$$;
comment on function ragraph.search_vector(
    vector, text, integer, text[], text, text[], ragraph.content_node_type[], int4range, text, text[], text[], daterange, jsonb,
    integer, text[], jsonb
) is
'Returns the k nodes nearest to a vector within a scope, one row per node (its best part), the best first and ties by
id. score is the cosine similarity, or the negative distance for models of another distance. char_start and char_end
are those of the part in the text of the document; null if a description or caption is embedded.
Never returns fewer than k nodes if the scope has k. The search is exact within components, and in a scope of at most
exact_limit nodes. A restriction to node types may leave few nodes anywhere in a large store: then it is exact unless
the index finds twice as many near nodes sooner.
component_ids are one or several components of the documents in document_ids and may contain each other; component_id
is one component of the only document. tags matches any of them, languages en also matches en-US, filter is that of
filter_documents, and entities restricts to nodes that mention any of them, by name, alias or identity. scope is one
value with conditions by the names of these arguments, in addition to those given as arguments: {"tags": ["a"],
"pages": "[3,8]"}. Its key without excludes words or phrases: {"without": ["draft"]}. A null is no condition.
Raises RG001 or RG002 for an unknown document or component, RG004 for an unknown model, RG005 for a wrong argument,
RG006 for a wrong number of dimensions, RG014 for an unknown entity';
