"""Words of a store of some thousand nodes are counted by the index: ranks are those of counting in the scope."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from factories import make_node
from test_sql_search_text import fill, search

if TYPE_CHECKING:
    from test_sql_search_text import Connection

WORDS = ["cost", "river", "valley", "adaptation", "money", "planning", "climate", "water", "silt", "bank"]


@pytest.fixture
def store(connection: Connection) -> Connection:
    """2,700 nodes in three documents, one of them in another language."""
    words = random.Random(3)
    for document, config in (("dl_a", "english"), ("dl_b", "german"), ("dl_c", "english")):
        texts = [" ".join(words.choices(WORDS, weights=range(1, 11), k=words.randint(2, 9))) for _ in range(900)]
        fill(connection, texts, document, config)
    make_node(connection, "dl_c", "cn_table", 900, content="cost | river", content_node_type="TABLE")
    connection.execute("SELECT ragraph.ensure_text_statistics()")
    return connection


@pytest.mark.parametrize("match", ["any", "all"])
@pytest.mark.parametrize(
    "query", ["cost", "cost river", "silt of the bank", '"climate water" money', "bank silt water -cost"]
)
def test_ranks_are_those_of_counting_in_the_scope(store: Connection, query: str, match: str) -> None:
    how = f", match => '{match}'"
    by_index = search(store, query, how, k=50)
    in_scope = search(store, query, f"{how}, document_ids => '{{dl_a,dl_b,dl_c}}'", k=50)
    assert by_index
    assert by_index == in_scope
