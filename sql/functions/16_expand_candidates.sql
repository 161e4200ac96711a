-- Nodes that expand_hits adds to search hits. All functions here receive the hits as one array, best hit first, and
-- process all of them at once. Rows refer to a hit by its position in the array, from 1.
--
-- Running heads, page numbers and headings are never added: the first two are of no use, and the words of a heading are
-- part of the section path. Figures without text are added only by a relation.

create or replace function ragraph_private.expand_relations(
    hits ragraph_private.hit[],
    captions boolean,
    notes boolean,
    citations boolean,
    cross_references boolean,
    supplements boolean,
    max_hops integer
)
returns table (hit integer, node_id text, role text, hop integer)
language plpgsql
stable
parallel safe
rows 100
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    places integer[];
    documents text[];
    nodes text[];
    roles text[];
    seen_places integer[] := '{}';
    seen_nodes text[] := '{}';
    only_document constant text := ragraph_private.only_one(expand_relations.hits);
begin
    if true <> all(array[
        expand_relations.captions, expand_relations.notes, expand_relations.citations, expand_relations.cross_references,
        expand_relations.supplements
    ]) then
        return;
    end if;
    select array_agg(h.ordinality), array_agg(h.document_id), array_agg(h.node_id), array_agg('hit'::text)
    into places, documents, nodes, roles
    from unnest(expand_relations.hits) with ordinality as h;
    -- each hop compares with all nodes seen before, so that hops without a limit cost the square of a chain's length
    for distance in 1..least(expand_relations.max_hops, 100) loop
        exit when nodes is null;
        seen_places := seen_places || places;
        seen_nodes := seen_nodes || nodes;
        -- from a hit, every kind of relation that is switched on; from a node that it added, only those that complete
        -- that node
        with step (from_role, edge, outward, to_role) as (
            select *
            from (
                values
                ('hit', 'IS_CAPTIONED_BY'::ragraph.relation_type, true, 'caption', expand_relations.captions),
                ('hit', 'IS_CAPTIONED_BY', false, 'captioned', expand_relations.captions),
                ('hit', 'REFERENCES_NOTE', true, 'note', expand_relations.notes),
                ('hit', 'REFERENCES_NOTE', false, 'noted', expand_relations.notes),
                ('hit', 'REFERENCES_CITATION', true, 'citation', expand_relations.citations),
                ('hit', 'CROSS_REFERENCES', true, 'cross_reference', expand_relations.cross_references),
                ('hit', 'IS_SUPPLEMENTED_BY', true, 'supplement', expand_relations.supplements),
                ('note', 'REFERENCES_NOTE', true, 'note', expand_relations.notes),
                ('note', 'REFERENCES_CITATION', true, 'citation', expand_relations.citations),
                ('captioned', 'REFERENCES_NOTE', true, 'note', expand_relations.notes),
                ('cross_reference', 'IS_CAPTIONED_BY', true, 'caption', expand_relations.captions),
                ('cross_reference', 'IS_CAPTIONED_BY', false, 'captioned', expand_relations.captions),
                ('supplement', 'IS_CAPTIONED_BY', true, 'caption', expand_relations.captions),
                ('supplement', 'IS_CAPTIONED_BY', false, 'captioned', expand_relations.captions)
            ) as v (from_role, edge, outward, to_role, wanted)
            where v.wanted
        ),
        reached as (
            select f.hit, r.document_id, r.target_node_id as node_id, s.to_role
            from unnest(places, documents, nodes, roles) as f (hit, document_id, node_id, role)
            inner join ragraph.relation as r on f.document_id = r.document_id and f.node_id = r.source_node_id
            inner join step as s on f.role = s.from_role and r.relation_type = s.edge and s.outward
            where r.target_node_id is not null and (only_document is null or r.document_id = only_document)
            union all
            select f.hit, r.document_id, r.source_node_id, s.to_role
            from unnest(places, documents, nodes, roles) as f (hit, document_id, node_id, role)
            inner join ragraph.relation as r on f.document_id = r.document_id and f.node_id = r.target_node_id
            inner join step as s on f.role = s.from_role and r.relation_type = s.edge and not s.outward
            where only_document is null or r.document_id = only_document
        ),
        fresh as (
            -- min: one role for a node that is reached in several ways, whatever the order of rows
            select r.hit, r.document_id, r.node_id, min(r.to_role) as role
            from reached as r
            left join unnest(seen_places, seen_nodes) as v (hit, node_id) on r.hit = v.hit and r.node_id = v.node_id
            where v.hit is null
            group by r.hit, r.document_id, r.node_id
        )
        select array_agg(f.hit), array_agg(f.document_id), array_agg(f.node_id), array_agg(f.role)
        into places, documents, nodes, roles
        from fresh as f;
        return query
        select f.hit, f.node_id, f.role, distance from unnest(places, nodes, roles) as f (hit, node_id, role);
    end loop;
