"""Publication records in the JSON format of the World Bank's Open Knowledge Repository.

| JSON path | column |
| --- | --- |
| ``id``, ``title``, ``abstract``, ``citation``, ``source``, ``source_url``, ``uri`` | publication, same name |
| ``metadata.authors``, ``metadata.date`` | ``publication.authors``, ``publication.publication_date`` |
| ``downloadLinks[*].id``, ``url``, ``type``, ``text`` | ``document.id``, ``download_url``, ``type``, ``description`` |
| ``downloadLinks[*].file_info.mime_type``, ``charset`` | ``document.mime_type``, ``document.charset`` |

Other values of a publication are stored in ``publication.metadata``. Values that the format allows but ragraph does
not accept are refused with their JSON path.
"""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from psycopg.errors import InsufficientPrivilege
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ragraph.base.queries import QUERIES
from ragraph.errors import RecordError
from ragraph.ingest.common.written import in_a_line
from ragraph.ingest.draft import CleanText, GivenId, clean_text
from ragraph.schema.enums import DocumentType

if TYPE_CHECKING:
    from collections.abc import Sequence

    import psycopg

LARGEST_RECORD = 64 * 1024 * 1024
"""Maximum bytes of a file of records; it is read into memory."""


def _date(value: object) -> object:
    """Return the first day of a year or a month."""
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 9999:
        value = f"{value:04d}"
    if not isinstance(value, str):
        return value
    text = value.strip()
    if not text:
        return None
    try:
        return date.fromisoformat({4: f"{text}-01-01", 7: f"{text}-01"}.get(len(text), text[:10]))
    except ValueError:
        raise ValueError(f"{text[:40]!r} is not a date; write YYYY-MM-DD, YYYY-MM or YYYY") from None


def _upper(value: object) -> object:
    return value.strip().upper() if isinstance(value, str) else value


def _joined(value: object) -> object:
    return ", ".join(value) if isinstance(value, list) and all(isinstance(item, str) for item in value) else value


_Date = Annotated[date | None, BeforeValidator(_date)]
_Type = Annotated[DocumentType, BeforeValidator(_upper)]
_Authors = Annotated[CleanText | None, BeforeValidator(_joined)]


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class FileInfo(_Lenient):
    """``downloadLinks[*].file_info``."""

    mime_type: CleanText | None = None
    charset: CleanText | None = None


class DownloadLink(_Lenient):
    """One document of a publication."""

    id: GivenId
    url: CleanText | None = None
    type: _Type = DocumentType.MAIN
    text: CleanText | None = None
    file_info: FileInfo | None = None


class RecordMetadata(_Lenient):
    """``metadata`` of a publication; unmapped values stay in ``publication.metadata``."""

    authors: _Authors = None
    date: _Date = None


class PublicationRecord(_Lenient):
    """A publication with its documents."""

    id: GivenId
    title: Annotated[CleanText, Field(min_length=1)]
    abstract: CleanText | None = None
    citation: CleanText | None = None
    source: CleanText | None = None
    source_url: CleanText | None = None
    uri: CleanText | None = None
    metadata: RecordMetadata = RecordMetadata()
    downloadLinks: list[DownloadLink] = []  # noqa: N815 - the format's name


def is_record(path: Path) -> bool:
    """Return True if a file looks like publication records: JSON objects of which one has downloadLinks or metadata."""
    if path.suffix.lower() != ".json":
        return False
    try:
        value = _load(path)
    except RecordError:
        # Recognised by its look, so that errors are about records if records were meant.
        try:
            with path.open("rb") as file:
                head = file.read(4096)
        except OSError:
            return False
        return b'"schema_name"' not in head and head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"[", b"{")
    if isinstance(value, dict):
        return "downloadLinks" in value
    objects = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
    return not value or any("downloadLinks" in item or isinstance(item.get("metadata"), dict) for item in objects)


def read_records(path: Path) -> list[PublicationRecord]:
    """Return the publications of a file that holds one record or a list of them.

    Raises:
        RecordError: not JSON, or an invalid value; the message starts with its JSON path.
    """
    value = _load(path)
    items: Sequence[tuple[str, object]] = (
        [(f"$[{number}]", item) for number, item in enumerate(value)] if isinstance(value, list) else [("$", value)]
    )
    if not items:
        raise RecordError("$: the list of publications is empty")
    records = [_record(where, item) for where, item in items]
    publications: dict[str, str] = {}
    documents: dict[str, str] = {}
    for (where, _), record in zip(items, records, strict=True):
        _once(publications, record.id, f"{where}.id")
        for number, link in enumerate(record.downloadLinks):
            _once(documents, link.id, f"{where}.downloadLinks[{number}].id")
    return records


