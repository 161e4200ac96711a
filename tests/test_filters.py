"""Filters on documents: SQL, typed Python and JSON say the same, nothing of a filter is ever SQL."""

from __future__ import annotations

import json
from collections import defaultdict
from datetime import date
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from factories import make_document
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from ragraph.base.queries import QUERIES
from ragraph.filters import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    Connection = psycopg.Connection[tuple[Any, ...]]


def keep(connection: Connection, filter: Any) -> list[str]:
    rows = connection.execute("SELECT * FROM ragraph.filter_documents(%s)", [Jsonb(filter)]).fetchall()
    return [document for (document,) in rows]


def publish(connection: Connection, document: str, **columns: Any) -> None:
    """Insert a document and set columns of its publication."""
    language = columns.pop("language", None)
    make_document(connection, document, pages=0, language=language, collection=columns.get("collection", "default"))
    for name, value in columns.items():
        connection.execute(
            psycopg.sql.SQL("UPDATE ragraph.publication SET {} = %s WHERE id = %s").format(
                psycopg.sql.Identifier(name)
            ),
            [Jsonb(value) if name == "metadata" else value, "pub_" + document.removeprefix("dl_")],
        )


@pytest.fixture
def library_of_three(connection: Connection) -> Connection:
    publish(
        connection,
        "dl_a",
        title="Adaptation",
        authors="Jane Smith, Joe O'Hara",
        publication_date=date(2020, 5, 1),
        tags=["climate", "cost"],
        language="en",
        metadata={"jahr": 2020, "open": True, "it's": "o'clock", "a": {"b": ["x", "y"]}, "n": 1.50},
    )
    publish(
        connection,
        "dl_b",
        title="Mitigation",
        publication_date=date(2023, 1, 1),
        tags=["climate"],
        collection="other",
        metadata={"jahr": 2023, "open": False, "a": {"b": "x"}, "note": "fine print"}
        | {"dc.title": "Costs", "dc": {"date.issued": [2020]}},
    )
    publish(
        connection,
        "dl_c",
        title="Zero",
        metadata={"jahr": "2023", "a": "x", "dc": {"title": ["Costs"]}, "dc.date": {"issued": 2020}},
    )
    return connection