end
$$;
comment on function ragraph_private.expand_relations(
    ragraph_private.hit[], boolean, boolean, boolean, boolean, boolean, integer
) is
'Returns the nodes that relations lead to from each hit, once per hit by its shortest path, with the role and the hop
from 1. Safe on cycles';

create or replace function ragraph_private.expand_neighbours(
    hits ragraph_private.hit[],
    before integer,
    after integer,
    cross_sections boolean
)
returns table (hit integer, node_id text, distance integer)
language plpgsql
stable
parallel safe
rows 100
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    -- how many nodes that do not count (page furniture, footnotes) may be between
    slack constant integer := 12;
    only_document constant text := ragraph_private.only_one(expand_neighbours.hits);
    -- the nodes around: the place and the component of their hit, and how far from it they are
    places integer[];
    homes text[];
    documents text[];
    nodes text[];
    parents text[];
    steps integer[];
begin
    if cardinality(expand_neighbours.hits) = 0 or (expand_neighbours.before = 0 and expand_neighbours.after = 0) then
        return;
    end if;
    -- before the statement that asks for the sections above them: a cluster may send this one to one shard
    with hits as materialized (
        select h.ordinality::integer as place, n.document_id, n.id, n.sequence_in_document as sequence, n.parent_component_id
        from unnest(expand_neighbours.hits) with ordinality as h
        inner join ragraph.content_node as n on h.document_id = n.document_id and h.node_id = n.id
        where only_document is null or n.document_id = only_document
    )
    select
        array_agg(h.place),
        array_agg(h.parent_component_id),
        array_agg(n.document_id),
        array_agg(n.id),
        array_agg(n.parent_component_id),
        array_agg(n.sequence_in_document - h.sequence)
    into places, homes, documents, nodes, parents, steps
    from hits as h
    inner join ragraph.content_node as n
        on h.document_id = n.document_id
        and n.sequence_in_document between
        h.sequence - case when expand_neighbours.before = 0 then 0 else expand_neighbours.before * 2::bigint + slack end
        and h.sequence + case when expand_neighbours.after = 0 then 0 else expand_neighbours.after * 2::bigint + slack end
    where h.id <> n.id
        and n.content_node_type not in ('HEADING', 'TITLE', 'PAGE_NUMBER')
        and (n.content <> '' or n.description <> '')
        and not (n.content_node_type = 'NOTE' and n.sequence_in_parent_minor is not null)
        and (only_document is null or n.document_id = only_document);
    return query
    with near as materialized (
        select n.*
        from unnest(places, homes, documents, nodes, parents, steps) as n (
            place, home, document_id, id, parent_component_id, step
        )
    ),
    parent as (
        select n.document_id, n.parent_component_id as id from near as n
        union
        select n.document_id, n.home from near as n
    ),
    section as materialized (
        select
            a.document_id,
            a.component_id,
            (array_agg(a.ancestor_id order by a.depth desc) filter (where ragraph_private.is_section(a.component_type)))[1] as id,
            bool_or(a.component_type in ('HEADER', 'FOOTER')) as furniture
        from ragraph_private.ancestors(
            (select array_agg(p.document_id) from parent as p where p.id is not null),
            (select array_agg(p.id) from parent as p where p.id is not null)
        ) as a
        group by a.document_id, a.component_id
    ),
    counted as (
        select
            n.place,
            n.id,
            n.step,
            row_number() over (partition by n.place, n.step > 0 order by abs(n.step)) as distance
        from near as n
        left join section as s on n.document_id = s.document_id and n.parent_component_id = s.component_id
        left join section as h on n.document_id = h.document_id and n.home = h.component_id
        where s.furniture is not true
            and (expand_neighbours.cross_sections or s.id is not distinct from h.id)
    )
    select c.place, c.id, (sign(c.step) * c.distance)::integer
    from counted as c
    where c.distance <= case when c.step > 0 then expand_neighbours.after else expand_neighbours.before end;
