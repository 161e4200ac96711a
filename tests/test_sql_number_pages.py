"""number_pages: printed page numbers, misreadings outvoted, gaps filled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from factories import insert, make_document, make_node

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]


def number(connection: Connection, printed: list[str | None], stated: dict[int, str] | None = None) -> list[str | None]:
    """Print one number on each page, None for none, and give the logical numbers."""
    make_document(connection, pages=0, page_count=len(printed))
    for page, content in enumerate(printed, 1):
        insert(connection, "document_page", document_id="dl_a", page_pdf=page, page_logical=(stated or {}).get(page))
        if content is not None:
            make_node(
                connection,
                "dl_a",
                f"cn_{page}",
                page,
                content=content,
                content_node_type="PAGE_NUMBER",
                positional_data=[{"page_pdf": page}],
            )
    connection.execute("SELECT ragraph.number_pages('dl_a')")
    rows = connection.execute(
        "SELECT page_logical FROM ragraph.document_page WHERE document_id = 'dl_a' ORDER BY page_pdf"
    )
    return [label for (label,) in rows]


@pytest.mark.parametrize(
    ("printed", "labels"),
    [
        ([None, None, "iii", "iv", None, "1", "2"], ["i", "ii", "iii", "iv", "v", "1", "2"]),
        (["III", "IV", None], ["III", "IV", "V"]),
        (["1 of 4", "2 of 4", "3 of 4", None], ["1", "2", "3", "4"]),
        (["Page 1", "- 2 -", "| 3", "[4]"], ["1", "2", "3", "4"]),
        (["5", "6", None, "A-1", None, "A-3"], ["5", "6", "7", "A-1", "A-2", "A-3"]),
        (["1023", "1024", None, "1026"], ["1023", "1024", "1025", "1026"]),
        (["1", "2", "3", "1", "2", None, "1", "2"], ["1", "2", "3", "1", "2", "3", "1", "2"]),
        # a run that begins anew fills the gap before it, though its numbers do not lie above those before
        (["4", "5", None, "2", "3"], ["4", "5", "1", "2", "3"]),
        (["1", "2", None, "2", "3"], ["1", "2", "1", "2", "3"]),
        (["1", "2", "3", None, "3", "4"], ["1", "2", "3", "2", "3", "4"]),
        (["1", "2", "8", "4", "2019", "6", "?", "8"], ["1", "2", "3", "4", "5", "6", "7", "8"]),
        # two pages without a number between runs that differ by one: which is left out is not known
        (["1", "2", None, None, "4", "5"], ["1", "2", None, None, "4", "5"]),
        (["7"], ["7"]),
        # a lone letter is a page of its own kind where it counts, and never a hundred in roman numerals
        (["8", "9", "A", "B", "C", "D"], ["8", "9", "A", "B", "C", "D"]),
        (["Seite 3 von 9", "Seite 4 von 9", "S. 5", "C - 1", "C - 2"], ["3", "4", "5", "C-1", "C-2"]),
        (["3-1", "3-2", None, None, "4-2", "4-3"], ["3-1", "3-2", "3-3", "4-1", "4-2", "4-3"]),
        # an excerpt: pages are left out, and a lone number fits between its neighbours
        (["78", "83", "84"], ["78", "83", "84"]),
        (["1", "2", "3", "4", *[None] * 6], ["1", "2", "3", "4", "5", "6", "7", "8", None, None]),
        ([*[None] * 5, "41", "42"], [None, *map(str, range(37, 43))]),
        ([None, "text", None], [None, None, None]),
        ([], []),
    ],
)
def test_printed_numbers(connection: Connection, printed: list[str | None], labels: list[str | None]) -> None:
    assert number(connection, printed) == labels


def test_labels_that_the_file_states_stay(connection: Connection) -> None:
    assert number(connection, ["1", "2", "3"], stated={1: "cover", 2: "i"}) == ["cover", "i", None]


def test_every_position_learns_its_logical_page(connection: Connection) -> None:
    make_document(connection, pages=0, page_count=4)
    for page in range(1, 5):
        insert(connection, "document_page", document_id="dl_a", page_pdf=page)
    for page, content in {1: "iv", 2: "v"}.items():
        make_node(
            connection,
            "dl_a",
            content,
            page,
            content=content,
            content_node_type="PAGE_NUMBER",
            positional_data=[{"page_pdf": page}],
        )
    box = {"x1": 1, "y1": 2, "x2": 3, "y2": 4}
    places = [{"page_pdf": 2, "bbox": box, "page_logical": "old"}, {"page_pdf": 4}]
    make_node(connection, "dl_a", "p", 5, positional_data=places)
    make_node(connection, "dl_a", "nowhere", 6)

    def run() -> Any:
        return (connection.execute("SELECT ragraph.number_pages('dl_a')").fetchone() or (None,))[0]

    assert run() == 3
    assert connection.execute(
        "SELECT positional_data FROM ragraph.content_node WHERE document_id = 'dl_a' AND id = 'p'"
    ).fetchone() == ([{"page_pdf": 2, "bbox": box, "page_logical": "v"}, {"page_pdf": 4, "page_logical": "vii"}],)
    assert run() == 0


@pytest.mark.parametrize(
    ("numeral", "value"), [("iv", 4), ("MCMXCIX", 1999), ("iiii", None), ("", None), ("abc", None)]
)
def test_roman_numerals(connection: Connection, numeral: str, value: int | None) -> None:
    assert connection.execute("SELECT ragraph_private.roman_value(%s)", [numeral]).fetchone() == (value,)


def test_roman_numerals_there_and_back(connection: Connection) -> None:
    assert connection.execute(
        "SELECT count(*) FROM generate_series(1, 3999) AS n"
        " WHERE ragraph_private.roman_value(ragraph_private.page_label('lower', '', n)) <> n"
    ).fetchone() == (0,)
