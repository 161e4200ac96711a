-- Earlier versions of a document: its tables as views, selected by the settings ragraph.as_of_document and
-- ragraph.as_of_version. Rows that have not changed since come from the live tables, the others from the rows stored
-- with versions. Reading the views takes no lock and requires only the right to read; rights and policies are those of
-- the underlying tables (docs/decisions/0021).
create schema ragraph_past;
grant usage on schema ragraph_past to public;
comment on schema ragraph_past is
'The tables of a document, and the functions of ragraph that read them, as of an earlier version; not a public
interface';

create view ragraph_past.noted with (security_invoker = true) as
select distinct on (r.kind, r.id)
    r.kind,
    r.id,
    r.content,
    r.embedding_vector,
    r.document_id,
    r.collection
from ragraph.document_version_row as r
where
    r.document_id = current_setting('ragraph.as_of_document')
    and r.version >= current_setting('ragraph.as_of_version')::integer
order by r.kind, r.id, r.version;
comment on view ragraph_past.noted is
'Rows in which the version differs from the live tables, as they were; without content if the row did not exist';

create view ragraph_past.places with (security_invoker = true) as
select
    m.id,
    -- read from out-of-line storage once, not again for each row that looks itself up
    m.content || '{}' as by_id
from ragraph_past.noted as m
where m.kind = 'places';
comment on view ragraph_past.places is
'Order and spans of all nodes, and of all components, in the version, if they differ from the live ones';

create view ragraph_past.document with (security_invoker = true) as
select x.*
from ragraph.document as d
left join ragraph.document_version as v
    on d.id = v.document_id and v.version = current_setting('ragraph.as_of_version')::integer
cross join
    lateral
    jsonb_populate_record(
        d,
        -- columns that are not part of the text have their current value: the collection, and the location of the file
        coalesce(v.head, '{}') - '{publication_id, collection, source_uri}'::text[]
        || jsonb_build_object('processed_at', coalesce(v.ingested_at, d.processed_at))
    ) as x
where d.id = current_setting('ragraph.as_of_document');
comment on view ragraph_past.document is
'The document in that version, and no other document';

create view ragraph_past.document_page with (security_invoker = true) as
select
    p.document_id,
    p.page_pdf,
    p.page_logical,
    p.width,
    p.height,
    p.doubt,
    p.collection
from ragraph.document_page as p
where
    p.document_id = current_setting('ragraph.as_of_document')
    and not exists (select from ragraph_past.noted as m where m.kind = 'page' and m.id = p.page_pdf::text)
union all
select
    m.document_id,
    x.page_pdf,
    x.page_logical,
    x.width,
    x.height,
    x.doubt,
    m.collection
from ragraph_past.noted as m
cross join
    lateral
    jsonb_to_record(m.content) as x (
        page_pdf integer, page_logical text, width double precision, height double precision, doubt double precision
    )
where m.kind = 'page' and m.content is not null;
comment on view ragraph_past.document_page is
'Pages in that version';

create view ragraph_past.document_component with (security_invoker = true) as
select
    c.document_id,
    c.id,
    c.component_type,
    c.title,
    c.parent_component_id,
    c.depth,
    c.parent_depth,
    (p.place ->> 0)::integer as sequence_in_parent_major,
    (p.place ->> 1)::integer as sequence_in_parent_minor,
    c.page_range,
    c.first_page,
    c.last_page,
    (p.place ->> 2)::integer as first_sequence,
    (p.place ->> 3)::integer as last_sequence,
    c.collection
from ragraph.document_component as c
cross join
    lateral -- noqa: ST05
    coalesce(
        (select l.by_id from ragraph_past.places as l where l.id = 'component') -> c.id,
        jsonb_build_array(
            c.sequence_in_parent_major, c.sequence_in_parent_minor, c.first_sequence, c.last_sequence
        )
    ) as p (place)
where
    c.document_id = current_setting('ragraph.as_of_document')
    and c.id not in (select m.id from ragraph_past.noted as m where m.kind = 'component')
union all
select
    m.document_id,
    m.id,
    x.component_type,
    x.title,
    x.parent_component_id,
    x.depth,
    case when x.parent_component_id is not null then x.depth - 1 end,
    (p.place ->> 0)::integer,
    (p.place ->> 1)::integer,
    case
        when jsonb_typeof(x.page_range) = 'array'
            then int4range((x.page_range ->> 0)::integer, (x.page_range ->> 1)::integer, '[]')
    end,
    (x.page_range ->> 0)::integer,
    (x.page_range ->> 1)::integer,
    (p.place ->> 2)::integer,
    (p.place ->> 3)::integer,
    m.collection
from ragraph_past.noted as m
cross join
    lateral
    jsonb_to_record(m.content)
        as x (
            component_type ragraph.component_type, title text, parent_component_id text, depth integer, page_range jsonb
        )
cross join
    lateral -- noqa: ST05
    jsonb_extract_path((select l.by_id from ragraph_past.places as l where l.id = 'component'), m.id) as p (place)
where m.kind = 'component' and m.content is not null;
comment on view ragraph_past.document_component is
'Components in that version';

