-- Helpers of expand_hits: reading hits from JSON, sentences, tokens, the sections above a node.

create or replace function ragraph_private.ancestors(document_ids text[], component_ids text[])
returns setof ragraph_private.ancestor
language plpgsql
stable
parallel safe
rows 100
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    documents text[];
    starts text[];
    level text[];
    found record;
    only_document constant text := ragraph_private.only_one(ancestors.document_ids);
begin
    select array_agg(w.document_id), array_agg(w.component_id), array_agg(w.component_id)
    into documents, starts, level
    from (
        select distinct u.document_id, u.component_id
        from unnest(ancestors.document_ids, ancestors.component_ids) as u (document_id, component_id)
        where u.component_id is not null
    ) as w;
    -- one level at a time: a recursive query over several documents could not be routed to their shards
    while level is not null loop
        select
            array_agg(c.document_id) as documents,
            array_agg(w.start) as starts,
            array_agg(c.id) as ids,
            array_agg(c.component_type) as types,
            array_agg(c.title) as titles,
            array_agg(c.depth) as depths,
            array_agg(c.first_sequence) as firsts,
            array_agg(c.last_sequence) as lasts,
            array_agg(c.parent_component_id) as parents
        into found
        from unnest(documents, starts, level) as w (document_id, start, id)
        inner join ragraph.document_component as c on w.document_id = c.document_id and w.id = c.id
        where only_document is null or c.document_id = only_document;
        return query
        select f.*
        from unnest(
            found.documents, found.starts, found.ids, found.types, found.titles, found.depths, found.firsts, found.lasts
        ) as f;
        select array_agg(f.document_id), array_agg(f.start), array_agg(f.parent)
        into documents, starts, level
        from unnest(found.documents, found.starts, found.parents) as f (document_id, start, parent)
        where f.parent is not null;
    end loop;
end
$$;
comment on function ragraph_private.ancestors(text[], text[]) is
'Returns, for each distinct pair of document and component, the components above it, itself included, unsorted';

create or replace function ragraph_private.sentences(content text)
returns table (char_start integer, char_end integer)
language plpgsql
immutable
parallel safe
rows 10
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    -- A sentence ends at a full stop and the closing marks after it. It does not end there if a word of one or two
    -- letters or a known abbreviation comes before it (J. Smith, et al., Fig. 3, vgl.), or a lower-case letter follows.
    -- A line is a sentence too: a row of a table, a verse. Scripts without spaces need no space after a full stop.
    stop constant text := '([.!?…؟۔।]["''”’»“)\]]*\s+(?=[^[:lower:][:space:]])|[。！？｡]["''”’」』）〉》】]*|\n+)';
    -- Looked for only before a full stop that may be an end: in the complete text it takes four times as long.
    abbreviated constant text := '\m([[:alpha:]]{1,2}|[Ff]igs?|[Ee]qs?|Prof|vol|[Aa]bb|bzw|[Vv]gl|bspw|evtl|inkl|Hrsg|Mio|Mrd|[Cc]fr|dott'
        || '|[Nn]úm|Sra|Dra|[Bb]ijv|[Aa]fb|[Rr]ys|[Рр]ис|[Тт]абл|млн|млрд|напр)$';
    before_number constant text := '\m([Aa]rt|[Cc]ap|[Cc]hap|[Tt]ab|[Kk]ap|[Aa]bs|[Zz]iff|[Ss]tr|[Pp][áa]g|[Ss]ez|[Rr]ozdz|[Гг]л|[Сс]тр|[Рр]азд)$';
    months constant text := '^(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Jahrhundert)\M';
    -- longer than each abbreviation
    longest constant integer := 8;
    shown constant text := case
        when strpos(sentences.content, E'\x01') + strpos(sentences.content, E'\x02') = 0 then sentences.content
        else translate(sentences.content, E'\x01\x02', E' \x03')
    end;
    piece text; -- text, U+0002, and the end of it
    plain text;
    cut integer;
    word text; -- the last letters before a full stop that may be an end; null if the end is certain
    stopped text; -- this full stop and what follows it up to the next word
    place integer := 0;
