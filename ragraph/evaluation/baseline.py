"""Baselines: the figures of an earlier run, and those that have fallen since."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragraph.errors import TuningError

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.schema.evaluation import EvalReport

_FIGURES = ("recall", "ndcg", "mrr", "page_hit", "box_hit")


@dataclass(frozen=True)
class Baseline:
    """Figures of an earlier run: the digest of its questions, its k, and a mapping for each mode and scope."""

    place: Path
    digest: str
    k: int
    lines: dict[tuple[str, str], dict[str, Any]]


def drops(report: EvalReport, baseline: Baseline, max_drop: float) -> list[str]:
    """Return the figures that fell by more than allowed since a baseline, one line each; times are not compared.

    Args:
        report: figures of this run.
        baseline: figures to compare with.
        max_drop: how much a figure may fall, in the unit of the figures: 0.01 is one hundredth.

    Raises:
        TuningError: the baseline has other questions, another k, other modes or scopes.
    """
    place = baseline.place
    if (baseline.digest, baseline.k) != (report.digest, report.k):
        raise TuningError(f"{place} was measured with other questions or another k", hint="create it again with --json")
    lines = baseline.lines
    now = {(line.mode, line.scope): line.to_json() for line in report.lines}
    if missing := sorted(now.keys() - lines.keys()):
        mode, scope = missing[0]
        raise TuningError(f"{place} has no figures of mode {mode} in scope {scope}", hint="create it again with --json")
    fallen = []
    for way, line in now.items():
        for name, value, old in _pairs(line, lines[way]):
            if old is not None and old - (value or 0.0) > max_drop + 1e-12:
                fallen.append(f"{name} of mode {way[0]} in scope {way[1]} fell from {old:.3f} to {value or 0.0:.3f}")
    return fallen


def _pairs(line: dict[str, Any], before: dict[str, Any]) -> list[tuple[str, float | None, float | None]]:
    pairs = [(name.replace("_", " "), line[name], before.get(name)) for name in _FIGURES]
    old = {int(budget): share for budget, share in (before.get("evidence") or {}).items()}
    shares = [(int(budget), share) for budget, share in line["evidence"].items()]
    return pairs + [(f"evidence in {budget} tokens", share, old.get(budget)) for budget, share in shares]


def read_baseline(path: Path) -> Baseline:
    """Return the figures in a file that ``ragraph eval --json`` wrote.

    Raises:
        TuningError: the file cannot be read, or is not such a report.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        lines = {(line["mode"], line["scope"]): line for line in found["lines"]}
        for line in found["lines"]:
            _ = [float(value or 0) for _, value, _ in _pairs(line, line)]
        return Baseline(path, found["digest"], found["k"], lines)
    except OSError as error:
        raise TuningError(f"{path} cannot be read ({error.strerror or error})") from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise TuningError(f"{path} is not a report of an evaluation", hint="create it again with --json") from None
