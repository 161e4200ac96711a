-- Finds files that are more than one document (docs/decisions/0003, 0014), after concurrent writers or statements of
-- your own.

create or replace function ragraph_private.check_files(only_document text)
returns table (document_id text, rule text, object_id text, detail text)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set plan_cache_mode = force_custom_plan -- one document and the whole store need different plans
as $$
#variable_conflict use_column
begin
    -- a file whose content becomes equal to that of another stays a document of its own; the ingester notes this as
    -- "like"
    return query
    with files as materialized (
        select d.id, d.collection, d.sha256
        from ragraph.document as d
        where (
            check_files.only_document is null
            or d.sha256 = (select o.sha256 from ragraph.document as o where o.id = check_files.only_document)
        )
        and d.id ~ '^dl_[0-9a-f]{24}$'
        and ragraph_private.file_around(d.source_uri) is null -- each file has attachments of its own
        and not d.ingested_with ?| '{like,record}'
    )
    select
        d.id,
        'a file is one document of a collection',
        d.id,
        format('%L has the same bytes; delete one of the two', min(o.id))
    from files as d
    inner join files as o on d.sha256 = o.sha256 and d.collection = o.collection and d.id > o.id
    where check_files.only_document is null or check_files.only_document in (d.id, o.id)
    group by d.id;

    return query
    with files as materialized (
        select d.id, d.collection, d.source_uri
        from ragraph.document as d
        where check_files.only_document is null
            or d.source_uri = (select o.source_uri from ragraph.document as o where o.id = check_files.only_document)
    )
    select
        d.id,
        'a place has one document of a collection',
        d.id,
        format('%L was read from %s too; delete one of the two', min(o.id), d.source_uri)
    from files as d
    inner join files as o on d.source_uri = o.source_uri and d.collection = o.collection and d.id > o.id
    where check_files.only_document is null or check_files.only_document in (d.id, o.id)
    group by d.id, d.source_uri;

    -- one with a publication of its own was ingested by its address, without the file around it
    return query
    with attached as materialized (
        select d.id, d.publication_id, d.source_uri, ragraph_private.file_around(d.source_uri) as place
        from ragraph.document as d
        where ragraph_private.file_around(d.source_uri) is not null
            and d.publication_id <> 'pub_' || regexp_replace(d.id, '^dl_', '')
            and (check_files.only_document is null or d.id = check_files.only_document)
    ),
    places as materialized (
        select d.publication_id, d.source_uri
        from ragraph.document as d
        where d.publication_id in (select a.publication_id from attached as a)
    )
    select
        d.id,
        'an attached document belongs to a stored one',
        d.id,
        format('no document of its publication was read from %s; delete it, or ingest that file', d.place)
    from attached as d
    where not exists (
        select 1 from places as p where p.publication_id = d.publication_id and p.source_uri = d.place
    );
end
$$;
comment on function ragraph_private.check_files(text) is
'Returns violations of the rules that a file, and a location, is one document of a collection, and that attachments
belong to a stored document, of one document or, for null, of all';