end
$$;
comment on function ragraph_private.expand_neighbours(ragraph_private.hit[], integer, integer, boolean) is
'Returns the nodes just before (distance -1, -2 ...) and after (1, 2 ...) each hit in reading order, in its own section
unless cross_sections. Footnotes, headings and page furniture do not count';

create or replace function ragraph_private.expand_sentences(
    hits ragraph_private.hit[],
    sentences integer,
    cross_sections boolean
)
returns table (hit integer, node_id text, distance integer, char_start integer, char_end integer)
language plpgsql
stable
parallel safe
rows 100
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    only_document constant text := ragraph_private.only_one(expand_sentences.hits);
    places integer[];
    nodes text[];
begin
    if expand_sentences.sentences = 0 then
        return;
    end if;
    -- each neighbour has at least one sentence, so this many neighbours are sufficient
    select array_agg(n.hit), array_agg(n.node_id) into places, nodes
    from ragraph_private.expand_neighbours(
        expand_sentences.hits, expand_sentences.sentences, expand_sentences.sentences, expand_sentences.cross_sections
    ) as n;
    return query
    with hits as (
        select h.ordinality::integer as place, h.document_id, h.node_id, h.char_start, h.char_end
        from unnest(expand_sentences.hits) with ordinality as h
    ),
    around as (
        select h.place, h.node_id from hits as h
        union all
        select n.place, n.node_id from unnest(places, nodes) as n (place, node_id)
    ),
    sentence as (
        select
            h.place,
            n.id,
            n.char_start + s.char_start as char_start,
            n.char_start + s.char_end as char_end,
            -- 0 for a sentence that overlaps the hit, -1 before it, 1 after it
            case
                when n.char_start + s.char_end <= h.char_start then -1
                when n.char_start + s.char_start >= h.char_end then 1
                else 0
            end as side
        from around as a
        inner join hits as h on a.place = h.place
        inner join ragraph.content_node as n on h.document_id = n.document_id and a.node_id = n.id
        cross join ragraph_private.sentences(n.content) as s
        where (a.node_id = h.node_id or n.content_node_type in ('PARAGRAPH', 'LIST_ITEM', 'BLOCK_QUOTATION', 'STANZA'))
            and (only_document is null or n.document_id = only_document)
    ),
    counted as (
        select
            s.*,
            s.side * row_number() over (
                partition by s.place, s.side
                order by case when s.side < 0 then -s.char_start else s.char_start end
            ) as distance
        from sentence as s
    )
    select c.place, c.id, c.distance::integer, c.char_start, c.char_end
    from counted as c
    where abs(c.distance) <= expand_sentences.sentences;
end
$$;
comment on function ragraph_private.expand_sentences(ragraph_private.hit[], integer, boolean) is
'Returns the sentences around the span of each hit with their distance (-1, 1 ...), and those that overlap it (0), as
spans in the text of the document. Sentences of neighbouring paragraphs are included';

create or replace function ragraph_private.expand_sections(
    hits ragraph_private.hit[],
    sections boolean,
    merge_share double precision,
    token_budget integer
)
returns table (hit integer, node_id text, distance integer, score double precision)
language plpgsql
stable
parallel safe
rows 200
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    -- Nodes that the budget cannot reach are skipped: the text between them and the hit is either included already,
    -- within the budget, or must be paid for. Nodes have at least one token, except headings and the like.
    room constant bigint := 2 * coalesce(expand_sections.token_budget, 2147483647)::bigint;
    reach constant bigint := 2 * room + 1000;
    only_document constant text := ragraph_private.only_one(expand_sections.hits);
    homes text[];
    components text[];
    sections_above ragraph_private.ancestor[];
