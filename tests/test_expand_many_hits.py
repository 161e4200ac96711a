"""expand_hits with more hits than fit: those after the best ones are placed only if they may fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from factories import make_component, make_document
from test_sql_expand import expand, fill

if TYPE_CHECKING:
    from test_sql_expand import Connection

MANY = 70
"""More hits than are placed in any case."""


def document(connection: Connection, *nodes: tuple[str, str, str]) -> list[str]:
    """Make a document of these nodes and MANY fillers of four tokens; return the ids of the fillers."""
    fillers = [(f"f{number:02}", "PARAGRAPH", "one two three four") for number in range(MANY)]
    make_document(connection)
    make_component(connection, "dl_a", "cmp_s", first_sequence=0, last_sequence=len(nodes) + MANY - 1, title=None)
    fill(connection, "dl_a", *nodes, *fillers)
    return [name for name, _, _ in fillers]


def test_a_late_hit_takes_the_room_that_others_leave(connection: Connection) -> None:
    fillers = document(connection, ("long", "PARAGRAPH", "five words are in here"), ("late", "PARAGRAPH", "a b"))
    rows = expand(connection, ["long", *fillers, "late"], token_budget=8, breadcrumbs=False)
    assert [row["node_id"] for row in rows] == ["long", "late"]


def test_a_late_hit_costs_only_what_is_not_included(connection: Connection) -> None:
    fillers = document(connection, ("parted", "PARAGRAPH", "First is here. Then it ends."))
    part = {"document_id": "dl_a", "node_id": "parted", "score": 1, "char_start": 0, "char_end": 14}
    rows = expand(connection, [part, *fillers, "parted"], token_budget=7, breadcrumbs=False)
    assert [(row["node_id"], row["char_start"]) for row in rows] == [("parted", 0), ("parted", 14)]


def test_a_late_hit_is_cut_if_none_fits(connection: Connection) -> None:
    document(connection, ("long", "PARAGRAPH", "First is here. " + "It goes on for very long. " * 20))
    figures = [f"f{number:02}" for number in range(MANY)]
    connection.execute(
        "UPDATE ragraph.content_node SET content_node_type = 'FIGURE', content = '', char_end = char_start,"
        " embedding_source = 'DESCRIPTION', description = repeat('a long text of a figure ', 20) WHERE id LIKE 'f%'"
    )
    rows = expand(connection, [*figures, "long"], token_budget=8, breadcrumbs=False)
    assert [(row["node_id"], row["cut"]) for row in rows] == [("long", True)]


def test_no_late_hit_comes_in_place_of_the_best_one(connection: Connection) -> None:
    """Nothing fits if the best hit cannot be cut: a late one is not tried before those between them."""
    fillers = document(connection, ("dense", "PARAGRAPH", "One word."), ("late", "PARAGRAPH", "a"))
    connection.execute("UPDATE ragraph.content_node SET token_count = 40 WHERE id = 'dense'")
    assert expand(connection, ["dense", *fillers[:3], "late"], token_budget=1, breadcrumbs=False) == []
    assert expand(connection, ["dense", *fillers, "late"], token_budget=1, breadcrumbs=False) == []
