"""Where to search: the arguments that every search takes, checked once and kept in one frozen value."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from psycopg.types.json import Jsonb
from psycopg.types.range import Range

from ragraph.errors import ArgumentError
from ragraph.filters import Filter, parse
from ragraph.schema.enums import ContentNodeType, RelationType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import date


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The part of the store that a search looks at; None leaves a bound out, an empty tuple finds nothing.

    Attributes:
        documents: ids of documents.
        section: id, title or number of a component of the one document that is named.
        types: content node types.
        pages: first and last physical page, both included; None is an open end.
        collection: the collection.
        tags: publications that carry any of these tags.
        languages: documents in one of these languages; ``en`` finds ``en-US`` too.
        published: first and last date of publication, either may be None.
        filter: condition on the documents and the metadata of their publications.
    """

    documents: tuple[str, ...] | None = None
    section: str | None = None
    types: tuple[ContentNodeType, ...] | None = None
    pages: Range[int] | None = None
    collection: str | None = None
    tags: tuple[str, ...] | None = None
    languages: tuple[str, ...] | None = None
    published: Range[date] | None = None
    filter: Filter | None = None

    @classmethod
    def of(
        cls,
        *,
        document: str | Sequence[str] | None = None,
        section: str | None = None,
        types: str | Sequence[str | ContentNodeType] | None = None,
        pages: tuple[int | None, int | None] | None = None,
        collection: str | None = None,
        tags: str | Sequence[str] | None = None,
        languages: str | Sequence[str] | None = None,
        published: tuple[date | None, date | None] | None = None,
        filter: Filter | Mapping[str, Any] | None = None,
    ) -> Self:
        """Build a scope from the keyword arguments of ``Store.search``.

        Raises:
            ArgumentError: a type that does not exist, a range that runs backwards, a section without its document,
                a filter that is none.
        """
        documents = several(document)
        if section is not None and (documents is None or len(documents) != 1):
            raise ArgumentError("a section needs its document; name exactly one with document=")
        names = members(ContentNodeType, types)
        return cls(
            documents=_frozen(documents),
            section=section,
            types=None if names is None else tuple(ContentNodeType(name) for name in names),
            pages=None if pages is None else span("pages", pages),
            collection=collection,
            tags=_frozen(several(tags)),
            languages=_frozen(several(languages)),
            published=None if published is None else span("published", published),
            filter=None if filter is None else parse(filter),
        )

    def parameters(self, component_id: str | None) -> dict[str, Any]:
        """Return the arguments of the search functions, by name; the caller has looked up the section's id."""
        return {
            "document_ids": _listed(self.documents),
            "component_id": component_id,
            "node_types": None if self.types is None else [item.value for item in self.types],
            "pages": self.pages,
            "collection": self.collection,
            "tags": _listed(self.tags),
            "languages": _listed(self.languages),
            "published": self.published,
            "filter": None if self.filter is None else Jsonb(self.filter.to_json()),
        }


def _frozen(values: list[str] | None) -> tuple[str, ...] | None:
    return None if values is None else tuple(values)


def _listed(values: tuple[str, ...] | None) -> list[str] | None:
    return None if values is None else list(values)


def several(value: str | Iterable[str] | None) -> list[str] | None:
    """Take one string for a list of one: its letters are never meant."""
    return None if value is None else [value] if isinstance(value, str) else list(value)


def members(enum: type[ContentNodeType] | type[RelationType], values: str | Iterable[str] | None) -> list[str] | None:
    """Return the names of members of an enum, in whatever case they are given.

    Raises:
        ArgumentError: a name that the enum does not have.
    """
    names = several(values)
    try:
        return None if names is None else [enum(name.upper()).value for name in names]
    except ValueError as error:
        raise ArgumentError(f"{error}; use {', '.join(enum)}") from None


def span(name: str, ends: tuple[Any, Any]) -> Range[Any]:
    """Return the range from the first to the last, both included; None is an open end.

    Raises:
        ArgumentError: the first comes after the last.
    """
    first, last = ends
    if first is not None and last is not None and first > last:
        raise ArgumentError(f"{name} run from {first} to {last}; give the first one first")
    return Range(first, last, "[]")


@contextmanager
def only_text() -> Iterator[None]:
    """Refuse strings that no database can hold: lone surrogates, as file names and arguments may carry them.

    Raises:
        ArgumentError: a text has one.
    """
    try:
        yield
    except UnicodeEncodeError as error:
        raise ArgumentError("a text has a lone surrogate, which is no character; remove it") from error
