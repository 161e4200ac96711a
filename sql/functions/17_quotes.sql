-- Quotes: words said to stand in a node are looked for there, and refused when they do not.
--
-- Node and quote are brought into one form, in which white space, quotation marks, dashes, soft hyphens and emphasis
-- are alike, with a mark where words begin and end: a quote stands in a node if its form, marks included, stands in
-- that of the node. No pattern is made of what is quoted, so time goes with length.

create or replace function ragraph_private.quote_mask(body text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    spaces constant text := E'\t\n\u000b\f\r\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009'
        || E'\u200a\u2028\u2029\u202f\u205f\u3000';
    invisible constant text := E'\u0001\u0002\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066'
        || E'\u2067\u2068\u2069\ufe0e\ufe0f\ufeff';
    mask text := translate(
        quote_mask.body,
        spaces || '“”„‟«»’‘‚‛′´ʼ' || invisible,
        repeat(' ', length(spaces)) || '""""""' || repeat('''', 7) || repeat(E'\u0001', length(invisible))
    );
    unspaced text;
begin
    if mask ~ '[*_]' then
        -- emphasis of Markdown, where words end and begin; 5 * 3 and snake_case stay
        unspaced := (ragraph_private.word_classes()).unspaced;
        for size in reverse 3..1 loop
            mask := regexp_replace(
                mask,
                format('([^*_ ])[*_]{%s}(?=$|[] .,;:!?)}"''…%s‐-―-])', size, unspaced),
                '\1' || repeat(E'\u0001', size),
                'g'
            );
            mask := regexp_replace(
                mask,
                format('(^|[[ ({"''%s‐-―-])[*_]{%s}(?=[^*_ ])', unspaced, size),
                '\1' || repeat(E'\u0001', size),
                'g'
            );
        end loop;
    end if;
    if mask ~ E' \u0001* ' then
        -- of several spaces the last one stays
        mask := regexp_replace(mask, E' (?=\u0001* )', E'\u0001', 'g');
    end if;
    return mask;
end
$$;
comment on function ragraph_private.quote_mask(text) is
'A text of the same length with one kind of space and of quotation marks, and U+0001 for what does not count: more than
one space, soft hyphens and other invisible characters, emphasis of Markdown';

create or replace function ragraph_private.unmasked_place(mask text, place integer)
returns integer
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    low integer := unmasked_place.place;
    high integer := length(unmasked_place.mask);
    middle integer;
begin
    if strpos(unmasked_place.mask, E'\u0001') = 0 then
        return unmasked_place.place;
    end if;
    while low < high loop
        middle := (low + high) / 2;
        if length(replace(left(unmasked_place.mask, middle), E'\u0001', '')) >= unmasked_place.place then
            high := middle;
        else
            low := middle + 1;
        end if;
    end loop;
    return low;
end
$$;
comment on function ragraph_private.unmasked_place(text, integer) is
'The place, from 1, of the nth character of a mask that counts';

create or replace function ragraph_private.find_quote(
    body text,
    quote text,
    min_words integer,
    out pieces int4range[],
    out refusal text
)
returns record
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    -- a piece that stands within words this often is taken not to stand there at all
    tries constant integer := 100;
    most_pieces constant integer := 20;
    ellipsis constant text := '\s*(?:\[\s*(?:…|[.]{3,})\s*\]|\(\s*(?:…|[.]{3,})\s*\)|…|[.]{3,}|[.](?: [.]){2,})\s*';
    dashes constant text := '‐‑‒–—―−';
    mask text := ragraph_private.quote_mask(find_quote.body);
    plain text := replace(mask, E'\u0001', '');
    marked text := ragraph_private.mark_words(translate(plain, dashes, '-------'));
    least_words integer := least(
        find_quote.min_words, ragraph_private.count_words(left(plain, 1000 + 100 * find_quote.min_words))
    );
    given text := case
        when find_quote.quote is nfc normalized or find_quote.body is not nfc normalized then find_quote.quote
        else normalize(find_quote.quote, nfc)
    end;
    part text;
    wanted text[];
    marked_part text;
    words integer;
    start integer := 1;
    place integer;
    first integer;
    behind integer;
    whole boolean;
begin
    -- an ellipsis that the node has is quoted as it is
    foreach whole in array array[true, false] loop
        wanted := '{}';
        pieces := '{}';
        refusal := null;
        start := 1;
        foreach part in array
            case when whole then array[given] else regexp_split_to_array(given, ellipsis) end
        loop
            part := btrim(replace(ragraph_private.quote_mask(part), E'\u0001', ''));
            -- marks around the whole are those of the one who quotes
            if part ~ '^".*"$' and strpos(plain, part) = 0 then
                part := btrim(substr(part, 2, greatest(length(part) - 2, 0)));
            end if;
            words := ragraph_private.count_words(part);
            continue when words = 0;
            if words < least_words then
                refusal := 'short';
            end if;
            wanted := wanted || translate(part, dashes, '-------');
        end loop;
        if wanted = '{}' then
            refusal := 'empty';
        elsif cardinality(wanted) > most_pieces then
            refusal := 'pieces';
        end if;
        if refusal is null then
            foreach part in array wanted loop
                marked_part := ragraph_private.mark_words(part);
                for try in 1..tries loop
                    place := strpos(substr(marked, start), marked_part);
                    exit when place = 0;
                    place := start + place - 1;
                    first := length(replace(left(marked, place - 1), E'\u0002', '')) + 1;
                    behind := first + length(part);
                    exit when not ragraph_private.is_within_word(
                        substr(plain, greatest(first - 3, 1), least(first - 1, 3)), substr(plain, first, 4)
                    ) and not ragraph_private.is_within_word(
                        substr(plain, greatest(behind - 3, 1), least(behind - 1, 3)), substr(plain, behind, 4)
                    );
                    start := place + 1;
                    place := 0;
                end loop;
                if place = 0 then
                    refusal := case
                        when strpos(translate(plain, dashes, '-------'), part) > 0 and cardinality(wanted) = 1 then 'cut'
                        else 'absent'
                    end;
                    exit;
                end if;
                pieces := pieces || int4range(
                    ragraph_private.unmasked_place(mask, first), ragraph_private.unmasked_place(mask, behind - 1), '[]'
                );
                start := place + length(marked_part);
                -- where no space divides them, the end of one word is the beginning of the next
                if right(marked_part, 1) = E'\u0002' then
                    start := start - 1;
                end if;
            end loop;
        end if;
        exit when refusal is null or given !~ ellipsis;
    end loop;
end
$$;
comment on function ragraph_private.find_quote(text, text, integer) is
'Where the pieces of a quote stand in a text, in order, ends exclusive, characters from 1; an ellipsis stands between
pieces. Or why it is refused: empty, short (a piece has too few words), pieces (too many), cut (within a word), absent';

create or replace function ragraph.cite_quote(
    inout document_id text,
    inout node_id text,
    quote text,
    min_words integer default 1,
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
    out verbatim text,
    out pieces int4range[]
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
    body text;
    found record;
    first integer;
    behind integer;
    shown text := case
        when length(cite_quote.quote) > 200 then left(cite_quote.quote, 200) || ' …' else cite_quote.quote
    end;
begin
    perform ragraph_private.require_node(cite_quote.document_id, cite_quote.node_id);
    if cite_quote.min_words is null or cite_quote.min_words < 1 then
        raise exception using
            errcode = 'RG005',
            message = format('min_words is %s', coalesce(cite_quote.min_words::text, 'null')),
            hint = 'Ask for one word at least.';
    end if;
    select n.content into body
    from ragraph.content_node as n
    where n.document_id = cite_quote.document_id and n.id = cite_quote.node_id;
    found := ragraph_private.find_quote(body, coalesce(cite_quote.quote, ''), cite_quote.min_words);
    if found.refusal = 'empty' then
        raise exception using
            errcode = 'RG005',
            message = format('the quote %L has no words', coalesce(shown, '')),
            hint = 'Give the words that are quoted.';
    elsif found.refusal = 'short' then
        raise exception using
            errcode = 'RG005',
            message = format('the quote %L is too short', shown),
            hint = format(
                'Quote %s words in a row at least, on each side of an ellipsis, or the whole node.', cite_quote.min_words
            );
    elsif found.refusal = 'pieces' then
        raise exception using
            errcode = 'RG005',
            message = 'the quote leaves text out too often',
            hint = 'Give fewer ellipses, or several quotes.';
    elsif found.refusal = 'cut' then
        raise exception using
            errcode = 'RG009',
            message = format(
                'node %L of document %L has %L only within a longer word', cite_quote.node_id, cite_quote.document_id, shown
            ),
            hint = 'Begin and end the quote with whole words.';
    elsif found.refusal is not null then
        raise exception using
            errcode = 'RG009',
            message = format(
                'node %L of document %L does not say %L', cite_quote.node_id, cite_quote.document_id, shown
            ),
            hint = 'Quote word for word; an ellipsis (…) stands for what is left out within the node.';
    end if;
    first := lower(found.pieces[1]);
    behind := upper(found.pieces[cardinality(found.pieces)]);
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
        (
            select string_agg(substr(body, lower(p.piece), upper(p.piece) - lower(p.piece)), ' […] ' order by p.place)
            from unnest(found.pieces) with ordinality as p (piece, place)
        ),
        (
            select array_agg(
                int4range(c.char_start + lower(p.piece) - 1, c.char_start + upper(p.piece) - 1) order by p.place
            )
            from unnest(found.pieces) with ordinality as p (piece, place)
        )
    from ragraph_private.cite_nodes(array[cite_quote.document_id], array[cite_quote.node_id]) as c;
end
$$;
comment on function ragraph.cite_quote(text, text, text, integer) is
'A citation of words in a node: what node_citation gives, and the words as they stand there (verbatim) with their span
in document_text(document_id), quote_start to quote_end. White space, kinds of quotation marks and dashes, soft hyphens
and emphasis may differ; nothing else, capitals neither. An ellipsis (…, ..., [...]) stands for text left out within the
node: pieces has the span of what stands on each side, and verbatim joins them by […]. Refused are words that the node
does not have, ends within a word (can of can''t, profit of non-profit, 5 of 5.3; in scripts without spaces none is),
quotes without words, and pieces of fewer than min_words words (two characters of such a script count as one) unless the
node is shorter. Raises RG001, RG003, RG005, RG009';
