create or replace function ragraph_private.attached_to(document_id text)
returns text[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    publication text;
    own_collection text;
    place text;
begin
    select d.publication_id, d.collection, d.source_uri into publication, own_collection, place
    from ragraph.document as d
    where d.id = attached_to.document_id;
    if place is null then
        return '{}';
    end if;
    return array( -- a statement of its own, because a cluster joins no two documents
        select o.id
        from ragraph.document as o
        where o.publication_id = publication
            and o.collection = own_collection
            and ragraph_private.file_around(o.source_uri) = place
        order by o.id
    );
end
$$;
comment on function ragraph_private.attached_to(text) is
'Returns the ids of the documents that were read from inside the file of a document: attachments of a mail, files in a
PDF';

create or replace function ragraph_private.delete_one(document_id text)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    publication text;
    nodes_deleted integer;
    works text[] := ragraph_private.document_works(array[delete_one.document_id]);
    collection text;
    owed text[];
begin
    select d.collection, d.works_owed into collection, owed
    from ragraph.document as d
    where d.id = delete_one.document_id;
    if works <> '{}' or owed <> '{}' then
        perform ragraph_private.lock_works(collection);
        works := ragraph_private.works_to_resolve( -- read again, now under the lock
            collection, array[delete_one.document_id], ragraph_private.work_rows(array[delete_one.document_id])
        ) || ragraph_private.works_with(collection, owed);
    end if;
    -- locks the publication before its document, as ingestion does
    perform 1
    from ragraph.publication as p
    where p.id = (select d.publication_id from ragraph.document as d where d.id = delete_one.document_id)
    for no key update;
    select d.publication_id into publication
    from ragraph.document as d
    where d.id = delete_one.document_id
    for update;
    if not found then
        perform ragraph_private.require_document(delete_one.document_id);
    end if;
    -- Relations first, locked in the order of their key: two cascades that reach one relation from both of its ends
    -- deadlock with each other and with writers of relations.
    perform 1 from ragraph.relation as r where r.document_id = delete_one.document_id order by r.id for update;
    delete from ragraph.relation as r where r.document_id = delete_one.document_id;
    perform 1 from ragraph.document_relation as r where r.document_id = delete_one.document_id order by r.id for update;
    delete from ragraph.document_relation as r where r.document_id = delete_one.document_id;
    delete from ragraph.work_entry as e where e.document_id = delete_one.document_id;
    delete from ragraph.node_review as r where r.document_id = delete_one.document_id;
    delete from ragraph.entity_relation as r where r.document_id = delete_one.document_id;
    delete from ragraph.mention as m where m.document_id = delete_one.document_id;
    delete from ragraph.entity as e where e.document_id = delete_one.document_id;
    delete from ragraph.entity_extraction as x where x.document_id = delete_one.document_id;
    delete from ragraph.embedding as e where e.document_id = delete_one.document_id;
    delete from ragraph.node_sentences as s where s.document_id = delete_one.document_id;
    perform ragraph_private.note_text(delete_one.document_id, -1);
    delete from ragraph.content_node as n where n.document_id = delete_one.document_id;
    get diagnostics nodes_deleted = row_count;
    delete from ragraph.document_component as c where c.document_id = delete_one.document_id;
    delete from ragraph.document_page as p where p.document_id = delete_one.document_id;
    delete from ragraph.document_version_row as r where r.document_id = delete_one.document_id;
    delete from ragraph.document_version as v where v.document_id = delete_one.document_id;
    if works <> '{}' then -- while CITES relations of other documents still lead to it
        perform ragraph_private.resolve_works(collection, works);
    end if;
    delete from ragraph.document as d where d.id = delete_one.document_id;
    -- a publication is deleted with its last document, even if it comes from a record
    if not exists (select 1 from ragraph.document as d where d.publication_id = publication) then
        begin
            delete from ragraph.publication as p where p.id = publication;
        exception
            when foreign_key_violation then
                -- a document that this tenant cannot see still refers to the publication: the row stays but is emptied
                update ragraph.publication as p
                set
                    title = '', abstract = null, citation = null, authors = null, publication_date = null, source = null,
                    source_url = null, uri = null, tags = '{}', metadata = '{}', set_by_hand = '{}', updated_at = now()
                where p.id = publication;
        end;
    end if;
    return nodes_deleted;
end
$$;
comment on function ragraph_private.delete_one(text) is
'Deletes a document with all its rows, but not those attached to it; see delete_document';

create or replace function ragraph.delete_document(document_id text)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    attached text[] := ragraph_private.attached_to(delete_document.document_id);
    nodes_deleted integer := 0;
    one text;
begin
    foreach one in array attached || delete_document.document_id
    loop
        nodes_deleted := nodes_deleted + ragraph_private.delete_one(one);
    end loop;
    return nodes_deleted;
end
$$;
comment on function ragraph.delete_document(text) is
'Deletes a document with all its rows, the documents attached to it (attachments of a mail, files in a PDF), and its
publication if no other document belongs to it. Returns the number of nodes deleted. Citations of these documents by
other documents are resolved again. Other relations of theirs that led here remain and are reported by check_store().
Raises RG001 if the document does not exist';
