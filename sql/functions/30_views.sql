-- Views for analysts: the model in words, one row per thing that a person would name. They run with the rights of the
-- current user, so that row-level security applies. They join by document_id only, so that a query for one document
-- reads only that document.

create or replace view ragraph.documents with (security_invoker = true) as
with node_counts as (
    select
        n.document_id,
        count(*) as node_count,
        max(n.char_end) as character_count,
        sum(n.token_count) as token_count,
        count(*) filter (where n.content_node_type = 'TABLE') as table_count,
        count(*) filter (where n.content_node_type = 'FIGURE') as figure_count
    from ragraph.content_node as n
    group by n.document_id
),

relation_counts as (
    select
        r.document_id,
        count(*) as relation_count,
        count(*) filter (where r.target_node_id is null) as unresolved_count
    from ragraph.relation as r
    group by r.document_id
)

select
    d.id as document_id,
    coalesce(d.title, p.title) as title,
    case when d.title is null then p.authors else d.authors end as authors,
    coalesce(d.publication_date, p.publication_date) as publication_date,
    p.source,
    d.collection,
    p.tags,
    d.language,
    d.mime_type,
    d.processing_status,
    d.page_count,
    coalesce(n.node_count, 0) as node_count,
    coalesce(n.character_count, 0) as character_count,
    coalesce(n.token_count, 0) as token_count,
    coalesce(n.table_count, 0) as table_count,
    coalesce(n.figure_count, 0) as figure_count,
    coalesce(r.relation_count, 0) as relation_count,
    coalesce(r.unresolved_count, 0) as unresolved_count,
    d.source_uri,
    d.processed_at
from ragraph.document as d
inner join ragraph.publication as p on d.publication_id = p.id
left join node_counts as n on d.id = n.document_id
left join relation_counts as r on d.id = r.document_id;
comment on view ragraph.documents is 'Documents with their publication and the numbers of their nodes and relations';
comment on column ragraph.documents.document_id is 'Id of the document, as functions and commands accept it';
comment on column ragraph.documents.title is 'Its own title if it is attached to another document, else that of its publication';
comment on column ragraph.documents.authors is 'Authors, comma separated';
comment on column ragraph.documents.publication_date is 'Date of publication; if only the year is known, 1 January';
comment on column ragraph.documents.source is 'Repository that the publication comes from';
comment on column ragraph.documents.collection is 'Namespace and tenant';
comment on column ragraph.documents.tags is 'Tags of the publication';
comment on column ragraph.documents.language is 'Language, BCP 47; null if unknown';
comment on column ragraph.documents.mime_type is 'MIME type of the file';
comment on column ragraph.documents.processing_status is 'pending, processing, completed or failed';
comment on column ragraph.documents.page_count is 'Number of pages; null for formats without pages';
comment on column ragraph.documents.node_count is 'Number of content nodes: paragraphs, headings, tables and so on';
comment on column ragraph.documents.character_count is 'Length of its plain text, which document_text returns';
comment on column ragraph.documents.token_count is
'Tokens of its nodes, counted by the packaged model whichever model embeds';
comment on column ragraph.documents.table_count is 'Number of tables';
comment on column ragraph.documents.figure_count is 'Number of figures';
comment on column ragraph.documents.relation_count is 'Number of relations between its nodes';
comment on column ragraph.documents.unresolved_count is 'How many of these have a marker but no target';
comment on column ragraph.documents.source_uri is 'Location from which the file was last read';
comment on column ragraph.documents.processed_at is 'Time at which the file was last read';

create or replace view ragraph.sections with (security_invoker = true) as
select
    c.document_id,
    coalesce(d.title, p.title) as document_title,
    c.id as component_id,
    c.component_type,
    c.title,
    (
        select string_agg(a.title, ' > ' order by a.depth)
        from ragraph.document_component as a
        where
            a.document_id = c.document_id
            and a.title is not null
            and (a.id = c.id or (a.depth < c.depth and c.first_sequence between a.first_sequence and a.last_sequence))
    ) as section_path,
    c.depth,
    c.parent_component_id,
    c.first_page,
    c.last_page,
    coalesce(c.last_sequence - c.first_sequence + 1, 0) as node_count,
    c.first_sequence,
    c.last_sequence,
    c.collection
from ragraph.document_component as c
inner join ragraph.document as d on c.document_id = d.id
inner join ragraph.publication as p on d.publication_id = p.id;
comment on view ragraph.sections is
'Components of documents (sections, front and back matter, lists and so on) with the path of titles that leads to them';
comment on column ragraph.sections.document_id is 'Id of the document';
comment on column ragraph.sections.document_title is 'Title of the document';
comment on column ragraph.sections.component_id is 'Id of the component, as component_ids of a search accept it';
comment on column ragraph.sections.component_type is 'Kind of component: SECTION, CHAPTER, ABSTRACT, LIST and so on';
comment on column ragraph.sections.title is 'Its heading; null for a container without one';
comment on column ragraph.sections.section_path is
'Titles from the top down to this one, joined by " > "; only its own for an empty component';
comment on column ragraph.sections.depth is 'Steps to the top; 0 at the top';
comment on column ragraph.sections.parent_component_id is 'Component that contains it; null at the top';
comment on column ragraph.sections.first_page is 'First physical page; null for formats without pages';
comment on column ragraph.sections.last_page is 'Last physical page';
comment on column ragraph.sections.node_count is 'Number of nodes below it';
comment on column ragraph.sections.first_sequence is 'Place of its first node in reading order; null if it is empty';
comment on column ragraph.sections.last_sequence is 'Place of its last node in reading order';
comment on column ragraph.sections.collection is 'Namespace and tenant';

