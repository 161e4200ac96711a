"""The scope of a search: the arguments that all searches share, checked once and stored in a frozen value.

psycopg is imported where it is used, because the command line reads this module to print its help.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Self, TypedDict

from ragraph.base.arguments import number, refusal, text, texts, whole
from ragraph.errors import ArgumentError
from ragraph.filters import Filter, parse
from ragraph.retrieval.parameters import AUTHORS, CONDITION, DAY, PAGES, SHARE, TEXT, TEXTS, Parameter
from ragraph.schema.enums import ContentNodeType, RelationType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Unpack

    from psycopg.types.json import Jsonb
    from psycopg.types.range import Range


class ScopeOptions(TypedDict, total=False):
    """The scope as keyword arguments of every search; all are optional, and None means no limit.

    An empty list finds nothing.

    Attributes:
        document: only in this document, or in these: ids.
        section: only within this component, or within these: id, title or number (``toc`` shows them). Needs
            ``document``; of several documents, each that has the section is searched within it. Of sections of one
            title in a document the outermost is meant.
        types: content node types, for example ``["TABLE"]``.
        pages: first and last physical page, both included; None for an open end.
        collection: only this collection.
        tags: publications with any of these tags.
        languages: documents in one of these languages; ``en`` includes ``en-US``.
        published: first and last publication date, both included; None for an open end.
        filter: condition on documents, typed (``ragraph.filters``) or as JSON: ``{"language": {"$ne": "en"}}``.
        entity: only nodes that mention this entity, or any of these: names, aliases or identities (``store.entities``).
        max_fault: leave out nodes with a higher ``data["fault"]``, from 0 to 1: how likely a reader would find a fault
            in their page or table. Nodes of which that is not known stay.
    """

    document: str | Sequence[str] | None
    section: str | Sequence[str] | None
    types: str | Sequence[str | ContentNodeType] | None
    pages: tuple[int | None, int | None] | None
    collection: str | None
    tags: str | Sequence[str] | None
    languages: str | Sequence[str] | None
    published: tuple[date | None, date | None] | None
    filter: Filter | Mapping[str, Any] | None
    entity: str | Sequence[str] | None
    max_fault: float | None


SCOPE_PARAMETERS = (
    Parameter(
        option="document",
        form=TEXTS,
        help="Only this document; may be repeated.",
        description="Only these documents: ids.",
    ),
    Parameter(
        option="section",
        form=TEXTS,
        metavar="SECTION",
        help="Only within this component: id, title or number; may be repeated.",
        description="Only these sections: id, title or number.",
        brief="Only within these sections and all below: id, title or number. Needs document.",
    ),
    Parameter(
        option="types",
        name="type",
        form=TEXTS,
        values=ContentNodeType,
        metavar="TYPE",
        example="TABLE",
        help="Only nodes of this type, such as TABLE; may be repeated.",
        description="Only nodes of these types.",
        brief="Only passages of these types: PARAGRAPH, TABLE, FIGURE, NOTE, CAPTION ...",
    ),
    Parameter(
        option="pages",
        form=PAGES,
        metavar="A-B",
        example="3-40",
        help="Only on these physical pages.",
        brief="Only on these physical pages: 5 or 3-40.",
    ),
    Parameter(option="collection", form=TEXT, help="Only this collection."),
    Parameter(
        option="tags",
        name="tag",
        form=TEXTS,
        help="Only publications with this tag; may be repeated.",
        description="Only publications with one of these tags.",
        brief="Only with one of these tags.",
    ),
    Parameter(
        option="languages",
        name="language",
        form=TEXTS,
        help="Only documents in this language; may be repeated.",
        description="Only documents in these languages.",
        brief="Only in these languages: en, pt-BR.",
    ),
    Parameter(
        option="filter",
        name="author",
        form=AUTHORS,
        tools=False,  # tools use the filter instead
        help="Only publications whose authors contain this text, letter case counts; may be repeated.",
        description="Only publications whose authors contain these.",
    ),
    Parameter(
        option="published",
        name="after",
        form=DAY,
        metavar="DATE",
        example="2020-01-01",
        help="Published on this day or later.",
        description="Published on this day or later.",
        brief="Published on this day or later: 2020-01-01.",
    ),
    Parameter(
        option="published",
        name="before",
        form=DAY,
        metavar="DATE",
        example="2024-12-31",
        help="Published on this day or earlier.",
        description="Published on this day or earlier.",
    ),
    Parameter(
        option="filter",
        form=CONDITION,
        metavar="JSON",
        example='{"year": {"$gte": 2020}}',
        help='Only documents that pass this filter, such as \'{"year": {"$gte": 2020}, "dc.title": "Costs"}\'.',
        description="A condition on documents, as JSON.",
        brief='A condition on documents: {"year": {"$gte": 2020}, "authors": {"$contains": "Rose"}}.',
    ),
    Parameter(
        option="entity",
        form=TEXTS,
        metavar="NAME",
        help="Only nodes that mention this entity: name, alias or identity; may be repeated.",
        description="Only nodes that mention one of these entities: name, alias or identity.",
        brief="Only passages that mention one of these entities.",
    ),
    Parameter(
        option="max_fault",
        form=SHARE,
        metavar="NUMBER",
        example="0.5",
        help="Leave out pages and tables likelier read wrong than this, from 0 to 1.",
        description="Leave out nodes of pages and tables that are likelier read wrong than this, from 0 to 1.",
        tools=False,  # a model reads the probability of a page, and knows no limit for it
    ),
)
"""The parameters of a scope for every interface, in the order in which they are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The part of the store that a search covers: ``ScopeOptions``, checked and frozen.

    None means no limit, an empty tuple finds nothing.
    """

    documents: tuple[str, ...] | None = None
    sections: tuple[str, ...] | None = None
    types: tuple[ContentNodeType, ...] | None = None
    pages: Range[int] | None = None
    collection: str | None = None
    tags: tuple[str, ...] | None = None
    languages: tuple[str, ...] | None = None
    published: Range[date] | None = None
    filter: Filter | None = None
    entities: tuple[str, ...] | None = None
    max_fault: float | None = None

    @classmethod
    def of(cls, **options: Unpack[ScopeOptions]) -> Self:
        """Make a scope of the keyword arguments of a search.

        Raises:
            ArgumentError: a type does not exist, a range runs backwards, a section has no document, or the filter is
                invalid.
            TypeError: a name that ``ScopeOptions`` does not have.
        """
        unknown = options.keys() - ScopeOptions.__annotations__.keys()
        if unknown:
            known = ", ".join(ScopeOptions.__annotations__)
            raise TypeError(f"a search has no argument {min(unknown)!r}; its scope has {known}")
        if (collection := options.get("collection")) is not None:
            text("collection", collection)
        documents, sections = texts("document", options.get("document")), texts("section", options.get("section"))
        if sections is not None and documents is None:
            if sections:
                raise ArgumentError("a section needs its document", hint="name it with", argument="document")
            documents = []  # sections of no document are none
        names = members(ContentNodeType, options.get("types"))
        pages, published, condition = options.get("pages"), options.get("published"), options.get("filter")
        fault = options.get("max_fault")
        return cls(
            documents=_frozen(documents),
            sections=_frozen(sections),
            types=None if names is None else tuple(ContentNodeType(name) for name in names),
            pages=None if pages is None else span("pages", pages),
            collection=collection,
            tags=_frozen(texts("tags", options.get("tags"))),
            languages=_frozen(texts("languages", options.get("languages"))),
            published=None if published is None else span("published", published, date),
            filter=None if condition is None else parse(condition),
            entities=_frozen(texts("entity", options.get("entity"))),
            max_fault=None if fault is None else number("max_fault", fault),
        )

    def asked(self, component_ids: list[str] | None) -> Jsonb:
        """Return the argument ``scope`` of the search functions.

        It has conditions by name, with ranges in PostgreSQL's text format.

        Args:
            component_ids: ids of the sections' components, found by the caller; None without sections.
        """
        from psycopg.types.json import Jsonb

        conditions = {
            "document_ids": self.documents,
            "component_ids": component_ids,
            "node_types": self.types,
            "pages": _range(self.pages),
            "collection": self.collection,
            "tags": self.tags,
            "languages": self.languages,
            "published": _range(self.published),
            "filter": None if self.filter is None else self.filter.to_json(),
            "entities": self.entities,
            "max_fault": self.max_fault,
        }
        return Jsonb({name: value for name, value in conditions.items() if value is not None})


def _range(ends: Range[Any] | None) -> str | None:
    """Return a range in PostgreSQL's text format, both ends included."""
    if ends is None:
        return None
    first, last = ("" if end is None else end for end in (ends.lower, ends.upper))
    return f"[{first},{last}]"


