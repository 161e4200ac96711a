"""The pages labelled by eye: what was drawn, what the labels hold, and what the checker refuses."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from bench.structure.labels import Block, Label, Table, labels, pages, repositories
from bench.structure.labels.agreement import Share, agreement
from bench.structure.labels.draw import OF_A_FILE, PAGES
from bench.structure.labels.model import HERE, FirstPage, first_pages, titles
from bench.structure.strict.halves import develops
from bench.structure.titles import Found, score_of

if TYPE_CHECKING:
    from pathlib import Path


def test_a_hundred_pages_of_every_kind() -> None:
    drawn = pages()
    assert [page.number for page in drawn] == [f"{number:03}" for number in range(100)]
    assert Counter(page.kind for page in drawn) == PAGES
    assert len({(page.sha256, page.page) for page in drawn}) == 100
    of_a_file = Counter(page.file for page in drawn if page.kind != "standard")
    assert max(of_a_file.values()) == OF_A_FILE


def test_every_label_holds_what_it_should() -> None:
    assert set(labels()) <= {page.number for page in pages()}


@pytest.mark.parametrize("name", list(repositories.SETS))
def test_every_page_of_a_repository_has_its_label_and_commit(name: str) -> None:
    drawn = repositories.pages(name)
    assert [page.number for page in drawn] == list(repositories.labels(name))
    lists = {"mmlongbench", "financebench", "cuad"} if name == "again" else set()
    assert all(page.commit if page.source == name else page.source in lists and not page.commit for page in drawn)
    assert len({(page.sha256, page.page) for page in drawn}) == len(drawn)


def test_further_pages_are_of_the_half_that_rules_are_made_on() -> None:
    further = repositories.pages("again")
    assert all(develops(page.source, page.file) for page in further)
    assert not {(page.sha256, page.page) for page in further} & {(page.sha256, page.page) for page in pages()}


def test_spans_fill_the_grid() -> None:
    table = Table.model_validate(
        {"head_rows": 2, "rows": [[{"text": "", "rows": 2}, {"text": "Year", "columns": 2}], ["2019", "2018"]]}
    )
    assert table.grid() == [["", "Year", "Year"], ["", "2019", "2018"]]


@pytest.mark.parametrize(
    "rows",
    [
        [["Sales", "1"], ["Costs"]],
        [["Sales", {"text": "1", "rows": 2}], ["Costs", "2"]],
        [["Sales", {"text": "1", "rows": 2}]],
    ],
)
def test_rows_that_do_not_fill_the_grid_are_refused(rows: list[list[object]]) -> None:
    with pytest.raises(ValidationError):
        Table.model_validate({"rows": rows})


@pytest.mark.parametrize(
    "block",
    [
        {"type": "TABLE"},
        {"type": "PARAGRAPH"},
        {"type": "PARAGRAPH", "text": "Text", "level": 1},
        {"type": "HEADING", "text": "A heading [...] cut"},
        {"type": "FIGURE", "box": [0.5, 0.1, 0.5, 0.2]},
        {"type": "SECTION", "text": "Text"},
        {"type": "PARAGRAPH", "text": "Text", "lvel": 1},
    ],
)
def test_blocks_at_odds_with_their_type_are_refused(block: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Block.model_validate(block)


@pytest.mark.parametrize(
    "blocks",
    [
        [{"type": "PARAGRAPH", "text": "Text", "marks": [{"mark": "1", "note": "n1"}]}],
        [{"type": "HEADING", "text": "A", "level": 1}, {"type": "HEADING", "text": "B", "level": 3}],
        [{"type": "CAPTION", "text": "Fig. 1", "of": "f1"}],
        [{"type": "NOTE", "id": "n1", "text": "1 A"}, {"type": "NOTE", "id": "n1", "text": "2 B"}],
    ],
)
def test_labels_that_point_nowhere_are_refused(blocks: list[dict[str, object]]) -> None:
    with pytest.raises(ValidationError):
        Label.model_validate({"number": "000", "blocks": blocks})


def test_a_wrong_label_is_named(tmp_path: Path) -> None:
    (tmp_path / "007.json").write_text('{"number": "008", "blocks": []}', encoding="utf-8")
    with pytest.raises(ValueError, match=r"007\.json: its number is 008"):
        labels(tmp_path)


PAGE: list[dict[str, Any]] = [
    {"type": "HEADER", "text": "Report"},
    {"type": "HEADING", "text": "1 Sales", "level": 1},
    {"type": "HEADING", "text": "1.1 By year", "level": 2},
    {"type": "PARAGRAPH", "text": "Sales rose^{1}.", "marks": [{"mark": "1", "note": "n1"}]},
    {"type": "TABLE", "table": {"head_rows": 1, "rows": [["", "2019"], ["Sales", "$ 1.5"]]}},
    {"type": "NOTE", "id": "n1", "text": "^{1} Net."},
]


def test_a_label_agrees_with_itself() -> None:
    label = Label.model_validate({"number": "000", "blocks": PAGE})
    found = agreement(label, label)
    assert all(share.agreed == share.of > 0 for share in found.values())
    assert found["order"].of == 10
    assert found["cells"].of == 4


def test_what_two_labels_do_not_share_is_counted() -> None:
    header, sales, year, text, table, note = PAGE
    other = [
        sales,
        {**year, "level": 1},
        table | {"table": {"rows": [["", "2019"], ["Sales", "$ 15"]]}},
        {**text, "type": "LIST_ITEM", "marks": [{"mark": "1"}]},
        note,
    ]
    found = agreement(
        Label.model_validate({"number": "000", "blocks": [header, sales, year, text, table, note]}),
        Label.model_validate({"number": "000", "blocks": other}),
    )
    # the table is the same block by the letters of its last row, the header stands in one only
    assert found["blocks"] == Share(5, 6)
    assert found["types"] == Share(4, 5)
    assert found["order"] == Share(9, 10)
    assert found["headings"] == Share(2, 2)
    assert found["levels"] == Share(0, 1)
    assert found["marks"] == Share(0, 2)
    assert found["cells"] == Share(3, 5)


def test_another_type_that_is_as_right_agrees() -> None:
    chart = {"type": "HEADING", "text": "Sales by year", "level": 1, "also_types": ["CAPTION"]}
    first = Label.model_validate({"number": "000", "blocks": [chart]})
    second = Label.model_validate({"number": "000", "blocks": [{"type": "CAPTION", "text": "Sales by year"}]})
    assert agreement(first, second)["types"] == Share(1, 1)


def test_the_schema_is_current() -> None:
    assert json.loads((HERE / "schema.json").read_text(encoding="utf-8")) == Label.model_json_schema()


def test_the_second_pass_agrees_with_the_first_on_what_it_reads_alike() -> None:
    first, second = labels(), labels(HERE / "second")
    assert len(second) == 20
    total = Share(0, 0)
    for number, label in second.items():
        total += agreement(first[number], label)["cells"]
    assert total.agreed / total.of > 0.99


def test_every_file_has_a_title() -> None:
    assert set(titles()) == {(page.source, page.file) for page in pages()}
    assert all(all(each) for each in titles().values())


def test_what_first_pages_say_is_said_once_of_each_file() -> None:
    labelled = first_pages()
    assert len({label.sha256 for label in labelled}) == len(labelled) == 422
    assert all((label.source == "repositories") == bool(label.commit) for label in labelled)
    assert all(label.file.startswith(label.group) for label in labelled if label.commit)


@pytest.mark.parametrize(
    ("found", "title", "named", "wrong", "date"),
    [
        (Found("Lease, Ann Alder and Birch Ltd", ["Prof. Ash, Carl", "Cy Beech"], "2020-05-01"), True, True, 0, True),
        (Found("Lease", ["Carl Ash"], "2020-05-01"), False, False, 0, True),
        (Found("Leases", ["Carl Ash", "Cy Beech", "Printer"], "2021-05-01"), False, False, 1, False),
    ],
)
def test_title_authors_and_date_are_right_or_wrong(
    found: Found, title: bool, named: bool, wrong: int, date: bool
) -> None:
    label = FirstPage(
        source="cuad",
        file="lease.pdf",
        sha256="0" * 64,
        group="cuad",
        titles=["Lease"],
        parties=["Ann Alder", "Birch Ltd"],
        authors=["Carl Ash", "Cy Beech"],
        date="2020-05",
    )
    score = score_of(label, found)
    assert (score.title, score.named, score.nobody, score.wrong, score.date) == (title, named, None, wrong, date)
    assert score.printed == (title or found.title == "Lease")


def test_where_nothing_is_named_nothing_must_be_given() -> None:
    label = FirstPage(
        source="cuad", file="chart.pdf", sha256="0" * 64, group="cuad", titles=[None], doubtful=["Dee Elm"]
    )
    assert score_of(label, Found("", ["Dee Elm"], "2020-01-01")) == (True, True, None, True, 0, None)
    assert score_of(label, Found("Axis", ["Writer"], "")) == (False, False, None, False, 1, None)