def write_records(
    connection: psycopg.Connection[Any], records: Sequence[PublicationRecord], collection: str, tags: Sequence[str]
) -> Literal["added", "changed", "unchanged"]:
    """Write publications and their documents; update only rows that differ.

    Documents keep the content that their files brought. A new document is ``pending`` until its file is ingested.

    Args:
        connection: a connection in a transaction that may write.
        records: the publications.
        collection: collection of new rows.
        tags: labels to set on the publications, if any.

    Raises:
        RecordError: an id belongs to another collection or another publication.
    """
    outcomes: list[bool | None] = []
    with connection.cursor(row_factory=dict_row) as cursor:
        for record in records:
            try:
                outcomes += _write(cursor, record, collection, tags)
            except InsufficientPrivilege as error:
                if "(USING expression)" not in str(error):
                    raise
                raise RecordError(
                    f"the id of publication {record.id!r}, or of a document of it, is taken in a collection out of"
                    " sight",
                    hint="give it and its documents other ids, and name their files so; or leave the record out",
                ) from error
    if any(outcomes):
        return "added"
    return "unchanged" if all(outcome is None for outcome in outcomes) else "changed"


def _write(
    cursor: psycopg.Cursor[dict[str, Any]], record: PublicationRecord, collection: str, tags: Sequence[str]
) -> list[bool | None]:
    """Write a publication and its documents; return the result of ``_one`` for each."""
    outcomes: list[bool | None] = []
    cursor.execute(QUERIES["lock_publication"], {"publication_id": record.id})
    known = cursor.execute(QUERIES["publication_collection"], {"publication_id": record.id}).fetchone()
    if known is not None and collection not in (known["collection"], *known["known"]):
        raise RecordError(
            f"publication {record.id!r} is in the collection {known['collection']!r}; give collection= to match"
        )
    cursor.execute(QUERIES["upsert_publication"], _publication(record, collection, tags))
    outcomes.append(_one(cursor))
    for link in record.downloadLinks:
        known = cursor.execute(QUERIES["document_owner"], {"document_id": link.id}).fetchone()
        if known is not None and (
            known["publication_id"] != record.id or collection not in (known["collection"], *known["ingested_into"])
        ):
            raise RecordError(
                f"document {link.id!r} belongs to publication {known['publication_id']!r} in the collection "
                f"{known['collection']!r}; delete it there first"
            )
        cursor.execute(QUERIES["upsert_record_document"], _document(link, record.id, collection))
        outcomes.append(_one(cursor))
    if any(outcome is False for outcome in outcomes):
        cursor.execute(QUERIES["works_owe"], {"publication_id": record.id})
    return outcomes


def _one(cursor: psycopg.Cursor[dict[str, Any]]) -> bool | None:
    """Return True for a new row, False for an updated one, None for an unchanged one."""
    row = cursor.fetchone()
    return None if row is None else bool(row["added"])


def _publication(record: PublicationRecord, collection: str, tags: Sequence[str]) -> dict[str, Any]:
    more = {**(record.model_extra or {})}
    beyond = record.metadata.model_extra or {}
    if beyond:
        more["metadata"] = beyond
    return {
        "id": record.id,
        "title": record.title,
        "abstract": record.abstract,
        "citation": record.citation,
        "authors": record.metadata.authors,
        "publication_date": record.metadata.date,
        "source": record.source,
        "source_url": record.source_url,
        "uri": record.uri,
        "collection": collection,
        "tags": list(tags) or None,
        "metadata": Jsonb(_clean(more)),
    }


def _document(link: DownloadLink, publication_id: str, collection: str) -> dict[str, Any]:
    info = link.file_info or FileInfo()
    return {
        "id": link.id,
        "publication_id": publication_id,
        "type": link.type.value,
        "download_url": link.url,
        "description": " ".join(link.text.split()) if link.text else None,
        "mime_type": info.mime_type,
        "charset": info.charset,
        "collection": collection,
    }


def _load(path: Path) -> object:
    try:
        if path.stat().st_size > LARGEST_RECORD:
            raise RecordError(f"$: the file has more than {LARGEST_RECORD // 1024**2} MiB; split it")
        return json.loads(path.read_bytes())
    except RecursionError:
        raise RecordError("$: the JSON is nested too deeply") from None
    except OSError as error:
        raise RecordError(f"$: the file cannot be opened ({error.strerror or error})") from error
    except ValueError as error:
        raise RecordError(f"$: the file is not JSON ({in_a_line(error)[:120]})") from error


def _record(where: str, value: object) -> PublicationRecord:
    try:
        return PublicationRecord.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"])
        said = first["msg"].removeprefix("Value error, ")
        raise RecordError(f"{where}{steps}: {' '.join(said.split())}") from None


def _once(seen: dict[str, str], name: str, where: str) -> None:
    if name in seen:
        raise RecordError(f"{where}: {name!r} is already the id at {seen[name]}")
    seen[name] = where


def _clean(value: Any) -> Any:
    if isinstance(value, dict):
        return {clean_text(key): _clean(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_clean(item) for item in value]
    # NaN and infinity are not JSON; PostgreSQL would refuse the row
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    return clean_text(value)
