"""What people change of a document: its metadata, its tags, its collection."""

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
from ragraph.errors import ArgumentError, DocumentNotFoundError, RagraphError

if TYPE_CHECKING:
    import psycopg

    from ragraph.database.connection import Database


class DocumentChanges(TypedDict, total=False):
    """What ``Store.update`` changes; None empties a field.

    Those of the publication are the same for all documents of it; a file that no publication record describes has a
    publication of its own.

    Attributes:
        title: of the publication; cannot be emptied.
        authors: comma separated.
        abstract: of the publication.
        citation: as the publisher words it.
        publication_date: a date, or ISO 8601 text.
        source: repository that the publication comes from.
        source_url: its landing page.
        uri: persistent identifier.
        metadata: keys to set in the metadata of the publication; a key with None is removed.
        tags: the tags of the publication, in place of those it has.
        add_tags: tags to add.
        remove_tags: tags to take away.
        language: of the document, a BCP 47 tag; its words are indexed anew, by the text search configuration of the
            language or else by ``simple``: ``DocumentDetails.ts_config`` says which.
        description: of the document.
        version: of the document.
        download_url: where the file can be downloaded.
        collection: the collection that the document is moved to, with all that hangs on it.
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
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
"""NUL as JSON has it, and no backslash in front of letters."""
_TAGS = {"tags", "add_tags", "remove_tags"}
CITED_BY = {"title", "authors", "publication_date", "source", "uri", "metadata"}
"""What others cite the documents of a publication by."""


def update(database: Database, document: str, changes: DocumentChanges) -> None:
    """Change a document in one transaction; see ``Store.update``."""
    given = _checked(changes)
    collection = given.pop("collection", None)
    if collection is not None:
        database.retry_once(lambda: check_collection(database, collection))
    while not database.retry_once(lambda: _written(database, document, dict(given), collection)):
        pass  # its file has changed meanwhile: what to lock is another now
    recounted = collection is not None or "language" in given
    if recounted:
        # What has moved stands noted: if this fails, the next change counts it.
        with suppress(RagraphError), database.write() as connection:
            connection.execute(QUERIES["ensure_text_statistics"])


def _written(database: Database, document: str, given: dict[str, Any], collection: str | None) -> bool:
    """Write the changes in one transaction; return False if the file of the document changed before it was locked."""
    key = {"document_id": document}
    recounted = collection is not None or "language" in given
    with database.write() as connection, only_text():
        file = None
        if collection is not None:  # whoever takes in these bytes, or a file at this place, waits, and is waited for
            with connection.cursor(row_factory=dict_row) as cursor:
                file = cursor.execute(QUERIES["update_file"], key).fetchone()
            for where in sorted({file["collection"], collection}) if file else ():  # before all others
                connection.execute(QUERIES["works_lock"], {"collection": where})
            for name in ("content", "place") if file else ():
                connection.execute(QUERIES[f"lock_{name}"], file)
        connection.execute(QUERIES["lock_document"], key)
        row = _locked(connection, document)
        if file is not None and any(row[name] != value for name, value in file.items()):
            return False
        if recounted:
            connection.execute(QUERIES["update_note_text"], {**key, "sign": -1})
        _update(connection, document, row, given)
        if collection is not None and collection != row["collection"]:
            _move(connection, document, row, collection)
        if recounted:
            connection.execute(QUERIES["update_note_text"], {**key, "sign": 1})
    return True


def _checked(changes: DocumentChanges) -> dict[str, Any]:
    """Return the changes with values as the database takes them.

    Raises:
        ArgumentError: a field that does not exist, a value of the wrong type, or nothing to change.
    """
    known = DocumentChanges.__annotations__.keys()
    unknown = sorted(changes.keys() - known)
    if unknown:
        raise ArgumentError(f"a document has no {unknown[0]!r} to update", hint=f"there are {', '.join(known)}")
    if not changes:
        raise ArgumentError("nothing to update is given", hint=f"there are {', '.join(known)}")
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
            raise ArgumentError(f"{name} is empty", hint="give None to empty it" if name != "title" else "give a title")
        else:
            given[name] = value
    if given.get("language") is not None:
        check_tag(given["language"])
    if "tags" in given and ("add_tags" in given or "remove_tags" in given):
        raise ArgumentError("tags are set, and added or removed at the same time", hint="give the one or the other")
    return given


def _json(name: str, value: Any) -> Any:
    """Return a mapping that a database can hold as JSON; None is None."""
    try:
        written = json.dumps(value, allow_nan=False, ensure_ascii=False, default=dict)
    except (TypeError, ValueError, RecursionError):
        raise refusal(name, "what JSON can hold: texts, numbers, booleans, lists and mappings", value) from None
    text(name, _NUL.sub("\0", written))
    return json.loads(written)


def _tags(name: str, value: Any) -> list[str]:
    found = texts(name, value)
    if found is None:
        if name != "tags":
            raise refusal(name, "text, or a list of texts", value)
        found = []
    if name == "remove_tags":  # whatever they are called
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
        connection.execute(QUERIES["require_document"], {"document_id": document})  # which knows what may be meant
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
    of_document = {name: value for name, value in given.items() if name in _OF_DOCUMENT}
    of_publication = {name: value for name, value in given.items() if name not in _OF_DOCUMENT}
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
    """Return the oid of a text search configuration, or of ``simple`` where the server lacks it."""
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
            f"the collection {collection!r} has the {what} of {document!r} already, as {twin[0]!r}",
            hint="delete one of the two",
        )
    going = {"document_id": document, "node_ids": None}
    (said,) = connection.execute(QUERIES["works_going"], going).fetchone() or ([],)
    connection.execute(QUERIES["update_collection"], parameters)
    connection.execute(QUERIES["works_left_behind"], {**parameters, "collection": row["collection"]})
    connection.execute(QUERIES["resolve_entities"], parameters)  # of another collection, they are others
    for where in (row["collection"], collection):
        mended = {"document_id": document, "collection": where, "said": Jsonb(said)}
        connection.execute(QUERIES["works_mend"], mended)
    # A publication goes where the last of its documents goes.
    others = connection.execute(QUERIES["publication_has_others"], parameters).fetchone()
    if others != (False,) and connection.execute(QUERIES["tenants_on"]).fetchone() == (True,):
        raise ArgumentError(
            f"the publication of {document!r} has others, and with tenants on it is seen in one collection alone",
            hint="turn tenants off meanwhile, move all of them, and turn them on: `ragraph db tenants`",
        )
    if others == (False,):
        connection.execute(QUERIES["update_publication_collection"], parameters)
