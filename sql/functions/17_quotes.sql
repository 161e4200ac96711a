-- Quotes: words that are attributed to a node are searched in it, and refused if they are not there.
--
-- Node and quote are brought into one form in which composed letters, white space, quotation marks, dashes, wide and
-- narrow letters, soft hyphens and inline markup are equal, with a mark where words begin and end. A node contains a
-- quote if its form contains that of the quote, marks included. No pattern is built from the quote, so the time grows
-- linearly with length.

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
set standard_conforming_strings = on
as $$
declare
    -- a piece that occurs within words this many times is taken as absent
    tries constant integer := 100;
    most_pieces constant integer := 20;
    -- longest text around a cut that may belong together: an address
    reach constant integer := 200;
    ellipsis constant text := '\s*(?:\[\s*(?:…|[.]{3,})\s*\]|\(\s*(?:…|[.]{3,})\s*\)|…|[.]{3,}|[.](?: [.]){2,})\s*';
    -- characters treated as one: dashes, and the wide forms of Chinese and Japanese print
    signs constant text := '‐‑‒–—―−'
        '！＂＃＄％＆＇（）＊＋，－．／０１２３４５６７８９：；＜＝＞？＠ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ［＼］＾＿｀ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ｛｜｝～';
    alike constant text := '-------'
        '!"#$%&''()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^_`abcdefghijklmnopqrstuvwxyz{|}~';
    mask text := ragraph_private.quote_mask(ragraph_private.composed(find_quote.body));
    plain text := replace(mask, E'\u0001', '');
    form text := translate(plain, signs, alike);
    marked text := ragraph_private.mark_words(form);
    least_words integer := least(
        find_quote.min_words, ragraph_private.count_words(left(plain, 1000 + 100 * find_quote.min_words))
    );
    given text := ragraph_private.composed(find_quote.quote);
    part text;
    wanted text[];
    marked_part text;
    words integer;
    start integer := 1;
    place integer;
    first integer;
    behind integer;
    last integer;
    whole boolean;
