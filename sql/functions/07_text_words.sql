-- Words as full text search reads them, for any text: the function form of the rules in schema/words.py for the column
-- text_search.

create or replace function ragraph_private.has_uncut_words(content text)
returns boolean
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
begin
    return octet_length(has_uncut_words.content) > length(has_uncut_words.content)
        and has_uncut_words.content ~ ('[\u0E01-\u0E30\u0E32-\u0E33\u0E40-\u0E46\u0E81-\u0EB0\u0EB2-\u0EB3\u0EC0-\u0EC6\u1000-\u102A'
            || '\u103F\u1050-\u1055\u1780-\u17B3\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303C'
            || '\u3041-\u3096\u309D-\u309F\u30A1-\u30FA\u30FC-\u31BF\u31F0-\u31FF\u3400-\u4DBF\u4E00-\uA48C'
            || '\uAC00-\uD7A3\uF900-\uFAD9\U00020000-\U0003134A\u1100-\u11FF\uFF66-\uFF9F]');
end
$$;
comment on function ragraph_private.has_uncut_words(text) is
'Returns true if a text has letters of Chinese, Japanese, Korean, Thai, Lao, Burmese or Khmer, whose words the parser
cannot separate';

create or replace function ragraph_private.uncut_letters(content text)
returns integer
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    if not coalesce(ragraph_private.has_uncut_words(uncut_letters.content), false) then
        return 0;
    end if;
    return (
        select count(*) from regexp_matches(ragraph_private.cut_words(uncut_letters.content), E'\x1f(?!\x1f|$)', 'g')
    );
end
$$;
comment on function ragraph_private.uncut_letters(text) is
'Returns the approximate number of letters of unspaced scripts such as Chinese in a text';

create or replace function ragraph_private.cut_words(content text, asked boolean default false)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    letters constant text := '\u0E01-\u0E30\u0E32-\u0E33\u0E40-\u0E46\u0E81-\u0EB0\u0EB2-\u0EB3\u0EC0-\u0EC6\u1000-\u102A'
        || '\u103F\u1050-\u1055\u1780-\u17B3\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303C'
        || '\u3041-\u3096\u309D-\u309F\u30A1-\u30FA\u30FC-\u31BF\u31F0-\u31FF\u3400-\u4DBF\u4E00-\uA48C'
        || '\uAC00-\uD7A3\uF900-\uFAD9\U00020000-\U0003134A';
    marks constant text := '\u0E31\u0E34-\u0E3A\u0E47-\u0E4E\u0EB1\u0EB4-\u0EBC\u0EC8-\u0ECD\u102B-\u103E\u1056-\u1059'
        || '\u17B4-\u17D3\u302A-\u302F\u3099-\u309A';
begin
    if not ragraph_private.has_uncut_words(cut_words.content) then
        return cut_words.content;
    end if;
    -- ABC becomes AB, BC and C. U+001F separates them, so that a query reads them as one word: a phrase of pairs.
    return regexp_replace(
        regexp_replace(normalize(cut_words.content, nfkc), format('([%s%s]+)', letters, marks), E'\x1f\\1\x1f', 'g'),
        format('(?<=[%1$s%2$s])([%1$s][%2$s]*)%3$s', letters, marks, case when cut_words.asked then format('(?=[%s])', letters) else '' end),
        E'\\1\x1f\\1',
        'g'
    );
end
$$;
comment on function ragraph_private.cut_words(text, boolean) is
'Returns a text in which words that the parser cannot separate are replaced by pairs of neighbouring letters, followed
by the last letter of each run on its own. With asked the last letter is left out, so that pairs affect the rank, or a
letter that has no neighbour';

create or replace function ragraph_private.word_vector(config regconfig, content text)
returns tsvector
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    bare text;
begin
    if octet_length(word_vector.content) = length(word_vector.content) then
        return to_tsvector(word_vector.config, left(word_vector.content, 100000));
    end if;
    if ragraph_private.has_uncut_words(word_vector.content) then
        return to_tsvector(word_vector.config, ragraph_private.cut_words(left(word_vector.content, 50000)));
    end if;
    bare := regexp_replace(
        normalize(left(word_vector.content, 50000), nfd),
        '[\u0300-\u036F\u0591-\u05BD\u05BF\u05C1-\u05C2\u05C4-\u05C5\u05C7\u0640\u064B-\u065F\u0670]',
        '',
        'g'
    );
    bare := replace(replace(replace(replace(normalize(bare, nfc), 'æ', 'ae'), 'œ', 'oe'), 'Æ', 'Ae'), 'Œ', 'Oe');
    bare := translate(bare, 'łŁøØđĐı', 'lLoOdDi');
    if bare = left(word_vector.content, 100000) then -- dashes and quotes, but no accents
        return to_tsvector(word_vector.config, bare);
    end if;
    return (
        to_tsvector(word_vector.config, left(word_vector.content, 100000))::text
        || ' ' || to_tsvector(word_vector.config, bare)::text
    )::tsvector;
end
$$;
comment on function ragraph_private.word_vector(regconfig, text) is
'Returns the lexemes of a text as content_node.text_search has them: words with accents also without these, at the same
positions, and pairs of letters for scripts without spaces between words';
