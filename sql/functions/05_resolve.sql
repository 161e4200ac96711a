-- Targets of relations: found by the anchor that the format states, else by the printed marker. Each step is one
-- statement over the document. A target that a step cannot decide stays null for the next step.

create or replace function ragraph_private.marker_key(marker text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    bare constant text := translate(btrim(lower(marker_key.marker)), '⁰¹²³⁴⁵⁶⁷⁸⁹', '0123456789');
begin
    -- a marker made of signs only (*, †, **) is its own key
    return coalesce(nullif(regexp_replace(bare, '[][(){}.,:;^\s]', '', 'g'), ''), nullif(bare, ''));
end
$$;
comment on function ragraph_private.marker_key(text) is
'Returns a marker without brackets, dots, spaces and case, so that "[22]" and "22." are both 22; null for an empty
marker';

create or replace function ragraph_private.label_key(label text, out kind text, out number text)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    rest text := regexp_replace(
        translate(label_key.label, '–—', '--'), '^[\s*_([]*(?:[Ss]ee\s+(?:also\s+)?)?', ''
    );
    worded constant text[] := regexp_match(rest, '^(?:([[:alpha:]]+)(?:\.\s*|\s+)|(§+)\s*)(.*)$');
begin
    label_key.kind := case
        when lower(worded[1]) in ('section', 'sections', 'sec', 'secs', 'sect', 'clause', 'article') then 'section'
        when worded[2] is not null then 'section'
        when lower(worded[1]) in ('chapter', 'chapters', 'chap', 'chaps', 'ch') then 'chapter'
        when lower(worded[1]) in ('appendix', 'appendices', 'annex', 'app') then 'appendix'
        when lower(worded[1]) in ('part', 'parts') then 'part'
        when lower(worded[1]) in ('figure', 'figures', 'fig', 'figs', 'plate', 'scheme', 'chart') then 'figure'
        when lower(worded[1]) in ('table', 'tables', 'tab', 'tabs') then 'table'
        when lower(worded[1]) in ('box', 'boxes') then 'box'
        when lower(worded[1]) in ('equation', 'equations', 'eq', 'eqs', 'eqn') then 'equation'
        else ''
    end;
    if label_key.kind <> '' then
        rest := ltrim(worded[3], '*_( ');
    end if;
    label_key.number := lower((
        regexp_match(
            rest,
            '^(?:(?:[[:alpha:]]{1,2}|[IVXLC]+)?[0-9]+[a-z]?(?:[.-][[:alnum:]]+)*'
            || '|[IVXLC]+(?![[:alnum:]])|[A-Z](?:[.-][[:alnum:]]+)*(?![[:alnum:]]))'
        )
    )[1]);
    if label_key.number is null then
        label_key.kind := null;
    end if;
end
$$;
comment on function ragraph_private.label_key(text) is
'Returns kind and number of the label at the beginning of a text, such as "Fig. 3", "Table A-1" or "4.2 Method". kind
is empty for a label without a word; both are null if the text begins with no label';

create or replace function ragraph_private.author_key(entry text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
begin
    -- the first capitalised word, after any particles (van der) and marks
    return lower(
        (regexp_match(author_key.entry, '^[^[:alpha:]]*(?:(?:see|cf|e\.g|i\.e|also|in)[.,]*\s+)*(?:[[:lower:]''’]+\s+)*([[:upper:]][[:alpha:]''’-]+)'))[1]
    );
end
$$;
comment on function ragraph_private.author_key(text) is
'Returns the first surname of a bibliographic entry or of an author-year marker, in lower case; null if there is none';

create or replace function ragraph_private.resolve_anchors(document_id text)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set enable_nestloop = off -- rows just written have no statistics, and a nested loop over them would be quadratic
as $$
declare
    resolved integer;
begin
    with anchors as materialized (
        select n.id, n.content_node_type as type, n.sequence_in_document as sequence, a.anchor
        from ragraph.content_node as n
        cross join jsonb_array_elements_text(
            case when jsonb_typeof(n.data -> 'anchors') = 'array' then n.data -> 'anchors' else '[]' end
        ) as a (anchor)
        where n.document_id = resolve_anchors.document_id
    ),
    wanted as materialized (
        select r.id, r.source_node_id, r.relation_type, ltrim(r.target_anchor, '#') as anchor
        from ragraph.relation as r
        where r.document_id = resolve_anchors.document_id
            and r.target_node_id is null
            and r.target_anchor is not null
    ),
    matches as (
        select w.*, a.id as target, a.type, a.sequence, 0 as distance
        from wanted as w
        inner join anchors as a on w.anchor = ltrim(a.anchor, '#')
        union all
        select w.*, a.id, a.type, a.sequence, 1
        from wanted as w
        inner join anchors as a on lower(w.anchor) = lower(ltrim(a.anchor, '#'))
    ),
    best as (
        select distinct on (m.id) m.id, m.target
        from matches as m
        where m.target <> m.source_node_id
        order by
            m.id,
            m.distance,
            -- if two nodes have the anchor, prefer the type that such a relation leads to
            case
                when m.relation_type = 'REFERENCES_NOTE' then m.type <> 'NOTE'
                when m.relation_type = 'REFERENCES_CITATION' then m.type <> 'BIBLIOGRAPHIC_ENTRY'
                when m.relation_type = 'IS_CAPTIONED_BY' then m.type <> 'CAPTION'
                else false
            end,
            m.sequence
    )
    update ragraph.relation as r
    set target_node_id = b.target
    from best as b
    where r.document_id = resolve_anchors.document_id and r.id = b.id;
    get diagnostics resolved = row_count;
    return resolved;
end
$$;
comment on function ragraph_private.resolve_anchors(text) is
'Step one of resolve_relations: resolves relations by target_anchor. Returns how many it resolved';

create or replace function ragraph_private.resolve_markers(document_id text)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
set enable_nestloop = off -- rows just written have no statistics, and a nested loop over them would be quadratic
as $$
declare
    resolved integer;
begin
    with wanted as materialized (
        select
            r.id,
            r.source_node_id,
            r.relation_type,
            ragraph_private.marker_key(r.marker_text) as key,
            n.sequence_in_document as sequence,
            coalesce(r.marker_start, 0) as marker_start,
            n.first_page,
            n.last_page
        from ragraph.relation as r
        inner join ragraph.content_node as n
            on n.document_id = resolve_markers.document_id and r.source_node_id = n.id
        where r.document_id = resolve_markers.document_id
            and r.target_node_id is null
            and r.marker_text is not null
            and r.relation_type in ('REFERENCES_NOTE', 'REFERENCES_CITATION')
    ),
    targets as materialized (
        select
            n.id,
            case when n.content_node_type = 'NOTE' then 'REFERENCES_NOTE' else 'REFERENCES_CITATION' end::ragraph.relation_type
                as relation_type,
            ragraph_private.marker_key(
                coalesce(
                    n.data ->> 'marker',
                    -- the number of an entry may be part of its text only
                    (regexp_match(n.content, '^\s*\[([^][]{1,12})\]'))[1],
                    (regexp_match(n.content, '^\s*([0-9]{1,4})\.\s'))[1]
                )
            ) as key,
            n.sequence_in_document as sequence,
            n.first_page,
            n.last_page
        from ragraph.content_node as n
        where n.document_id = resolve_markers.document_id
            and n.content_node_type in ('NOTE', 'BIBLIOGRAPHIC_ENTRY')
    ),
    counts as (
        select
            w.relation_type,
            w.key,
            max(w.sequence) as last_source,
            count(*) as sources
        from wanted as w
        group by w.relation_type, w.key
    ),
    target_counts as (
        select t.relation_type, t.key, min(t.sequence) as first_target, count(*) as targets
        from targets as t
        group by t.relation_type, t.key
    ),
    -- numbering starts again in each chapter but all notes are at the end: the nth mention leads to the nth note
    in_turn as (
        select c.relation_type, c.key
        from counts as c
        inner join target_counts as t on c.relation_type = t.relation_type and c.key = t.key
        where c.relation_type = 'REFERENCES_NOTE'
            and c.sources = t.targets
            and t.targets > 1
            and t.first_target > c.last_source
    ),
    numbered_wanted as (
        select
            w.*,
            row_number() over (partition by w.relation_type, w.key order by w.sequence, w.marker_start, w.id) as turn
        from wanted as w
    ),
    numbered_targets as (
        select t.*, row_number() over (partition by t.relation_type, t.key order by t.sequence) as turn
        from targets as t
    ),
    pairs as (
        select
            w.id,
            t.id as target,
            case
                when i.key is not null then case when w.turn = t.turn then 0 else 9 end
                when w.first_page is not null and t.first_page between w.first_page and w.last_page then 1
                when t.sequence > w.sequence then 2
                -- a list before the text, or a note that was read before its mention: taken only if there is no other
                -- choice
                when c.targets = 1 or t.relation_type = 'REFERENCES_CITATION' then 3
                else 9
            end as class,
            abs(t.sequence - w.sequence) as distance,
            t.sequence < w.sequence as behind,
            t.sequence
        from numbered_wanted as w
        inner join numbered_targets as t on w.relation_type = t.relation_type and w.key = t.key
        inner join target_counts as c on w.relation_type = c.relation_type and w.key = c.key
        left join in_turn as i on w.relation_type = i.relation_type and w.key = i.key
        where w.source_node_id <> t.id
    ),
    best as (
        select distinct on (p.id) p.id, p.target
        from pairs as p
        where p.class < 9
        order by p.id, p.class, p.behind, p.distance, p.sequence
    )
    update ragraph.relation as r
    set target_node_id = b.target
    from best as b
    where r.document_id = resolve_markers.document_id and r.id = b.id;
    get diagnostics resolved = row_count;
    return resolved;
end
$$;
comment on function ragraph_private.resolve_markers(text) is
'Step two of resolve_relations: resolves notes and numbered bibliographic entries by marker. A target on the same page
is preferred, then the next one that follows. Returns how many it resolved';

create or replace function ragraph_private.resolve_authors(document_id text)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
set enable_nestloop = off -- rows just written have no statistics, and a nested loop over them would be quadratic
as $$
declare
    resolved integer;
begin
    with wanted as materialized (
        select
            r.id,
            r.source_node_id,
            ragraph_private.author_key(r.marker_text) as author,
            lower((regexp_match(r.marker_text, '(1[5-9][0-9]{2}[a-z]?|2[01][0-9]{2}[a-z]?)\M'))[1]) as year,
            array(
                select lower(m.word[1])
                from regexp_matches(r.marker_text, '([[:upper:]][[:alpha:]''’-]+)', 'g') as m (word)
            ) as names
        from ragraph.relation as r
        where r.document_id = resolve_authors.document_id
            and r.target_node_id is null
            and r.relation_type = 'REFERENCES_CITATION'
            and r.marker_text ~ '[[:upper:]][[:alpha:]]'
    ),
    entries as materialized (
        select n.id, ragraph_private.author_key(n.content) as author, lower(n.content) as content
        from ragraph.content_node as n
        where n.document_id = resolve_authors.document_id and n.content_node_type = 'BIBLIOGRAPHIC_ENTRY'
    ),
    pairs as (
        select w.id, e.id as target
        from wanted as w
        inner join entries as e on w.author = e.author
        where w.year is not null
            and strpos(e.content, w.year) > 0
            and w.source_node_id <> e.id
            and not exists (
                select 1 from unnest(w.names) as name where strpos(e.content, name) = 0 and name not in ('see', 'cf', 'and', 'in')
            )
    ),
    best as (
        -- with two works of one author and year, the intended one is unknown
        select p.id, min(p.target) as target from pairs as p group by p.id having count(*) = 1
    )
    update ragraph.relation as r
    set target_node_id = b.target
    from best as b
    where r.document_id = resolve_authors.document_id and r.id = b.id;
    get diagnostics resolved = row_count;
    return resolved;
end
$$;
comment on function ragraph_private.resolve_authors(text) is
'Step three of resolve_relations: resolves "(Author, 2025)" to the one entry that begins with the author and contains
the year. Returns how many it resolved';

create or replace function ragraph_private.resolve_labels(document_id text)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set enable_nestloop = off -- rows just written have no statistics, and a nested loop over them would be quadratic
as $$
declare
    resolved integer;
begin
    with wanted as materialized (
        select r.id, r.source_node_id, k.kind, k.number
        from ragraph.relation as r
        cross join ragraph_private.label_key(r.marker_text) as k
        where r.document_id = resolve_labels.document_id
            and r.target_node_id is null
            and r.relation_type = 'CROSS_REFERENCES'
            and k.number is not null
    ),
    labelled as materialized (
        select
            n.id,
            n.content_node_type as type,
            k.kind,
            -- "3." in a heading equals "3" in a reference to it
            rtrim(k.number, '.-') as number
        from ragraph.content_node as n
        cross join ragraph_private.label_key(left(n.content, 60)) as k
        where n.document_id = resolve_labels.document_id
            and n.content_node_type in ('HEADING', 'SUBHEADING', 'CAPTION', 'FIGURE', 'TABLE', 'FORMULA')
            and k.number is not null
    ),
    captioned as (
        select r.target_node_id as caption, min(r.source_node_id) as node
        from ragraph.relation as r
        where r.document_id = resolve_labels.document_id
            and r.relation_type = 'IS_CAPTIONED_BY'
            and r.target_node_id is not null
        group by r.target_node_id
    ),
    pairs as (
        select
            w.id,
            coalesce(c.node, l.id) as target,
            case when l.kind = w.kind then 0 when l.kind = '' then 1 else 2 end as class
        from wanted as w
        inner join labelled as l on w.number = l.number
        left join captioned as c on l.id = c.caption
        where coalesce(c.node, l.id) <> w.source_node_id
            and case
                when w.kind in ('section', 'chapter', 'appendix', 'part', '')
                    then
                        l.type in ('HEADING', 'SUBHEADING')
                        and (l.kind in (w.kind, '') or (w.kind = 'section' and l.kind in ('chapter', 'appendix')))
                else l.type not in ('HEADING', 'SUBHEADING') and l.kind = w.kind
            end
    ),
    ranked as (
        select p.id, p.target, p.class, min(p.class) over (partition by p.id) as best_class
        from pairs as p
    ),
    best as (
        select r.id, min(r.target) as target
        from ranked as r
        where r.class = r.best_class
        group by r.id
        having count(distinct r.target) = 1
    )
    update ragraph.relation as r
    set target_node_id = b.target
    from best as b
    where r.document_id = resolve_labels.document_id and r.id = b.id;
    get diagnostics resolved = row_count;
    return resolved;
end
$$;
comment on function ragraph_private.resolve_labels(text) is
'Step four of resolve_relations: resolves "Section 4.2", "Appendix A", "Figure 3" or "Table A-1" to the heading, figure
or table. Returns how many it resolved';

create or replace function ragraph_private.break_cycles(document_id text)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set enable_nestloop = off -- rows just written have no statistics, and a nested loop over them would be quadratic
as $$
declare
    rounds text[]; -- nodes that are part of a cycle: found beforehand, because a shard of a cluster cannot query another
begin
    select array_agg(c.object_id) into rounds from ragraph_private.check_cycles(break_cycles.document_id) as c;
    if rounds is null then
        return;
    end if;
    update ragraph.relation as r
    set relation_type = 'CROSS_REFERENCES'
    from ragraph.content_node as s, ragraph.content_node as t
    where r.document_id = break_cycles.document_id
        and s.document_id = break_cycles.document_id
        and t.document_id = break_cycles.document_id
        and r.source_node_id = s.id
        and r.target_node_id = t.id
        and r.relation_type in ('REFERENCES_NOTE', 'IS_CAPTIONED_BY', 'IS_SUPPLEMENTED_BY')
        and s.id = any(rounds)
        and t.id = any(rounds)
        and t.sequence_in_document <= s.sequence_in_document;
end
$$;
comment on function ragraph_private.break_cycles(text) is
'Changes relations that close a cycle of notes, captions and supplements to cross-references: those that lead back to
an earlier node';

create or replace function ragraph.resolve_relations(document_id text)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    resolved integer;
begin
    perform ragraph_private.require_document(resolve_relations.document_id);
    resolved := ragraph_private.resolve_anchors(resolve_relations.document_id)
        + ragraph_private.resolve_markers(resolve_relations.document_id)
        + ragraph_private.resolve_authors(resolve_relations.document_id)
        + ragraph_private.resolve_labels(resolve_relations.document_id);
    perform ragraph_private.break_cycles(resolve_relations.document_id);
    return resolved;
end
$$;
comment on function ragraph.resolve_relations(text) is
'Finds targets of relations that have none: by anchor, by marker, by author and year, by label. Returns how many it
found. Unknown or ambiguous targets stay null, and a target once set is never changed. Relations that close a cycle of
notes, captions and supplements become cross-references. Raises RG001 if the document does not exist';
