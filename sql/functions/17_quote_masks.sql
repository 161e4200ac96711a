-- The normalised form of nodes and quotes in which quotes are searched. Characters that do not count are masked one by
-- one, so that positions can be translated back to the stored text.

create or replace function ragraph_private.mask_markup(mask text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    masked text := mask_markup.mask;
    pattern text;
    -- an opening star is directly before its text, a closing one directly after it; 5*3 has neither
    signs constant text := E'!"#$%&''()+,./:;<=>?@[\\\\\\]^_`{|}~§©«»¡¿‐-‧…、。「」-';
    opens constant text := '(?:(?<![0-9*])[*]{%1$s}(?=[^ *%2$s])|(?<![*])[*]{%1$s}(?=[^ *0-9%2$s])'
        || E'|(?<![^ \u0001%2$s])[*]{%1$s}(?=[%2$s]))';
    closes constant text := '(?:(?<=[^ *%2$s])[*]{%1$s}(?![0-9*])|(?<=[^ *0-9%2$s])[*]{%1$s}(?![*])'
        || E'|(?<=[%2$s])[*]{%1$s}(?![^ \u0001%2$s]))';
begin
    if masked ~ E'\\\\[\\\\*`(]' then
        masked := regexp_replace(masked, E'\\\\\\\\', E'\u0001\u0004', 'g');
        masked := regexp_replace(masked, E'\\\\[*]', E'\u0001\u0003', 'g');
        masked := regexp_replace(masked, E'\\\\(?=`)|(?<=\\])\\\\(?=[(])', E'\u0001', 'g');
    end if;
    if masked ~ '`.*`' then
        masked := regexp_replace(masked, '`([^`]+)`', E'\u0001\\1\u0001', 'g');
    end if;
    if strpos(masked, '](') > 0 then
        -- a link retains its text, a picture its description
        masked := regexp_replace(
            masked, '(!?\[)([^][]*)(\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\))', E'\u0005\\1\u0006\\2\u0005\\3\u0006', 'g'
        );
        masked := (
            select string_agg(
                case
                    when p.place = 1 then p.piece
                    else repeat(E'\u0001', strpos(p.piece, E'\u0006') - 1) || substr(p.piece, strpos(p.piece, E'\u0006') + 1)
                end,
                '' order by p.place
            )
            from unnest(string_to_array(masked, E'\u0005')) with ordinality as p (piece, place)
        );
    end if;
    if masked ~ '[*].*[*]' then
        -- twice for nested emphasis; then for half of a longer run, ***a* b**
        for layer in 1..2 loop
            foreach pattern in array array[
                opens || '([^*]+)' || closes,
                '(?<=[*])[*]{%1$s}(?=[^ *])([^*]+)' || closes,
                opens || '([^*]+)(?<=[^ *])[*]{%1$s}(?=[*])'
            ] loop
                for size in reverse 3..1 loop
                    masked := regexp_replace(
                        masked,
                        format(pattern, size, signs),
                        repeat(E'\u0001', size) || '\1' || repeat(E'\u0001', size),
                        'g'
                    );
                end loop;
            end loop;
        end loop;
    end if;
    return translate(masked, E'\u0003\u0004', '*\');
end
$$;
comment on function ragraph_private.mask_markup(text) is
'Returns a text of the same length with U+0001 in place of inline markdown: pairs of stars and backticks, also within a
word, destinations of links, and backslashes before such characters';

create or replace function ragraph_private.quote_mask(body text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    spaces constant text := E'\t\n\u000b\f\r\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009'
        || E'\u200a\u2028\u2029\u202f\u205f\u3000';
    invisible constant text := E'\u0001\u0002\u0003\u0004\u0005\u0006\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c'
        || E'\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufe0e\ufe0f\ufeff';
    mask text := translate(
        quote_mask.body,
        spaces || '“”„‟«»’‘‚‛′´ʼ' || invisible,
        repeat(' ', length(spaces)) || '""""""' || repeat('''', 7) || repeat(E'\u0001', length(invisible))
    );
    unspaced text;
    between_words text;
    marks constant text := '¹²³⁰⁴-⁹';
    goes_without constant text := 'and|or|nor|to|but|as|und|oder|bis|sowie|et|ou|y|e|o|u|ed|en|of|og|och|eller|i|lub';
begin
    if mask ~ format('[%s]', marks) then
        -- The mark of a note after a word is not part of the word; one after a unit (m²) or a function (sin²) is.
        select c.between_words, c.unspaced into between_words, unspaced from ragraph_private.word_classes() as c;
        mask := regexp_replace(
            mask,
            format(
                '(?<=(?:[^%1$s%2$s%3$s0-9]{3}|[^%1$s%2$s%3$s0-9]{2}''s|[%2$s])[.,;:!?"'']{0,2}[%3$s,]*)(?<!sin|cos|tan|cot|sec|log|exp|mol|rad)'
                '(?:[%3$s]|(?<=[%3$s]),(?=[%3$s]))(?=[%3$s,]*(?:[%1$s%2$s]|$))',
                between_words, unspaced, marks
            ),
            E'\u0001',
            'g'
        );
    end if;
    if mask ~ '[*`]|\]\(' then
        mask := ragraph_private.mask_markup(mask);
    end if;
    if mask ~ '[*_]' then
        -- half of a pair of markdown emphasis whose other half is not quoted; 5 * 3 and snake_case stay
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
        -- the last of several spaces stays
        mask := regexp_replace(mask, E' (?=\u0001* )', E'\u0001', 'g');
    end if;
    if mask ~ E'[^ ][-‐]\u0001* \u0001*[^ ]' then
        -- a word that continues on the next line, not the first half of "pre- and post-war"
        select c.between_words, c.unspaced into between_words, unspaced from ragraph_private.word_classes() as c;
        mask := regexp_replace(
            mask,
            format(
                E'(?<=[^%1$s%2$s0-9][-‐]\u0001*) (?=\u0001*[^%1$s%2$s0-9])(?!\u0001*(?:%3$s)(?:[%1$s]|$))',
                between_words, unspaced, goes_without
            ),
            E'\u0001',
            'g'
        );
    end if;
    return mask;
end
$$;
comment on function ragraph_private.quote_mask(text) is
'Returns a text of the same length with one kind of space and of quotation marks, and U+0001 for characters that do not
count: repeated spaces, a space after a hyphen that divides a word at the end of a line, soft hyphens and other
invisible characters, inline markdown, and small digits that mark a note after a word';

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
'Returns the position, from 1, of the nth character of a mask that counts';

create or replace function ragraph_private.composed(body text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    form text := normalize(composed.body, nfc);
begin
    if form ~ '[ﬀ-ﬆ]' then
        form := replace(replace(replace(form, 'ﬀ', 'ff'), 'ﬁ', 'fi'), 'ﬂ', 'fl');
        form := replace(replace(replace(replace(form, 'ﬃ', 'ffi'), 'ﬄ', 'ffl'), 'ﬅ', 'st'), 'ﬆ', 'st');
    end if;
    return form;
end
$$;
comment on function ragraph_private.composed(text) is
'Returns a text with letters and their accents composed (NFC), and ligatures replaced by their letters';

create or replace function ragraph_private.composed_place(body text, place integer)
returns integer
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    wanted text;
    low integer := 0;
    high integer := length(composed_place.body);
    middle integer;
begin
    if composed_place.body is nfc normalized and composed_place.body !~ '[ﬀ-ﬆ]' then
        return composed_place.place;
    end if;
    wanted := left(ragraph_private.composed(composed_place.body), composed_place.place);
    while low < high loop
        middle := (low + high) / 2;
        if starts_with(ragraph_private.composed(left(composed_place.body, middle)), wanted) then
            high := middle;
        else
            low := middle + 1;
        end if;
    end loop;
    return low;
end
$$;
comment on function ragraph_private.composed_place(text, integer) is
'Returns how many characters of a text form the first n of its composed form';

create or replace function ragraph_private.quote_form(quote text, plain text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    mask text := ragraph_private.quote_mask(quote_form.quote);
    form text := btrim(replace(mask, E'\u0001', ''));
    other text;
begin
    if quote_form.quote !~ '[[*`]|\]\(' or strpos(quote_form.plain, form) > 0 then
        return form;
    end if;
    -- characters that look like markup may be literal
    other := btrim(replace(
        ragraph_private.quote_mask(regexp_replace(quote_form.quote, '[*`]', '\\\&', 'g')), E'\u0001', ''
    ));
    if strpos(quote_form.plain, other) > 0 then
        return other;
    end if;
    -- half of a pair may be outside the quote
    other := regexp_replace(mask, '\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)|!?\[(?=[^]]*$)', '', 'g');
    other := btrim(replace(regexp_replace(other, '(?<=[^ 0-9])[*]+|[*]+(?=[^ *0-9])|`', '', 'g'), E'\u0001', ''));
    return case when strpos(quote_form.plain, other) > 0 then other else form end;
end
$$;
comment on function ragraph_private.quote_form(text, text) is
'Returns a quote without the characters that quote_mask masks. If it does not occur in plain that way, it returns the
form that does: with literal characters of markup, or without those of half a pair';
