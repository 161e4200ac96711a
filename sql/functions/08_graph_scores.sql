-- Nodes that the graph connects to the best hits of a search.

create or replace function ragraph_private.graph_scores(seeds ragraph_private.hit[], scope ragraph_private.scope)
returns table (document_id text, node_id text, score double precision)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    began constant timestamptz := clock_timestamp();
    tied bigint;
    only_document constant text := ragraph_private.only_one(graph_scores.seeds);
    -- in each part, so that a cluster sends all of them to one shard
    on_it constant text := case when only_document is null then '' else ' and %s.document_id = $10' end;
begin
    if coalesce(cardinality(graph_scores.seeds), 0) = 0 then
        return;
    end if;
    -- Each seed passes its score to the nodes connected to it. A relation in either direction passes all of it; the
    -- next node of the section in reading order gets a half, the one after that a quarter. Scores from several seeds
    -- add up.
    return query execute
        'with seed as materialized ('
        'select g.document_id, g.node_id, g.score, c.parent_component_id, c.sequence_in_document'
        ' from unnest($9) as g'
        ' inner join ragraph.content_node as c on g.document_id = c.document_id and g.node_id = c.id where true' || format(on_it, 'c') ||
        '), tied as ('
        'select r.document_id, r.target_node_id as node_id, g.score'
        ' from seed as g inner join ragraph.relation as r on g.document_id = r.document_id and g.node_id = r.source_node_id'
        ' where r.target_node_id is not null and r.relation_type <> ''CONTINUES''' || format(on_it, 'r') ||
        ' union all'
        ' select r.document_id, r.source_node_id, g.score'
        ' from seed as g inner join ragraph.relation as r on g.document_id = r.document_id and g.node_id = r.target_node_id'
        ' where r.relation_type <> ''CONTINUES''' || format(on_it, 'r') ||
        ' union all'
        ' select c.document_id, c.id, g.score / (2 ^ abs(c.sequence_in_document - g.sequence_in_document))'
        ' from seed as g inner join ragraph.content_node as c on g.document_id = c.document_id'
        ' and c.sequence_in_document between g.sequence_in_document - 2 and g.sequence_in_document + 2'
        ' and g.parent_component_id = c.parent_component_id and g.node_id <> c.id' || format(on_it, 'c') ||
        ')'
        ' select n.document_id, n.id, sum(t.score)'
        ' from tied as t inner join ragraph.content_node as n on t.document_id = n.document_id and t.node_id = n.id'
        || scope.in_sections || ' where true' || format(on_it, 'n') || scope.on_node || ' group by n.document_id, n.id'
    using scope.documents, scope.leaves, scope.node_types, scope.pages, scope.collection,
        scope.section_documents, scope.section_starts, scope.section_ends, graph_scores.seeds, only_document;
    get diagnostics tied = row_count;
    perform ragraph_private.report_step('graph', began, jsonb_build_object(
        'way', 'relations and neighbours of the best', 'candidates', cardinality(graph_scores.seeds), 'rows', tied
    ));
end
$$;
comment on function ragraph_private.graph_scores(ragraph_private.hit[], ragraph_private.scope) is
'Returns the nodes of a scope that relations or neighbourhood connect to the seeds, each with the sum of the scores
that seeds pass to it; unsorted';
