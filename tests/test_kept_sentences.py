"""Sentences made when the text is written: a context ranks with them as it would with those it makes itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
from factories import make_document, make_node
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_focus import LONG, OTHER, focus

if TYPE_CHECKING:
    from ragraph import Store

Connection = psycopg.Connection[tuple[Any, ...]]

PIECES = (
    *(
        LONG,
        OTHER,
        "3.6 Fees. ",
        "See Fig. 3 and J. Smith et al. for the floods of the town in spring. ",
        "A café in Łódź. ",
    ),
    *(
        "e.g. the upper-town floods -5.3 % and 12(b); ",
        "Überschwemmungen trafen die obere Stadt im März 1904. ",
        "— … ! ? \n",
    ),
    *(
        "上町的洪水在春天到来，农民早已定居在山谷之中。",
        "น้ำท่วมเมือง ",
        "www.example.org/a.b?c=d Next ",
        "a_b C++ x2 ",
        "and the of ",
    ),
    *("floods " * 300, "“Floods reached the upper town in spring of that year.” "),
)


def ranked(connection: Connection, nodes: list[str], query: str) -> list[Any]:
    return focus(connection, query, nodes, shortest=60, explain=True)


def draft(name: str, *texts: str) -> dict[str, Any]:
    nodes = [{"key": str(place), "type": "PARAGRAPH", "text": text} for place, text in enumerate(texts)]
    return {"id": name, "nodes": nodes}


def kept(connection: Connection) -> dict[str, int]:
    return dict(connection.execute("SELECT node_id, cardinality(starts) FROM ragraph.node_sentences").fetchall())


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    texts=st.lists(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join), min_size=1, max_size=5),
    query=st.sampled_from(("floods in the upper town", "café Łódź 12(b)", "洪水 春天", "the settled valley -5.3")),
    config=st.sampled_from(("english", "simple", "german")),
)
def test_they_rank_as_those_that_a_context_makes(
    connection: Connection, texts: list[str], query: str, config: str
) -> None:
    with connection.transaction(force_rollback=True):
        make_document(connection)
        nodes = [f"cn_{place}" for place, _ in enumerate(texts)]
        start = 0
        for place, (node, text) in enumerate(zip(nodes, texts, strict=True)):
            span = {"char_start": start, "char_end": start + len(text)}
            make_node(connection, "dl_a", node, place, content=text, ts_config=config, **span)
            start += len(text) + 2
        before = ranked(connection, nodes, query)
        assert kept(connection) == {}
        connection.execute("SELECT ragraph_private.keep_sentences('dl_a')")
        assert ranked(connection, nodes, query) == before


def test_those_of_another_text_are_not_used(connection: Connection) -> None:
    make_document(connection)
    make_node(connection, "dl_a", "cn_a", 0, content=LONG, ts_config="english", char_end=len(LONG))
    connection.execute("SELECT ragraph_private.keep_sentences('dl_a')")
    assert kept(connection) == {"cn_a": 2}
    connection.execute("UPDATE ragraph.content_node SET content = %s, char_end = %s", [OTHER, len(OTHER)])
    assert [row[1] for row in ranked(connection, ["cn_a"], "a bridge")] == [OTHER]
    connection.execute("SELECT ragraph_private.keep_sentences('dl_a')")
    assert kept(connection) == {"cn_a": 1}
    connection.execute("UPDATE ragraph.content_node SET content = '', char_end = 0")
    connection.execute("SELECT ragraph_private.keep_sentences('dl_a')")
    assert kept(connection) == {}


def test_every_writer_makes_them(store: Store) -> None:
    def count() -> int:
        with store.database.read() as connection:
            return len(kept(connection))

    added = store.add_many([draft(name, LONG, OTHER) for name in ("dl_0", "dl_1")], model=None)
    assert [file.status for file in added.files] == ["added", "added"]
    assert count() == 4
    store.add(draft("dl_2", OTHER), model=None)
    assert count() == 5
    store.add(draft("dl_0", LONG), model=None)
    assert count() == 4
    store.update("dl_1", language="de", collection="other")
    assert count() == 4
    assert store.check() == []
    store.delete("dl_1")
    assert count() == 2
