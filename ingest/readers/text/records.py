"""Data as text: records in JSON, JSON lines and YAML.

A list of short flat records is a table. Otherwise each record is a section: its title as heading, then its fields in
their order, texts as paragraphs and others as lists. Nested data is read as nested sections. Nothing is left out.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import yaml

from ragraph.errors import DamagedFileError, EmptyFileError, IngestError
from ragraph.ingest.common.charset import decode_file
from ragraph.ingest.common.written import read_json, read_yaml
from ragraph.ingest.draft import DraftMetadata
from ragraph.ingest.readers.docling.builder import DraftBuilder
from ragraph.ingest.readers.docling.run import damaged, not_empty
from ragraph.ingest.readers.html.fragments import seen_text
from ragraph.ingest.readers.html.reader import HtmlReader
from ragraph.ingest.readers.mappings import parse_mappings
from ragraph.ingest.readers.text.records_html import add_page, is_page, unescaped
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions
    from ragraph.ingest.readers.mappings import RecordMapping

_TITLES = ("title", "headline", "name", "heading", "subject", "question")
"""Fields that name a record, the first one that it has."""

_TEXTS = frozenset({"text", "body", "content", "abstract", "summary", "description", "answer", "article", "transcript"})
"""Fields whose text is paragraphs however short it is."""

_SHORT = 120
"""Letters above which a text is a paragraph, and no value in a list or table."""

_NAMED = 20
_NAMED_LETTERS = 60
"""Keys that a message names, and letters of each."""

_DEEPEST = 20
_WIDEST = 60
"""Maximum different fields of records that are a table."""


class RecordsReader:
    """JSON, JSON lines and YAML that hold no document of another format."""

    name = "records"
    version = 6 + HtmlReader.version  # a value may be a page

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of the data; raises the errors of ``Reader.read``."""
        data = _data(decode_file(path, options.charset).lstrip("\ufeff"), path.suffix.lower())
        builder = DraftBuilder(f"{self.name}/{self.version}")
        mapping = parse_mappings(options.mapping).records
        if mapping is not None:
            data = _records(data, mapping.records)
            builder.warnings += _unmatched(data, mapping)
        walk = _Walk(builder, options.table_rows, mapping)
        if isinstance(data, dict) and isinstance(title := data.get("title"), str) and len(title) <= _SHORT:
            builder.metadata = DraftMetadata(title=title)
        try:
            walk.value(data, None, 1)
        except RecursionError as error:
            raise damaged(error) from error
        return not_empty(builder.draft())


def _data(source: str, suffix: str) -> Any:
    try:
        if suffix in {".yaml", ".yml"}:
            found = read_yaml(source)
            return found[0] if len(found) == 1 else found
        try:
            return read_json(source)
        except json.JSONDecodeError:
            lines = [(number, line) for number, line in enumerate(source.splitlines(), 1) if line.strip()]
            if len(lines) < 2 or not _is_json(lines[0][1]):
                raise
            return [_record_of(number, line) for number, line in lines]
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        raise damaged(error) from error


def _is_json(line: str) -> bool:
    try:
        read_json(line)
    except ValueError:
        return False
    return True


def _record_of(number: int, line: str) -> Any:
    """Return the value of a line of JSON lines.

    Raises:
        DamagedFileError: it is none; the message has its number.
    """
    try:
        return read_json(line)
    except ValueError as error:
        said = str(error).partition(": line")[0]
        raise DamagedFileError(f"line {number:,} of the file is not JSON: {said}. Correct or remove it.") from error


def _records(data: Any, path: str) -> Any:
    """Return what is at the path of the records.

    Raises:
        IngestError: nothing is there; the message says how far the path leads, and what the file has there.
    """
    at = data
    walked: list[str] = []
    for name in path.split(".") if path else ():
        if isinstance(at, list):  # of lines or documents, each of which holds records
            inner = [one[name] for one in at if isinstance(one, dict) and name in one]
            if inner:
                at = [record for one in inner for record in (one if isinstance(one, list) else [one])]
                walked.append(name)
                continue
        if not isinstance(at, dict) or name not in at:
            where = f"{'.'.join(walked)!r}" if walked else "the file"
            raise IngestError(f"the mapping: records {path!r} matches nothing: {where} has {_described(at)}")
        at = at[name]
        walked.append(name)
    if path and at in (None, [], {}, ""):
        raise EmptyFileError(f"the mapping: records {path!r} leads to {json.dumps(at)}; there is nothing to ingest")
    return at


