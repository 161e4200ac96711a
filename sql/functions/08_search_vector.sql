-- Nearest neighbours within a scope: 08_rank_vector.sql has the ways there.

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
begin
    return query
    select v.*
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
    ) as v
    order by v.rank;
end
$$;
comment on function ragraph.search_vector(
    vector, text, integer, text[], text, text[], ragraph.content_node_type[], int4range, text, text[], text[], daterange, jsonb,
    integer, text[], jsonb
) is
'The k nodes nearest to a vector within a scope, one row per node (its best part), best first, ties by id. score =
cosine similarity, or the negative distance for models of another distance. char_start and char_end of the part count
the text of the document; null where a description or caption is embedded. Never fewer than k while the scope holds
k; exact within components, and where the scope has at most exact_limit nodes (for nodes of some types anywhere, unless the
index finds twice as many near ones sooner). component_ids: one or several components
of the documents in document_ids, which may lie in each other (component_id: one, of the only document). tags: any of
them; languages: en finds en-US; filter: as of filter_documents; entities: only nodes
that mention any of them, by name, alias or identity. scope: conditions by the names of these arguments in one value, beside
those given as arguments: {"tags": ["a"], "pages": "[3,8]"}; null is no condition. Raises RG001, RG002, RG004, RG005, RG006, RG014';