def _frozen(values: list[str] | None) -> tuple[str, ...] | None:
    return None if values is None else tuple(values)


def members(
    enum: type[ContentNodeType] | type[RelationType], values: str | Iterable[str] | None, argument: str = "types"
) -> list[str] | None:
    """Return the values of enum members by name, in any case.

    Args:
        enum: the enum.
        values: names of members; None for no restriction.
        argument: name of the argument, for errors.

    Raises:
        ArgumentError: the enum has no such name.
    """
    names = texts(argument, values)
    try:
        return None if names is None else [enum(name.upper()).value for name in names]
    except ValueError as error:
        raise ArgumentError(f"{error}; use {', '.join(enum)}") from None


def span(name: str, ends: tuple[Any, Any], kind: type = int) -> Range[Any]:
    """Return the range from the first to the last value, both included; None is an open end.

    Raises:
        ArgumentError: the value is not a pair of this type, or the first comes after the last.
    """
    from psycopg.types.range import Range

    words = f"the first and the last ({kind.__name__}), None for an open end"
    if not isinstance(ends, tuple | list) or len(ends) != 2:
        raise refusal(name, words, ends)
    first, last = ends
    for end in ends:
        if end is not None and (not isinstance(end, kind) or isinstance(end, bool | datetime)):
            raise refusal(name, words, end)
        if isinstance(end, int):
            whole(name, end)
    if first is not None and last is not None and first > last:
        raise ArgumentError(f"{name}: {first} comes after {last}; put the first one first")
    return Range(first, last, "[]")
