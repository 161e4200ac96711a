-- Quotes: words said to stand in a node are looked for there, and refused when they do not.

create or replace function ragraph_private.quote_pattern(quote text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    pattern text;
begin
    -- every character stands for itself ...
    pattern := regexp_replace(quote_pattern.quote, '([][\\.^$*+?(){}|\-])', '\\\1', 'g');
    -- ... but what typesetting changes: kinds of quotation marks, apostrophes, dashes and white space
    pattern := regexp_replace(pattern, '["“”„‟«»]', '["“”„‟«»]', 'g');
    pattern := regexp_replace(pattern, '[''’‘‚‛′]', '[''’‘‚‛′]', 'g');
    pattern := regexp_replace(pattern, '\\-|[‐‑‒–—−]', '[-‐‑‒–—−]', 'g');
    -- emphasis of Markdown may stand where words end and begin
    return regexp_replace(pattern, '\s+', '[*_]*\\s+[*_]*', 'g');
end
$$;
comment on function ragraph_private.quote_pattern(text) is
'A regular expression that finds a quote whatever its white space, quotation marks, dashes and emphasis';

create or replace function ragraph.cite_quote(
    inout document_id text,
    inout node_id text,
    quote text,
    out publication_id text,
    out title text,
    out authors text,
    out publication_date date,
    out citation text,
    out source text,
    out source_url text,
    out uri text,
    out document_type ragraph.document_type,
    out download_url text,
    out section_path text[],
    out component_ids text[],
    out pages integer[],
    out logical_pages text[],
    out boxes jsonb,
    out char_start integer,
    out char_end integer,
    out quote_start integer,
    out quote_end integer,
    out verbatim text
)
returns setof record
language plpgsql
stable
parallel safe
rows 1
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    -- longer patterns are slow to compile; a longer quote has to be literal
    pattern_limit constant integer := 4000;
    wanted text := btrim(cite_quote.quote, E' \t\r\n\f\u00a0');
    body text;
    first integer := 0;
    behind integer := 0;
    pattern text;
begin
    perform ragraph_private.require_node(cite_quote.document_id, cite_quote.node_id);
    -- marks around the whole are those of the one who quotes
    if wanted ~ '^["“”„«»].*["“”„«»]$' then
        wanted := btrim(substr(wanted, 2, greatest(length(wanted) - 2, 0)), E' \t\r\n\f\u00a0');
    end if;
    if wanted is null or wanted = '' then
        raise exception using
            errcode = 'RG005', message = 'the quote is empty', hint = 'Give the words that are quoted.';
    end if;
    select n.content into body
    from ragraph.content_node as n
    where n.document_id = cite_quote.document_id and n.id = cite_quote.node_id;
    first := strpos(body, wanted);
    if first > 0 then
        behind := first + length(wanted);
    elsif length(wanted) <= pattern_limit then
        pattern := ragraph_private.quote_pattern(wanted);
        first := regexp_instr(body, pattern);
        behind := regexp_instr(body, pattern, 1, 1, 1);
    end if;
    if first = 0 then
        raise exception using
            errcode = 'RG009',
            message = format(
                'node %L of document %L does not say %L',
                cite_quote.node_id,
                cite_quote.document_id,
                case when length(wanted) > 200 then left(wanted, 200) || ' …' else wanted end
            ),
            hint = 'Quote word for word, without leaving anything out; two passages are two quotes.';
    end if;
    return query
    select
        c.document_id,
        c.node_id,
        c.publication_id,
        c.title,
        c.authors,
        c.publication_date,
        c.citation,
        c.source,
        c.source_url,
        c.uri,
        c.document_type,
        c.download_url,
        c.section_path,
        c.component_ids,
        c.pages,
        c.logical_pages,
        c.boxes,
        c.char_start,
        c.char_end,
        c.char_start + first - 1,
        c.char_start + behind - 1,
        substr(body, first, behind - first)
    from ragraph_private.cite_nodes(array[cite_quote.document_id], array[cite_quote.node_id]) as c;
end
$$;
comment on function ragraph.cite_quote(text, text, text) is
'A citation of words in a node: what node_citation gives, and the words as they stand there (verbatim) with their span
in document_text(document_id), quote_start to quote_end. White space, kinds of quotation marks and dashes, and emphasis
may differ in quotes of up to 4,000 characters; nothing else. Words that the node does not have are refused. Raises RG001, RG003, RG005, RG009';
