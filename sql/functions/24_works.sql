-- Works: which bibliographic entries refer to the same work, and which documents of the store are works that others
-- cite.
--
-- Two rows of a collection refer to the same work if they share a key and do not contradict each other. Whenever a row
-- is added, changed or deleted, all rows connected to it by keys are resolved again, in an order that depends only on
-- the rows. So neither the order of ingestion nor an earlier result matters (docs/decisions/0025).

create or replace function ragraph_private.lock_works(collection text)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    perform pg_advisory_xact_lock(hashtextextended('ragraph works ' || lock_works.collection, 0));
end
$$;
comment on function ragraph_private.lock_works(text) is
'Waits until this transaction is the only one that resolves works of a collection. Must be called before any document
is locked';

create or replace function ragraph_private.work_closure(collection text, identities text[])
returns text[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set enable_seqscan = off -- the planner expects many keys to occur in most rows, and would then compare each row with all of them
as $$
#variable_conflict use_column
declare
    reached text[] := work_closure.identities;
    latest text[] := work_closure.identities;
    named text[];
    at_once constant integer := 500; -- keys per query: for each row that it finds, the index checks all keys of the query
begin
    while latest <> '{}' loop -- rows without keys are only found by the given identities
        named := array(
            select distinct k.key
            from ragraph.work_entry as e
            cross join unnest(e.keys) as k (key)
            where e.collection = work_closure.collection and e.identity = any(latest)
        );
        latest := '{}';
        for first_key in 1..cardinality(named) by at_once loop
            latest := latest || array(
                select distinct e.identity
                from ragraph.work_entry as e
                where e.collection = work_closure.collection
                    and e.keys && named[first_key:first_key + at_once - 1]
            );
        end loop;
        latest := array(
            select l.identity from unnest(latest) as l (identity)
            except
            select r.identity from unnest(reached) as r (identity)
        );
        reached := reached || latest;
    end loop;
    return reached;
end
$$;
comment on function ragraph_private.work_closure(text, text[]) is
'Returns all identities of a collection whose rows are connected by keys, directly or indirectly, with rows of the
given ones';

create or replace function ragraph_private.distinct_entries(
    collection text, identities text[], out numbers integer[], out said jsonb
)
returns record
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
set enable_nestloop = off -- the planner cannot estimate the number of rows in the value
as $$
#variable_conflict use_column
begin
    with rows_of_all as materialized ( -- numbered after they are collected, because they may be on several servers
        select
            e.document_id, e.id, e.keys, e.authors[1] as author, e.title, e.container, e.volume, e.pages, e.doi, e.pmid, e.pinned
        from ragraph.work_entry as e
        where e.collection = distinct_entries.collection and e.identity = any(distinct_entries.identities)
    ),
    placed as materialized (
        select
            row_number() over (order by e.document_id collate "C", e.id collate "C")::integer as place,
            md5(row(
                e.keys, e.author, e.title, e.container, e.volume, e.pages, e.doi, e.pmid, e.pinned,
                -- a row with nothing to compare equals no other row
                case when e.keys = '{}' and e.pinned is null then e.id end
            )::text) as sameness,
            e.*
        from rows_of_all as e
    ),
    firsts as materialized (
        select f.*, row_number() over (order by f.first_place)::integer as n
        from (select p.sameness, min(p.place) as first_place, count(*) as rows from placed as p group by p.sameness) as f
    )
    select
        (select array_agg(f.n order by p.place) from placed as p inner join firsts as f on p.sameness = f.sameness),
        (
            select jsonb_agg(to_jsonb(s))
            from (
                select
                    f.n, f.rows, p.document_id, p.id, p.keys, p.title, p.doi, p.pmid, p.pinned,
                    nullif(lower(regexp_replace(split_part(p.author, ',', 1), '^.*\s', '')), '') as first_author,
                    ragraph_private.container_initials(p.container) as container,
                    nullif(lower(regexp_replace(p.volume, '[^[:alnum:]]', '', 'g')), '') as volume,
                    nullif(lower(regexp_replace(split_part(p.pages, '-', 1), '[^[:alnum:]]', '', 'g')), '') as page,
                    case
                        when exists (select from unnest(p.keys) as k (key) where starts_with(k.key, 'book:')) then true
                        when p.container is not null and coalesce(p.volume, p.pages) is not null then false
                    end as is_book
                from firsts as f
                inner join placed as p on f.first_place = p.place
            ) as s
        )
    into numbers, said;
end
$$;
comment on function ragraph_private.distinct_entries(text, text[]) is
'Reads the rows of works and combines rows with equal fields. numbers has one element per row, in the order of document
and id: the number of its distinct entry. said lists the distinct entries, numbered by the first row of each, with the
number of rows';

create or replace function ragraph_private.work_edges(said jsonb)
returns table (one integer, other integer, strength integer)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set enable_nestloop = off -- the planner cannot estimate the number of rows in the value
as $$
#variable_conflict use_column
begin
    return query
    with entries as materialized (
        select e.*, ragraph_private.title_weight(e.title) < 40 as common
        from jsonb_to_recordset(work_edges.said) as e (
            n integer, keys text[], title text, pinned text, container text, first_author text, volume text, page text
        )
    ),
    keyed as (
        select e.n, e.volume, e.page, k.key, ragraph_private.key_strength(k.key) as strength
        from entries as e
        cross join unnest(e.keys) as k (key)
        where not starts_with(k.key, 'book:')
        union all
        select e.n, null, null, e.pinned, 0 from entries as e where e.pinned is not null
    ),
    near as (
        -- each row is compared with its next three neighbours only: as reliable as comparing all pairs, but not
        -- quadratic
        select k.*, p.step, lag(k.n, p.step) over w as before
        from keyed as k
        cross join (values (1), (2), (3)) as p (step)
        window w as (partition by k.key, k.strength, p.step order by k.volume, k.page, k.n)
    )
    select a.n, b.n, x.strength
    from near as x
    inner join entries as a on x.before = a.n
    inner join entries as b on x.n = b.n
    where case
        when x.strength < 6 then true
        when x.strength = 6 then not (
            -- the same article in two journals has the same title, and so have the volumes of a work
            coalesce(a.volume <> b.volume and (a.page = b.page) is not true, false)
            -- titles such as "Introduction" or "In reply" belong to many works
            or coalesce(
                (a.common or b.common) and (a.page <> b.page or left(a.first_author, 1) <> left(b.first_author, 1)), false
            )
            or coalesce(
                (a.common or b.common) and (a.volume = b.volume and a.page = b.page) is not true
                and not (starts_with(a.container, b.container) or starts_with(b.container, a.container)), false
            )
        )
        -- several letters may be on one page
        else ragraph_private.title_likeness(a.title, b.title) >= case
            when a.first_author = b.first_author or a.first_author is null or b.first_author is null then 0.3
            when a.common and b.common and left(a.first_author, 1) <> left(b.first_author, 1) then 2
            else 0.6
        end
    end
    order by x.strength, x.key collate "C", b.n, a.n desc;
end
$$;
comment on function ragraph_private.work_edges(jsonb) is
'Returns pairs of distinct entries (the value said of distinct_entries), by their numbers, that share a key and do not
contradict each other, the most reliable key first';

create or replace function ragraph_private.key_strength(key text)
returns integer
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
    return array_position(
        array['doi', 'pmid', 'pmcid', 'arxiv', 'isbn', 'title', 'place', 'book'], split_part(key_strength.key, ':', 1)
    );
end
$$;
comment on function ragraph_private.key_strength(text) is
'Returns the reliability of a key: from 1, a DOI, to 7, a place in a journal; those up to 5 are identifiers. 8 marks
the title of a book and connects nothing';

create or replace function ragraph_private.title_weight(title text)
returns integer
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set standard_conforming_strings = on
as $$
begin
    return coalesce(
        length(regexp_replace(title_weight.title, '[^[:alnum:]]', '', 'g'))
        + 2 * length(regexp_replace(title_weight.title, '[^\u2e80-\u9fff\uac00-\ud7af]', '', 'g')),
        0
    );
end
$$;
comment on function ragraph_private.title_weight(text) is
'Returns the number of letters of a title; each Chinese, Japanese or Korean letter counts as three. `title_weight` in
Python must agree';

create or replace function ragraph_private.container_initials(container text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
    words constant text[] := array(
        select w.word
        from regexp_split_to_table(container_initials.container, '[^[:alpha:]]+') with ordinality as w (word, place)
        where w.word <> '' and lower(w.word) !~ '^(the|of|and|for|in|on|an?|to|de|la|les?|du|des|et|der|die|das|und|für|i|e|y|del)$'
        order by w.place
    );
begin
    if cardinality(words) = 1 then
        return case when words[1] = upper(words[1]) then lower(words[1]) else left(lower(words[1]), 4) end;
    end if;
    return (select nullif(string_agg(left(lower(u.word), 1), '' order by u.place), '')
        from unnest(words) with ordinality as u (word, place));
end
$$;
comment on function ragraph_private.container_initials(text) is
'Returns the initials of the words in the name of a journal or book, which an abbreviation of the name has too; of a
single word its first four letters, or all of an acronym';

create or replace function ragraph_private.title_likeness(one text, other text)
returns real
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
    words constant text[] := regexp_split_to_array(lower(title_likeness.one), '[^[:alnum:]]+');
    others constant text[] := regexp_split_to_array(lower(title_likeness.other), '[^[:alnum:]]+');
    likeness real;
begin
    if title_likeness.one is null or title_likeness.other is null then
        return 1;
    end if;
    select count(*) filter (where w.word = any(others))::real
        / nullif(count(*) + (select count(distinct o.word) from unnest(others) as o (word) where o.word <> all(words)), 0)
    into likeness
    from (select distinct g.word from unnest(words) as g (word)) as w;
    return coalesce(likeness, 1);
end
$$;
comment on function ragraph_private.title_likeness(text, text) is
'Returns the share of common words among all words of two titles, from 0 to 1; 1 if one title is unknown';

create or replace function ragraph_private.work_labels(said jsonb)
returns integer[]
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    up integer[];
    dois text[];
    pmids text[];
    pins text[];
    books boolean[];
    pages text[];
    containers text[];
    edge record;
    a integer;
    b integer;
    first_one integer;
begin
    select
        array_agg(e.doi order by e.n),
        array_agg(e.pmid order by e.n),
        array_agg(e.pinned order by e.n),
        array_agg(e.is_book order by e.n),
        array_agg(e.page order by e.n),
        array_agg(e.container order by e.n)
    into dois, pmids, pins, books, pages, containers
    from jsonb_to_recordset(work_labels.said) as e (
        n integer, doi text, pmid text, pinned text, is_book boolean, page text, container text
    );
    up := array(select g.place from generate_series(1, coalesce(cardinality(dois), 0)) as g (place));
    for edge in select g.* from ragraph_private.work_edges(work_labels.said) as g loop
        a := edge.one;
        while up[a] <> a loop
            up[a] := up[up[a]];
            a := up[a];
        end loop;
        b := edge.other;
        while up[b] <> b loop
            up[b] := up[up[b]];
            b := up[b];
        end loop;
        continue when a = b or pins[a] <> pins[b];
        continue when edge.strength > 5 and (dois[a] <> dois[b] or pmids[a] <> pmids[b]);
        -- a book, an article and a chapter with the same title are different works, unless people merged them
        continue when edge.strength > 5 and pins[a] is null and pins[b] is null and (
            books[a] <> books[b]
            or (
                pages[a] <> pages[b]
                and not (starts_with(containers[a], containers[b]) or starts_with(containers[b], containers[a]))
            )
        );
        first_one := least(a, b);
        up[greatest(a, b)] := first_one;
        dois[first_one] := coalesce(dois[a], dois[b]);
        pmids[first_one] := coalesce(pmids[a], pmids[b]);
        pins[first_one] := coalesce(pins[a], pins[b]);
        books[first_one] := coalesce(books[a], books[b]);
        pages[first_one] := coalesce(pages[a], pages[b]);
        containers[first_one] := coalesce(containers[a], containers[b]);
    end loop;
    for place in 1..cardinality(up) loop
        up[place] := up[up[place]]; -- the smaller numbers are already final
    end loop;
    return up;
end
$$;
comment on function ragraph_private.work_labels(jsonb) is
'Groups distinct entries (the value said of distinct_entries) into works: returns for each, by its number, the number of
the first entry of its work. Entries are kept apart if people said so, if identifiers differ, if one is a book and the
other a part of something, or if they are on different pages of different containers';

create or replace function ragraph_private.meant_works(
    collection text, said jsonb, labels integer[], out identities text[], out reasons jsonb[]
)
returns record
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set enable_nestloop = off -- the planner cannot estimate the number of rows in the value
as $$
#variable_conflict use_column
begin
    with labelled as materialized (
        select e.*, meant_works.labels[e.n] as label
        from jsonb_to_recordset(meant_works.said) as e (
            n integer, rows integer, document_id text, id text, keys text[], pinned text
        )
    ),
    keyed as materialized (
        select l.n, l.rows, l.label, k.key, ragraph_private.key_strength(k.key) as strength
        from labelled as l
        cross join unnest(l.keys) as k (key)
    ),
    first_key as (
        select distinct on (k.label) k.label, k.key
        from keyed as k
        order by k.label, k.strength, k.key collate "C"
    ),
    named as (
        -- two works may have the same most reliable key if something else distinguishes them
        select
            g.label,
            g.pin,
            case
                when g.pin is not null then g.pin
                when g.key is null or row_number() over (partition by g.key order by g.label) = 1
                    then ragraph_private.work_identity(meant_works.collection, g.key, f.document_id, f.id)
                else ragraph_private.entity_hash('work_', array[meant_works.collection, g.key, f.document_id, f.id])
            end as identity
        from (
            select l.label, max(l.pinned collate "C") as pin, min(k.key) as key
            from labelled as l
            left join first_key as k on l.label = k.label
            group by l.label
        ) as g
        inner join labelled as f on g.label = f.n
    ),
    shared as (
        select k.label, k.key
        from keyed as k
        group by k.label, k.key
        having sum(k.rows) > 1
    ),
    told as (
        select distinct on (k.n) k.n, k.key
        from keyed as k
        inner join shared as s on k.label = s.label and k.key = s.key
        order by k.n, k.strength, k.key collate "C"
    )
    select
        array_agg(d.identity order by l.n),
        array_agg(
            case
                when l.pinned is not null then jsonb_build_object('rule', 'hand')
                when t.key is not null then jsonb_build_object('rule', split_part(t.key, ':', 1), 'key', t.key)
                else jsonb_build_object('rule', 'own')
            end
            order by l.n
        )
    into identities, reasons
    from labelled as l
    inner join named as d on l.label = d.label
    left join told as t on l.n = t.n;
end
$$;
comment on function ragraph_private.meant_works(text, jsonb, integer[]) is
'Returns the identities of works and the evidence for them, for all distinct entries (the value said of distinct_entries)
in their order, given the groups that work_labels returned';

create or replace function ragraph_private.resolve_works(collection text, identities text[])
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    reached constant text[] := ragraph_private.work_closure(resolve_works.collection, resolve_works.identities);
    numbers integer[];
    said jsonb;
    labels integer[];
    meant text[];
    reasons jsonb[];
    settled text[];
    changed_here integer;
    changed integer := 0;
    one record;
begin
    select g.numbers, g.said into numbers, said
    from ragraph_private.distinct_entries(resolve_works.collection, reached) as g;
    labels := ragraph_private.work_labels(said);
    select m.identities, m.reasons into meant, reasons
    from ragraph_private.meant_works(resolve_works.collection, said, labels) as m;
    -- everything is computed before anything is written; it is written by document, because the rows of one document
    -- are on one server
    for one in
        with rows_of_all as materialized (
            select e.document_id, e.id, e.identity, e.evidence
            from ragraph.work_entry as e
            where e.collection = resolve_works.collection and e.identity = any(reached)
        ),
        entries as materialized (
            select numbers[row_number() over (order by e.document_id collate "C", e.id collate "C")] as n, e.*
            from rows_of_all as e
        ),
        wanted as (
            select
                e.document_id, e.id, e.identity as was, e.evidence as because, meant[e.n] as identity, reasons[e.n] as evidence
            from entries as e
        )
        select w.document_id, array_agg(w.id) as ids, array_agg(w.identity) as settled, array_agg(w.evidence) as evidence
        from wanted as w
        where (w.was, w.because) is distinct from (w.identity, w.evidence)
        group by w.document_id
        order by w.document_id collate "C"
    loop
        update ragraph.work_entry as e
        set identity = u.identity, evidence = u.evidence
        from unnest(one.ids, one.settled, one.evidence) as u (id, identity, evidence)
        where e.document_id = one.document_id and e.id = u.id;
        get diagnostics changed_here = row_count;
        changed := changed + changed_here;
        settled := settled || one.settled;
    end loop;
    perform ragraph_private.link_works(
        resolve_works.collection,
        array(
            select r.identity from unnest(reached) as r (identity)
            union
            select s.identity from unnest(settled) as s (identity)
        )
    );
    return changed;
end
$$;
comment on function ragraph_private.resolve_works(text, text[]) is
'Resolves which rows refer to the same work, for rows connected with the given identities of a collection, and updates
CITES relations between documents accordingly. The caller must hold the lock of the works. Returns how many rows
changed';

create or replace function ragraph_private.link_works(collection text, identities text[], sources text[] default null)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    one record;
begin
    for one in
        with entries as materialized (
            select e.document_id, e.node_id, e.identity
            from ragraph.work_entry as e
            where e.collection = link_works.collection
                and e.identity = any(link_works.identities)
                and (link_works.sources is null or e.node_id is null or e.document_id = any(link_works.sources))
        ),
        wanted as materialized (
            select s.document_id, s.node_id, t.document_id as target
            from entries as s
            inner join entries as t on s.identity = t.identity and s.document_id <> t.document_id and t.node_id is null
            where s.node_id is not null
        ),
        linked as materialized (
            select r.document_id, r.id, r.source_node_id, r.target_document_id
            from ragraph.document_relation as r
            where r.document_id = any(array(select e.document_id from entries as e)) and r.relation_type = 'CITES'
        ),
        gone as (
            select l.document_id, l.id
            from linked as l
            inner join entries as e on l.document_id = e.document_id and l.source_node_id = e.node_id
            left join wanted as w
                on l.document_id = w.document_id and l.source_node_id = w.node_id and l.target_document_id = w.target
            where w.target is null
        ),
        lacking as (
            select w.*
            from wanted as w
            left join linked as l
                on w.document_id = l.document_id and w.node_id = l.source_node_id and w.target = l.target_document_id
            where l.id is null
        )
        select
            coalesce(g.document_id, l.document_id) as document_id,
            coalesce(g.ids, '{}') as ids,
            coalesce(l.nodes, '{}') as nodes,
            coalesce(l.targets, '{}') as targets
        from (select g.document_id, array_agg(g.id) as ids from gone as g group by g.document_id) as g
        full join (
            select l.document_id, array_agg(l.node_id) as nodes, array_agg(l.target) as targets
            from lacking as l group by l.document_id
        ) as l on g.document_id = l.document_id
    loop
        delete from ragraph.document_relation as r where r.document_id = one.document_id and r.id = any(one.ids);
        insert into ragraph.document_relation (
            document_id, id, source_node_id, target_document_id, relation_type, collection
        )
        select
            one.document_id,
            ragraph_private.entity_hash('rel_', array[one.document_id, u.node_id, 'CITES', u.target]),
            u.node_id,
            u.target,
            'CITES',
            link_works.collection
        from unnest(one.nodes, one.targets) as u (node_id, target)
        on conflict on constraint document_relation_pkey do nothing;
    end loop;
end
$$;
comment on function ragraph_private.link_works(text, text[], text[]) is
'Updates CITES relations between documents to match the rows of the given works; with sources, only those of these
documents';

create or replace function ragraph_private.document_works(document_ids text[])
returns text[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return array(
        select distinct e.identity from ragraph.work_entry as e where e.document_id = any(document_works.document_ids)
    );
end
$$;
comment on function ragraph_private.document_works(text[]) is
'Returns the identities of the works that documents cite or are, unsorted';

create or replace function ragraph_private.work_rows(documents text[], ids text[] default null)
returns jsonb
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return coalesce(
        (
            select jsonb_agg(to_jsonb(e))
            from ragraph.work_entry as e
            where e.document_id = any(work_rows.documents) and (work_rows.ids is null or e.id = any(work_rows.ids))
        ),
        '[]'
    );
end
$$;
comment on function ragraph_private.work_rows(text[], text[]) is
'Returns the rows of works of documents as a JSON array, all or those with the given ids. works_to_resolve accepts it even
after the rows are deleted';

create or replace function ragraph_private.works_to_resolve(collection text, documents text[], said jsonb)
returns text[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    one record;
    like_document text;
    like_id text;
    touched text[] := '{}';
begin
    -- One row at a time: for a work with many citations, both queries stop at the first row found, and no statement
    -- does so for each element of a list on a cluster.
    for one in
        select s.* from jsonb_populate_recordset(null::ragraph.work_entry, works_to_resolve.said) as s
    loop
        continue when one.identity = any(touched);
        like_id := null;
        if one.node_id is not null and one.pinned is null and one.evidence ? 'key' then
            select e.document_id, e.id into like_document, like_id
            from ragraph.work_entry as e
            where e.identity = one.identity
                and e.collection = works_to_resolve.collection
                and e.keys = one.keys
                and (e.authors[1], e.title, e.container, e.volume, e.pages, e.doi, e.pmid)
                is not distinct from (one.authors[1], one.title, one.container, one.volume, one.pages, one.doi, one.pmid)
                and e.pinned is null
                and e.document_id <> all(works_to_resolve.documents)
                and (e.document_id collate "C", e.id collate "C") < (one.document_id collate "C", one.id collate "C")
            limit 1;
        end if;
        if like_id is null or not exists (
            select 1
            from ragraph.work_entry as e
            where e.identity = one.identity
                and e.collection = works_to_resolve.collection
                and (one.evidence ->> 'key') = any(e.keys)
                and e.document_id <> all(works_to_resolve.documents)
                and (e.document_id, e.id) <> (like_document, like_id)
        ) then
            touched := touched || one.identity;
        end if;
    end loop;
    return touched;
end
$$;
comment on function ragraph_private.works_to_resolve(text, text[], jsonb) is
'Returns the identities that must be resolved again when rows of documents of a collection, as work_rows returned
them, are or were deleted. A row that repeats an earlier one, in the order of document and id, is not included: the
earlier row represents both, and retains its evidence if another row has its key';

create or replace function ragraph_private.works_with(collection text, named text[])
returns text[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set enable_seqscan = off -- see work_closure
as $$
#variable_conflict use_column
declare
    found_ones text[] := '{}';
    at_once constant integer := 500; -- see work_closure
begin
    for first_name in 1..coalesce(cardinality(works_with.named), 0) by at_once loop
        found_ones := found_ones || array(
            select e.identity
            from ragraph.work_entry as e
            where e.collection = works_with.collection
                and e.identity = any(works_with.named[first_name:first_name + at_once - 1])
            union
            select e.identity
            from ragraph.work_entry as e
            where e.collection = works_with.collection
                and e.keys && works_with.named[first_name:first_name + at_once - 1]
        );
    end loop;
    return array(select distinct f.identity from unnest(found_ones) as f (identity));
end
$$;
comment on function ragraph_private.works_with(text, text[]) is
'Returns the identities of rows of a collection whose identity or one of whose keys is given, as document.works_owed
lists them';

create or replace function ragraph_private.claim_works(
    collection text, document_ids text[], wait boolean, out claimed text[], out touched text[]
)
returns record
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    one text;
    is_owed boolean;
    owed text[];
    gone text[] := '{}';
begin
    claimed := '{}';
    foreach one in array claim_works.document_ids loop
        select d.works_owed is not null into is_owed
        from ragraph.document as d
        where d.id = one and d.collection = claim_works.collection;
        continue when not found;
        if is_owed then
            if claim_works.wait then
                select d.works_owed into owed
                from ragraph.document as d
                where d.id = one and d.collection = claim_works.collection
                for no key update;
            else
                select d.works_owed into owed
                from ragraph.document as d
                where d.id = one and d.collection = claim_works.collection
                for no key update skip locked;
            end if;
            continue when not found;
            -- Cleared before anything of the document is read: whoever writes it from now on waits, and sets it again.
            update ragraph.document as d set works_owed = null where d.id = one;
            gone := gone || owed;
        end if;
        claimed := claimed || one;
    end loop;
    touched := ragraph_private.works_with(claim_works.collection, gone);
end
$$;
comment on function ragraph_private.claim_works(text, text[], boolean) is
'Claims the pending works of documents of a collection for this transaction, which must resolve them. claimed returns
the documents that exist; without wait, those that another transaction is writing are skipped. touched returns the
identities to be resolved again because rows of these documents were deleted';

create or replace function ragraph_private.lock_work_rows(document_id text, node_ids text[] default null)
returns jsonb
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    ids text[];
begin
    perform 1
    from ragraph.work_entry as e
    where e.document_id = lock_work_rows.document_id
        and (lock_work_rows.node_ids is null or e.node_id = any(lock_work_rows.node_ids))
    order by e.id
    for update;
    -- a statement of its own, because it must see what was written until the rows were locked
    ids := array(
        select e.id
        from ragraph.work_entry as e
        where e.document_id = lock_work_rows.document_id
            and (lock_work_rows.node_ids is null or e.node_id = any(lock_work_rows.node_ids))
    );
    return ragraph_private.work_rows(array[lock_work_rows.document_id], ids);
end
$$;
comment on function ragraph_private.lock_work_rows(text, text[]) is
'Locks the rows of works for nodes of a document, or all its rows, until the end of the transaction, and returns them
as work_rows does, before they are deleted or moved. Pass the value to mend_works. Does not lock the works of the
collection';

create or replace function ragraph_private.work_identity(collection text, key text, document_id text, id text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return ragraph_private.entity_hash(
        'work_',
        case
            when work_identity.key is not null then array[work_identity.collection, work_identity.key]
            else array[work_identity.collection, work_identity.document_id, work_identity.id]
        end
    );
end
$$;
comment on function ragraph_private.work_identity(text, text, text, text) is
'Returns the identity of a work, derived from the collection and the most reliable key of its rows; without a key, from
the row';

create or replace function ragraph_private.known_entries(collection text, entries jsonb)
returns table (
    id text, document_id text, identity text, evidence jsonb, like_document text, like_id text, like_evidence jsonb
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set enable_seqscan = off -- see work_closure
as $$
#variable_conflict use_column
declare
    documents constant text[] := array(
        select distinct f.document_id from jsonb_to_recordset(known_entries.entries) as f (document_id text)
    );
    said_by_hand constant text[] := array(
        select e.id from ragraph.work_entry as e where e.document_id = any(documents) and e.pinned is not null
    );
    said record;
begin
    for said in
        select f.*, i.id
        from jsonb_to_recordset(known_entries.entries) as f (
            document_id text, node_id text, authors text[], title text, container text, volume text, pages text, doi text,
            pmid text, keys text[]
        )
        cross join lateral (select ragraph_private.entity_hash('we_', array[f.document_id, f.node_id]) as id) as i
        where f.node_id is not null and f.keys <> '{}' and i.id <> all(said_by_hand)
    loop
        return query
        select
            said.id, said.document_id, e.identity,
            jsonb_build_object('rule', split_part(said.keys[1], ':', 1), 'key', said.keys[1]),
            e.document_id, e.id, e.evidence
        from ragraph.work_entry as e
        where e.collection = known_entries.collection
            and e.keys @> said.keys
            and e.keys = said.keys
            and (e.authors[1], e.title, e.container, e.volume, e.pages, e.doi, e.pmid)
            is not distinct from (said.authors[1], said.title, said.container, said.volume, said.pages, said.doi, said.pmid)
            and e.pinned is null
            and e.document_id <> all(documents)
            -- the row must come earlier in the order of document and id
            and (e.document_id collate "C", e.id collate "C") < (said.document_id collate "C", said.id collate "C")
        limit 1;
    end loop;
end
$$;
comment on function ragraph_private.known_entries(text, jsonb) is
'Returns the entries that are equal to a row of another document, if that comes before them in the order of document
and id. Such an entry refers to the same work and changes nothing but the evidence of that row, which becomes the most
reliable key of both';

create or replace function ragraph_private.write_works(collection text, entries jsonb)
returns text[]
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    documents constant text[] := array(
        select distinct f.document_id from jsonb_to_recordset(write_works.entries) as f (document_id text)
    );
    written constant text[] := array( -- ids of the rows to be written; rows stored under these ids differ
        select ragraph_private.entity_hash('we_', array[f.document_id, f.node_id])
        from jsonb_to_recordset(write_works.entries) as f (document_id text, node_id text)
    );
    gone constant text[] := array(
        select e.id
        from ragraph.work_entry as e
        left join ragraph.content_node as n
            on e.document_id = n.document_id and e.node_id = n.id and n.content_node_type = 'BIBLIOGRAPHIC_ENTRY'
        where e.document_id = any(documents) and e.node_id is not null and n.id is null
    );
    touched constant text[] := ragraph_private.works_to_resolve(
        write_works.collection, documents, ragraph_private.work_rows(documents, gone || written)
    );
    known jsonb;
    known_ids text[];
    one record;
begin
    select coalesce(jsonb_agg(to_jsonb(k)), '[]'), coalesce(array_agg(k.id), '{}')
    into known, known_ids
    from ragraph_private.known_entries(write_works.collection, write_works.entries) as k;
    if gone <> '{}' then -- the id of a row depends on its node, whatever the content
        delete from ragraph.work_entry as e where e.document_id = any(documents) and e.id = any(gone);
    end if;
    insert into ragraph.work_entry as e (
        document_id, id, node_id, authors, year, title, container, volume, issue, pages, doi, pmid, pmcid, arxiv, isbn,
        url, keys, source_hash, identity, collection, evidence
    )
    select
        f.document_id, i.id, f.node_id, coalesce(f.authors, '{}'), f.year, f.title, f.container, f.volume, f.issue,
        f.pages, f.doi, f.pmid, f.pmcid, f.arxiv, f.isbn, f.url, f.keys, f.source_hash,
        -- the identity in case nothing else refers to this work, so that most rows are written once
        coalesce(k.identity, ragraph_private.work_identity(write_works.collection, f.keys[1], f.document_id, i.id)),
        write_works.collection,
        coalesce(k.evidence, '{"rule": "own"}')
    from jsonb_to_recordset(write_works.entries) as f (
        document_id text, node_id text, authors text[], year integer, title text, container text, volume text,
        issue text, pages text, doi text, pmid text, pmcid text, arxiv text, isbn text, url text, keys text[],
        source_hash text
    )
    cross join lateral (select ragraph_private.entity_hash('we_', array[f.document_id, f.node_id]) as id) as i
    left join jsonb_to_recordset(known) as k (id text, identity text, evidence jsonb) on i.id = k.id
    on conflict on constraint work_entry_pkey do update
    set
        authors = excluded.authors, year = excluded.year, title = excluded.title, container = excluded.container,
        volume = excluded.volume, issue = excluded.issue, pages = excluded.pages, doi = excluded.doi,
        pmid = excluded.pmid, pmcid = excluded.pmcid, arxiv = excluded.arxiv, isbn = excluded.isbn, url = excluded.url,
        keys = excluded.keys, source_hash = excluded.source_hash, evidence = excluded.evidence,
        identity = case when e.pinned is null then excluded.identity else e.identity end;
    for one in
        select distinct k.like_document, k.like_id, k.evidence
        from jsonb_to_recordset(known) as k (like_document text, like_id text, evidence jsonb, like_evidence jsonb)
        where k.evidence <> k.like_evidence
    loop
        update ragraph.work_entry as e
        set evidence = one.evidence
        where e.document_id = one.like_document and e.id = one.like_id;
    end loop;
    if known_ids <> '{}' then
        perform ragraph_private.link_works(
            write_works.collection,
            array(select distinct k.identity from jsonb_to_recordset(known) as k (identity text)),
            array(select distinct k.document_id from jsonb_to_recordset(known) as k (document_id text))
        );
    end if;
    return array(
        select t.identity from unnest(touched) as t (identity)
        union
        select e.identity
        from ragraph.work_entry as e
        where e.document_id = any(documents) and e.id = any(written) and e.id <> all(known_ids)
    );
end
$$;
comment on function ragraph_private.write_works(text, jsonb) is
'Writes entries of documents of a collection, and deletes rows for nodes of these documents that are no longer entries.
Returns the identities to be passed to resolve_works';

create or replace function ragraph_private.mend_works(collection text, document_id text, said jsonb)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    if mend_works.said = '[]' then
        return;
    end if;
    -- the caller holds the lock of a document and must not wait for somebody who waits for that
    if pg_try_advisory_xact_lock(hashtextextended('ragraph works ' || mend_works.collection, 0)) then
        perform ragraph_private.resolve_works(
            mend_works.collection,
            ragraph_private.works_to_resolve(mend_works.collection, array[mend_works.document_id], mend_works.said)
        );
    else
        -- keys too, because the holder of the lock may be giving other identities to rows that share them
        update ragraph.document as d
        set works_owed = array(
            select o.name from unnest(d.works_owed) as o (name)
            union
            select s.identity from jsonb_populate_recordset(null::ragraph.work_entry, mend_works.said) as s
            union
            select k.key
            from jsonb_populate_recordset(null::ragraph.work_entry, mend_works.said) as s
            cross join unnest(s.keys) as k (key)
        )
        where d.id = mend_works.document_id;
    end if;
end
$$;
comment on function ragraph_private.mend_works(text, text, jsonb) is
'Resolves works again after rows of a document (the value said, from lock_work_rows) were deleted or moved to another
collection. Call it last in the transaction, because it locks the works of the collection until the end. If another
session holds that lock, the document is marked as pending and the next update of works does it';