begin
    if not expand_sections.sections and expand_sections.merge_share is null then
        return;
    end if;
    -- before the statement that reads nodes: a cluster may send that to one shard
    select array_agg(n.document_id), array_agg(n.parent_component_id) into homes, components
    from unnest(expand_sections.hits) as h
    inner join ragraph.content_node as n on h.document_id = n.document_id and h.node_id = n.id
    where only_document is null or n.document_id = only_document;
    sections_above := array(
        select a
        from ragraph_private.ancestors(homes, components) as a
        where ragraph_private.is_section(a.component_type) and a.first_sequence is not null
    );
    return query
    with hits as materialized (
        select
            h.ordinality::integer as place,
            h.score,
            h.tokens,
            n.document_id,
            n.id,
            n.sequence_in_document as sequence,
            n.parent_component_id,
            n.char_end - n.char_start as chars
        from unnest(expand_sections.hits) with ordinality as h
        inner join ragraph.content_node as n on h.document_id = n.document_id and h.node_id = n.id
        where only_document is null or n.document_id = only_document
    ),
    above as materialized (
        select h.place, h.score, h.tokens, h.chars, h.sequence, a.*
        from unnest(sections_above) as a
        inner join hits as h on a.document_id = h.document_id and a.component_id = h.parent_component_id
    ),
    enclosing as (
        -- the innermost section of each hit; a section with several hits is represented by the best of them
        select distinct on (e.document_id, e.ancestor_id)
            e.document_id, e.ancestor_id, e.depth, e.first_sequence, e.last_sequence, e.place, e.sequence, e.score
        from (
            select distinct on (a.place) a.*
            from above as a
            order by a.place, a.depth desc
        ) as e
        where expand_sections.sections
        order by e.document_id, e.ancestor_id, e.place
    ),
    inner_sections as materialized (
        select e.document_id, e.ancestor_id, range_agg(int4range(c.first_sequence, c.last_sequence, '[]')) as spans
        from enclosing as e
        inner join ragraph.document_component as c
            on e.document_id = c.document_id and c.first_sequence between e.first_sequence and e.last_sequence
        where e.depth = 0 and c.depth > 0 and ragraph_private.is_section(c.component_type)
            and (only_document is null or c.document_id = only_document)
        group by e.document_id, e.ancestor_id
    ),
    hit_sums as (
        select
            a.document_id,
            a.ancestor_id,
            a.depth,
            a.first_sequence,
            a.last_sequence,
            min(a.place) as place,
            sum(a.tokens) as tokens,
            sum(a.chars) as chars,
            sum(a.score * a.tokens) / nullif(sum(a.tokens), 0) as score
        from above as a
        where expand_sections.merge_share is not null
        group by a.document_id, a.ancestor_id, a.depth, a.first_sequence, a.last_sequence
    ),
    possible as (
        -- sections many times as long as their hits need not be summed; the factor allows for tokens of any length
        select s.*
        from hit_sums as s
        inner join ragraph.content_node as f
            on s.document_id = f.document_id and s.first_sequence = f.sequence_in_document
        inner join ragraph.content_node as l
            on s.document_id = l.document_id and s.last_sequence = l.sequence_in_document
        where (l.char_end - f.char_start) * expand_sections.merge_share <= 8.0 * s.chars + 1000
            and (only_document is null or f.document_id = only_document and l.document_id = only_document)
    ),
    full_enough as materialized (
        select p.document_id, p.ancestor_id, p.depth, p.first_sequence, p.last_sequence, p.place, p.score
        from possible as p
        inner join ragraph.content_node as n
            on p.document_id = n.document_id and n.sequence_in_document between p.first_sequence and p.last_sequence
        left join ragraph.document_component as c on n.document_id = c.document_id and n.parent_component_id = c.id
        where n.content_node_type not in ('HEADING', 'TITLE', 'PAGE_NUMBER')
            and coalesce(c.component_type not in ('HEADER', 'FOOTER'), true)
            and (only_document is null or n.document_id = only_document)
        group by p.document_id, p.ancestor_id, p.depth, p.first_sequence, p.last_sequence, p.place, p.score, p.tokens
        having p.tokens >= expand_sections.merge_share * sum(n.token_count) and p.tokens > 0
    ),
    merged as (
        -- the outermost of nested sections
        select f.*
        from full_enough as f
        where not exists (
            select 1
            from full_enough as o
            where o.document_id = f.document_id
                and o.depth < f.depth
                and f.first_sequence between o.first_sequence and o.last_sequence
        )
    ),
    chosen as materialized (
        select
            m.document_id, m.first_sequence, m.last_sequence, m.place, h.sequence, m.score, null::int4multirange as others
        from merged as m
        inner join hits as h on m.place = h.place
        union all
        -- front, body and back matter are not added as a whole: only nodes that are not in any section below
        select
            e.document_id,
            e.first_sequence,
            e.last_sequence,
            e.place,
            e.sequence,
            e.score,
            i.spans
        from enclosing as e
        left join inner_sections as i on e.document_id = i.document_id and e.ancestor_id = i.ancestor_id
    )
    select d.place, d.id, d.distance, d.score
    from (
        select
            c.place,
            n.id,
            n.sequence_in_document - c.sequence as distance,
            c.score,
            -- tokens between the hit and this node
            sum(n.token_count) over (
                partition by c.place, c.first_sequence, c.last_sequence, n.sequence_in_document < c.sequence
                order by abs(n.sequence_in_document - c.sequence)
                rows between unbounded preceding and 1 preceding
            ) as between_tokens
        from chosen as c
        inner join ragraph.content_node as n
            on c.document_id = n.document_id
            and n.sequence_in_document between greatest(c.first_sequence, c.sequence - reach)
            and least(c.last_sequence, c.sequence + reach)
        left join ragraph.document_component as p on n.document_id = p.document_id and n.parent_component_id = p.id
        where n.content_node_type not in ('HEADING', 'TITLE', 'PAGE_NUMBER')
            and coalesce(p.component_type not in ('HEADER', 'FOOTER'), true)
            and (n.content <> '' or n.description <> '')
            and (c.others is null or not c.others @> n.sequence_in_document)
            and (only_document is null or n.document_id = only_document)
    ) as d
    where coalesce(d.between_tokens, 0) <= room;