CASES: list[tuple[dict[str, Any], str]] = [
    ({}, "abc"),
    ({"jahr": 2023}, "b"),
    ({"jahr": "2023"}, "c"),
    ({"jahr": {"$eq": 2023.0}}, "b"),
    ({"jahr": {"$ne": 2023}}, "ac"),
    ({"jahr": {"$gte": 2020, "$lt": 2023}}, "a"),
    ({"jahr": {"$gt": 2020}}, "b"),
    ({"jahr": {"$lte": "3"}}, "c"),
    ({"jahr": {"$in": [2020, "2023"]}}, "ac"),
    ({"jahr": {"$nin": [2020, "2023"]}}, "b"),
    ({"jahr": {"$in": []}}, ""),
    ({"jahr": {"$in": [*range(1900, 1950), 2020, "2023"]}}, "ac"),
    ({"a.b": {"$in": ["y", 1]}}, "a"),
    ({"jahr": {"$nin": []}}, "abc"),
    ({"metadata.jahr": 2020}, "a"),
    ({"metadata.absent": {"$ne": 1}}, "abc"),
    ({"metadata.absent": {"$nin": [1]}}, "abc"),
    ({"metadata.absent": {"$gt": 1}}, ""),
    ({"metadata.absent": {"$not": {"$gt": 1}}}, "abc"),
    ({"n": 1.5}, "a"),
    ({"open": True}, "a"),
    ({"open": {"$ne": True}}, "bc"),
    ({"it's": "o'clock"}, "a"),
    ({"it's": {"$contains": "'"}}, "a"),
    ({"a.b": "x"}, "ab"),
    ({"a.b": {"$contains": "x"}}, "ab"),
    ({"a.b": {"$contains": "y"}}, "a"),
    ({"a.b": {"$gt": "x"}}, "a"),
    ({"dc.title": "Costs"}, "bc"),
    ({"metadata.dc.title": "Costs"}, "bc"),
    ({"dc.title": {"$ne": "Costs"}}, "a"),
    ({"dc.title": {"$in": ["Costs", 1]}}, "bc"),
    ({"dc.title": {"$contains": "ost"}}, "b"),
    ({"dc.title": {"$lt": "D"}}, "bc"),
    ({"dc.date.issued": 2020}, "bc"),
    ({"metadata.dc.date": 2020}, ""),
    ({"a": "x"}, "c"),
    ({"note": {"$contains": "print"}}, "b"),
    ({"note": {"$contains": 1}}, ""),
    ({"tags": {"$contains": "cost"}}, "a"),
    ({"tags": "climate"}, "ab"),
    ({"tags": {"$in": ["cost", "z"]}}, "a"),
    ({"tags": {"$nin": ["cost"]}}, "bc"),
    ({"tags": {"$gt": "climate"}}, "a"),
    ({"title": "Zero"}, "c"),
    ({"title": {"$in": ["Zero", "Mitigation"]}}, "bc"),
    ({"title": {"$gte": "Mitigation"}}, "bc"),
    ({"authors": {"$contains": "O'Hara"}}, "a"),
    ({"authors": {"$ne": "x"}}, "abc"),
    ({"language": "en"}, "a"),
    ({"collection": "other"}, "b"),
    ({"type": "MAIN"}, "abc"),
    ({"document_id": {"$in": ["dl_a", "dl_c"]}}, "ac"),
    ({"publication_id": "pub_b"}, "b"),
    ({"publication_date": "2020-05-01"}, "a"),
    ({"publication_date": {"$gte": "2020-05-01", "$lt": "2023-01-01"}}, "a"),
    ({"publication_date": {"$gt": "2020-05-01"}}, "b"),
    ({"publication_date": {"$ne": "2020-05-01"}}, "bc"),
    ({"publication_date": {"$in": ["2020-05-01", "1999-12-31"]}}, "a"),
    ({"$or": [{"jahr": 2020}, {"title": "Zero"}]}, "ac"),
    ({"$and": [{"tags": "climate"}, {"jahr": {"$gt": 2020}}]}, "b"),
    ({"$not": {"tags": "climate"}}, "c"),
    ({"$not": {"$or": [{"jahr": 2020}, {"jahr": 2023}]}}, "c"),
    ({"tags": "climate", "$or": [{"open": False}, {"metadata.absent": 1}]}, "b"),
    ({"metadata.x'; DROP TABLE ragraph.relation; --": {"$ne": "'; DROP TABLE ragraph.relation; --"}}, "abc"),
    ({"metadata.%s": 1}, ""),
    ({"year": 2023}, "b"),
    ({"year": {"$eq": 2023.0}}, "b"),
    ({"year": {"$ne": 2023}}, "ac"),
    ({"year": {"$gt": 2020}}, "b"),
    ({"year": {"$gte": 2020}}, "ab"),
    ({"year": {"$lt": 2023}}, "a"),
    ({"year": {"$lte": 2023}}, "ab"),
    ({"year": {"$in": [2020, 2021]}}, "a"),
    ({"year": {"$nin": [2020, 2021]}}, "bc"),
    ({"year": {"$in": []}}, ""),
    ({"year": {"$not": {"$gte": 2023}}}, "ac"),
    ({"year": 9999}, ""),
    ({"month": 5}, "a"),
    ({"month": {"$lt": 5}}, "b"),
    ({"month": {"$in": [1, 5]}}, "ab"),
    ({"year": 2020, "month": {"$gte": 5}}, "a"),
    ({"metadata.year": 2020}, ""),
    ({"metadata.jahr.zehnt": {"$ne": 1}}, "abc"),
]


@pytest.mark.parametrize(("filter", "expected"), CASES, ids=lambda value: json.dumps(value))
def test_filters(library_of_three: Connection, filter: dict[str, Any], expected: str) -> None:
    assert keep(library_of_three, filter) == [f"dl_{letter}" for letter in expected]
    # what Python reads and writes again means the same
    assert keep(library_of_three, parse(filter).to_json()) == [f"dl_{letter}" for letter in expected]


