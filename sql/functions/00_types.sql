-- Values that functions hand to each other. They are made anew at each upgrade, as all that is private.

create type ragraph_private.hit as (
    document_id text,
    node_id text,
    score double precision,
    char_start integer,
    char_end integer,
    tokens integer
);
comment on type ragraph_private.hit is
'A node that a search found, or a part of it: its span in the text of the document, and the tokens of that span';

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
    in_sections text
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