end
$$;
comment on function ragraph_private.expand_sections(ragraph_private.hit[], boolean, double precision, integer) is
'Returns the nodes of sections to be added, with their distance from the hit in reading order. With sections these are
the nodes of the innermost section of each hit; with merge_share, those of each outermost section in which hits have at
least this share of the tokens. The score of a merged section is the mean score of its hits, weighted by their tokens';

create or replace function ragraph_private.expand_candidates(
    hits ragraph_private.hit[],
    whole_nodes boolean,
    sections boolean,
    merge_share double precision,
    token_budget integer,
    sentences integer,
    before integer,
    after integer,
    cross_sections boolean,
    captions boolean,
    notes boolean,
    citations boolean,
    cross_references boolean,
    supplements boolean,
    max_hops integer
)
returns table (
    hit integer,
    document_id text,
    node_id text,
    role text,
    score double precision,
    hop integer,
    priority integer,
    distance integer,
    char_start integer,
    char_end integer
)
language plpgsql
stable
parallel safe
rows 500
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    only_document constant text := ragraph_private.only_one(expand_candidates.hits);
    -- the nodes that relations lead to
    places integer[];
    documents text[];
    nodes text[];
    roles text[];
    hops integer[];
    priorities integer[];
begin
    select
        array_agg(r.hit),
        array_agg((expand_candidates.hits[r.hit]).document_id),
        array_agg(r.node_id),
        array_agg(r.role),
        array_agg(r.hop)
    into places, documents, nodes, roles, hops
    from ragraph_private.expand_relations(
        expand_candidates.hits,
        expand_candidates.captions,
        expand_candidates.notes,
        expand_candidates.citations,
        expand_candidates.cross_references,
        expand_candidates.supplements,
        expand_candidates.max_hops
    ) as r;
    if places is not null then
        -- A reference to a section leads to its heading: the first node of its text is added instead. This statement
        -- reads tables and calls no function that does: a cluster may send it to one shard.
        with related as materialized (
            select r.*, n.content_node_type, n.sequence_in_document as sequence, n.parent_component_id
            from unnest(places, documents, nodes, roles, hops) as r (hit, document_id, node_id, role, hop)
            inner join ragraph.content_node as n on r.document_id = n.document_id and r.node_id = n.id
            where only_document is null or n.document_id = only_document
        ),
        below as materialized (
            select distinct on (r.hit, r.node_id) r.hit, n.id as node_id, r.role, r.hop
            from related as r
            inner join ragraph.content_node as n
                on r.document_id = n.document_id
                and n.sequence_in_document between r.sequence + 1 and r.sequence + 10
                and r.parent_component_id = n.parent_component_id
            where r.content_node_type in ('HEADING', 'TITLE')
                and n.content_node_type not in ('HEADING', 'TITLE', 'PAGE_NUMBER', 'NOTE')
                and (only_document is null or n.document_id = only_document)
            order by r.hit, r.node_id, n.sequence_in_document
        )
        select array_agg(b.hit), array_agg(b.node_id), array_agg(b.role), array_agg(b.hop), array_agg(b.priority)
        into places, nodes, roles, hops, priorities
        from (
            select
                r.hit,
                r.node_id,
                r.role,
                r.hop,
                case r.role
                    when 'caption' then 3
                    when 'captioned' then 3
                    when 'note' then 4
                    when 'noted' then 4
                    when 'supplement' then 7
                    when 'cross_reference' then 8
                    else 9
                end as priority
            from related as r
            where r.content_node_type not in ('HEADING', 'TITLE', 'PAGE_NUMBER')
            union all
            select w.hit, w.node_id, w.role, w.hop, 8 from below as w
        ) as b;
    end if;
    return query
    with hits as materialized (
        select h.ordinality::integer as place, h.*
        from unnest(expand_candidates.hits) with ordinality as h
    ),
    brought as (
        select s.hit, s.node_id, 'sentence' as role, 0 as hop, 2 as priority, s.distance, s.char_start, s.char_end
        from ragraph_private.expand_sentences(
            expand_candidates.hits, expand_candidates.sentences, expand_candidates.cross_sections
        ) as s
        union all
        select
            r.hit,
            r.node_id,
            r.role,
            r.hop,
            r.priority,
            0,
            null::integer,
            null::integer
        from unnest(places, nodes, roles, hops, priorities) as r (hit, node_id, role, hop, priority)
        union all
        select n.hit, n.node_id, case when n.distance < 0 then 'before' else 'after' end, 0, 5, n.distance, null, null
        from ragraph_private.expand_neighbours(
            expand_candidates.hits, expand_candidates.before, expand_candidates.after, expand_candidates.cross_sections
        ) as n
    )
    -- the rest of a node of which a part was found
    select h.place, h.document_id, h.node_id, 'node', h.score, 0, 1, 0, null::integer, null::integer
    from hits as h
    where expand_candidates.whole_nodes
    union all
    select b.hit, h.document_id, b.node_id, b.role, h.score, b.hop, b.priority, b.distance, b.char_start, b.char_end
    from brought as b
    inner join hits as h on b.hit = h.place
    union all
    select s.hit, h.document_id, s.node_id, 'section', s.score, 0, 6, s.distance, null, null
    from ragraph_private.expand_sections(
        expand_candidates.hits, expand_candidates.sections, expand_candidates.merge_share, expand_candidates.token_budget
    ) as s
    inner join hits as h on s.hit = h.place;
end
$$;
comment on function ragraph_private.expand_candidates(
    ragraph_private.hit[], boolean, boolean, double precision, integer, integer, integer, integer, boolean, boolean, boolean,
    boolean, boolean, boolean, integer
) is
'Returns the nodes and spans to be added for each hit, with their role, hop, priority and distance; the same node may
occur several times. Spans are null for complete nodes';
