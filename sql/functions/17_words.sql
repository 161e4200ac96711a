-- Words in any script. The character classes of the server know at most the letters of its own locale, so they are
-- written out here: punctuation, symbols and white space of Unicode 14 (unassigned code points are treated like their
-- neighbours), and letters of scripts that put no space between words.

create or replace function ragraph_private.word_classes(out between_words text, out unspaced text, out marks text)
returns record
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
begin
    between_words :=
        '\u0001-\u002F\u003A-\u0040\u005B-\u0060\u007B-\u00A9\u00AB-\u00B1\u00B4\u00B6-\u00B8\u00BB\u00BF'
        || '\u00D7\u00F7\u02C2-\u02C5\u02D2-\u02DF\u02E5-\u02EB\u02ED\u02EF-\u02FF\u0375\u037E\u0384-\u0385'
        || '\u0387\u03F6\u0482\u055A-\u055F\u0589-\u058F\u05BE\u05C0\u05C3\u05C6\u05F3-\u060F\u061B-\u061F'
        || '\u066A-\u066D\u06D4\u06DD-\u06DE\u06E9\u06FD-\u06FE\u0700-\u070F\u07F6-\u07F9\u07FE-\u07FF'
        || '\u0830-\u083E\u085E\u0888\u0890-\u0891\u08E2\u0964-\u0965\u0970\u09F2-\u09F3\u09FA-\u09FB\u09FD'
        || '\u0A76\u0AF0-\u0AF1\u0B70\u0BF3-\u0BFA\u0C77\u0C7F\u0C84\u0D4F\u0D79\u0DF4\u0E3F\u0E4F\u0E5A-\u0E5B'
        || '\u0F01-\u0F17\u0F1A-\u0F1F\u0F34\u0F36\u0F38\u0F3A-\u0F3D\u0F85\u0FBE-\u0FC5\u0FC7-\u0FDA'
        || '\u104A-\u104F\u109E-\u109F\u10FB\u1360-\u1368\u1390-\u1399\u1400\u166D-\u166E\u1680\u169B-\u169C'
        || '\u16EB-\u16ED\u1735-\u1736\u17D4-\u17D6\u17D8-\u17DB\u1800-\u180A\u180E\u1940-\u1945\u19DE-\u19FF'
        || '\u1A1E-\u1A1F\u1AA0-\u1AA6\u1AA8-\u1AAD\u1B5A-\u1B6A\u1B74-\u1B7E\u1BFC-\u1BFF\u1C3B-\u1C3F'
        || '\u1C7E-\u1C7F\u1CC0-\u1CC7\u1CD3\u1FBD\u1FBF-\u1FC1\u1FCD-\u1FCF\u1FDD-\u1FDF\u1FED-\u1FEF'
        || '\u1FFD-\u206F\u207A-\u207E\u208A-\u208E\u20A0-\u20C0\u2100-\u2101\u2103-\u2106\u2108-\u2109\u2114'
        || '\u2116-\u2118\u211E-\u2123\u2125\u2127\u2129\u212E\u213A-\u213B\u2140-\u2144\u214A-\u214D\u214F'
        || '\u218A-\u244A\u249C-\u24E9\u2500-\u2775\u2794-\u2BFF\u2CE5-\u2CEA\u2CF9-\u2CFC\u2CFE-\u2CFF\u2D70'
        || '\u2E00-\u2E2E\u2E30-\u3004\u3008-\u3020\u3030\u3036-\u3037\u303D-\u303F\u309B-\u309C\u30A0\u30FB'
        || '\u3190-\u3191\u3196-\u319F\u31C0-\u31E3\u3200-\u321E\u322A-\u3247\u3250\u3260-\u327F\u328A-\u32B0'
        || '\u32C0-\u33FF\u4DC0-\u4DFF\uA490-\uA4C6\uA4FE-\uA4FF\uA60D-\uA60F\uA673\uA67E\uA6F2-\uA716'
        || '\uA720-\uA721\uA789-\uA78A\uA828-\uA82B\uA836-\uA839\uA874-\uA877\uA8CE-\uA8CF\uA8F8-\uA8FA\uA8FC'
        || '\uA92E-\uA92F\uA95F\uA9C1-\uA9CD\uA9DE-\uA9DF\uAA5C-\uAA5F\uAA77-\uAA79\uAADE-\uAADF\uAAF0-\uAAF1'
        || '\uAB5B\uAB6A-\uAB6B\uABEB\uE000-\uF8FF\uFB29\uFBB2-\uFBC2\uFD3E-\uFD4F\uFDCF\uFDFC-\uFDFF'
        || '\uFE10-\uFE19\uFE30-\uFE6B\uFEFF-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65\uFFE0-\uFFFD'
        || '\U00010100-\U00010102\U00010137-\U0001013F\U00010179-\U00010189\U0001018C-\U000101FC\U0001039F'
        || '\U000103D0\U0001056F\U00010857\U00010877-\U00010878\U0001091F\U0001093F\U00010A50-\U00010A58'
        || '\U00010A7F\U00010AC8\U00010AF0-\U00010AF6\U00010B39-\U00010B3F\U00010B99-\U00010B9C\U00010EAD'
        || '\U00010F55-\U00010F59\U00010F86-\U00010F89\U00011047-\U0001104D\U000110BB-\U000110C1\U000110CD'
        || '\U00011140-\U00011143\U00011174-\U00011175\U000111C5-\U000111C8\U000111CD\U000111DB'
        || '\U000111DD-\U000111DF\U00011238-\U0001123D\U000112A9\U0001144B-\U0001144F\U0001145A-\U0001145D'
        || '\U000114C6\U000115C1-\U000115D7\U00011641-\U00011643\U00011660-\U0001166C\U000116B9'
        || '\U0001173C-\U0001173F\U0001183B\U00011944-\U00011946\U000119E2\U00011A3F-\U00011A46'
        || '\U00011A9A-\U00011A9C\U00011A9E-\U00011AA2\U00011C41-\U00011C45\U00011C70-\U00011C71'
        || '\U00011EF7-\U00011EF8\U00011FD5-\U00011FFF\U00012470-\U00012474\U00012FF1-\U00012FF2'
        || '\U00013430-\U00013438\U00016A6E-\U00016A6F\U00016AF5\U00016B37-\U00016B3F\U00016B44-\U00016B45'
        || '\U00016E97-\U00016E9A\U00016FE2\U0001BC9C\U0001BC9F-\U0001BCA3\U0001CF50-\U0001D164'
        || '\U0001D16A-\U0001D16C\U0001D173-\U0001D17A\U0001D183-\U0001D184\U0001D18C-\U0001D1A9'
        || '\U0001D1AE-\U0001D241\U0001D245\U0001D300-\U0001D356\U0001D6C1\U0001D6DB\U0001D6FB\U0001D715'
        || '\U0001D735\U0001D74F\U0001D76F\U0001D789\U0001D7A9\U0001D7C3\U0001D800-\U0001D9FF'
        || '\U0001DA37-\U0001DA3A\U0001DA6D-\U0001DA74\U0001DA76-\U0001DA83\U0001DA85-\U0001DA8B\U0001E14F'
        || '\U0001E2FF\U0001E95E-\U0001E95F\U0001ECAC\U0001ECB0\U0001ED2E\U0001EEF0-\U0001F0F5'
        || '\U0001F10D-\U0001FBCA\U000E0001-\U000E007F\U000F0000-\U0010FFFD';
    unspaced :=
        '\u0E01-\u0E30\u0E32-\u0E33\u0E40-\u0E46\u0E50-\u0E59\u0E81-\u0EB0\u0EB2-\u0EB3\u0EBD-\u0EC6'
        || '\u0ED0-\u0F00\u0F20-\u0F33\u0F40-\u0F6C\u0F88-\u0F8C\u1000-\u102A\u103F-\u1049\u1050-\u1055'
        || '\u105A-\u105D\u1061\u1065-\u1066\u106E-\u1070\u1075-\u1081\u108E\u1090-\u1099\u1780-\u17B3\u17D7'
        || '\u17DC\u17E0-\u17F9\u1950-\u19DA\u1A20-\u1A54\u1A80-\u1A99\u1AA7\u1B05-\u1B33\u1B45-\u1B59'
        || '\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303C\u3041-\u3096\u309D-\u309F\u30A1-\u30FA'
        || '\u30FC-\u312F\u31A0-\u31BF\u31F0-\u31FF\u3400-\u4DBF\u4E00-\uA48C\uA984-\uA9B2\uA9CF-\uA9D9'
        || '\uA9E0-\uA9E4\uA9E6-\uA9FE\uAA60-\uAA76\uAA7A\uAA7E-\uAAAF\uAAB1\uAAB5-\uAAB6\uAAB9-\uAABD\uAAC0'
        || '\uAAC2-\uAADD\uF900-\uFAD9\uFF66-\uFF9F\U00016FE0-\U00016FE1\U00016FE3\U00017000-\U0001B2FB'
        || '\U00020000-\U0003134A';
    marks :=
        '\u0300-\u036F\u0E31\u0E34-\u0E3A\u0E47-\u0E4E\u0EB1\u0EB4-\u0EBC\u0EC8-\u0ECD\u0F18-\u0F19\u0F35'
        || '\u0F37\u0F39\u0F3E-\u0F3F\u0F71-\u0F84\u0F86-\u0F87\u0F8D-\u0FBC\u0FC6\u102B-\u103E\u1056-\u1059'
        || '\u105E-\u1060\u1062-\u1064\u1067-\u106D\u1071-\u1074\u1082-\u108D\u108F\u109A-\u109D\u17B4-\u17D3'
        || '\u17DD\u1A55-\u1A7F\u1B00-\u1B04\u1B34-\u1B44\u1B6B-\u1B73\u302A-\u302F\u3099-\u309A\uA980-\uA983'
        || '\uA9B3-\uA9C0\uA9E5\uAA7B-\uAA7D\uAAB0\uAAB2-\uAAB4\uAAB7-\uAAB8\uAABE-\uAABF\uAAC1'
        || '\U00016FE4-\U00016FF1';
