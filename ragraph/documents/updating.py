"""Change the metadata, tags or collection of a document."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import TYPE_CHECKING, Any, TypedDict

from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from ragraph.base.arguments import only_text, refusal, text, texts
from ragraph.base.labels import clean_tag
from ragraph.base.languages import check_tag, ts_config
from ragraph.base.queries import QUERIES
from ragraph.database.collection_names import check_collection
from ragraph.documents.deleting import attached_to
from ragraph.errors import ArgumentError, DocumentNotFoundError, RagraphError

if TYPE_CHECKING:
    import psycopg

    from ragraph.database.connection import Database


class DocumentChanges(TypedDict, total=False):
    """Fields that ``Store.update`` changes; None empties a field.

    Fields of the publication are shared by all its documents. A file without a publication record has a publication of
    its own. A document attached to another one has a title, authors and a date of its own.

    Attributes:
        title: title of the publication; cannot be emptied.
        authors: names, separated by commas.
        abstract: abstract of the publication.
        citation: citation in the publisher's words.
        publication_date: a date, or ISO 8601 text.
        source: repository that the publication comes from.
        source_url: landing page of the publication.
        uri: persistent identifier.
        metadata: keys to set in the metadata of the publication; a key with None is removed.
        tags: tags of the publication, replacing its tags.
        add_tags: tags to add.
        remove_tags: tags to remove.
        language: language of the document, a BCP 47 tag. Its words are indexed again with the text search configuration
            of the language, or ``simple`` if it has none; ``DocumentDetails.ts_config`` has its name.
        description: description of the document.
        version: version of the document.
        download_url: address from which the file can be downloaded.
        collection: collection that the document is moved to, with everything that belongs to it.
    """

    title: str
    authors: str | None
    abstract: str | None
    citation: str | None
    publication_date: date | str | None
    source: str | None
    source_url: str | None
    uri: str | None
    metadata: Mapping[str, Any] | None
    tags: str | Sequence[str] | None
    add_tags: str | Sequence[str]
    remove_tags: str | Sequence[str]
    language: str | None
    description: str | None
    version: str | None
    download_url: str | None
    collection: str


_OF_DOCUMENT = {"language", "description", "version", "download_url"}
_OWN = {"title", "authors", "publication_date"}
"""Fields that a document attached to another one has itself."""
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
"""NUL in JSON, but not an escaped backslash followed by ``u0000``."""
_TAGS = {"tags", "add_tags", "remove_tags"}
CITED_BY = {"title", "authors", "publication_date", "source", "uri", "metadata"}
"""Fields of a publication by which bibliography entries are matched to it."""


def update(database: Database, document: str, changes: DocumentChanges) -> None:
    """Change a document in one transaction; see ``Store.update``."""
    given = _checked(changes)
    collection = given.pop("collection", None)
    if collection is not None:
        database.retry_once(lambda: check_collection(database, collection))
    while not database.retry_once(lambda: _write(database, document, dict(given), collection)):
        pass  # its file changed meanwhile, so other locks are needed
    recounted = collection is not None or "language" in given
    if recounted:
        # Changed words are recorded: if this update fails, the next change of the store counts them.
        with suppress(RagraphError), database.write() as connection:
            connection.execute(QUERIES["ensure_text_statistics"])


def _write(database: Database, document: str, given: dict[str, Any], collection: str | None) -> bool:
    """Write the changes in one transaction; return False if the document's file changed before it was locked."""
    recounted = collection is not None or "language" in given
    with database.write() as connection, only_text():
        attached = attached_to(connection, document) if collection is not None else []
        names = [*attached, document]
        files = _lock_files(connection, names, collection) if collection is not None else {}
        for name in names:
            connection.execute(QUERIES["lock_document"], {"document_id": name})
        rows = {name: _locked(connection, name) for name in names}
        if any(rows[name][field] != value for name, file in files.items() for field, value in file.items()):
            return False
        if collection is not None and attached_to(connection, document) != attached:
            return False
        for name in names if recounted else ():
            connection.execute(QUERIES["update_note_text"], {"document_id": name, "sign": -1})
        _update(connection, document, rows[document], given)
        moved = [name for name in names if collection not in (None, rows[name]["collection"])]
        for name in moved:
            _move(connection, name, rows[name], str(collection))
        if moved:
            _move_publication(connection, document, rows[document], str(collection))
        for name in names if recounted else ():
            connection.execute(QUERIES["update_note_text"], {"document_id": name, "sign": 1})
    return True


