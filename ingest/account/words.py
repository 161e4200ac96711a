"""Words of a text, the same whatever its white space, hyphens and form of Unicode."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

_EAST_ASIAN = re.compile(r"([\u2e80-\u9fff\uf900-\ufaff])")
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")
_SCRIPTS = re.compile("(?<=[\u0590-\u08ff])(?=[A-Za-z\u00aa-\u058f])|(?<=[A-Za-z\u00aa-\u058f])(?=[\u0590-\u08ff])")
"""Where a word from right to left touches one from left to right: two words, as in formulas."""
_WORD = re.compile(r"[^\W\d_]+|\d+|[£€¥₹°±§%‰]")
_INVISIBLE = (
    "\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062\u2063\ufe0e\ufe0f\ufeff"
)
_NOT_LETTERS = re.compile(r"[\W_]+")


_GREEK = [
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu"),
    *("xi", "omicron", "pi", "rho", "varsigma", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"),
]
_TEX = {
    **{name: chr(0x3B1 + place) for place, name in enumerate(_GREEK)},
    **{name.capitalize(): chr(0x391 + place) for place, name in enumerate(_GREEK) if name != "varsigma"},
    **{"varepsilon": "ε", "vartheta": "θ", "varphi": "φ", "pm": "±", "circ": "°", "ell": "l"},
}
_COMMAND = re.compile(r"\\([A-Za-z]+)")


class Piece(NamedTuple):
    """Text of a source: a paragraph, a cell, a line.

    Attributes:
        text: the text.
        reason: why it is not in the store, if that is known: "deleted by a tracked change", "hidden"; None = it should
            be there.
    """

    text: str
    reason: str | None = None


def normal(text: str) -> str:
    """Return a text in compatibility form, without invisible characters."""
    if text.isascii():
        return text
    if not unicodedata.is_normalized("NFKC", text):
        text = unicodedata.normalize("NFKC", text)
    for sign in _INVISIBLE:
        if sign in text:
            text = text.replace(sign, "")
    return text


def words(text: str) -> list[str]:
    """Return the words of a normal text: letters, digits, East Asian signs alone, and signs such as £ and °.

    Letters of words from right to left are sorted: PDF files have them in either order, and ligatures in a third.
    """
    if not text.isascii():
        text = _EAST_ASIAN.sub(r" \1 ", text)
        if RIGHT_TO_LEFT.search(text):
            found = _WORD.findall(_SCRIPTS.sub(" ", text))
            return ["".join(sorted(word)) if RIGHT_TO_LEFT.search(word) else word for word in found]
    return _WORD.findall(text)


_ASCII_SIGNS = bytes(code for code in range(128) if not (chr(code).isalnum() or chr(code) == "%"))
_COUNTED = "£€¥₹°±§%‰"


def letters_of(text: str) -> str:
    """Return the letters of all words of a normal text, in their order; far quicker than its words."""
    bare = text.encode("utf-8", "replace").translate(None, _ASCII_SIGNS).decode("utf-8")
    if not bare.isascii():
        for sign in set(bare):
            if not sign.isalnum() and sign not in _COUNTED:
                bare = bare.replace(sign, "")
    return bare


def squeezed(text: str) -> str:
    """Return the letters and digits of a normal text, without anything between them."""
    return _NOT_LETTERS.sub("", text)


def tex_signs(text: str) -> str:
    """Return the signs that commands of TeX in a text stand for, and the letters of its formulas one by one."""
    if "\\" not in text and "^" not in text and "_" not in text:
        return ""
    plain = _COMMAND.sub(lambda found: f" {_TEX.get(found[1], found[1])} ", text)
    return " ".join(letter for letter in plain if not letter.isspace())


# apart from the readers on purpose: a mistake in their patterns is to be seen in the account
_EQUATION = re.compile(r"\s*EQ\b(.*)", re.DOTALL)
_SWITCHES = re.compile(r'\\\*\s*(?:"[^"]*"|\w+)(?:\s*"[^"]*")?')
_READING = re.compile(r"(\\o\s*\\ad\s*\()\s*\\s\s*\\up\s*\d*\s*\([^()]*\)")
_SWITCHED = re.compile(r"\\[a-z]+\s*\d*|\\.")


def equation_letters(instruction: str) -> str:
    """Return the letters that a field shows which sets an equation (EQ); an empty string for other fields."""
    found = _EQUATION.match(instruction)
    return _SWITCHED.sub(" ", _READING.sub(r"\1", _SWITCHES.sub(" ", found[1]))) if found else ""