end
$$;
comment on function ragraph_private.word_classes() is
'Returns characters for bracket expressions: those between words; letters and digits of scripts without spaces
(Chinese, Japanese, Thai, Lao, Khmer, Burmese, Tibetan ...); and marks that combine with the letter before, in those
scripts';

create or replace function ragraph_private.mark_words(form text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    class record;
    pattern text;
begin
    select * into class from ragraph_private.word_classes();
    pattern := format('([%s][%s]*|[^%s%s]+)', class.unspaced, class.marks, class.between_words, class.unspaced);
    return replace(
        regexp_replace(mark_words.form, pattern, E'\u0002\\1\u0002', 'g'), E'\u0002\u0002', E'\u0002'
    );
end
$$;
comment on function ragraph_private.mark_words(text) is
'Returns a text with U+0002 wherever a word begins or ends; in scripts without spaces each character is a word';

create or replace function ragraph_private.count_words(form text)
returns integer
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    class record;
begin
    select * into class from ragraph_private.word_classes();
    return
        -- it's, co-op and 5.3 are one word each
        regexp_count(translate(count_words.form, '''’.,_-‐‑', ''), format('[^%s%s]+', class.between_words, class.unspaced))
        + (regexp_count(count_words.form, format('[%s]', class.unspaced)) + 1) / 2;
end
$$;
comment on function ragraph_private.count_words(text) is
'Returns the number of words of a text; in scripts without spaces two characters count as one word';

create or replace function ragraph_private.is_within_word(before_cut text, after_cut text)
returns boolean
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    class record;
    -- ¦ marks the cut in the surrounding text
    around text := right(is_within_word.before_cut, 200) || E'\u0003' || left(is_within_word.after_cut, 200);
    reach text;
    number constant text := '[.,]?[0-9]+(?:[.,''٫٬][0-9]+| [0-9]{3}(?![0-9]))*';
    -- words that multiply the number before them, and words for percent
    scales constant text := 'hundred|thousand|[MmBb]illions?|[Tt]rillions?|bn|mn|percent|per cent|[Tt]ausend|Mio|Mrd'
        || '|Million(?:en)?|Milliarden?|Prozent|mille|milliards?|pour cent|mil|mill[oó]n(?:es)?|por ciento|milion[ei]'
        || '|miliard[oi]|per cento|milh(?:ão|ões)|bilh(?:ão|ões)|por cento|тыс|млн|млрд|миллион[а-я]*|миллиард[а-я]*';
begin
    -- A few letters represent all others: 字 those of scripts without spaces, ß lower-case and Ä other letters beyond
    -- ASCII. Without spaces between words, text after a negation means the opposite without it.
    if is_within_word.before_cut ~ (
        '(?:[不没沒未无無勿][有曾是能会會可得应應该該要许許准法]?|[并並绝絕决決]非|ไม่(?:ได้|ใช่|มี|ควร|เคย|สามารถ)?)$'
    ) then
        select * into class from ragraph_private.word_classes();
        if is_within_word.after_cut ~ format('^[%s]', class.unspaced) then
            return true;
        end if;
    end if;
    -- in Japanese the negation comes after: 認め¦ない, 認め¦られなかった, 有罪¦ではありません
    if is_within_word.before_cut ~ '[ぁ-ヿ㐀-䶿一-鿿々ー]$' and is_within_word.after_cut ~ (
        '^(?:では|じゃ|でき|出来|られ|され|させ|[しれせけげてねべめわかさたなまらがば])?'
        || '(?:あり)?(?:な(?:い|かっ|く|けれ)|ません|ず(?![っつ])|ぬ)'
    ) then
        return true;
    end if;
    -- 5¦ million, 5¦ ½, 3¦億, 二¦十
    if is_within_word.before_cut || E'\u0003' || is_within_word.after_cut ~ (
        E'[0-9](?:\u0003 | \u0003)(?:[¼½¾⅐-⅞]|(?:' || scales || ')(?![[:alpha:]]))'
        || E'|[0-9０-９]\u0003[十百千万萬億亿兆]|[十百千万萬億亿兆]\u0003[0-9０-９]'
        || E'|[一二三四五六七八九十百千万萬億亿兆〇零两兩]\u0003[一二三四五六七八九十百千万萬億亿兆〇零]'
    ) then
        return true;
    end if;
    around := translate(
        around, '‒−⁄∕．，＇`´≦⩽≧⩾∼₹₽₩₺¢￥￡￦＄־－＋％（）／：＜＞～', '––//.,''''''≤≤≥≥~€€€€€€€€$--+%()/:<>~'
    );
    -- the mark of a note after a word or a sentence is not part of either
    around := regexp_replace(around, E'([^0-9[:space:]])\u0003[¹²³⁰⁴-⁹]+', E'\\1\u0003 ');
    around := translate(replace(around, '¦', '|'), E'\u0003٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९０１２３４５６７８９', '¦0123456789012345678901234567890123456789');
    if around ~ E'[^\u0001-\u007F¦]' then
        select * into class from ragraph_private.word_classes();
        around := regexp_replace(around, format('[%s][%s]*', class.unspaced, class.marks), '字', 'g');
        around := regexp_replace(around, E'(?![\u0001-\u007F])[[:lower:]]', 'ß', 'g');
        around := regexp_replace(around, format('[^\u0001-\u007F%s字ß]', class.between_words), 'Ä', 'g');
    end if;
    if around ~ (
        -- can¦'t, non¦-profit, snake¦_case; can'¦t
        '[A-Za-z0-9ßÄ字]¦[''‐‑–_-][A-Za-z0-9ßÄ字]|[A-Za-z0-9ßÄ字][‐‑–_-]¦[A-Za-z0-9ßÄ字]'
        || '|[A-Za-z0-9ßÄ字]''¦[A-Za-z0-9ßÄ字]{1,2}(?![A-Za-z0-9ßÄ字])'
        -- aujourd'¦hui, O'¦Brien, Y'¦all, комп'¦ютер, but l'¦État, qu'¦elle, dell'¦arte
        || '|(?<!(?<![A-Za-zßÄ])([ldjmtsncLDJMTSNC]|[Uu]n|[A-Za-z]{0,6}[Qq]u|[A-Za-z]{1,4}ll))(?<=[A-Za-z0-9ßÄ字])''¦[A-Za-z0-9ßÄ字]'
        -- (un)¦safe, un¦(safe), "un"¦safe, but shown¦[12]
        || '|[A-Za-z0-9ßÄ](?:¦[([]|[([]¦)[A-Za-zßÄ]|[A-Za-z0-9ßÄ](?:¦[])]|[])]¦)[A-Za-zßÄ]|[A-Za-zßÄ]["”»]¦[a-zß]'
        -- AT¦&T, user¦@example, C:¦\temp, col·¦legi
        || '|[A-Za-z0-9ßÄ字](?:¦[&@\\·‧״׳]|[&@\\·‧״׳]¦)[A-Za-z0-9ßÄ字]|@¦[A-Za-z0-9ßÄ字]'
        -- 5¦.3, 1,¦000, 10¦:30, 1/¦2, 5¦–10, 1 ¦000 000
        || '|[0-9](?:¦[.,:''٫٬/–—×÷*^+]|[.,:''٫٬/–—×÷*^+]¦)[0-9]|[0-9]¦\^|\^[–-]¦[0-9]'
        || '|(?<![0-9.,:/])[0-9]{1,3}(?: [0-9]{3})*(?:¦ | ¦)[0-9]{3}(?![0-9])'
        -- -¦5, +¦5, <¦5, < ¦5, $¦5, US¦$5, $ ¦5, .¦5, 5¦%, 5¦ %, 5¦ €, 5°¦C, 10¦⁻³
        || '|(?<![]A-Za-z0-9ßÄ字)])[–‐‑+-]¦[$€£¥]?[.,]?[0-9]|(?:[<>≤≥±~≈] ?|[$€£¥])¦[.,]?[0-9]|[<>]=¦[.,]?[0-9]'
        || '|(?:[$]|(?<![0-9])(?<![0-9] )[€£¥]) ¦[.,]?[0-9]|(?<![A-Za-z0-9ßÄ字])[A-Z]{1,3}¦[$€£¥][.,]?[0-9]'
        || '|(?:^|[ (–‐‑-])[.,]¦[0-9]|[0-9)]¦ ?[%％‰]|[0-9)]¦(?:[°$€£¥]| °| [$€£¥](?! ?[(0-9]))|[0-9][°]¦[A-Za-z]'
        || '|[A-Za-z0-9ßÄ字](?:¦[⁺⁻₊₋]|[⁺⁻₊₋]¦[A-Za-z0-9ßÄ])'
        -- (¦1,200), (1,200¦), $¦(1,200): a negative number as accounts print it, if the parentheses contain nothing
        -- else
        || '|(?:[$€£¥] ?)?[(] ?(?:¦[$€£¥]? ?|[$€£¥] ?¦)' || number || ' ?[%‰]? ?[)]'
        || '|[(] ?[$€£¥]? ?' || number || '(?:¦ ?[%‰]?| ?[%‰]¦) ?[)]|[$€£¥] ?¦[(] ?' || number || ' ?[%‰]? ?[)]'
        -- 5 ¦1/2
        || '|(?<![0-9.,/])[0-9]{1,3}(?:¦ | ¦)[0-9]{1,2}/[0-9]{1,2}(?![0-9/])'
        -- U.¦S.A, M¦.A, v¦.2, example¦.com, but end.¦Next
        || '|(?<![A-Za-z0-9ßÄ])[A-Za-zßÄ](?:¦[.]|[.]¦)[A-Za-z0-9ßÄ]|[A-Za-z0-9ßÄ](?:¦[.]|[.]¦)[A-Za-zßÄ](?![A-Za-z0-9ßÄ])'
        || '|[A-Za-z0-9ßÄ](?:¦[.]|[.]¦)[a-zß]'
        -- w/¦o, km¦/h, 3/¦b, a¦+b, but either/¦or
        || '|(?<![A-Za-z0-9ßÄ])[A-Za-z0-9ßÄ](?:¦[/*+^]|[/*+^]¦)[A-Za-z0-9ßÄ]'
        || '|[A-Za-z0-9ßÄ](?:¦[/*+^]|[/*+^]¦)[A-Za-z0-9ßÄ](?![A-Za-z0-9ßÄ])'
        || '|[0-9](?:¦/|/¦)[A-Za-zßÄ]|[A-Za-zßÄ](?:¦/|/¦)[0-9]'
        -- 3.5 mg¦/kg, 5 €¦/kg
        || '|[0-9] ?(?:[A-Za-zßÄ]{1,4}|[$€£¥%])(?:¦/|/¦)[A-Za-zßÄ]'
        -- C¦++, C+¦+, C¦#
        || '|[A-Za-z0-9ßÄ]¦[+#](?![A-Za-z0-9ßÄ]{2})|[+#]¦[+#]'
    ) then
        return true;
    end if;
    -- within an address; punctuation after it that ends a sentence is not part of it
    reach := substring(around from '[A-Za-z0-9._~:/?#@!$&*+,;=%-]*¦[A-Za-z0-9._~:/?#@!$&*+,;=%-]*');
    return reach ~ '[A-Za-z0-9].*¦.*[A-Za-z0-9]'
        and replace(reach, '¦', '') ~ '[A-Za-z]://|[A-Za-z0-9]@[A-Za-z0-9]|^www[.]|[a-z0-9-][.][a-z]{2,}/'
        and reach !~ '¦([A-Za-z]+://|www[.])';
end
$$;
comment on function ragraph_private.is_within_word(text, text) is
'Returns true if signs join the text before and after a cut, so that it would mean something else when cut there
(can''t, non-profit, -5.3, 1/2, 1 000 000, AT&T, C++, U.S.A., addresses). It does not look at letters on both sides of
the cut.
Words of several letters joined by a slash may be separated; a word may begin after an elided article, and a sentence
after a full stop without a space. Not to be separated are units with a slash (3.5 mg/kg), and a number from its sign,
currency, percent, the word that multiplies it (5 million) and parentheses that contain nothing else: (1,200) is
negative. In scripts without spaces a negation is joined to the text after it (不, 没有, 不能, ไม่), in Japanese to the text
before it (ない, ません)';
