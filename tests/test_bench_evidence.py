"""Rows as files write them, beside rows that are stored."""

from __future__ import annotations

from bench.structure.strict.evidence import evident_rows, judge, stored_rows, written_rows
from bench.structure.strict.items import Item, Read, letters
from bench.structure.strict.signs import Run
from bench.teds import Cell, Table

EVIDENCE = """Consolidated balance sheet
At December 31,
2018
2017
Accounts receivable, net

$
5,020
$
(4,911
)
Goodwill 10,051 10,513 3%
The accompanying notes are part of this.
58"""


def stored(*rows: tuple[str, ...]) -> Read:
    table = Table(tuple(tuple(map(Cell, row)) for row in rows), frozenset({1}))
    return Read([Item("TABLE", "", (1,), table=table)], title="")


def test_rows_of_evidence_have_a_label_and_numbers_with_their_signs() -> None:
    found = evident_rows(EVIDENCE)
    assert [row.numbers for row in found] == [("5,020", "(4,911)"), ("10,051", "10,513", "3%")]
    assert letters("Goodwill") in found[1].labels


def test_rows_are_written_on_one_line_with_white_space_between() -> None:
    def line(base: float, *texts: tuple[str, float]) -> list[Run]:
        return [Run(text, left, left + 5 * len(text), base, 10.0) for text, left in texts]

    runs = [
        *line(700, ("Net", 50), ("income", 68), ("$", 200), ("8,017", 215), ("(12)", 300)),
        *line(680, ("Page", 50), ("3", 73), ("of", 81), ("9", 94)),
    ]
    (row,) = written_rows(runs)
    assert row.numbers == ("8,017", "(12)")
    assert letters("Net income") in row.labels


def test_a_row_is_right_with_its_label_and_each_number_in_a_cell_of_its_own() -> None:
    row = evident_rows("Goodwill 10,051 10,513")[0]

    def verdict(*rows: tuple[str, ...]) -> str:
        return judge(row, *stored_rows(stored(*rows), 1))

    assert verdict(("Goodwill", "$ 10,051", "10,513")) == "right"
    assert verdict(("Other", "10,051", "10,513")) == "label"
    assert verdict(("Goodwill", "10,051 10,513")) == "cells"
    assert verdict(("Goodwill", "", "10,513"), ("", "10,051", "")) == "cells"
    assert verdict(("Goodwill", "10,051", "10,531")) == "table"
