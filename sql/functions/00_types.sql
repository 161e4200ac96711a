-- What the values of the public enumerations mean: PostgreSQL has no comments for single values.

comment on type ragraph.document_type is
'The part a document plays in its publication: MAIN, SUPPLEMENTAL (an annex, data, an erratum) or OTHER';
comment on type ragraph.component_type is
'What a component of the document tree is. Matter, at the top: FRONT_MATTER, BODY_MATTER, BACK_MATTER. Sections by what
they are for: ABSTRACT, INTRODUCTION, CHAPTER, APPENDIX, BIBLIOGRAPHY and so on, SECTION where nothing tells. LIST holds
list items, TEXT_BOX what stands in a box of its own, HEADER and FOOTER the running heads of pages, CONTAINER anything
else';
comment on type ragraph.content_node_type is
'What a content node, a leaf of the document tree, is: PARAGRAPH, HEADING, LIST_ITEM, TABLE, FIGURE, CAPTION, NOTE (of a
page or at the end), BIBLIOGRAPHIC_ENTRY, FORMULA, CODE, BLOCK_QUOTATION, STANZA, PAGE_NUMBER, and of the title page TITLE,
SUBTITLE, AUTHOR; SUBHEADING is a heading that begins no section';
comment on type ragraph.embedding_source is
'Which text of a node is embedded: its TEXT_CONTENT, or for tables and figures their DESCRIPTION or CAPTION';
comment on type ragraph.relation_type is
'What a relation says, read from source to target: a mark REFERENCES_NOTE or REFERENCES_CITATION (a bibliographic entry),
a table or figure IS_CAPTIONED_BY, a node IS_SUPPLEMENTED_BY another, CONTINUES the node before (only until stage two, unless
kept), or CROSS_REFERENCES a section, table, figure or formula; between documents, an entry CITES another document';
comment on type ragraph.processing_status is
'How far a document has come: pending, processing, completed, or failed with an error_message';
comment on type ragraph.distance is
'The distance that an embedding model was trained for: cosine, l2 (Euclidean) or inner_product';
comment on type ragraph.index_kind is
'What the index of a model holds of each vector: halfvec, all its numbers in half precision, or bit, their signs alone, which
is a sixteenth of that. Either is looked further into than asked, and what it finds is ranked by the whole vectors';

-- Values that functions hand to each other. They are made anew at each upgrade, as all that is private.

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
'A node that a search found, or a part of it: its span in the text of the document, the tokens of that span, and what
vector and text search gave it where a hybrid search says so';

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
'Where a node or component belongs: its place in its parent, and in the reading order (of a component: of its nodes)';

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
'Where to search, checked: documents, and conditions for statements that bind the first eight fields as $1 to $8';
comment on column ragraph_private.scope.documents is 'the scope as ids, null when it is not that narrow';
comment on column ragraph_private.scope.leaves is 'what conditions on documents read';
comment on column ragraph_private.scope.section_documents is
'with section_starts and section_ends: intervals of reading order that do not touch each other; null for no bound';
comment on column ragraph_private.scope.on_document is
'conditions on document d and publication p that documents do not hold yet; empty when there are none';
comment on column ragraph_private.scope.on_node is
'conditions on node n: type, pages, a single section; empty when there are none';
comment on column ragraph_private.scope.in_sections is
'a join of node n with several sections; empty when there are not';
comment on column ragraph_private.scope.of_entities is
'whether on_node asks for mentions of entities';
