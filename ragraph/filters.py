"""Filters on documents, typed: what ``Store.search(filter=...)`` and ``ragraph.filter_documents`` take.

    from ragraph.filters import field

    recent = field("year") >= 2020
    store.search("costs", filter=recent & field("tags").contains("climate") & ~field("authors").contains("Smith"))

The same filters are written as JSON in the form that MongoDB made known, ``{"year": {"$gte": 2020}}``; ``parse`` reads
it and ``to_json`` writes it. Fields are title, authors, source, collection, language, type, mime_type,
publication_date, year and month of it, tags, document_id and publication_id; any other name is a key of the
publication's metadata, and an error when no publication has it; ``metadata.name`` is such a key whether or not anyone
has it. A dot leads into an object or belongs to a key: ``dc.title`` finds ``{"dc.title": ...}`` and ``{"dc": {"title":
...}}``; up to five dots. Values compare within their JSON type, strings by code points; a list matches when one of its
elements does; what is missing matches only ``!=``, ``not_in`` and ``~``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from ragraph.base.arguments import refusal
from ragraph.errors import ArgumentError

Scalar = str | int | float | bool | date
"""A value that a field is compared with; dates go with ``publication_date``."""


MAX_DEPTH = 20
"""Levels that filters may be nested; the database has the same bounds."""
MAX_DOTS = 5
"""Dots in the name of a key of the metadata: each doubles the ways to read it."""
MAX_CONDITIONS = 500


class Operator(StrEnum):
    """How a field is compared with a value."""

    EQ = "$eq"
    NE = "$ne"
    GT = "$gt"
    GTE = "$gte"
    LT = "$lt"
    LTE = "$lte"
    IN = "$in"
    NIN = "$nin"
    CONTAINS = "$contains"


_LISTS = {Operator.IN, Operator.NIN}


class Filter:
    """A condition on documents; combine with ``&``, ``|`` and ``~``."""

    __slots__ = ()

    def __and__(self, other: Filter) -> Filter:
        return And((*_parts(self, And), *_parts(other, And)))

    def __or__(self, other: Filter) -> Filter:
        return Or((*_parts(self, Or), *_parts(other, Or)))

    def __invert__(self) -> Filter:
        return Not(self)

    def __bool__(self) -> bool:
        # "1 < field < 3" and "a and b" would silently drop one of the two
        raise ArgumentError("a filter is neither true nor false; combine filters with &, | and ~")

    def to_json(self) -> dict[str, Any]:
        """Return the filter as JSON values."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Compare(Filter):
    """A field compared with a value, or with a list of them for ``$in`` and ``$nin``."""

    field: str
    operator: Operator
    value: Scalar | tuple[Scalar, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.field, str):
            raise refusal("a filter", "the name of a field", self.field)
        if (dots := self.field.removeprefix("metadata.").count(".")) > MAX_DOTS:
            raise ArgumentError(f"a filter names a key with {dots:,} dots, more than {MAX_DOTS}: {self.field[:40]}…")
        if not self.field or self.field.startswith("$"):
            raise ArgumentError(f"{self.field!r} is no field; name a column or a key of the metadata")
        many = isinstance(self.value, tuple)
        if many != (self.operator in _LISTS):
            raise ArgumentError(f"{self.operator} on {self.field!r} takes {'one value' if many else 'a list'}")
        for item in self.value if isinstance(self.value, tuple) else (self.value,):
            if item is None:
                raise ArgumentError(
                    f"{self.field!r} cannot be compared with null; leave the field out, or give a value"
                )
            if not isinstance(item, str | int | float | bool | date) or isinstance(item, datetime):
                raise ArgumentError(
                    f"{self.field!r} cannot be compared with {_said(item)}; give text, a number or a date"
                )
            if isinstance(item, float) and not abs(item) < float("inf"):
                raise ArgumentError(f"{self.field!r} cannot be compared with {item!r}, which JSON does not have")

    def to_json(self) -> dict[str, Any]:
        """Return the filter as JSON values."""
        value = [_plain(item) for item in self.value] if isinstance(self.value, tuple) else _plain(self.value)
        return {self.field: {self.operator.value: value}}


