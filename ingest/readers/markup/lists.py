"""Markers of ordered lists as they are printed."""

from __future__ import annotations

_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl")),
    *((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_LETTERS = frozenset({"a", "A", "alpha-lower", "alpha-upper"})
_NUMERALS = frozenset({"i", "I", "roman-lower", "roman-upper"})


def ordered_marker(style: str, number: int) -> str:
    """Return the marker of an item ("3.", "c.", "iii."). Styles are named as in HTML ("a") or JATS ("alpha-lower")."""
    text = str(number)
    if style in _LETTERS and number > 0:
        text, rest = "", number
        while rest:
            rest, letter = divmod(rest - 1, 26)
            text = chr(97 + letter) + text
    elif style in _NUMERALS and 0 < number < 5000:
        text, rest = "", number
        for value, sign in _ROMAN:
            count, rest = divmod(rest, value)
            text += sign * count
    return f"{text.upper() if style in ('A', 'I') or style.endswith('upper') else text}."
