-- Hits with the text that belongs to them, within a budget of tokens.

create or replace function ragraph.expand_hits(
    hits jsonb,
    token_budget integer default 2000,
    sections boolean default false,
    merge_share double precision default null,
    sentences integer default 0,
    before integer default 0,
    after integer default 0,
    cross_sections boolean default false,
    whole_nodes boolean default true,
    captions boolean default true,
    notes boolean default true,
    citations boolean default false,
    cross_references boolean default false,
    supplements boolean default true,
    max_hops integer default 2,
    breadcrumbs boolean default true
)
returns table (
    document_id text,
    node_id text,
    role text,
    of_node_id text,
    score double precision,
    hop integer,
    char_start integer,
    char_end integer,
    tokens integer,
    breadcrumb_tokens integer,
    sequence_in_document integer,
    block integer,
    gap boolean,
    cut boolean,
    heading text
)
language plpgsql
stable
parallel safe
rows 50
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set plan_cache_mode = auto -- restored when the function ends, whatever is set below
as $$
#variable_conflict use_column
declare
    found_hits ragraph_private.hit[];
    only_document text;
    -- hits that are placed in any case: about as many sentences fit into a budget of 2,000 tokens
    best constant integer := 60;
    candidate record;
    remaining integer := coalesce(expand_hits.token_budget, 2147483647);
    -- Text already included: characters of all documents on one axis. Each run of text under one heading has a range of
    -- its own on it.
    stretch constant bigint := 4294967296;
    runs text[] := '{}';
    base bigint;
    whole int8range;
    words int8range;
    head int8range; -- the head of a table
    covered int8multirange := '{}';
    open_parts int8multirange;
    open_words int8multirange;
    parts int8range[];
    part int8range;
    share numeric; -- number of characters of the node, to compute a share of its tokens
    chars bigint;
    cost integer;
    overhead integer;
    in_hits integer[] := '{}';
    in_documents text[] := '{}';
    in_sections text[] := '{}';
    in_runs text[] := '{}';
    in_paths text[] := '{}'; -- ids of sections whose titles are already printed
    paths jsonb := '{}';
    ended integer[] := '{}';
    direction integer;
    is_cut boolean;
    -- the result rows, column by column
    r_hit integer[] := '{}';
    r_document text[] := '{}';
    r_node text[] := '{}';
    r_role text[] := '{}';
    r_score double precision[] := '{}';
    r_hop integer[] := '{}';
    r_start integer[] := '{}';
    r_end integer[] := '{}';
    r_tokens integer[] := '{}';
    r_sequence integer[] := '{}';
    r_section text[] := '{}';
    r_run text[] := '{}';
    r_title text[] := '{}';
    r_title_tokens integer[] := '{}';
    r_cut boolean[] := '{}';
