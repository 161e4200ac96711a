-- Sentences of nodes are made when the text is written, because a context of the best 200 nodes needs some thousand.

create or replace function ragraph_private.sentence_stamp(config regconfig, content text)
returns bigint
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    -- to be raised when passages, word_vector or kept_sentences return something else
    version constant bigint := 1;
begin
    return hashtextextended(sentence_stamp.content, sentence_stamp.config::oid::bigint + (version << 32));
end
$$;
comment on function ragraph_private.sentence_stamp(regconfig, text) is
'Returns a hash of a text and its configuration. Sentences with another one were made of another text, or by an earlier
version';

create or replace function ragraph_private.letters_hash(passage text)
returns bigint
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    -- spaces first, because the pattern takes long for each place that it finds
    letters constant text := regexp_replace(replace(lower(letters_hash.passage), ' ', ''), '[^[:alnum:]]+', '', 'g');
begin
    -- a short sentence such as "They rose in every year of it" may differ in meaning under two headings
    return case when length(letters) >= 40 then hashtextextended(letters, 0) end;
end
$$;
comment on function ragraph_private.letters_hash(text) is
'Returns a hash of the letters and digits of a sentence, which is the same for the same words; null for fewer than 40';

create or replace function ragraph_private.kept_sentences(
    config regconfig,
    content text,
    text_search tsvector,
    out starts integer[],
    out ends integer[],
    out firsts integer[],
    out lengths integer[],
    out letters bigint[]
)
returns record
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_variable
declare
    -- the last position that a tsvector distinguishes from later ones; it keeps 255 of a lexeme, which a sentence and
    -- its title must not reach together
    last_position constant integer := 16382;
    most_positions constant integer := 127;
    words tsvector[];
    places integer[]; -- positions of all words of the node
    total integer := 0;
    said record;
begin
    select
        array_agg(p.char_start order by p.char_start),
        array_agg(p.char_end order by p.char_start),
        array_agg(ragraph_private.word_vector(kept_sentences.config, p.passage) order by p.char_start),
        array_agg(ragraph_private.letters_hash(p.passage) order by p.char_start)
    into starts, ends, words, letters
    from ragraph_private.passages(kept_sentences.content, 60) as p; -- 60 as focus_hits
    places := array(
        select p.place
        from unnest(kept_sentences.text_search) as w
        cross join lateral unnest(w.positions) as p (place)
        order by p.place
    );
    if starts is null or places[cardinality(places)] >= last_position then
        starts := null;
        return;
    end if;
    select
        array_agg(s.length order by s.place) as lengths,
        max(s.most) as most,
        sum(s.hash) as hash
    into said
    from (
        select
            v.place, coalesce(sum(cardinality(w.positions)), 0)::integer as length, max(cardinality(w.positions)) as most,
            sum(hashtextextended(w.lexeme, v.place) * cardinality(w.positions)::numeric) as hash
        from unnest(words) with ordinality as v (vector, place)
        left join lateral unnest(v.vector) as w on true
        group by v.place
    ) as s;
    lengths := said.lengths;
    firsts := '{}';
    for place in 1..cardinality(starts) loop
        -- each sentence has the words after the last one of the sentence before
        firsts := firsts || coalesce(places[total], 0) + 1;
        total := total + lengths[place];
    end loop;
    -- the words of a sentence have to be those of the node at its positions, in the same numbers
    if said.most > most_positions or said.hash is distinct from (
        select sum(hashtextextended(w.lexeme, width_bucket(p.place::integer, firsts)))
        from unnest(kept_sentences.text_search) as w
        cross join lateral unnest(w.positions) as p (place)
    ) then
        starts := null;
    end if;
end
$$;
comment on function ragraph_private.kept_sentences(regconfig, text, tsvector) is
'Returns the sentences of a text in the form of node_sentences: bounds, and which words of the node each has. starts is
null if a text has none, or if a sentence read alone has other words than within the text';

create or replace function ragraph_private.keep_sentences(document_id text)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
begin
    delete from ragraph.node_sentences as s
    where s.document_id = keep_sentences.document_id
        and not exists (
            select 1
            from ragraph.content_node as n
            where n.document_id = keep_sentences.document_id
                and s.node_id = n.id
                and s.collection = n.collection
                and s.stamp = ragraph_private.sentence_stamp(n.ts_config, n.content)
        );
    insert into ragraph.node_sentences as s
    (document_id, node_id, stamp, starts, ends, firsts, lengths, letters, collection)
    select
        n.document_id, n.id, ragraph_private.sentence_stamp(n.ts_config, n.content), k.starts, k.ends, k.firsts, k.lengths,
        k.letters, n.collection
    from ragraph.content_node as n
    cross join lateral ragraph_private.kept_sentences(n.ts_config, n.content, n.text_search) as k
    where n.document_id = keep_sentences.document_id
        -- contexts have none of these unless they ask for their type; tables are read by row
        and n.content_node_type not in (
            'PAGE_NUMBER', 'HEADING', 'SUBHEADING', 'TITLE', 'SUBTITLE', 'AUTHOR', 'BIBLIOGRAPHIC_ENTRY', 'TABLE'
        )
        and n.content <> ''
        and k.starts is not null
        and not exists (
            select 1
            from ragraph.node_sentences as o
            where o.document_id = keep_sentences.document_id and o.node_id = n.id
        );
end
$$;
comment on function ragraph_private.keep_sentences(text) is
'Makes node_sentences of a document: deletes those of nodes that are gone or have other text, and adds those that are
missing';

create or replace function ragraph_private.sentences_of(document_ids text[], node_ids text[])
returns setof ragraph.node_sentences
language plpgsql
stable
parallel safe
rows 200
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    only_document constant text := ragraph_private.only_one(sentences_of.document_ids);
begin
    if cardinality(sentences_of.document_ids) > 0 then
        return query
        select s.*
        from unnest(sentences_of.document_ids, sentences_of.node_ids) as w (document_id, node_id)
        inner join ragraph.node_sentences as s on w.document_id = s.document_id and w.node_id = s.node_id
        where only_document is null or s.document_id = only_document;
    end if;
end
$$;
comment on function ragraph_private.sentences_of(text[], text[]) is
'Returns node_sentences by different pairs of document and node, unsorted; those that are not kept are left out';