begin
    -- an ellipsis that the node itself has is quoted literally
    foreach whole in array array[true, false] loop
        wanted := '{}';
        pieces := '{}';
        refusal := null;
        start := 1;
        foreach part in array
            case when whole then array[given] else regexp_split_to_array(given, ellipsis) end
        loop
            part := ragraph_private.quote_form(part, plain);
            -- quotation marks around the complete quote belong to the person who quotes
            if part ~ '^(".*"|''.*'')$' and strpos(plain, part) = 0 then
                part := btrim(substr(part, 2, greatest(length(part) - 2, 0)));
            end if;
            words := ragraph_private.count_words(part);
            continue when words = 0;
            if words < least_words then
                refusal := 'short';
            end if;
            wanted := wanted || translate(part, signs, alike);
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
                        substr(plain, greatest(first - reach, 1), least(first - 1, reach)), substr(plain, first, reach)
                    ) and not ragraph_private.is_within_word(
                        substr(plain, greatest(behind - reach, 1), least(behind - 1, reach)), substr(plain, behind, reach)
                    );
                    start := place + 1;
                    place := 0;
                end loop;
                if place = 0 then
                    refusal := case
                        when cardinality(wanted) = 1 and (strpos(form, part) > 0 or strpos(find_quote.body, find_quote.quote) > 0)
                            then 'cut'
                        else 'absent'
                    end;
                    exit;
                end if;
                if pieces <> '{}' and ragraph_private.left_out_negation(
                    -- a sentence may have ended with the piece before
                    coalesce(substring(substr(plain, greatest(last - 5, 1), least(5, last - 1)) from '[.!?…。！？]["''”’»)\]]*$'), '')
                    || substr(plain, last, first - last)
                ) is not null then
                    refusal := 'negation';
                    exit;
                end if;
                last := behind;
                pieces := pieces || int4range(
                    ragraph_private.composed_place(find_quote.body, ragraph_private.unmasked_place(mask, first) - 1) + 1,
                    ragraph_private.composed_place(find_quote.body, ragraph_private.unmasked_place(mask, behind - 1)),
                    '[]'
                );
                start := place + length(marked_part);
                -- without a space between words, the end of one is the beginning of the next
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
'Returns the positions of the pieces of a quote in a text, in order, from 1 with exclusive ends; pieces are separated
by ellipses. Otherwise refusal says why: empty, short (a piece has too few words), pieces (too many), cut (within a
word), negation (an ellipsis leaves one out), absent';

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
    if not coalesce(cite_quote.min_words between 1 and 1000, false) then
        raise exception using
            errcode = 'RG005',
            message = format('min_words is %s', coalesce(cite_quote.min_words::text, 'null')),
            hint = 'Give a number of words from 1 to 1000.';
    end if;
    select n.content into body
    from ragraph.content_node as n
    where n.document_id = cite_quote.document_id and n.id = cite_quote.node_id;
    found := ragraph_private.find_quote(body, coalesce(cite_quote.quote, ''), cite_quote.min_words);
    if found.refusal = 'empty' then
        raise exception using
            errcode = 'RG005',
            message = format('the quote %L has no words', coalesce(shown, '')),
            hint = 'Give the quoted words.';
    elsif found.refusal = 'short' then
        raise exception using
            errcode = 'RG005',
            message = format('the quote %L is too short', shown),
            hint = format(
                'Quote at least %s words in a row, on each side of an ellipsis, or the complete node.', cite_quote.min_words
            );
    elsif found.refusal = 'pieces' then
        raise exception using
            errcode = 'RG005',
            message = 'the quote has too many ellipses',
            hint = 'Use fewer ellipses, or several quotes.';
    elsif found.refusal = 'cut' then
        raise exception using
            errcode = 'RG009',
            message = format(
                'node %L of document %L has %L only within a longer word or number',
                cite_quote.node_id, cite_quote.document_id, shown
            ),
            hint = 'Begin and end the quote with whole words; text joined by signs, such as 1/2, (1,200), $5, AT&T or an address, is one word.';
    elsif found.refusal = 'negation' then
        raise exception using
            errcode = 'RG009',
            message = format(
                'the quote %L leaves out a negation, which changes the meaning of node %L of document %L',
                shown, cite_quote.node_id, cite_quote.document_id
            ),
            hint = 'Quote the negation too, or give the text on each side of the ellipsis as a quote of its own.';
    elsif found.refusal is not null then
        raise exception using
            errcode = 'RG009',
            message = format(
                'node %L of document %L does not contain %L', cite_quote.node_id, cite_quote.document_id, shown
            ),
            hint = 'Quote word for word; use an ellipsis (…) for text left out within the node.';
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
    from ragraph_private.cited_nodes(array[cite_quote.document_id], array[cite_quote.node_id]) as c;
end
$$;
comment on function ragraph.cite_quote(text, text, text, integer) is
'Returns a citation of words in a node: the columns of node_citation, the words as the node has them (verbatim), and
their span in document_text(document_id), quote_start to quote_end.
White space, kinds of quotation marks and dashes, wide letters, soft hyphens, inline markdown, composed letters (NFC,
NFD), ligatures and marks of notes after words (denied¹) may differ. Nothing else may, not even capitals. An ellipsis
(…, ..., [...]) replaces text left out within the node: pieces has the span of each side, and verbatim joins them by
[…].
Refused are words that the node does not have, and ends within a word (can of can''t, profit of non-profit, 5 of 5.3,
000 of 1 000, AT of AT&T, com of an address). A number without its sign, currency, percent, parentheses or million is
refused too. In scripts without spaces only an end next to a negation (不, 没, ไม่, ない ...) is refused. Also refused are
ellipses that leave out a negation of a quoted sentence ("is … safe" of "is not safe"), and quotes without words. Pieces
need min_words words unless the node is shorter. Two characters of a script without spaces count as one word.
Raises RG001 if the document does not exist, RG003 if the node does not, RG005 for a quote that is empty, too short or
has too many ellipses, RG009 for words that the node does not have in this way';
