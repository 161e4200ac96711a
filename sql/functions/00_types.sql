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
