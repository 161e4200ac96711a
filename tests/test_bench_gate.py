"""The gate: figures beside the baseline, and what it takes for one to fall."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from bench.gate import evidence, golden, truths
from bench.gate.__main__ import main
from bench.gate.baseline import BASELINE, MOST, Baseline, Fall

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KEY = "labelled/stripped/book"
FIGURES = {KEY: {"counted": 14, "F1": 0.9, "rows": 0.8}, "headings/as is/paper": {"counted": 3, "F1": 0.7}}


def _found(**figures: float) -> dict[str, dict[str, float]]:
    return {KEY: {**FIGURES[KEY], **figures}}


@pytest.mark.parametrize(
    ("found", "fallen"),
    [
        pytest.param(_found(), [], id="the same"),
        pytest.param(_found(F1=0.95), [], id="better"),
        pytest.param(_found(F1=0.9 - MOST + 1e-6), [], id="a little worse"),
        pytest.param(_found(F1=0.88), [Fall(KEY, "F1", 0.9, 0.88)], id="worse"),
        pytest.param(_found(F1=0.99, rows=0.7), [Fall(KEY, "rows", 0.8, 0.7)], id="one for the other"),
        pytest.param({KEY: {"counted": 14, "F1": 0.9}}, [Fall(KEY, "rows", 0.8, None)], id="no longer measured"),
        pytest.param(_found(counted=9, F1=0.1), [], id="fewer pages are there"),
        pytest.param({}, [], id="no pages are there"),
    ],
)
def test_what_falls(found: dict[str, dict[str, float]], fallen: list[Fall]) -> None:
    assert Baseline(FIGURES).falls(found) == fallen


def test_a_figure_may_fall_only_with_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    Baseline(FIGURES).save(path)
    baseline = Baseline.load(path)
    with pytest.raises(ValueError, match="say why"):
        baseline.take(_found(F1=0.5), " ")
    assert baseline == Baseline(FIGURES)
    baseline.take(_found(F1=0.5), "captions are no headings any more")
    baseline.save(path)
    kept = Baseline.load(path)
    assert kept.figures == {**FIGURES, **_found(F1=0.5)}
    assert kept.log == [
        {"why": "captions are no headings any more", "fell": ["labelled/stripped/book F1: 0.9000 -> 0.5000"]}
    ]
    assert kept.falls(_found(F1=0.5)) == []
    kept.take(_found(F1=0.9), "")  # better needs no reason
    assert len(kept.log) == 1


def test_every_figure_of_the_committed_baseline_is_guarded() -> None:
    """Altered one by one, each fails."""
    baseline = Baseline.load(BASELINE)
    assert baseline.figures
    for key, figures in baseline.figures.items():
        for name, value in figures.items():
            if name != "counted" and value > MOST:
                worse = {key: {**figures, name: value - 1.5 * MOST}}
                assert [(fall.key, fall.name) for fall in baseline.falls(worse)] == [(key, name)]
    assert all(line["why"] and line["fell"] for line in baseline.log)


TRUTH = """\
file: bridges.pdf
title: Bridges
authors: Ann Alder
printed: 1-2 = 1-2

FRONT_MATTER 1
  TITLE_PAGE 1
    TITLE 1: Bridges
    AUTHOR 1: Ann Alder
BODY_MATTER 1-2
  SECTION 1: Rivers
    PARAGRAPH 1: The rivers are long.
    NOTE 1: 1 As Birch has it.
      <- 1: rivers are long.
    SECTION 1-2: Deltas
      LIST 1
        LIST_ITEM 1: • the Nile
        LIST_ITEM 1: • the Po
        LIST 1
          LIST_ITEM 1: • its arms
      FORMULA 1: a = b (1)
      CAPTION 2: Table 1: Lengths
      TABLE 2: Table 1: Lengths
        = River | Length
        | Alder | 120 km
  BIBLIOGRAPHY 2: References
    BIBLIOGRAPHIC_ENTRY 2: [1] Birch B (2010) Rivers.
