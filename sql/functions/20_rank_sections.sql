-- Top-down search: from hits to the sections that contain them.

create or replace function ragraph.rank_sections(hits jsonb, k integer default 5)
returns table (
    document_id text,
    component_id text,
    component_type ragraph.component_type,
    section_path text[],
    score double precision,
    rank integer,
    node_ids text[],
    ranks integer[]
)
language plpgsql
stable
parallel safe
rows 5
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    found_hits ragraph_private.hit[];
begin
    if rank_sections.k is null or rank_sections.k < 1 then
        raise exception using
            errcode = 'RG005',
            message = format('k is %s', coalesce(rank_sections.k::text, 'null')),
            hint = 'Ask for at least one section.';
    end if;
    found_hits := ragraph_private.hits(rank_sections.hits);
    if found_hits = '{}' then
        return;
    end if;
    return query
    with hit as materialized (
        -- a node of which several parts were found counts once, with the best
        select h.document_id, h.node_id, n.parent_component_id, row_number() over (order by min(h.ordinality)) as rank
        from unnest(found_hits) with ordinality as h
        inner join ragraph_private.nodes_of(
            (select array_agg(o.document_id) from unnest(found_hits) as o),
            (select array_agg(o.node_id) from unnest(found_hits) as o)
        ) as n on h.document_id = n.document_id and h.node_id = n.id
        group by h.document_id, h.node_id, n.parent_component_id
    ),
    above as materialized (
        select a.*
        from ragraph_private.ancestors(
            (select array_agg(h.document_id order by h.rank) from hit as h),
            (select array_agg(h.parent_component_id order by h.rank) from hit as h)
        ) as a
    ),
    section as materialized (
        select distinct on (a.document_id, a.component_id)
            a.document_id,
            a.component_id,
            a.ancestor_id,
            a.component_type,
            array(
                select u.title
                from above as u
                where u.document_id = a.document_id
                    and u.component_id = a.component_id
                    and u.depth <= a.depth
                    and u.title is not null
                order by u.depth
            ) as section_path
        from above as a
        where ragraph_private.is_section(a.component_type)
        order by a.document_id, a.component_id, a.depth desc
    ),
    placed as (
        select
            s.document_id,
            s.ancestor_id,
            s.component_type,
            s.section_path,
            h.node_id,
            h.rank,
            row_number() over (partition by s.document_id, s.ancestor_id order by h.rank) as place
        from hit as h
        inner join section as s on h.document_id = s.document_id and h.parent_component_id = s.component_id
    ),
    scored as (
        select
            p.document_id,
            p.ancestor_id,
            p.component_type,
            p.section_path,
            sum(1.0 / (1 + p.rank) / p.place)::double precision as score,
            array_agg(p.node_id order by p.rank) as node_ids,
            array_agg(p.rank::integer order by p.rank) as ranks
        from placed as p
        group by p.document_id, p.ancestor_id, p.component_type, p.section_path
    ),
    ranked as (
        select s.*, row_number() over (order by s.score desc, s.ranks[1]) as rank
        from scored as s
    )
    select r.document_id, r.ancestor_id, r.component_type, r.section_path, r.score, r.rank::integer, r.node_ids, r.ranks
    from ranked as r
    where r.rank <= rank_sections.k
    order by r.rank;
end
$$;
comment on function ragraph.rank_sections(jsonb, integer) is
'Returns the k sections that contain hits (the innermost around each), the best first. section_path has the titles from
the top down. node_ids has the hits of the section, the best first, and ranks has their ranks among all hits. score is
the sum over the hits of a section of 1 / (1 + rank of the hit) / (its place within the section). So several hits count
for more than one, but a long section does not win by its length. hits is as for expand_hits. Pass many of them, for
example 20 for each section wanted. Raises RG001 if a document does not exist, RG003 if a node does not, RG005 for a k
or hit that is not valid';
