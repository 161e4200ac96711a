"""Whole documents held against their truth, line by line; and the form in which both are written."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import golden
import pytest

from bench.gate import truths

if TYPE_CHECKING:
    from pathlib import Path

    import psycopg

TRUTH = [
    "TITLE 1: Bridges",
    "! the name is a paragraph",
    "-AUTHOR 1: Ann",
    "+PARAGRAPH 1: Ann",
    "PARAGRAPH 1: They stand.",
]
FILE = "\n".join(["file: a.pdf", "# seen by eye", *TRUTH]) + "\n"
AS_MARKED = ["TITLE 1: Bridges", "PARAGRAPH 1: Ann", "PARAGRAPH 1: They stand."]
MENDED = ["TITLE 1: Bridges", "AUTHOR 1: Ann", "PARAGRAPH 1: They stand."]


@pytest.mark.parametrize("truth", truths.truths(), ids=lambda path: path.stem)
def test_a_document_is_as_its_truth_says(truth: Path, connection: psycopg.Connection[Any]) -> None:
    lines = truths.entries(truth.read_text(encoding="utf-8"))
    ours = golden.printed(connection, golden.read(truths.document_of(truth)))
    found = "\n".join(truths.difference(lines, ours))
    assert not found, f"{found}\n\nlook at the pages; then python -m tests.golden --mark tests/golden/{truth.name}"


@pytest.mark.parametrize("truth", truths.truths(), ids=lambda path: path.stem)
def test_each_known_fault_says_why(truth: Path) -> None:
    lines = truths.entries(truth.read_text(encoding="utf-8"))
    assert truths.NO_REASON not in lines
    assert all(fault.reason and (fault.right or fault.ours) for fault in truths.faults(lines))


def test_the_library_has_documents_of_all_kinds() -> None:
    documents = [truths.document_of(truth) for truth in truths.truths()]
    formats = Counter(path.suffix for path in documents)
    assert formats.pop(".pdf") == 16
    assert set(formats) == {".md", ".html", ".eml", ".docx", ".pptx", ".xlsx", ".epub", ".nxml"}
    assert sum(path.stat().st_size for path in documents) < 4 * 2**20


def test_every_document_is_in_the_list_of_licences() -> None:
    named = (truths.HERE / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in truths.HERE.iterdir() if path.name not in named] == []


def test_known_faults_are_held_exactly() -> None:
    assert truths.difference(TRUTH, AS_MARKED) == []
    assert truths.right(TRUTH) == MENDED
    assert [fault.reason for fault in truths.faults(TRUTH)] == ["the name is a paragraph"]


@pytest.mark.parametrize(
    "ours",
    [
        pytest.param(MENDED, id="a mark that is no longer needed"),
        pytest.param([*AS_MARKED, "NOTE 1: 1 Ann."], id="a line too many"),
        pytest.param(AS_MARKED[:2], id="a line that is lost"),
        pytest.param([AS_MARKED[0], AS_MARKED[2], AS_MARKED[1]], id="another order"),
        pytest.param(["TITLE 1: Bridges", "CAPTION 1: Ann", AS_MARKED[2]], id="wrong in another way"),
    ],
)
def test_whatever_else_comes_is_a_difference(ours: list[str]) -> None:
    assert truths.difference(TRUTH, ours)


def test_marking_keeps_reasons_and_drops_marks_that_are_no_longer_needed() -> None:
    assert truths.marked(FILE, AS_MARKED) == FILE
    assert truths.entries(truths.marked(FILE, MENDED)) == MENDED
    found = truths.marked(FILE, [*AS_MARKED, "NOTE 1: 1 Ann."])
    assert found == f"{FILE}{truths.NO_REASON}\n+NOTE 1: 1 Ann.\n"


def test_texts_are_shown_by_their_ends() -> None:
    words = [str(number) for number in range(20)]
    assert golden.cut(" ".join(words[:12])) == " ".join(words[:12])
    assert golden.cut(" ".join(words)) == "0 1 2 3 4 … 15 16 17 18 19"
    assert golden.plain("**Bold** and *[a link](https://example.org)*") == "Bold and a link"


@pytest.mark.parametrize(
    ("marker", "shown"),
    [("–", "• Fairground"), ("☒", "☒ Fairground"), ("☐", "☐ Fairground"), ("2.", "2. Fairground"), ("", "Fairground")],
)
def test_bullets_are_one_but_boxes_to_tick_are_as_printed(marker: str, shown: str) -> None:
    node = {"type": "LIST_ITEM", "data": {"marker": marker}}
    assert golden._with_marker(node, "Fairground") == shown


def test_the_bracket_that_opens_a_citation_is_no_word_in_front_of_it() -> None:
    source = {"type": "PARAGRAPH", "content": "closed ten days a year (Keller 2003)", "positional_data": []}
    assert golden._mark(source, len("closed ten days a year (")) == "<- days a year"


def test_a_mark_in_a_table_without_pages() -> None:
    assert golden._mark({"type": "TABLE", "content": "", "positional_data": []}, None) == "<- TABLE"