def _lock_files(connection: psycopg.Connection[Any], names: list[str], collection: str) -> dict[str, dict[str, Any]]:
    """Exclude ingests of the same bytes, or of files at the same places, before all other locks.

    Returns:
        Bytes, place and collection of the file of each document that has one.
    """
    files: dict[str, dict[str, Any]] = {}
    with connection.cursor(row_factory=dict_row) as cursor:
        for name in names:
            if (file := cursor.execute(QUERIES["update_file"], {"document_id": name}).fetchone()) is not None:
                files[name] = file
    for where in sorted({file["collection"] for file in files.values()} | {collection}) if files else ():
        connection.execute(QUERIES["works_lock"], {"collection": where})
    for kind, field in (("content", "sha256"), ("place", "source_uri")):
        for file in sorted(files.values(), key=lambda file: str(file[field])):
            connection.execute(QUERIES[f"lock_{kind}"], file)
    return files


def _checked(changes: DocumentChanges) -> dict[str, Any]:
    """Return the changes with values for the database.

    Raises:
        ArgumentError: a field does not exist, a value has the wrong type, or there is nothing to change.
    """
    known = DocumentChanges.__annotations__.keys()
    unknown = sorted(changes.keys() - known)
    if unknown:
        raise ArgumentError(f"a document has no {unknown[0]!r} to update", hint=f"there are {', '.join(known)}")
    if not changes:
        raise ArgumentError("there is nothing to update", hint=f"there are {', '.join(known)}")
    given: dict[str, Any] = {}
    for name, value in changes.items():
        if name in _TAGS:
            given[name] = _tags(name, value)
        elif name == "metadata":
            if value is not None and not (isinstance(value, Mapping) and all(isinstance(key, str) for key in value)):
                raise refusal(name, "a mapping with text for keys", value)
            given[name] = _json(name, value)
        elif name == "publication_date":
            given[name] = _date(value)
        elif value is None and name not in ("title", "collection"):
            given[name] = None
        elif not text(name, value).strip() and name != "collection":
            raise ArgumentError(f"{name} is empty", hint="None empties it" if name != "title" else "a title is needed")
        else:
            given[name] = value
    if given.get("language") is not None:
        check_tag(given["language"])
    if "tags" in given and ("add_tags" in given or "remove_tags" in given):
        raise ArgumentError("tags are set, and added or removed at the same time", hint="use one of them")
    return given


def _json(name: str, value: Any) -> Any:
    """Return a mapping that the database can store as JSON, and None as None."""
    try:
        written = json.dumps(value, allow_nan=False, ensure_ascii=False, default=dict)
    except (TypeError, ValueError, RecursionError):
        raise refusal(name, "values of JSON: texts, numbers, booleans, lists and mappings", value) from None
    text(name, _NUL.sub("\0", written))
    return json.loads(written)


def _tags(name: str, value: Any) -> list[str]:
    found = texts(name, value)
    if found is None:
        if name != "tags":
            raise refusal(name, "text, or a list of texts", value)
        found = []
    if name == "remove_tags":  # any name is accepted
        return found
    return list(dict.fromkeys(map(clean_tag, found)))


def _date(value: Any) -> str | None:
    try:
        day = date.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        day = value
    if day is not None and (not isinstance(day, date) or isinstance(day, str)):
        raise refusal("publication_date", "a date, or text such as 2024-12-31", value)
    return None if day is None else day.isoformat()[:10]


