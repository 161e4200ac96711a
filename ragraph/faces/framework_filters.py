"""Translates the filters of frameworks on metadata into ``ragraph.filters``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from ragraph.errors import ArgumentError
from ragraph.filters import And, Filter, Not, Or, field, parse


def plain(value: Any) -> Any:
    """Return a value as JSON has it, for metadata and filters alike.

    Dates are in ISO format, numbers of numpy are numbers, and other objects are text.
    """
    return json.loads(json.dumps(value, default=_said))


def of_langchain(filter: Filter | Mapping[str, Any] | None) -> Filter | None:
    """Return a filter of LangChain, as its stores on PostgreSQL have it, as one of ours.

    ``{"year": {"$gte": 2020}, "kind": "a"}`` with ``$eq``, ``$ne``, ``$lt``, ``$lte``, ``$gt``, ``$gte``, ``$in``,
    ``$nin``, ``$between``, ``$exists``, ``$contains``, ``$and``, ``$or`` and ``$not``, which takes a filter,
    or several of which none may pass. Names are keys of the metadata.

    Args:
        filter: their filter; one of ``ragraph.filters`` is returned unchanged.

    Raises:
        ArgumentError: it is not a filter, or has another operator.
    """
    if filter is None or isinstance(filter, Filter):
        return filter
    if not isinstance(filter, Mapping):
        raise ArgumentError(f"a filter is a mapping or of ragraph.filters, not {type(filter).__name__}")
    return parse(And(tuple(part for key, value in filter.items() for part in _langchain_entry(key, value))))


def _langchain_entry(key: str, value: Any) -> list[Filter]:
    if key == "$not" and not isinstance(value, list | tuple):
        value = [value]
    if key in ("$and", "$or", "$not"):
        if not isinstance(value, list | tuple) or not value:
            raise ArgumentError(f"{key} takes a list of filters")
        parts = tuple(_part(item) for item in value)
        return [And(parts) if key == "$and" else Or(parts) if key == "$or" else Not(Or(parts))]
    if key.startswith("$"):
        raise ArgumentError(f"{key!r} is not an operator here; use $and, $or or $not, and others after a key")
    if not isinstance(value, Mapping):
        value = {"$eq": value}
    return [_compared(key, operator, plain(operand)) for operator, operand in value.items()]


def _part(filter: Any) -> Filter:
    made = of_langchain(filter)
    if made is None:
        raise ArgumentError("a filter within another one is null")
    return made


_HAYSTACK = {
    "==": "$eq",
    "!=": "$ne",
    ">": "$gt",
    ">=": "$gte",
    "<": "$lt",
    "<=": "$lte",
    "in": "$in",
    "not in": "$nin",
}


_HAYSTACK_FIELDS = ("meta", "content", "blob", "score", "embedding", "sparse_embedding")
"""Fields of Haystack's documents that are not filtered; as a key of meta they are written with ``meta.``."""


def of_haystack(filters: Mapping[str, Any] | None) -> Filter | None:
    """Return a filter of Haystack as one of ours; None and an empty one are None.

    ``{"field": "meta.year", "operator": ">=", "value": 2020}``, or ``{"operator": "AND", "conditions": [...]}`` with
    ``AND``, ``OR`` and ``NOT``. Fields are keys of the metadata with or without ``meta.``, or ``id``.

    Raises:
        ArgumentError: it is not a filter, is on another field of documents such as ``content``, or compares what cannot
            be compared: the order of texts that are no dates.
    """
    return parse(_haystack(filters)) if filters else None


def _haystack(filters: Any) -> Filter:
    if not isinstance(filters, Mapping):
        raise ArgumentError(f"a filter is a mapping, not {type(filters).__name__}")
    wanted = ("field", "operator", "value") if "field" in filters else ("operator", "conditions")
    if missing := [name for name in wanted if name not in filters]:
        raise ArgumentError(f"a filter lacks {missing[0]!r}: {filters!r:.100}")
    operator = filters["operator"]
    if "field" in filters:
        return _haystack_comparison(str(filters["field"]), operator, plain(filters["value"]), filters["value"])
    conditions = filters["conditions"]
    if operator not in ("AND", "OR", "NOT") or not isinstance(conditions, list) or not conditions:
        raise ArgumentError(f"a filter has AND, OR or NOT and a list of conditions, not {operator!r}")
    parts = tuple(_haystack(part) for part in conditions)
    return Or(parts) if operator == "OR" else And(parts) if operator == "AND" else Not(And(parts))