@pytest.mark.parametrize(
    ("filter", "said"),
    [
        ([1], "[1]"),
        ({"year": {"$near": 1}}, "$near"),
        ({"$nor": [{"a": 1}]}, "$nor"),
        ({"year": {}}, "year"),
        ({"year": {"key": 1}}, "key"),
        ({"year": [2020]}, "year"),
        ({"year": {"$gt": None}}, "year"),
        ({"year": {"$in": 2020}}, "$in"),
        ({"year": {"$in": [[2020]]}}, "$in"),
        ({"year": {"$gt": True}}, "$gt"),
        ({"year": 0}, "year"),
        ({"year": 2020.5}, "2020.5"),
        ({"year": "2020"}, "year"),
        ({"year": {"$in": [2020, 10000]}}, "10000"),
        ({"year": {"$contains": 2020}}, "year"),
        ({"month": 13}, "13"),
        ({"month": -1e300}, "month"),
        ({"metadata" + ".a" * 10_000: 1}, "9999 dots"),
        ({"metadata.": 1}, "with an empty name"),
        ({"year": {"$not": 1}}, "$not"),
        ({"$or": []}, "$or"),
        ({"$and": {"a": 1}}, "$and"),
        ({"title": 1}, "title"),
        ({"tags": {"$contains": 1}}, "tags"),
        ({"publication_date": "2020"}, "publication_date"),
        ({"publication_date": "2020-02-30"}, "publication_date"),
        ({"publication_date": {"$contains": "2020-02-03"}}, "publication_date"),
        ({"a..b": 1}, "a..b"),
        ({"$and": [{"metadata.a.b.c.d.e.f": n} for n in range(20)]}, "500 conditions"),
        ({"": 1}, ""),
        ({"a\nb": {"$x": 1}}, "$x"),
    ],
)
def test_what_is_no_filter_is_named_in_one_line(connection: Connection, filter: Any, said: str) -> None:
    with pytest.raises(psycopg.Error) as raised, connection.transaction():
        keep(connection, filter)
    assert raised.value.sqlstate == "RG005"
    message = raised.value.diag.message_primary or ""
    assert said in message
    assert "\n" not in message
    assert raised.value.diag.message_hint


def test_a_name_that_nobody_has_is_an_error(library_of_three: Connection) -> None:
    def refusal(filter: Any) -> tuple[str, str]:
        with pytest.raises(psycopg.Error) as raised, library_of_three.transaction():
            keep(library_of_three, filter)
        assert raised.value.sqlstate == "RG005"
        return raised.value.diag.message_primary or "", raised.value.diag.message_hint or ""

    assert refusal({"yaer": 2020})[0] == 'the filter names "yaer", which no publication has; did you mean "year"?'
    assert refusal({"jahre": 1})[0].endswith('did you mean "jahr"?')
    message, hint = refusal({"$or": [{"title": "Zero"}, {"$not": {"qqq": {"$in": [1]}}}]})
    assert message == 'the filter names "qqq", which no publication has'
    assert "title, authors" in hint
    assert "the metadata has the keys " in hint
    assert all(f'"{name}"' in hint for name in ("jahr", "a", "a.b", "dc.title", "open"))
    assert '"metadata.qqq"' in hint
    assert refusal({"a.c": 1})[0].startswith('the filter names "a.c"')
    assert refusal({"dc.titel": 1})[0].endswith('did you mean "dc.title"?')
    library_of_three.execute(
        "UPDATE ragraph.publication"
        " SET metadata = (SELECT jsonb_object_agg('key' || n, n) FROM generate_series(1, 500) AS n)"
    )
    assert len(refusal({"qqq" * 1000: 1})[1]) < 1500
    assert refusal({"qqq": 1})[1].count("key") < 40
    library_of_three.execute("""UPDATE ragraph.publication SET metadata = '{"who": [{"first name": "Ann"}]}'""")
    assert refusal({"who.first name": "Ann"}) == (
        'the filter names "who.first name", which is in objects of a list; filters do not search these',
        "Store the value in a key of its own: as a value, or as a list of values.",
    )
    assert refusal({"whom": "Ann"})[0].endswith('did you mean "who"?')
    library_of_three.execute("UPDATE ragraph.publication SET metadata = '{}'")
    assert "; no publication has metadata; " in refusal({"qqq": 1})[1]


def test_a_key_that_a_column_hides_is_told_where_nothing_is_kept(library_of_three: Connection) -> None:
    told: list[tuple[str | None, ...]] = []
    library_of_three.add_notice_handler(
        lambda notice: told.append((notice.sqlstate, notice.message_primary, notice.message_hint))
    )
    library_of_three.execute("""UPDATE ragraph.publication SET metadata = '{"year": 1999, "title": "Old"}'""")
    assert keep(library_of_three, {"year": 2020}) == ["dl_a"]
    assert keep(library_of_three, {"source": {"$contains": "nobody"}}) == []
    assert told == []
    for ask in (keep, _searched):
        assert ask(library_of_three, {"$or": [{"year": 1999}, {"title": {"$in": ["Old"]}}]}) == []
        assert sorted(told) == [
            (
                "01RG1",
                f"the filter matches no document; {name} in it is {what}",
                f'The metadata also has a key of this name: use "metadata.{name}" for it.',
            )
            for name, what in (("title", "the column"), ("year", "that of publication_date"))
        ]
        told.clear()
    assert keep(library_of_three, {"metadata.year": 1999}) == ["dl_a", "dl_b", "dl_c"]


