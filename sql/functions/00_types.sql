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