def _haystack_comparison(name: str, operator: str, value: Any, given: Any) -> Filter:
    if operator not in _HAYSTACK:
        raise ArgumentError(f"{operator!r} is not an operator; use {', '.join(_HAYSTACK)}")
    if operator in ("in", "not in") and not isinstance(given, list):
        raise ArgumentError(f"{operator!r} on {name!r} takes a list")
    key = name.removeprefix("meta.")
    if not key or name in _HAYSTACK_FIELDS:
        raise ArgumentError(f"filters are on id and on keys of meta, not on {name!r}", hint="name a key, as meta.year")
    if operator in (">", ">=", "<", "<="):
        if value is None:
            return And((has(key), ~has(key)))  # nothing is greater or less than no value
        if isinstance(value, str):
            _check_date(name, value)
    if name == "id":
        return parse({"document_id": {_HAYSTACK[operator]: value}})
    return _compared(key, _HAYSTACK[operator], value)


def _check_date(name: str, value: str) -> None:
    try:
        datetime.fromisoformat(value)
    except ValueError:
        raise ArgumentError(f"the order of {name!r} needs a number or a date, not {value!r:.50}") from None


_LLAMAINDEX = {
    "==": "$eq",
    "!=": "$ne",
    ">": "$gt",
    ">=": "$gte",
    "<": "$lt",
    "<=": "$lte",
    "in": "$in",
    "nin": "$nin",
    "any": "$in",
    "contains": "$contains",
    "text_match": "$contains",
}


def of_llamaindex(filters: Any) -> Filter | None:
    """Return a filter of LlamaIndex, ``MetadataFilters``, as one of ours; None and an empty one are None.

    Raises:
        ArgumentError: it has an operator that the store lacks (``text_match_insensitive``), or a wrong value.
    """
    return parse(_llamaindex(filters)) if filters is not None and filters.filters else None


def _llamaindex(filter: Any) -> Filter:
    if hasattr(filter, "filters"):
        parts = tuple(_llamaindex(part) for part in filter.filters)
        condition = "and" if filter.condition is None else filter.condition.value
        if condition == "and":
            return And(parts)
        return Or(parts) if condition == "or" else Not(Or(parts))
    operator, value = filter.operator.value, plain(filter.value)
    if operator == "is_empty":
        return ~has(filter.key)
    if operator == "all":
        if not isinstance(value, list):
            raise ArgumentError(f"'all' on {filter.key!r} takes a list")
        return And(tuple(_compared(filter.key, "$contains", item) for item in value))
    if operator not in _LLAMAINDEX:
        raise ArgumentError(f"the store has no operator {operator!r} for filters", hint="use text_match")
    return _compared(filter.key, _LLAMAINDEX[operator], value)


def _compared(key: str, operator: str, value: Any) -> Filter:
    name = f"metadata.{key}"
    match operator:
        case "$eq" if value is None:
            return ~has(key)
        case "$ne" if value is None:
            return has(key)
        case "$exists":
            return has(key) if value else ~has(key)
        case "$between":
            if not isinstance(value, list) or len(value) != 2:
                raise ArgumentError(f"$between on {key!r} takes the first and the last value")
            return And((field(name) >= value[0], field(name) <= value[1]))
    return parse({name: {operator: value}})


def has(key: str) -> Filter:
    """Return a filter for documents whose metadata have a value under a key; null and empty lists are no values."""
    value = field(f"metadata.{key}")
    return (value >= 0) | (value < 0) | (value >= "") | value.is_in([True, False])


def _said(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    if getattr(value, "shape", None) == ():  # a number of numpy, as the rows of data frames have it
        return value.item()
    return str(value)
