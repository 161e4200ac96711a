"""Typed filters on documents, for ``Store.search(filter=...)`` and ``ragraph.filter_documents``.

    from ragraph.filters import field

    recent = field("year") >= 2020
    store.search("costs", filter=recent & field("tags").contains("climate") & ~field("authors").contains("Smith"))

The same filters can be written as JSON like MongoDB's, ``{"year": {"$gte": 2020}}``; ``parse`` reads it and ``to_json``
writes it.

Fields are title, authors, source, collection, language, type, mime_type, publication_date, its year and month, tags,
document_id and publication_id. Any other name is a key of the publication's metadata, and an error if no publication
has it. ``metadata.name`` is such a key even if no publication has it. A dot leads into an object or belongs to a key:
``dc.title`` finds ``{"dc.title": ...}`` and ``{"dc": {"title": ...}}``. A name has up to five dots.

Values are compared within their JSON type, strings by code points. A list matches if one of its elements does. A
missing value matches only ``== None``, ``!=``, ``not_in`` and ``~``; ``field("year").exists()`` matches any value.
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

Scalar = str | int | float | bool | date | None
"""A value to compare a field with; dates are for ``publication_date``, None is for ``==`` and ``!=``."""


MAX_DEPTH = 20
"""Maximum nesting of filters; the database has the same limits."""
_LONGEST_NUMBER = 13_287
"""Bits of a number of 4,000 digits; Python writes none of more than 4,300."""

MAX_DOTS = 5
"""Maximum number of dots in the name of a metadata key: each dot doubles the ways to read it."""
MAX_CONDITIONS = 500


class Operator(StrEnum):
    """Comparison of a field with a value."""

    EQ = "$eq"
    NE = "$ne"
    GT = "$gt"
    GTE = "$gte"
    LT = "$lt"
    LTE = "$lte"
    IN = "$in"
    NIN = "$nin"
    CONTAINS = "$contains"
    EXISTS = "$exists"


_LISTS = {Operator.IN, Operator.NIN}


class Filter:
    """A condition on documents; combine conditions with ``&``, ``|`` and ``~``."""

    __slots__ = ()

    def __and__(self, other: Filter) -> Filter:
        return And((*_parts(self, And), *_parts(other, And)))

    def __or__(self, other: Filter) -> Filter:
        return Or((*_parts(self, Or), *_parts(other, Or)))

    def __invert__(self) -> Filter:
        return Not(self)

    def __bool__(self) -> bool:
        # Python would evaluate "1 < field < 3" and "a and b" without one of the two conditions.
        raise ArgumentError("a filter is neither true nor false; combine filters with &, | and ~")

    def to_json(self) -> dict[str, Any]:
        """Return the filter as JSON values."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Compare(Filter):
    """A field compared with a value, or with a list of values for ``$in`` and ``$nin``."""

    field: str
    operator: Operator
    value: Scalar | tuple[Scalar, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.field, str):
            raise refusal("a filter", "the name of a field", self.field)
        if (dots := self.field.removeprefix("metadata.").count(".")) > MAX_DOTS:
            raise ArgumentError(f"a filter names a key with {dots:,} dots, more than {MAX_DOTS}: {self.field[:40]}…")
        if not self.field or self.field.startswith("$"):
            raise ArgumentError(f"{self.field!r} is not a field; use a column or a key of the metadata")
        many = isinstance(self.value, tuple)
        if many != (self.operator in _LISTS):
            raise ArgumentError(f"{self.operator} on {self.field!r} takes {'one value' if many else 'a list'}")
        if self.operator is Operator.EXISTS and not isinstance(self.value, bool):
            raise ArgumentError(f"$exists on {self.field!r} takes true or false, not {_as_json(self.value)}")
        if self.value is None and self.operator in (Operator.EQ, Operator.NE):
            return
        for item in self.value if isinstance(self.value, tuple) else (self.value,):
            if item is None:
                raise ArgumentError(
                    f"{self.operator} on {self.field!r} cannot be null; use $eq, $ne or $exists for that"
                )
            if not isinstance(item, str | int | float | bool | date) or isinstance(item, datetime):
                raise ArgumentError(
                    f"{self.field!r} cannot be compared with {_as_json(item)}; use text, a number or a date"
                )
            if isinstance(item, float) and not abs(item) < float("inf"):
                raise ArgumentError(f"{self.field!r} cannot be compared with {item!r}, which JSON does not have")
            if isinstance(item, int) and item.bit_length() > _LONGEST_NUMBER:
                raise ArgumentError(f"{self.field!r} cannot be compared with a number of more than 4,000 digits")

    def to_json(self) -> dict[str, Any]:
        """Return the filter as JSON values."""
        value = [_plain(item) for item in self.value] if isinstance(self.value, tuple) else _plain(self.value)
        return {self.field: {self.operator.value: value}}