@dataclass(frozen=True, slots=True)
class And(Filter):
    """All of these hold; of none, every document."""

    parts: tuple[Filter, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the filter as JSON values."""
        return {"$and": [part.to_json() for part in self.parts]} if self.parts else {}


@dataclass(frozen=True, slots=True)
class Or(Filter):
    """At least one of these holds."""

    parts: tuple[Filter, ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise ArgumentError("$or takes at least one filter")

    def to_json(self) -> dict[str, Any]:
        """Return the filter as JSON values."""
        return {"$or": [part.to_json() for part in self.parts]}


@dataclass(frozen=True, slots=True)
class Not(Filter):
    """This does not hold."""

    part: Filter

    def to_json(self) -> dict[str, Any]:
        """Return the filter as JSON values."""
        return {"$not": self.part.to_json()}


class Field:
    """A field to compare: ``field("year") >= 2020``, ``field("tags").contains("x")``, ``field("type").is_in(...)``."""

    __hash__ = None  # type: ignore[assignment]  # == makes a filter

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, value: object) -> Filter:  # type: ignore[override]
        return Compare(self.name, Operator.EQ, value)  # type: ignore[arg-type]  # checked there

    def __ne__(self, value: object) -> Filter:  # type: ignore[override]
        return Compare(self.name, Operator.NE, value)  # type: ignore[arg-type]

    def __gt__(self, value: Scalar) -> Filter:
        return Compare(self.name, Operator.GT, value)

    def __ge__(self, value: Scalar) -> Filter:
        return Compare(self.name, Operator.GTE, value)

    def __lt__(self, value: Scalar) -> Filter:
        return Compare(self.name, Operator.LT, value)

    def __le__(self, value: Scalar) -> Filter:
        return Compare(self.name, Operator.LTE, value)

    def is_in(self, values: Sequence[Scalar]) -> Filter:
        """Keep what has one of these values."""
        return Compare(self.name, Operator.IN, tuple(values))

    def not_in(self, values: Sequence[Scalar]) -> Filter:
        """Keep what has none of these values."""
        return Compare(self.name, Operator.NIN, tuple(values))

    def contains(self, value: Scalar) -> Filter:
        """Keep lists with this element, and text with this part."""
        return Compare(self.name, Operator.CONTAINS, value)


def _parts(filter: Filter, kind: type[And | Or]) -> tuple[Filter, ...]:
    """Return what a filter joins the same way, so that a chain of ``&`` is one level deep and not one a link."""
    if not isinstance(filter, Filter):
        raise refusal("a filter", "filters to combine it with", filter)
    return filter.parts if type(filter) is kind and isinstance(filter, And | Or) else (filter,)


def field(name: str) -> Field:
    """Return a field to compare, by the name of a column or of a key of the metadata."""
    return Field(name)


def parse(value: Filter | Mapping[str, Any]) -> Filter:
    """Read a filter from JSON values; one that is typed already is returned as it is.

    The database checks again, and knows which values a field takes.

    Raises:
        ArgumentError: an operator that does not exist, or a shape that is no filter.
    """
    made = _parse(value, 1)
    _check_size(made)
    return made


def _check_size(filter: Filter) -> None:
    """Refuse what is nested too deep to be walked, or has too many conditions to be planned.

    Raises:
        ArgumentError: it does.
    """
    level: list[Filter] = [filter]
    conditions = 0
    for _ in range(MAX_DEPTH):
        conditions += sum(isinstance(part, Compare) for part in level)
        level = [
            inner
            for part in level
            for inner in (part.parts if isinstance(part, And | Or) else (part.part,) if isinstance(part, Not) else ())
        ]
        if not level and conditions <= MAX_CONDITIONS:
            return
    raise _too_large()


def _too_large() -> ArgumentError:
    return ArgumentError(
        f"the filter is nested deeper than {MAX_DEPTH} levels, or has more than {MAX_CONDITIONS} conditions",
        hint="use $in for many values of one field",
    )


def _parse(value: Any, depth: int) -> Filter:
    if isinstance(value, Filter):
        return value
    if depth > MAX_DEPTH:
        raise _too_large()
    if not isinstance(value, Mapping):
        raise ArgumentError(f"{_said(value)} is no filter", hint='write it as {"year": {"$gte": 2020}}')
    parts = [part for key, inner in value.items() for part in _parse_entry(key, inner, depth + 1)]
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def _parse_entry(key: str, value: Any, depth: int) -> list[Filter]:
    if key in ("$and", "$or"):
        if not isinstance(value, list | tuple) or not value:
            raise ArgumentError(f"{key} takes a list of filters, not {_said(value)}")
        made = tuple(_parse(part, depth) for part in value)
        return [And(made) if key == "$and" else Or(made)]
    if key == "$not":
        return [Not(_parse(value, depth))]
    if isinstance(key, str) and key.startswith("$"):
        raise ArgumentError(f"{key!r} is no operator around filters; use $and, $or or $not, and others behind a field")
    if not isinstance(value, Mapping):
        return [_compare(key, Operator.EQ.value, value)]
    if not value:
        raise ArgumentError(f'the filter on {key!r} has no operator; write it as {{{_said(key)}: {{"$gte": 2020}}}}')
    return [
        Not(_parse({key: inner}, depth)) if name == "$not" else _compare(key, name, inner)
        for name, inner in value.items()
    ]


def _compare(key: str, name: str, value: Any) -> Compare:
    try:
        operator = Operator(name)
    except ValueError:
        raise ArgumentError(
            f"{name!r} on {key!r} is no operator of filters; use {', '.join(Operator)}, or $not"
        ) from None
    return Compare(key, operator, tuple(value) if isinstance(value, list | tuple) else value)


def _said(value: object) -> str:
    """Return a value as it stands in a filter: as JSON, where null is not None."""
    try:
        said = json.dumps(value, ensure_ascii=False)
        said.encode()  # half of a pair cannot be printed
        return said[:100]
    except UnicodeEncodeError:
        return json.dumps(value)[:100]
    except (TypeError, ValueError, RecursionError):
        return repr(value)[:100]


def _plain(value: Scalar) -> Scalar:
    return value.isoformat() if isinstance(value, date) else value