"""
REGRESSIONS: dict[str, Callable[[str], str]] = {
    "title": lambda text: text.replace("title: Bridges", "title: Ann Alder"),
    "authors": lambda text: text.replace("authors: Ann Alder", "authors: -"),
    "printed": lambda text: text.replace("printed: 1-2 = 1-2\n", ""),
    "sections": lambda text: text.replace("SECTION 1-2: Deltas", "PARAGRAPH 1: Deltas"),
    "levels": lambda text: text.replace("    SECTION 1-2: Deltas", "  SECTION 1-2: Deltas"),
    "levels of items": lambda text: text.replace("          LIST_ITEM", "        LIST_ITEM"),
    "parents": lambda text: text.replace("  BIBLIOGRAPHY 2: References", "      BIBLIOGRAPHY 2: References"),
    "pages": lambda text: text.replace("SECTION 1: Rivers", "SECTION 1-2: Rivers"),
    "titles": lambda text: text.replace("AUTHOR 1:", "PARAGRAPH 1:"),
    "paragraphs": lambda text: text.replace("The rivers are long.", "The rivers are long. 1 As Birch has it."),
    "items": lambda text: text.replace("LIST_ITEM 1: • the Po", "PARAGRAPH 1: the Po"),
    "notes": lambda text: text.replace("NOTE 1:", "PARAGRAPH 1:"),
    "entries": lambda text: text.replace("BIBLIOGRAPHIC_ENTRY", "LIST_ITEM"),
    "captions": lambda text: text.replace("CAPTION 2:", "PARAGRAPH 2:"),
    "blocks": lambda text: text.replace("FORMULA 1: a = b (1)", "PARAGRAPH 1: a = b"),
    "targets": lambda text: text.replace("      <- 1: rivers are long.\n", ""),
    "rows": lambda text: text.replace("Alder | 120 km", "Alder 120 | km"),
    "heads": lambda text: text.replace("= River | Length", "| River | Length"),
    "order": lambda text: (
        text.replace("• the Nile", "•").replace("• the Po", "• the Nile").replace(": •\n", ": • the Po\n")
    ),
    "clean": lambda text: text.replace("BODY_MATTER 1-2\n", "BODY_MATTER 1-2\n  PARAGRAPH 2: A running head\n"),
}


def _lines(text: str) -> list[str]:
    return truths.entries(text)


@pytest.mark.parametrize("regression", [*golden.MEASURES, "levels of items"])
def test_a_regression_of_each_measure_of_the_golden_library_fails(regression: str) -> None:
    baseline = Baseline({"golden/bridges": {"counted": 1, **golden.compared(_lines(TRUTH))}}, most=0.0)
    assert set(golden.compared(_lines(TRUTH)).values()) == {1.0}
    marked = truths.marked(TRUTH, _lines(REGRESSIONS[regression](TRUTH)))
    found = {"golden/bridges": {"counted": 1, **golden.compared(_lines(marked))}}
    assert regression.partition(" ")[0] in {fall.name for fall in baseline.falls(found)}
    with pytest.raises(ValueError, match="say why"):
        baseline.take(found, "")


def test_a_fault_more_in_any_document_of_the_library_fails(tmp_path: Path) -> None:
    """One paragraph that is lost in a document of the library, marked as known, falls."""
    copied = shutil.copytree(truths.HERE, tmp_path / "golden")
    truth = copied / "standard-nist.truth"
    lines = truth.read_text(encoding="utf-8").splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("    PARAGRAPH 10:"))
    truth.write_text("\n".join([*lines[:at], "! lost", f"-{lines[at]}", *lines[at + 1 :]]) + "\n", encoding="utf-8")
    baseline = Baseline.load(golden.BASELINE, most=0.0)
    assert baseline.falls(golden.figures()) == []
    fallen = {(fall.key, fall.name) for fall in baseline.falls(golden.figures(copied))}
    assert fallen == {("golden/standard-nist", name) for name in ("parents", "pages", "paragraphs", "clean")}


def test_the_committed_baseline_of_the_golden_library_has_every_document_and_measure() -> None:
    baseline = Baseline.load(golden.BASELINE, most=0.0)
    assert set(baseline.figures) == {f"golden/{path.stem}" for path in truths.truths()}
    assert {name for figures in baseline.figures.values() for name in figures} == {"counted", *golden.MEASURES}
    for key, figures in baseline.figures.items():
        for name, value in figures.items():
            if name != "counted" and value > 0:
                worse = {key: {**figures, name: value - 0.0001}}
                assert [(fall.key, fall.name) for fall in baseline.falls(worse)] == [(key, name)]
    assert all(line["why"] and line["fell"] for line in baseline.log)


def test_a_document_that_is_gone_falls(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("RAGRAPH_DATA", raising=False)
    monkeypatch.setattr(sys, "argv", ["gate"])
    assert main() == 0
    figures = golden.figures()
    del figures["golden/guide"]
    monkeypatch.setattr(golden, "figures", lambda: figures)
    assert main() == 1
    assert "FALLS golden/guide" in capsys.readouterr().out


def test_a_mean_of_retrieval_may_not_fall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    means = {"articles, within the document": {"counted": 70.0, "512": 0.75, "recall@10": 0.8}}
    monkeypatch.setattr(evidence, "BASELINE", tmp_path / "evidence.json")
    monkeypatch.setattr(evidence, "figures", lambda *_: means)
    monkeypatch.setenv("RAGRAPH_DATA", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["evidence", "--write"])
    assert evidence.main() == 0
    monkeypatch.setattr(sys, "argv", ["evidence"])
    means["articles, within the document"]["512"] = 0.745
    assert evidence.main() == 0
    means["articles, within the document"]["512"] = 0.73
    assert evidence.main() == 1
    monkeypatch.setattr(sys, "argv", ["evidence", "articles"])
    with pytest.raises(SystemExit, match="no such corpus: articles"):
        evidence.main()
