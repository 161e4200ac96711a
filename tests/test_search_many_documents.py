"""Filters that keep more documents than are listed in a statement: these are joined instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from factories import MODEL, make_model, rolled_back

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

DOCUMENTS = 1_300
KEPT = 1_100
SCOPES = [
    """filter => '{"keep": true}'""",
    "tags => '{kept}'",
    "languages => '{de}'",
    "published => '[2020-01-01,2020-12-31]'",
    """filter => '{"keep": true}', tags => '{kept}', collection => 'default'""",
    f"document_ids => (SELECT array_agg('dl_' || d) FROM generate_series(1, {KEPT}) AS d)",
]


def _fill_many(connection: Connection) -> None:
    """A node and a vector in each document; the first 1,100 of 1,300 carry a tag, a language, a date, a key."""
    make_model(connection)
    connection.execute(
        f"""
        INSERT INTO ragraph.publication (id, title, tags, metadata, publication_date)
        SELECT 'pub_' || d, 'P', CASE WHEN d <= {KEPT} THEN '{{kept}}' ELSE '{{left}}' END::text[],
            jsonb_build_object('keep', d <= {KEPT}), CASE WHEN d <= {KEPT} THEN '2020-05-05' ELSE '2021-05-05' END::date
        FROM generate_series(1, {DOCUMENTS}) AS d;
        INSERT INTO ragraph.document (id, publication_id, ts_config, language)
        SELECT 'dl_' || d, 'pub_' || d, 'simple', CASE WHEN d <= {KEPT} THEN 'de' ELSE 'fr' END
        FROM generate_series(1, {DOCUMENTS}) AS d;
        INSERT INTO ragraph.content_node (document_id, id, content_node_type, content, sequence_in_parent_major,
            sequence_in_document, content_hash, token_count)
        SELECT 'dl_' || d, 'cn', 'PARAGRAPH', 'a heron flies', 0, 0, repeat('0', 64), 3
        FROM generate_series(1, {DOCUMENTS}) AS d;
        INSERT INTO ragraph.embedding (document_id, id, node_id, model_name, char_start, char_end, content_hash,
            embedding_vector, normalized)
        SELECT 'dl_' || d, 'em', 'cn', '{MODEL}', 0, 1, repeat('0', 64), '[1,0,0]', true
        FROM generate_series(1, {DOCUMENTS}) AS d;
        ANALYZE ragraph.document, ragraph.content_node, ragraph.embedding;
        """
    )


@pytest.fixture(scope="module")
def many_url(make_shared_database: Callable[..., str]) -> str:
    return make_shared_database(_fill_many)


@pytest.fixture
def many(many_url: str) -> Iterator[Connection]:
    with rolled_back(many_url) as opened:
        yield opened


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("exact_limit", [0, 100_000])
@pytest.mark.parametrize(
    "search",
    [
        "search_text('heron', {})",
        f"search_vector('[1,0,0]'::vector, '{MODEL}', {{}})",
        f"search_hybrid('heron', '[1,0,0]'::vector, '{MODEL}', candidates => 2000, {{}})",
    ],
    ids=["text", "vector", "hybrid"],
)
def test_each_document_of_the_scope_is_found_and_no_other(
    many: Connection, search: str, exact_limit: int, scope: str
) -> None:
    call = search.format(f"k => 2000, exact_limit => {exact_limit}, {scope}")
    found = many.execute(f"SELECT document_id FROM ragraph.{call}").fetchall()
    assert sorted(int(document.removeprefix("dl_")) for (document,) in found) == list(range(1, KEPT + 1))
