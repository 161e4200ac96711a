"""Values of filters that nobody has: told where nothing is kept, refused where nobody can have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from factories import make_document
from psycopg.types.json import Jsonb

if TYPE_CHECKING:
    Connection = psycopg.Connection[tuple[Any, ...]]


def keep(connection: Connection, filter: Any) -> list[str]:
    rows = connection.execute("SELECT * FROM ragraph.filter_documents(%s)", [Jsonb(filter)]).fetchall()
    return [document for (document,) in rows]


def _searched(connection: Connection, filter: Any) -> list[Any]:
    return connection.execute("SELECT * FROM ragraph.search_text('x', filter => %s)", [Jsonb(filter)]).fetchall()


@pytest.fixture
def library_of_three(connection: Connection) -> Connection:
    for name, collection, language, tags in (
        ("a", "default", "en", "{climate,energy}"),
        ("b", "other", "en", "{climate}"),
        ("c", "default", "de", "{}"),
    ):
        make_document(connection, f"dl_{name}", pages=0, language=language, collection=collection)
        connection.execute(
            "UPDATE ragraph.publication SET tags = %s, source = null, authors = 'Jane Smith' WHERE id = %s",
            (tags, f"pub_{name}"),
        )
    return connection


@pytest.mark.parametrize(
    ("filter", "told", "hint"),
    [
        ({"tags": {"$contains": "climat"}}, "tag 'climat'; did you mean 'climate'?", "Values are 'climate', 'energy'."),
        ({"tags": "qq"}, "tag 'qq'", "Values are 'climate', 'energy'."),
        ({"tags": {"$in": ["climat"]}}, "tag 'climat'; did you mean 'climate'?", "Values are 'climate', 'energy'."),
        ({"collection": "qq"}, "collection 'qq'", "Values are 'default', 'other'."),
        ({"language": "EN"}, "language 'EN'; did you mean 'en'?", "Values are 'en', 'de'."),
        ({"authors": "Rose"}, "authors 'Rose'", 'Use $contains for a part of it: {"authors": {"$contains": "..."}}.'),
        ({"source": "x"}, "source 'x'", "No document has a source."),
        (
            {"authors": {"$contains": "Smit, J"}},
            "author 'Smit, J'; did you mean 'Smith'?",
            "Upper and lower case matter.",
        ),
        ({"authors": {"$contains": "smith"}}, "author 'smith'; did you mean 'Smith'?", "Upper and lower case matter."),
        ({"authors": {"$contains": "Rose"}}, "author 'Rose'", "Upper and lower case matter."),
        ({"$and": [{"authors": {"$contains": "Smith"}}, {"language": "de"}, {"tags": "climate"}]}, None, None),
        ({"$and": [{"tags": "climate"}, {"language": "qq"}]}, "language 'qq'", "Values are 'en', 'de'."),
        ({"tags": {"$in": ["climate", "nobody"]}}, None, None),
        ({"$and": [{"tags": "climate"}, {"language": "de"}]}, None, None),
        ({"tags": {"$ne": "nobody"}}, None, None),
        ({"title": {"$contains": "nobody"}}, None, None),
    ],
)
def test_a_value_that_nobody_has_is_told_where_nothing_is_kept(
    library_of_three: Connection, filter: dict[str, Any], told: str | None, hint: str | None
) -> None:
    said: list[tuple[str | None, ...]] = []
    library_of_three.add_notice_handler(
        lambda notice: said.append((notice.sqlstate, notice.message_primary, notice.message_hint))
    )
    for ask in (keep, _searched):
        ask(library_of_three, filter)
    article = "an" if told and told.startswith("author ") else "the"
    assert said == ([("01RG1", f"no document has {article} {told}", hint)] * 2 if told else [])


def test_bounds_that_nobody_meets_are_told(library_of_three: Connection) -> None:
    said: list[str | None] = []
    library_of_three.add_notice_handler(lambda notice: said.append(notice.message_primary))
    library_of_three.execute("UPDATE ragraph.document SET language = 'en-US'")
    library_of_three.execute("SELECT * FROM ragraph.search_text('x', tags => '{qq}', languages => '{en,fr}')")
    library_of_three.execute("SELECT * FROM ragraph.search_text('x', collection => 'qq')")
    assert said == [
        "no document has the tag 'qq'",
        "no document has the language 'fr'",
        "no document has the collection 'qq'",
    ]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("main", "the filter names the type 'main', which no document can have; did you mean 'MAIN'?"),
        ("TABLE", "the filter names the type 'TABLE', which no document can have"),
        (
            {"$in": ["MAIN", "OTHERS"]},
            "the filter names the type 'OTHERS', which no document can have; did you mean 'OTHER'?",
        ),
        ({"$ne": "qq"}, "the filter names the type 'qq', which no document can have"),
    ],
)
def test_a_type_that_no_document_can_have_is_refused(library_of_three: Connection, value: Any, told: str) -> None:
    for ask in (keep, _searched):
        with pytest.raises(psycopg.Error) as raised, library_of_three.transaction():
            ask(library_of_three, {"type": value})
        assert raised.value.sqlstate == "RG005"
        assert raised.value.diag.message_primary == told
        assert raised.value.diag.message_hint == (
            "Types of documents are MAIN, SUPPLEMENTAL, OTHER; use node_types of a search for types of nodes."
        )