begin
    -- Plans do not depend on the hits, and planning takes as long as execution. A cluster makes no generic plans for
    -- tables on several shards.
    if to_regclass('pg_catalog.pg_dist_partition') is null then
        perform set_config('plan_cache_mode', 'force_generic_plan', true);
    end if;
    perform ragraph_private.expand_arguments(
        expand_hits.token_budget,
        expand_hits.merge_share,
        expand_hits.sentences,
        expand_hits.before,
        expand_hits.after,
        expand_hits.max_hops
    );
    found_hits := ragraph_private.hits(expand_hits.hits);
    if found_hits = '{}' then
        return;
    end if;
    only_document := ragraph_private.only_one(found_hits);
    -- the best hits first, then the others, then the text that belongs to the hits included
    for pass in 1..3 loop
        for candidate in
            with brought as materialized (
                select
                    h.ordinality::integer as hit, h.document_id, h.node_id, 'hit' as role, h.score, 0 as hop, 0 as priority, 0 as distance,
                    h.char_start, h.char_end
                from unnest(found_hits) with ordinality as h
                where case pass
                    when 1 then h.ordinality <= best
                    -- Those that cannot fit are not placed: a hit costs its tokens, unless text of its node is included.
                    -- The first one is cut if it does not fit.
                    when 2 then h.ordinality > best and remaining > 0
                        and (h.tokens <= remaining or h.node_id = any(r_node) or r_node = '{}')
                end
                union all
                select
                    in_hits[c.hit], c.document_id, c.node_id, c.role, c.score, c.hop, c.priority, c.distance, c.char_start, c.char_end
                from ragraph_private.expand_candidates(
                    array(select found_hits[i.hit] from unnest(in_hits) with ordinality as i (hit, n) order by i.n),
                    coalesce(expand_hits.whole_nodes, false),
                    coalesce(expand_hits.sections, false),
                    expand_hits.merge_share,
                    expand_hits.token_budget,
                    expand_hits.sentences,
                    expand_hits.before,
                    expand_hits.after,
                    coalesce(expand_hits.cross_sections, false),
                    coalesce(expand_hits.captions, false),
                    coalesce(expand_hits.notes, false),
                    coalesce(expand_hits.citations, false),
                    coalesce(expand_hits.cross_references, false),
                    coalesce(expand_hits.supplements, false),
                    expand_hits.max_hops
                ) as c
                where pass = 3
            ),
            once as (
                select distinct on (b.document_id, b.node_id, b.char_start, b.char_end) b.*
                from brought as b
                order by b.document_id, b.node_id, b.char_start, b.char_end, b.hit, b.priority, b.hop, abs(b.distance)
            )
            select
                o.hit,
                o.document_id,
                o.node_id,
                o.role,
                o.score,
                o.hop,
                o.priority,
                o.distance,
                coalesce(o.char_start, p.char_start) as char_start,
                coalesce(o.char_end, p.char_end) as char_end,
                p.char_start as node_start,
                p.char_end as node_end,
                p.tokens,
                p.sequence,
                o.document_id || ' ' || p.section as section,
                o.document_id || ' ' || p.run as run,
                array(select o.document_id || ' ' || i.id from unnest(p.path_ids) with ordinality as i (id, n) order by i.n) as path,
                p.path_titles,
                p.path_tokens,
                p.title,
                p.title_tokens,
                p.head_end
            from once as o
            inner join ragraph_private.expand_placed(
                (select array_agg(i.document_id order by i.document_id, i.node_id) from once as i),
                (select array_agg(i.node_id order by i.document_id, i.node_id) from once as i)
            ) as p on o.document_id = p.document_id and o.node_id = p.node_id
            -- text added by the best hit comes first, the nearest first
            order by o.hit, o.priority, o.hop, abs(o.distance), o.distance desc, p.sequence, o.char_start nulls first
        loop
            exit when remaining <= 0;
            -- a section is added as one stretch around the hit and ends where it exceeds the budget
            direction := case when candidate.role = 'section' then candidate.hit * case when candidate.distance < 0 then -1 else 1 end end;
            continue when direction = any(ended);
            if candidate.run <> all(runs) then
                runs := runs || candidate.run;
            end if;
            base := array_position(runs, candidate.run) * stretch;
            words := int8range(base + candidate.char_start, base + candidate.char_end);
            -- includes the empty line after a node, so that a node without text has a place too, and neighbours touch
            whole := int8range(
                base + candidate.char_start,
                base + candidate.char_end + case when candidate.char_end = candidate.node_end then 2 else 0 end
            );
            -- rows of a table are meaningless without its head
            head := int8range(base + candidate.node_start, base + candidate.head_end);
            open_parts := (int8multirange(whole) + int8multirange(head)) - covered;
            open_words := int8multirange(words) * open_parts;
            continue when isempty(int8multirange(whole) - covered) or (isempty(open_words) and not isempty(words));
            open_words := open_words + (int8multirange(head) * open_parts);
            share := candidate.node_end - candidate.node_start;
            parts := case when open_words = int8multirange(words) then array[words] else array(select unnest(open_words)) end;
            if candidate.node_end = candidate.node_start then
                chars := 0;
                cost := candidate.tokens;
            else
                chars := 0;
                cost := 0;
                foreach part in array parts loop
                    chars := chars + upper(part) - lower(part);
                    cost := cost + ceil(candidate.tokens * (upper(part) - lower(part)) / share);
                end loop;
            end if;
            if cost > remaining and (r_node <> '{}' or candidate.priority > 0 or chars = 0) then
                ended := ended || direction;
                continue;
            end if;
            overhead := 0;
            if coalesce(expand_hits.breadcrumbs, true) then
                if candidate.document_id <> all(in_documents) then
                    overhead := candidate.title_tokens;
                end if;
                if candidate.run <> all(in_runs) then
                    -- each title once; that of a section which continues is repeated
                    select overhead + coalesce(sum(t.tokens - (t.place = 1)::integer), 0) into overhead
                    from unnest(candidate.path, candidate.path_tokens) with ordinality as t (id, tokens, place)
                    where t.id <> all(in_paths) or t.place = cardinality(candidate.path);
                end if;
            end if;
            -- one token for the sign of a gap, unless this continues where other text ends
            if candidate.section = any(in_sections)
                and not (covered && int8range(lower(whole) - 1, upper(whole) + 1)) then
                overhead := overhead + 1;
            end if;
            if not isempty(int8multirange(head) * open_parts) and lower(words) > upper(head) then
                overhead := overhead + 1;
            end if;
            is_cut := false;
            if cost + overhead > remaining then
                if r_node <> '{}' or candidate.priority > 0 or chars = 0 then
                    ended := ended || direction;
                    continue;
                end if;
                -- not even the best hit fits: cut it to the budget
                chars := ragraph_private.fitting(
                    candidate.document_id, candidate.node_id, candidate.char_start - candidate.node_start,
                    candidate.char_end - candidate.node_start, candidate.tokens, remaining - overhead
                ) + candidate.node_start - candidate.char_start;
                if chars <= 0 then
                    return; -- no later hit comes before it
                end if;
                cost := ceil(candidate.tokens * chars / share);
                is_cut := true;
                parts := array[int8range(lower(words), lower(words) + chars)];
                open_parts := int8multirange(parts[1]);
            end if;
            remaining := remaining - cost - overhead;
            if pass < 3 then
                in_hits := in_hits || candidate.hit;
            end if;
            covered := covered + open_parts;
            if candidate.document_id <> all(in_documents) then
                in_documents := in_documents || candidate.document_id;
            end if;
            if candidate.section <> all(in_sections) then
                in_sections := in_sections || candidate.section;
            end if;
            if candidate.run <> all(in_runs) then
                in_runs := in_runs || candidate.run;
                in_paths := in_paths || candidate.path;
                paths := paths || jsonb_build_object(candidate.run, jsonb_build_object(
                    'ids', to_jsonb(candidate.path), 'titles', to_jsonb(candidate.path_titles),
                    'tokens', to_jsonb(candidate.path_tokens)
                ));
            end if;
            foreach part in array parts loop
                r_hit := r_hit || candidate.hit;
                r_document := r_document || candidate.document_id;
                r_node := r_node || candidate.node_id;
                r_role := r_role || candidate.role;
                r_score := r_score || candidate.score;
                r_hop := r_hop || candidate.hop;
                r_start := r_start || case when isempty(part) then candidate.char_start else (lower(part) - base)::integer end;
                r_end := r_end || case when isempty(part) then candidate.char_end else (upper(part) - base)::integer end;
                r_tokens := r_tokens
                    || case when isempty(part) then cost else ceil(candidate.tokens * (upper(part) - lower(part)) / share)::integer end;
                r_sequence := r_sequence || candidate.sequence;
                r_section := r_section || candidate.section;
                r_run := r_run || candidate.run;
                r_title := r_title || candidate.title;
                r_title_tokens := r_title_tokens || candidate.title_tokens;
                r_cut := r_cut || is_cut;
            end loop;
        end loop;
        exit when pass = 2 and in_hits = '{}';
    end loop;
    return query
    with taken as (
        select t.*
        from unnest(
            r_hit, r_document, r_node, r_role, r_score, r_hop, r_start, r_end, r_tokens, r_sequence, r_section, r_run, r_title,
            r_title_tokens, r_cut
        ) as t (
            hit, document_id, node_id, role, score, hop, char_start, char_end, tokens, sequence, section, run, title,
            title_tokens, cut
        )
    ),
    placed as materialized (
        select
            t.*,
            row_number() over () as place,
            min(t.hit) over (partition by t.document_id) as best,
            lag(t.section) over reading as previous_section,
            lag(t.run) over reading as previous_run,
            lag(t.sequence) over reading as previous_sequence,
            lag(t.node_id) over reading as previous_node,
            lag(t.char_end) over reading as previous_end
        from taken as t
        window reading as (partition by t.document_id order by t.sequence, t.char_start)
    ),
    -- text of the node before, or of a node between, that is left out
    left_out as materialized (
        select p.place
        from placed as p
        inner join ragraph.content_node as l on p.document_id = l.document_id and p.previous_node = l.id
        where p.previous_section is not distinct from p.section
            and p.previous_node <> p.node_id
            and p.previous_end <> p.char_start
            and btrim(substr(l.content, p.previous_end - l.char_start + 1), E' \t\r\n') <> ''
            and (only_document is null or l.document_id = only_document)
        union
        select p.place
        from placed as p
        inner join ragraph.content_node as b
            on p.document_id = b.document_id
            and b.sequence_in_document between p.previous_sequence + 1 and p.sequence - 1
        left join ragraph.document_component as c on b.document_id = c.document_id and b.parent_component_id = c.id
        where p.previous_section is not distinct from p.section
            and p.previous_node <> p.node_id
            and p.previous_end <> p.char_start
            and b.content_node_type not in ('HEADING', 'TITLE', 'PAGE_NUMBER')
            and (b.content <> '' or b.description <> '')
            and coalesce(c.component_type not in ('HEADER', 'FOOTER'), true)
            and (only_document is null or b.document_id = only_document)
    ),
    marked as (
        select
            p.*,
            p.previous_section is distinct from p.section as starts_block,
            case
                when p.previous_section is distinct from p.section then false
                when p.previous_end = p.char_start then false
                when p.previous_node = p.node_id
                    then btrim(substr(n.content, p.previous_end - n.char_start + 1, p.char_start - p.previous_end), E' \t\r\n') <> ''
                else p.char_start > n.char_start or o.place is not null
            end as gap
        from placed as p
        inner join ragraph.content_node as n on p.document_id = n.document_id and p.node_id = n.id
        left join left_out as o on p.place = o.place
        where only_document is null or n.document_id = only_document
    )
    select
        m.document_id,
        m.node_id,
        m.role,
        (found_hits[m.hit]).node_id,
        m.score,
        m.hop,
        m.char_start,
        m.char_end,
        m.tokens,
        coalesce(case when m.previous_section is null then m.title_tokens else 0 end + h.tokens, 0) + m.gap::integer,
        m.sequence,
        (sum(m.starts_block::integer) over (order by m.best, m.sequence, m.char_start rows unbounded preceding))::integer,
        m.gap,
        m.cut,
        nullif(concat_ws(E'\n', case when h.tokens is not null and m.previous_section is null then m.title end, h.heading), '')
    from marked as m
    left join lateral ragraph_private.path_below(paths -> m.previous_run, paths -> m.run) as h
        on m.starts_block and coalesce(expand_hits.breadcrumbs, true)
    order by m.best, m.sequence, m.char_start;
