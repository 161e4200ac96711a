"""What the benchmark of PDF pages counts, on cases small enough to count by hand."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import pytest
from reportlab.pdfgen.canvas import Canvas

from bench.pages.data import PageQuestion, development, numbers, wild
from bench.pages.lines import ChunkLine, Found, distinct
from bench.pages.measure import Asked, share
from bench.pages.report import report
from bench.pages.texts import page_texts
from bench.retrieval.settings import DEFAULT

if TYPE_CHECKING:
    from pathlib import Path

FINANCE = "financebench"
MANY = "mmlongbench"


def question(**stated: object) -> PageQuestion:
    plain = {"id": "1", "text": "revenue", "document": "a.pdf", "kind": "x", "pages": {2}, "sources": {"table"}}
    return PageQuestion(**{**plain, "numbers": frozenset(), **stated})  # type: ignore[arg-type]


class Fixed:
    """Finds what it was given."""

    def __init__(self, name: str, pages: list[int], context: str = "") -> None:
        self.name = name
        self._found = Found(pages, context)

    def answer(self, question: PageQuestion) -> Found:
        return self._found


def test_numbers_are_compared_without_commas_and_single_digits_do_not_count() -> None:
    assert numbers("$1,577.00 (2,067) in 3 of 21.5 %, 7.") == {"1577.00", "2067", "21.5"}
    assert share(frozenset({"1577", "21.5"}), "sold 1,577 at 21") == 0.5
    assert math.isnan(share(frozenset(), "1"))


def test_a_page_counts_once_and_where_it_comes_first() -> None:
    assert distinct([3, 1, 3, 2, 1]) == [3, 1, 2]


def test_hits_among_the_first_pages() -> None:
    asked = Asked([question(pages=frozenset({4, 9})), question(id="2", numbers=frozenset({"12"}))])
    asked.ask(Fixed("line", [1, 2, 3, 4], "12"))
    assert [asked.mean("line", f"hit@{k}") for k in (1, 3, 5, 10)] == [0.0, 0.5, 1.0, 1.0]
    assert asked.mean("line", "numbers") == 1.0
    assert asked.part(lambda q: not q.numbers).mean("line", "numbers") is None


def test_differences_are_of_questions_that_count() -> None:
    asked = Asked([question(numbers=frozenset({"12"})), question(id="2")])
    asked.ask(Fixed("ours", [2], "12"))
    asked.ask(Fixed("theirs", [1], ""))
    assert asked.difference("ours", "theirs", "numbers", by_document=True) == pytest.approx((1, 1, 1))
    assert asked.difference("ours", "theirs", "hit@1", by_document=False) == pytest.approx((1, 1, 1))


def test_pieces_of_pages_are_ranked_and_stand_for_their_pages() -> None:
    texts = {"a.pdf": ["intro", "revenue of 2,000\n\n" + "other words " * 120, "", "revenue revenue"]}
    for split in (False, True):
        answer = ChunkLine("line", texts, None, "words", split=split).answer(question())
        assert answer.pages[:2] == [4, 2]
        assert answer.context.startswith("revenue revenue\n\nrevenue of 2,000")


@pytest.mark.parametrize("reader", ["pypdfium2", "docling-parse"])
def test_text_of_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: str) -> None:
    monkeypatch.setenv("RAGRAPH_BENCH_CACHE", str(tmp_path / "cache"))
    canvas = Canvas(str(tmp_path / "a.pdf"))
    for words in ("first page", "second page"):
        canvas.drawString(100, 700, words)
        canvas.showPage()
    canvas.save()
    read = page_texts(tmp_path / "a.pdf", reader)  # type: ignore[arg-type]
    assert [text.strip() for text in read] == ["first page", "second page"]
    assert page_texts(tmp_path / "a.pdf", reader) == read  # type: ignore[arg-type]


def test_questions_of_listed_files_alone(tmp_path: Path) -> None:
    files(tmp_path, ["A.pdf", "B.pdf"], ["c.pdf"])
    finance: dict[str, object] = {
        "financebench_id": "f1",
        "doc_name": "A",
        "question": "Revenue of 2018?",
        "evidence": [{"evidence_text": "Revenue 2018 2017\n1,577 1,203 1,100", "evidence_page_num": 3}],
    }
    many: dict[str, object] = {
        "doc_id": "c.pdf",
        "doc_type": "Guidebook",
        "question": "How many?",
        "answer": "1,250",
        "evidence_pages": "[2, 5]",
        "evidence_sources": "['Chart', 'Pure-text (Plain-text)']",
    }
    write(tmp_path, [finance, {**finance, "doc_name": "B"}], [many, {**many, "evidence_pages": "[]"}])
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "financebench.txt").write_text("pdfs/A.pdf\n")
    (tmp_path / "lists" / "mmlongbench.txt").write_text("data/documents/c.pdf\n")
    pages = wild(tmp_path, tmp_path / "lists")
    first, second = pages.questions
    assert sorted(pages.files) == ["A.pdf", "c.pdf"]
    assert (first.document, set(first.pages), set(first.sources)) == ("A.pdf", {4}, {"table"})
    assert first.numbers == {"2017", "1577", "1203", "1100"}
    assert (second.kind, set(second.pages), set(second.sources)) == ("Guidebook", {2, 5}, {"figure", "text"})
    assert second.numbers == {"1250"}
    assert len(wild(tmp_path).questions) == 3


def test_half_of_the_files_of_each_kind_are_developed_on(tmp_path: Path) -> None:
    files(tmp_path, [f"{place}.pdf" for place in range(6)], [])
    row: dict[str, object] = {"question": "?", "evidence": [{"evidence_text": "words", "evidence_page_num": 0}]}
    write(tmp_path, [{**row, "financebench_id": str(place), "doc_name": str(place)} for place in range(6)], [])
    pages = wild(tmp_path)
    assert len(development(pages)) == 3
    assert development(pages) == development(pages)


def test_one_line_says_where_the_files_are_to_be_had(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"patronus-ai/financebench.*MMLongBench-Doc.*--wild") as caught:
        wild(tmp_path)
    assert "\n" not in str(caught.value)


def test_the_page_has_a_table_for_each_kind() -> None:
    asked = Asked([question(), question(id="2", sources=frozenset({"figure"}), kind="y")])
    asked.ask(Fixed("pages, BM25", [1]))
    asked.ask(Fixed(DEFAULT, [2]))
    page = report(asked, texts="pypdfium2", left_out=7, which="Which.")
    for heading in ("All questions", "Evidence: figure", "Evidence: table", "Documents: x", "Documents: y"):
        assert f"\n## {heading}\n" in page
    assert "| pages, BM25 | 0.000 |" in page
    assert f"| **{DEFAULT}** | 1.000 |" in page
    assert "| pages, BM25 | +1.000 (+1.000 to +1.000) |" in page
    assert "left out: 7." in page


def files(folder: Path, finance: list[str], many: list[str]) -> None:
    for place, names in ((folder / FINANCE / "pdfs", finance), (folder / MANY / "data" / "documents", many)):
        place.mkdir(parents=True)
        for name in names:
            (place / name).write_bytes(b"")


def write(folder: Path, finance: list[dict[str, object]], many: list[dict[str, object]]) -> None:
    (folder / FINANCE / "data").mkdir()
    lines = "\n".join(map(json.dumps, finance))
    (folder / FINANCE / "data" / "financebench_open_source.jsonl").write_text(lines)
    (folder / MANY / "data" / "samples.json").write_text(json.dumps(many))
