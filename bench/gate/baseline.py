"""The committed figures, the log of reasons why figures fell, and the comparison with new figures."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from bench.gate.figures import Figures

BASELINE = Path(__file__).parent / "baseline.json"
MOST = 0.01
"""Maximum fall of a figure: more than rounding, less than one heading of most kinds."""


class Fall(NamedTuple):
    """A figure that has changed, with its key and name; ``now`` is None if it is no longer measured."""

    key: str
    name: str
    before: float
    now: float | None

    def __str__(self) -> str:
        """Return it as a line."""
        now = "nothing" if self.now is None else f"{self.now:.4f}"
        return f"{self.key} {self.name}: {self.before:.4f} -> {now}"


@dataclass
class Baseline:
    """The figures as last written, and a log line with a reason for each time that some fell."""

    figures: Figures = field(default_factory=dict)
    log: list[dict[str, object]] = field(default_factory=list)
    most: float = MOST

    @classmethod
    def load(cls, path: Path = BASELINE, most: float = MOST) -> Baseline:
        """Return the baseline of a file, an empty one if the file does not exist.

        Args:
            path: of the file.
            most: maximum fall of a figure.
        """
        return cls(**json.loads(path.read_text(encoding="utf-8")), most=most) if path.exists() else cls(most=most)

    def save(self, path: Path = BASELINE) -> None:
        """Write one figure per line, so that a diff shows what moved."""
        content = {"log": self.log, "figures": self.figures}
        path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def falls(self, found: Figures) -> list[Fall]:
        """Return the figures that fall by more than ``most``; keys that were not measured in full are left out."""
        return [
            Fall(key, name, before, found[key].get(name))
            for key, figures in self.figures.items()
            if key in found and found[key]["counted"] == figures["counted"]
            for name, before in figures.items()
            if name != "counted" and ((now := found[key].get(name)) is None or now < before - self.most)
        ]

    def moved(self, found: Figures) -> list[Fall]:
        """Return every figure that changed, better ones included."""
        return [
            Fall(key, name, before, found[key].get(name))
            for key, figures in self.figures.items()
            if key in found and found[key]["counted"] == figures["counted"]
            for name, before in figures.items()
            if found[key].get(name) != before
        ]

    def take(self, found: Figures, why: str) -> None:
        """Replace figures by new ones; keys that were not measured stay.

        Args:
            found: the new figures.
            why: the reason for the log, if some fall.

        Raises:
            ValueError: figures fall and there is no reason.
        """
        falls = self.falls(found)
        if falls and not why.strip():
            raise ValueError("figures fall: say why")
        if falls:
            self.log.append({"why": why.strip(), "fell": [str(fall) for fall in falls]})
        self.figures = dict(sorted({**self.figures, **found}.items()))


def compare(path: Path, found: Figures, why: str | None, most: float = MOST) -> bool:
    """Print what moved, store it if there is a ``why``, and return True if figures fall and are not stored.

    Args:
        path: of the baseline.
        found: the new figures.
        why: None = compare alone; else the new figures are stored, with this reason if some fall.
        most: maximum fall of a figure.
    """
    baseline = Baseline.load(path, most=most)
    falls, moved = baseline.falls(found), baseline.moved(found)
    for line in moved:
        print(f"{'FALLS ' if line in falls else ''}{line}")
    print(f"{path.name}: {len(moved)} figures moved, {len(falls)} fall")
    if why is None:
        return bool(falls)
    try:
        baseline.take(found, why)
    except ValueError as error:
        sys.exit(str(error))
    baseline.save(path)
    return False