def _described(value: Any) -> str:
    """Return what a value is, for a message: its keys, or its kind."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return f"{len(value):,} records with {_described(value[0])}"
    if isinstance(value, dict):
        said = ", ".join(repr(str(name)[:_NAMED_LETTERS]) for name in list(value)[:_NAMED])
        return f"the keys {said}{' ...' if len(value) > _NAMED else ''}" if value else "no keys"
    return f"a list of {len(value):,} values" if isinstance(value, list) else f"the value {_shown(value)[:60]!r}"


def _unmatched(data: Any, mapping: RecordMapping) -> list[str]:
    """Return a warning that lists the fields of a mapping that no record has; none if all are there."""
    records = [one for one in (data if isinstance(data, list) else [data]) if isinstance(one, dict)]
    stated = [("title", mapping.title)] if mapping.title else []
    stated += [(key, name) for key in ("text", "data", "drop") for name in getattr(mapping, key)]
    missing = [f"{key} {name!r}" for key, name in stated if not any(_has(record, name) for record in records)]
    if not missing:
        return []
    fields = {str(name): value for record in reversed(records) for name, value in record.items()}
    there = _described(fields) if records else _described(data)
    return [f"the mapping: {', '.join(missing)} in no record; the records have {there}"]


def _has(record: dict[str, Any], path: str) -> bool:
    """Return True if a record has a field at a path of names."""
    at: Any = record
    for name in path.split("."):
        if not isinstance(at, dict) or name not in at:
            return False
        at = at[name]
    return True


class _Walk:
    def __init__(self, builder: DraftBuilder, table_rows: int, mapping: RecordMapping | None = None) -> None:
        self._builder = builder
        self._table_rows = table_rows
        self._mapping = mapping
        self._data: dict[str, Any] = {}
        self._count = 0

    def value(self, value: Any, container: str | None, level: int) -> None:
        if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
            self._records(value, container, level)
        elif isinstance(value, dict):
            self._record(value, container, level)
        elif isinstance(value, list):
            if all(not isinstance(one, dict | list) for one in value):
                listed = self._builder.container(self._key("list"), ComponentType.LIST, None, container)
                for one in value:
                    self._node(ContentNodeType.LIST_ITEM, _line("", one), listed)
            else:
                for one in value:
                    self.value(one, container, level)
        else:
            self._paragraphs(_shown(value), container)

    def _records(self, records: list[dict[str, Any]], container: str | None, level: int) -> None:
        if self._mapping is not None and level == 1:
            for record in records:
                self._record(record, container, level)
            return
        fields = list(dict.fromkeys(str(name) for record in records for name in record))
        flat = all(not isinstance(value, dict | list) for record in records for value in record.values())
        texts = [name for name in fields if name.lower() in _TEXTS]
        short = all(len(_line("", value)) <= _SHORT for record in records for value in record.values())
        if flat and short and not texts and len(fields) <= _WIDEST:
            rows = [fields, *([_line(name, record.get(name, "")) for name in fields] for record in records)]
            self._builder.table(self._key("table"), rows, header_rows=1, limit=self._table_rows, container=container)
            return
        for record in records:
            self._record(record, container, level)

    def _record(self, record: dict[str, Any], container: str | None, level: int) -> None:
        if self._mapping is not None and level == 1:
            self._mapped(record, self._mapping, container)
            return
        self._fields(record, container, level)

    def _mapped(self, record: dict[str, Any], mapping: RecordMapping, container: str | None) -> None:
        """Read a record as its mapping says: title, texts, then its other fields as without mapping."""
        data = {name: found for name in mapping.data if (found := _at(record, name)) is not None}
        self._data = {"record": data} if data else {}
        texts = [_at(record, name) for name in mapping.text]
        stated = _at(record, mapping.title) if mapping.title else None
        title = _line("", stated) if stated is not None else ""
        rest = record
        taken = (*mapping.data, *mapping.drop, *mapping.text, *([mapping.title] if title else []))
        for name in taken:
            rest = _without(rest, name)
        section = container
        if title:
            section = self._builder.container(self._key("section"), ComponentType.SECTION, title, container)
            self._node(ContentNodeType.HEADING, title, section, level=1)
        for value in texts:
            if isinstance(value, dict | list):
                self.value(value, section, 2)
            elif value is not None:
                self._paragraphs(_shown(value), section, level=1)
        self._fields(rest, section, 1 if not title else 2, titled=not title)
        self._data = {}

    def _fields(self, record: dict[str, Any], container: str | None, level: int, *, titled: bool = True) -> None:
        named = {str(name).lower(): name for name in record}
        title = next(
            (
                named[name]
                for name in _TITLES
                if titled and name in named and isinstance(record[named[name]], str) and record[named[name]].strip()
            ),
            None,
        )
        words = " ".join(_line("", str(record[title])).split()) if title is not None else ""
        section = container
        if words and len(words) <= 2 * _SHORT:
            section = self._builder.container(self._key("section"), ComponentType.SECTION, words, container)
            self._node(ContentNodeType.HEADING, words, section, level=min(level, 9))
        else:
            title = None
        listed = ""  # the list of short fields that follow each other
        for key, value in record.items():
            name, shown = str(key), _shown(value)
            if key == title or not shown or value in ([], {}):
                continue
            is_text = value is not None and (name.lower() in _TEXTS or len(shown) > _SHORT)
            if not is_text and not isinstance(value, dict | list):
                listed = listed or self._builder.container(self._key("fields"), ComponentType.LIST, None, section)
                self._node(ContentNodeType.LIST_ITEM, f"{name}: {_line(name, shown)}", listed)
                continue
            listed = ""
            if not isinstance(value, dict | list):
                label = "" if name.lower() in _TEXTS else f"{name}: "
                self._paragraphs(shown, section, name=name, label=label, level=level)
            elif level >= _DEEPEST:
                self._paragraphs(f"{name}: {json.dumps(value, ensure_ascii=False, default=str)}", section)
            else:
                inner = self._builder.container(self._key("section"), ComponentType.SECTION, name, section)
                self._node(ContentNodeType.HEADING, name, inner, level=min(level + bool(words), 9))
                self.value(value, inner, level + 1 + bool(words))

    def _paragraphs(self, text: str, container: str | None, *, name: str = "", label: str = "", level: int = 0) -> None:
        """Add a text by its paragraphs, a page by its blocks; a label that is none of theirs before them."""
        if is_page(name, text):
            before = len(self._builder.nodes)
            self._node(ContentNodeType.PARAGRAPH, label, container)
            if add_page(text, self._builder, self._key("page"), container, level):
                if self._data:
                    made = self._builder.nodes[before:]
                    update = [one.model_copy(update={"data": one.data | self._data}) for one in made]
                    self._builder.nodes[before:] = update
                return
            del self._builder.nodes[before:]
        for part in re.split(r"\n[ \t]*\n\s*", label + unescaped(name, text)):
            self._node(ContentNodeType.PARAGRAPH, part, container)

    def _node(self, kind: ContentNodeType, text: str, container: str | None, **more: Any) -> None:
        if self._data:
            more["data"] = {**more.get("data", {}), **self._data}
        self._builder.node(self._key("node"), kind, text, container=container, **more)

    def _key(self, kind: str) -> str:
        self._count += 1
        return f"{kind}{self._count}"


def _at(value: Any, path: str) -> Any:
    """Return what is at a path of names; None if nothing is there."""
    for name in path.split(".") if path else ():
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _without(record: dict[str, Any], path: str) -> dict[str, Any]:
    """Return a record without the field at a path of names."""
    name, _, rest = path.partition(".")
    if rest and isinstance(record.get(name), dict):
        return {**record, name: _without(record[name], rest)}
    return {key: value for key, value in record.items() if key != path}


def _line(name: str, value: Any) -> str:
    """Return a value as a line: of a page its text."""
    shown = unescaped(name, _shown(value))
    return seen_text(shown) or shown if is_page(name, shown) else shown


def _shown(value: Any) -> str:
    """Return a value as JSON shows it, a text without its quotes."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).strip()