@pytest.mark.parametrize(
    ("filter", "told"),
    [
        ({"n": 7}, '"n" of the metadata is a string, such as "7", but the filter compares it with a number'),
        (
            {"metadata.y": {"$gte": "2020"}},
            '"y" of the metadata is a number, such as 2021, but the filter compares it with a string',
        ),
        (
            {"dc.open": {"$in": ["true"]}},
            '"dc.open" of the metadata is a boolean, such as true, but the filter compares it with a string',
        ),
        ({"tags2": 1}, '"tags2" of the metadata is a string, such as "a", but the filter compares it with a number'),
        ({"n": "8"}, None),
        ({"mixed": "z"}, None),
        ({"$not": {"n": 7}}, None),
        ({"$not": {"$or": [{"n": {"$gte": 0}}, {"n": {"$gte": ""}}]}}, None),  # whatever its type
    ],
)
def test_a_value_of_another_type_than_is_kept_is_told(
    library_of_three: Connection, filter: dict[str, Any], told: str | None
) -> None:
    said: list[tuple[str | None, ...]] = []
    library_of_three.add_notice_handler(lambda notice: said.append((notice.sqlstate, notice.message_primary)))
    library_of_three.execute(
        "UPDATE ragraph.publication SET metadata ="
        """ '{"n": "7", "y": 2021, "dc": {"open": true}, "tags2": ["a", "b"]}' || CASE id WHEN 'pub_a'"""
        """ THEN '{"mixed": 1}'::jsonb ELSE '{"mixed": "x"}' END"""
    )
    for ask in (keep, _searched):
        ask(library_of_three, filter)
    assert said == ([("01RG1", f"the filter matches no document; {told}")] * 2 if told else [])


def _searched(connection: Connection, filter: Any) -> list[Any]:
    return connection.execute("SELECT * FROM ragraph.search_text('x', filter => %s)", [Jsonb(filter)]).fetchall()


def test_a_near_miss_is_suggested(library_of_three: Connection) -> None:
    for call, suggested in (
        ("table_of_contents('dl_aa')", "'dl_a' (Adaptation)"),
        ("table_of_contents('adaptaton')", "'dl_a' (Adaptation)"),
        ("search_text('x', 1, '{dl_bb}')", "'dl_b' (Mitigation)"),
    ):
        with pytest.raises(psycopg.Error) as raised, library_of_three.transaction():
            library_of_three.execute(f"SELECT * FROM ragraph.{call}")
        assert f"did you mean {suggested}?" in (raised.value.diag.message_primary or "")
    with pytest.raises(psycopg.Error) as raised, library_of_three.transaction():
        library_of_three.execute("SELECT * FROM ragraph.table_of_contents('quite something else')")
    assert "did you mean" not in (raised.value.diag.message_primary or "")


@pytest.mark.parametrize("join", ["nestloop", "hashjoin", "mergejoin"])
def test_a_store_without_nodes_names_a_wrong_document_whatever_the_plan(
    library_of_three: Connection, join: str
) -> None:
    for other in {"nestloop", "hashjoin", "mergejoin"} - {join}:
        library_of_three.execute(f"SET LOCAL enable_{other} = off")
    for query in (
        "SELECT * FROM ragraph.search_text('x', 1, '{dl_bb}')",
        QUERIES["search_text"],
    ):
        with pytest.raises(psycopg.Error) as raised, library_of_three.transaction():
            library_of_three.execute(
                query, defaultdict(lambda: None, query="x", k=1, scope=Jsonb({"document_ids": ["dl_bb"]}), match="all")
            )
        assert raised.value.sqlstate == "RG001"


def test_filters_nest_only_so_deep(connection: Connection) -> None:
    deep: dict[str, Any] = {"a": 1}
    for _ in range(100):
        deep = {"$not": deep}
    for wrong in (deep, {"$or": [{f"metadata.k{n}": n} for n in range(600)]}):
        with pytest.raises(psycopg.Error) as raised, connection.transaction():
            keep(connection, wrong)
        assert raised.value.sqlstate == "RG005"


