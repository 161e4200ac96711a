"""The measures of opendataloader-bench, of pages whose scores can be worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.structure.dp_bench.__main__ import BEGIN, END, half_of, is_pdf, main, mean, write
from bench.structure.dp_bench.scores import score_page, with_html_tables
from bench.structure.strict.halves import develops

TABLE = "| a | b |\n| --- | --- |\n| 1 | 2 |"
LINES = st.lists(
    st.sampled_from(["# One", "## Two", "text", "", "| a | b |", "| --- | --- |", "| 1 | 2 |"]), max_size=8
)


@settings(deadline=None)
@given(LINES.map("\n".join))
def test_a_page_is_like_itself(text: str) -> None:
    """Whatever stands on it."""
    scores = score_page(text, text)
    assert scores.nid == 1.0
    assert scores.teds in {None, 1.0}
    assert scores.mhs in {None, 1.0}
    assert scores.overall == 1.0


@settings(deadline=None)
@given(LINES.map("\n".join), LINES.map("\n".join))
def test_scores_lie_between_nothing_and_all(truth: str, found: str) -> None:
    """And only what the truth has is scored."""
    scores = score_page(truth, found)
    for value in (scores.nid, scores.teds, scores.mhs):
        assert value is None or 0.0 <= value <= 1.0
    assert (scores.teds is None) == ("<table>" not in with_html_tables(truth))
    assert (scores.mhs is None) == ("# " not in truth)


def test_text_counts_without_its_blanks() -> None:
    """One letter too many of eleven, in seven and in four letters: two times four of eleven are alike."""
    assert score_page("a  b\n\nc", "a b c").nid == 1.0
    assert score_page("abcd", "abcdefg").nid == pytest.approx(8 / 11)


def test_levels_of_headings_do_not_count() -> None:
    """Nor do headings that the truth has none of; a page without any is 0."""
    assert score_page("# A\n\ntext", "### A\n\ntext").mhs == 1.0
    assert score_page("text", "# A\n\ntext").mhs is None
    assert score_page("# A\n\ntext", "A\n\ntext").mhs == 0.0


def test_a_heading_that_is_missed_costs_its_nodes() -> None:
    """Page, two headings and their two texts are five nodes; A and B are text of what comes before."""
    truth = "# A\n\none\n\n# B\n\ntwo"
    assert score_page(truth, "# A\n\none").mhs == pytest.approx(1 - 2 / 5)
    assert score_page(truth, "# X\n\none\n\n# B\n\ntwo").mhs == pytest.approx(1 - 1 / 5)


def test_tables_of_pipes_and_of_html_are_alike() -> None:
    """An empty row of heads is none; th and td are cells."""
    html = "<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>"
    assert score_page(TABLE, html).teds == 1.0
    assert score_page("|  |  |\n| --- | --- |\n| a | b |\n| 1 | 2 |", TABLE).teds == 1.0
    assert score_page(TABLE, "a b 1 2").teds == 0.0
    assert score_page("text", TABLE).teds is None


def test_a_wrong_cell_a_missing_row_and_a_second_table() -> None:
    """Of seven nodes of a table one is wrong, or three are missing; a second table is as many more."""
    assert score_page(TABLE, TABLE.replace("2", "3")).teds == pytest.approx(1 - 1 / 7)
    assert score_page(TABLE, "| a | b |\n| --- | --- |").teds == pytest.approx(1 - 3 / 7)
    assert score_page(f"{TABLE}\n\n{TABLE}", TABLE).teds == pytest.approx(1 - 7 / 14)


def test_a_cell_that_covers_others_is_another_cell() -> None:
    """Though its text is the same."""
    wide = "<table><tr><td colspan='2'>a</td></tr></table>"
    assert score_page(wide, "<table><tr><td>a</td></tr></table>").teds == pytest.approx(1 - 1 / 3)


def test_pages_are_split_by_their_names() -> None:
    """Both halves have pages."""
    names = [f"{number:014}" for number in range(100)]
    assert 30 < sum(develops("dp-bench", name) for name in names) < 70
    assert {half_of(name) for name in names} == {"developed on", "held out"}


def test_pointers_to_large_files_are_no_pages(tmp_path: Path) -> None:
    """As a clone has them before ``git lfs pull``."""
    path = tmp_path / "page.pdf"
    assert not is_pdf(path)
    path.write_text("version https://git-lfs.github.com/spec/v1\n")
    assert not is_pdf(path)
    path.write_bytes(b"%PDF-1.7\n")
    assert is_pdf(path)


def test_the_table_is_written_between_its_marks(tmp_path: Path) -> None:
    """And what stands around stays."""
    path = tmp_path / "page.md"
    path.write_text(f"before\n\n{BEGIN}\nold\n{END}\n\nafter\n")
    scores = {"one": score_page("# A", "# A"), "two": score_page("b", "b")}
    assert mean(scores, "mhs") == 1.0
    assert mean(scores, "teds") is None
    write(path, [("held out", "ragraph", scores)])
    text = path.read_text()
    assert text.startswith("before\n\n")
    assert text.endswith("\n\nafter\n")
    assert "| held out | ragraph | 2 | 1.000 | 1.000 | – | 1.000 |" in text
    assert "old" not in text


def test_a_cell_may_say_what_is_no_number_and_hold_a_table() -> None:
    """As peers' HTML does."""
    odd = "<table><tr><td colspan='100%'>a<table><tr><td>b</td></tr></table></td></tr></table>"
    assert score_page("<table><tr><td>a</td></tr></table>", odd).teds is not None


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A clone with one page of each half, which a reader called "other" read as its truth says."""
    from reportlab.pdfgen.canvas import Canvas

    names = [next(f"{n:014}" for n in range(100) if develops("dp-bench", f"{n:014}") == half) for half in (True, False)]
    for part in ("pdfs", "ground-truth/markdown", "prediction/other/markdown"):
        (tmp_path / part).mkdir(parents=True)
    for name in names:
        canvas = Canvas(str(tmp_path / "pdfs" / f"{name}.pdf"))
        canvas.setFont("Helvetica-Bold", 20)
        canvas.drawString(72, 760, "The old bridge")
        canvas.setFont("Helvetica", 11)
        for row in range(20):
            canvas.drawString(
                72, 720 - 14 * row, "It was built of stone and wood and stands over the river to this day"
            )
        canvas.save()
        for part in ("ground-truth/markdown", "prediction/other/markdown"):
            text = "# The old bridge\n\n" + " ".join(
                ["It was built of stone and wood and stands over the river to this day"] * 20
            )
            (tmp_path / part / f"{name}.md").write_text(text)
    return tmp_path


def test_the_command_reads_pages_and_scores_what_is_recorded(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A page that is read well is not below one that is recorded as its truth."""
    page = folder / "page.md"
    page.write_text(f"{BEGIN}\n{END}\n")
    assert main([str(folder), "--half", "both", "--each", "--write", str(page)]) == 0
    written = page.read_text()
    assert "| held out | other | 1 | 1.000 | 1.000 | – | 1.000 |" in written
    assert "| developed on | ragraph | 1 | 1.000 | 1.000 | – | 1.000 |" in written
    assert "developed on" in capsys.readouterr().out


def test_readers_and_folders_that_are_not_there_are_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In one line, with exit code 1."""
    assert main([str(folder), "--readers", "otter"]) == 1
    assert "no such readers: otter; there are ragraph, other" in capsys.readouterr().err
    assert main([str(folder / "pdfs")]) == 1
    assert "git lfs pull" in capsys.readouterr().err
    (folder / "page.md").write_text("nothing")
    assert main([str(folder), "--readers", "other", "--write", str(folder / "page.md")]) == 1
    assert "no place for the table" in capsys.readouterr().err
