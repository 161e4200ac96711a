-- Helpers of the other files. The schema ragraph_private is no public interface.

create or replace function ragraph_private.bigrams(word text)
returns text[]
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
    framed constant text := '^' || lower(left(bigrams.word, 60)) || '$';
begin
    return array(select distinct substr(framed, s.place, 2) from generate_series(1, length(framed) - 1) as s (place));
end
$$;
comment on function ragraph_private.bigrams(text) is
'Returns the distinct pairs of adjacent letters of a word in lower case, with its start and end counted as letters.
Reads the first 60 characters';

create or replace function ragraph_private.only_one(document_ids text[])
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
    return case when only_one.document_ids[1] = all(only_one.document_ids) then only_one.document_ids[1] end;
end
$$;
comment on function ragraph_private.only_one(text[]) is
'Returns the document of a list that names one only, or null. A statement that is told so reads one shard of a cluster';

create or replace function ragraph_private.only_one(hits ragraph_private.hit[])
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph_private, pg_temp
as $$
begin
    return ragraph_private.only_one(array(select h.document_id from unnest(only_one.hits) as h));
end
$$;
comment on function ragraph_private.only_one(ragraph_private.hit[]) is
'Returns the document of hits that are in one only, or null';

create or replace function ragraph_private.nearest_name(wanted text, names text[])
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set standard_conforming_strings = on
as $$
declare
    pairs constant text[] := ragraph_private.bigrams(nearest_name.wanted);
    -- users name a long title by its first words
    beginning constant text := format('^(?:\S+\s+){%s}\S+(?=\s)', least(regexp_count(trim(nearest_name.wanted), '\s+'), 20));
    given text[];
    item text;
    likeness numeric;
    best numeric := 0.4; -- words below this have little more than an ending in common
    found_name text;
begin
    foreach item in array nearest_name.names[1:2000] loop
        given := ragraph_private.bigrams(item);
        likeness := (select 2.0 * count(*) from unnest(given) as g (pair) where g.pair = any(pairs))
            / nullif(cardinality(pairs) + cardinality(given), 0);
        given := ragraph_private.bigrams(substring(item from beginning));
        likeness := greatest(
            likeness,
            (select 1.8 * count(*) from unnest(given) as g (pair) where g.pair = any(pairs))
            / nullif(cardinality(pairs) + cardinality(given), 0)
        );
        if likeness > best or (likeness = best and found_name is null) then
            best := likeness;
            found_name := item;
        end if;
    end loop;
    return found_name;
end
$$;
comment on function ragraph_private.nearest_name(text, text[]) is
'Returns the name most similar to the wanted one, or null if none is similar. Similarity is the share of common letter
pairs (Dice 1945). It compares with the complete name and with as many words at its beginning as the wanted name has.
Reads the first 2,000 names';

create or replace function ragraph_private.require_document(document_id text)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    near text;
    titled text;
begin
    if not exists (
        select 1 from ragraph.document as d where d.id = require_document.document_id
    ) then
        near := ragraph_private.nearest_name(
            require_document.document_id,
            array(
                select n.name
                from (
                    select d.id, coalesce(d.title, p.title) as title
                    from ragraph.document as d
                    inner join ragraph.publication as p on d.publication_id = p.id
                    limit 1000
                ) as d
                cross join lateral (values (d.id), (d.title)) as n (name)
            )
        );
        -- users also name a document by its title
        if near is not null then
            select d.id, coalesce(' (' || left(nullif(coalesce(d.title, p.title), ''), 100) || ')', '') into near, titled
            from ragraph.document as d
            inner join ragraph.publication as p on d.publication_id = p.id
            where d.id = near or coalesce(d.title, p.title) = near
            order by d.id
            limit 1;
        end if;
        raise exception using
            errcode = 'RG001',
            message = format('there is no document %L', left(require_document.document_id, 200))
            || coalesce('; did you mean ' || quote_literal(near) || titled || '?', ''),
            hint = 'List the documents of the store: SELECT id FROM ragraph.document.';
    end if;
end
$$;
comment on function ragraph_private.require_document(text) is
'Raises RG001 if the document does not exist';

create or replace function ragraph_private.require_component(document_id text, component_id text)
returns ragraph.document_component
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    component ragraph.document_component;
    near text;
begin
    select c.* into component
    from ragraph.document_component as c
    where c.document_id = require_component.document_id and c.id = require_component.component_id;
    if not found then
        perform ragraph_private.require_document(require_component.document_id);
        near := ragraph_private.nearest_name(
            require_component.component_id,
            array(
                select left(n.name, 200)
                from ragraph.document_component as c
                cross join lateral (values (c.id), (c.title), (regexp_replace(c.title, '^[0-9.]+\s+', ''))) as n (name)
                where c.document_id = require_component.document_id and n.name is not null
                order by c.depth, c.first_sequence
            )
        );
        raise exception using
            errcode = 'RG002',
            message = format(
                'document %L has no component %L', require_component.document_id, left(require_component.component_id, 200)
            ) || coalesce('; did you mean ' || quote_literal(near) || '?', ''),
            hint = 'List the components of the document: SELECT * FROM ragraph.table_of_contents(document_id).';
    end if;
    return component;
end
$$;
comment on function ragraph_private.require_component(text, text) is
'Returns the row of a component. Raises RG001 if the document does not exist, RG002 if the component does not';

create or replace function ragraph_private.require_node(document_id text, node_id text)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    if not exists (
        select 1
        from ragraph.content_node as n
        where n.document_id = require_node.document_id and n.id = require_node.node_id
    ) then
        perform ragraph_private.require_document(require_node.document_id);
        raise exception using
            errcode = 'RG003',
            message = format('document %L has no content node %L', require_node.document_id, require_node.node_id),
            hint = 'Ids of nodes come from a search or from ragraph.walk_document(document_id).';
    end if;
end
$$;
comment on function ragraph_private.require_node(text, text) is
'Raises RG001 if the document does not exist, RG003 if the node does not';

create or replace function ragraph_private.is_section(component_type ragraph.component_type)
returns boolean
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return is_section.component_type not in ('LIST', 'TEXT_BOX', 'HEADER', 'FOOTER', 'CONTAINER');
end
$$;
comment on function ragraph_private.is_section(ragraph.component_type) is
'Returns true if a component belongs in a table of contents: front, body and back matter and sections do; lists, boxes,
containers and furniture do not';

create or replace function ragraph_private.by_hand(
    set_by_hand text[], column_name text, standing anycompatible, given anycompatible
)
returns anycompatible
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return case when by_hand.column_name = any(by_hand.set_by_hand) then by_hand.standing else by_hand.given end;
end
$$;
comment on function ragraph_private.by_hand(text[], text, anycompatible, anycompatible) is
'Returns the value to store in a column: the stored one if somebody set the column by hand, else the one supplied by a
file or a record';

create or replace function ragraph_private.file_around(source_uri text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    place constant integer := strpos(file_around.source_uri, '::');
begin
    return case
        when place > 0 and file_around.source_uri ~ '^(mail|pdf)://' then substr(file_around.source_uri, place + 2)
    end;
end
$$;
comment on function ragraph_private.file_around(text) is
'Returns the address of the mail or PDF file that a document is attached to, by its own address
(mail://list.csv::file:///home/me/a.eml); null for any other document';
