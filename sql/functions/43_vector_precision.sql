-- The precision of stored vectors: the type of their column, vector or halfvec. Nothing else records it.

create or replace function ragraph_private.half_vectors()
returns boolean
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return (
        select a.atttypid = 'halfvec'::regtype
        from pg_attribute as a
        where a.attrelid = 'ragraph.embedding'::regclass and a.attname = 'embedding_vector'
    );
end
$$;
comment on function ragraph_private.half_vectors() is
'Returns true if the store has its vectors in half precision';

create or replace function ragraph_private.full_vector(numbers text)
returns vector
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return full_vector.numbers::vector;
end
$$;
comment on function ragraph_private.full_vector(text) is
'Returns a stored vector, given as text, as the type that searches take, whatever its precision and the search path';

create or replace function ragraph_private.store_vectors(half boolean)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    kind constant text := case when store_vectors.half then 'halfvec' else 'vector' end;
    dropped text; -- the constraints that the type matters to, and how to make them again
    added text;
    past text;
    past_owner text;
    models text[]; -- those with an index
    model text;
    minimum integer;
    made record;
begin
    if ragraph_private.is_distributed() then
        raise exception using
            errcode = 'RG005',
            message = 'the store is distributed over a cluster, where the precision of vectors cannot be changed',
            hint = 'Change it before the store is distributed.';
    end if;
    -- before anything is read, so that no other session changes it or writes vectors meanwhile; in the order in which
    -- searches read them, which would wait for each other with this otherwise
    lock table ragraph.embedding_model, ragraph.embedding in access exclusive mode;
    if ragraph_private.half_vectors() = store_vectors.half then
        return false;
    end if;
    models := array(
        select m.name from ragraph.embedding_model as m
        where exists (select from ragraph_private.vector_indexes(m.name))
    );
    for made in
        select i.index_name from unnest(models) as m (name) cross join lateral ragraph_private.vector_indexes(m.name) as i
    loop
        execute format('drop index ragraph.%I', made.index_name);
    end loop;
    -- the view and the generated column depend on the type
    select pg_get_viewdef(c.oid), pg_get_userbyid(c.relowner) into past, past_owner
    from pg_class as c
    where c.oid = 'ragraph_past.embedding'::regclass;
    drop view ragraph_past.embedding;
    select
        string_agg(format('drop constraint %I', c.name), ', '),
        -- vector_norm exists for the type vector only
        string_agg(format('add constraint %I %s', c.name, replace(c.stated, 'embedding_vector', 'embedding_vector::vector')), ', ')
    into dropped, added
    from (
        select o.conname as name, pg_get_constraintdef(o.oid) as stated
        from pg_constraint as o
        where o.conrelid = 'ragraph.embedding'::regclass and o.contype in ('c', 'f')
            and exists (
                select from pg_attribute as a
                where a.attrelid = o.conrelid and a.attnum = any(o.conkey) and a.attname in ('embedding_vector', 'dimensions')
            )
    ) as c;
    execute format('alter table ragraph.embedding %s, drop column dimensions', dropped);
    begin
        execute format(
            'alter table ragraph.embedding alter column embedding_vector type %1$s using embedding_vector::%1$s', kind
        );
    exception when numeric_value_out_of_range then
        raise exception using
            errcode = 'RG005',
            message = 'a vector has a number beyond 65504, the greatest in half precision',
            hint = 'Keep the vectors of this store in full precision.';
    end;
    execute 'alter table ragraph.embedding'
        ' add column dimensions integer generated always as (vector_dims(embedding_vector)) stored, ' || added;
    comment on column ragraph.embedding.dimensions is 'Length of the vector, bound to the model''s';
    execute 'create view ragraph_past.embedding with (security_invoker = true) as ' || past;
    comment on view ragraph_past.embedding is 'Vectors of the nodes of that version';
    grant select on ragraph_past.embedding to public;
    execute format('alter view ragraph_past.embedding owner to %I', past_owner);
    analyze ragraph.embedding;
    foreach model in array models loop
        -- in a statement of its own: an index is not built on a table that a running one reads
        select least(count(*), 10000) into minimum from ragraph.embedding as e where e.model_name = model;
        perform ragraph.ensure_vector_index(model, minimum);
    end loop;
    return true;
end
$$;
comment on function ragraph_private.store_vectors(boolean) is
'Stores the vectors of all models in half precision, or with false in full precision again, and builds their indexes
again; the digits that half precision lacks do not come back. Returns false if they are stored so already. Nobody else
reads or writes vectors meanwhile. Only for the owner of the store. Raises RG005 on a cluster, or for a number beyond
the range of half precision; nothing is changed then';