create view ragraph_past.content_node with (security_invoker = true) as
select
    n.document_id,
    n.id,
    n.parent_component_id,
    n.content_node_type,
    n.content,
    n.storage_url,
    n.description,
    n.embedding_source,
    (p.place ->> 0)::integer as sequence_in_parent_major,
    (p.place ->> 1)::integer as sequence_in_parent_minor,
    (p.place ->> 2)::integer as sequence_in_document,
    n.positional_data,
    n.first_page,
    n.last_page,
    n.content_hash,
    n.token_count,
    (p.place ->> 3)::integer as char_start,
    (p.place ->> 4)::integer as char_end,
    n.data,
    n.ts_config,
    n.text_search,
    n.collection
from ragraph.content_node as n
cross join
    lateral -- noqa: ST05
    coalesce(
        (select l.by_id from ragraph_past.places as l where l.id = 'node') -> n.id,
        jsonb_build_array(
            n.sequence_in_parent_major, n.sequence_in_parent_minor, n.sequence_in_document, n.char_start, n.char_end
        )
    ) as p (place)
where
    n.document_id = current_setting('ragraph.as_of_document')
    and n.id not in (select m.id from ragraph_past.noted as m where m.kind = 'node')
union all
select
    m.document_id,
    m.id,
    x.parent_component_id,
    x.content_node_type,
    x.content,
    x.storage_url,
    x.description,
    x.embedding_source,
    (p.place ->> 0)::integer,
    (p.place ->> 1)::integer,
    (p.place ->> 2)::integer,
    x.positional_data,
    (x.positional_data #>> '{0,page_pdf}')::integer,
    (x.positional_data #>> '{-1,page_pdf}')::integer,
    x.content_hash,
    x.token_count,
    (p.place ->> 3)::integer,
    (p.place ->> 4)::integer,
    x.data,
    (select d.ts_config from ragraph_past.document as d),
    ragraph_private.word_vector((select d.ts_config from ragraph_past.document as d), x.content),
    m.collection
from ragraph_past.noted as m
cross join
    lateral
    jsonb_to_record(m.content)
        as x (
            parent_component_id text,
            content_node_type ragraph.content_node_type,
            content text,
            storage_url text,
            description text,
            embedding_source ragraph.embedding_source,
            positional_data jsonb,
            content_hash text,
            token_count integer,
            data jsonb
        )
cross join
    lateral -- noqa: ST05
    jsonb_extract_path((select l.by_id from ragraph_past.places as l where l.id = 'node'), m.id) as p (place)
where m.kind = 'node' and m.content is not null;
comment on view ragraph_past.content_node is
'Nodes in that version';

create view ragraph_past.relation with (security_invoker = true) as
select
    r.document_id,
    r.id,
    r.source_node_id,
    r.target_node_id,
    r.relation_type,
    r.marker_text,
    r.marker_start,
    r.target_anchor,
    r.collection
from ragraph.relation as r
where
    r.document_id = current_setting('ragraph.as_of_document')
    and r.id not in (select m.id from ragraph_past.noted as m where m.kind = 'relation')
union all
select
    m.document_id,
    m.id,
    x.source_node_id,
    x.target_node_id,
    x.relation_type,
    x.marker_text,
    x.marker_start,
    x.target_anchor,
    m.collection
from ragraph_past.noted as m
cross join
    lateral
    jsonb_to_record(m.content)
        as x (
            source_node_id text,
            target_node_id text,
            relation_type ragraph.relation_type,
            marker_text text,
            marker_start integer,
            target_anchor text
        )
where m.kind = 'relation' and m.content is not null;
comment on view ragraph_past.relation is
'Relations in that version';

-- nodes that still exist have their current vectors
create view ragraph_past.embedding with (security_invoker = true) as
select
    e.document_id,
    e.id,
    e.node_id,
    e.model_name,
    e.embedding_source,
    e.part,
    e.char_start,
    e.char_end,
    e.content_hash,
    e.embedding_vector,
    e.dimensions,
    e.normalized,
    e.created_at,
    e.collection
from ragraph.embedding as e
where
    e.document_id = current_setting('ragraph.as_of_document')
    and e.node_id not in (select m.id from ragraph_past.noted as m where m.kind = 'node' and m.content is null)
union all
select
    m.document_id,
    m.id,
    x.node_id,
    x.model_name,
    x.embedding_source,
    x.part,
    x.char_start,
    x.char_end,
    x.content_hash,
    m.embedding_vector,
    vector_dims(m.embedding_vector),
    x.normalized,
    v.superseded_at,
    m.collection
from ragraph_past.noted as m
inner join ragraph.document_version as v
    on m.document_id = v.document_id and v.version = current_setting('ragraph.as_of_version')::integer
cross join
    lateral
    jsonb_to_record(m.content)
        as x (
            node_id text,
            model_name text,
            embedding_source ragraph.embedding_source,
            part integer,
            char_start integer,
            char_end integer,
            content_hash text,
            normalized boolean
        )
where
    m.kind = 'vector'
    and (
        x.node_id in (select n.id from ragraph_past.noted as n where n.kind = 'node' and n.content is not null)
        or x.node_id in (
            select n.id from ragraph.content_node as n where n.document_id = current_setting('ragraph.as_of_document')
        ) and x.node_id not in (select n.id from ragraph_past.noted as n where n.kind = 'node')
    )
    and not exists (select 1 from ragraph.embedding as e where e.document_id = m.document_id and e.id = m.id);
comment on view ragraph_past.embedding is
'Vectors of the nodes of that version';

grant select on all tables in schema ragraph_past to public;
