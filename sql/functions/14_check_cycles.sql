-- Relations that must not form a cycle: a note of a note is allowed, a note that is indirectly its own note is not.

create or replace function ragraph_private.rounds(first_edges integer[], targets integer[])
returns integer[]
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    -- Tarjan's algorithm for strongly connected components with an explicit stack: each node and each edge is visited
    -- once
    node_count constant integer := cardinality(rounds.first_edges) - 1;
    next_edges integer[] := rounds.first_edges;
    visits integer[] := array_fill(0, array[node_count]); -- when a node was reached, from 1; 0 if not yet
    lowest integer[] := array_fill(0, array[node_count]); -- the earliest open node that can be reached
    is_open boolean[] := array_fill(false, array[node_count]); -- reached, and not yet part of a component
    open_nodes integer[] := array_fill(0, array[node_count]);
    open_count integer := 0;
    way integer[] := array_fill(0, array[node_count]); -- path from the start of the search to this node
    way_length integer;
    visit integer := 0;
    here integer;
    target integer;
    member integer;
    is_round boolean;
    found integer[] := array_fill(0, array[node_count]);
    found_count integer := 0;
begin
    for start in 1..node_count loop
        continue when visits[start] > 0;
        way[1] := start;
        way_length := 1;
        while way_length > 0 loop
            here := way[way_length];
            if visits[here] = 0 then
                visit := visit + 1;
                visits[here] := visit;
                lowest[here] := visit;
                open_count := open_count + 1;
                open_nodes[open_count] := here;
                is_open[here] := true;
            end if;
            if next_edges[here] < rounds.first_edges[here + 1] then
                target := rounds.targets[next_edges[here]];
                next_edges[here] := next_edges[here] + 1;
                if visits[target] = 0 then
                    way_length := way_length + 1;
                    way[way_length] := target;
                elsif is_open[target] then
                    lowest[here] := least(lowest[here], visits[target]);
                end if;
                continue;
            end if;
            way_length := way_length - 1;
            if way_length > 0 then
                lowest[way[way_length]] := least(lowest[way[way_length]], lowest[here]);
            end if;
            continue when lowest[here] < visits[here];
            -- a component is complete: it is a cycle if it has several nodes, or one with an edge to itself
            is_round := open_nodes[open_count] <> here
                or here = any(rounds.targets[rounds.first_edges[here]:rounds.first_edges[here + 1] - 1]);
            loop
                member := open_nodes[open_count];
                open_count := open_count - 1;
                is_open[member] := false;
                if is_round then
                    found_count := found_count + 1;
                    found[found_count] := member;
                end if;
                exit when member = here;
            end loop;
        end loop;
    end loop;
    return found[:found_count];
end
$$;
comment on function ragraph_private.rounds(integer[], integer[]) is
'Returns the nodes of a graph that are part of a cycle, unsorted. Nodes are numbers from 1. The edges of node i lead to
targets[first_edges[i]] up to but not including targets[first_edges[i + 1]]. Linear in nodes and edges';

create or replace function ragraph_private.check_cycles(only_document text)
returns table (document_id text, rule text, object_id text, detail text)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set enable_nestloop = off -- rows just written have no statistics, and a nested loop over them would be quadratic
set plan_cache_mode = force_custom_plan -- one document and the whole store need different plans
as $$
#variable_conflict use_column
declare
    -- cross-references and citations may form cycles; a cycle of CONTINUES is reported by sequencing
    types constant ragraph.relation_type[] := '{REFERENCES_NOTE,IS_CAPTIONED_BY,IS_SUPPLEMENTED_BY}';
    one text;
    type ragraph.relation_type;
    ids text[];
    first_edges integer[];
    targets integer[];
begin
    for one, type in
        -- few relations continue at the target of another
        select distinct r.document_id, r.relation_type
        from ragraph.relation as r
        where (check_cycles.only_document is null or r.document_id = check_cycles.only_document)
            and r.relation_type = any(types)
            and exists (
                select 1
                from ragraph.relation as s
                where s.document_id = r.document_id and s.source_node_id = r.target_node_id and s.relation_type = r.relation_type
            )
    loop
        -- nodes with outgoing relations, as numbers; a node without any cannot be part of a cycle
        with edges as materialized (
            select distinct r.source_node_id as source, r.target_node_id as target
            from ragraph.relation as r
            where r.document_id = one and r.relation_type = type and r.target_node_id is not null
        ),
        nodes as materialized (
            select e.source as id, row_number() over (order by e.source) as i
            from edges as e
            group by e.source
        ),
        numbered as (
            select s.i, t.i as target
            from edges as e
            inner join nodes as s on e.source = s.id
            inner join nodes as t on e.target = t.id
        ),
        counted as (
            select n.id, n.i, count(e.target) as edges
            from nodes as n
            left join numbered as e on n.i = e.i
            group by n.id, n.i
        )
        select
            (select array_agg(n.id order by n.i) from nodes as n),
            (
                select array_agg(c.first_edge order by c.i)
                from (
                    select c.i, (1 + sum(c.edges) over (order by c.i) - c.edges)::integer as first_edge from counted as c
                    union all
                    select count(*) + 1, (1 + sum(c.edges))::integer from counted as c
                ) as c
            ),
            (select coalesce(array_agg(e.target::integer order by e.i, e.target), '{}') from numbered as e)
        into ids, first_edges, targets;
        return query
        select
            one,
            'notes, captions and supplements form no cycle',
            ids[r.i],
            format('%s relations lead from it back to it', type)
        from unnest(ragraph_private.rounds(first_edges, targets)) as r (i)
        order by r.i;
    end loop;
end
$$;
comment on function ragraph_private.check_cycles(text) is
'Returns the nodes that are indirectly their own note, caption or supplement, of one document or, for null, of all';
