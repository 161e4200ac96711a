"""Raised and lowered text as plain text: the one rule of all readers.

Raised digits and signs are those of Unicode: 10⁶, m², Ca²⁺, word¹. Lowered ones stay on the line, as people write and
search for them: H2O, CO2. Behind a digit they are those of Unicode, because 101₂ is not 1012. All else stays on the
line: 1st, Vmax. An expression that would be read as another one there has a sign before it: 10^6.5, x^(2n−m), x_(i+1).
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_DASHES = r"\-−–"
_RAISED = str.maketrans("0123456789+-−–=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿ")
_DIGITS = {sign: shown for sign, shown in _RAISED.items() if chr(sign) not in "()"}
_LOWERED = str.maketrans("0123456789+-−–=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎")
_SIGNS = re.compile(rf"(?=.*[\d+{_DASHES}n])[\d+{_DASHES}=()n]+(?:, ?[\d{_DASHES}]+)*")
"""Text of which Unicode has each sign, and the numbers of several notes."""

_PART = r"(?:\d+\.\d+|\d*[A-Za-zα-ω]|\d+)"
_EXPRESSION = re.compile(rf"[+{_DASHES}]?{_PART}(?: ?[+{_DASHES}=/·*] ?{_PART})*")
_OPERATOR = re.compile(rf"[+{_DASHES}=/·*]")


def raised(text: str, before: str) -> str:
    """Return raised text as plain text.

    Args:
        text: the raised text.
        before: text before it, of which the last letter counts; empty if there is none or a space.
    """
    body = text.strip()
    if _SIGNS.fullmatch(body):
        whole = body.count("(") == body.count(")")  # a bracket alone has the other one on the line
        return text.replace(body, body.translate(_RAISED if whole else _DIGITS))
    last = before[-1:]
    if body == "o" and (last.isdigit() or last in ("n", "N")):
        return text.replace("o", "º")
    if (last.isalnum() or last == ")") and _EXPRESSION.fullmatch(body) and (len(body) > 1 or body.isdigit()):
        return text.replace(body, f"^{_joined(body)}")
    return text


def lowered(text: str, before: str) -> str:
    """Return lowered text as plain text; arguments as those of ``raised``."""
    body = text.strip()
    last = before[-1:]
    if (last.isdigit() or last in ("/", "⁄")) and _SIGNS.fullmatch(body):
        return text.replace(body, body.translate(_LOWERED))
    if last.isalnum() and _EXPRESSION.fullmatch(body) and _OPERATOR.search(body[1:]) and "/" not in body:
        return text.replace(body, f"_{_joined(body)}")
    return text


def shown_runs(runs: Iterable[tuple[str, int]]) -> list[str]:
    """Return the texts of the runs of a line as plain text; adjacent runs of one shift are one text.

    Args:
        runs: the text of each run, and its shift: above 0 if it is raised, below 0 if it is lowered. A line break is
            a run too.
    """
    shown: list[str] = []
    before = ""
    for shift, group in groupby(runs, lambda run: (run[1] > 0) - (run[1] < 0)):
        texts = [text for text, _ in group]
        shown += shown_as_one(texts, shift, before)
        before = "".join(texts) or before
    return shown


def shown_as_one(texts: Sequence[str], shift: int, before: str) -> list[str]:
    """Return raised or lowered texts that make one as plain text; the first gets all if signs are added to them."""
    whole = "".join(texts)
    shown = (raised if shift > 0 else lowered)(whole, before) if shift else whole
    if shown == whole:
        return list(texts)
    if len(shown) != len(whole):
        return [shown, *[""] * (len(texts) - 1)]
    letters = iter(shown)
    return ["".join(next(letters) for _ in text) for text in texts]


def _joined(body: str) -> str:
    return f"({body})" if _OPERATOR.search(body) else body
