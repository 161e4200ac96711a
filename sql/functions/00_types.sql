-- Comments on the public enumerations. PostgreSQL has no comments for single values, so each type lists its own.

comment on type ragraph.document_type is
'Role of a document in its publication: MAIN, SUPPLEMENTAL (an annex, data, an erratum) or OTHER';
comment on type ragraph.component_type is
'Kind of a component of the document tree. At the top: FRONT_MATTER, BODY_MATTER, BACK_MATTER. Sections are named by
their purpose: ABSTRACT, INTRODUCTION, CHAPTER, APPENDIX, BIBLIOGRAPHY and so on, or SECTION if the purpose is unknown.
LIST holds list items, TEXT_BOX the content of a box, HEADER and FOOTER the running heads of pages, CONTAINER anything
else';
comment on type ragraph.content_node_type is
'Kind of a content node, a leaf of the document tree: PARAGRAPH, HEADING, LIST_ITEM, TABLE, FIGURE, CAPTION, NOTE (a
footnote or endnote), BIBLIOGRAPHIC_ENTRY, FORMULA, CODE, BLOCK_QUOTATION, STANZA or PAGE_NUMBER. Nodes of the title
page are TITLE, SUBTITLE and AUTHOR. SUBHEADING is a heading that begins no section';
comment on type ragraph.embedding_source is
'Text of a node that is embedded: its TEXT_CONTENT, or the DESCRIPTION or CAPTION of a table or figure';
comment on type ragraph.relation_type is
'Kind of a relation, read from source to target. A marker REFERENCES_NOTE or REFERENCES_CITATION (a bibliographic
entry). A table or figure IS_CAPTIONED_BY a caption. A node IS_SUPPLEMENTED_BY another. A node CONTINUES the one before
it; these relations are deleted once the reading order is stored, unless they are asked to be retained. A node
CROSS_REFERENCES a section, table, figure or formula. Between documents, a bibliographic entry CITES another document';
comment on type ragraph.processing_status is
'Progress of a document: pending, processing, completed, or failed with an error_message';
comment on type ragraph.distance is
'Distance that an embedding model was trained for: cosine, l2 (Euclidean) or inner_product';
comment on type ragraph.index_kind is
'Content of the vector index of a model: halfvec stores all numbers of a vector in half precision. bit stores only
their signs, a sixteenth of the size. Searches read more candidates from either index than they return and rank them by
the full vectors';

-- Types of values that functions pass to each other. Like all private objects, they are created again at each upgrade.

create type ragraph_private.hit as (
    document_id text,
    node_id text,
    score double precision,
    char_start integer,
    char_end integer,
    tokens integer,
    vector_score double precision,
    text_score double precision
);
comment on type ragraph_private.hit is
'A node found by a search, or a part of it: its span in the text of the document and the number of tokens in that span.
vector_score and text_score hold the two scores of a hybrid search and are null for other searches';

create type ragraph_private.ancestor as (
    document_id text,
    component_id text,
    ancestor_id text,
    component_type ragraph.component_type,
    title text,
    depth integer,
    first_sequence integer,
    last_sequence integer
);
comment on type ragraph_private.ancestor is
'A component above another one, or that one itself';

create type ragraph_private.place as (
    kind text, -- node or component
    id text,
    parent_component_id text,
    major integer,
    minor integer,
    first_sequence integer,
    last_sequence integer,
    char_start integer,
    char_end integer,
    page_range int4range,
    reached boolean
);
comment on type ragraph_private.place is
'Position of a node or component: its place in its parent, and its place in the reading order. The place of a component
spans that of its nodes';

create type ragraph_private.scope as (
    documents text [],
    leaves jsonb,
    node_types ragraph.content_node_type [],
    pages int4range,
    collection text,
    section_documents text [],
    section_starts integer [],
    section_ends integer [],
    on_document text,
    on_node text,
    in_sections text,
    of_entities boolean
);
comment on type ragraph_private.scope is
'A checked search scope: the documents to search, and SQL conditions that bind the first eight fields as $1 to $8';
comment on column ragraph_private.scope.documents is
'ids of the documents in scope; null if the scope is not narrow enough to list them';
comment on column ragraph_private.scope.leaves is 'values that the conditions on documents read';
comment on column ragraph_private.scope.section_documents is
'with section_starts and section_ends: intervals of reading order that do not touch each other; null if sections are
not restricted';
comment on column ragraph_private.scope.on_document is
'conditions on document d and publication p that the list of documents does not cover; empty if there are no such
conditions';
comment on column ragraph_private.scope.on_node is
'conditions on node n: its type, its pages, a single section; empty if there are no such conditions';
comment on column ragraph_private.scope.in_sections is
'a join of node n with several sections; empty unless there are several';
comment on column ragraph_private.scope.of_entities is
'true if on_node includes a condition on entity mentions';