@dataclass(frozen=True, slots=True)
class And(Filter):
    """All conditions hold; without conditions, every document matches."""

    parts: tuple[Filter, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the filter as JSON values."""
        return {"$and": [part.to_json() for part in self.parts]} if self.parts else {}


@dataclass(frozen=True, slots=True)
class Or(Filter):
    """At least one condition holds."""

    parts: tuple[Filter, ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise ArgumentError("$or takes at least one filter")

    def to_json(self) -> dict[str, Any]:
        """Return the filter as JSON values."""
        return {"$or": [part.to_json() for part in self.parts]}


@dataclass(frozen=True, slots=True)
class Not(Filter):
    """The condition does not hold."""

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
        """Match documents with one of these values."""
        return Compare(self.name, Operator.IN, tuple(values))

    def not_in(self, values: Sequence[Scalar]) -> Filter:
        """Match documents with none of these values."""
        return Compare(self.name, Operator.NIN, tuple(values))

    def exists(self, there: bool = True) -> Filter:
        """Match documents that have the field, or that do not."""
        return Compare(self.name, Operator.EXISTS, there)

    def contains(self, value: Scalar) -> Filter:
        """Match lists with this element, and text with this part."""
        return Compare(self.name, Operator.CONTAINS, value)


def _parts(filter: Filter, kind: type[And | Or]) -> tuple[Filter, ...]:
    """Return the conditions that a filter combines in the same way, so that a chain of ``&`` is one level deep."""
    if not isinstance(filter, Filter):
        raise refusal("a filter", "filters to combine it with", filter)
    return filter.parts if type(filter) is kind and isinstance(filter, And | Or) else (filter,)


def field(name: str) -> Field:
    """Return a field to compare, by the name of a column or of a metadata key."""
    return Field(name)


def parse(value: Filter | Mapping[str, Any]) -> Filter:
    """Return a filter from JSON values; a typed filter is returned unchanged.

    The database checks it again, and knows which values a field accepts.

    Raises:
        ArgumentError: an operator does not exist, or the value is not a filter.
    """
    made = _parse(value, 1)
    _check_size(made)
    return made


def passes_all(filter: Filter) -> bool:
    """Return True if a filter has no condition, so that every document passes it."""
    return isinstance(filter, And) and all(map(passes_all, filter.parts))


def _check_size(filter: Filter) -> None:
    """Refuse filters that are nested too deeply, or have too many conditions for the query planner.

    Raises:
        ArgumentError: the filter exceeds a limit.
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
        raise ArgumentError(f"{_as_json(value)} is not a filter", hint='write it as {"year": {"$gte": 2020}}')
    parts = [part for key, inner in value.items() for part in _parse_entry(key, inner, depth + 1)]
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def _parse_entry(key: str, value: Any, depth: int) -> list[Filter]:
    if key in ("$and", "$or"):
        if not isinstance(value, list | tuple) or not value:
            raise ArgumentError(f"{key} takes a list of filters, not {_as_json(value)}")
        made = tuple(_parse(part, depth) for part in value)
        return [And(made) if key == "$and" else Or(made)]
    if key == "$not":
        return [Not(_parse(value, depth))]
    if isinstance(key, str) and key.startswith("$"):
        raise ArgumentError(f"{key!r} is not an operator here; use $and, $or or $not, and others after a field")
    if not isinstance(value, Mapping):
        return [_compare(key, Operator.EQ.value, value)]
    if not value:
        raise ArgumentError(f'the filter on {key!r} has no operator; write it as {{{_as_json(key)}: {{"$gte": 2020}}}}')
    if "$not" in value and value["$not"] is None:
        raise ArgumentError(f'$not on {key!r} takes operators, not null; write it as {{"$ne": null}}')
    return [
        Not(_parse({key: inner}, depth)) if name == "$not" else _compare(key, name, inner)
        for name, inner in value.items()
    ]


def _compare(key: str, name: str, value: Any) -> Compare:
    try:
        operator = Operator(name)
    except ValueError:
        said = name if isinstance(name, str) else _as_json(name)
        raise ArgumentError(f"{said!r} on {key!r} is not an operator; use {', '.join(Operator)}, or $not") from None
    return Compare(key, operator, tuple(value) if isinstance(value, list | tuple) else value)


def _as_json(value: object) -> str:
    """Return a value in JSON as in a filter, where None is null; cut to 100 characters."""
    try:
        said = json.dumps(value, ensure_ascii=False)
        said.encode()  # a lone surrogate cannot be printed
        return said[:100]
    except UnicodeEncodeError:
        return json.dumps(value)[:100]
    except (TypeError, ValueError, RecursionError):
        try:
            return repr(value)[:100]
        except ValueError:  # a number of more digits than Python writes
            return "…"


def _plain(value: Scalar) -> Scalar:
    return value.isoformat() if isinstance(value, date) else value
