"""Inline text and tables that the readers of markup share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragraph.base.inline import unmarked
from ragraph.errors import FileTooLargeError
from ragraph.ingest.readers.markup import table as markup_table
from ragraph.ingest.readers.markup.inline import Inline, InlineText, collapse, safe_link
from ragraph.ingest.readers.markup.lists import ordered_marker
from ragraph.ingest.readers.markup.table import Cell, Row, span, table
from ragraph.schema.enums import RelationType

_PIECES = st.lists(
    st.tuples(
        st.sampled_from(["text", "marker", "raised", "bold", "italic", "close"]), st.text("ab1*`\\[]( )", max_size=5)
    ),
    max_size=12,
)
_NO_MARKS = str.maketrans("", "", "*`\\")


@given(_PIECES)
def test_markup_can_be_undone_and_markers_stand_where_they_say(pieces: list[tuple[str, str]]) -> None:
    out, raw = InlineText(), ""
    styles: list[str] = []
    for what, text in pieces:
        if what == "text":
            out.text(text)
            raw += text
        elif what == "marker":
            out.begin_marker()
            out.text(text)
            out.end_marker(RelationType.REFERENCES_NOTE, ["in the text"])
            raw += text
        elif what == "raised":
            out.mark(RelationType.REFERENCES_NOTE, "raised", "7")
        elif what == "close":
            if styles:
                out.close(styles.pop())
        else:
            out.open(what)
            styles.append(what)
    while styles:
        out.close(styles.pop())
    inline = out.finish()
    # marks that styles within words make are not always found again; letters and other signs are
    assert unmarked(inline.text).translate(_NO_MARKS) == collapse(raw).translate(_NO_MARKS)
    for mark in inline.marks:
        assert 0 <= mark.start <= len(inline.text)
        if mark.anchor == "in the text" and mark.marker is not None:
            assert inline.text[mark.start : mark.start + len(mark.marker)] == mark.marker


def test_adjacent_runs_of_a_style_are_one() -> None:
    out = InlineText()
    for part in ("a", "b"):
        out.open("italic")
        out.text(part)
        out.close("italic")
    assert out.finish().text == "*ab*"


def test_only_what_could_be_a_pair_is_escaped() -> None:
    def written(text: str) -> str:
        out = InlineText()
        out.text(text)
        return out.finish().text

    assert written("p < 0.05*") == "p < 0.05*"
    assert written("a*b*c") == "a\\*b\\*c"
    assert written("C:\\temp [1](x)") == "C:\\temp [1]\\(x)"


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("https://example.org/a_(b)", "https://example.org/a_%28b%29"),
        ("mailto:a@example.org", "mailto:a@example.org"),
        ("/wiki/Duck", "/wiki/Duck"),
        ("javascript:alert(1)", None),
        (" java\nscript:alert(1)", None),
        ("DATA:text/html,x", None),
        ("vbscript:x", None),
        ("", None),
        (None, None),
    ],
)
def test_safe_link(url: str | None, safe: str | None) -> None:
    assert safe_link(url) == safe


def test_spanning_cells_stand_once() -> None:
    a, b, c, d = (Inline(text) for text in "abcd")
    content, data = table([Row([Cell(a, rows=2), Cell(b, columns=2)], header=True), Row([Cell(c), Cell(d)])])
    assert data == {
        "cells": [["a", "b", ""], ["", "c", "d"]],
        "header_rows": 1,
        "spans": [[0, 0, 2, 1], [0, 1, 1, 2]],
    }
    assert content.text == "a | b\n | c | d"


def test_hostile_spans_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = Cell(Inline("x"), rows=1000, columns=1000)
    _, data = table([Row([cell] * 100)])
    assert len(data["cells"][0]) < 4000
    monkeypatch.setattr(markup_table, "_MAX_CELLS", 10_000)
    with pytest.raises(FileTooLargeError):
        table([Row([Cell(Inline("x"))] * 200)] * 60)
    assert (span("3"), span("x"), span("999999"), span("9" * 30), span(None)) == (3, 1, 1000, 1, 1)


def test_ordered_markers() -> None:
    assert [ordered_marker(style, 28) for style in ("1", "a", "A", "i", "roman-upper")] == [
        "28.",
        "ab.",
        "AB.",
        "xxviii.",
        "XXVIII.",
    ]
