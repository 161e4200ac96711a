"""Mappings that users write for records and XML: which fields and elements are title, text, data, or left out."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from typing import Any

from ragraph.errors import ArgumentError
from ragraph.ingest.readers.xml.mapping import ANY, DOCBOOK, FICTION_BOOK, TEI, Mapping

VOCABULARIES: dict[str, Mapping] = {"xml": ANY, "docbook": DOCBOOK, "tei": TEI, "fb2": FICTION_BOOK}
"""Built-in mappings, by the name of their reader; ``xml`` is that of XML of no known vocabulary."""

_TAGS = frozenset(
    {"p", "ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption"}
    | {"blockquote", "pre", "code", "figure", "figcaption", "img", "a", "em", "strong", "s", "sub", "sup", "cite", "q"}
    | {"span", "br", "line", "div", "section"}
)
"""Elements of a page that an element may become; ``line`` is a line of verse."""


@dataclass(frozen=True)
class RecordMapping:
    """How the fields of records are read. A field is named by its path, with dots; others are read as without mapping.

    Attributes:
        records: where the records are; empty for the whole file.
        title: field with the title of a record; empty for the usual names.
        text: fields whose text is paragraphs, in this order.
        data: fields that are stored as ``record`` in ``data`` of each node of their record, and not as text.
        drop: fields that are left out.
    """

    records: str = ""
    title: str = ""
    text: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()


@dataclass(frozen=True)
class Mappings:
    """The mappings of a file.

    Attributes:
        records: that of JSON, JSON lines and YAML.
        xml: that of XML.
        extends: the vocabulary that ``xml`` extends; its files are read by it too.
        named: elements and attributes that the user's mapping of XML names.
    """

    records: RecordMapping | None = None
    xml: Mapping | None = None
    extends: str = "xml"
    named: tuple[str, ...] = ()


def parse_mappings(text: str | None) -> Mappings:
    """Return the mappings in the text of a mapping file; empty ones for None.

    Raises:
        ArgumentError: it is not valid; the message names the key.
    """
    if text is None:
        return Mappings()
    try:
        given = json.loads(text)
    except ValueError as error:
        raise ArgumentError(f"the mapping is not JSON: {error}") from error
    _known("the mapping", given, ("records", "xml"))
    records, xml = given.get("records"), given.get("xml")
    if records is None and xml is None:
        raise ArgumentError("the mapping has neither records nor xml")
    found = Mappings()
    if records is not None:
        _known("records", records, [one.name for one in fields(RecordMapping)])
        values: dict[str, Any] = {
            name: _name(f"records.{name}", value) if name in ("records", "title") else _names(f"records.{name}", value)
            for name, value in records.items()
        }
        found = replace(found, records=RecordMapping(**values))
    if xml is not None:
        found = _with_xml(found, xml)
    return found


def _with_xml(found: Mappings, xml: Any) -> Mappings:
    _known("xml", xml, ["extends", *(one.name for one in fields(Mapping))])
    base = _name("xml.extends", xml.get("extends", "xml"))
    if base not in VOCABULARIES:
        raise ArgumentError(f"the mapping: xml.extends must be one of {', '.join(VOCABULARIES)}, not {base!r}")
    made = VOCABULARIES[base]
    tags = xml.get("tags", {})
    _known("xml.tags", tags, None)
    for name, tag in tags.items():
        if tag not in _TAGS:
            raise ArgumentError(f"the mapping: xml.tags.{name} must be one of {', '.join(sorted(_TAGS))}, not {tag!r}")
    named = {name: _names(f"xml.{name}", xml[name]) for name in xml if name not in ("extends", "tags")}
    taken = frozenset(name for names in named.values() for name in names) | tags.keys()
    changed: dict[str, Any] = {"tags": {**{k: v for k, v in made.tags.items() if k not in taken}, **tags}}
    for one in fields(Mapping):
        if one.name in ("ids", "links"):
            changed[one.name] = (*named.get(one.name, ()), *getattr(made, one.name))
        elif one.name != "tags":
            changed[one.name] = frozenset(getattr(made, one.name) - taken) | frozenset(named.get(one.name, ()))
    return replace(found, xml=replace(made, **changed), extends=base, named=(*tags, *sorted(taken - tags.keys())))


def _known(where: str, given: Any, names: Any) -> None:
    if not isinstance(given, dict):
        raise ArgumentError(f"the mapping: {where} must be an object")
    if names is not None and (unknown := given.keys() - set(names)):
        raise ArgumentError(f"the mapping: {where} has no key {min(unknown)!r}; it has {', '.join(sorted(names))}")


def _name(where: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ArgumentError(f"the mapping: {where} must be a text")
    return value


def _names(where: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ArgumentError(f"the mapping: {where} must be a list of names")
    return tuple(value)