def test_equality_uses_the_index_on_the_metadata(connection: Connection) -> None:
    connection.execute(
        """
        INSERT INTO ragraph.publication (id, title, metadata, tags, publication_date)
        SELECT
            'pub_' || n, 'P', jsonb_build_object('number', n, 'half', n % 2), ARRAY['t' || n], make_date(1900 + n, 5, 6)
        FROM generate_series(1, 5000) AS n;
        INSERT INTO ragraph.document (id, publication_id)
        SELECT 'dl_' || n, 'pub_' || n FROM generate_series(1, 5000) AS n;
        ANALYZE ragraph.publication; ANALYZE ragraph.document;
        """
    )
    scans = "SELECT pg_stat_get_xact_numscans(%s::regclass::oid)"
    for index, asked in (
        ("ragraph.publication_metadata_idx", {"number": 77}),
        ("ragraph.publication_metadata_idx", {"$and": [{"number": 77}, {"half": 1}]}),
        ("ragraph.publication_tags_idx", {"tags": {"$contains": "t77"}}),
        ("ragraph.publication_publication_date_idx", {"year": 1977}),
        ("ragraph.publication_publication_date_idx", {"publication_date": {"$gte": "1977-01-01", "$lt": "1978-01-01"}}),
    ):
        before = connection.execute(scans, [index]).fetchone()
        assert keep(connection, asked) == ["dl_77"]
        after = connection.execute(scans, [index]).fetchone()
        assert before
        assert after
        assert after[0] > before[0], asked
    condition = connection.execute(
        "SELECT condition FROM ragraph_private.filter_condition('{\"number\": 77}', '[]')"
    ).fetchone()
    assert condition
    assert "77" not in condition[0]
    assert "number" not in condition[0]
    plan = connection.execute(
        "EXPLAIN SELECT 1 FROM ragraph.publication AS p WHERE p.metadata @> '{\"number\": 77}'"
    ).fetchall()
    assert "publication_metadata_idx" in str(plan)


def test_a_document_with_its_own_date_is_found_by_that_date_alone(connection: Connection) -> None:
    for document, published, own in (
        ("dl_plain", "2020-02-01", None),
        ("dl_attached", "2020-02-01", "2023-05-01"),
        ("dl_later", None, "2020-03-01"),
        ("dl_never", None, None),
    ):
        publish(connection, document, publication_date=published)
        connection.execute("UPDATE ragraph.document SET publication_date = %s WHERE id = %s", [own, document])
    for asked, expected in (
        ({"year": 2020}, ["dl_later", "dl_plain"]),
        ({"year": {"$ne": 2020}}, ["dl_attached", "dl_never"]),
        ({"year": {"$gt": 2020}}, ["dl_attached"]),
        ({"publication_date": {"$lte": "2020-02-01"}}, ["dl_plain"]),
        ({"publication_date": {"$in": ["2023-05-01", "2020-03-01"]}}, ["dl_attached", "dl_later"]),
        ({"$not": {"publication_date": {"$gte": "2020-02-15"}}}, ["dl_never", "dl_plain"]),
        ({"$or": [{"year": 2023}, {"month": 2}]}, ["dl_attached", "dl_plain"]),
    ):
        assert sorted(keep(connection, asked)) == expected, asked
    for published, expected in (
        ("[2020-01-01,2020-12-31]", ["dl_later", "dl_plain"]),
        ("[2020-02-15,)", ["dl_attached", "dl_later"]),
        ("(,2020-02-15)", ["dl_plain"]),
        ("(,)", ["dl_attached", "dl_later", "dl_plain"]),
        ("empty", []),
    ):
        scope = connection.execute(
            """SELECT documents
            FROM ragraph_private.search_scope(ragraph_private.asked_scope(NULL, published => %s::daterange))""",
            [published],
        ).fetchone()
        assert scope
        assert sorted(scope[0] or []) == expected, published


# -- the same by Python ------------------------------------------------------------------------------------