begin
    foreach piece in array string_to_array(regexp_replace(shown, stop, E'\x02\\1\x01', 'g'), E'\x01')
    loop
        if word is null or not (
            word ~ abbreviated
            or strpos('0123456789', left(piece, 1)) > 0 and word ~ before_number
            or strpos('0123456789', right(word, 1)) > 0 and word ~ '[^0-9][0-9]{1,2}$' and rtrim(stopped, ' ') = '.' and piece ~ months
        ) then
            if char_end > char_start then
                return next;
            end if;
            char_start := null;
        end if;
        cut := strpos(piece, E'\x02');
        plain := case when cut = 0 then piece else replace(piece, E'\x02', '') end;
        char_start := coalesce(char_start, place + length(plain) - length(ltrim(plain, E' \t\r\n')));
        char_end := place + length(rtrim(plain, E' \t\r\n'));
        word := null;
        if cut > 0 then
            stopped := substr(piece, cut + 1);
            if strpos('.!?…؟۔।', left(stopped, 1)) > 0 and strpos(stopped, E'\n') = 0 then
                word := right(case when place > 0 then ' ' else '' end || left(piece, cut - 1), longest);
            end if;
        end if;
        place := place + length(plain);
    end loop;
    if char_end > char_start then
        return next;
    end if;
end
$$;
comment on function ragraph_private.sentences(text) is
'Returns the start and end of each sentence of a text, in characters from 0 and in order, without the white space
between sentences';

create or replace function ragraph_private.estimate_tokens(content text)
returns integer
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
begin
    return regexp_count(estimate_tokens.content, '[a-zA-Z]{1,4}|[0-9]{1,2}|[^a-zA-Z0-9\s]');
end
$$;
comment on function ragraph_private.estimate_tokens(text) is
'Returns an estimate of the number of tokens of a text that was not tokenized, rather too high: one for four letters of
a Latin word or two digits, and one for every other character, for example a Chinese letter';

create or replace function ragraph_private.fitting(
    document_id text, node_id text, from_char integer, to_char integer, tokens integer, room integer
)
returns integer
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    content text;
    limit_char integer;
    cut integer;
begin
    select n.content into content
    from ragraph.content_node as n
    where n.document_id = fitting.document_id and n.id = fitting.node_id;
    limit_char := least(
        fitting.from_char + floor(greatest(fitting.room, 0)::numeric * length(content) / greatest(fitting.tokens, 1)),
        fitting.to_char
    );
    select max(s.char_end) into cut
    from ragraph_private.sentences(content) as s
    where s.char_end > fitting.from_char and s.char_end <= limit_char;
    if cut is null then
        -- not even one sentence fits: cut at the last space, or within a word that is longer than the limit
        cut := fitting.from_char + coalesce(
            length(substring(substr(content, fitting.from_char + 1, limit_char - fitting.from_char + 1) from '^(.*\S)\s')),
            limit_char - fitting.from_char
        );
    end if;
    return cut;
end
$$;
comment on function ragraph_private.fitting(text, text, integer, integer, integer, integer) is
'Returns the place at which to cut the content of a node, read from from_char, so that it takes at most room tokens:
after a sentence if one fits, else after a word';

create or replace function ragraph_private.first_missing(document_ids text[], node_ids text[])
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    there bigint[]; -- places of the pairs that exist
    missing record;
    only_document constant text := ragraph_private.only_one(first_missing.document_ids);
begin
    -- no outer join: a cluster cannot make one with a table under a policy
    there := array(
        select w.place
        from unnest(first_missing.document_ids, first_missing.node_ids) with ordinality as w (document_id, node_id, place)
        inner join ragraph.content_node as n on w.document_id = n.document_id and w.node_id = n.id
        where only_document is null or n.document_id = only_document
    );
    select w.document_id, w.node_id into missing
    from unnest(first_missing.document_ids, first_missing.node_ids) with ordinality as w (document_id, node_id, place)
    where w.place <> all(there)
    order by w.place
    limit 1;
    if found then
        perform ragraph_private.require_node(missing.document_id, missing.node_id);
    end if;
end
$$;
comment on function ragraph_private.first_missing(text[], text[]) is
'Raises RG001 or RG003 for the first pair of document and node that does not exist';