create or replace view ragraph.nodes with (security_invoker = true) as
select
    n.document_id,
    coalesce(d.title, p.title) as document_title,
    n.id as node_id,
    n.content_node_type as node_type,
    n.content,
    n.description,
    (
        select string_agg(c.title, ' > ' order by c.depth)
        from ragraph.document_component as c
        where
            c.document_id = n.document_id
            and c.title is not null
            and n.sequence_in_document between c.first_sequence and c.last_sequence
    ) as section_path,
    n.first_page,
    n.last_page,
    n.positional_data #>> '{0,page_logical}' as printed_page,
    n.sequence_in_document,
    n.token_count,
    n.parent_component_id as component_id,
    coalesce(d.publication_date, p.publication_date) as publication_date,
    n.collection
from ragraph.content_node as n
inner join ragraph.document as d on n.document_id = d.id
inner join ragraph.publication as p on d.publication_id = p.id;
comment on view ragraph.nodes is
'Content nodes (paragraphs, headings, tables, notes and so on) with their document, section and pages';
comment on column ragraph.nodes.document_id is 'Id of the document';
comment on column ragraph.nodes.document_title is 'Title of the document';
comment on column ragraph.nodes.node_id is 'Id of the node, as functions and commands accept it';
comment on column ragraph.nodes.node_type is 'Kind of node: PARAGRAPH, HEADING, TABLE, NOTE and so on';
comment on column ragraph.nodes.content is 'Its text, with bold, italics and links as markdown';
comment on column ragraph.nodes.description is 'Description of a table or figure in words';
comment on column ragraph.nodes.section_path is 'Titles of the sections around it, from the top down, joined by " > "';
comment on column ragraph.nodes.first_page is 'First physical page it is on; null for formats without pages';
comment on column ragraph.nodes.last_page is 'Last physical page it is on';
comment on column ragraph.nodes.printed_page is 'Printed number of its first page, for example iii';
comment on column ragraph.nodes.sequence_in_document is 'Place in reading order, from 0';
comment on column ragraph.nodes.token_count is
'Tokens of its text, counted by the packaged model whichever model embeds';
comment on column ragraph.nodes.component_id is 'Component that contains it';
comment on column ragraph.nodes.publication_date is 'Date of publication; if only the year is known, 1 January';
comment on column ragraph.nodes.collection is 'Namespace and tenant';

create or replace view ragraph.relations with (security_invoker = true) as
select
    r.document_id,
    coalesce(d.title, p.title) as document_title,
    r.relation_type,
    r.marker_text as marker,
    s.id as source_node_id,
    s.content_node_type as source_type,
    s.content as source_content,
    s.first_page as source_page,
    t.id as target_node_id,
    t.content_node_type as target_type,
    t.content as target_content,
    t.first_page as target_page,
    r.id as relation_id,
    r.collection
from ragraph.relation as r
inner join ragraph.content_node as s on r.document_id = s.document_id and r.source_node_id = s.id
left join ragraph.content_node as t on r.document_id = t.document_id and r.target_node_id = t.id
inner join ragraph.document as d on r.document_id = d.id
inner join ragraph.publication as p on d.publication_id = p.id;
comment on view ragraph.relations is 'Relations between nodes of a document, with the text of both ends';
comment on column ragraph.relations.document_id is 'Id of the document';
comment on column ragraph.relations.document_title is 'Title of the document';
comment on column ragraph.relations.relation_type is
'Kind of relation, read from source to target: REFERENCES_NOTE and so on';
comment on column ragraph.relations.marker is 'Marker as printed: 1, [22], (Author, 2025), Section 4.2';
comment on column ragraph.relations.source_node_id is 'Node that the relation starts from';
comment on column ragraph.relations.source_type is 'Kind of that node';
comment on column ragraph.relations.source_content is 'Its text';
comment on column ragraph.relations.source_page is 'First physical page it is on';
comment on column ragraph.relations.target_node_id is 'Node that the relation leads to; null if no target was found';
comment on column ragraph.relations.target_type is 'Kind of that node';
comment on column ragraph.relations.target_content is 'Its text';
comment on column ragraph.relations.target_page is 'First physical page it is on';
comment on column ragraph.relations.relation_id is 'Id of the relation';
comment on column ragraph.relations.collection is 'Namespace and tenant';
