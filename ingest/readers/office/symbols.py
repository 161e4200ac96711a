"""Characters of the fonts Symbol and Wingdings, which Office files state by their number in the font."""

from __future__ import annotations

_SYMBOL = {
    0x20: " !∀#∃%&∋()∗+,−./0123456789:;<=>?",
    0x40: "≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_",
    0x60: "‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼",
    0xA0: "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵",
    0xC0: "ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓",
    0xE0: "◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪",
    0xF1: "⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭",
}
"""Encoding of the font Symbol, by the number of the first character of each row."""

_WINGDINGS = {
    0x21: "✏", 0x22: "✂", 0x28: "☎", 0x2A: "✉", 0x46: "☞", 0x4A: "☺", 0x4C: "☹", 0x6C: "●", 0x6D: "❍", 0x6E: "■",
    0x6F: "☐", 0x71: "❑", 0x72: "❒", 0x74: "⧫", 0x75: "◆", 0x76: "❖", 0x9E: "·", 0x9F: "•", 0xA7: "▪", 0xA8: "☐",
    0xD8: "➢", 0xDF: "←", 0xE0: "→", 0xE1: "↑", 0xE2: "↓", 0xE8: "➔", 0xEF: "⇦", 0xF0: "⇨", 0xF1: "⇧", 0xF2: "⇩",
    0xF3: "⇔", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
_PRIVATE = range(0xE000, 0xF900)


def symbol(font: str, number: str) -> str:
    """Return the character of a symbol; an empty string if the font is not known and its number has no meaning.

    Args:
        font: name of the font.
        number: hexadecimal number; fonts of symbols begin at F000.
    """
    try:
        code = int(number, 16)
    except ValueError:
        return ""
    place = code - 0xF000 if 0xF000 <= code <= 0xF0FF else code
    name = font.lower()
    if name.startswith("symbol"):
        for first, row in _SYMBOL.items():
            if first <= place < first + len(row):
                return row[place - first]
    if name.startswith("wingdings") and place in _WINGDINGS:
        return _WINGDINGS[place]
    return "" if code in _PRIVATE or code > 0x10FFFF or code < 0x20 else chr(code)
