-- Texts without a vector in documents that were embedded. Vector search cannot find them.

create or replace function ragraph_private.check_vectors(only_document text)
returns table (document_id text, rule text, object_id text, detail text)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
set plan_cache_mode = force_custom_plan -- one document and the whole store need different plans
as $$
#variable_conflict use_column
begin
    return query
    select
        n.document_id,
        'texts of embedded documents have a vector',
        n.id,
        format('it has none under the model %s; the model finds no token in the text', m.name)
    from ragraph.document as d
    cross join lateral jsonb_each(
        case jsonb_typeof(d.ingested_with -> 'embedded') when 'object' then d.ingested_with -> 'embedded' else '{}' end
    ) as m (name, made)
    inner join ragraph.content_node as n on d.id = n.document_id
    where (check_vectors.only_document is null or d.id = check_vectors.only_document)
        and d.processing_status = 'completed'
        -- the texts that are embedded; see ingest/vectors/texts.py
        and n.content_node_type not in ('PAGE_NUMBER', 'HEADING', 'SUBHEADING', 'TITLE', 'SUBTITLE', 'AUTHOR')
        and replace(n.content, '[page break]', '')
        ~ '[^[:space:]\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]'
        and not exists (
            select 1 from ragraph.embedding as e
            where e.document_id = n.document_id and e.node_id = n.id and e.model_name = m.name
        )
        and not exists (
            select 1 from ragraph.document_component as c
            where c.document_id = n.document_id
                and c.component_type in ('HEADER', 'FOOTER')
                and n.sequence_in_document between c.first_sequence and c.last_sequence
        );
    perform ragraph_private.require_visible_vectors();
end
$$;
comment on function ragraph_private.check_vectors(text) is
'Returns the nodes whose text has no vector under a model that their document was embedded with, of one document or,
for null, of all';