end
$$;
comment on function ragraph.expand_hits(
    jsonb, integer, boolean, double precision, integer, integer, integer, boolean, boolean, boolean, boolean, boolean,
    boolean, boolean, integer, boolean
) is
'Returns search hits with the text that belongs to them, within token_budget (null = no limit). Documents are in the
order of their best hit, the rows of each in reading order. hits is [{document_id, node_id, score}], or
the rows of a search as JSON objects. If a part of the node was found, char_start and char_end are its offsets in
document_text.
Hits are included first, the best first, as long as each fits. The rest of the budget is used for text that belongs to
them, in the order of hits. The order for each hit is: the rest of its node (whole_nodes), sentences around it, captions
and the nodes they caption. Then come notes and the text they belong to, neighbours before and after, its section
(sections), supplements, cross_references, citations. With merge_share a whole section is added if hits have at least
this share of its tokens; its score is the mean of these hits by tokens. Relations are followed up to max_hops from the
hit, and up to 100. No character is returned twice.
A row is a span of document_text. of_node_id is the hit that added it. tokens is the share of the tokens of the node by
characters; the text itself may have a few more, which store.expand counts. heading has the lines to print above the
text (breadcrumbs): the title of the publication once per document, and after a > the headings of the path that were
not printed above. Long ones are shortened. breadcrumb_tokens are those of the heading, plus one for a
gap before the row. Rows of a table include its head. If not even the first hit fits, it is cut at the end of a
sentence (cut is true).
Raises RG001 if a document does not exist, RG003 if a node does not, RG005 for a hit or a number that is not valid';
