"""Filters as Python objects: built from fields, frozen, with one line for what is no filter."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pytest

from ragraph.errors import ArgumentError
from ragraph.filters import And, Compare, Filter, Not, Operator, Or, field, parse


def test_filters_are_built_by_comparing_fields() -> None:
    made = (field("year") >= 2020) & field("tags").contains("x") | ~(field("a.b") == "c")
    assert made.to_json() == {
        "$or": [
            {"$and": [{"year": {"$gte": 2020}}, {"tags": {"$contains": "x"}}]},
            {"$not": {"a.b": {"$eq": "c"}}},
        ]
    }
    assert parse(made.to_json()) == made
    assert field("y").is_in([1, 2]).to_json() == {"y": {"$in": [1, 2]}}
    assert field("y").not_in(["a"]).to_json() == {"y": {"$nin": ["a"]}}
    assert (field("publication_date") < date(2024, 2, 29)).to_json() == {"publication_date": {"$lt": "2024-02-29"}}
    assert [(field("y") != 1).to_json(), (field("y") <= 1).to_json(), (field("y") > 1).to_json()] == [
        {"y": {"$ne": 1}},
        {"y": {"$lte": 1}},
        {"y": {"$gt": 1}},
    ]


def test_filters_are_frozen_values() -> None:
    made = Compare("a", Operator.EQ, 1)
    assert made == Compare("a", Operator.EQ, 1)
    assert len({made, Compare("a", Operator.EQ, 1)}) == 1
    with pytest.raises(AttributeError):
        made.field = "b"  # type: ignore[misc]
    assert parse({"a": 1, "b": 2}) == And((made, Compare("b", Operator.EQ, 2)))
    assert parse({"$or": [made, {"$not": {"a": 1}}]}) == Or((made, Not(made)))


@pytest.mark.parametrize(
    "make",
    [
        lambda: parse([]),  # type: ignore[arg-type]
        lambda: parse({"a": {"$near": 1}}),
        lambda: parse({"$nor": []}),
        lambda: parse({"$or": []}),
        lambda: parse({"a": {}}),
        lambda: parse({"a": {"$lt": None}}),
        lambda: parse({"a": [1]}),
        lambda: parse({"a": {"$in": 1}}),
        lambda: parse({"a": {"$in": [None]}}),
        lambda: parse({"": 1}),
        lambda: field("a") == float("nan"),
        lambda: field("a") == datetime(2020, 1, 1),
        lambda: bool(field("a") == 1),
        lambda: 1 < field("a") < 3,
        lambda: Or(()),
    ],
)
def test_what_is_no_filter_is_refused(make: Any) -> None:
    with pytest.raises(ArgumentError) as raised:
        made: Filter = make()
        raise AssertionError(made)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "filter", [None, {"a": {"$gt": None}}, {"a": {"$in": ["x", None]}}, {"$or": None}, {"a": {"$not": None}}]
)
def test_null_is_not_called_none(filter: Any) -> None:
    with pytest.raises(ArgumentError, match="null") as raised:
        parse(filter)
    assert "None" not in str(raised.value)


def test_an_unknown_operator_around_filters_is_told() -> None:
    with pytest.raises(ArgumentError, match=r"^'\$nor' is not an operator here; use \$and, \$or or \$not"):
        parse({"$nor": [{"year": 2020}]})


def test_half_of_a_pair_is_told_in_a_message_that_can_be_printed() -> None:
    with pytest.raises(ArgumentError, match="is not a filter") as raised:
        parse("\ud800")  # type: ignore[arg-type]
    assert "\\ud800" in str(raised.value).encode().decode()