def _locked(connection: psycopg.Connection[Any], document: str) -> dict[str, Any]:
    with connection.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute(QUERIES["update_lock"], {"document_id": document}).fetchone()
    if row is None:
        connection.execute(QUERIES["require_document"], {"document_id": document})  # raises with suggestions
        raise DocumentNotFoundError(f"there is no document {document!r}", hint=DocumentNotFoundError.look)
    return row


def _update(connection: psycopg.Connection[Any], document: str, row: dict[str, Any], given: dict[str, Any]) -> None:
    added, removed = given.pop("add_tags", None), given.pop("remove_tags", None)
    if added is not None or removed is not None:
        kept = [tag for tag in row["tags"] if tag not in (removed or ())]
        given["tags"] = list(dict.fromkeys([*kept, *(added or ())]))
    if "metadata" in given:
        merged = {**row["metadata"], **(given["metadata"] or {})} if given["metadata"] is not None else {}
        given["metadata"] = {key: value for key, value in merged.items() if value is not None}
    owned = _OF_DOCUMENT if row["own_title"] is None else _OF_DOCUMENT | _OWN
    of_document = {name: value for name, value in given.items() if name in owned}
    of_publication = {name: value for name, value in given.items() if name not in owned}
    if of_publication:
        parameters = {
            "publication_id": row["publication_id"],
            "given": Jsonb(of_publication),
            "tags": of_publication.get("tags"),
            "columns": list(of_publication),
        }
        connection.execute(QUERIES["update_publication"], parameters)
        if CITED_BY & of_publication.keys():
            connection.execute(QUERIES["works_owe"], parameters)
    if of_document:
        config = _config(connection, ts_config(of_document.get("language")))
        parameters = {
            "document_id": document,
            "given": Jsonb(of_document),
            "columns": list(of_document),
            "ts_config": config,
        }
        connection.execute(QUERIES["update_document"], parameters)
        if "language" in of_document:
            connection.execute(QUERIES["update_node_language"], {"document_id": document, "ts_config": config})


def _config(connection: psycopg.Connection[Any], name: str) -> int:
    """Return the oid of a text search configuration, or of ``simple`` if the server lacks it."""
    with connection.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute(QUERIES["ingest_ts_config"], {"ts_config": name}).fetchone()
    return int(row["ts_config"]) if row else 0


def _move(connection: psycopg.Connection[Any], document: str, row: dict[str, Any], collection: str) -> None:
    parameters = {
        "document_id": document,
        "collection": collection,
        "sha256": row["sha256"],
        "source_uri": row["source_uri"],
        "publication_id": row["publication_id"],
    }
    twin = connection.execute(QUERIES["same_file"], parameters).fetchone()
    if twin is not None:
        what = "bytes" if twin[1] else "file"
        raise ArgumentError(
            f"the collection {collection!r} already has the {what} of {document!r}, as {twin[0]!r}",
            hint="delete one of the two",
        )
    going = {"document_id": document, "node_ids": None}
    (said,) = connection.execute(QUERIES["lock_work_rows"], going).fetchone() or ([],)
    connection.execute(QUERIES["update_collection"], parameters)
    connection.execute(QUERIES["works_resolve_old_collection"], {**parameters, "collection": row["collection"]})
    connection.execute(QUERIES["resolve_entities"], parameters)  # entities are per collection
    for where in (row["collection"], collection):
        mended = {"document_id": document, "collection": where, "said": Jsonb(said)}
        connection.execute(QUERIES["works_mend"], mended)


def _move_publication(connection: psycopg.Connection[Any], document: str, row: dict[str, Any], collection: str) -> None:
    """Move a publication with the last of its documents."""
    parameters = {"publication_id": row["publication_id"], "collection": collection}
    others = connection.execute(QUERIES["publication_has_others"], parameters).fetchone()
    if others != (False,) and connection.execute(QUERIES["tenants_on"]).fetchone() == (True,):
        raise ArgumentError(
            f"the publication of {document!r} has other documents; with tenants on, it can be in one collection only",
            hint="turn tenants off, move all of them, and turn tenants on again: `ragraph db tenants`",
        )
    if others == (False,):
        connection.execute(QUERIES["update_publication_collection"], parameters)
