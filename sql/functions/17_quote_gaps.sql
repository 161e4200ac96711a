-- The text that an ellipsis in a quote may leave out: anything except a negation in the sentences that it joins.

create or replace function ragraph_private.left_out_negation(gap text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    sentence_end constant text := '[.!?…]["''”’»)\]]*\s+(?![[:lower:]])|[。！？\n]';
    apart constant text := '\s,.;:!?"()\[\]«»“”‘‚„、，；：¿¡*_—–…-';
    -- English, German, Dutch, Scandinavian, Romance, Slavic, Finnish, Hungarian, Turkish, Greek, Arabic, Persian, Hebrew,
    -- Hindi, Indonesian, Vietnamese
    words constant text := 'not|no|none|never|nor|neither|nobody|nothing|nowhere|cannot|without|[a-z]+n[''’]t'
        || '|nicht|nichts|nie|niemals|niemand|weder|ohne|kein(?:e[mnrs]?)?|niet|geen|nooit|zonder'
        || '|inte|icke|ikke|ikkje|aldrig|aldri|ingen|inga|inget|intet|utan|uden|uten'
        || '|ne|n[''’]\S+|pas|jamais|aucune?|sans|ni|non|nunca|jamás|ningun[oa]|ningún|sin|mai|senza|nessun[oa]?'
        || '|não|nem|nenhuma?|sem|nu|niciodată|fără|не|нет|ни|ні|немає|никогда|ніколи|нельзя|без|nie|nigdy|bez|není|nikdy'
        || '|ei|eivät|eikä|nem|soha|sem|nélkül|değil|yok|hiç|δεν|δε|μην|όχι|ποτέ|χωρίς'
        || '|لا|لم|لن|ليس|ليست|غير|دون|نه|نیست|לא|אין|אינו|אינה|בלי|नहीं|न|मत|tidak|bukan|tanpa|không|chưa|chẳng';
    sentences text[] := regexp_split_to_array(left_out_negation.gap, sentence_end);
    sentence text;
    said text;
begin
    foreach sentence in array array[sentences[1], sentences[cardinality(sentences)]] loop
        said := coalesce(
            substring(sentence from format('(?i)(?<![^%s])(?:%s)(?![^%s])', apart, words, apart)),
            -- in scripts without spaces, and in Korean, as a part of longer words
            substring(sentence from '[不没沒未无無勿]|[并並绝絕决決]非|ไม่|な(?:い|かっ|く|けれ)|ません|ず(?![っつ])|ぬ|않|없|아니|못')
        );
        if said is not null then
            return said;
        end if;
    end loop;
    return null;
end
$$;
comment on function ragraph_private.left_out_negation(text) is
'Returns the negation that is lost if this text is left out between two pieces of a quote; null if there is none. It
looks at the sentence that the piece before begins and at the sentence that the piece after ends, for negating words of
some thirty languages';
