"""The truth files of the golden library (tests/golden): their lines, known faults, and how they differ from a document.

Needs no document and no store: a truth file holds what is right, and what ragraph has instead.
"""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HERE = Path(__file__).parents[2] / "tests" / "golden"
NO_REASON = "! ???"
"""Stands where ``--mark`` found a difference and nobody has said why yet; the tests refuse it."""


class Fault(NamedTuple):
    """A known fault: where in the truth file, why, the lines that are right and those that ragraph gives instead."""

    line: int
    reason: str
    right: tuple[str, ...]
    ours: tuple[str, ...]


def truths() -> list[Path]:
    """Return the truth files."""
    return sorted(HERE.glob("*.truth"))


def document_of(truth: Path) -> Path:
    """Return the document that a truth file is of: its first line names it, from the truth file's folder."""
    first = truth.read_text(encoding="utf-8").partition("\n")[0]
    return (truth.parent / first.removeprefix("file: ")).resolve()


def entries(text: str) -> list[str]:
    """Return the lines of a truth file without the line of the document and remarks ("#")."""
    return [line.rstrip() for line in text.splitlines()[1:] if not line.startswith("#")]


def expected(lines: Iterable[str]) -> list[str]:
    """Return what ragraph gives if the truth file is right about its faults: no "-" lines, "+" lines as ours."""
    return _settled(lines, drop="-", keep="+")


def right(lines: Iterable[str]) -> list[str]:
    """Return the truth alone."""
    return _settled(lines, drop="+", keep="-")


def _settled(lines: Iterable[str], drop: str, keep: str) -> list[str]:
    return [
        line[1:] if line.startswith(keep) else line
        for line in lines
        if not line.startswith((drop, "!"))
    ]  # fmt: skip


def faults(lines: Sequence[str]) -> list[Fault]:
    """Return the known faults of a truth file: groups of lines that a reason ("!") stands above."""
    found: list[Fault] = []
    for number, line in enumerate(lines):
        if line.startswith("!"):
            found.append(Fault(number, line[1:].strip(), (), ()))
        elif line.startswith(("-", "+")):
            if not found or (number and not lines[number - 1].startswith(("!", "-", "+"))):
                found.append(Fault(number, "", (), ()))
            last = found[-1]
            if line[0] == "-":
                found[-1] = last._replace(right=(*last.right, line[1:]))
            else:
                found[-1] = last._replace(ours=(*last.ours, line[1:]))
    return found


def difference(lines: Sequence[str], ours: Sequence[str]) -> list[str]:
    """Return what differs between what a truth file expects and what ragraph gives, as a diff; empty if nothing."""
    wanted = expected(lines)
    return list(difflib.unified_diff(wanted, list(ours), "truth", "ragraph", n=2, lineterm=""))


def marked(text: str, ours: Sequence[str]) -> str:
    """Return a truth file with every difference marked; reasons stay where the lines that are right stay."""
    lines = entries(text)
    reasons = {line: fault.reason for fault in faults(lines) for line in (*fault.right, *fault.ours)}
    wanted = right(lines)
    made = [text.partition("\n")[0], *(line for line in text.splitlines()[1:] if line.startswith("#"))]
    matcher = difflib.SequenceMatcher(None, wanted, list(ours), autojunk=False)
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind == "equal":
            made += wanted[first:last]
            continue
        group = [*wanted[first:last], *ours[start:end]]
        reason = next((reasons[line] for line in group if reasons.get(line)), "")
        made.append(f"! {reason}" if reason else NO_REASON)
        made += [f"-{line}" for line in wanted[first:last]]
        made += [f"+{line}" for line in ours[start:end]]
    return "\n".join(made) + "\n"