KEYS = st.sampled_from(["a", "b", "it's", 'q"', "c.d", "c.d.e", "c..e", "\\"]).map("metadata.".__add__)
SCALARS = st.one_of(
    st.integers(-3, 3),
    st.sampled_from([0.5, -1.5, 1e3]),
    st.booleans(),
    st.sampled_from(["", "a", "b", "ab", "B", "é", "'", '"', "\\", "%", "10", "2"]),
)
VALUES = st.one_of(SCALARS, st.none(), st.lists(SCALARS, max_size=3), st.just([["a"]]), st.just({"x": "a"}))
DOTTED = st.recursive(
    VALUES,
    lambda inner: st.dictionaries(st.sampled_from(["c", "d", "e", "c.d", "d.e", "c.d.e", ""]), inner, max_size=4),
).filter(lambda made: isinstance(made, dict))
METADATA = st.builds(
    lambda plain, dotted: {**plain, **dotted},
    st.dictionaries(st.sampled_from(["a", "b", "it's", 'q"', "\\"]), VALUES, max_size=4),
    st.one_of(st.just({}), DOTTED),
)
ORDERED = st.one_of(st.integers(-3, 3), st.sampled_from([0.5, "a", "ab", "é", "10"]))
LEAVES = st.one_of(
    st.builds(lambda key, value: {key: value}, KEYS, SCALARS),
    st.builds(
        lambda key, operator, value: {key: {operator: value}},
        KEYS,
        st.sampled_from(["$eq", "$ne", "$contains"]),
        SCALARS,
    ),
    st.builds(
        lambda key, operator, value: {key: {operator: value}},
        KEYS,
        st.sampled_from(["$gt", "$gte", "$lt", "$lte"]),
        ORDERED,
    ),
    st.builds(
        lambda key, operator, value, more: {key: {operator: [*value, *more]}},
        KEYS,
        st.sampled_from(["$in", "$nin"]),
        st.lists(SCALARS, max_size=3),
        st.sampled_from([[], [f"other {number}" for number in range(30)]]),
    ),
    st.builds(lambda key, value: {key: {"$not": {"$lt": value}}}, KEYS, ORDERED),
)
FILTERS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(lambda parts: {"$and": parts}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda parts: {"$or": parts}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda part: {"$not": part}, inner),
    ),
    max_leaves=6,
)


def kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else type(value).__name__


def compare(value: Any, operator: str, operand: Any) -> bool:
    if isinstance(value, dict | list) or kind(value) != kind(operand):
        return False
    return bool(
        {
            "$eq": value == operand,
            "$gt": value > operand,
            "$gte": value >= operand,
            "$lt": value < operand,
            "$lte": value <= operand,
        }[operator]
    )


def reached(metadata: dict[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Every value in the metadata, under its keys joined by dots."""
    for key, value in metadata.items():
        yield before + key, value
        if isinstance(value, dict):
            yield from reached(value, before + key + ".")


def holds(filter: dict[str, Any], metadata: dict[str, Any]) -> bool:
    """A filter on metadata, word by word."""
    for key, condition in filter.items():
        if key == "$and":
            held = all(holds(part, metadata) for part in condition)
        elif key == "$or":
            held = any(holds(part, metadata) for part in condition)
        elif key == "$not":
            held = not holds(condition, metadata)
        else:
            named = [value for name, value in reached(metadata) if name == key.removeprefix("metadata.")]
            listed = [item for value in named if isinstance(value, list) for item in value]
            given_ = condition if isinstance(condition, dict) else {"$eq": condition}
            held = True
            for operator, operand in given_.items():
                if operator == "$not":
                    one = not holds({key: operand}, metadata)
                elif operator in ("$in", "$nin"):
                    one = any(compare(v, "$eq", o) for v in named + listed for o in operand) == (operator == "$in")
                elif operator == "$ne":
                    one = not any(compare(v, "$eq", operand) for v in named + listed)
                elif operator == "$contains":
                    part_of = isinstance(operand, str) and any(isinstance(v, str) and operand in v for v in named)
                    one = part_of or any(compare(v, "$eq", operand) for v in listed)
                else:
                    one = any(compare(v, operator, operand) for v in named + listed)
                held = held and one
        if not held:
            return False
    return True


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(METADATA, min_size=1, max_size=8), FILTERS)
def test_sql_keeps_what_python_keeps(
    connection: Connection, metadata: list[dict[str, Any]], filter: dict[str, Any]
) -> None:
    with connection.transaction(force_rollback=True):
        connection.execute(
            "INSERT INTO ragraph.publication (id, title, metadata)"
            " SELECT 'pub_' || n, 'P', m FROM unnest(%s::jsonb[]) WITH ORDINALITY AS x (m, n)",
            [[Jsonb(item) for item in metadata]],
        )
        connection.execute(
            "INSERT INTO ragraph.document (id, publication_id)"
            " SELECT 'dl_' || n, 'pub_' || n FROM generate_series(1, %s) AS n",
            [len(metadata)],
        )
        expected = [f"dl_{number}" for number, item in enumerate(metadata, 1) if holds(filter, item)]
        assert keep(connection, filter) == expected
        assert keep(connection, parse(filter).to_json()) == expected
