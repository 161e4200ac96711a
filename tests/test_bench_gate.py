"""The gate: figures beside the baseline, and what it takes for one to fall."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bench.gate.baseline import BASELINE, MOST, Baseline, Fall

if TYPE_CHECKING:
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