create or replace function ragraph_private.hits(hits jsonb)
returns ragraph_private.hit[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    wrong jsonb;
    found_hits ragraph_private.hit[];
    document_ids text[];
    node_ids text[];
    only_document text;
    there bigint; -- number of hits whose nodes exist
begin
    if hits.hits is null or jsonb_typeof(hits.hits) <> 'array' then
        raise exception using
            errcode = 'RG005',
            message = 'hits is not an array',
            hint = 'Give [{"document_id": "dl_x", "node_id": "cn_y", "score": 0.5}, ...]; an empty array returns nothing.';
    end if;
    select e.hit into wrong
    from jsonb_array_elements(hits.hits) as e (hit)
    where jsonb_typeof(e.hit -> 'document_id') is distinct from 'string'
        or jsonb_typeof(e.hit -> 'node_id') is distinct from 'string'
        or coalesce(jsonb_typeof(e.hit -> 'score'), 'null') not in ('number', 'null')
        or coalesce(jsonb_typeof(e.hit -> 'vector_score'), 'null') not in ('number', 'null')
        or coalesce(jsonb_typeof(e.hit -> 'text_score'), 'null') not in ('number', 'null')
        or coalesce(jsonb_typeof(e.hit -> 'char_start'), 'null') not in ('number', 'null')
        or coalesce(jsonb_typeof(e.hit -> 'char_end'), 'null') <> coalesce(jsonb_typeof(e.hit -> 'char_start'), 'null')
    limit 1;
    if found then
        raise exception using
            errcode = 'RG005',
            message = format('%s is not a hit', left(wrong::text, 200)),
            hint = 'A hit has document_id and node_id; score, and char_start with char_end, are optional numbers.';
    end if;
    if hits.hits = '[]' then
        return '{}';
    end if;
    select array_agg(e.hit ->> 'document_id' order by e.n), array_agg(e.hit ->> 'node_id' order by e.n)
    into document_ids, node_ids
    from jsonb_array_elements(hits.hits) with ordinality as e (hit, n);
    only_document := ragraph_private.only_one(document_ids);
    with listed as materialized (
        -- under row-level security a join on expressions cannot use an index
        select
            h.hit,
            h.place,
            h.hit ->> 'document_id' as document_id,
            h.hit ->> 'node_id' as node_id
        from jsonb_array_elements(hits.hits) with ordinality as h (hit, place)
    ),
    given as (
        select
            e.hit,
            e.place,
            (e.hit ->> 'score')::double precision as score,
            (e.hit ->> 'vector_score')::double precision as vector_score,
            (e.hit ->> 'text_score')::double precision as text_score,
            coalesce((e.hit ->> 'char_start')::numeric, n.char_start) as span_start,
            coalesce((e.hit ->> 'char_end')::numeric, n.char_end) as span_end,
            n.document_id,
            n.id,
            n.char_start,
            n.char_end,
            n.token_count
        from listed as e
        inner join ragraph.content_node as n on e.document_id = n.document_id and e.node_id = n.id
        where only_document is null or n.document_id = only_document
    ),
    -- the same span found twice is one hit, with the better score
    once as (
        select distinct on (g.document_id, g.id, g.span_start, g.span_end) g.*
        from given as g
        order by g.document_id, g.id, g.span_start, g.span_end, g.score desc nulls last, g.place
    ),
    ranked as (
        select o.*, row_number() over (order by o.score desc nulls last, o.place) as rank
        from once as o
    )
    select
        array_agg(
            row(
                r.document_id,
                r.id,
                r.score,
                least(r.span_start, r.char_end)::integer,
                least(r.span_end, r.char_end)::integer,
                coalesce(
                    ceil(r.token_count * least(r.span_end - r.span_start, r.char_end) / nullif(r.char_end - r.char_start, 0)), 0
                )::integer,
                r.vector_score,
                r.text_score
            )::ragraph_private.hit
            order by r.rank
        ),
        (array_agg(r.hit order by r.rank) filter (
            where r.span_start < r.char_start
                or r.span_end > r.char_end
                or (r.span_start >= r.span_end and r.char_start < r.char_end)
        ))[1],
        (select count(*) from given as g)
    into found_hits, wrong, there
    from ranked as r;
    if there < cardinality(node_ids) then
        perform ragraph_private.first_missing(document_ids, node_ids);
    end if;
    if wrong is not null then
        raise exception using
            errcode = 'RG005',
            message = format('the span of hit %s is not within its node', left(wrong::text, 200)),
            hint = 'char_start and char_end count characters of document_text(document_id); omit them for the complete node.';
    end if;
    return coalesce(found_hits, '{}');
end
$$;
comment on function ragraph_private.hits(jsonb) is
'Returns hits given as JSON, checked and without duplicates, the best first, with spans in the text of the document and
their tokens. Raises RG001 or RG003 for an unknown document or node, RG005 for a hit that is not valid';

create or replace function ragraph_private.expand_arguments(
    token_budget integer, merge_share double precision, sentences integer, before integer, after integer, max_hops integer
)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    if expand_arguments.token_budget < 1 then
        raise exception using
            errcode = 'RG005',
            message = format('token_budget is %s', expand_arguments.token_budget),
            hint = 'Give the maximum number of tokens of the context, or null for no limit.';
    end if;
    if not (expand_arguments.merge_share > 0 and expand_arguments.merge_share <= 1) then
        raise exception using
            errcode = 'RG005',
            message = format('merge_share is %s', expand_arguments.merge_share),
            hint = 'Give the share of a section that must be hit, above 0 and at most 1; null merges nothing.';
    end if;
    if least(expand_arguments.sentences, expand_arguments.before, expand_arguments.after, expand_arguments.max_hops) < 0
        or greatest(expand_arguments.sentences, expand_arguments.before, expand_arguments.after, expand_arguments.max_hops)
        > 1000
        or num_nulls(
            expand_arguments.sentences, expand_arguments.before, expand_arguments.after, expand_arguments.max_hops
        ) > 0 then
        raise exception using
            errcode = 'RG005',
            message = format(
                'sentences, before, after, max_hops are %s, %s, %s, %s',
                coalesce(expand_arguments.sentences::text, 'null'),
                coalesce(expand_arguments.before::text, 'null'),
                coalesce(expand_arguments.after::text, 'null'),
                coalesce(expand_arguments.max_hops::text, 'null')
            ),
            hint = 'Give numbers from 0 (adds nothing) to 1000.';
    end if;
end
$$;
comment on function ragraph_private.expand_arguments(integer, double precision, integer, integer, integer, integer) is
'Raises RG005 if a number of expand_hits is out of range';

create or replace function ragraph_private.table_head(content text, data jsonb)
returns integer
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    -- a head may have several lines: cells that span columns, then the names below them
    most constant integer := 3;
    longest constant integer := 400;
    wanted integer;
    place integer := 0;
begin
    -- the lines before the first one that has a name for its row and a number in it
    select min(r.place) - 1 into wanted
    from jsonb_path_query(table_head.data, '$.cells[0 to 3]') with ordinality as r (cells, place)
    where r.place > 1
        and exists (
            select 1
            from jsonb_path_query(r.cells, '$[*]') with ordinality as c (cell, place)
            where c.place > 1
                and c.cell #>> '{}' ~ '[0-9]'
                -- years and dates also occur in heads
                and c.cell #>> '{}' !~ '^[^0-9]*([0-9]{1,2}[^0-9]+)?(19|20)[0-9]{2}[^0-9]*$'
        );
    for line in 1..least(coalesce(wanted, 1), most) loop
        place := place + coalesce(nullif(strpos(substr(table_head.content, place + 1), E'\n'), 0), length(table_head.content) - place + 1);
    end loop;
    return case when place between 1 and least(longest, length(table_head.content) - 1) then place else 0 end;
end
$$;
comment on function ragraph_private.table_head(text, jsonb) is
'Returns the number of characters in the head of a table, line ends included; 0 if it has no head, or nothing but a
head';

create or replace function ragraph_private.short_title(title text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    -- a long heading, such as a clause of a contract, is as useful when it is cut
    longest constant integer := 80;
    line constant text := btrim(regexp_replace(short_title.title, '\s+', ' ', 'g'));
begin
    return case
        when length(line) <= longest then line
        else coalesce(substring(left(line, longest) from '^(.{20,})\s'), left(line, longest - 1)) || '…'
    end;
end
$$;
comment on function ragraph_private.short_title(text) is
'Returns a title as printed above the text of a context: one line of at most 80 characters, cut after a word';

create or replace function ragraph_private.short_name(title text, source_uri text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    -- the ends of a long file name tell most: ADAMSGOLFINC_0…ENDORSEMENT AGREEMENT
    longest constant integer := 40;
    front constant integer := 14;
    back constant integer := 22;
    extension constant text := '\.[[:alnum:]]{1,5}$';
    name constant text := regexp_replace(short_name.title, extension, '');
begin
    if length(short_name.title) <= longest
        or lower(substring(short_name.title from extension)) is distinct from lower(substring(short_name.source_uri from extension))
    then
        return ragraph_private.short_title(short_name.title);
    end if;
    return ragraph_private.short_title(rtrim(left(name, front), ' _.-') || '…' || ltrim(right(name, back), ' _.-'));
end
$$;
comment on function ragraph_private.short_name(text, text) is
'Returns the title of a publication as printed above the text of a context: as short_title does. A title of more than 40
characters that is the name of its file is cut in the middle, because names of files have few words and many tokens';

create or replace function ragraph_private.path_below(previous jsonb, path jsonb, out heading text, out tokens integer)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    many constant integer := jsonb_array_length(path_below.path -> 'ids');
    common integer := 0;
begin
    while common < many and path_below.previous -> 'ids' -> common = path_below.path -> 'ids' -> common loop
        common := common + 1;
    end loop;
    -- a section that continues after a subsection repeats its own title
    common := least(common, greatest(many - 1, 0));
    select
        case when common > 0 then '> ' else '' end || string_agg(t.title, ' > ' order by t.place),
        -- the first title has no separator before it
        sum((path_below.path -> 'tokens' ->> t.place::integer - 1)::integer - (t.place = 1)::integer)
    into heading, tokens
    from jsonb_array_elements_text(path_below.path -> 'titles') with ordinality as t (title, place)
    where t.place > common;
    tokens := coalesce(tokens, 0);
end
$$;
comment on function ragraph_private.path_below(jsonb, jsonb) is
'Returns the heading to print above text under a path of headings ({ids, titles, tokens}) that follows text under
another path: the titles that differ, with a leading > if they are below titles already printed, and the maximum number
of their tokens. heading is null if nothing is to be printed';

create or replace function ragraph_private.expand_placed(document_ids text[], node_ids text[])
returns table (
    document_id text,
    node_id text,
    sequence integer,
    char_start integer,
    char_end integer,
    tokens integer,
    section text,
    run text,
    path_ids text[],
    path_titles text[],
    path_tokens integer[],
    title text,
    title_tokens integer,
    head_end integer
)
language plpgsql
stable
parallel safe
rows 500
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    only_document constant text := ragraph_private.only_one(expand_placed.document_ids);
    homes text[];
    components text[];
    above ragraph_private.ancestor[];
begin
    if coalesce(cardinality(expand_placed.document_ids), 0) = 0 then
        return;
    end if;
    -- The sections above are read before the statement that reads nodes: a cluster may send that to one shard.
    select array_agg(n.document_id), array_agg(n.parent_component_id) into homes, components
    from unnest(expand_placed.document_ids, expand_placed.node_ids) as w (document_id, node_id)
    inner join ragraph.content_node as n on w.document_id = n.document_id and w.node_id = n.id
    where only_document is null or n.document_id = only_document;
    above := array(select a from ragraph_private.ancestors(homes, components) as a where a.title is not null);
    return query
    with node as materialized (
        select
            n.document_id,
            n.id,
            n.sequence_in_document as sequence,
            n.char_start,
            n.char_end,
            -- a figure without text is represented by its description
            case when n.content = '' then ragraph_private.estimate_tokens(coalesce(n.description, '')) else n.token_count end as tokens,
            n.parent_component_id,
            case
                when n.content_node_type = 'TABLE' then n.char_start + ragraph_private.table_head(n.content, n.data)
                else n.char_start
            end as head_end
        from (
            select distinct u.document_id, u.node_id
            from unnest(expand_placed.document_ids, expand_placed.node_ids) as u (document_id, node_id)
        ) as w
        inner join ragraph.content_node as n on w.document_id = n.document_id and w.node_id = n.id
        where only_document is null or n.document_id = only_document
    ),
    publication as materialized (
        select d.id, o.title, ragraph_private.short_name(o.title, d.source_uri) as short
        from (select distinct n.document_id from node as n) as w
        inner join ragraph.document as d on w.document_id = d.id
        inner join ragraph.publication as p on d.publication_id = p.id
        cross join lateral (select coalesce(d.title, p.title) as title) as o
        where only_document is null or d.id = only_document
    ),
    titled as materialized (
        select a.*, ragraph_private.short_title(a.title) as short
        from unnest(above) as a
    ),
    -- tokens of a title were counted at its heading node; others are estimated
    heading as materialized (
        select t.document_id, t.ancestor_id, min(n.token_count) as tokens
        from (select distinct i.document_id, i.ancestor_id, i.title, i.first_sequence from titled as i where i.title = i.short) as t
        inner join ragraph.content_node as n
            on t.document_id = n.document_id and t.first_sequence = n.sequence_in_document and t.title = n.content
        where only_document is null or n.document_id = only_document
        group by t.document_id, t.ancestor_id
    ),
    path as materialized (
        select
            t.document_id,
            t.component_id,
            (array_agg(t.ancestor_id order by t.depth desc))[1] as section,
            (array_agg(t.first_sequence order by t.depth desc))[1] as first_sequence,
            -- the title of the publication is already printed above
            array_agg(t.ancestor_id order by t.depth) filter (where t.title <> p.title) as ids,
            array_agg(t.short order by t.depth) filter (where t.title <> p.title) as titles,
            -- one more for the separator
            array_agg(coalesce(h.tokens, ragraph_private.estimate_tokens(t.short)) + 1 order by t.depth)
                filter (where t.title <> p.title) as tokens
        from titled as t
        inner join publication as p on t.document_id = p.id
        left join heading as h on t.document_id = h.document_id and t.ancestor_id = h.ancestor_id
        group by t.document_id, t.component_id
    ),
    -- an inner join, because a cluster cannot make an outer join with a table under a policy
    ended as materialized (
        select n.document_id, n.id, max(c.last_sequence) as last_sequence
        from node as n
        left join path as a on n.document_id = a.document_id and n.parent_component_id = a.component_id
        inner join ragraph.document_component as c
            on n.document_id = c.document_id
            and c.first_sequence between coalesce(a.first_sequence, 0) and n.sequence
            and c.last_sequence < n.sequence
            and c.title is not null
            and (only_document is null or c.document_id = only_document)
        group by n.document_id, n.id
    )
    select
        n.document_id,
        n.id,
        n.sequence,
        n.char_start,
        n.char_end,
        n.tokens,
        coalesce(a.section, ''),
        -- Text of a section that continues after a subsection is another run of it, and its title must be printed
        -- again. Runs are distinguished by the last subsection that ended before the node.
        format('%s %s', coalesce(a.section, ''), coalesce(e.last_sequence, -1)),
        coalesce(a.ids, '{}'),
        coalesce(a.titles, '{}'),
        coalesce(a.tokens, '{}'),
        p.short,
        ragraph_private.estimate_tokens(p.short),
        n.head_end
    from node as n
    inner join publication as p on n.document_id = p.id
    left join path as a on n.document_id = a.document_id and n.parent_component_id = a.component_id
    left join ended as e on n.document_id = e.document_id and n.id = e.id;
end
$$;
comment on function ragraph_private.expand_placed(text[], text[]) is
'Returns the data of nodes that a context needs, unsorted: span, tokens, the innermost titled section, and a key of the
uninterrupted run of its text that the node is part of. path_ids, path_titles and path_tokens hold the headings from
the top, titles as printed, tokens including a separator. title and title_tokens are those of the publication as
printed. head_end is the end of the head of a table, else char_start';
