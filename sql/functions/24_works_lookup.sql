-- Looking up works: by name, by the documents that cite them, and by co-citation. Also the corrections that people
-- make.

create or replace function ragraph_private.named_works(works text[])
returns text[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    wanted text;
    found_here text[];
    identities text[] := '{}';
begin
    foreach wanted in array named_works.works loop
        found_here := array(
            select distinct e.identity
            from ragraph.work_entry as e
            where e.identity = wanted
                or e.keys && array[
                    lower(wanted),
                    'doi:' || regexp_replace(lower(wanted), '^(https?://)?((dx\.)?doi\.org/|doi:\s*)', ''),
                    'pmid:' || wanted,
                    'arxiv:' || regexp_replace(lower(wanted), '^arxiv:\s*', '')
                ]
        );
        if found_here = '{}' then -- not an identifier: a title
            found_here := array(
                select distinct e.identity from ragraph.work_entry as e where lower(e.title) = lower(btrim(wanted, ' .'))
            );
        end if;
        if found_here = '{}' then
            raise exception using
                errcode = 'RG015',
                message = format('no document cites or is a work %L', left(wanted, 200)),
                hint = 'Give an identity, a DOI, a PMID or a whole title. List them: SELECT * FROM ragraph.list_works().';
        end if;
        identities := identities || found_here;
    end loop;
    return identities;
end
$$;
comment on function ragraph_private.named_works(text[]) is
'Returns the identities of works given by identity, identifier or title; a title may have several. Raises RG015 if
there is no such work';

create or replace function ragraph.list_works(
    work text default null,
    document_ids text[] default null,
    collection text default null,
    k integer default null,
    skip integer default 0
)
returns table (
    identity text,
    title text,
    authors text[],
    year integer,
    container text,
    volume text,
    pages text,
    doi text,
    pmid text,
    arxiv text,
    isbn text,
    url text,
    documents bigint,
    entries bigint,
    held text[]
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    identities text[];
begin
    if list_works.work is not null then
        identities := ragraph_private.named_works(array[list_works.work]);
    end if;
    return query
    with kept as materialized (
        select e.*, cardinality(array_remove(array[e.title, e.container, e.volume, e.pages, e.doi, e.pmid], null)) as told
        from ragraph.work_entry as e
        where (list_works.document_ids is null or e.document_id = any(list_works.document_ids))
            and (list_works.collection is null or e.collection = list_works.collection)
            and (identities is null or e.identity = any(identities))
    ),
    counted as materialized (
        select
            e.identity,
            count(distinct e.document_id) filter (where e.node_id is not null) as documents,
            count(e.node_id) as entries,
            mode() within group (order by e.year) as year,
            mode() within group (order by e.container) as container,
            mode() within group (order by e.volume) as volume,
            mode() within group (order by e.pages) as pages,
            mode() within group (order by e.doi) as doi,
            mode() within group (order by e.pmid) as pmid,
            mode() within group (order by e.arxiv) as arxiv,
            mode() within group (order by e.isbn) as isbn,
            mode() within group (order by e.url) as url,
            array_agg(e.document_id order by e.document_id) filter (where e.node_id is null) as held
        from kept as e
        group by e.identity
        order by 2 desc, 3 desc, e.identity collate "C"
        limit list_works.k offset list_works.skip
    ),
    best as (
        -- title and authors come from the document itself, else from the entry with the most fields
        select distinct on (e.identity) e.identity, e.title, e.authors
        from kept as e
        where e.identity in (select c.identity from counted as c)
        order by e.identity, (e.node_id is null and e.authors <> '{}') desc, e.told desc, e.document_id, e.id
    )
    select
        c.identity, b.title, b.authors, c.year, c.container, c.volume, c.pages, c.doi, c.pmid, c.arxiv, c.isbn, c.url,
        c.documents, c.entries, coalesce(c.held, '{}')
    from counted as c
    inner join best as b on c.identity = b.identity
    order by c.documents desc, c.entries desc, c.identity collate "C";
end
$$;
comment on function ragraph.list_works(text, text[], text, integer, integer) is
'Returns the works that documents cite or are, the most cited first and ties by identity. A row has the most
frequent value of each field, and the numbers of documents and entries that cite the work. held lists the documents of
the store that are the work. work is an identity, a DOI, a PMID, an arXiv id or a title. Raises RG015 if there is no such work';

create or replace function ragraph_private.entries_of_works(document_ids text[], identities text[])
returns table (
    document_id text,
    document_title text,
    node_id text,
    identity text,
    authors text[],
    year integer,
    title text,
    container text,
    volume text,
    issue text,
    pages text,
    doi text,
    pmid text,
    pmcid text,
    arxiv text,
    isbn text,
    url text,
    rule text,
    stated boolean,
    held text[]
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
begin
    return query
    with named as materialized (
        select e.*, n.sequence_in_document, n.data ? 'entry' as stated
        from ragraph.work_entry as e
        inner join ragraph.content_node as n on e.document_id = n.document_id and e.node_id = n.id
        where (entries_of_works.document_ids is null or e.document_id = any(entries_of_works.document_ids))
            and (entries_of_works.identities is null or e.identity = any(entries_of_works.identities))
    ),
    whole as materialized (
        select e.identity, e.collection, e.document_id
        from ragraph.work_entry as e
        where e.node_id is null and e.identity in (select o.identity from named as o)
    ),
    documents as materialized (
        select d.id, coalesce(d.title, p.title) as title
        from ragraph.document as d
        inner join ragraph.publication as p on d.publication_id = p.id
        where d.id in (select o.document_id from named as o)
    )
    select
        e.document_id, d.title, e.node_id, e.identity, e.authors, e.year, e.title, e.container, e.volume, e.issue,
        e.pages, e.doi, e.pmid, e.pmcid, e.arxiv, e.isbn, e.url, e.evidence ->> 'rule', e.stated,
        array(
            select w.document_id from whole as w
            where w.identity = e.identity and w.collection = e.collection and w.document_id <> e.document_id
            order by w.document_id
        )
    from named as e
    inner join documents as d on e.document_id = d.id
    order by e.document_id collate "C", e.sequence_in_document;
end
$$;
comment on function ragraph_private.entries_of_works(text[], text[]) is
'Returns bibliographic entries, by document and in reading order, of some documents or for some works';

create or replace function ragraph.cited_works(
    inout document_id text,
    out document_title text,
    out node_id text,
    out identity text,
    out authors text[],
    out year integer,
    out title text,
    out container text,
    out volume text,
    out issue text,
    out pages text,
    out doi text,
    out pmid text,
    out pmcid text,
    out arxiv text,
    out isbn text,
    out url text,
    out rule text,
    out stated boolean,
    out held text[]
)
returns setof record
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
begin
    perform ragraph_private.require_document(cited_works.document_id);
    return query select e.* from ragraph_private.entries_of_works(array[cited_works.document_id], null) as e;
end
$$;
comment on function ragraph.cited_works(text) is
'Returns the entries in the bibliography of a document, in reading order, with their fields and their work. rule is the
reason for that work: doi, pmid, title, place, hand and so on, or own if nothing else refers to it. stated is true if
the format states the fields, false if they were parsed from the text. held lists the documents of the store that are
the work. Raises RG001 if the document does not exist';

create or replace function ragraph.citing_documents(
    inout document_id text,
    out document_title text,
    out node_id text,
    out identity text,
    out authors text[],
    out year integer,
    out title text,
    out container text,
    out volume text,
    out issue text,
    out pages text,
    out doi text,
    out pmid text,
    out pmcid text,
    out arxiv text,
    out isbn text,
    out url text,
    out rule text,
    out stated boolean,
    out held text[]
)
returns setof record
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    -- read first, because the function called below queries tables itself
    identities constant text[] := array(
        select w.identity from ragraph.work_entry as w
        where w.document_id = citing_documents.document_id and w.node_id is null
    );
begin
    perform ragraph_private.require_document(citing_documents.document_id);
    return query
    select e.*
    from ragraph_private.entries_of_works(null, identities) as e
    where e.document_id <> citing_documents.document_id;
end
$$;
comment on function ragraph.citing_documents(text) is
'Returns the bibliographic entries by which other documents cite this one, by document and in reading order, with the
columns of cited_works. Raises RG001 if the document does not exist';

create or replace function ragraph.co_cited_works(document_id text, k integer default 20)
returns table (identity text, title text, authors text[], year integer, documents bigint, held text[])
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
begin
    perform ragraph_private.require_document(co_cited_works.document_id);
    return query
    with itself as materialized (
        select e.identity from ragraph.work_entry as e
        where e.document_id = co_cited_works.document_id and e.node_id is null
    ),
    citing as materialized (
        select distinct e.document_id
        from ragraph.work_entry as e
        where e.node_id is not null and e.identity in (select i.identity from itself as i)
    ),
    beside as materialized (
        select e.identity, count(distinct e.document_id) as documents
        from ragraph.work_entry as e
        where e.node_id is not null
            and e.document_id in (select c.document_id from citing as c)
            and e.identity not in (select i.identity from itself as i)
        group by e.identity
        order by 2 desc, e.identity collate "C"
        limit co_cited_works.k
    ),
    told as materialized (
        select w.*
        from ragraph_private.work_summaries(array(select b.identity from beside as b)) as w
    )
    select b.identity, w.title, w.authors, w.year, b.documents, w.held
    from beside as b
    inner join told as w on b.identity = w.identity
    order by b.documents desc, b.identity collate "C";
end
$$;
comment on function ragraph.co_cited_works(text, integer) is
'Returns the works that are cited together with this document, those cited together most often first, ties by identity.
documents is the number of documents that cite both. Raises RG001 if the document does not exist';

create or replace function ragraph_private.work_summaries(identities text[])
returns table (identity text, title text, authors text[], year integer, held text[])
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
begin
    return query
    with named as materialized (
        select e.* from ragraph.work_entry as e where e.identity = any(work_summaries.identities)
    ),
    whole as (
        select e.identity, array_agg(e.document_id order by e.document_id) as held
        from named as e
        where e.node_id is null
        group by e.identity
    )
    select distinct on (e.identity) e.identity, e.title, e.authors, e.year, coalesce(w.held, '{}')
    from named as e
    left join whole as w on e.identity = w.identity
    order by e.identity, (e.node_id is null and e.authors <> '{}') desc, cardinality(e.keys) desc, e.document_id, e.id;
end
$$;
comment on function ragraph_private.work_summaries(text[]) is
'Returns title, authors and year of works, from the document itself or the row with the most keys, in the order of
identities';

create or replace function ragraph.coupled_documents(
    inout document_id text, in k integer default 20, out title text, out shared bigint, out likeness real
)
returns setof record
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
begin
    perform ragraph_private.require_document(coupled_documents.document_id);
    return query
    with mine as materialized (
        select distinct e.identity from ragraph.work_entry as e
        where e.document_id = coupled_documents.document_id and e.node_id is not null
    ),
    both_cite as materialized (
        select e.document_id, count(distinct e.identity) as shared
        from ragraph.work_entry as e
        where e.node_id is not null
            and e.identity in (select m.identity from mine as m)
            and e.document_id <> coupled_documents.document_id
        group by e.document_id
        order by 2 desc, e.document_id collate "C"
        limit coupled_documents.k
    ),
    cited as materialized (
        select e.document_id, count(distinct e.identity) as works
        from ragraph.work_entry as e
        where e.node_id is not null and e.document_id in (select b.document_id from both_cite as b)
        group by e.document_id
    ),
    documents as materialized (
        select d.id, coalesce(d.title, p.title) as title
        from ragraph.document as d
        inner join ragraph.publication as p on d.publication_id = p.id
        where d.id in (select b.document_id from both_cite as b)
    )
    select
        b.document_id, d.title, b.shared,
        (b.shared::real / ((select count(*) from mine) + c.works - b.shared))::real
    from both_cite as b
    inner join cited as c on b.document_id = c.document_id
    inner join documents as d on b.document_id = d.id
    order by b.shared desc, b.document_id collate "C";
end
$$;
comment on function ragraph.coupled_documents(text, integer) is
'Returns the documents that cite the same works as this one (bibliographic coupling), the most shared works first and
ties by document. shared is the number of works that both cite, likeness its share in all that the two cite, from 0 to
1. Raises RG001 if the document does not exist';

create or replace function ragraph.merge_works(works text[])
returns text
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    identities constant text[] := ragraph_private.named_works(merge_works.works);
    -- an array element within an UPDATE crashes the server of a cluster
    into_identity constant text := identities[1];
    collections constant text[] := array(
        select distinct e.collection from ragraph.work_entry as e where e.identity = any(identities)
    );
begin
    if cardinality(merge_works.works) < 2 or cardinality(collections) > 1 then
        raise exception using
            errcode = 'RG005',
            message = case
                when cardinality(merge_works.works) < 2 then 'only one work is given' else 'the works are in several collections'
            end,
            hint = 'Give two or more works of one collection that are the same.';
    end if;
    perform ragraph_private.lock_works(collections[1]);
    update ragraph.work_entry as e set pinned = into_identity where e.identity = any(identities);
    perform ragraph_private.resolve_works(collections[1], identities);
    return into_identity;
end
$$;
comment on function ragraph.merge_works(text[]) is
'Merges works, given by identity, identifier or title, and returns the identity that they share from now on; reset_work
undoes it. Raises RG005 for fewer than two or those of several collections, RG015 if there is no such work';

create or replace function ragraph.split_work(work text, document_id text)
returns text
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    identities constant text[] := ragraph_private.named_works(array[split_work.work]);
    own constant text := ragraph_private.entity_hash('work_', array[split_work.document_id, 'split'] || identities);
    where_it_is text;
begin
    perform ragraph_private.require_document(split_work.document_id);
    select d.collection into where_it_is from ragraph.document as d where d.id = split_work.document_id;
    perform ragraph_private.lock_works(where_it_is);
    -- the other entries retain their identity
    update ragraph.work_entry as e
    set pinned = e.identity
    where e.collection = where_it_is and e.identity = any(identities);
    update ragraph.work_entry as e
    set pinned = own
    where e.document_id = split_work.document_id and e.identity = any(identities);
    if not found then
        raise exception using
            errcode = 'RG015',
            message = format('document %L neither cites nor is the work %L', split_work.document_id, split_work.work),
            hint = 'See what it cites: SELECT * FROM ragraph.cited_works(document_id).';
    end if;
    perform ragraph_private.resolve_works(where_it_is, identities);
    return own;
end
$$;
comment on function ragraph.split_work(text, text) is
'Gives a work that a document cites an identity of its own, because its entry refers to something else, and returns
that identity; reset_work undoes it. Raises RG001 if the document does not exist, RG015 if it neither cites nor is the
work';

create or replace function ragraph.reset_work(work text)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    identities constant text[] := ragraph_private.named_works(array[reset_work.work]);
    near text[];
    where_they_are text;
    changed_here integer;
    changed integer := 0;
begin
    for where_they_are in
        select distinct e.collection from ragraph.work_entry as e where e.identity = any(identities) order by 1
    loop
        perform ragraph_private.lock_works(where_they_are);
        -- also releases the works that it was split from or would be merged with
        near := ragraph_private.work_closure(where_they_are, identities);
        update ragraph.work_entry as e
        set pinned = null
        where e.collection = where_they_are and e.identity = any(near) and e.pinned is not null;
        get diagnostics changed_here = row_count;
        changed := changed + changed_here;
        perform ragraph_private.resolve_works(where_they_are, near);
    end loop;
    return changed;
end
$$;
comment on function ragraph.reset_work(text) is
'Undoes what people merged or split of a work and of the works connected with it, so that the rules apply again.
Returns how many entries were released. Raises RG015 if there is no such work';
